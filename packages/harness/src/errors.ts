const brand = Symbol.for("slipstream.harness.HarnessError");
const transportBrand = Symbol.for("slipstream.harness.TransportError");

/** Stable codes of what can go wrong while an agent is set up or its session is opened. */
export type HarnessErrorCode =
  | "agent_closed"
  | "agent_busy"
  | "duplicate_tool"
  | "invalid_option"
  | "sandbox_missing"
  | "sandbox_unusable"
  | "session_corrupt"
  | "session_locked"
  | "session_not_found"
  | "session_unsupported"
  | "session_unwritable"
  | "workspace_missing";

/** An error of the harness, told apart by `code`. Its message says what to do. */
export class HarnessError extends Error {
  readonly [brand] = true;
  readonly code: HarnessErrorCode;

  constructor(code: HarnessErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "HarnessError";
    this.code = code;
  }

  /** Recognises a `HarnessError` across copies of this package. */
  static isInstance(value: unknown): value is HarnessError {
    return typeof value === "object" && value !== null && Object.hasOwn(value, brand);
  }
}

/**
 * How an attempt at a response failed. `upgrade_required`: the server speaks no WebSocket (426); `refused`:
 * it declined the upgrade otherwise; `unreachable`: no connection; `timeout`: silence; `broken`: the stream
 * ended in the middle; `rejected`: the server answered with an error; `protocol`: it sent what we cannot read.
 */
export type TransportFailureKind =
  | "upgrade_required"
  | "refused"
  | "unreachable"
  | "timeout"
  | "broken"
  | "rejected"
  | "protocol";

export interface TransportErrorDetails {
  /** The code the server gave; the kind stands in where there is none. */
  readonly code?: string | null;
  /** HTTP status of the refusal or error, where there was one. */
  readonly status?: number | null;
  /** Milliseconds the server asks to wait before a retry. */
  readonly retryAfterMs?: number | null;
  readonly cause?: unknown;
}

/** A failed attempt at one response, told apart by `kind` and `code`. */
export class TransportError extends Error {
  readonly [transportBrand] = true;
  readonly kind: TransportFailureKind;
  readonly code: string;
  readonly status: number | null;
  readonly retryAfterMs: number | null;

  constructor(kind: TransportFailureKind, message: string, details: TransportErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = "TransportError";
    this.kind = kind;
    this.code = details.code ?? kind;
    this.status = details.status ?? null;
    this.retryAfterMs = details.retryAfterMs ?? null;
  }

  /** Recognises a `TransportError` across copies of this package. */
  static isInstance(value: unknown): value is TransportError {
    return typeof value === "object" && value !== null && Object.hasOwn(value, transportBrand);
  }
}
