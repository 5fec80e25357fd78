import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("../../../packages/cli/bin/slipstream.mjs", import.meta.url));
const readyMs = 60_000;
const endMs = 5_000;

/** Model id of the servers started here. */
export const model = "simulated";

/** A real `slipstream serve` on the simulated engine, in a process and folders of its own. */
export interface ChildServer extends AsyncDisposable {
  /** Without `/v1`. */
  readonly root: string;
  /** With `/v1`, as clients take it. */
  readonly baseUrl: string;
}

/** One response the model is made to write; without any it writes words of its own. */
export type ForcedLine = { readonly output: readonly Readonly<Record<string, unknown>>[] };

/** Starts a server on a free port of the loopback and waits until it listens. */
export async function startChildServer(trajectory: readonly ForcedLine[] = []): Promise<ChildServer> {
  const folder = mkdtempSync(join(tmpdir(), "slipstream-conformance-"));
  const forced = join(folder, "trajectory.jsonl");
  writeFileSync(forced, trajectory.map((line) => `${JSON.stringify(line)}\n`).join(""));
  const child = spawn(
    process.execPath,
    [
      ...["--disable-warning=ExperimentalWarning", program, "serve", "--host", "127.0.0.1", "--port", "0"],
      ...["--engine", "simulated", "--model", model, "--store", ":memory:", "--log-level", "warn"],
      ...(trajectory.length === 0 ? [] : ["--teacher-forcing", forced]),
    ],
    {
      env: { ...process.env, HOME: folder, XDG_STATE_HOME: folder, XDG_CACHE_HOME: folder },
      stdio: ["ignore", "ignore", "pipe", "ipc"],
    },
  );
  let log = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    log = (log + text).slice(-4_000);
  });
  const ended = new Promise<void>((resolve) => {
    child.once("error", () => resolve());
    child.once("exit", () => resolve());
  });
  const close = async (): Promise<void> => {
    child.kill("SIGTERM");
    const force = setTimeout(() => child.kill("SIGKILL"), endMs);
    await ended;
    clearTimeout(force);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const ready = new Promise<string>((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`not ready in time: ${log}`)), readyMs);
      child.on("message", (message: { type?: string; root?: string }) => {
        if (message.type === "ready" && message.root !== undefined) resolve(message.root);
      });
      void ended.then(() => reject(new Error(`the server ended: ${log}`)));
      void ended.finally(() => clearTimeout(late));
      child.once("message", () => clearTimeout(late));
    });
    const root = await ready;
    return { root, baseUrl: `${root}/v1`, [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw error;
  }
}
