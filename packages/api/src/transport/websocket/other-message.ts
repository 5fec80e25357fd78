import { type JsonObject, type JsonValue, WireError } from "@slipstream-stack/protocol";

/** The events by which a client is told that something was not done. */
export interface RefusalEvent {
  readonly type: "response.steer.failed" | "response.inject.failed";
  readonly [key: string]: JsonValue | undefined;
}

function text(value: JsonValue | undefined): JsonValue {
  return typeof value === "string" ? value : null;
}

/**
 * Answers a client event other than `response.create`. Steering and injecting are refused by their own
 * events, which clients know how to take.
 *
 * @throws WireError `missing_required_parameter` without `type`, `invalid_value` for any other
 */
export function answerOther(type: string | null, message: JsonObject): RefusalEvent {
  if (type === null) {
    throw new WireError("missing_required_parameter", "`type` is missing; send `response.create`.", {
      param: "type",
    });
  }
  if (type === "response.steer") {
    return {
      type: "response.steer.failed",
      sequence_number: 0,
      error: {
        type: "invalid_request_error",
        code: "steering_not_supported",
        message: "The served model cannot be steered; send the text with the next response.create.",
      },
      steer: { input: message.input ?? null, previous_response_id: text(message.previous_response_id) },
    };
  }
  if (type === "response.inject") {
    return {
      type: "response.inject.failed",
      sequence_number: 0,
      response_id: text(message.response_id),
      input: message.input ?? null,
      error: {
        code: "response_not_found",
        message: "No running response takes injected input; send it with the next response.create.",
      },
    };
  }
  throw new WireError("invalid_value", `The event type "${type.slice(0, 64)}" is not known here.`, {
    param: "type",
  });
}
