/** OpenAI's `error.type` names. */
export type WireErrorType =
  | "invalid_request_error"
  | "authentication_error"
  | "permission_error"
  | "rate_limit_error"
  | "server_error";

/** The error object of HTTP bodies, WebSocket envelopes and failed responses. All four keys are always there. */
export interface WireErrorBody {
  message: string;
  type: WireErrorType;
  param: string | null;
  code: string | null;
}

/** Every code this server puts on the wire, with its HTTP status and type (responses-api, section 16). */
export const wireErrorCodes = {
  invalid_value: { status: 400, type: "invalid_request_error" },
  invalid_json: { status: 400, type: "invalid_request_error" },
  missing_required_parameter: { status: 400, type: "invalid_request_error" },
  previous_response_not_found: { status: 400, type: "invalid_request_error" },
  context_length_exceeded: { status: 400, type: "invalid_request_error" },
  settings_mismatch: { status: 400, type: "invalid_request_error" },
  trajectory_mismatch: { status: 400, type: "invalid_request_error" },
  trajectory_exhausted: { status: 400, type: "invalid_request_error" },
  invalid_stream_id: { status: 400, type: "invalid_request_error" },
  websocket_stream_limit_reached: { status: 400, type: "invalid_request_error" },
  websocket_connection_limit_reached: { status: 400, type: "invalid_request_error" },
  invalid_api_key: { status: 401, type: "authentication_error" },
  forbidden_origin: { status: 403, type: "permission_error" },
  not_found: { status: 404, type: "invalid_request_error" },
  model_not_found: { status: 404, type: "invalid_request_error" },
  method_not_allowed: { status: 405, type: "invalid_request_error" },
  request_too_large: { status: 413, type: "invalid_request_error" },
  unsupported_media_type: { status: 415, type: "invalid_request_error" },
  rate_limit_exceeded: { status: 429, type: "rate_limit_error" },
  client_closed_request: { status: 499, type: "invalid_request_error" },
  server_error: { status: 500, type: "server_error" },
  storage_unavailable: { status: 503, type: "server_error" },
  server_is_overloaded: { status: 503, type: "server_error" },
} as const satisfies Record<string, { status: number; type: WireErrorType }>;
export type WireErrorCode = keyof typeof wireErrorCodes;

const brand = Symbol.for("slipstream.protocol.WireError");

/**
 * An error a client sees, with OpenAI's code, type, param and status. Thrown anywhere below a transport and
 * turned into the transport's own envelope there.
 */
export class WireError extends Error {
  readonly [brand] = true;
  readonly code: WireErrorCode;
  readonly param: string | null;
  readonly status: number;
  readonly type: WireErrorType;
  /** Whole seconds after which a retry makes sense; sent as `retry-after`. */
  readonly retryAfterSeconds: number | null;

  constructor(
    code: WireErrorCode,
    message: string,
    options: { param?: string | null; retryAfterSeconds?: number; status?: number; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "WireError";
    this.code = code;
    this.param = options.param ?? null;
    this.status = options.status ?? wireErrorCodes[code].status;
    this.type = wireErrorCodes[code].type;
    this.retryAfterSeconds = options.retryAfterSeconds ?? null;
  }

  /** The error object as it stands on the wire. */
  body(): WireErrorBody {
    return { message: this.message, type: this.type, param: this.param, code: this.code };
  }

  /** Recognises a `WireError` across copies of this package. */
  static isInstance(value: unknown): value is WireError {
    return typeof value === "object" && value !== null && Object.hasOwn(value, brand);
  }
}
