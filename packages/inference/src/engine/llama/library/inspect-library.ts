import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";

/** Whether llama.cpp can be used on this machine, in one sentence. */
export interface LibraryReport {
  readonly isUsable: boolean;
  readonly detail: string;
}

const entry = fileURLToPath(new URL("./inspect-child.ts", import.meta.url));
const timeoutMs = 30_000;

/** Loads the library in a process of its own and checks it there: a build that does not fit may abort. */
export function inspectLibrary(program = entry): Promise<LibraryReport> {
  return new Promise((resolve) => {
    execFile(process.execPath, [program], { timeout: timeoutMs }, (error, stdout) => {
      if (error === null) return resolve({ isUsable: true, detail: stdout });
      const reason = stdout.trim() || `its process ended with ${error.signal ?? error.code}`;
      resolve({ isUsable: false, detail: reason });
    });
  });
}
