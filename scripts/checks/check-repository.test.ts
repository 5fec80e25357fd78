import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { checkRepository } from "./check-repository.ts";

const sound: Readonly<Record<string, string>> = {
  "package-lock.json": '{"packages":{}}',
  "package.json": '{"dependencies":{"one":"1.0.0"}}',
  "docs/decisions/0001-one.md": "`one`\n",
  "scripts/checks/length-exceptions.json": "{}",
  "scripts/checks/install-scripts.json": "{}",
  "packages/api/src/a.ts": 'import "@slipstream-stack/inference";\n',
};

function check(changes: Readonly<Record<string, string>>) {
  const root = mkdtempSync(join(tmpdir(), "slipstream-repository-"));
  try {
    for (const [path, text] of Object.entries({ ...sound, ...changes })) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text.replaceAll("ROOT", root));
    }
    return checkRepository(root).problems;
  } finally {
    rmSync(root, { recursive: true });
  }
}

test("a sound repository has no problems", () => assert.deepEqual(check({}), []));

const faults: readonly (readonly [string, Record<string, string>])[] = [
  ["an arrow", { "packages/harness/src/a.ts": 'import "@slipstream-stack/api";\n' }],
  ["a long file", { "packages/api/src/b.ts": "x\n".repeat(500), "packages/api/src/c.ts": "x\n" }],
  ["an unrecorded dependency", { "packages/api/package.json": '{"dependencies":{"two":"1.0.0"}}' }],
  ["an install script", { "package-lock.json": '{"packages":{"node_modules/x":{"hasInstallScript":true}}}' }],
  ["a path of the machine", { ".ci/run": "cd ROOT\n" }],
  ["a top-level hook", { "packages/api/src/a.test.ts": "beforeEach(() => {});\n" }],
];
for (const [name, changes] of faults) {
  test(`${name} is one problem`, () => assert.equal(check(changes).length, 1));
}

test("what is installed or generated is not looked at", () => {
  const text = 'import "@slipstream-stack/api";\n';
  assert.deepEqual(check({ "node_modules/x/packages/harness/src/a.ts": text, ".cache/a.md": "ROOT" }), []);
});
