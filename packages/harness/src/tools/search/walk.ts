import { closeSync, openSync, readdirSync, readFileSync, readSync, statSync } from "node:fs";
import { basename, join, matchesGlob, relative } from "node:path";
import type { SearchMatches, SearchQuery } from "./searcher.ts";

const maxFiles = 50_000;
const maxFileBytes = 4 * 1024 * 1024;
const maxLineCharacters = 500;
const binaryProbeBytes = 4096;
const skippedFolders: ReadonlySet<string> = new Set(["node_modules", "target", "dist", "__pycache__"]);

/** Files below a folder in order of path; hidden ones, links and usual build folders left out. */
function* files(root: string): Generator<string> {
  const entries = readdirSync(root, { withFileTypes: true });
  entries.sort((left, right) => (left.name < right.name ? -1 : 1));
  for (const entry of entries) {
    if (entry.name.startsWith(".")) continue;
    const path = join(root, entry.name);
    if (entry.isFile()) yield path;
    else if (entry.isDirectory() && !skippedFolders.has(entry.name)) {
      try {
        yield* files(path);
      } catch {
        // A folder that cannot be read is passed over.
      }
    }
  }
}

function isBinary(path: string): boolean {
  const probe = Buffer.alloc(binaryProbeBytes);
  const file = openSync(path, "r");
  try {
    return probe.subarray(0, readSync(file, probe)).includes(0);
  } finally {
    closeSync(file);
  }
}

function isWanted(path: string, root: string, glob: string | null): boolean {
  if (glob === null) return true;
  return matchesGlob(basename(path), glob) || matchesGlob(relative(root, path), glob);
}

/** Searches files one after the other; throws for a pattern that is no regular expression or a missing root. */
export function walk(query: SearchQuery, workspace: string): SearchMatches {
  const expression = new RegExp(query.pattern, "u");
  const lines: string[] = [];
  const candidates = statSync(query.root).isFile() ? [query.root] : files(query.root);
  let seen = 0;
  for (const path of candidates) {
    if (!isWanted(path, query.root, query.glob)) continue;
    seen += 1;
    if (seen > maxFiles) return { lines, more: true };
    for (const line of matches(path, expression)) {
      if (lines.length === query.limit) return { lines, more: true };
      lines.push(`${relative(workspace, path)}:${line}`);
    }
  }
  return { lines, more: false };
}

function* matches(path: string, expression: RegExp): Generator<string> {
  let text: string;
  try {
    if (statSync(path).size > maxFileBytes || isBinary(path)) return;
    text = readFileSync(path, "utf8");
  } catch {
    return;
  }
  for (const [index, line] of text.split("\n").entries()) {
    if (expression.test(line)) yield `${index + 1}:${line.slice(0, maxLineCharacters)}`;
  }
}
