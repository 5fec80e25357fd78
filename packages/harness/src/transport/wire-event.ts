import {
  isJsonObject,
  itemSchema,
  type JsonObject,
  type JsonValue,
  type Usage,
} from "@slipstream-stack/protocol";
import { TransportError } from "../errors.ts";
import type { TransportEvent } from "./model-transport.ts";
import { retryAfterMs } from "./retry-after.ts";

function text(value: JsonValue | undefined): string | null {
  return typeof value === "string" ? value : null;
}

function count(value: JsonValue | undefined): number {
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}

/** Usage with every count present; a server that leaves some out counts as 0 there. */
export function readUsage(value: JsonValue | undefined): Usage | null {
  if (!isJsonObject(value)) return null;
  const input = isJsonObject(value.input_tokens_details) ? value.input_tokens_details : {};
  const output = isJsonObject(value.output_tokens_details) ? value.output_tokens_details : {};
  return {
    input_tokens: count(value.input_tokens),
    input_tokens_details: {
      cached_tokens: count(input.cached_tokens),
      cache_write_tokens: count(input.cache_write_tokens),
    },
    output_tokens: count(value.output_tokens),
    output_tokens_details: { reasoning_tokens: count(output.reasoning_tokens) },
    total_tokens: count(value.total_tokens),
  };
}

function stringMap(value: JsonValue | undefined): Record<string, string> {
  if (!isJsonObject(value)) return {};
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, member]) =>
      typeof member === "string" ? [[key.toLowerCase(), member]] : [],
    ),
  );
}

/**
 * The error of an HTTP body, a WebSocket envelope, a flat SSE `error` or a failed response. `headers` are
 * those of the HTTP answer; the envelope's own win.
 */
export function readWireError(
  value: JsonValue | undefined,
  status: number | null,
  headers: Readonly<Record<string, string>> = {},
): TransportError {
  const outer = isJsonObject(value) ? value : {};
  const inner = isJsonObject(outer.error) ? outer.error : outer;
  const hints = { ...headers, ...stringMap(outer.headers), ...stringMap(inner.headers) };
  const code = text(inner.code) ?? text(inner.type);
  const message = text(inner.message) ?? `The server answered with status ${status ?? "unknown"}.`;
  return new TransportError("rejected", message, {
    code,
    status: typeof outer.status === "number" ? outer.status : status,
    retryAfterMs: retryAfterMs(hints, message),
  });
}

function readResponse(event: JsonObject): JsonObject {
  return isJsonObject(event.response) ? event.response : {};
}

function readEnd(event: JsonObject, type: "completed" | "incomplete"): TransportEvent {
  const response = readResponse(event);
  const details = isJsonObject(response.incomplete_details) ? response.incomplete_details : {};
  return {
    type,
    responseId: text(response.id) ?? "",
    usage: readUsage(response.usage),
    reason: type === "incomplete" ? (text(details.reason) ?? "unknown") : null,
    settingsFingerprint: text(response.slipstream_settings),
  };
}

function readItem(event: JsonObject): TransportEvent {
  const parsed = itemSchema.safeParse(event.item);
  if (parsed.success) return { type: "item", item: parsed.data };
  throw new TransportError("protocol", "The server sent an output item that is not valid.", {
    cause: parsed.error,
  });
}

/**
 * What one event of the wire means to the harness; null for those it has no use for, unknown ones included.
 * Throws the `TransportError` that an `error` event or a failed response stands for.
 */
export function readWireEvent(value: JsonValue): TransportEvent | null {
  if (!isJsonObject(value))
    throw new TransportError("protocol", "The server sent an event that is no object.");
  switch (value.type) {
    case "response.created":
      return { type: "created", responseId: text(readResponse(value).id) ?? "" };
    case "response.output_item.added":
      return { type: "item-started" };
    case "response.output_item.done":
      return readItem(value);
    case "response.output_text.delta":
    case "response.refusal.delta":
      return { type: "text-delta", delta: text(value.delta) ?? "" };
    case "response.reasoning_text.delta":
    case "response.reasoning_summary_text.delta":
      return { type: "reasoning-delta", delta: text(value.delta) ?? "" };
    case "response.completed":
      return readEnd(value, "completed");
    case "response.incomplete":
      return readEnd(value, "incomplete");
    case "response.failed":
      throw readWireError(readResponse(value).error, null);
    case "error":
      throw readWireError(value, null);
    default:
      return null;
  }
}
