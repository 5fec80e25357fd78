import { createHash } from "node:crypto";
import type { Hash } from "@slipstream-stack/inference";

/** Members that belong to one request alone; all others are settings. */
const requestMembers: ReadonlySet<string> = new Set([
  "type",
  "input",
  "previous_response_id",
  "client_metadata",
  "metadata",
  "stream",
  "stream_options",
  "stream_id",
  "generate",
  "store",
  "slipstream_settings",
]);

/** A create body cut in two without parsing: what stays from lap to lap, and what belongs to this request. */
export interface SplitFrame {
  /** Hash of the settings' raw members, independent of their order. */
  readonly settingsKey: Hash;
  /** JSON text of the settings alone. */
  readonly settings: string;
  /** JSON text of the request members alone. */
  readonly fields: string;
}

/**
 * Sorts the raw top-level members of a create body (see `splitMembers`) into settings and request members.
 * Two bodies whose settings have equal raw values have equal keys; a key that differs proves nothing (white
 * space inside a value is enough).
 */
export function splitFrame(members: ReadonlyMap<string, string>): SplitFrame {
  const settings: string[] = [];
  const fields: string[] = [];
  for (const [key, raw] of members) {
    const member = `${JSON.stringify(key)}:${raw}`;
    if (requestMembers.has(key)) fields.push(member);
    else settings.push(member);
  }
  const settingsText = `{${settings.sort().join(",")}}`;
  return {
    settingsKey: createHash("sha256").update(settingsText).digest("hex").slice(0, 32),
    settings: settingsText,
    fields: `{${fields.join(",")}}`,
  };
}
