import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { forwardSignals } from "../../packages/cli/bin/launch/forward-signals.mjs";
import { runCheck } from "./check.ts";
import { runAllTests } from "./test.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Runs a TypeScript program of this checkout with the terminal handed through. */
async function runProgram(path: string, programArguments: readonly string[]): Promise<number> {
  const child = spawn(
    process.execPath,
    ["--disable-warning=ExperimentalWarning", `${root}/${path}`, ...programArguments],
    {
      cwd: root,
      stdio: "inherit",
    },
  );
  return forwardSignals(child);
}

async function runBiome(biomeArguments: readonly string[]): Promise<number> {
  const child = spawn(
    process.execPath,
    [`${root}/node_modules/@biomejs/biome/bin/biome`, ...biomeArguments],
    {
      cwd: root,
      stdio: "inherit",
    },
  );
  return forwardSignals(child);
}

/** `npm run check -- lint unit` runs only the named steps; `--isolated` gives each unit test file its own process. */
function readOptions(taskArguments: readonly string[]) {
  const { values, positionals } = parseArgs({
    args: [...taskArguments],
    allowPositionals: true,
    options: { isolated: { type: "boolean", default: false } },
  });
  return { only: positionals, isolated: values.isolated };
}

async function runTask(task: string | undefined, taskArguments: readonly string[]): Promise<number> {
  switch (task) {
    case "check":
      return runCheck(root, readOptions(taskArguments));
    case "test":
      return runAllTests(root, readOptions(taskArguments));
    case "format":
      return runBiome(["check", "--write", "."]);
    case "bench":
      return runProgram("bench/src/main.ts", taskArguments);
    case "demo":
      return runProgram("packages/cli/bin/slipstream.mjs", ["demo", ...taskArguments]);
    default:
      console.error("usage: run.mjs demo|test|check|format|bench");
      return 2;
  }
}

process.exitCode = await runTask(process.argv[2], process.argv.slice(3));
