/** The smallest file that passes for GGUF: header of version 3 with one tensor, and a tail of its own. */
export function makeGguf(tail: string): Buffer {
  const head = Buffer.alloc(24);
  head.write("GGUF", "latin1");
  head.writeUInt32LE(3, 4);
  head.writeBigUInt64LE(1n, 8);
  return Buffer.concat([head, Buffer.from(tail)]);
}
