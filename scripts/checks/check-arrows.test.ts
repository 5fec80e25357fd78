import assert from "node:assert/strict";
import { test } from "node:test";
import { checkArrows } from "./check-arrows.ts";

const faults = (path: string, specifier: string) =>
  checkArrows([{ path, text: `import { x } from "${specifier}";\n` }]).length;

const allowed = [
  ["packages/api/src/a.ts", "@slipstream-stack/inference"],
  ["packages/cli/src/a.ts", "@slipstream-stack/harness"],
  ["packages/harness/src/a.ts", "node:fs"],
  ["packages/harness/src/a/b.ts", "../c.ts"],
  ["packages/protocol/src/a.test.ts", "node:test"],
  ["packages/harness/src/a.test.ts", "@slipstream-stack/testkit"],
  ["scripts/tasks/a.ts", "@slipstream-stack/api"],
] as const;

const refused = [
  ["packages/harness/src/a.ts", "@slipstream-stack/api"],
  ["packages/harness/src/a.test.ts", "@slipstream-stack/api"],
  ["packages/inference/src/a.ts", "@slipstream-stack/api"],
  ["packages/api/src/a.ts", "@slipstream-stack/testkit"],
  ["packages/protocol/src/a.ts", "node:crypto"],
  ["packages/api/src/a.ts", "../../inference/src/errors.ts"],
  ["packages/api/src/a.ts", "@slipstream-stack/inference/src/errors.ts"],
  ["packages/api/src/a.ts", "@slipstream-stack/api"],
  ["packages/unknown/src/a.ts", "zod"],
] as const;

for (const [path, specifier] of allowed) {
  test(`${path} may import ${specifier}`, () => assert.equal(faults(path, specifier), 0));
}

for (const [path, specifier] of refused) {
  test(`${path} must not import ${specifier}`, () => assert.equal(faults(path, specifier), 1));
}
