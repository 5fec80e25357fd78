import { detectSandbox, type SandboxChoice } from "@slipstream-stack/harness";
import type { ConfigSources, LoadedConfig } from "../config/load-config.ts";
import { CliError } from "../errors.ts";
import { ensureModel } from "../models/ensure-model.ts";
import { serveArguments } from "../serve/serve-arguments.ts";
import type { CommandContext } from "../terminal/command-context.ts";
import { demoFigures } from "./demo-figures.ts";
import { type DemoSide, demoSides } from "./demo-sides.ts";
import { formatLaps, formatNextSteps, formatTotals } from "./print-demo.ts";
import { type DemoSetting, runSide, type SideResult } from "./run-side.ts";
import { runUnforced } from "./unforced.ts";

export interface DemoRequest {
  readonly context: CommandContext;
  readonly sources: ConfigSources;
  readonly loaded: LoadedConfig;
  readonly json: boolean;
  readonly temporaryFolder: string;
  readonly signal: AbortSignal;
}

const introduction = (
  model: string,
) => `One coding task on three sides, each with the real engine, the real server and real commands.
The model (${model}) is teacher-forced: it evaluates every token of a recorded answer, one step
each, and only the choice of the token is given. Times and cached tokens are real.
`;

/**
 * The demo: the task on all three sides in one run, then two answers nobody forced, then how to go on.
 * @throws CliError `server_ended`, `server_refused` and what pulling a model throws.
 */
export async function runDemo(request: DemoRequest): Promise<void> {
  const { context, json, signal } = request;
  const setting = await demoSetting(request);
  const say = json ? (): void => undefined : context.out;
  say(introduction(setting.model));
  const results: SideResult[] = [];
  for (const side of demoSides) {
    say(`\n${side.title}\n`);
    const result = await runSide(setting, side, (lap) => {
      if (json) context.out(`${JSON.stringify({ side: side.id, ...lap })}\n`);
    });
    requireAnswer(side, result);
    say(formatLaps(result.laps));
    results.push(result);
  }
  const figures = demoFigures(results);
  say(`\n${formatTotals(figures)}`);
  const { answer, call } = await runUnforced(setting);
  say(`\nUnforced, the model itself: ${answer}\nUnforced, with tool_choice "required": ${call}\n`);
  say(formatNextSteps(setting.model));
  signal.throwIfAborted();
  if (json) context.out(`${JSON.stringify({ ...figures, unforced: { answer, call } })}\n`);
}

async function demoSetting(request: DemoRequest): Promise<DemoSetting> {
  const { context, sources, loaded, temporaryFolder, signal } = request;
  const model = loaded.config.model;
  if (loaded.config.engine === "llama") await ensureModel(model, context, signal);
  const sandbox = await chooseSandbox(context, temporaryFolder);
  // All sides run alike: not one before this machine was measured and the next after.
  const untuned = loaded.origins.get("tune") === "default" ? ["--tune", "off"] : [];
  return {
    host: context.host,
    model,
    serveArguments: [...serveArguments(sources, loaded), ...untuned],
    sandbox,
    temporaryFolder,
    signal,
  };
}

/** The demo's own commands are harmless, so without a sandbox they run in their scratch folder, and it says so. */
async function chooseSandbox({ host, note }: CommandContext, folder: string): Promise<SandboxChoice> {
  const support = await detectSandbox(host.env.PATH ?? "", folder);
  if (support.kind === "bubblewrap") return "bubblewrap";
  note("No sandbox here (bubblewrap): the demo's own commands run in a scratch folder without one.\n");
  return "none";
}

function requireAnswer({ title }: DemoSide, { outcome }: SideResult): void {
  if (outcome.kind === "answered") return;
  const reason = outcome.kind === "failed" ? `${outcome.code}: ${outcome.message}` : outcome.kind;
  throw new CliError("server_refused", `The side "${title}" did not finish (${reason}).`);
}
