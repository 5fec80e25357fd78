import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { SetupError } from "../../packages/cli/bin/launch/setup-error.mjs";
import { ensureInstalled } from "./ensure-installed.mjs";

const lock = { packages: { "": {}, "node_modules/one": { version: "1.0.0" } } };

function makeCheckout() {
  const root = mkdtempSync(join(tmpdir(), "slipstream-install-"));
  writeFileSync(join(root, "package-lock.json"), JSON.stringify(lock));
  return { root, [Symbol.dispose]: () => rmSync(root, { recursive: true }) };
}

/** @param {string} root @param {unknown} installed */
function writeTree(root, installed) {
  mkdirSync(join(root, "node_modules"), { recursive: true });
  writeFileSync(join(root, "node_modules", ".package-lock.json"), JSON.stringify(installed));
}

/** A package manager that installs what the lock file names and counts how often it was asked. */
function fakeInstaller() {
  let runs = 0;
  return {
    runs: () => runs,
    /** @param {string} root */
    install(root) {
      runs += 1;
      writeTree(root, lock);
      return 0;
    },
  };
}

test("installs once, then trusts the recorded hash until the lock file changes", async () => {
  using checkout = makeCheckout();
  const installer = fakeInstaller();
  await ensureInstalled(checkout.root, installer.install);
  await ensureInstalled(checkout.root, installer.install);
  assert.equal(installer.runs(), 1);

  const newer = { packages: { ...lock.packages, "node_modules/two": { version: "2.0.0" } } };
  writeFileSync(join(checkout.root, "package-lock.json"), JSON.stringify(newer));
  await ensureInstalled(checkout.root, installer.install);
  assert.equal(installer.runs(), 2);
});

test("a tree that a person installed by hand is adopted", async () => {
  using checkout = makeCheckout();
  const installer = fakeInstaller();
  writeTree(checkout.root, lock);
  await ensureInstalled(checkout.root, installer.install);
  assert.equal(installer.runs(), 0);
});

test("a failed install is a set-up error and leaves no record", async () => {
  using checkout = makeCheckout();
  mkdirSync(join(checkout.root, "node_modules"));
  await assert.rejects(
    ensureInstalled(checkout.root, () => 1),
    SetupError,
  );
  assert.equal(existsSync(join(checkout.root, "node_modules", ".slipstream-lock-hash")), false);
});
