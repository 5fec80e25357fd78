import { type RequestSettings, WireError } from "@slipstream-stack/protocol";
import type { ResolvedSettings } from "./resolved-settings.ts";

/**
 * The settings of a request that inherits: what it gives wins, what it omits comes from `parent`. The client
 * names the parent's fingerprint, so that neither side can be wrong about what was omitted.
 * @throws WireError settings_mismatch where the fingerprint is another's.
 */
export function inheritSettings(
  given: Partial<RequestSettings>,
  inherit: string,
  parent: ResolvedSettings | null,
): RequestSettings {
  if (parent === null || parent.fingerprint !== inherit) {
    throw new WireError(
      "settings_mismatch",
      "The settings fingerprint is not that of the response this request continues. Send all settings again.",
      { param: "slipstream_settings" },
    );
  }
  return Object.keys(given).length === 0 ? parent.given : { ...parent.given, ...given };
}
