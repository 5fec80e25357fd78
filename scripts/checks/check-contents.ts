import type { SourceFile } from "./source-file.ts";

/** Joined here so that this file does not name them itself. */
const registryHosts = [
  ["registry", "npmjs", "org"],
  ["registry", "yarnpkg", "com"],
  ["pypi", "org"],
  ["files", "pythonhosted", "org"],
  ["crates", "io"],
].map((parts) => parts.join("."));

/** Files that name a package registry's host or a folder of this machine. */
export function checkContents(files: readonly SourceFile[], machinePaths: readonly string[]): string[] {
  return files.flatMap(({ path, text }) => [
    ...registryHosts
      .filter((host) => text.includes(host))
      .map((host) => `${path}: names the registry host ${host}`),
    ...machinePaths
      .filter((folder) => text.includes(folder))
      .map((folder) => `${path}: names ${folder} of this machine`),
  ]);
}
