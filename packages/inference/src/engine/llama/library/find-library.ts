import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { InferenceError } from "../../../errors.ts";

/** The one version of the prebuilt packages whose layouts `layouts.ts` describes. */
export const packageVersion = "3.21.1";

const packages: Readonly<Record<string, string>> = {
  "linux-x64": "linux-x64",
  "linux-arm64": "linux-arm64",
  "darwin-arm64": "mac-arm64-metal",
  "darwin-x64": "mac-x64",
  "win32-x64": "win-x64",
};

/** Full paths of the three libraries of one platform package, in the order they must be loaded. */
export interface LibraryFiles {
  readonly folder: string;
  readonly ggmlBase: string;
  readonly ggml: string;
  readonly llama: string;
}

/** Picks the libraries out of a folder listing: their names carry the version and the accelerator. */
export function pickLibraryFiles(folder: string, names: readonly string[]): LibraryFiles {
  const find = (pattern: RegExp): string => {
    const name = names.find((candidate) => pattern.test(candidate));
    if (name === undefined) {
      throw new InferenceError(
        "library_missing",
        `No library like ${pattern.source} in ${folder}: install the packages again.`,
      );
    }
    return join(folder, name);
  };
  return {
    folder,
    ggmlBase: find(/^(lib)?ggml-base\.(so|dylib|dll)$/),
    ggml: find(/^(lib)?ggml(\.\w+)?\.v[\d.]+\.(so|dylib|dll)$/),
    llama: find(/^(lib)?llama(\.\w+)?\.v[\d.]+\.(so|dylib|dll)$/),
  };
}

/**
 * The libraries of this machine's platform package.
 * Throws `InferenceError` `library_missing` or, for another version, `library_mismatch`.
 */
export function findLibrary(platform: string, architecture: string): LibraryFiles {
  const name = packages[`${platform}-${architecture}`];
  if (name === undefined) {
    throw new InferenceError(
      "library_missing",
      `There is no llama.cpp build for ${platform} ${architecture}.`,
    );
  }
  const root = packageRoot(`@node-llama-cpp/${name}`);
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version?: unknown };
  if (version !== packageVersion) {
    throw new InferenceError(
      "library_mismatch",
      `@node-llama-cpp/${name} is version ${String(version)}, not ${packageVersion}: install from the lock file.`,
    );
  }
  const folder = join(root, "bins", name);
  return pickLibraryFiles(folder, listFolder(folder));
}

function packageRoot(specifier: string): string {
  try {
    // Its package.json is not exported; the entry point lies at dist/index.js.
    return dirname(dirname(fileURLToPath(import.meta.resolve(specifier))));
  } catch (cause) {
    throw new InferenceError(
      "library_missing",
      `The optional package ${specifier} is not installed: install with optional dependencies.`,
      cause,
    );
  }
}

function listFolder(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (cause) {
    throw new InferenceError("library_missing", `Cannot read ${folder}: install the packages again.`, cause);
  }
}
