import { lstat, realpath } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { ToolArgumentError } from "./tool.ts";

/** Whether a path lies in a folder. Both must be absolute and real. */
function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === "" || !(way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way));
}

/** The real path of the deepest existing ancestor, with the missing rest appended. */
async function realTarget(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    const parent = dirname(path);
    if (parent === path) return path;
    const isLink = await lstat(path).then(
      (found) => found.isSymbolicLink(),
      () => false,
    );
    if (isLink) throw new ToolArgumentError(`${path} is a symbolic link that leads nowhere.`);
    return join(await realTarget(parent), basename(path));
  }
}

/**
 * The real path of a file that may be written: links followed, and inside the workspace. Throws
 * `ToolArgumentError` for any other path.
 */
export async function writablePath(workspace: string, path: string): Promise<string> {
  if (path.includes("\0")) throw new ToolArgumentError("A path cannot hold a NUL character.");
  const target = await realTarget(resolve(workspace, path));
  if (isInside(workspace, target) && target !== workspace) return target;
  throw new ToolArgumentError(`${path} is outside of the workspace ${workspace}; nothing was written.`);
}
