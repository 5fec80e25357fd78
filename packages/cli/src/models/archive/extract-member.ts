import { createWriteStream } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { crc32, createInflateRaw } from "node:zlib";
import { CliError } from "../../errors.ts";
import { readCentralDirectory, readExactly } from "./read-central-directory.ts";

const localSignature = 0x04034b50;
const localBytes = 30;
const chunkBytes = 1 << 20;

/**
 * Writes one file of a ZIP archive (a Python wheel is one) to `target`; nothing else of it is unpacked or run.
 * @throws CliError `archive_broken` when the archive or the file in it is damaged, `source_missing` when it lacks the file
 */
export async function extractMember(
  archive: string,
  member: string,
  target: string,
  signal: AbortSignal,
): Promise<void> {
  const file = await open(archive);
  try {
    const entry = (await readCentralDirectory(file)).find(({ name }) => name === member);
    if (entry === undefined) throw new CliError("source_missing", `The package does not contain ${member}.`);
    const header = await readExactly(file, entry.headerOffset, localBytes);
    if (header.readUInt32LE(0) !== localSignature) throw damaged(member);
    const start = entry.headerOffset + localBytes + header.readUInt16LE(26) + header.readUInt16LE(28);
    const source = readRange(file, start, entry.compressedBytes);
    const check = checkedPassage();
    const output = createWriteStream(target);
    if (entry.method === 8) await pipeline(source, createInflateRaw(), check.stream, output, { signal });
    else if (entry.method === 0) await pipeline(source, check.stream, output, { signal });
    else
      throw new CliError(
        "archive_broken",
        `${member} is packed by method ${entry.method}, which is not supported.`,
      );
    if (check.bytes() !== entry.bytes || check.crc() !== entry.crc32) throw damaged(member);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "";
    if (code.startsWith("Z_")) throw damaged(member, error);
    throw error;
  } finally {
    await file.close();
  }
}

async function* readRange(file: FileHandle, start: number, length: number): AsyncGenerator<Buffer> {
  for (let done = 0; done < length; done += chunkBytes) {
    yield await readExactly(file, start + done, Math.min(chunkBytes, length - done));
  }
}

function checkedPassage() {
  let sum = 0;
  let bytes = 0;
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      sum = crc32(chunk, sum);
      bytes += chunk.length;
      done(null, chunk);
    },
  });
  return { stream, crc: () => sum, bytes: () => bytes };
}

function damaged(member: string, cause?: unknown): CliError {
  return new CliError(
    "archive_broken",
    `${member} is damaged inside the downloaded package. Pull again.`,
    cause,
  );
}
