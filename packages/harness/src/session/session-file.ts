import { constants, type FileHandle, mkdir, open } from "node:fs/promises";
import { join } from "node:path";
import type { Item } from "@slipstream-stack/protocol";
import { HarnessError } from "../errors.ts";
import { acquireLock, type SessionLock } from "./session-lock.ts";
import { parseHeader, parseItemLine, type SessionHeader, type SessionRecord } from "./session-record.ts";

/** When written lines are forced to the disk: never, at the end of each turn, or with each line. */
export type FsyncPolicy = "never" | "turn" | "always";

const idPattern = /^[A-Za-z0-9_-]{1,100}$/;
const lineFeed = 10;

/** The path of a session's file. Ids that could name another folder are `session_not_found`. */
export function sessionPath(directory: string, id: string): string {
  if (!idPattern.test(id)) throw new HarnessError("session_not_found", `"${id}" is not a session id.`);
  return join(directory, `${id}.jsonl`);
}

/**
 * A session's JSONL file, open for appending. One process at a time holds a session; lines are written in
 * order, one write each, so that after a crash at most the last line is torn.
 */
export class SessionFile {
  readonly header: SessionHeader;
  readonly #handle: FileHandle;
  readonly #lock: SessionLock;
  readonly #fsync: FsyncPolicy;
  #written: Promise<void> = Promise.resolve();

  private constructor(header: SessionHeader, handle: FileHandle, lock: SessionLock, fsync: FsyncPolicy) {
    this.header = header;
    this.#handle = handle;
    this.#lock = lock;
    this.#fsync = fsync;
  }

  /** Begins a new session. */
  static async create(directory: string, header: SessionHeader, fsync: FsyncPolicy): Promise<SessionFile> {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const path = sessionPath(directory, header.id);
    const lock = await acquireLock(path);
    try {
      const handle = await open(path, "ax", 0o600);
      const file = new SessionFile(header, handle, lock, fsync);
      file.#write(`${JSON.stringify(header)}\n`);
      await file.flush();
      return file;
    } catch (error) {
      await lock.release();
      throw error;
    }
  }

  /**
   * Opens a session to go on with it, and gives its history. A torn last line is cut off; a broken line
   * before it is `session_corrupt`.
   */
  static async resume(
    directory: string,
    id: string,
    fsync: FsyncPolicy,
  ): Promise<{ file: SessionFile; items: Item[] }> {
    const path = sessionPath(directory, id);
    const handle = await openExisting(path, id);
    try {
      const lock = await acquireLock(path);
      try {
        const bytes = await handle.readFile();
        const wholeBytes = bytes.lastIndexOf(lineFeed) + 1;
        const { header, items } = parseSession(bytes.subarray(0, wholeBytes).toString("utf8"), id);
        await handle.truncate(wholeBytes);
        return { file: new SessionFile(header, handle, lock, fsync), items };
      } catch (error) {
        await lock.release();
        throw error;
      }
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /** Queues a line. A failed write is reported by the next `flush`. */
  append(record: SessionRecord): void {
    this.#write(`${JSON.stringify(record)}\n`);
  }

  /**
   * Waits until all lines are written, and forces them to the disk where the policy says so. Throws
   * `session_unwritable` where that failed, for example because the disk is full.
   */
  async flush(): Promise<void> {
    try {
      await this.#written;
      if (this.#fsync !== "never") await this.#handle.sync();
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new HarnessError(
        "session_unwritable",
        `The session could not be written (${reason}). What came before is kept; free space or choose another folder.`,
        cause,
      );
    }
  }

  async close(): Promise<void> {
    try {
      await this.flush();
    } finally {
      await this.#handle.close();
      await this.#lock.release();
    }
  }

  #write(line: string): void {
    const write = this.#written.then(async () => {
      await this.#handle.appendFile(line);
      if (this.#fsync === "always") await this.#handle.sync();
    });
    this.#written = write;
    // The error stays with `#written` for `flush`; here it only must not end the process.
    write.catch(() => {});
  }
}

async function openExisting(path: string, id: string): Promise<FileHandle> {
  try {
    return await open(path, constants.O_RDWR | constants.O_APPEND);
  } catch (cause) {
    throw new HarnessError("session_not_found", `There is no session "${id}".`, cause);
  }
}

function parseSession(text: string, id: string): { header: SessionHeader; items: Item[] } {
  const [first = "", ...lines] = text.split("\n").slice(0, -1);
  const header = parseHeader(first);
  if (header === "unsupported") {
    throw new HarnessError("session_unsupported", `Session "${id}" was written by another version.`);
  }
  if (header === null)
    throw new HarnessError("session_corrupt", `Session "${id}" has no readable first line.`);
  const items: Item[] = [];
  for (const [index, line] of lines.entries()) {
    const item = parseItemLine(line);
    if (item === "broken") {
      throw new HarnessError("session_corrupt", `Line ${index + 2} of session "${id}" cannot be read.`);
    }
    if (item !== null) items.push(item);
  }
  return { header, items };
}
