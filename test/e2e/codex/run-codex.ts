import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isJsonObject, type JsonObject, tryParseJson } from "@slipstream-stack/protocol";
import { scratchFolder } from "../../support/scratch-folder.ts";
import { codexCache, installCodex } from "./install-codex.ts";

const slipstream = fileURLToPath(new URL("../../../packages/cli/bin/slipstream.mjs", import.meta.url));
const runMs = 180_000;
const configMs = 30_000;

/** One run of `codex exec --json`. */
export interface CodexRun {
  readonly status: number | null;
  /** Every line of its standard output. */
  readonly events: readonly JsonObject[];
  readonly errors: string;
  readonly threadId: string;
}

/** A Codex with a home and a workspace of its own. */
export interface Codex extends Disposable {
  readonly workspace: string;
  /** Runs one task in a new thread. */
  exec(task: string): Promise<CodexRun>;
  /** Goes on with a thread in a new process. */
  resume(threadId: string, task: string): Promise<CodexRun>;
}

/** Puts one together whose configuration is what `slipstream codex-config` prints. `root` is without `/v1`. */
export async function createCodex(
  root: string,
  model: string,
  transport: "websocket" | "http",
): Promise<Codex> {
  const program = installCodex();
  // Codex refuses to keep its helpers in a home below the system's temporary folder.
  const folder = scratchFolder(codexCache);
  const home = join(folder.path, "home");
  const workspace = join(folder.path, "workspace");
  mkdirSync(home);
  mkdirSync(workspace);
  const flags = ["--base-url", root, "--model", model, ...(transport === "http" ? ["--no-websockets"] : [])];
  const config = await run(
    process.execPath,
    [slipstream, "codex-config", ...flags],
    folder.path,
    {},
    configMs,
  );
  writeFileSync(join(home, "config.toml"), config.output);
  const options = ["--skip-git-repo-check", "--json", "--dangerously-bypass-approvals-and-sandbox"];
  const exec = async (task: readonly string[]): Promise<CodexRun> => {
    const done = await run(program, ["exec", ...task], workspace, { CODEX_HOME: home }, runMs);
    const events = done.output.split("\n").map(tryParseJson).filter(isJsonObject);
    const started = events.find((event) => event.type === "thread.started");
    return { status: done.status, events, errors: done.errors, threadId: String(started?.thread_id) };
  };
  return {
    workspace,
    exec: (task) => exec([...options, task]),
    resume: (threadId, task) => exec(["resume", ...options, threadId, task]),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

interface Finished {
  readonly status: number | null;
  readonly output: string;
  readonly errors: string;
}

function run(
  program: string,
  programArguments: readonly string[],
  cwd: string,
  extra: Readonly<Record<string, string>>,
  timeout: number,
): Promise<Finished> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, programArguments, {
      cwd,
      env: { ...process.env, ...extra },
      stdio: ["ignore", "pipe", "pipe"],
      timeout,
      killSignal: "SIGKILL",
    });
    let output = "";
    let errors = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      errors += text;
    });
    child.once("error", reject);
    child.once("close", (status) => resolve({ status, output, errors }));
  });
}
