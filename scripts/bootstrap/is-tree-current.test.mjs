import assert from "node:assert/strict";
import { test } from "node:test";
import { isTreeCurrent } from "./is-tree-current.mjs";

const wanted = {
  packages: {
    "": { version: "0.1.0" },
    "packages/api": { version: "0.1.0" },
    "node_modules/one": { version: "1.0.0" },
    "node_modules/other-platform": { version: "1.0.0", optional: true },
  },
};

test("optional packages of other platforms may be missing", () => {
  assert.equal(isTreeCurrent(wanted, { packages: { "node_modules/one": { version: "1.0.0" } } }), true);
});

test("another version, a missing package or a package too many is stale", () => {
  assert.equal(isTreeCurrent(wanted, { packages: { "node_modules/one": { version: "1.0.1" } } }), false);
  assert.equal(isTreeCurrent(wanted, { packages: {} }), false);
  const extra = { "node_modules/one": { version: "1.0.0" }, "node_modules/gone": { version: "3.0.0" } };
  assert.equal(isTreeCurrent(wanted, { packages: extra }), false);
});
