import { readFile, rm, writeFile } from "node:fs/promises";
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

/**
 * Takes a session for this process by a lock file with its process id beside the session's. The lock of a
 * process that no longer lives is taken over. Throws `session_locked` where another one holds it.
 */
export async function acquireLock(sessionPath: string): Promise<SessionLock> {
  const path = `${sessionPath}.lock`;
  for (let attempt = 0; attempt < 2; attempt++) {
    try {
      await writeFile(path, `${process.pid}\n`, { flag: "wx", mode: 0o600 });
      return { release: () => rm(path, { force: true }) };
    } catch (cause) {
      const holder = Number(await readFile(path, "utf8").catch(() => "0"));
      if (isAlive(holder)) {
        throw new HarnessError(
          "session_locked",
          `The session is in use by process ${holder}. End that process, or start a new session.`,
          cause,
        );
      }
      await rm(path, { force: true });
    }
  }
  throw new HarnessError("session_locked", "The session was taken by another process at the same moment.");
}
