import { join } from "node:path";
import { configFolder } from "../host/folders.ts";
import type { Host } from "../host/host.ts";
import { configKeys } from "./config-keys.ts";
import { type ConfigLayer, layerFromEnvironment, layerFromFile, layerFromFlags } from "./config-layer.ts";
import { type Config, configSchema } from "./schema.ts";

/** A configuration and where each of its values came from. */
export interface LoadedConfig {
  readonly config: Config;
  /** By path (`port`, `techniques.delta`): `flag --port`, `variable SLIPSTREAM_PORT`, `file …`, `default`. */
  readonly origins: ReadonlyMap<string, string>;
}

/** What the command line says. */
export interface ConfigSources {
  /** Texts by path. */
  readonly flags: ReadonlyMap<string, string>;
  /** `--config FILE`. */
  readonly file: string | null;
}

/** The user's own configuration file. */
export function userConfigFile(host: Host): string {
  return join(configFolder(host), "config.json");
}

/**
 * Flags > SLIPSTREAM_* > --config > the user's configuration folder > defaults.
 * @throws CliError `config_invalid`, `config_unreadable`
 */
export async function loadConfig(sources: ConfigSources, host: Host): Promise<LoadedConfig> {
  const named = sources.file ?? host.env.SLIPSTREAM_CONFIG ?? null;
  const layers = [
    layerFromFlags(sources.flags),
    layerFromEnvironment(host.env),
    named === null ? { values: new Map() } : await layerFromFile(named, true),
    await layerFromFile(userConfigFile(host), false),
  ];
  return mergeLayers(layers);
}

/** The first layer that has a value gives it; what none has is a default. */
export function mergeLayers(layers: readonly ConfigLayer[]): LoadedConfig {
  const origins = new Map<string, string>();
  const content: Record<string, unknown> = {};
  const techniques: Record<string, unknown> = {};
  for (const { path } of configKeys) {
    const found = layers.map((layer) => layer.values.get(path)).find((entry) => entry !== undefined);
    origins.set(path, found?.origin ?? "default");
    if (found === undefined) continue;
    const [first = path, second] = path.split(".");
    if (second === undefined) content[first] = found.value;
    else techniques[second] = found.value;
  }
  return { config: configSchema.parse({ ...content, techniques }), origins };
}
