import { createHash, timingSafeEqual } from "node:crypto";
import type { Scope } from "@slipstream-stack/inference";
import { WireError } from "@slipstream-stack/protocol";
import { ApiError } from "../../errors.ts";
import { isLoopback } from "./loopback.ts";

/** The scope of everybody where there are no keys. */
export const defaultScope: Scope = "default";

/** A bearer key and the tenant it stands for. */
export interface ApiKey {
  readonly key: string;
  readonly scope: Scope;
}

/** Says who a request is from. */
export interface Authenticator {
  /**
   * The scope of an `Authorization` header.
   *
   * @throws WireError `invalid_api_key`
   */
  authenticate(authorization: string | undefined): Scope;
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

/** The scope of a key that names none: told apart by the key, which it does not give away. */
function scopeOf(key: string): Scope {
  return `key-${digest(`slipstream/scope\0${key}`).toString("hex").slice(0, 16)}`;
}

/**
 * Reads keys from the text of a key file: one a line, optionally followed by white space and the name of its
 * scope, so that two keys can share one. Empty lines and lines that begin with `#` are left out.
 *
 * @throws ApiError `keys_unreadable` naming the line
 */
export function parseKeys(text: string): ApiKey[] {
  const keys: ApiKey[] = [];
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const trimmed = line.trim();
    if (trimmed === "" || trimmed.startsWith("#")) continue;
    const [key = "", scope, ...rest] = trimmed.split(/\s+/);
    const isScope = scope === undefined || /^[A-Za-z0-9_.-]{1,64}$/.test(scope);
    if (rest.length > 0 || !isScope || !/^[\x21-\x7e]+$/.test(key)) {
      throw new ApiError("keys_unreadable", `Line ${index + 1} of the keys is not "KEY" or "KEY SCOPE".`);
    }
    keys.push({ key, scope: scope ?? scopeOf(key) });
  }
  return keys;
}

/**
 * Checks bearer keys. Without keys everybody is let in under the default scope, on loopback hosts only.
 *
 * @param host the address the server listens on
 * @throws ApiError `keys_required` where there are no keys and the host is reachable from elsewhere
 */
export function createAuthenticator(keys: readonly ApiKey[], host: string): Authenticator {
  if (keys.length === 0) {
    if (isLoopback(host)) return { authenticate: () => defaultScope };
    throw new ApiError(
      "keys_required",
      `Listening on ${host} needs API keys: give a file with --keys-file, set SLIPSTREAM_API_KEYS, or listen on 127.0.0.1.`,
    );
  }
  const known = keys.map(({ key, scope }) => ({ hash: digest(key), scope }));
  return {
    authenticate(authorization) {
      const given = digest(/^Bearer\s+(\S+)\s*$/i.exec(authorization ?? "")?.[1] ?? "");
      let scope: Scope | null = null;
      // Every key is compared, so that the time says nothing about which one came close.
      for (const entry of known) if (timingSafeEqual(entry.hash, given)) scope = entry.scope;
      if (scope !== null) return scope;
      throw new WireError(
        "invalid_api_key",
        "The API key is missing or wrong; send `Authorization: Bearer KEY`.",
      );
    },
  };
}
