import type { HeadSettings } from "../render/dialect.ts";
import { flattenTools } from "../render/flatten-tools.ts";
import type { ResolvedSettings } from "../settings/resolved-settings.ts";

const headSettingsOf = new WeakMap<ResolvedSettings, HeadSettings>();

/** What of the settings is rendered; made once per settings, so that its hash is too. */
export function toHeadSettings(settings: ResolvedSettings): HeadSettings {
  const before = headSettingsOf.get(settings);
  if (before !== undefined) return before;
  const made = { instructions: settings.instructions, tools: flattenTools(settings.tools) };
  headSettingsOf.set(settings, made);
  return made;
}
