import { type ChildProcess, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import type { Clock } from "../../ports/clock.ts";
import type { IdSource } from "../../ports/ids.ts";
import { type KeptOutput, OutputKeeper } from "../output-limit.ts";
import { EndScanner } from "./end-scanner.ts";
import { endMark, shellScript } from "./shell-command.ts";

/** How the shell is started. */
export interface ShellLauncher {
  readonly file: string;
  readonly arguments: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Where the shell itself starts. */
  readonly directory: string;
  /** Whether it has a process namespace of its own, which dies with it. */
  readonly isolated: boolean;
}

export interface ShellRun {
  readonly command: string;
  readonly directory: string;
  readonly timeoutMs: number;
  /** Bytes of output kept, half from the beginning and half from the end. */
  readonly outputBytes: number;
}

export type ShellEnd =
  | { readonly kind: "exited"; readonly code: number; readonly output: KeptOutput }
  | { readonly kind: "timeout" | "cancelled" | "died"; readonly output: KeptOutput };

interface Running {
  readonly process: ChildProcess;
  readonly input: Writable;
  readonly output: Readable;
  /** Process group of the command that runs, for shells without a namespace. */
  group: number | null;
}

/**
 * One bash kept alive between commands, because starting one costs many times what a small command does. One
 * command runs at a time. After a timeout, a cancel or its own death the shell is replaced.
 */
export class KeptShell {
  readonly #launcher: ShellLauncher;
  readonly #clock: Clock;
  readonly #ids: IdSource;
  #running: Running | null = null;

  constructor(launcher: ShellLauncher, clock: Clock, ids: IdSource) {
    this.#launcher = launcher;
    this.#clock = clock;
    this.#ids = ids;
  }

  /** Starts the shell before it is needed. */
  start(): void {
    this.#shell();
  }

  /** Runs one command. Never rejects for what the command does. */
  run(run: ShellRun, signal: AbortSignal): Promise<ShellEnd> {
    const shell = this.#shell();
    const keeper = new OutputKeeper(run.outputBytes);
    const token = this.#ids.next("end");
    const scanner = new EndScanner(endMark(token), (bytes) => keeper.push(bytes));
    const { isolated } = this.#launcher;
    return new Promise((resolve) => {
      const finish = (end: (output: KeptOutput) => ShellEnd): void => {
        cancelTimer();
        signal.removeEventListener("abort", onAbort);
        shell.output.off("data", onData);
        shell.process.off("close", onClose);
        resolve(end(keeper.kept()));
      };
      const stop = (kind: "timeout" | "cancelled"): void => {
        this.#kill(shell);
        finish((output) => ({ kind, output }));
      };
      const onAbort = (): void => stop("cancelled");
      const onClose = (): void => {
        this.#forget(shell);
        finish((output) => ({ kind: "died", output }));
      };
      const onData = (chunk: Buffer): void => {
        const code = scanner.push(chunk);
        if (code !== null) finish((output) => ({ kind: "exited", code, output }));
      };
      const cancelTimer = this.#clock.after(run.timeoutMs, () => stop("timeout"));
      signal.addEventListener("abort", onAbort, { once: true });
      shell.output.on("data", onData);
      shell.process.on("close", onClose);
      if (signal.aborted) onAbort();
      else
        shell.input.write(shellScript({ command: run.command, directory: run.directory, token, isolated }));
    });
  }

  /** Ends the shell and everything in it; resolves when it is gone. */
  async close(): Promise<void> {
    const shell = this.#running;
    if (shell === null) return;
    const closed = new Promise<void>((resolve) => shell.process.once("close", () => resolve()));
    this.#kill(shell);
    await closed;
  }

  #shell(): Running {
    if (this.#running !== null) return this.#running;
    const child = spawn(this.#launcher.file, this.#launcher.arguments, {
      cwd: this.#launcher.directory,
      env: { ...this.#launcher.environment },
      stdio: ["pipe", "pipe", "ignore", "pipe"],
      detached: true,
    });
    const input = child.stdin as Writable;
    const output = child.stdout as Readable;
    const shell: Running = { process: child, input, output, group: null };
    child.on("error", () => this.#forget(shell));
    child.on("close", () => this.#forget(shell));
    // A shell that died between two commands breaks its pipes; the next command starts another.
    for (const stream of child.stdio) stream?.on("error", () => {});
    (child.stdio[3] as Readable).on("data", (line: Buffer) => {
      shell.group = Number(line.toString("latin1").trim().split("\n").at(-1));
    });
    input.write("set -m +H 2>/dev/null\n");
    this.#running = shell;
    return shell;
  }

  #forget(shell: Running): void {
    if (this.#running === shell) this.#running = null;
  }

  #kill(shell: Running): void {
    this.#forget(shell);
    const { pid } = shell.process;
    for (const group of this.#launcher.isolated ? [pid] : [shell.group, pid]) {
      if (group === null || group === undefined || !(group > 1)) continue;
      try {
        process.kill(-group, "SIGKILL");
      } catch {
        // The group is gone already.
      }
    }
  }
}
