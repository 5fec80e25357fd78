import { type MessagePort, parentPort } from "node:worker_threads";
import { type Item, WireError } from "@slipstream-stack/protocol";
import { batchItems } from "./batch-items.ts";
import type { OffloadAnswer, OffloadRequest, PlainError } from "./offload.ts";
import { decodeText, readFrame } from "./read-create.ts";

/** Text units per batch of items: well under 5 ms of deserialising on the other side. */
const batchSize = 128 * 1024;

const waiting = new Map<number, Iterator<{ items: Item[]; isLast: boolean }>>();

function plainError(error: unknown): PlainError {
  if (WireError.isInstance(error)) return { code: error.code, message: error.message, param: error.param };
  return { code: "server_error", message: "The body could not be read.", param: null };
}

function read({ id, bytes, mode, limits }: OffloadRequest & { type: "read" }): OffloadAnswer {
  try {
    const { head, content } = readFrame(decodeText(bytes), mode, null, limits);
    if (content.kind === "other") return { type: "other", id, head, value: content.value };
    if (content.kind === "refused") return { type: "refused", id, head, error: plainError(content.error) };
    const { input, ...parts } = content.parts;
    waiting.set(id, batchItems(input, batchSize));
    return { type: "parts", id, head, parts };
  } catch (error) {
    return { type: "unreadable", id, error: plainError(error) };
  }
}

function next(id: number): OffloadAnswer | null {
  const batch = waiting.get(id)?.next();
  if (batch === undefined || batch.done === true) return null;
  if (batch.value.isLast) waiting.delete(id);
  return { type: "items", id, ...batch.value };
}

function serve(port: MessagePort): void {
  port.on("message", (request: OffloadRequest) => {
    const answer = request.type === "read" ? read(request) : next(request.id);
    if (answer !== null) port.postMessage(answer);
  });
}

if (parentPort !== null) serve(parentPort);
