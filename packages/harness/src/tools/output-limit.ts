/** A byte budget stands for a token budget: about four bytes of English or code make a token. */
export const bytesPerToken = 4;
export const defaultOutputTokens = 10_000;
export const maxOutputTokens = 50_000;

/** Output whose middle may be missing: the first and the last bytes, and how many there were in all. */
export interface KeptOutput {
  readonly head: Uint8Array;
  readonly tail: Uint8Array;
  readonly totalBytes: number;
}

/**
 * Keeps the beginning and the end of a stream in bounded memory, however much flows through. Each side holds
 * up to half of the limit.
 */
export class OutputKeeper {
  readonly #half: number;
  readonly #head: Buffer[] = [];
  #headBytes = 0;
  #tail: Buffer[] = [];
  #tailBytes = 0;
  #totalBytes = 0;

  constructor(limitBytes: number) {
    this.#half = Math.max(1, Math.floor(limitBytes / 2));
  }

  push(chunk: Uint8Array): void {
    this.#totalBytes += chunk.length;
    const forHead = Math.min(chunk.length, this.#half - this.#headBytes);
    if (forHead > 0) {
      this.#head.push(Buffer.from(chunk.subarray(0, forHead)));
      this.#headBytes += forHead;
    }
    const rest = chunk.subarray(forHead);
    if (rest.length === 0) return;
    this.#tail.push(Buffer.from(rest.length > this.#half ? rest.subarray(rest.length - this.#half) : rest));
    this.#tailBytes += Math.min(rest.length, this.#half);
    if (this.#tailBytes > 2 * this.#half || this.#tail.length > 1024) this.#compactTail();
  }

  kept(): KeptOutput {
    this.#compactTail();
    return {
      head: Buffer.concat(this.#head),
      tail: Buffer.concat(this.#tail),
      totalBytes: this.#totalBytes,
    };
  }

  #compactTail(): void {
    const joined = Buffer.concat(this.#tail);
    this.#tail = [joined.subarray(Math.max(0, joined.length - this.#half))];
    this.#tailBytes = this.#tail[0]?.length ?? 0;
  }
}

/** Control characters that would upset a terminal or a JSON reader; tab, line feed, return and escape stay. */
function isHarmful(code: number): boolean {
  return (code < 32 && code !== 9 && code !== 10 && code !== 13 && code !== 27) || code === 127;
}

function readable(bytes: Uint8Array): string {
  const text = new TextDecoder("utf-8").decode(bytes);
  let clean = "";
  let from = 0;
  for (let index = 0; index < text.length; index++) {
    if (!isHarmful(text.charCodeAt(index))) continue;
    clean += `${text.slice(from, index)}\uFFFD`;
    from = index + 1;
  }
  return from === 0 ? text : clean + text.slice(from);
}

/** The bytes of a head without a character that its end cuts. */
function wholeHead(bytes: Uint8Array): Uint8Array {
  let start = bytes.length - 1;
  while (start >= 0 && start > bytes.length - 4 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start--;
  const lead = bytes[start] ?? 0;
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  return start >= 0 && start + length > bytes.length ? bytes.subarray(0, start) : bytes;
}

/** The bytes of a tail without the end of a character that its beginning cuts. */
function wholeTail(bytes: Uint8Array): Uint8Array {
  let start = 0;
  while (start < 3 && start < bytes.length && ((bytes[start] ?? 0) & 0xc0) === 0x80) start++;
  return bytes.subarray(start);
}

/**
 * Output as the model reads it: valid text of at most `limitBytes` UTF-8 bytes, cut in the middle at character
 * borders, with a mark that says how much is missing. The same bytes always give the same text.
 */
export function limitOutput(kept: KeptOutput, limitBytes: number): string {
  const isWhole = kept.head.length + kept.tail.length === kept.totalBytes;
  if (isWhole) {
    const text = readable(Buffer.concat([kept.head, kept.tail]));
    return Buffer.byteLength(text) <= limitBytes ? text : cutMiddle(text, text, kept.totalBytes, limitBytes);
  }
  return cutMiddle(
    readable(wholeHead(kept.head)),
    readable(wholeTail(kept.tail)),
    kept.totalBytes,
    limitBytes,
  );
}

function cutMiddle(start: string, end: string, totalBytes: number, limitBytes: number): string {
  const mark = `\n[... middle of ${totalBytes} bytes of output left out ...]\n`;
  const half = Math.max(0, Math.floor((limitBytes - mark.length) / 2));
  const head = wholeHead(Buffer.from(start).subarray(0, half));
  const tailBytes = Buffer.from(end);
  const tail = wholeTail(tailBytes.subarray(Math.max(0, tailBytes.length - half)));
  return `${Buffer.from(head)}${mark}${Buffer.from(tail)}`;
}

/** `limitOutput` of a text that is at hand as a whole. */
export function limitText(text: string, limitBytes: number): string {
  const bytes = Buffer.from(text);
  return limitOutput({ head: bytes, tail: new Uint8Array(0), totalBytes: bytes.length }, limitBytes);
}
