import { readFile } from "node:fs/promises";
import { CliError } from "../errors.ts";
import { type ConfigKey, configKeys, flagOf, parseText } from "./config-keys.ts";
import { configSchema } from "./schema.ts";

/** Values of one place, by path; `origin` names the place for a person. */
export interface ConfigLayer {
  readonly values: ReadonlyMap<string, { readonly value: unknown; readonly origin: string }>;
}

/** Variables that begin like configuration but are none. */
const otherVariables = new Set([
  "SLIPSTREAM_CACHE",
  "SLIPSTREAM_CONFIG",
  "SLIPSTREAM_DATA",
  "SLIPSTREAM_TEST_MODEL",
  "SLIPSTREAM_API_KEY",
  "SLIPSTREAM_API_KEYS",
]);

/** @throws CliError `config_invalid` for a value that the key does not accept. */
export function layerFromFlags(flags: ReadonlyMap<string, string>): ConfigLayer {
  const values = [...flags].map(([path, text]) => {
    const key = configKeys.find((candidate) => candidate.path === path);
    const origin = `flag ${flagOf(path)}`;
    if (key === undefined) throw unknown(path, origin);
    return [path, { value: readText(key, text, origin), origin }] as const;
  });
  return { values: new Map(values) };
}

/** @throws CliError `config_invalid` for an unknown `SLIPSTREAM_` variable or a value that is not accepted. */
export function layerFromEnvironment(env: Readonly<Record<string, string | undefined>>): ConfigLayer {
  const values = Object.entries(env).flatMap(([variable, text]) => {
    if (!variable.startsWith("SLIPSTREAM_") || otherVariables.has(variable) || text === undefined) return [];
    const key = configKeys.find((candidate) => candidate.variable === variable);
    const origin = `variable ${variable}`;
    if (key === undefined) throw unknown(variable, "the environment");
    return [[key.path, { value: readText(key, text, origin), origin }] as const];
  });
  return { values: new Map(values) };
}

/**
 * Reads a JSON file. A file that need not exist gives an empty layer when it does not.
 * @throws CliError `config_unreadable`, `config_invalid`
 */
export async function layerFromFile(path: string, required: boolean): Promise<ConfigLayer> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if (!required && (error as NodeJS.ErrnoException).code === "ENOENT") return { values: new Map() };
    throw new CliError("config_unreadable", `The configuration ${path} cannot be read.`, error);
  }
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch (error) {
    throw new CliError(
      "config_invalid",
      `The configuration ${path} is not JSON: ${(error as Error).message}`,
      error,
    );
  }
  return layerFromObject(content, `file ${path}`);
}

/** @throws CliError `config_invalid` with the path of what is wrong. */
function layerFromObject(content: unknown, origin: string): ConfigLayer {
  const parsed = configSchema.safeParse(content);
  if (!parsed.success) {
    const issues = parsed.error.issues.map(
      ({ path, message }) => `${path.join(".") || "(root)"}: ${message}`,
    );
    throw new CliError("config_invalid", `${origin}: ${issues.join("; ")}`);
  }
  const given = flatten(content as Record<string, unknown>);
  return { values: new Map([...given].map(([path, value]) => [path, { value, origin }])) };
}

function flatten(content: Record<string, unknown>): Map<string, unknown> {
  const { techniques, ...top } = content;
  const inner = Object.entries((techniques ?? {}) as object).map(([name, value]) => [
    `techniques.${name}`,
    value,
  ]);
  return new Map([...Object.entries(top), ...(inner as [string, unknown][])]);
}

function readText(key: ConfigKey, text: string, origin: string): unknown {
  const value = parseText(key, text);
  if (value !== undefined) return value;
  const candidate = /^[+-]?\d+(?:\.\d+)?$/.test(text.trim()) ? Number(text) : text;
  const issue = key.schema.safeParse(candidate).error?.issues[0]?.message ?? "not accepted";
  throw new CliError("config_invalid", `${origin}: "${text}" is not a value for ${key.path} (${issue})`);
}

function unknown(name: string, origin: string): CliError {
  return new CliError(
    "config_invalid",
    `${name} in ${origin} is no configuration key. See: slipstream config --print`,
  );
}
