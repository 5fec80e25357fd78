const brand = Symbol.for("slipstream.inference.InferenceError");

/** Stable codes of what can go wrong while an engine or model is set up. Requests fail by event, not by throw. */
export type InferenceErrorCode =
  | "library_missing"
  | "library_mismatch"
  | "model_missing"
  | "model_broken"
  | "model_unsupported"
  | "context_too_large"
  | "engine_start_failed"
  | "engine_closed"
  | "constraint_invalid"
  | "token_unknown";

/** An error of the inference package, told apart by `code`. */
export class InferenceError extends Error {
  readonly [brand] = true;
  readonly code: InferenceErrorCode;

  constructor(code: InferenceErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "InferenceError";
    this.code = code;
  }

  /** Recognises an `InferenceError` across copies of this package. */
  static isInstance(value: unknown): value is InferenceError {
    return typeof value === "object" && value !== null && Object.hasOwn(value, brand);
  }
}
