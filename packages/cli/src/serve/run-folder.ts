import { mkdtemp, readdir, rm } from "node:fs/promises";
import { join } from "node:path";

const namePattern = /^slipstream-run-(\d+)-/;

/** A folder for what lives as long as one server, such as its engine's socket. */
export interface RunFolder {
  readonly path: string;
  remove(): Promise<void>;
}

/**
 * Makes a server's run folder in `parent`, named after its process, and removes those of servers that are gone:
 * one that was killed could not do it itself.
 */
export async function createRunFolder(
  parent: string,
  pid: number,
  isAlive: (pid: number) => boolean,
): Promise<RunFolder> {
  for (const name of await readdir(parent).catch(() => [])) {
    const owner = Number(namePattern.exec(name)?.[1] ?? Number.NaN);
    if (Number.isNaN(owner) || isAlive(owner)) continue;
    // Another user's folder cannot be removed, and another server may be faster.
    await rm(join(parent, name), { recursive: true, force: true }).catch(() => undefined);
  }
  const path = await mkdtemp(join(parent, `slipstream-run-${pid}-`));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

/** Whether a process of this number exists, whoever owns it. */
export function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
