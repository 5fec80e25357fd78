import { spawn } from "node:child_process";

/** How many tests passed, failed and were skipped. */
export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** What one stage gave. `output` is shown when it failed. */
export interface StageResult {
  readonly ok: boolean;
  readonly output: string;
  readonly counts?: Counts;
  /** Printed below the stage's line whatever came out. */
  readonly notes?: readonly string[];
}

/** A named piece of the check or test run. */
export interface Stage {
  readonly name: string;
  run(): Promise<StageResult>;
}

/** A stage's result with its wall time in milliseconds. */
export interface FinishedStage extends StageResult {
  readonly name: string;
  readonly milliseconds: number;
}

/** Runs one stage, prints a line with its time, and its output when it failed. */
export async function runStage(stage: Stage, print: (line: string) => void): Promise<FinishedStage> {
  const start = performance.now();
  const result = await stage.run();
  const milliseconds = performance.now() - start;
  print(formatStageLine(stage.name, result, milliseconds));
  for (const note of result.notes ?? []) print(note);
  if (!result.ok && result.output.trim() !== "") print(result.output.trimEnd());
  return { name: stage.name, milliseconds, ...result };
}

/** `ok   unit          12.3 s   310 passed, 0 failed, 0 skipped` */
export function formatStageLine(name: string, result: StageResult, milliseconds: number): string {
  const time = `${(milliseconds / 1000).toFixed(1)} s`.padStart(8);
  const counts = result.counts === undefined ? "" : `   (${formatCounts(result.counts)})`;
  return `${result.ok ? "ok  " : "FAIL"} ${name.padEnd(14)}${time}${counts}`;
}

/** The closing line that a run's reader looks for. */
export function formatCounts(counts: Counts): string {
  return `${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`;
}

/** Adds up counts. */
export function sumCounts(parts: readonly (Counts | undefined)[]): Counts {
  let [passed, failed, skipped] = [0, 0, 0];
  for (const part of parts) {
    passed += part?.passed ?? 0;
    failed += part?.failed ?? 0;
    skipped += part?.skipped ?? 0;
  }
  return { passed, failed, skipped };
}

/** Runs a program to its end and gathers what it printed. A program over its time limit is killed and has failed. */
export function capture(
  program: string,
  programArguments: readonly string[],
  options: { readonly cwd: string; readonly timeoutMs: number; readonly env?: NodeJS.ProcessEnv },
): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    const child = spawn(program, programArguments, {
      cwd: options.cwd,
      env: options.env ?? process.env,
      stdio: ["ignore", "pipe", "pipe"],
      timeout: options.timeoutMs,
      killSignal: "SIGKILL",
    });
    const chunks: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => chunks.push(chunk));
    child.once("error", (error) => resolve({ code: 127, output: String(error) }));
    child.once("close", (code, signal) => {
      const killed = signal === null ? "" : `\nended by ${signal} (limit ${options.timeoutMs / 1000} s)`;
      resolve({ code: code ?? 1, output: Buffer.concat(chunks).toString("utf8") + killed });
    });
  });
}
