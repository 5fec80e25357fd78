import type { Item } from "@slipstream-stack/protocol";

/** What the scripted server does with one request. Without `fault` it answers well. */
export interface ScriptedAnswer {
  readonly items?: readonly Item[];
  /** Status of the end; `failed` carries `code`. */
  readonly end?: "completed" | "incomplete" | "failed";
  readonly code?: string;
  /** Emulates a server that gives no response id. */
  readonly emptyId?: boolean;
  readonly fault?: Fault;
}

export type Fault =
  /** Answers with an error: an HTTP status, or an error envelope on a WebSocket. */
  | {
      readonly kind: "error";
      readonly status: number;
      readonly code: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** Cuts the connection after this many events. */
  | { readonly kind: "drop"; readonly afterEvents: number }
  /** Sends this many events and then nothing more, with the connection open. */
  | { readonly kind: "hang"; readonly afterEvents: number }
  /** Sends text that is no JSON. */
  | { readonly kind: "garbage" };

export type WireObject = Record<string, unknown>;

/** The events of a scripted answer, in the wire's canonical order. */
export function answerEvents(id: string, answer: ScriptedAnswer, fingerprint: string | null): WireObject[] {
  const items = answer.items ?? [];
  const base = { id, object: "response", output: [], slipstream_settings: fingerprint };
  const status = answer.end ?? "completed";
  const events: WireObject[] = [
    { type: "response.created", response: { ...base, status: "in_progress" } },
    { type: "response.in_progress", response: { ...base, status: "in_progress" } },
    ...items.flatMap((item, index) => itemEvents(item, index)),
    {
      type: `response.${status}`,
      response: {
        ...base,
        status,
        output: items,
        error: status === "failed" ? { code: answer.code ?? "server_error", message: "scripted" } : null,
        incomplete_details: status === "incomplete" ? { reason: "max_output_tokens" } : null,
        usage: {
          input_tokens: 100,
          input_tokens_details: { cached_tokens: 90, cache_write_tokens: 10 },
          output_tokens: 5,
          output_tokens_details: { reasoning_tokens: 0 },
          total_tokens: 105,
        },
      },
    },
  ];
  return events.map((event, sequence) => ({ ...event, sequence_number: sequence }));
}

function itemEvents(item: Item, index: number): WireObject[] {
  const added = {
    type: "response.output_item.added",
    output_index: index,
    item: { ...item, status: "in_progress" },
  };
  const done = { type: "response.output_item.done", output_index: index, item };
  if (item.type !== "message") return [added, done];
  const delta = { type: "response.output_text.delta", output_index: index, content_index: 0, delta: "…" };
  return [added, delta, done];
}
