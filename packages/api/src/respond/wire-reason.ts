import { canonicalJson, type JsonValue, type WireMissReason } from "@slipstream-stack/protocol";
import type { ResolvedSettings } from "../settings/resolved-settings.ts";

const compared: readonly (readonly [reason: WireMissReason, of: (settings: ResolvedSettings) => unknown])[] =
  [
    ["model_changed", (settings) => settings.model],
    ["prompt_cache_key_changed", (settings) => settings.cacheKey],
    ["tools_changed", (settings) => settings.tools],
    ["text_format_changed", (settings) => settings.format],
    ["reasoning_effort_changed", (settings) => settings.effort],
    ["verbosity_changed", (settings) => settings.verbosity],
    ["input_changed", (settings) => settings.instructions],
    ["service_tier_changed", (settings) => settings.serviceTier],
  ];

/**
 * Which of OpenAI's nine reasons tells two requests of one conversation apart: the first setting that differs,
 * in the order in which a change reaches the prompt. Null where the settings are equal.
 */
export function changedSetting(before: ResolvedSettings, after: ResolvedSettings): WireMissReason | null {
  if (before === after) return null;
  const found = compared.find(
    ([, of]) =>
      canonicalJson((of(before) ?? null) as JsonValue) !== canonicalJson((of(after) ?? null) as JsonValue),
  );
  return found?.[0] ?? null;
}
