import { currentHost, type DemoSide, demoSides, runSide, type SideResult } from "@slipstream-stack/cli";
import type { SandboxChoice } from "@slipstream-stack/harness";
import type { BenchContext, Figures } from "../bench.ts";
import { benchModelId } from "../engine/bench-engine.ts";
import { type Ratio, ratioOf } from "../measure/ratio.ts";
import { rotateSides } from "../measure/rotate-sides.ts";
import { median } from "../measure/statistics.ts";
import { formatMs, formatRatio, ratioFigures, round } from "../report/format-figures.ts";

/** A scripted session, run on the demo's three sides in turned order. */
export interface SessionOptions {
  readonly name: string;
  readonly trajectoryPath: string;
  readonly rounds: number;
  readonly sandbox: SandboxChoice;
}

export const sessionHeads = [
  "session",
  "nothing kept: model / whole",
  "usual",
  "Slipstream",
  "against nothing kept, model",
  "whole",
  "against usual, model",
  "whole",
];

/** Runs it and answers with a row of the table and its figures. Throws where a session does not end as scripted. */
export async function compareSessions(
  context: BenchContext,
  options: SessionOptions,
): Promise<{ cells: string[]; figures: Figures }> {
  const setting = {
    host: { ...currentHost(), env: context.env },
    model: benchModelId,
    serveArguments: ["--model", benchModelId, "--store", ":memory:", "--log-level", "warn"],
    sandbox: options.sandbox,
    temporaryFolder: context.temporaryFolder,
    signal: context.signal,
  };
  const results = await rotateSides(demoSides, options.rounds, async (side, number) => {
    context.note(`${options.name}, round ${number + 1} of ${options.rounds}: ${side.title}`);
    // A side's own arguments stand last, and the last trajectory counts.
    const forced = ["--teacher-forcing", options.trajectoryPath];
    const scripted = { ...side, serveArguments: [...side.serveArguments, ...forced] };
    const result = await runSide(setting, scripted, () => undefined);
    if (result.outcome.kind === "answered") return result;
    throw new Error(`${options.name}, ${side.id}: ${JSON.stringify(result.outcome)}`);
  });
  return summarise(options, (id) => resultsOf(results, id));
}

type SideId = DemoSide["id"];
type Time = "modelMs" | "wallMs";

function resultsOf(results: ReadonlyMap<DemoSide, SideResult[]>, id: SideId): readonly SideResult[] {
  for (const [side, found] of results) if (side.id === id) return found;
  return [];
}

function summarise(
  options: SessionOptions,
  of: (id: SideId) => readonly SideResult[],
): { cells: string[]; figures: Figures } {
  const times = (id: SideId, time: Time): number[] => of(id).map((result) => result[time]);
  const ratio = (id: SideId, time: Time): Ratio =>
    ratioOf({ first: times("slipstream", time), second: times(id, time) });
  const shown = (id: SideId): string =>
    `${formatMs(median(times(id, "modelMs")))} / ${formatMs(median(times(id, "wallMs")))}`;
  const against = (id: SideId): Figures => ({
    model: ratioFigures(ratio(id, "modelMs")),
    whole: ratioFigures(ratio(id, "wallMs")),
  });
  const laps = of("slipstream")[0]?.laps.length ?? 0;
  return {
    cells: [
      `${options.name}, ${laps} laps`,
      shown("nothing_kept"),
      shown("usual"),
      shown("slipstream"),
      formatRatio(ratio("nothing_kept", "modelMs"), 2),
      formatRatio(ratio("nothing_kept", "wallMs"), 2),
      formatRatio(ratio("usual", "modelMs"), 2),
      formatRatio(ratio("usual", "wallMs"), 2),
    ],
    figures: {
      laps,
      sides: Object.fromEntries(
        demoSides.map(({ id }) => [
          id,
          {
            modelMs: round(median(times(id, "modelMs"))),
            wallMs: round(median(times(id, "wallMs"))),
            bytesIn: of(id)[0]?.counts.bytesIn ?? 0,
            prefilled: of(id)[0]?.counts.prefilled ?? 0,
          },
        ]),
      ),
      againstNothingKept: against("nothing_kept"),
      againstUsual: against("usual"),
    },
  };
}
