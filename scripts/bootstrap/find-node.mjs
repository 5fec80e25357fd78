import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { SetupError } from "./setup-error.mjs";

/** Sources are run by type stripping and use node:sqlite, both as of this version. */
const neededMajor = 24;

/**
 * Node 24 for this checkout: the running one if it is new enough, else the one of the platform package.
 * @param {string} root folder of the checkout
 * @param {{ version: string, execPath: string, platform: string, arch: string }} host
 * @returns {string} path of the executable
 */
export function findNode(root, host = process) {
  if (majorOf(host.version) >= neededMajor) return host.execPath;
  const file = host.platform === "win32" ? "node.exe" : "node";
  const suffix = `${host.platform === "win32" ? "win" : host.platform}-${host.arch}`;
  for (const name of [`node-${suffix}`, `node-bin-${suffix}`]) {
    const folder = join(root, "node_modules", name);
    const executable = join(folder, "bin", file);
    if (!existsSync(executable)) continue;
    const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    if (majorOf(version) >= neededMajor) return executable;
  }
  throw new SetupError(
    `Node ${neededMajor} is needed, this is ${host.version}, and no prebuilt Node for ${suffix} is installed. ` +
      `Install Node ${neededMajor} or newer and run the command again.`,
  );
}

/** @param {string} version */
function majorOf(version) {
  return Number.parseInt(version.replace(/^v/, ""), 10);
}
