import assert from "node:assert/strict";
import { test } from "node:test";
import { testRatio } from "./test-ratio.ts";

const file = (path: string, lines: number) => ({ path, text: "x\n".repeat(lines) });

test("tests of a package and those across packages count, helpers and data do not", () => {
  const line = testRatio([
    file("packages/a/src/one.ts", 100),
    file("packages/a/src/one.test.ts", 120),
    file("packages/a/src/testing/fake.ts", 999),
    file("packages/b/src/two.ts", 100),
    file("test/e2e/x.test.ts", 80),
    file("docs/a.md", 999),
  ]);
  assert.match(line, /per source line 1\.00 \(a 1\.20, b 0\.00\)$/);
});
