import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { trajectoryPath } from "@slipstream-stack/cli";
import { trajectoryLineSchema } from "@slipstream-stack/protocol";
import { answerLine, lengthenTrajectory, shellLine, trajectoryText } from "./long-trajectory.ts";

const demo = readFileSync(trajectoryPath, "utf8")
  .trim()
  .split("\n")
  .map((line) => trajectoryLineSchema.parse(JSON.parse(line)));

test("the demo's session becomes one of thirty laps that begins and ends as it did", () => {
  const long = lengthenTrajectory(demo, 30);
  assert.equal(long.length, 30);
  assert.deepEqual(long.slice(0, demo.length - 1), demo.slice(0, -1));
  assert.deepEqual(long.at(-1), demo.at(-1));
});

test("no call id stands twice", () => {
  const ids = lengthenTrajectory(demo, 60).flatMap(({ output }) => output.map((item) => item.call_id));
  const calls = ids.filter((id) => id !== undefined);
  assert.equal(calls.length, 59);
  assert.equal(new Set(calls).size, calls.length);
});

test("a session is never shortened", () => {
  assert.deepEqual(lengthenTrajectory(demo, demo.length), demo);
  assert.throws(() => lengthenTrajectory(demo, demo.length - 1), RangeError);
  assert.throws(() => lengthenTrajectory([], 3), RangeError);
});

test("what is written is a trajectory file", () => {
  const lines = trajectoryText([shellLine("c", 'echo "x"'), answerLine("done")])
    .trimEnd()
    .split("\n");
  const read = lines.map((line) => trajectoryLineSchema.parse(JSON.parse(line)));
  assert.deepEqual(JSON.parse(String(read[0]?.output[0]?.arguments)), { command: 'echo "x"' });
  assert.equal(read[1]?.output[0]?.type, "message");
});
