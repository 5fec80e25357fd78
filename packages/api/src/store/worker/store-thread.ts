import { Worker } from "node:worker_threads";
import type { WireError } from "@slipstream-stack/protocol";
import type { DatabaseSettings } from "../sql/open-database.ts";
import { openErrorOf, type StoreFailure, wireErrorOf } from "./failure.ts";
import type { StoreCalls, StoreOperation, StoreReplyMessage } from "./protocol.ts";

/** Milliseconds between two tries to open a database that does not open. */
const restartDelayMs = 500;

interface Pending {
  readonly resolve: (result: never) => void;
  readonly reject: (error: Error) => void;
  readonly timer: NodeJS.Timeout;
}

export interface StoreThreadOptions {
  readonly settings: DatabaseSettings;
  /** Milliseconds until a call is given up; a commit given up may still become durable. */
  readonly callTimeoutMs: number;
  /** Calls that may wait at once; more are refused, so that a stuck disk does not fill the memory. */
  readonly pendingLimit: number;
  readonly onError: (error: Error) => void;
  /** Told when the thread is a new one, before any call reaches it. */
  readonly onStart: () => void;
}

/**
 * The thread that owns the database, seen from the event loop: calls with a timeout, and a new thread at the
 * next call after one has died.
 */
export class StoreThread {
  readonly #options: StoreThreadOptions;
  readonly #pending = new Map<number, Pending>();
  #worker: Worker | null = null;
  #opening: Promise<void> | null = null;
  #nextCall = 0;
  #waiting = 0;
  #closed = false;

  constructor(options: StoreThreadOptions) {
    this.#options = options;
  }

  /**
   * Starts the thread and opens the database; nothing to do where both stand. A failure is repeated for half a
   * second before it is tried again.
   * @throws ApiError `store_unavailable` or `store_corrupt`.
   */
  open(): Promise<void> {
    this.#opening ??= this.#start().catch((error: unknown) => {
      // Calls that follow fail at once: starting a thread for each would only burden a machine in trouble.
      setTimeout(() => {
        this.#opening = null;
      }, restartDelayMs).unref();
      throw error;
    });
    return this.#opening;
  }

  /** @throws WireError `storage_unavailable`; `invalid_value` for a page that begins nowhere. */
  async call<Operation extends StoreOperation>(
    operation: Operation,
    request: StoreCalls[Operation]["request"],
  ): Promise<StoreCalls[Operation]["result"]> {
    if (this.#closed) throw wireErrorOf({ kind: "other", detail: "The store has been closed." });
    if (this.#waiting >= this.#options.pendingLimit) {
      throw wireErrorOf({ kind: "overloaded", detail: `${this.#waiting} calls of the store are waiting.` });
    }
    this.#waiting += 1;
    try {
      await this.open();
      return await this.#send(operation, request);
    } catch (error) {
      throw this.#reported(error);
    } finally {
      this.#waiting -= 1;
    }
  }

  /** Lets running calls end, closes the file and ends the thread. A second close does nothing. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    const worker = this.#worker;
    if (worker === null) return;
    await this.#send("close", null).catch(this.#options.onError);
    this.#worker = null;
    await worker.terminate();
  }

  /** Ends the thread without warning, as a crash would. */
  async kill(): Promise<void> {
    await this.#worker?.terminate();
  }

  async #start(): Promise<void> {
    const { settings, onStart } = this.#options;
    const worker = new Worker(new URL("./sqlite-worker.ts", import.meta.url), {
      name: "slipstream-store",
      // node:sqlite warns that it is experimental; an operator can do nothing about it.
      execArgv: ["--disable-warning=ExperimentalWarning"],
    });
    this.#worker = worker;
    worker.on("message", (message: StoreReplyMessage) => this.#settle(message));
    worker.on("error", (error) => this.#options.onError(error));
    worker.on("exit", (code) => this.#lost(worker, code));
    onStart();
    try {
      await this.#send("open", settings);
      // A process that has nothing else to do may end; calls that wait hold it by their timers.
      worker.unref();
    } catch (error) {
      if (this.#worker === worker) this.#worker = null;
      await worker.terminate();
      throw error instanceof StoreCallError ? openErrorOf(error.failure, settings.path) : error;
    }
  }

  #send<Operation extends StoreOperation>(
    operation: Operation,
    request: StoreCalls[Operation]["request"],
  ): Promise<StoreCalls[Operation]["result"]> {
    const worker = this.#worker;
    if (worker === null) return Promise.reject(lostThread("The store's thread has ended."));
    const call = this.#nextCall++;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#pending.delete(call);
        const detail = `'${operation}' took longer than ${this.#options.callTimeoutMs} ms.`;
        reject(new StoreCallError({ kind: "unreachable", detail }));
      }, this.#options.callTimeoutMs);
      this.#pending.set(call, { resolve: resolve as (result: never) => void, reject, timer });
      worker.postMessage({ call, operation, request });
    });
  }

  #settle(message: StoreReplyMessage): void {
    const pending = this.#pending.get(message.call);
    // A call that timed out has been answered already.
    if (pending === undefined) return;
    this.#pending.delete(message.call);
    clearTimeout(pending.timer);
    if ("failure" in message) pending.reject(new StoreCallError(message.failure));
    else pending.resolve(message.result as never);
  }

  #lost(worker: Worker, code: number): void {
    if (this.#worker !== worker) return;
    this.#worker = null;
    this.#opening = null;
    for (const pending of this.#pending.values()) {
      clearTimeout(pending.timer);
      pending.reject(lostThread(`The store's thread ended with code ${code}.`));
    }
    this.#pending.clear();
  }

  #reported(error: unknown): WireError {
    const cause = error instanceof Error ? error : new Error(String(error));
    const failure: StoreFailure =
      error instanceof StoreCallError ? error.failure : { kind: "unreachable", detail: cause.message };
    const wireError = wireErrorOf(failure);
    if (wireError.code === "storage_unavailable") this.#options.onError(cause);
    return wireError;
  }
}

/** A call that the thread answered with a failure, or not at all. */
class StoreCallError extends Error {
  readonly failure: StoreFailure;

  constructor(failure: StoreFailure) {
    super(failure.detail);
    this.name = "StoreCallError";
    this.failure = failure;
  }
}

function lostThread(detail: string): StoreCallError {
  return new StoreCallError({ kind: "other", detail });
}
