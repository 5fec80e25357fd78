import assert from "node:assert/strict";
import { test } from "node:test";
import { type KillPlan, type KillReport, runKills } from "../../support/kills/run-kills.ts";

/** A kill may meet a client between two requests, so that not every one ends a request. */
function requireKept(plan: KillPlan, report: KillReport, code: string): void {
  assert.deepEqual(report.faults, [], `seed ${plan.seed}`);
  assert.ok(report.completed >= plan.kills, `${report.completed} responses were completed`);
  const ended = report.ended.get(code) ?? 0;
  assert.ok(ended >= plan.kills, `${ended} requests were running when a kill came`);
  assert.deepEqual([...report.ended.keys()], [code]);
}

test("40 kills of a server on the simulated engine lose no stored response", async () => {
  // Two servers at a time: most of the time goes into starting them.
  const plan = { engine: "simulated", target: "server", kills: 20, afterResponses: 12, afterMs: 20 } as const;
  const plans: KillPlan[] = [10, 11].map((seed) => ({ ...plan, seed }));
  const reports = await Promise.all(plans.map(runKills));
  for (const [index, report] of reports.entries()) requireKept(plans[index]!, report, "connection_lost");
});

test("5 kills of a server on the embedded model lose no stored response and leave no process", async () => {
  const plan: KillPlan = {
    engine: "llama",
    target: "server",
    kills: 5,
    seed: 12,
    afterResponses: 6,
    afterMs: 400,
  };
  requireKept(plan, await runKills(plan), "connection_lost");
});

test("5 kills of the engine end requests so that they can be sent again, and the server goes on", async () => {
  const plan: KillPlan = {
    engine: "llama",
    target: "engine",
    kills: 5,
    seed: 13,
    afterResponses: 6,
    afterMs: 400,
  };
  requireKept(plan, await runKills(plan), "server_error");
});
