import assert from "node:assert/strict";
import { test } from "node:test";
import { checkLock } from "./check-lock.ts";

test("links between workspaces pass, addresses do not", () => {
  const link = { "node_modules/@slipstream-stack/api": { resolved: "packages/api", link: true } };
  assert.deepEqual(checkLock({ packages: link }, {}), []);
  const remote = { "node_modules/one": { resolved: "https://somewhere.example/one.tgz" } };
  assert.equal(checkLock({ packages: remote }, {}).length, 1);
});

test("an install script needs a reason, a reason needs an install script", () => {
  const packages = { "node_modules/a/node_modules/@b/c": { hasInstallScript: true } };
  assert.equal(checkLock({ packages }, {}).length, 1);
  assert.equal(checkLock({ packages }, { "@b/c": "why" }).length, 0);
  assert.equal(checkLock({ packages: {} }, { "@b/c": "why" }).length, 1);
});
