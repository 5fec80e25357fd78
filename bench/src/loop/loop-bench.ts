import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { formatTable, trajectoryPath } from "@slipstream-stack/cli";
import { detectSandbox, type LapFigures, type SandboxChoice } from "@slipstream-stack/harness";
import { trajectoryLineSchema } from "@slipstream-stack/protocol";
import type { Bench, BenchContext, Figures } from "../bench.ts";
import { benchModelId, benchModelPath } from "../engine/bench-engine.ts";
import { differenceOf, ratioOf } from "../measure/ratio.ts";
import { median, quantile } from "../measure/statistics.ts";
import { formatMs, formatRatio, ratioFigures, round } from "../report/format-figures.ts";
import { compareSessions, sessionHeads } from "./compare-sessions.ts";
import { answerLine, lengthenTrajectory, shellLine, trajectoryText } from "./long-trajectory.ts";
import { runScripted } from "./scripted-session.ts";
import { timeToBuild } from "./time-to-build.ts";
import { timeToFirstRequest } from "./time-to-first-request.ts";

const longLaps = 30;
const gapLaps = 200;
const defaultRounds = 3;
const startPairs = 10;

/** One server at a time is up. */
export const loop: Pick<Bench, "run"> = {
  async run(context) {
    await benchModelPath();
    const folder = await mkdtemp(join(context.temporaryFolder, "slipstream-bench-"));
    try {
      const support = await detectSandbox(context.env["PATH"] ?? "", folder);
      const sandbox: SandboxChoice = support.kind === "bubblewrap" ? "bubblewrap" : "none";
      if (sandbox === "none") context.print("No bubblewrap here: commands run without a sandbox.\n");
      const harness = await harnessFigures(context, folder, sandbox);
      const sessions = await sessionFigures(context, folder, sandbox);
      return { sandbox, ...harness, ...sessions };
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};

async function sessionFigures(
  context: BenchContext,
  folder: string,
  sandbox: SandboxChoice,
): Promise<Figures> {
  const lines = (await readFile(trajectoryPath, "utf8")).trim().split("\n");
  const demo = lines.map((line) => trajectoryLineSchema.parse(JSON.parse(line)));
  const long = join(folder, "long.jsonl");
  await writeFile(long, trajectoryText(lengthenTrajectory(demo, longLaps)));
  const rounds = context.pairs ?? defaultRounds;
  const short = await compareSessions(context, { name: "demo", trajectoryPath, rounds, sandbox });
  context.print(`\n${formatTable([sessionHeads, short.cells])}`);
  const thirty = await compareSessions(context, { name: "long", trajectoryPath: long, rounds, sandbox });
  context.print(formatTable([sessionHeads, thirty.cells]));
  context.print("goals against nothing kept, model time: demo >= 4, 30 laps >= 6\n");
  return { demo: short.figures, long: thirty.figures };
}

async function harnessFigures(
  context: BenchContext,
  folder: string,
  sandbox: SandboxChoice,
): Promise<Figures> {
  const start = await timeToFirstRequest(context, folder, startPairs);
  const first = await runScripted(context, {
    serveArguments: [],
    model: benchModelId,
    lines: [answerLine("Done.")],
    sandbox,
  });
  const gaps = await runScripted(context, {
    serveArguments: ["--engine", "simulated", "--context-tokens", "200000"],
    model: "simulated",
    lines: [
      ...Array.from({ length: gapLaps }, (_, index) => shellLine(`call_${index}`, "true")),
      answerLine("Done."),
    ],
    sandbox,
  });
  const build = await timeToBuild({ items: 1_000, bytes: 2e6, pairs: 40, now: () => performance.now() });
  const later = gaps.laps.slice(1);
  const found = {
    startMs: round(median(start.second)),
    startBeyondNodeMs: ratioFigures(differenceOf(start)),
    firstRequestTokens: first.laps[0]?.tokens?.input ?? null,
    loopGapMs: { p50: gap(later, 0.5), p99: gap(later, 0.99) },
    bytesBeyondItems: Math.max(...later.map(({ bytesSent, itemBytes }) => bytesSent - itemBytes)),
    fullSends: later.filter(({ mode }) => mode === "full").length,
    prefixBreaks: gaps.breaks,
    buildMs: round(median(build.first)),
    buildRatio: ratioFigures(ratioOf(build)),
  };
  const rows = [
    ["", "measured", "goal"],
    [
      "start to first request",
      `${formatMs(found.startMs)}; beyond an empty Node: ${formatRatio(differenceOf(start), 0)} ms`,
      "<= 150 ms",
    ],
    ["first-request tokens, default tools", String(found.firstRequestTokens), "<= 1,200"],
    [
      `loop gap p50 / p99, no-op shell, ${sandbox}, ${later.length} laps`,
      `${formatMs(found.loopGapMs.p50)} / ${formatMs(found.loopGapMs.p99)}`,
      "p50 <= 2 ms",
    ],
    ["bytes of a chained request beyond its items, most", String(found.bytesBeyondItems), "<= 300"],
    ["full sends / prefix breaks after the first lap", `${found.fullSends} / ${found.prefixBreaks}`, "0 / 0"],
    [
      "building a request at 1,000 items, 2 MB",
      `${found.buildMs} ms; compare and serialise: ${formatRatio(ratioOf(build), 0)} times`,
      "< 0.2 ms",
    ],
  ];
  context.print(formatTable(rows));
  return { harness: found };
}

function gap(laps: readonly LapFigures[], share: number): number {
  return round(
    quantile(
      laps.map(({ loopGapMs }) => loopGapMs ?? Number.NaN),
      share,
    ),
  );
}
