import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { type ChildServer, flagOf, spawnServer } from "@slipstream-stack/cli";
import type { JsonObject, LapRecord } from "@slipstream-stack/protocol";
import type { BenchContext } from "../bench.ts";
import { ChainClient } from "./chain-client.ts";

export const simulatedId = "simulated";
const contextTokens = 400_000;
const readyMs = 120_000;
const endMs = 10_000;
/** Of so many tokens to the simulated tokenizer. */
const sentence = "The quick brown fox jumps over the lazy dog again. ";
const sentenceTokens = 32;

/** Milliseconds of one lap besides the engine's own. */
export interface Overhead {
  /** By the server's own lap record. */
  readonly server: number;
  /** Of these, spent on the store. */
  readonly store: number;
  /** Seen by the client, sockets and JSON of both ends included. */
  readonly client: number;
}

/** A server on the simulated engine, and one conversation with it that goes on lap after lap. */
export class OverheadSide implements AsyncDisposable {
  readonly #server: ChildServer;
  readonly #folder: string;
  readonly #chained: boolean;
  #client: ChainClient;
  #history: JsonObject[] = [];
  #lastId: string | null = null;
  #laps = 0;

  private constructor(server: ChildServer, folder: string, chained: boolean, client: ChainClient) {
    this.#server = server;
    this.#folder = folder;
    this.#chained = chained;
    this.#client = client;
  }

  /** `chained` false: chain, lineage and incremental work off, and the whole history travels each time. */
  static async start(context: BenchContext, chained: boolean): Promise<OverheadSide> {
    const folder = await mkdtemp(join(context.temporaryFolder, "slipstream-bench-"));
    const off = ["chain", "lineage", "incremental_render", "incremental_tokenize"];
    const server = await spawnServer({
      serveArguments: [
        ...["--engine", "simulated", "--model", simulatedId, "--context-tokens", String(contextTokens)],
        ...["--store", join(folder, "responses.sqlite"), "--log-level", "warn"],
        ...(chained ? [] : off.flatMap((name) => [flagOf(`techniques.${name}`), "false"])),
      ],
      env: { ...context.env, XDG_STATE_HOME: folder },
      readyMs,
      endMs,
      signal: context.signal,
    });
    return new OverheadSide(server, folder, chained, await ChainClient.open(server.root));
  }

  /** Begins a new conversation of about so many tokens. */
  async begin(tokens: number): Promise<void> {
    this.#client[Symbol.dispose]();
    this.#client = await ChainClient.open(this.#server.root);
    this.#history = [];
    this.#lastId = null;
    this.#laps += 1;
    const text = sentence.repeat(Math.max(1, Math.round(tokens / sentenceTokens)));
    await this.#send([{ type: "message", role: "user", content: `Conversation ${this.#laps}. ${text}` }]);
  }

  /** One lap with one short message. */
  async lap(): Promise<Overhead> {
    this.#laps += 1;
    const content = `Lap ${this.#laps}: what comes next, and why does it come after the last one?`;
    const { record, ms } = await this.#send([{ type: "message", role: "user", content }]);
    const engine = record.ms.queue + record.ms.prefill + record.ms.decode;
    return { server: record.ms.total - engine, store: record.ms.store, client: ms - engine };
  }

  /** Tokens of the last prompt. */
  async promptTokens(): Promise<number> {
    return this.#lastId === null ? 0 : (await this.#record(this.#lastId)).tokens.prompt;
  }

  /** The 99th percentile of the server's event-loop delay since it was last asked, in milliseconds. */
  async eventLoopDelayMs(): Promise<number> {
    const text = await (await fetch(`${this.#server.root}/metrics`)).text();
    return Number(/^nodejs_eventloop_lag_p99_seconds (\S+)$/m.exec(text)?.[1] ?? Number.NaN) * 1_000;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#client[Symbol.dispose]();
    await this.#server.close();
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #send(fresh: JsonObject[]): Promise<{ record: LapRecord; ms: number }> {
    this.#history.push(...fresh);
    const chain = this.#chained && this.#lastId !== null ? { previous_response_id: this.#lastId } : {};
    const input = this.#chained ? fresh : this.#history;
    const settings = { model: simulatedId, max_output_tokens: 64, store: true };
    const { id, output, ms } = await this.#client.create({ ...settings, ...chain, input });
    this.#history.push(...output);
    this.#lastId = id;
    return { record: await this.#record(id), ms };
  }

  async #record(id: string): Promise<LapRecord> {
    const reply = await fetch(`${this.#server.root}/slipstream/v1/responses/${id}/lap`);
    if (!reply.ok) throw new Error(`no lap record of ${id}: ${reply.status}`);
    return (await reply.json()) as LapRecord;
  }
}
