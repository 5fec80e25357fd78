import type { FileHandle } from "node:fs/promises";
import { CliError } from "../../errors.ts";

/** One file inside a ZIP archive, as its central directory tells. */
export interface ArchiveEntry {
  readonly name: string;
  /** 0 stored, 8 deflated (APPNOTE, 4.4.5). */
  readonly method: number;
  readonly crc32: number;
  readonly compressedBytes: number;
  readonly bytes: number;
  readonly headerOffset: number;
}

const endSignature = 0x06054b50;
const entrySignature = 0x02014b50;
const endBytes = 22;
const longestComment = 0xffff;
const largest32 = 0xffffffff;

/**
 * Lists a ZIP archive (PKWARE APPNOTE, 4.3.12 and 4.3.16).
 * @throws CliError `archive_broken` when it is none, is cut off, or needs the 64-bit form
 */
export async function readCentralDirectory(file: FileHandle): Promise<ArchiveEntry[]> {
  const { size } = await file.stat();
  const tail = await readExactly(
    file,
    Math.max(0, size - endBytes - longestComment),
    Math.min(size, endBytes + longestComment),
  );
  const end = findEnd(tail);
  const count = tail.readUInt16LE(end + 10);
  const length = tail.readUInt32LE(end + 12);
  const offset = tail.readUInt32LE(end + 16);
  if (offset === largest32 || count === 0xffff)
    throw broken("it is a 64-bit ZIP archive, which is not supported");
  if (offset + length > size) throw broken("its directory lies outside the file");
  return readEntries(await readExactly(file, offset, length), count);
}

function findEnd(tail: Buffer): number {
  for (let at = tail.length - endBytes; at >= 0; at -= 1) {
    if (tail.readUInt32LE(at) === endSignature) return at;
  }
  throw broken("it has no directory: it is no ZIP archive or was cut off");
}

function readEntries(directory: Buffer, count: number): ArchiveEntry[] {
  const entries: ArchiveEntry[] = [];
  let at = 0;
  for (let index = 0; index < count; index += 1) {
    if (at + 46 > directory.length || directory.readUInt32LE(at) !== entrySignature) {
      throw broken("its directory is damaged");
    }
    const nameLength = directory.readUInt16LE(at + 28);
    entries.push({
      name: directory.toString("utf8", at + 46, at + 46 + nameLength),
      method: directory.readUInt16LE(at + 10),
      crc32: directory.readUInt32LE(at + 16),
      compressedBytes: directory.readUInt32LE(at + 20),
      bytes: directory.readUInt32LE(at + 24),
      headerOffset: directory.readUInt32LE(at + 42),
    });
    at += 46 + nameLength + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32);
  }
  return entries;
}

/** Reads exactly `length` bytes at `offset`. */
export async function readExactly(file: FileHandle, offset: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  const { bytesRead } = await file.read(buffer, 0, length, offset);
  if (bytesRead !== length) throw broken("it ends too early");
  return buffer;
}

function broken(reason: string): CliError {
  return new CliError("archive_broken", `The downloaded archive cannot be read: ${reason}. Pull again.`);
}
