import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { TestContext } from "node:test";

/** A folder of its own for one test, removed after it. */
export async function testWorkspace(
  context: TestContext,
  files: Readonly<Record<string, string | Uint8Array>> = {},
): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "slipstream-harness-")));
  context.after(() => rm(folder, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
  return folder;
}
