import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { isolatedEnvironment } from "../../../support/serve.ts";

const program = fileURLToPath(new URL("../../../../packages/cli/bin/slipstream.mjs", import.meta.url));
const giveUpMs = 60_000;

/** How a command ended. */
export interface CommandEnd {
  /** Exit status; null when it had to be ended by force. */
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** The code in brackets at the end of the error's line, or null. */
  readonly code: string | null;
}

export interface CommandOptions {
  /** Where its files, its state and its temporary files lie. */
  readonly folder: string;
  /** Further variables; undefined takes one away. */
  readonly env?: NodeJS.ProcessEnv;
  /** Program and arguments that run the command instead of Node alone. */
  readonly wrapper?: readonly string[];
}

/** Starts `slipstream` as a user would, in a folder and an environment of its own. */
export function startCommand(commandArguments: readonly string[], options: CommandOptions) {
  const line = [...(options.wrapper ?? []), process.execPath, program, ...commandArguments];
  const [file = "", ...rest] = line;
  return spawn(file, rest, {
    cwd: options.folder,
    env: { ...isolatedEnvironment(options.folder), ...options.env },
    stdio: ["ignore", "pipe", "pipe"],
  });
}

/** Runs one command to its end. */
export async function runCommand(
  commandArguments: readonly string[],
  options: CommandOptions,
): Promise<CommandEnd> {
  const child = startCommand(commandArguments, options);
  const timer = setTimeout(() => child.kill("SIGKILL"), giveUpMs);
  const [stdout, stderr, [status]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "exit"),
  ]);
  clearTimeout(timer);
  const code = [...stderr.matchAll(/^slipstream: .*\[(\w+)\]$/gm)].at(-1)?.[1] ?? null;
  return { status, stdout, stderr, code };
}
