import assert from "node:assert/strict";
import { test } from "node:test";
import { findImports } from "./find-imports.ts";

test("finds static, type, side-effect, dynamic and resolved imports", () => {
  const text = [
    'import { a } from "one";',
    'import type { B } from "two";',
    'import {\n  c,\n  d,\n} from "three";',
    'export { e } from "four";',
    'import "five";',
    'const f = await import("six");',
    'import.meta.resolve("seven");',
    'new Worker(new URL("./eight.ts", import.meta.url));',
    'const g = require("nine");',
  ].join("\n");
  const found = findImports(text).sort();
  assert.deepEqual(found, ["./eight.ts", "five", "four", "nine", "one", "seven", "six", "three", "two"]);
});

test("leaves comments alone", () => {
  assert.deepEqual(findImports('// import { a } from "one";\n/* import("two") */\n'), []);
});
