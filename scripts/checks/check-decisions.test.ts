import assert from "node:assert/strict";
import { test } from "node:test";
import { checkDecisions } from "./check-decisions.ts";

const record = { path: "docs/decisions/0001-x.md", text: "We use `one` for it.\n" };
const manifest = (content: object) => ({ path: "packages/a/package.json", text: JSON.stringify(content) });

test("a recorded dependency with an exact version passes, as does another workspace", () => {
  const dependencies = { one: "1.0.0", "@slipstream-stack/api": "0.1.0" };
  assert.deepEqual(checkDecisions([record, manifest({ dependencies })]), []);
});

test("an unrecorded dependency or a range does not", () => {
  assert.equal(checkDecisions([record, manifest({ devDependencies: { two: "1.0.0" } })]).length, 1);
  assert.equal(checkDecisions([record, manifest({ optionalDependencies: { one: "^1.0.0" } })]).length, 1);
});
