import { flagOf } from "../config/config-keys.ts";
import type { ConfigSources, LoadedConfig } from "../config/load-config.ts";

/**
 * Arguments that make a child `slipstream serve` see the same configuration. It gets its own host and port; what
 * nobody asked for is as a child wants it: responses in memory, and a quiet log.
 */
export function serveArguments(sources: ConfigSources, loaded: LoadedConfig): string[] {
  const file = sources.file === null ? [] : ["--config", sources.file];
  const flags = [...sources.flags].filter(([path]) => path !== "host" && path !== "port");
  const given = flags.flatMap(([path, text]) => [flagOf(path), text]);
  return [
    ...file,
    ...given,
    ...unlessSet(loaded, "store", ":memory:"),
    ...unlessSet(loaded, "log_level", "warn"),
  ];
}

function unlessSet(loaded: LoadedConfig, path: string, value: string): string[] {
  return loaded.origins.get(path) === "default" ? [flagOf(path), value] : [];
}
