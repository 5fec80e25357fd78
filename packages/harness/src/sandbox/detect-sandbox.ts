import { execFile } from "node:child_process";
import { access, constants } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";
import { bubblewrapArguments } from "./bubblewrap.ts";
import type { SandboxSupport } from "./sandbox.ts";

const probeTimeoutMs = 5_000;

/** The absolute path of a program on `PATH`, or null. Relative entries of `PATH` are never searched. */
export async function findProgram(name: string, path: string): Promise<string | null> {
  for (const folder of path.split(delimiter).filter((entry) => isAbsolute(entry))) {
    const file = join(folder, name);
    try {
      await access(file, constants.X_OK);
      return file;
    } catch {
      // Not in this folder.
    }
  }
  return null;
}

/** Finds bubblewrap and tries it with the very arguments the shell will be started with. */
export async function detectSandbox(path: string, workspace: string): Promise<SandboxSupport> {
  const file = await findProgram("bwrap", path);
  if (file === null) return { kind: "missing" };
  const trial = [...bubblewrapArguments({ workspace, network: false }), "true"];
  return new Promise((resolve) => {
    execFile(file, trial, { timeout: probeTimeoutMs }, (error, _stdout, stderr) => {
      if (error === null) resolve({ kind: "bubblewrap", file });
      else resolve({ kind: "unusable", reason: stderr.trim().split("\n")[0] || error.message });
    });
  });
}
