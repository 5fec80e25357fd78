import assert from "node:assert/strict";
import { test } from "node:test";
import { checkHooks } from "./check-hooks.ts";

const hook = ["beforeEach", "(() => {});\n"].join("");
const nested = `describe("x", () => {\n  ${hook}});\n`;

test("a hook at the top level of a unit test is found", () => {
  assert.equal(checkHooks([{ path: "packages/a/src/a.test.ts", text: hook }]).length, 1);
});

test("inside describe, in a process of its own, or outside of tests it is fine", () => {
  const files = [
    { path: "packages/a/src/a.test.ts", text: nested },
    { path: "packages/a/src/a.engine.test.ts", text: hook },
    { path: "test/e2e/a.test.ts", text: hook },
    { path: "packages/a/src/a.ts", text: hook },
  ];
  assert.deepEqual(checkHooks(files), []);
});
