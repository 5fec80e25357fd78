/**
 * Output is parsed as a string of bytes (one character each, 0 to 255), so that offsets count bytes and a
 * split inside a character does no harm; only what is handed on is decoded.
 */
export function bytesToBinary(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
}

export function binaryToBytes(binary: string): Uint8Array {
  return Buffer.from(binary, "latin1");
}

/** Decodes a whole stretch of bytes; what is not UTF-8 becomes U+FFFD. */
export function decodeBinary(binary: string): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(binaryToBytes(binary));
}

/** Decodes bytes as they come: an unfinished character waits for the next stretch. */
export class StreamingText {
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });

  write(binary: string): string {
    return this.#decoder.decode(binaryToBytes(binary), { stream: true });
  }

  /** What is left of an unfinished character. */
  end(): string {
    return this.#decoder.decode();
  }
}

/** Length of the longest suffix of `text` that begins one of the marks without being the whole of it. */
export function heldSuffix(text: string, marks: readonly string[]): number {
  const longest = Math.max(...marks.map((mark) => mark.length)) - 1;
  for (let length = Math.min(longest, text.length); length > 0; length -= 1) {
    const suffix = text.slice(text.length - length);
    if (marks.some((mark) => mark.length > length && mark.startsWith(suffix))) return length;
  }
  return 0;
}

/** Whether bytes are ASCII white space alone; the bytes of other characters never count as such. */
export function isBlank(binary: string): boolean {
  return /^[ \t\r\n]*$/.test(binary);
}
