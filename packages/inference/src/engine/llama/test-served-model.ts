import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RopeView } from "../../port/prefix.ts";
import type { EngineEvent, EngineRequest, Ticket } from "../../port/token-engine.ts";
import type { Vocabulary } from "../../port/tokenizer.ts";
import { type LlamaModel, type LlamaModelOptions, startLlamaModel } from "./start-llama-model.ts";
import { testModelPath } from "./test-model.ts";
import { testRoot } from "./test-rope.ts";

export interface TestAnswer {
  readonly ids: number[];
  readonly text: string;
  readonly logprobs: number[];
  readonly cached: { readonly hot: number; readonly ram: number } | null;
  readonly last: EngineEvent;
}

/** The embedded model behind its own child, and what a test asks of it. */
export class TestServedModel {
  readonly model: LlamaModel;
  readonly vocabulary: Vocabulary;
  readonly #folder: string;
  #requests = 0;

  private constructor(model: LlamaModel, vocabulary: Vocabulary, folder: string) {
    this.model = model;
    this.vocabulary = vocabulary;
    this.#folder = folder;
  }

  static async start(changes: Partial<LlamaModelOptions> = {}): Promise<TestServedModel> {
    const folder = mkdtempSync(join(tmpdir(), "slipstream-test-"));
    const options = {
      id: "test",
      path: testModelPath(),
      runFolder: folder,
      contextTokens: 4_096,
      ...changes,
    };
    const model = await startLlamaModel(options);
    return new TestServedModel(model, await model.tokenizer.vocabulary(), folder);
  }

  async encode(text: string): Promise<Uint32Array> {
    const [ids] = await this.model.tokenizer.encode([{ text, special: false }]);
    return ids ?? new Uint32Array(0);
  }

  /** A ChatML prompt with one user message. */
  async chat(user: string): Promise<Uint32Array> {
    const special = (text: string) => ({ text, special: true });
    const plain = (text: string) => ({ text, special: false });
    const parts = await this.model.tokenizer.encode([
      special("<|im_start|>"),
      plain(`user\n${user}`),
      special("<|im_end|>"),
      plain("\n"),
      special("<|im_start|>"),
      plain("assistant\n"),
    ]);
    return Uint32Array.from(parts.flatMap((part) => [...part]));
  }

  submit(
    prompt: RopeView,
    decode: Partial<EngineRequest["decode"]> = {},
    changes: Partial<EngineRequest> = {},
  ): Ticket {
    this.#requests += 1;
    return this.model.engine.submit({
      id: `request-${this.#requests}`,
      scope: "test",
      session: testRoot,
      prompt,
      decode: {
        maxTokens: 16,
        sampling: { temperature: 0, topK: 0, topP: 1, seed: 1 },
        stopTokens: this.vocabulary.endOfGeneration,
        stopBytes: [],
        constraints: [],
        speculate: "off",
        ...decode,
      },
      priority: 0,
      useCache: true,
      outliveClient: false,
      gated: false,
      ...changes,
    });
  }

  async collect(ticket: Ticket): Promise<TestAnswer> {
    const ids: number[] = [];
    const logprobs: number[] = [];
    let cached: TestAnswer["cached"] = null;
    let last: EngineEvent | null = null;
    for await (const event of ticket.events) {
      last = event;
      if (event.type === "admitted") cached = { hot: event.cached.hot, ram: event.cached.ram };
      if (event.type !== "tokens") continue;
      ids.push(...event.ids);
      logprobs.push(...(event.logprobs ?? []));
    }
    if (last === null) throw new Error("a ticket without events");
    return { ids, text: this.text(ids), logprobs, cached, last };
  }

  answer(
    prompt: RopeView,
    decode: Partial<EngineRequest["decode"]> = {},
    changes: Partial<EngineRequest> = {},
  ): Promise<TestAnswer> {
    return this.collect(this.submit(prompt, decode, changes));
  }

  text(ids: readonly number[]): string {
    return Buffer.concat(ids.map((id) => this.vocabulary.pieces[id] ?? new Uint8Array(0))).toString("utf8");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.model.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
