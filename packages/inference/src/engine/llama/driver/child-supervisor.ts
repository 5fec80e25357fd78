import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { InferenceError } from "../../../errors.ts";
import type { ChildOptions, ToParent } from "../../wire/messages.ts";
import { type EngineChild, startChild } from "./child-process.ts";

// A Unix socket's path is cut after 107 bytes on Linux, 103 on macOS.
const longestSocketPath = 100;
const firstBackoffMs = 100;
const longestBackoffMs = 10_000;

export interface SupervisorHooks {
  readonly onMessage: (message: ToParent) => void;
  readonly onStart: (child: EngineChild) => void;
  /** The child has gone; everything it held is lost. */
  readonly onEnd: () => void;
  readonly onLog: (line: string) => void;
  readonly startTimeoutMs: number;
}

/** Keeps one engine child alive: a dead one is started again, later after each failure in a row. */
export class ChildSupervisor {
  readonly #options: Omit<ChildOptions, "socket" | "key">;
  readonly #runFolder: string;
  readonly #hooks: SupervisorHooks;
  readonly #closing = new AbortController();
  #child: EngineChild | null = null;
  #waiters: ((child: EngineChild | null) => void)[] = [];

  constructor(options: Omit<ChildOptions, "socket" | "key">, runFolder: string, hooks: SupervisorHooks) {
    this.#options = options;
    this.#runFolder = runFolder;
    this.#hooks = hooks;
  }

  /** The running child, or null while there is none. */
  get child(): EngineChild | null {
    return this.#child;
  }

  /**
   * Starts the first child; throws what stands in its way, or the signal's reason. Later ones are started without
   * being asked.
   */
  async start(signal?: AbortSignal): Promise<EngineChild> {
    const child = await this.#launch(signal);
    void this.#watch(child);
    return child;
  }

  /** The running child, or the next one within `milliseconds`. Throws `engine_closed` or `engine_start_failed`. */
  async ready(milliseconds: number): Promise<EngineChild> {
    if (this.#closing.signal.aborted) throw new InferenceError("engine_closed", "The engine is closed.");
    if (this.#child !== null) return this.#child;
    const child = await new Promise<EngineChild | null>((resolve) => {
      const timer = setTimeout(() => resolve(null), milliseconds);
      this.#waiters.push((next) => {
        clearTimeout(timer);
        resolve(next);
      });
    });
    if (child === null)
      throw new InferenceError("engine_start_failed", "The engine is not back yet: try again.");
    return child;
  }

  /** Ends the child and starts no other. */
  async close(): Promise<void> {
    this.#closing.abort();
    const child = this.#child;
    child?.kill();
    await child?.ended;
    for (const waiter of this.#waiters.splice(0)) waiter(null);
  }

  async #watch(first: EngineChild): Promise<void> {
    let child = first;
    let backoff = firstBackoffMs;
    for (;;) {
      await child.ended;
      this.#child = null;
      this.#hooks.onEnd();
      for (;;) {
        if (await this.#cancelled(backoff)) return;
        backoff = Math.min(backoff * 2, longestBackoffMs);
        try {
          child = await this.#launch();
          break;
        } catch (cause) {
          this.#hooks.onLog(`engine not restarted: ${cause instanceof Error ? cause.message : cause}`);
        }
      }
      // Only a child that lived a while proves that what killed the last one is over.
      const started = child;
      void delay(longestBackoffMs, undefined, { signal: this.#closing.signal, ref: false }).then(
        () => {
          if (this.#child === started) backoff = firstBackoffMs;
        },
        () => {},
      );
    }
  }

  async #cancelled(milliseconds: number): Promise<boolean> {
    try {
      await delay(milliseconds, undefined, { signal: this.#closing.signal });
      return false;
    } catch {
      return true;
    }
  }

  async #launch(signal?: AbortSignal): Promise<EngineChild> {
    const place = socketPlace(this.#runFolder);
    try {
      const options = { ...this.#options, socket: place.socket, key: randomUUID() };
      const child = await startChild(options, this.#hooks, signal);
      if (this.#closing.signal.aborted) {
        child.kill();
        throw new InferenceError("engine_closed", "The engine is closed.");
      }
      this.#child = child;
      this.#hooks.onStart(child);
      for (const waiter of this.#waiters.splice(0)) waiter(child);
      return child;
    } finally {
      // Connected or failed: nobody needs the name any more.
      place.remove();
    }
  }
}

function socketPlace(runFolder: string): { socket: string; remove: () => void } {
  const name = `engine-${randomUUID().slice(0, 8)}`;
  if (process.platform === "win32") return { socket: `\\\\.\\pipe\\slipstream-${name}`, remove: () => {} };
  mkdirSync(runFolder, { recursive: true, mode: 0o700 });
  const socket = join(runFolder, `${name}.sock`);
  if (Buffer.byteLength(socket) <= longestSocketPath) {
    return { socket, remove: () => rmSync(socket, { force: true }) };
  }
  const folder = mkdtempSync(join(tmpdir(), "slipstream-"));
  return { socket: join(folder, name), remove: () => rmSync(folder, { recursive: true, force: true }) };
}
