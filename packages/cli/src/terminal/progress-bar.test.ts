import assert from "node:assert/strict";
import { test } from "node:test";
import { formatBar, formatBytes, progressBar } from "./progress-bar.ts";

function record(isTerminal: boolean) {
  const writes: string[] = [];
  let time = 0;
  const bar = progressBar({ write: (text) => writes.push(text), isTerminal, now: () => time });
  return { bar, writes, advance: (ms: number) => (time += ms) };
}

test("bytes in decimal units", () => {
  const cases = [0, 999, 1000, 9_940_000, 98_362_432, 18_560_000_000].map(formatBytes);
  assert.deepEqual(cases, ["0 B", "999 B", "1.0 kB", "9.9 MB", "98 MB", "19 GB"]);
});

test("the bar fills with the share and never overflows", () => {
  assert.match(formatBar(0, 100), /^\[-{30}\] {3}0 %/);
  assert.match(formatBar(50, 100), /^\[#{15}-{15}\] {2}50 %/);
  assert.match(formatBar(200, 100), /^\[#{30}\] 100 %/);
  assert.match(formatBar(0, 0), /100 %/);
});

test("elsewhere than on a terminal: one line per phase and no bar", () => {
  const { bar, writes } = record(false);
  bar.phase("Downloading", 5_000_000);
  bar.bytes(2);
  bar.phase("Unpacking", null);
  bar.end();
  assert.deepEqual(writes, ["Downloading (5.0 MB)\n", "Unpacking\n"]);
});

test("on a terminal the line is redrawn, not for every chunk, and always at the end", () => {
  const { bar, writes, advance } = record(true);
  bar.phase("Downloading", 100);
  for (let done = 1; done <= 50; done += 1) bar.bytes(done);
  assert.equal(writes.length, 1);
  advance(100);
  bar.bytes(51);
  bar.bytes(100);
  assert.equal(writes.length, 3);
  bar.end();
  bar.end();
  assert.deepEqual(writes.slice(3), ["\n"]);
});
