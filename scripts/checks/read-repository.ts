import { globSync, readFileSync, statSync } from "node:fs";
import { join, sep } from "node:path";
import type { SourceFile } from "./source-file.ts";

const textEnding =
  /\.(?:ts|mts|mjs|js|json|md|sh|toml|yml|yaml|c|sql)$|\/(?:run|LICENSE|\.npmrc|\.gitignore)$/;
const skippedFolders = new Set(["node_modules", ".git", ".cache"]);

/** Every text file of the checkout but what is installed, generated or kept by git. */
export function readRepository(root: string): SourceFile[] {
  const found = globSync(["**/*", ".*", ".*/*"], {
    cwd: root,
    exclude: (path) => path.split(/[\\/]/).some((part) => skippedFolders.has(part)),
  });
  return found
    .map((path) => path.split(sep).join("/"))
    .filter((path) => textEnding.test(`/${path}`) && statSync(join(root, path)).isFile())
    .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));
}
