import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { SetupError } from "./setup-error.mjs";

/** Sources are run by type stripping and use node:sqlite, both as of this version. */
const neededMajor = 24;

/**
 * Node 24: the running one if it is new enough, else the one of the platform package that npm installed in a
 * `node_modules` at or above `start`.
 * @param {string} start a folder of the checkout
 * @param {{ version: string, execPath: string, platform: string, arch: string }} host
 * @returns {string} path of the executable
 */
export function findNode(start, host = process) {
  if (majorOf(host.version) >= neededMajor) return host.execPath;
  const file = host.platform === "win32" ? "node.exe" : "node";
  const suffix = `${host.platform === "win32" ? "win" : host.platform}-${host.arch}`;
  for (const folder of ancestors(start)) {
    for (const name of [`node-${suffix}`, `node-bin-${suffix}`]) {
      const manifest = join(folder, "node_modules", name, "package.json");
      if (!existsSync(manifest)) continue;
      const executable = join(dirname(manifest), "bin", file);
      const { version } = JSON.parse(readFileSync(manifest, "utf8"));
      if (existsSync(executable) && majorOf(version) >= neededMajor) return executable;
    }
  }
  throw new SetupError(
    `Node ${neededMajor} is needed, this is ${host.version}, and no prebuilt Node for ${suffix} is installed. ` +
      `Run npm ci in the checkout, or install Node ${neededMajor} or newer, and try again.`,
  );
}

/** @param {string} folder */
function ancestors(folder) {
  const folders = [folder];
  for (let parent = dirname(folder); parent !== folders.at(-1); parent = dirname(parent))
    folders.push(parent);
  return folders;
}

/** @param {string} version */
function majorOf(version) {
  return Number.parseInt(version.replace(/^v/, ""), 10);
}
