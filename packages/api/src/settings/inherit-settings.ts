import { type RequestSettings, WireError } from "@slipstream-stack/protocol";
import type { ResolvedSettings } from "./resolved-settings.ts";

/**
 * Holds the fingerprint a client sends back against the response it continues, so that neither side can be
 * wrong about what was omitted.
 * @throws WireError settings_mismatch where the fingerprint is another's.
 */
export function requireSettings(inherit: string, parent: ResolvedSettings | null): ResolvedSettings {
  if (parent?.fingerprint === inherit) return parent;
  throw new WireError(
    "settings_mismatch",
    "The settings fingerprint is not that of the response this request continues. Send all settings again.",
    { param: "slipstream_settings" },
  );
}

/** The settings of a request that inherits: what it gives wins, what it omits comes from `parent`. */
export function inheritSettings(given: Partial<RequestSettings>, parent: ResolvedSettings): RequestSettings {
  return Object.keys(given).length === 0 ? parent.given : { ...parent.given, ...given };
}
