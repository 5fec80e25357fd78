import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { cacheFolder } from "../../../packages/cli/src/host/folders.ts";
import { currentHost } from "../../../packages/cli/src/host/host.ts";
import { scratchFolder } from "../../support/scratch-folder.ts";

const version = "0.171.0";
const attempts = 3;
const installMs = 300_000;

/** Folder outside the checkout in which end-to-end tests keep what they fetched. */
export const codexCache = join(cacheFolder(currentHost()), "e2e");

/**
 * Path of the Codex program. It is fetched once, into a folder of its own that takes its final name only when it
 * is whole, so that two runs can fetch at the same time and an interrupted one leaves nothing that looks whole.
 */
export function installCodex(): string {
  const home = join(codexCache, `codex-${version}`);
  const program = join(home, "node_modules", ".bin", "codex");
  for (let attempt = 1; !existsSync(program); attempt += 1) {
    mkdirSync(codexCache, { recursive: true });
    using scratch = scratchFolder(codexCache);
    const failure = npmInstall(scratch.path);
    if (failure === null) takeName(scratch.path, home);
    else if (attempt === attempts) throw new Error(`Codex ${version} could not be fetched: ${failure}`);
  }
  return program;
}

/** Null when all went well. */
function npmInstall(folder: string): string | null {
  const script = process.env.npm_execpath;
  const options = ["install", "--prefix", folder, "--ignore-scripts", "--no-audit", "--no-fund"];
  const [program, first] = script?.endsWith(".js") ? [process.execPath, [script]] : ["npm", []];
  const result = spawnSync(program, [...first, ...options, `@openai/codex@${version}`], {
    cwd: folder,
    encoding: "utf8",
    timeout: installMs,
  });
  return result.status === 0 ? null : (result.error?.message ?? result.stderr.slice(-1_000));
}

function takeName(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    // Another run was first, with the same content.
    if (!["ENOTEMPTY", "EEXIST"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
  }
}
