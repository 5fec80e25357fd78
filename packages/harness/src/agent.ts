import { realpath, stat } from "node:fs/promises";
import { parse } from "node:path";
import type { Item } from "@slipstream-stack/protocol";
import type { AgentOptions } from "./agent-options.ts";
import { createModel } from "./create-model.ts";
import { createTools } from "./create-tools.ts";
import { environmentItem, instructionsItem } from "./environment-message.ts";
import { HarnessError } from "./errors.ts";
import type { EmitTurnEvent, TurnOutcome } from "./events.ts";
import { HistoryLog } from "./history/history-log.ts";
import { defaultInstructions } from "./instructions.ts";
import { runTurn } from "./loop/run-turn.ts";
import { missingOutputs } from "./session/repair-history.ts";
import { SessionFile } from "./session/session-file.ts";
import { sessionSchemaVersion } from "./session/session-record.ts";
import type { ToolRegistry } from "./tools/tool-registry.ts";
import type { ReliableModel } from "./transport/reliable-model.ts";

/** An agent in one workspace with one conversation. Turns run one after the other. */
export interface Agent {
  /** Id of the session on disk; null where none is kept. */
  readonly sessionId: string | null;
  /**
   * Connects and lets the server prepare the prefix; settles when that is done or has failed. Optional, and
   * need not be waited for: the first turn queues behind it.
   */
  start(): Promise<void>;
  /** Runs one turn on a task. Throws `agent_busy` while another turn runs and `agent_closed` after `close`. */
  run(task: string, signal: AbortSignal, emit: EmitTurnEvent): Promise<TurnOutcome>;
  /** The conversation so far. */
  history(): readonly Item[];
  /** Cancels a turn that runs, then ends tools, connections and the session file. */
  close(): Promise<void>;
}

const defaultMaxLaps = 100;

/**
 * Puts an agent together: tools behind a sandbox, transports, history and session. Throws `workspace_missing`,
 * `sandbox_missing`, `sandbox_unusable`, `invalid_option`, `duplicate_tool`, or a session error.
 */
export async function createAgent(options: AgentOptions): Promise<Agent> {
  const workspace = await requireFolder(options.workspace);
  const tools = await createTools(options, workspace);
  try {
    const model = createModel(options, tools.definitions());
    const { file, items } = await openSession(options, workspace);
    const log = new HistoryLog(items, (item) => file?.append({ type: "item", item }));
    log.append(openingItems(options, workspace, items));
    return new HarnessAgent({ options, tools, model, file, log });
  } catch (error) {
    await tools.close();
    throw error;
  }
}

async function requireFolder(path: string): Promise<string> {
  const real = await realpath(path).catch(() => null);
  if (real !== null && real === parse(real).root) {
    throw new HarnessError("invalid_option", "The root folder cannot be a workspace; name a folder in it.");
  }
  if (real !== null && (await stat(real)).isDirectory()) return real;
  throw new HarnessError(
    "workspace_missing",
    `${path} is not a folder. Create it or name another workspace.`,
  );
}

async function openSession(
  options: AgentOptions,
  workspace: string,
): Promise<{ file: SessionFile | null; items: readonly Item[] }> {
  const { session } = options;
  if (session === undefined || session === null) return { file: null, items: [] };
  if (session.resume !== null) return SessionFile.resume(session.directory, session.resume, session.fsync);
  const header = {
    type: "session",
    schema: sessionSchemaVersion,
    id: options.ids.next("session"),
    createdAt: options.clock.wallTime(),
    workspace,
    model: options.model,
  } as const;
  return { file: await SessionFile.create(session.directory, header, session.fsync), items: [] };
}

/**
 * What must stand in the log before the first task: instructions and environment in a new session; in a
 * resumed one the outputs that are missing, and the environment again where it has changed.
 */
function openingItems(options: AgentOptions, workspace: string, resumed: readonly Item[]): Item[] {
  const environment = environmentItem({
    workspace,
    platform: process.platform,
    sandbox: options.sandbox === "none" ? "none" : "workspace-write",
    network: options.sandbox === "none" || (options.network ?? false),
  });
  if (resumed.length === 0)
    return [instructionsItem(options.instructions ?? defaultInstructions), environment];
  const text = JSON.stringify(environment);
  const known = resumed.findLast((item) => JSON.stringify(item).includes("<environment_context>"));
  const isCurrent = known !== undefined && JSON.stringify(known) === text;
  return [...missingOutputs(resumed), ...(isCurrent ? [] : [environment])];
}

interface AgentParts {
  readonly options: AgentOptions;
  readonly tools: ToolRegistry;
  readonly model: ReliableModel;
  readonly file: SessionFile | null;
  readonly log: HistoryLog;
}

class HarnessAgent implements Agent {
  readonly #parts: AgentParts;
  readonly #closing = new AbortController();
  #state: "idle" | "busy" | "closed" = "idle";
  #turn: Promise<unknown> = Promise.resolve();

  constructor(parts: AgentParts) {
    this.#parts = parts;
  }

  get sessionId(): string | null {
    return this.#parts.file?.header.id ?? null;
  }

  async start(): Promise<void> {
    this.#requireOpen();
    if (this.#parts.options.techniques?.prewarm === false) return;
    await this.#parts.model.warmUp(this.#parts.log, this.#closing.signal);
  }

  async run(task: string, signal: AbortSignal, emit: EmitTurnEvent): Promise<TurnOutcome> {
    this.#requireOpen();
    if (this.#state === "busy") throw new HarnessError("agent_busy", "A turn is running; wait for its end.");
    this.#state = "busy";
    const turn = this.#runTurn(task, signal, emit);
    this.#turn = turn.catch(() => {});
    try {
      return await turn;
    } finally {
      if (this.#state === "busy") this.#state = "idle";
    }
  }

  async #runTurn(task: string, signal: AbortSignal, emit: EmitTurnEvent): Promise<TurnOutcome> {
    const { options, tools, model, file, log } = this.#parts;
    const { clock, ids } = options;
    log.append([{ type: "message", role: "user", content: task }]);
    const ports = { model, tools, clock, ids, maxLaps: options.maxLaps ?? defaultMaxLaps };
    const bounded = AbortSignal.any([signal, this.#closing.signal]);
    try {
      return await runTurn(log, ports, bounded, (event) => {
        if (event.type === "lap-end") file?.append({ type: "lap", figures: event.figures });
        if (event.type === "turn-end") {
          file?.append({ type: "turn", turnId: event.turnId, outcome: event.outcome });
        }
        emit(event);
      });
    } finally {
      await file?.flush();
    }
  }

  history(): readonly Item[] {
    return this.#parts.log.items();
  }

  async close(): Promise<void> {
    if (this.#state === "closed") return;
    this.#state = "closed";
    this.#closing.abort(new HarnessError("agent_closed", "The agent was closed."));
    await this.#turn;
    const { tools, model, file } = this.#parts;
    await Promise.allSettled([tools.close(), model.close()]);
    await file?.close();
  }

  #requireOpen(): void {
    if (this.#state === "closed") throw new HarnessError("agent_closed", "The agent was closed.");
  }
}
