import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * Takes the right to measure, for this process alone; null where another process that still runs has it. A lock
 * whose process has ended is taken over.
 */
export async function takeMeasuringLock(path: string): Promise<AsyncDisposable | null> {
  await mkdir(dirname(path), { recursive: true });
  for (let attempt = 0; attempt < 2; attempt += 1) {
    if (await createLock(path)) return { [Symbol.asyncDispose]: () => rm(path, { force: true }) };
    const owner = Number(await readFile(path, "utf8").catch(() => ""));
    if (isRunning(owner)) return null;
    await rm(path, { force: true });
  }
  return null;
}

async function createLock(path: string): Promise<boolean> {
  try {
    await writeFile(path, String(process.pid), { flag: "wx" });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

function isRunning(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
