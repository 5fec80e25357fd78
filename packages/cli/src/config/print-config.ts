import { formatTable } from "../terminal/format-table.ts";
import { configKeys } from "./config-keys.ts";
import type { LoadedConfig } from "./load-config.ts";

/** Every key with its value and its origin, one a line in columns. */
export function printConfig(loaded: LoadedConfig): string {
  return formatTable(
    configKeys.map(({ path }) => [
      path,
      JSON.stringify(valueAt(loaded, path)),
      loaded.origins.get(path) ?? "",
    ]),
  );
}

/** The same as an object of `{value, origin}` by path. */
export function configAsJson(loaded: LoadedConfig): Record<string, { value: unknown; origin: string }> {
  return Object.fromEntries(
    configKeys.map(({ path }) => [
      path,
      { value: valueAt(loaded, path), origin: loaded.origins.get(path) ?? "default" },
    ]),
  );
}

function valueAt({ config }: LoadedConfig, path: string): unknown {
  const [first = "", second] = path.split(".");
  const value: unknown = config[first as keyof typeof config];
  return second === undefined ? value : (value as Record<string, unknown>)[second];
}
