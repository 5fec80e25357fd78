import { spawn, spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { formatTable } from "@slipstream-stack/cli";
import { type BenchContext, BenchSkipped } from "./bench.ts";
import { catalogue } from "./catalogue.ts";
import { describeMachine } from "./report/describe-machine.ts";

const usage = `usage: npm run bench -- NAME [--pairs N]
       npm run bench -- --list
`;
/** Tells the copy of this program under the machine-wide engine lock that it holds it. */
const lockHeld = "ENGINE_LOCK_HELD";
const dataVariable = "SLIPSTREAM_DATA";

function readArguments(): { name: string | null; list: boolean; pairs: number | null } {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { list: { type: "boolean", default: false }, pairs: { type: "string" } },
  });
  const pairs = values.pairs === undefined ? null : Number(values.pairs);
  if (pairs !== null && !(Number.isInteger(pairs) && pairs > 0)) {
    throw new RangeError("--pairs wants a whole number above 0");
  }
  if (positionals.length > 1) throw new RangeError("one benchmark at a time: they would disturb each other");
  return { name: positionals[0] ?? null, list: values.list, pairs };
}

/** Runs this program again under the lock that the engine tests take too. */
function runLocked(): Promise<number> {
  const lock = join(tmpdir(), "slipstream-engine.lock");
  const child = spawn("flock", [lock, process.execPath, ...process.execArgv, ...process.argv.slice(1)], {
    env: { ...process.env, [lockHeld]: "1" },
    stdio: "inherit",
  });
  return new Promise((settle, fail) => {
    child.once("error", fail);
    child.once("exit", (code) => settle(code ?? 1));
  });
}

async function main(): Promise<number> {
  const { name, list, pairs } = readArguments();
  const entry = catalogue.find((candidate) => candidate.name === name);
  if (list || name === null) {
    process.stdout.write(formatTable(catalogue.map((bench) => [bench.name, bench.about])));
    if (!list) process.stdout.write(`\n${usage}`);
    return list ? 0 : 2;
  }
  if (entry === undefined) throw new RangeError(`no benchmark is called "${name}"; --list names them`);
  const needsLock = entry.usesEngine && process.env[lockHeld] === undefined;
  if (needsLock && spawnSync("flock", ["--version"], { stdio: "ignore" }).status === 0) return runLocked();
  // The programs measured refuse SLIPSTREAM_ variables that they do not know.
  const { [dataVariable]: _, ...environment } = process.env;
  const context: BenchContext = {
    pairs,
    print: (text) => void process.stdout.write(text),
    note: (text) => void process.stderr.write(`${text}\n`),
    dataFolder: dataFolder(),
    env: environment,
    temporaryFolder: tmpdir(),
    signal: new AbortController().signal,
  };
  process.stdout.write(`${entry.name}: ${entry.about}\n${describeMachine()}\n\n`);
  const figures = await (await entry.load()).run(context);
  process.stdout.write(`\n${describeMachine()}\n${JSON.stringify({ bench: entry.name, ...figures })}\n`);
  return 0;
}

function dataFolder(): string {
  const root = fileURLToPath(new URL("../..", import.meta.url));
  return resolve(root, process.env[dataVariable] ?? "../shared/data");
}

try {
  process.exitCode = await main();
} catch (error) {
  const skipped = error instanceof BenchSkipped;
  if (skipped || error instanceof RangeError) {
    process.stderr.write(`${skipped ? "skipped: " : ""}${error.message}\n${skipped ? "" : usage}`);
    process.exitCode = skipped ? 0 : 2;
  } else {
    throw error;
  }
}
