import { createHash } from "node:crypto";
import type { Item, LapRecord } from "@slipstream-stack/protocol";
import type { ResponseWrite } from "../store.ts";

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}

/** A lap record with every field, as a completed lap leaves it. */
export function lapRecordFixture(overrides: Partial<LapRecord> = {}): LapRecord {
  return {
    schema: 1,
    response_id: "resp_1",
    previous_response_id: null,
    model: "smollm2-135m-instruct",
    engine: "simulated",
    epoch: "e1f9c2",
    transport: "websocket",
    status: "completed",
    error_code: null,
    continuation: "none",
    bytes_in: 812,
    bytes_out: 2310,
    items: { input: 1, reused: 0, output: 1 },
    tokens: { prompt: 230, cached: 0, new: 230, evaluated: 230, output: 21 },
    work: { rendered_items: 1, tokenized_tokens: 230, hashed_tokens: 251, store_bytes: 1024 },
    base: null,
    wire_reason: null,
    cause: "first_request",
    worker: null,
    route_reason: null,
    forced: false,
    ms: {
      parse: 0.3,
      render: 0.2,
      queue: 0.1,
      prefill: 121.4,
      first_token: 123.1,
      decode: 210.7,
      store: 4.2,
      total: 341.9,
      since_last_lap: null,
    },
    ...overrides,
  };
}

/** A message item as the wire carries it. */
export function messageFixture(role: "user" | "assistant", text: string, id?: string): Item {
  const type = role === "user" ? "input_text" : "output_text";
  return { type: "message", role, content: [{ type, text }], ...(id === undefined ? {} : { id }) };
}

/** A write of one input message and one output message; `name` makes its id and contents. */
export function responseWriteFixture(name: string, overrides: Partial<ResponseWrite> = {}): ResponseWrite {
  const id = `resp_${name}`;
  const head = "You are a coding agent. Tools: shell.";
  const settings = '{"tools":[{"type":"function","name":"shell"}]}';
  return {
    scope: "default",
    id,
    parent: null,
    chain: id,
    depth: 0,
    items: [
      messageFixture("user", `question of ${name}`, `msg_${name}_in`),
      messageFixture("assistant", `answer to ${name}`, `msg_${name}_out`),
    ],
    inputCount: 1,
    sampled: { firstItem: 1, ids: Uint32Array.of(1, 300, 49_151, 2) },
    marks: [
      { end: 12, aligned: true },
      { end: 21, aligned: false },
    ],
    tokenizer: hashOf("tokenizer"),
    fingerprint: hashOf("renderer"),
    head: hashOf(head),
    settings: hashOf(settings),
    tip: { hash: hashOf(name), length: 21 },
    blobs: new Map([
      [hashOf(head), new TextEncoder().encode(head)],
      [hashOf(settings), new TextEncoder().encode(settings)],
    ]),
    body: { id, object: "response", status: "completed", metadata: { name } },
    lap: lapRecordFixture({ response_id: id }),
    expiresAt: null,
    ...overrides,
  };
}
