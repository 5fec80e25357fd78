import { createReadStream } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { parseHeader, type SessionHeader } from "./session-record.ts";

async function firstLine(path: string): Promise<string> {
  const stream = createReadStream(path, { end: 64 * 1024 });
  try {
    for await (const line of createInterface({ input: stream })) return line;
    return "";
  } finally {
    stream.destroy();
  }
}

/** The sessions in a folder, newest first. Files that are no sessions are left out; a missing folder is empty. */
export async function listSessions(directory: string): Promise<SessionHeader[]> {
  const names = await readdir(directory).catch(() => []);
  const headers = await Promise.all(
    names
      .filter((name) => name.endsWith(".jsonl"))
      .map(async (name) => parseHeader(await firstLine(join(directory, name)))),
  );
  return headers
    .filter((header) => header !== null && header !== "unsupported")
    .sort((left, right) => right.createdAt - left.createdAt || (left.id < right.id ? -1 : 1));
}
