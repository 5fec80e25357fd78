import { type ChildProcess, spawn } from "node:child_process";
import { createConnection, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { InferenceError } from "../../../errors.ts";
import { encodeFrame, FrameDecoder } from "../../wire/frame.ts";
import {
  type ChildOptions,
  type ChildReport,
  type ToChild,
  type ToParent,
  wireVersion,
} from "../../wire/messages.ts";

export type Greeting = Extract<ToParent, { type: "hello" }>;

/** One incarnation of the engine: a running child and its connection. */
export interface EngineChild {
  readonly pid: number;
  readonly greeting: Greeting;
  send(message: ToChild): void;
  /** Settles when the child has gone, whatever the reason. */
  readonly ended: Promise<void>;
  /** Ends it at once. */
  kill(): void;
}

export interface ChildHooks {
  readonly onMessage: (message: ToParent) => void;
  readonly onLog: (line: string) => void;
  /** Milliseconds that loading may take. */
  readonly startTimeoutMs: number;
}

/**
 * Starts an engine child and connects to it. Throws what the child reports (`model_missing`, ...) or
 * `InferenceError` `engine_start_failed`; rejects with the reason of a signal that aborts meanwhile.
 */
export async function startChild(
  options: ChildOptions,
  hooks: ChildHooks,
  signal?: AbortSignal,
): Promise<EngineChild> {
  signal?.throwIfAborted();
  const entry = fileURLToPath(new URL("../child/child.ts", import.meta.url));
  const child = spawn(process.execPath, [entry], {
    stdio: ["pipe", "pipe", "pipe"],
  });
  const ended = new Promise<void>((resolve) => {
    child.once("exit", () => resolve());
    child.once("error", () => resolve());
  });
  // It may die before it has read its options.
  child.stdin.on("error", () => {});
  child.stdin.write(`${JSON.stringify(options)}\n`);
  createInterface({ input: child.stderr }).on("line", hooks.onLog);
  // A child that dies ends both waits below.
  const giveUp = (): boolean => child.kill("SIGKILL");
  signal?.addEventListener("abort", giveUp, { once: true });
  try {
    await withTimeout(readReport(child, ended), hooks.startTimeoutMs);
    const connection = await withTimeout(connect(options, hooks.onMessage), hooks.startTimeoutMs);
    connection.socket.once("close", () => child.kill("SIGKILL"));
    return {
      pid: child.pid ?? 0,
      greeting: connection.greeting,
      send: (message) => connection.socket.write(encodeFrame(message)),
      ended,
      kill: () => child.kill("SIGKILL"),
    };
  } catch (cause) {
    child.kill("SIGKILL");
    signal?.throwIfAborted();
    throw cause;
  } finally {
    signal?.removeEventListener("abort", giveUp);
  }
}

async function readReport(child: ChildProcess, ended: Promise<void>): Promise<void> {
  if (child.stdout === null) throw startFailed("It has no output.");
  const lines = createInterface({ input: child.stdout });
  const line = await Promise.race([
    new Promise<string>((resolve) => lines.once("line", resolve)),
    ended.then(() => null),
  ]);
  if (line === null) throw startFailed("It ended while it was loading.");
  const report = JSON.parse(line) as ChildReport;
  if (!report.ready) throw new InferenceError(report.code, report.message);
}

function connect(
  options: ChildOptions,
  onMessage: (message: ToParent) => void,
): Promise<{ socket: Socket; greeting: Greeting }> {
  return new Promise((resolve, reject) => {
    const socket = createConnection(options.socket);
    const decoder = new FrameDecoder();
    let greeted = false;
    socket.once("error", (cause) => reject(startFailed(cause.message)));
    socket.on("error", () => socket.destroy());
    socket.once("close", () => reject(startFailed("It closed the connection.")));
    socket.on("data", (chunk: Uint8Array) => {
      for (const message of decoder.push(chunk) as ToParent[]) {
        if (greeted) {
          onMessage(message);
        } else if (message.type === "hello" && message.version === wireVersion) {
          greeted = true;
          resolve({ socket, greeting: message });
        } else {
          reject(startFailed("It speaks another version of the protocol: start from one installation."));
        }
      }
    });
    socket.write(encodeFrame({ type: "hello", version: wireVersion, key: options.key } satisfies ToChild));
  });
}

function startFailed(reason: string): InferenceError {
  return new InferenceError("engine_start_failed", `The engine process did not start. ${reason}`);
}

async function withTimeout<T>(work: Promise<T>, milliseconds: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(startFailed(`It took over ${milliseconds} ms.`)), milliseconds);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
