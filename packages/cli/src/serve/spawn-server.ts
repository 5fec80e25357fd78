import { type ChildProcess, spawn } from "node:child_process";
import { getCompileCacheDir } from "node:module";
import { dirname } from "node:path";
import { Readable } from "node:stream";
import { finished } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { CliError, exitStatus } from "../errors.ts";

/** A server that this process started and will end. */
export interface ChildServer {
  /** Without `/v1`. */
  readonly root: string;
  readonly pid: number;
  /** Resolves with a sentence when the server ends without having been asked to. */
  readonly lost: Promise<string>;
  /** Ends it: by asking, then by force. */
  close(): Promise<void>;
}

/** What a server tells its starter over the process channel. */
export interface ReadyMessage {
  readonly type: "ready";
  readonly root: string;
}

/** How to start one. */
export interface SpawnOptions {
  /** Arguments of `slipstream serve`, without host and port. */
  readonly serveArguments: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** Milliseconds until it must be ready: a large model takes its time to load. */
  readonly readyMs: number;
  /** Milliseconds between asking it to end and ending it by force. */
  readonly endMs: number;
  readonly signal: AbortSignal;
  /** Program to run, for tests. */
  readonly program?: string;
}

const lastWordsMs = 1000;
const mainProgram = fileURLToPath(new URL("../main.ts", import.meta.url));

/**
 * Starts `slipstream serve` on a free loopback port as a child and waits until it is ready. The child ends when
 * the channel to this process closes, so that it never outlives it.
 * @throws CliError with what it said when it does not come up: `usage_invalid` or `server_not_started` when it
 * ended with the status of wrong usage or of missing set-up, else `server_ended`
 */
export async function spawnServer(options: SpawnOptions): Promise<ChildServer> {
  options.signal.throwIfAborted();
  const serve = ["serve", "--host", "127.0.0.1", "--port", "0", ...options.serveArguments];
  const child = spawn(
    process.execPath,
    ["--disable-warning=ExperimentalWarning", options.program ?? mainProgram, ...serve],
    {
      env: { ...options.env, ...compileCache() },
      stdio: ["ignore", "ignore", "pipe", "ipc"],
      // Ctrl-C in the terminal is for the starter, which then ends the server in order.
      detached: process.platform !== "win32",
    },
  );
  const tail = keepTail(child);
  const gone = new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("exit", async (code, signal) => {
      await lastWords(child);
      resolve(`it ended with ${signal ?? code}: ${tail()}`);
    });
  });
  try {
    const root = await waitUntilReady(child, gone, options);
    return { root, pid: child.pid ?? 0, lost: gone, close: () => end(child, gone, options.endMs) };
  } catch (error) {
    await end(child, gone, options.endMs);
    throw error;
  }
}

/** The child loads what this process has compiled already, or compiles it for the next one. */
function compileCache(): NodeJS.ProcessEnv {
  const folder = getCompileCacheDir();
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) };
}

function waitUntilReady(child: ChildProcess, gone: Promise<string>, options: SpawnOptions): Promise<string> {
  return new Promise((resolve, reject) => {
    const fail = (reason: string): void => reject(notStarted(child.exitCode, reason));
    const timer = setTimeout(
      () => fail(`it was not ready after ${options.readyMs / 1000} s`),
      options.readyMs,
    );
    const abort = (): void => reject(options.signal.reason);
    options.signal.addEventListener("abort", abort, { once: true });
    const settle = (): void => {
      clearTimeout(timer);
      options.signal.removeEventListener("abort", abort);
    };
    child.on("message", (message: ReadyMessage) => {
      if (message.type !== "ready") return;
      settle();
      resolve(message.root);
    });
    gone.then((reason) => {
      settle();
      fail(reason);
    });
  });
}

/** What the server needs is what its starter needs: the same status, and its own words first. */
function notStarted(status: number | null, reason: string): CliError {
  const said = /\bslipstream: (.+)/s.exec(reason)?.[1] ?? reason;
  if (status === exitStatus.usage) return new CliError("usage_invalid", said);
  if (status === exitStatus.setup)
    return new CliError("server_not_started", `The server did not start: ${said}`);
  return new CliError("server_ended", `The server did not start: ${reason}`);
}

function keepTail(child: ChildProcess): () => string {
  let text = "";
  child.stderr?.on("data", (chunk: Buffer) => {
    text = (text + chunk.toString("utf8")).slice(-2000);
  });
  return () => text.trim();
}

/** What it printed last arrives after its end; a process it left behind may hold the pipe open for ever. */
async function lastWords(child: ChildProcess): Promise<void> {
  const limit = AbortSignal.timeout(lastWordsMs);
  await finished(child.stderr ?? Readable.from([]), { signal: limit }).catch(() => undefined);
}

async function end(child: ChildProcess, gone: Promise<string>, endMs: number): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  child.kill("SIGTERM");
  const force = setTimeout(() => child.kill("SIGKILL"), endMs);
  await gone;
  clearTimeout(force);
}
