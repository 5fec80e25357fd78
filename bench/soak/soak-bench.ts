import { type KillPlan, type KillReport, runKills } from "../../test/support/kills/run-kills.ts";
import type { Bench, Figures } from "../src/bench.ts";

const kills = 100;

const plans: readonly Omit<KillPlan, "kills">[] = [
  { engine: "simulated", target: "server", seed: 101, afterResponses: 12, afterMs: 20 },
  { engine: "llama", target: "server", seed: 102, afterResponses: 6, afterMs: 400 },
  { engine: "llama", target: "engine", seed: 103, afterResponses: 6, afterMs: 400 },
];

/**
 * Kills servers and engines with SIGKILL, a hundred times each, while clients create stored responses. Faults are
 * counted and printed: responses that a client saw completed and that were lost or damaged, processes left behind,
 * restarts that did not come.
 */
export const soak: Pick<Bench, "run"> = {
  async run({ print, pairs, signal }) {
    const figures: Figures = {};
    for (const plan of plans) {
      signal.throwIfAborted();
      const report = await runKills({ ...plan, kills: pairs ?? kills });
      print(describe(plan, report));
      figures[`${plan.engine}_${plan.target}`] = {
        kills: report.kills,
        completed: report.completed,
        ended: Object.fromEntries(report.ended),
        faults: [...report.faults],
      };
    }
    return figures;
  },
};

function describe({ engine, target }: Omit<KillPlan, "kills">, report: KillReport): string {
  const ended = [...report.ended].map(([code, count]) => `${count} requests ended with ${code}`);
  const lines = [
    `${report.kills} kills of the ${target} (${engine}): ${report.completed} responses completed`,
    ...ended,
    `${report.faults.length} faults`,
    ...report.faults,
  ];
  return `${lines.join("\n  ")}\n`;
}
