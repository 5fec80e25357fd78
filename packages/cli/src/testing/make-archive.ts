import { crc32, deflateRawSync } from "node:zlib";

/** A file to be put into a test's ZIP archive. */
export interface ArchiveInput {
  readonly name: string;
  readonly content: Buffer;
  readonly deflate: boolean;
}

/** Builds a ZIP archive as tools write it: local headers, central directory, end record. Only tests use it. */
export function makeArchive(inputs: readonly ArchiveInput[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, content, deflate } of inputs) {
    const data = deflate ? deflateRawSync(content) : content;
    const shared = Buffer.alloc(26);
    shared.writeUInt16LE(20, 0);
    shared.writeUInt16LE(deflate ? 8 : 0, 4);
    shared.writeUInt32LE(crc32(content), 10);
    shared.writeUInt32LE(data.length, 14);
    shared.writeUInt32LE(content.length, 18);
    shared.writeUInt16LE(Buffer.byteLength(name), 22);
    const entry = Buffer.concat([
      Buffer.from("504b01021400", "hex"),
      shared,
      Buffer.alloc(14),
      Buffer.from(name),
    ]);
    entry.writeUInt32LE(offset, 42);
    directory.push(entry);
    parts.push(Buffer.from("504b0304", "hex"), shared, Buffer.from(name), data);
    offset += 4 + shared.length + Buffer.byteLength(name) + data.length;
  }
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(inputs.length, 10);
  end.writeUInt32LE(
    directory.reduce((sum, entry) => sum + entry.length, 0),
    12,
  );
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, ...directory, end]);
}
