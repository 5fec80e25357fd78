import { ToolArgumentError } from "../tool.ts";
import type { Chunk } from "./parse-patch.ts";

/** Typographic characters that models write for plain ones, or the reverse. */
function plain(line: string): string {
  return line
    .trim()
    .replaceAll(/[\u2010-\u2015\u2212]/g, "-")
    .replaceAll(/[\u2018-\u201B]/g, "'")
    .replaceAll(/[\u201C-\u201F]/g, '"')
    .replaceAll(/[\u00A0\u2002-\u200A\u202F\u205F\u3000]/g, " ");
}

/** From exact to lenient, as Codex does: a stricter reading always wins over a looser one. */
const readings: readonly ((line: string) => string)[] = [
  (line) => line,
  (line) => line.trimEnd(),
  (line) => line.trim(),
  plain,
];

/** Index at which the wanted lines stand, at or behind `from`; -1 where they do not. */
function find(lines: readonly string[], wanted: readonly string[], from: number, atEnd: boolean): number {
  const last = lines.length - wanted.length;
  const first = atEnd ? Math.max(from, last) : from;
  for (const read of readings) {
    const pattern = wanted.map(read);
    for (let start = first; start <= last; start++) {
      if (pattern.every((line, offset) => read(lines[start + offset] ?? "") === line)) return start;
    }
  }
  return atEnd ? find(lines, wanted, from, false) : -1;
}

function notFound(path: string, wanted: readonly string[]): ToolArgumentError {
  const shown = wanted.slice(0, 10).join("\n");
  return new ToolArgumentError(
    `These lines are not in ${path} (or not behind the change before). Read the file again. Nothing was changed.\n${shown}`,
  );
}

/** Applies an update to a file's text. Chunks are in the order of the file. Line endings are kept. */
export function applyChunks(path: string, content: string, chunks: readonly Chunk[]): string {
  const isWindows = content.includes("\r\n");
  const text = isWindows ? content.replaceAll("\r\n", "\n") : content;
  const lines = text.split("\n");
  const endsWithLine = lines.at(-1) === "";
  if (endsWithLine) lines.pop();

  const result: string[] = [];
  let copied = 0;
  let from = 0;
  for (const chunk of chunks) {
    for (const context of chunk.contexts) {
      const at = find(lines, [context], from, false);
      if (at < 0) throw notFound(path, [context]);
      from = at + 1;
    }
    const start =
      chunk.before.length === 0 ? insertionPoint(chunk, from, lines) : findChunk(path, lines, chunk, from);
    result.push(...lines.slice(copied, start), ...chunk.after);
    copied = start + usedLines(lines, chunk, start);
    from = copied;
  }
  result.push(...lines.slice(copied));
  const joined =
    result.length === 0 ? "" : `${result.join("\n")}${endsWithLine || content === "" ? "\n" : ""}`;
  return isWindows ? joined.replaceAll("\n", "\r\n") : joined;
}

/** Lines that are only added go behind their context, and to the end of the file where they have none. */
function insertionPoint(chunk: Chunk, from: number, lines: readonly string[]): number {
  return chunk.contexts.length === 0 || chunk.atEnd ? lines.length : from;
}

function findChunk(path: string, lines: readonly string[], chunk: Chunk, from: number): number {
  const start = find(lines, chunk.before, from, chunk.atEnd);
  if (start >= 0) return start;
  throw notFound(path, chunk.before);
}

function usedLines(lines: readonly string[], chunk: Chunk, start: number): number {
  return Math.min(chunk.before.length, lines.length - start);
}
