import { WireError } from "@slipstream-stack/protocol";
import { ApiError } from "../../errors.ts";

/** Why the store could not do something, in a form that crosses threads. */
export interface StoreFailure {
  readonly kind:
    | "full"
    | "locked"
    | "read_only"
    | "corrupt"
    | "unreachable"
    | "newer"
    | "invalid_after"
    | "overloaded"
    | "other";
  /** What the database or the file system said. */
  readonly detail: string;
}

/** Primary SQLite result codes (sqlite.org/rescode.html) by what an operator can do about them. */
const kindOfResult: Readonly<Record<number, StoreFailure["kind"]>> = {
  5: "locked",
  6: "locked",
  8: "read_only",
  10: "unreachable",
  11: "corrupt",
  13: "full",
  14: "unreachable",
  23: "read_only",
  26: "corrupt",
};

const kindOfSystemError: Readonly<Record<string, StoreFailure["kind"]>> = {
  ENOSPC: "full",
  EDQUOT: "full",
  EROFS: "read_only",
  EACCES: "read_only",
  EPERM: "read_only",
  ENOTDIR: "unreachable",
  EISDIR: "unreachable",
  ENOENT: "unreachable",
  EEXIST: "unreachable",
};

/** Sorts an error thrown by SQLite, the file system or the query layer. */
export function failureOf(error: unknown): StoreFailure {
  const detail = error instanceof Error ? error.message : String(error);
  if (ApiError.isInstance(error)) return { kind: "newer", detail };
  if (WireError.isInstance(error)) return { kind: "invalid_after", detail };
  const { errcode, code } = error as { errcode?: unknown; code?: unknown };
  if (typeof errcode === "number") return { kind: kindOfResult[errcode & 0xff] ?? "other", detail };
  return { kind: kindOfSystemError[String(code)] ?? "other", detail };
}

const advice: Readonly<Record<StoreFailure["kind"], string>> = {
  full: "The disk of the store, or its size limit, is full: free space or raise the limit.",
  locked: "Another process holds the store's file: end it, or give this server its own --store path.",
  read_only:
    "The store's file or folder cannot be written: correct its permissions or choose another --store path.",
  corrupt: "The store's file is damaged or is no SQLite file: move it away and restart, or restore a backup.",
  unreachable: "The store's file cannot be opened or read: check that its folder exists and its disk works.",
  newer: "The store's file belongs to a newer version.",
  invalid_after: "The page begins after an item that is not there.",
  overloaded: "Too many calls wait for the store, whose disk is too slow for them: try again later.",
  other: "The store failed; the server's log has the cause.",
};

/** Seconds after which a client may try again. */
const retryAfterSeconds = 2;

/** The error a request fails with when the store does. */
export function wireErrorOf(failure: StoreFailure): WireError {
  if (failure.kind === "invalid_after")
    return new WireError("invalid_value", failure.detail, { param: "after" });
  return new WireError("storage_unavailable", advice[failure.kind], {
    retryAfterSeconds,
    cause: new Error(failure.detail),
  });
}

/** The error that opening the store fails with. */
export function openErrorOf(failure: StoreFailure, path: string): ApiError {
  if (failure.kind === "newer") return new ApiError("store_unavailable", failure.detail);
  const code = failure.kind === "corrupt" ? "store_corrupt" : "store_unavailable";
  return new ApiError(code, `${advice[failure.kind]} (${path}: ${failure.detail})`);
}
