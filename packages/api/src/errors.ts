const brand = Symbol.for("slipstream.api.ApiError");

/** Stable codes of what can go wrong while the server is set up; requests fail with `WireError`. */
export type ApiErrorCode =
  | "port_in_use"
  | "address_unavailable"
  | "store_unavailable"
  | "store_corrupt"
  | "keys_unreadable"
  | "keys_required"
  | "dialect_broken"
  | "trajectory_unreadable";

/** An error of the API package, told apart by `code`. */
export class ApiError extends Error {
  readonly [brand] = true;
  readonly code: ApiErrorCode;

  constructor(code: ApiErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "ApiError";
    this.code = code;
  }

  /** Recognises an `ApiError` across copies of this package. */
  static isInstance(value: unknown): value is ApiError {
    return typeof value === "object" && value !== null && Object.hasOwn(value, brand);
  }
}
