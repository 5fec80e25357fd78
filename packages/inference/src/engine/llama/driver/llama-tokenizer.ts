import { InferenceError } from "../../../errors.ts";
import type { Hash } from "../../../port/prefix.ts";
import type { TextSegment, Tokenizer, Vocabulary } from "../../../port/tokenizer.ts";
import type { ToChild, ToParent } from "../../wire/messages.ts";

/** How the tokenizer reaches its child. */
export interface TokenizerPorts {
  /** A running child, waited for within a bound. */
  ready(): Promise<{ send(message: ToChild): void }>;
  /** The child has not answered a call in time: it hangs and must be replaced. */
  silent(): void;
}

interface PendingCall {
  readonly resolve: (ids: Uint32Array[]) => void;
  readonly reject: (error: InferenceError) => void;
}

const attempts = 3;
const answerMs = 60_000;

/** Tokenizes in the engine child's main thread. A child that dies meanwhile costs a repetition. */
export class LlamaTokenizer implements Tokenizer {
  readonly fingerprint: Hash;
  readonly #vocabulary: Vocabulary;
  readonly #ports: TokenizerPorts;
  readonly #calls = new Map<number, PendingCall>();
  #lastCall = 0;

  constructor(fingerprint: Hash, vocabulary: Vocabulary, ports: TokenizerPorts) {
    this.fingerprint = fingerprint;
    this.#vocabulary = vocabulary;
    this.#ports = ports;
  }

  vocabulary(): Promise<Vocabulary> {
    return Promise.resolve(this.#vocabulary);
  }

  async encode(segments: readonly TextSegment[]): Promise<Uint32Array[]> {
    if (segments.length === 0) return [];
    for (let attempt = 1; ; attempt += 1) {
      const child = await this.#ports.ready();
      try {
        return await this.#call(child, segments);
      } catch (cause) {
        const lost = InferenceError.isInstance(cause) && cause.code === "engine_start_failed";
        if (!lost || attempt >= attempts) throw cause;
      }
    }
  }

  receive(message: ToParent): void {
    if (message.type !== "encoded" && message.type !== "failed") return;
    const call = this.#calls.get(message.call);
    this.#calls.delete(message.call);
    if (message.type === "encoded") call?.resolve([...message.ids]);
    else call?.reject(new InferenceError(message.code, message.message));
  }

  childEnded(): void {
    const lost = new InferenceError("engine_start_failed", "The engine ended while it tokenized.");
    for (const call of this.#calls.values()) call.reject(lost);
    this.#calls.clear();
  }

  #call(child: { send(message: ToChild): void }, segments: readonly TextSegment[]): Promise<Uint32Array[]> {
    this.#lastCall += 1;
    const call = this.#lastCall;
    const timer = setTimeout(() => this.#ports.silent(), answerMs);
    return new Promise<Uint32Array[]>((resolve, reject) => {
      this.#calls.set(call, { resolve, reject });
      child.send({ type: "encode", call, segments });
    }).finally(() => clearTimeout(timer));
  }
}
