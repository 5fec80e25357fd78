import type { Vocabulary } from "../../port/tokenizer.ts";

const words = [
  '{"',
  '": ',
  '", "',
  '"}',
  "}}",
  '"a"',
  "true",
  "name",
  "get",
  "_file",
  "<tool",
  "_call>",
  ">{",
  "}\n",
  "</",
  "  ",
  "\n\n",
  "12",
  "é",
  '{"name": "',
];
const structural = ["<tool_call>", "</tool_call>", ""];
const end = "<|end|>";

/** A vocabulary of all bytes, some longer tokens, three structural ones (one without text) and an end, for tests. */
export const testVocabulary: Pick<Vocabulary, "pieces" | "structural" | "endOfGeneration"> = (() => {
  const bytes = Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte));
  const encode = (text: string) => new TextEncoder().encode(text);
  const first = 256 + words.length;
  return {
    pieces: [...bytes, ...[...words, ...structural, end].map(encode)],
    structural: new Map([...structural, end].map((text, index) => [first + index, text])),
    endOfGeneration: [first + structural.length],
  };
})();

/** The id of the token that is this text, the longer vocabulary first. */
export function tokenOf(text: string): number {
  const wanted = Buffer.from(text);
  const id = testVocabulary.pieces.findLastIndex((piece) => wanted.equals(piece));
  if (id < 0) throw new RangeError(`no token is ${text}`);
  return id;
}

/** The bytes of a token. */
export function bytesOf(id: number): Uint8Array {
  return testVocabulary.pieces[id] ?? new Uint8Array(0);
}

/** Whether a mask admits an id; no mask admits all. */
export function admits(mask: Uint32Array | null, id: number): boolean {
  return mask === null || (((mask[id >> 5] ?? 0) >>> (id & 31)) & 1) === 1;
}

/** All ids a mask admits. */
export function admitted(mask: Uint32Array | null): number[] {
  return testVocabulary.pieces.map((_, id) => id).filter((id) => admits(mask, id));
}
