import { configKeys } from "./config-keys.ts";
import type { LoadedConfig } from "./load-config.ts";

/** Every key with its value and its origin, one a line in aligned columns. */
export function printConfig(loaded: LoadedConfig): string {
  const rows = configKeys.map(({ path }) => [
    path,
    JSON.stringify(valueAt(loaded, path)),
    loaded.origins.get(path) ?? "",
  ]);
  const widths = [0, 1].map((column) => Math.max(...rows.map((row) => (row[column] ?? "").length)));
  return rows
    .map(
      ([path = "", value = "", origin = ""]) =>
        `${path.padEnd(widths[0] ?? 0)}  ${value.padEnd(widths[1] ?? 0)}  ${origin}`,
    )
    .join("\n");
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
