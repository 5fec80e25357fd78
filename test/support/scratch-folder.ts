import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A folder of a test's own, gone with the scope that holds it. */
export interface ScratchFolder extends Disposable {
  readonly path: string;
}

/** Makes one in `parent`, the system's temporary folder unless told otherwise. */
export function scratchFolder(parent: string = tmpdir()): ScratchFolder {
  mkdirSync(parent, { recursive: true });
  const path = mkdtempSync(join(parent, "slipstream-test-"));
  // A process that was just killed may still be writing its last file.
  const remove = (): void => rmSync(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  return { path, [Symbol.dispose]: remove };
}
