import type { Hash, Scope } from "@slipstream-stack/inference";
import { type CreateRequest, type RequestSettings, settingsSchema } from "@slipstream-stack/protocol";
import { LRUCache } from "lru-cache";
import { type ResolvedSettings, resolveSettings } from "./resolved-settings.ts";

const settingsKeys = Object.keys(settingsSchema.shape) as (keyof RequestSettings)[];

/** The settings members of a create request, without those of the request itself. */
export function pickSettings(request: Partial<CreateRequest>): Partial<RequestSettings> {
  const picked: Record<string, unknown> = {};
  for (const key of settingsKeys) if (request[key] !== undefined) picked[key] = request[key];
  return picked as Partial<RequestSettings>;
}

/**
 * Resolved settings by the key of their raw bytes and by fingerprint, so that settings resent byte for byte
 * on every lap are resolved, flattened and hashed once. Settings of equal value share one object.
 */
export class SettingsCache {
  readonly #byKey: LRUCache<string, ResolvedSettings>;
  readonly #byFingerprint: LRUCache<string, ResolvedSettings>;

  constructor(bytesLimit: number) {
    const bounds = { maxSize: bytesLimit, sizeCalculation: (settings: ResolvedSettings) => settings.bytes };
    this.#byKey = new LRUCache(bounds);
    this.#byFingerprint = new LRUCache(bounds);
  }

  /** `key` stands for the raw bytes of what `read` returns; `read` runs only for a key not seen lately. */
  resolve(scope: Scope, key: string, read: () => RequestSettings): ResolvedSettings {
    const before = this.#byKey.get(`${scope}\0${key}`);
    if (before !== undefined) return before;
    const fresh = resolveSettings(read());
    const resolved = this.byFingerprint(scope, fresh.fingerprint) ?? fresh;
    this.#byKey.set(`${scope}\0${key}`, resolved);
    this.#byFingerprint.set(`${scope}\0${resolved.fingerprint}`, resolved);
    return resolved;
  }

  byFingerprint(scope: Scope, fingerprint: Hash): ResolvedSettings | null {
    return this.#byFingerprint.get(`${scope}\0${fingerprint}`) ?? null;
  }
}
