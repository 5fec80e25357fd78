import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { cacheFolder } from "../../packages/cli/src/host/folders.ts";
import { currentHost } from "../../packages/cli/src/host/host.ts";
import { type ChildServer, spawnServer } from "../../packages/cli/src/serve/spawn-server.ts";

/** The embedded model. */
export const realModel = "smollm2-135m-instruct";
/** Model id of servers on the simulated engine. */
export const simulatedModelId = "simulated";

/** One response the model is made to write. */
export interface ForcedLine {
  readonly output: readonly Readonly<Record<string, unknown>>[];
}

export interface ServeOptions {
  readonly engine: "llama" | "simulated";
  /** Folder for the server's state, its store and the trajectory; its content is the server's whole memory. */
  readonly folder: string;
  readonly trajectory?: readonly ForcedLine[];
  /** Keep responses in a database in `folder`; else in the process. */
  readonly durable?: boolean;
  /** Further arguments of `slipstream serve`. */
  readonly arguments?: readonly string[];
  /** Further variables of its environment. */
  readonly env?: Readonly<Record<string, string>>;
}

const readyMs = 120_000;
const endMs = 10_000;

/** Environment of a process that must neither read nor write the user's files, models apart. */
export function isolatedEnvironment(folder: string): NodeJS.ProcessEnv {
  const { env } = currentHost();
  const kept = Object.entries(env).filter(([name]) => !name.startsWith("SLIPSTREAM_"));
  return {
    ...Object.fromEntries(kept),
    HOME: folder,
    TMPDIR: folder,
    XDG_STATE_HOME: folder,
    XDG_CONFIG_HOME: folder,
    SLIPSTREAM_CACHE: cacheFolder(currentHost()),
  };
}

/** Starts a real `slipstream serve` as a child on a free loopback port and waits until it is ready. */
export function serve(options: ServeOptions): Promise<ChildServer & AsyncDisposable> {
  const { engine, folder, trajectory, durable } = options;
  const forced = join(folder, "trajectory.jsonl");
  if (trajectory !== undefined) {
    writeFileSync(forced, trajectory.map((line) => `${JSON.stringify(line)}\n`).join(""));
  }
  return spawnServer({
    serveArguments: [
      ...["--engine", engine, "--model", engine === "llama" ? realModel : simulatedModelId],
      ...[
        "--store",
        durable === true ? join(folder, "responses.sqlite") : ":memory:",
        "--log-level",
        "warn",
        "--tune",
        "off",
      ],
      ...(trajectory === undefined ? [] : ["--teacher-forcing", forced]),
      ...(options.arguments ?? []),
    ],
    env: { ...isolatedEnvironment(folder), ...options.env },
    readyMs,
    endMs,
    signal: new AbortController().signal,
  }).then((server) => ({ ...server, [Symbol.asyncDispose]: () => server.close() }));
}
