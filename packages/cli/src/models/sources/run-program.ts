import { spawn } from "node:child_process";

/** How a program ended. */
export interface ProgramResult {
  /** Null when it could not be started at all. */
  readonly code: number | null;
  /** The last part of what it printed. */
  readonly output: string;
}

/** Runs a program to its end. */
export type RunProgram = (
  program: string,
  programArguments: readonly string[],
  options: { readonly env: NodeJS.ProcessEnv; readonly signal: AbortSignal },
) => Promise<ProgramResult>;

const keptCharacters = 4000;

/** Runs a program without a terminal; an abort ends it and rejects once it is gone. */
export const runProgram: RunProgram = (program, programArguments, options) =>
  new Promise((resolve, reject) => {
    const child = spawn(program, programArguments, {
      env: options.env,
      stdio: ["ignore", "pipe", "pipe"],
      signal: options.signal,
    });
    let output = "";
    const keep = (chunk: Buffer): void => {
      output = (output + chunk.toString("utf8")).slice(-keptCharacters);
    };
    child.stdout.on("data", keep);
    child.stderr.on("data", keep);
    child.once("error", (error) => {
      if (!options.signal.aborted) resolve({ code: null, output: String(error) });
    });
    child.once("close", (code) => {
      if (options.signal.aborted) reject(options.signal.reason);
      else resolve({ code: code ?? 1, output });
    });
  });
