import type { Clock } from "../../ports/clock.ts";

export interface SearchOptions {
  readonly workspace: string;
  /** Absolute path of ripgrep; null where it is not installed. */
  readonly ripgrep: string | null;
  readonly clock: Clock;
  readonly timeoutMs: number;
}

/** What to look for. `pattern` is a regular expression; `root` is absolute. */
export interface SearchQuery {
  readonly pattern: string;
  readonly root: string;
  /** File name pattern with `*`, or null for all files. */
  readonly glob: string | null;
  readonly limit: number;
}

/** Matches as `path:line:text`, sorted by path and line. */
export interface SearchMatches {
  readonly lines: readonly string[];
  /** Whether there were more than the limit. */
  readonly more: boolean;
}

/** One way to search. Throws `ToolArgumentError` for a bad pattern, and when it takes too long. */
export type Searcher = (
  query: SearchQuery,
  options: SearchOptions,
  signal: AbortSignal,
) => Promise<SearchMatches>;
