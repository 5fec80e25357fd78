import { Worker } from "node:worker_threads";
import { type Item, type JsonObject, WireError, type WireErrorCode } from "@slipstream-stack/protocol";
import type { TransportLimits } from "../limits.ts";
import type { CreateParts, Frame, FrameHead, FrameMode } from "./read-create.ts";

/** From the server to the worker. `next` asks for more of a body's items, so that no answer blocks for long. */
export type OffloadRequest =
  | {
      readonly type: "read";
      readonly id: number;
      readonly bytes: Uint8Array;
      readonly mode: FrameMode;
      readonly limits: TransportLimits;
    }
  | { readonly type: "next"; readonly id: number };

/** A `WireError` as it crosses threads. */
export interface PlainError {
  readonly code: WireErrorCode;
  readonly message: string;
  readonly param: string | null;
}

/** From the worker to the server: a create's parts without its items, then those in batches; or the rest. */
export type OffloadAnswer =
  | {
      readonly type: "parts";
      readonly id: number;
      readonly head: FrameHead;
      readonly parts: Omit<CreateParts, "input">;
    }
  | { readonly type: "items"; readonly id: number; readonly items: Item[]; readonly isLast: boolean }
  | { readonly type: "refused"; readonly id: number; readonly head: FrameHead; readonly error: PlainError }
  | { readonly type: "other"; readonly id: number; readonly head: FrameHead; readonly value: JsonObject }
  | { readonly type: "unreadable"; readonly id: number; readonly error: PlainError };

interface Pending {
  started: { readonly head: FrameHead; readonly parts: Omit<CreateParts, "input"> } | null;
  readonly input: Item[];
  readonly resolve: (frame: Frame) => void;
  readonly reject: (error: WireError) => void;
}

function wireError(plain: PlainError): WireError {
  return new WireError(plain.code, plain.message, { param: plain.param });
}

/** The memory of `bytes` where nothing else lives in it, so that it can move instead of being copied. */
function movable({ buffer, byteLength }: Uint8Array): ArrayBuffer[] {
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : [];
}

/** Parses and checks large bodies in a worker thread, so that they do not hold up the event loop. */
export class CreateOffload {
  #worker: Worker | null = null;
  readonly #pending = new Map<number, Pending>();
  #lastId = 0;

  /**
   * Reads a body as `readFrame` does, always parsing its settings. `bytes` may be empty afterwards.
   *
   * @throws WireError as `readFrame`; `server_error` where the worker fails
   */
  read(bytes: Uint8Array, mode: FrameMode, limits: TransportLimits): Promise<Frame> {
    const worker = this.#started();
    this.#lastId += 1;
    const id = this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<Frame>();
    this.#pending.set(id, { started: null, input: [], resolve, reject });
    worker.ref();
    worker.postMessage({ type: "read", id, bytes, mode, limits } satisfies OffloadRequest, movable(bytes));
    return promise;
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    this.#worker = null;
    this.#fail("The server is closing.");
    await worker?.terminate();
  }

  #started(): Worker {
    if (this.#worker !== null) return this.#worker;
    const worker = new Worker(new URL("./offload-worker.ts", import.meta.url));
    worker.on("message", (answer: OffloadAnswer) => this.#answered(worker, answer));
    // A worker out of memory ends with an error; the next large body gets a new one.
    worker.on("error", () => this.#lost(worker));
    worker.on("exit", () => this.#lost(worker));
    this.#worker = worker;
    return worker;
  }

  #answered(worker: Worker, answer: OffloadAnswer): void {
    const pending = this.#pending.get(answer.id);
    if (pending === undefined) return;
    if (answer.type === "parts") pending.started = answer;
    if (answer.type === "items") pending.input.push(...answer.items);
    if (answer.type === "parts" || (answer.type === "items" && !answer.isLast)) {
      // The next batch is asked for in a later turn of the event loop, so that others get theirs first.
      setImmediate(() => worker.postMessage({ type: "next", id: answer.id } satisfies OffloadRequest));
      return;
    }
    this.#finish(worker, answer.id);
    settle(pending, answer);
  }

  #finish(worker: Worker, id: number): void {
    this.#pending.delete(id);
    if (this.#pending.size === 0) worker.unref();
  }

  #lost(worker: Worker): void {
    if (this.#worker !== worker) return;
    this.#worker = null;
    this.#fail("The body could not be read; it may be too large for this server's memory.");
  }

  #fail(message: string): void {
    const waiting = [...this.#pending.values()];
    this.#pending.clear();
    for (const pending of waiting) pending.reject(new WireError("server_error", message));
  }
}

function settle(pending: Pending, answer: Exclude<OffloadAnswer, { type: "parts" }>): void {
  if (answer.type === "unreadable") {
    pending.reject(wireError(answer.error));
    return;
  }
  const frame = frameOf(pending, answer);
  if (frame !== null) pending.resolve(frame);
}

function frameOf(
  pending: Pending,
  answer: Exclude<OffloadAnswer, { type: "parts" | "unreadable" }>,
): Frame | null {
  if (answer.type === "refused") {
    return { head: answer.head, content: { kind: "refused", error: wireError(answer.error) } };
  }
  if (answer.type === "other") return { head: answer.head, content: { kind: "other", value: answer.value } };
  if (pending.started === null) return null;
  const { head, parts } = pending.started;
  return { head, content: { kind: "create", parts: { ...parts, input: pending.input } } };
}
