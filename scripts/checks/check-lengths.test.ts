import assert from "node:assert/strict";
import { test } from "node:test";
import { checkLengths } from "./check-lengths.ts";

const file = (path: string, lines: number) => ({ path, text: "x\n".repeat(lines) });
const short = [1, 2, 3].map((number) => file(`packages/a/src/short-${number}.ts`, 50));

test("400 lines of source and 600 of a test pass, one more does not", () => {
  assert.equal(checkLengths([...short, file("packages/a/src/b.test.ts", 600)], {}).length, 0);
  assert.equal(checkLengths([...short, file("packages/a/src/b.test.ts", 601)], {}).length, 1);
  assert.equal(checkLengths([...short, file("packages/a/src/b.ts", 400)], {}).length, 0);
  assert.equal(checkLengths([...short, file("packages/a/src/b.ts", 401)], {}).length, 1);
});

test("an exception counts for its file, and only while it is needed", () => {
  const reason = { "packages/a/src/b.ts": "one table" };
  assert.equal(checkLengths([...short, file("packages/a/src/b.ts", 401)], reason).length, 0);
  assert.equal(checkLengths([...short, file("packages/a/src/b.ts", 40)], reason).length, 1);
});

test("the median of sources must stay under 100, tests and data aside", () => {
  const long = [1, 2, 3, 4].map((number) => file(`packages/a/src/long-${number}.ts`, 100));
  assert.equal(checkLengths([...short, ...long], {}).length, 1);
  const tests = long.map(({ path, text }) => ({ path: path.replace(".ts", ".test.ts"), text }));
  assert.equal(checkLengths([...short, ...tests, file("docs/a.md", 900)], {}).length, 0);
});
