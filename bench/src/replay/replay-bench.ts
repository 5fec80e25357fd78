import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { formatTable } from "@slipstream-stack/cli";
import { freezeSettings } from "@slipstream-stack/harness";
import type { Tokenizer } from "@slipstream-stack/inference";
import type { Item, Tool } from "@slipstream-stack/protocol";
import { type Bench, type BenchContext, BenchSkipped, type Figures } from "../bench.ts";
import { BenchEngine } from "../engine/bench-engine.ts";
import { quantile } from "../measure/statistics.ts";
import { formatMs, round } from "../report/format-figures.ts";
import { readMiniSweSession } from "./read-mini-swe-session.ts";
import { readPiSession } from "./read-pi-session.ts";
import { type RecordedSession, textOf } from "./recorded-session.ts";
import { type ReplayedLap, replaySession } from "./replay-session.ts";

const toolCount = 4;
/** Only the tokenizer is used. */
const contextTokens = 512;

/** Recorded sessions, sent again in full and as deltas; tokens are those of the embedded model's tokenizer. */
export const replay: Pick<Bench, "run"> = {
  async run(context) {
    const groups = readGroups(context.dataFolder);
    const plainSettings = { model: "bench", tools: readTools(context.dataFolder) };
    const settings = freezeSettings({ settings: plainSettings, store: false });
    await using engine = await BenchEngine.start(context.temporaryFolder, { contextTokens });
    const figures: Figures = {};
    const rows: string[][] = [];
    for (const [name, sessions] of groups) {
      const tokensOf = await countTokens(engine.model.tokenizer, sessions);
      const options = { settings, plainSettings, now: () => performance.now(), tokensOf };
      // The first pass warms the code up.
      for (const session of sessions) replaySession(session, options);
      const laps = sessions.map((session) => replaySession(session, options));
      const result = summarise(laps);
      figures[name] = result.figures;
      rows.push([name, ...result.cells]);
    }
    print(context, rows);
    return figures;
  },
};

function readGroups(folder: string): Map<string, RecordedSession[]> {
  try {
    const pi = join(folder, "pi-sessions", "large-session.jsonl");
    const miniSwe = join(folder, "miniswe");
    const files = readdirSync(miniSwe).filter((name) => name.endsWith(".jsonl"));
    return new Map([
      ["pi", [readPiSession("large-session", readFileSync(pi, "utf8"))]],
      ["mini-swe", files.map((name) => readMiniSweSession(name, readFileSync(join(miniSwe, name), "utf8")))],
    ]);
  } catch (cause) {
    throw new BenchSkipped(`replay wants the recordings of SLIPSTREAM_DATA, not found in ${folder}`, {
      cause,
    });
  }
}

/** A head of the size that agents have: a few real tools. */
function readTools(folder: string): Tool[] {
  const { tools } = JSON.parse(readFileSync(join(folder, "github-mcp-tools.json"), "utf8")) as {
    tools: { name: string; description: string; inputSchema: Record<string, never> }[];
  };
  return tools.slice(0, toolCount).map(({ name, description, inputSchema }) => ({
    type: "function",
    name,
    description,
    parameters: inputSchema,
  }));
}

async function countTokens(
  tokenizer: Tokenizer,
  sessions: readonly RecordedSession[],
): Promise<(item: Item) => number> {
  const items = sessions.flatMap(({ laps }) => laps.flatMap(({ input, output }) => [...input, ...output]));
  const counts = new Map<Item, number>();
  for (const item of items) {
    const [ids] = await tokenizer.encode([{ text: textOf(item), special: false }]);
    counts.set(item, ids?.length ?? 0);
  }
  return (item) => counts.get(item) ?? 0;
}

type Way = "anew" | "full" | "delta";

function summarise(sessions: readonly (readonly ReplayedLap[])[]): { cells: string[]; figures: Figures } {
  const laps = sessions.flat();
  const total = (way: Way, of: "bytes" | "tokens"): number =>
    laps.reduce((sum, lap) => sum + lap[way][of], 0);
  const longest = sessions.reduce((best, session) => (session.length > best.length ? session : best));
  const late = longest.slice(Math.floor(longest.length * 0.9));
  const build = (way: Way): number =>
    quantile(
      late.map((lap) => lap[way].ms),
      0.5,
    );
  const resent = (reason: string): number => laps.filter(({ fullReason }) => fullReason === reason).length;
  const breaks = resent("history_changed") + resent("field_changed");
  const [bytes, tokens] = [total("full", "bytes"), total("full", "tokens")];
  const [deltaBytes, deltaTokens] = [total("delta", "bytes"), total("delta", "tokens")];
  return {
    cells: [
      `${sessions.length} / ${laps.length}`,
      `${megabytes(bytes)} / ${megabytes(deltaBytes)} (${(bytes / deltaBytes).toFixed(1)}x)`,
      `${thousands(tokens)} / ${thousands(deltaTokens)} (${(tokens / deltaTokens).toFixed(1)}x)`,
      `${late.at(-1)?.items ?? 0}`,
      `${formatMs(build("anew"))} / ${formatMs(build("full"))} / ${formatMs(build("delta"))}`,
      `${breaks} (${resent("nothing_new")} with nothing new)`,
    ],
    figures: {
      sessions: sessions.length,
      laps: laps.length,
      fullBytes: bytes,
      deltaBytes,
      fullTokens: tokens,
      deltaTokens,
      lateItems: late.at(-1)?.items ?? 0,
      lateBuildMs: { anew: round(build("anew")), full: round(build("full")), delta: round(build("delta")) },
      prefixBreaks: breaks,
      fullSendsWithNothingNew: resent("nothing_new"),
    },
  };
}

function print(context: BenchContext, rows: readonly string[][]): void {
  const heads = [
    "",
    "sessions / laps",
    "bytes: full / delta",
    "tokens: full / delta",
    "items at the end",
    "build there, p50: anew / cached full / delta",
    "breaks",
  ];
  context.print(formatTable([heads, ...rows]));
}

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(2)} MB`;
const thousands = (tokens: number): string => `${(tokens / 1e3).toFixed(0)}k`;
