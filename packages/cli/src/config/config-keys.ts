import type { z } from "zod";
import { configSchema } from "./schema.ts";

/** One value that can be set: its path, how it is called on each layer, and what it accepts. */
export interface ConfigKey {
  /** `port`, `techniques.delta`. */
  readonly path: string;
  /** `SLIPSTREAM_TECHNIQUES_DELTA`. */
  readonly variable: string;
  readonly schema: z.ZodType;
}

function listKeys(): ConfigKey[] {
  return Object.entries(configSchema.shape).flatMap(([name, schema]) => {
    if (name !== "techniques") return [toKey(name, schema)];
    const techniques = configSchema.shape.techniques.out.shape;
    return Object.entries(techniques).map(([technique, inner]) => toKey(`techniques.${technique}`, inner));
  });
}

function toKey(path: string, schema: z.ZodType): ConfigKey {
  return { path, variable: `SLIPSTREAM_${path.replace(".", "_").toUpperCase()}`, schema };
}

/** All keys, in the schema's order. */
export const configKeys: readonly ConfigKey[] = listKeys();

/**
 * Reads a text of the command line or the environment as the key's type: as it stands, as a number, as a
 * switch, as a list with commas. Undefined when it is none of what the key accepts.
 */
export function parseText(key: ConfigKey, text: string): unknown {
  const trimmed = text.trim();
  const candidates: unknown[] = [trimmed];
  if (/^[+-]?\d+(?:\.\d+)?$/.test(trimmed)) candidates.push(Number(trimmed));
  const asSwitch = switches.get(trimmed.toLowerCase());
  if (asSwitch !== undefined) candidates.push(asSwitch);
  candidates.push(trimmed === "" ? [] : trimmed.split(",").map((part) => part.trim()));
  return candidates.find((candidate) => key.schema.safeParse(candidate).success);
}

const switches = new Map([
  ["true", true],
  ["1", true],
  ["on", true],
  ["yes", true],
  ["false", false],
  ["0", false],
  ["off", false],
  ["no", false],
]);

/** Whether a key is on or off, so that its flag may stand alone. */
export function takesSwitch(key: ConfigKey): boolean {
  return key.schema.safeParse(true).success;
}

/** `techniques.prefix_reuse` is `--techniques-prefix-reuse` on the command line. */
export function flagOf(path: string): string {
  return `--${path.replace(/[._]/g, "-")}`;
}
