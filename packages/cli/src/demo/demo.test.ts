import assert from "node:assert/strict";
import { readFile, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { LapFigures } from "@slipstream-stack/harness";
import { demoFigures } from "./demo-figures.ts";
import { createDemoFolder, trajectoryPath } from "./demo-folder.ts";
import { demoSides } from "./demo-sides.ts";
import { formatTotals } from "./print-demo.ts";
import type { SideResult } from "./run-side.ts";
import { sumMetric } from "./server-counts.ts";

function result(side: SideResult["side"], modelMs: number): SideResult {
  const lap = {
    toolMs: 1,
    firstOutputMs: 2,
    tokens: { input: 10, cached: 8, new: 2, output: 3 },
  } as LapFigures;
  return {
    side,
    outcome: { kind: "answered", text: "done", laps: 2 },
    laps: [lap, lap],
    modelMs,
    wallMs: modelMs * 2,
    counts: { bytesIn: 100, prefilled: 50 },
  };
}

test("the ratios say how many times longer the other sides took", () => {
  const figures = demoFigures(demoSides.map((side, index) => result(side, [600, 300, 100][index] ?? 0)));
  assert.deepEqual([figures.ratio, figures.ratioUsual, figures.ratioWall, figures.laps], [6, 3, 6, 2]);
  assert.equal(figures.sides.slipstream.computedTokens, 50);
  assert.match(formatTotals(figures), /6x in model time/);
});

test("the trajectory has at least 12 laps and ends with an answer", async () => {
  const lines = (await readFile(trajectoryPath, "utf8"))
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  assert.ok(lines.length >= 13);
  assert.equal(lines.at(-1).output[0].type, "message");
});

test("the scratch folder is a copy that goes away", async () => {
  const folder = await createDemoFolder(tmpdir());
  assert.ok((await stat(join(folder.path, "report.sh"))).isFile());
  await folder.remove();
  await assert.rejects(stat(folder.path));
});

test("a metric is summed over its label sets", () => {
  const text = '# HELP a b\na{d="in"} 3\na{d="out"} 4\na{d="in",x="y"} 5\nab{d="in"} 100\n';
  assert.equal(sumMetric(text, "a", 'd="in"'), 8);
  assert.equal(sumMetric(text, "a"), 12);
});
