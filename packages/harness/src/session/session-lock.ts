import { link, readFile, rename, rm, writeFile } from "node:fs/promises";
import { HarnessError } from "../errors.ts";

export interface SessionLock {
  release(): Promise<void>;
}

function isAlive(processId: number): boolean {
  if (!(processId > 0)) return false;
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

async function holderOf(path: string): Promise<number> {
  return Number(await readFile(path, "utf8").catch(() => "0"));
}

function locked(holder: number, cause: unknown): HarnessError {
  return new HarnessError(
    "session_locked",
    `The session is in use by process ${holder}. End that process, or start a new session.`,
    cause,
  );
}

let drafts = 0;

/**
 * Takes a session for this process by a lock file with its process id beside the session's. The lock appears
 * with its content in one step, so that nobody meets an empty one. The lock of a process that no longer lives
 * is taken over. Throws `session_locked` where another one holds it.
 */
export async function acquireLock(sessionPath: string): Promise<SessionLock> {
  const path = `${sessionPath}.lock`;
  drafts += 1;
  const draft = `${path}.${process.pid}-${drafts}`;
  await writeFile(draft, `${process.pid}\n`, { mode: 0o600 });
  try {
    for (let attempt = 0; attempt < 3; attempt++) {
      try {
        await link(draft, path);
        return { release: () => rm(path, { force: true }) };
      } catch (cause) {
        const holder = await holderOf(path);
        if (isAlive(holder)) throw locked(holder, cause);
        await removeDead(path, `${draft}-dead`);
      }
    }
  } finally {
    await rm(draft, { force: true });
  }
  throw new HarnessError("session_locked", "The session was taken by another process at the same moment.");
}

/** Moves a lock aside before it is judged again: another process may have put its own in the place meanwhile. */
async function removeDead(path: string, aside: string): Promise<void> {
  try {
    await rename(path, aside);
  } catch {
    return;
  }
  try {
    if (isAlive(await holderOf(aside))) await link(aside, path).catch(() => {});
  } finally {
    await rm(aside, { force: true });
  }
}
