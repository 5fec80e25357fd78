import { ToolArgumentError } from "../tool.ts";

/** One place to change: lines to find and the lines that take their place. */
export interface Chunk {
  /** Texts of its `@@` lines, outermost first: the chunk lies behind the lines that hold them. */
  readonly contexts: readonly string[];
  readonly before: readonly string[];
  readonly after: readonly string[];
  /** Whether the chunk must end at the end of the file. */
  readonly atEnd: boolean;
}

export type FileChange =
  | { readonly kind: "add"; readonly path: string; readonly content: string }
  | { readonly kind: "delete"; readonly path: string }
  | {
      readonly kind: "update";
      readonly path: string;
      readonly moveTo: string | null;
      readonly chunks: readonly Chunk[];
    };

const begin = "*** Begin Patch";
const end = "*** End Patch";
const addFile = "*** Add File: ";
const deleteFile = "*** Delete File: ";
const updateFile = "*** Update File: ";
const moveTo = "*** Move to: ";
const endOfFile = "*** End of File";
/** Line numbers that models write from habit with unified diffs; they are not relied on. */
const unifiedHeader = /^@@ -\d+(,\d+)? \+\d+(,\d+)? @@/;

/** A cursor over the patch's lines, for errors that name the line. */
class Lines {
  readonly #lines: readonly string[];
  #at = 0;

  constructor(lines: readonly string[]) {
    this.#lines = lines;
  }

  peek(): string | null {
    return this.#lines[this.#at] ?? null;
  }

  take(): string {
    const line = this.#lines[this.#at] ?? "";
    this.#at += 1;
    return line;
  }

  wrong(message: string): ToolArgumentError {
    return new ToolArgumentError(
      `The patch is not valid at line ${this.#at + 2}: ${message} Nothing was changed.`,
    );
  }
}

/** The lines between the begin and end marks; a heredoc or code fence around them is taken off. */
function body(patch: string): string[] {
  const lines = patch.replaceAll("\r\n", "\n").split("\n");
  const first = lines.findIndex((line) => line.trim() === begin);
  const last = lines.findLastIndex((line) => line.trim() === end);
  if (first >= 0 && last > first) return lines.slice(first + 1, last);
  throw new ToolArgumentError(`A patch begins with "${begin}" and ends with "${end}". Nothing was changed.`);
}

/**
 * Parses Codex's patch format (openai/codex, apply_patch instructions). Throws `ToolArgumentError` with the
 * line where it stops being valid.
 */
export function parsePatch(patch: string): FileChange[] {
  const lines = new Lines(body(patch));
  const changes: FileChange[] = [];
  while (lines.peek() !== null) {
    const line = lines.peek() ?? "";
    if (line.startsWith(addFile)) changes.push(parseAdd(lines));
    else if (line.startsWith(deleteFile)) {
      changes.push({ kind: "delete", path: lines.take().slice(deleteFile.length).trim() });
    } else if (line.startsWith(updateFile)) changes.push(parseUpdate(lines));
    else if (line.trim() === "") lines.take();
    else throw lines.wrong(`expected "${addFile}", "${updateFile}" or "${deleteFile}" and a path.`);
  }
  if (changes.length === 0) throw new ToolArgumentError("The patch is empty. Nothing was changed.");
  return changes;
}

function parseAdd(lines: Lines): FileChange {
  const path = lines.take().slice(addFile.length).trim();
  const content: string[] = [];
  while (lines.peek()?.startsWith("+")) content.push(lines.take().slice(1));
  const next = lines.peek();
  if (next !== null && !next.startsWith("*** ") && next.trim() !== "") {
    throw lines.wrong('each line of an added file begins with "+".');
  }
  return { kind: "add", path, content: content.length === 0 ? "" : `${content.join("\n")}\n` };
}

function parseUpdate(lines: Lines): FileChange {
  const path = lines.take().slice(updateFile.length).trim();
  const target = lines.peek()?.startsWith(moveTo) ? lines.take().slice(moveTo.length).trim() : null;
  const chunks: Chunk[] = [];
  for (;;) {
    const next = lines.peek();
    if (next === null || isHeader(next)) break;
    if (next.trim() === "" && chunks.length > 0) lines.take();
    else chunks.push(parseChunk(lines));
  }
  if (chunks.length === 0 && target === null) throw lines.wrong(`the update of ${path} changes nothing.`);
  return { kind: "update", path, moveTo: target, chunks };
}

function isHeader(line: string): boolean {
  return line.startsWith(addFile) || line.startsWith(deleteFile) || line.startsWith(updateFile);
}

function parseChunk(lines: Lines): Chunk {
  const contexts: string[] = [];
  while (lines.peek()?.startsWith("@@")) {
    const context = lines.take().replace(unifiedHeader, "@@").slice(3);
    if (context !== "") contexts.push(context);
  }
  const before: string[] = [];
  const after: string[] = [];
  let atEnd = false;
  for (;;) {
    const line = lines.peek();
    if (line === null || line.startsWith("@@") || isHeader(line)) break;
    if (line === endOfFile) {
      lines.take();
      atEnd = true;
      break;
    }
    const mark = line.charAt(0);
    if (mark !== "" && mark !== " " && mark !== "+" && mark !== "-") {
      throw lines.wrong('each line of a change begins with " ", "+" or "-".');
    }
    lines.take();
    if (mark !== "+") before.push(line.slice(1));
    if (mark !== "-") after.push(line.slice(1));
  }
  if (before.length === 0 && after.length === 0) throw lines.wrong("a change without lines.");
  return { contexts, before, after, atEnd };
}
