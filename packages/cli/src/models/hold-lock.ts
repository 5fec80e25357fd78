import { mkdir, open, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { CliError } from "../errors.ts";

/**
 * Runs `work` while this process alone pulls into `folder`. A lock whose process has ended is taken over.
 * @throws CliError `pull_running` when another process holds it
 */
export async function holdLock<Result>(folder: string, work: () => Promise<Result>): Promise<Result> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, ".pull.lock");
  await take(path);
  try {
    return await work();
  } finally {
    await rm(path, { force: true });
  }
}

async function take(path: string): Promise<void> {
  for (let attempt = 0; attempt < 2; attempt += 1) {
    try {
      const file = await open(path, "wx");
      await file.writeFile(String(process.pid));
      await file.close();
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    const owner = Number(await readFile(path, "utf8").catch(() => ""));
    if (isRunning(owner)) {
      throw new CliError(
        "pull_running",
        `Process ${owner} is pulling this model already. Wait for it, or end it.`,
      );
    }
    await rm(path, { force: true });
  }
  throw new CliError("pull_running", "Another process is pulling this model. Wait for it.");
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
