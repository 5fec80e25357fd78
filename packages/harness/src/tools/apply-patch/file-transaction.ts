import { chmod, mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/** A file as it was, or null where there was none. */
interface Original {
  readonly path: string;
  readonly content: Buffer | null;
  readonly mode: number | null;
}

/**
 * Writes several files so that either all changes stand or none. Each file is written under a temporary name
 * and renamed, so that no reader ever sees half of one; when a later step fails, the earlier ones are undone.
 */
export class FileTransaction {
  readonly #temporaryName: () => string;
  readonly #done: Original[] = [];

  constructor(temporaryName: () => string) {
    this.#temporaryName = temporaryName;
  }

  async write(path: string, content: string, modeOf: string | null): Promise<void> {
    const original = await remember(path);
    const mode = modeOf === null ? original.mode : ((await remember(modeOf)).mode ?? original.mode);
    await mkdir(dirname(path), { recursive: true });
    this.#done.push(original);
    await this.#replace(path, content, mode);
  }

  async remove(path: string): Promise<void> {
    const original = await remember(path);
    await rm(path);
    this.#done.push(original);
  }

  /** Puts everything back as it was. */
  async undo(): Promise<void> {
    for (const { path, content, mode } of this.#done.reverse()) {
      if (content === null) await rm(path, { force: true });
      else await this.#replace(path, content, mode);
    }
  }

  async #replace(path: string, content: string | Buffer, mode: number | null): Promise<void> {
    const temporary = join(dirname(path), `.${this.#temporaryName()}`);
    try {
      await writeFile(temporary, content, { flag: "wx" });
      if (mode !== null) await chmod(temporary, mode);
      await rename(temporary, path);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  }
}

async function remember(path: string): Promise<Original> {
  try {
    const [content, { mode }] = await Promise.all([readFile(path), stat(path)]);
    return { path, content, mode: mode & 0o7777 };
  } catch (error) {
    const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
    if (!isMissing) throw error;
    return { path, content: null, mode: null };
  }
}
