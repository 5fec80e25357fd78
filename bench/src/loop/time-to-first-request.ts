import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { fileURLToPath } from "node:url";
import type { BenchContext } from "../bench.ts";
import { alternatePairs, type PairedFigures } from "../measure/alternate-pairs.ts";

const program = fileURLToPath(new URL("../../../packages/cli/bin/slipstream.mjs", import.meta.url));
const startArguments = ["--disable-warning=ExperimentalWarning"];
const limitMs = 60_000;

/**
 * Milliseconds from starting `slipstream exec` to its first model request at a server that is there already
 * (second), against an empty Node program from start to end (first), which is what no agent on Node can beat.
 */
export async function timeToFirstRequest(
  context: BenchContext,
  workspace: string,
  pairs: number,
): Promise<PairedFigures<number>> {
  await using stub = new RequestStub();
  const baseUrl = await stub.listen();
  const flags = [
    "--base-url",
    baseUrl,
    "--workspace",
    workspace,
    "--ephemeral",
    "--transport",
    "http",
    "--json",
  ];
  // Awaited here: the stub ends with this function.
  return await alternatePairs(
    {
      first: () => run(context, ["-e", "0"], null),
      second: () => run(context, [program, "exec", ...flags, "a task"], stub.nextRequest()),
    },
    pairs,
  );
}

/** Starts Node and waits for `until`, or for its end where that is null; then ends it. */
async function run(
  context: BenchContext,
  args: readonly string[],
  until: Promise<void> | null,
): Promise<number> {
  const started = performance.now();
  const child = spawn(process.execPath, [...startArguments, ...args], { env: context.env, stdio: "ignore" });
  const ended = once(child, "exit", { signal: AbortSignal.timeout(limitMs) });
  try {
    const goal = until ?? ended;
    await Promise.race([goal, ended.then(() => (until === null ? undefined : refuseEarlyEnd(child)))]);
    return performance.now() - started;
  } finally {
    child.kill("SIGKILL");
    await ended;
  }
}

function refuseEarlyEnd({ exitCode }: ChildProcess): never {
  throw new Error(`exec ended with ${exitCode} before its first request`);
}

/** A server that notes when a model request arrives, and never answers it. */
class RequestStub implements AsyncDisposable {
  readonly #server: Server;
  #arrived: () => void = () => {};

  constructor() {
    this.#server = createServer((request, reply) => {
      if (request.method === "POST" && request.url === "/v1/responses") this.#arrived();
      else reply.writeHead(404).end();
    });
  }

  async listen(): Promise<string> {
    await new Promise<void>((settle) => this.#server.listen(0, "127.0.0.1", settle));
    const address = this.#server.address();
    return `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}/v1`;
  }

  nextRequest(): Promise<void> {
    return new Promise((settle) => {
      this.#arrived = settle;
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((settle) => this.#server.close(settle));
  }
}
