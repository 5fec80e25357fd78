import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SetupError } from "../../packages/cli/bin/launch/setup-error.mjs";
import { isTreeCurrent } from "./is-tree-current.mjs";

/**
 * Installs from the lock file when `node_modules` is missing or does not match it. The hash of the lock file is
 * kept inside `node_modules`, so that the usual case costs one small read.
 * @param {string} root folder of the checkout
 * @param {(root: string) => number} install runs the package manager, returns its exit status
 */
export async function ensureInstalled(root, install = runNpmCi) {
  const lockText = readFileSync(join(root, "package-lock.json"), "utf8");
  const hash = createHash("sha256").update(lockText).digest("hex");
  const stamp = join(root, "node_modules", ".slipstream-lock-hash");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === hash) return;
  if (!installedTreeMatches(root, lockText)) {
    const status = install(root);
    if (status !== 0) {
      throw new SetupError(
        `npm ci ended with ${status}. It needs the network (or a filled npm cache) once; run it again by hand to see why.`,
      );
    }
  }
  writeFileSync(stamp, hash);
}

/** @param {string} root @param {string} lockText */
function installedTreeMatches(root, lockText) {
  const hidden = join(root, "node_modules", ".package-lock.json");
  if (!existsSync(hidden)) return false;
  return isTreeCurrent(JSON.parse(lockText), JSON.parse(readFileSync(hidden, "utf8")));
}

/** @param {string} root */
function runNpmCi(root) {
  console.error("slipstream: installing packages from the lock file (once)");
  const cli = process.env.npm_execpath;
  // Warnings would only say that packages want the Node 24 which this very install brings.
  const quiet = "--loglevel=error";
  const options = /** @type {const} */ (["ci", "--include=dev", "--include=optional", quiet]);
  const result = cli?.endsWith(".js")
    ? spawnSync(process.execPath, [cli, ...options], { cwd: root, stdio: ["ignore", 2, 2] })
    : spawnSync("npm", options, { cwd: root, stdio: ["ignore", 2, 2], shell: process.platform === "win32" });
  return result.status ?? 1;
}
