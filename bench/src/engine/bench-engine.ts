import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { cacheFolder, currentHost, resolveModel } from "@slipstream-stack/cli";
import {
  type EngineEvent,
  type EngineRequest,
  type LlamaModel,
  type LlamaModelOptions,
  type RopeView,
  scopeRoot,
  startLlamaModel,
} from "@slipstream-stack/inference";
import { decodeProgram, engineRequest, seededRandom, tokenRope } from "@slipstream-stack/testkit";
import { BenchSkipped } from "../bench.ts";

/** The model of all engine benchmarks. */
export const benchModelId = "smollm2-135m-instruct";

/** When each token of one request arrived here, in milliseconds of this process's clock. */
export interface TimedAnswer {
  readonly submittedAt: number;
  readonly tokenTimes: readonly number[];
  readonly endedAt: number;
  readonly cached: number;
}

const root = scopeRoot(new Uint8Array(32), "bench");
/** Ids that are text in the model's vocabulary. */
const firstId = 100;
const idCount = 40_000;

/** A prompt of so many tokens that no other seed's prompt shares. */
export function seededPrompt(seed: number, tokens: number): RopeView {
  return tokenRope(root, seededIds(seed, tokens));
}

/** The first prompt's tokens and then some that only it has: two such prompts fork at the end of the first. */
export function branchOf(seed: number, tokens: number, branchSeed: number, branchTokens: number): RopeView {
  const ids = Uint32Array.from([...seededIds(seed, tokens), ...seededIds(branchSeed, branchTokens)]);
  return tokenRope(root, ids, [tokens]);
}

function seededIds(seed: number, tokens: number): Uint32Array {
  const random = seededRandom(seed);
  return Uint32Array.from({ length: tokens }, () => firstId + random.below(idCount));
}

/** The embedded model's file. @throws BenchSkipped when it has not been pulled */
export async function benchModelPath(): Promise<string> {
  try {
    return (await resolveModel(cacheFolder(currentHost()), benchModelId, process.cwd())).path;
  } catch (cause) {
    throw new BenchSkipped(`the model is not here: run "npx --no slipstream models pull ${benchModelId}"`, {
      cause,
    });
  }
}

/** The engine behind its own process and socket, as the server uses it. */
export class BenchEngine implements AsyncDisposable {
  readonly model: LlamaModel;
  readonly #folder: string;
  #requests = 0;

  private constructor(model: LlamaModel, folder: string) {
    this.model = model;
    this.#folder = folder;
  }

  static async start(
    temporaryFolder: string,
    options: Partial<LlamaModelOptions> & { readonly contextTokens: number },
  ): Promise<BenchEngine> {
    const path = await benchModelPath();
    const folder = await mkdtemp(join(temporaryFolder, "slipstream-bench-"));
    return new BenchEngine(
      await startLlamaModel({ id: benchModelId, path, runFolder: folder, ...options }),
      folder,
    );
  }

  /** Runs one greedy request of exactly `maxTokens` and notes when its tokens came. Throws where it fails. */
  async time(
    prompt: RopeView,
    maxTokens: number,
    changes: Partial<EngineRequest> = {},
  ): Promise<TimedAnswer> {
    this.#requests += 1;
    const request = engineRequest(prompt, {
      id: `bench-${this.#requests}`,
      session: prompt.tip.hash,
      decode: decodeProgram({ maxTokens }),
      ...changes,
    });
    const submittedAt = performance.now();
    await using ticket = this.model.engine.submit(request);
    const tokenTimes: number[] = [];
    let cached = 0;
    for await (const event of ticket.events) {
      refuse(event);
      if (event.type === "admitted") cached = event.cached.hot + event.cached.ram;
      if (event.type === "tokens") tokenTimes.push(...[...event.ids].map(() => performance.now()));
    }
    return { submittedAt, tokenTimes, endedAt: performance.now(), cached };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.model.close();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

function refuse(event: EngineEvent): void {
  if (event.type === "error") throw new Error(`the engine refused a request: ${event.code} ${event.message}`);
}
