import { spawn } from "node:child_process";
import { relative } from "node:path";
import { createInterface } from "node:readline";
import { ToolArgumentError } from "../tool.ts";
import type { Searcher } from "./searcher.ts";

const noMatch = 1;
const maxLineBytes = 500;
const maxErrorBytes = 2_000;

/** Searches with ripgrep: hidden and ignored files left out, as people expect of it. */
export const ripgrepSearch: Searcher = async (query, options, signal) => {
  const child = spawn(options.ripgrep ?? "rg", ripgrepArguments(query.pattern, query.glob, query.root), {
    cwd: options.workspace,
    stdio: ["ignore", "pipe", "pipe"],
    env: {},
  });
  let isLate = false;
  const cancelTimer = options.clock.after(options.timeoutMs, () => {
    isLate = true;
    child.kill("SIGKILL");
  });
  const onAbort = (): void => void child.kill("SIGKILL");
  signal.addEventListener("abort", onAbort, { once: true });
  let errors = "";
  child.stderr.on("data", (chunk: Buffer) => {
    if (errors.length < maxErrorBytes) errors += chunk.toString();
  });
  const exit = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  const lines: string[] = [];
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      lines.push(shown(line, options.workspace));
      if (lines.length > query.limit) break;
    }
    const more = lines.length > query.limit;
    if (more) child.kill("SIGKILL");
    const code = await exit;
    signal.throwIfAborted();
    if (isLate) throw new ToolArgumentError("The search took too long; narrow the path or the pattern.");
    if (!more && lines.length === 0 && code !== 0 && code !== noMatch)
      throw new ToolArgumentError(errors.trim());
    return { lines: lines.slice(0, query.limit), more };
  } finally {
    cancelTimer();
    signal.removeEventListener("abort", onAbort);
  }
};

function ripgrepArguments(pattern: string, glob: string | null, root: string): string[] {
  return [
    ...["--no-config", "--line-number", "--with-filename", "--no-heading", "--color", "never"],
    ...["--sort", "path", "--max-columns", String(maxLineBytes), "--max-columns-preview"],
    ...(glob === null ? [] : ["--glob", glob]),
    ...["--regexp", pattern, "--", root],
  ];
}

function shown(line: string, workspace: string): string {
  if (!line.startsWith(workspace)) return line;
  const colon = line.indexOf(":", workspace.length);
  return `${relative(workspace, line.slice(0, colon))}${line.slice(colon)}`;
}
