import type { Vocabulary } from "../../port/tokenizer.ts";
import { codePieces, words } from "./word-list.ts";

/** Control tokens and one user-defined token, by id: the structure that item text may never produce. */
export const structuralTokens: readonly string[] = [
  "<|endoftext|>",
  "<|im_start|>",
  "<|im_end|>",
  "<tool_call>",
];
const firstByteId = structuralTokens.length;
/** Id of the first piece longer than a byte. */
const firstPieceId = firstByteId + 256;

const bigramHeads = 34;

/** Texts of all pieces longer than one byte: words with and without a space, pairs of the commonest, code. */
function pieceTexts(): string[] {
  const heads = words.slice(0, bigramHeads);
  const pairs = heads.flatMap((first) => heads.map((second) => ` ${first} ${second}`));
  const single = words.flatMap((word) => [` ${word}`, word]).filter((piece) => piece.length > 1);
  const capital = words.slice(0, 100).map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return [...new Set([...single, ...pairs, ...capital.filter((piece) => piece.length > 1), ...codePieces])];
}

/** One branch point of the pieces' byte trie. */
interface TrieNode {
  readonly next: Map<number, TrieNode>;
  id: number | null;
}

/** The pieces with their byte trie, and the ids of words that free text is made of. */
export interface SimulatedVocabulary extends Vocabulary {
  /** Ids of pieces that begin with a space and hold one word. */
  readonly spacedWords: readonly number[];
  /** Ids of pieces that hold one word without a space. */
  readonly plainWords: readonly number[];
  /** Id of a structural token by its text. */
  structuralId(text: string): number | undefined;
  /** Canonical ids of plain bytes: the longest piece at each place; never a structural token. */
  encodeBytes(bytes: Uint8Array): number[];
}

function buildTrie(pieces: readonly Uint8Array[]): TrieNode {
  const root: TrieNode = { next: new Map(), id: null };
  for (let id = firstByteId; id < pieces.length; id++) {
    let node = root;
    for (const byte of pieces[id] ?? []) {
      let next = node.next.get(byte);
      if (next === undefined) {
        next = { next: new Map(), id: null };
        node.next.set(byte, next);
      }
      node = next;
    }
    node.id = id;
  }
  return root;
}

function longestMatch(root: TrieNode, bytes: Uint8Array, offset: number): { id: number; end: number } {
  let best = { id: firstByteId + (bytes[offset] ?? 0), end: offset + 1 };
  let node: TrieNode | undefined = root;
  for (let end = offset; end < bytes.length; ) {
    node = node.next.get(bytes[end] ?? 0);
    if (node === undefined) break;
    end++;
    if (node.id !== null) best = { id: node.id, end };
  }
  return best;
}

function build(): SimulatedVocabulary {
  const encoder = new TextEncoder();
  const texts = pieceTexts();
  const pieces = [
    ...structuralTokens.map((text) => encoder.encode(text)),
    ...Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte)),
    ...texts.map((text) => encoder.encode(text)),
  ];
  const trie = buildTrie(pieces);
  const structural = new Map(structuralTokens.map((text, id) => [id, text]));
  const byText = new Map(structuralTokens.map((text, id) => [text, id]));
  const idsLike = (pattern: RegExp) =>
    texts.flatMap((text, index) => (pattern.test(text) ? [firstPieceId + index] : []));
  return {
    pieces,
    structural,
    endOfGeneration: [structuralTokens.indexOf("<|im_end|>"), structuralTokens.indexOf("<|endoftext|>")],
    beginOfText: null,
    addBeginOfText: false,
    spacedWords: idsLike(/^ [a-z]+$/),
    plainWords: idsLike(/^[A-Z][a-z]+$/),
    structuralId: (text) => byText.get(text),
    encodeBytes(bytes) {
      const ids: number[] = [];
      for (let offset = 0; offset < bytes.length; ) {
        const match = longestMatch(trie, bytes, offset);
        ids.push(match.id);
        offset = match.end;
      }
      return ids;
    },
  };
}

/** The one vocabulary of every simulated model; about 2,500 tokens, built from the word list in code. */
export const simulatedVocabulary: SimulatedVocabulary = build();
