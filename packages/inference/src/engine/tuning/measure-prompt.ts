import { InferenceError } from "../../errors.ts";
import { PrefixHasher, scopeRoot } from "../../kv/prefix-hash.ts";
import type { RopeView } from "../../port/prefix.ts";
import type { EngineTimings, TokenEngine } from "../../port/token-engine.ts";
import type { Vocabulary } from "../../port/tokenizer.ts";

const scope = "tuning";
const root = scopeRoot(new Uint8Array(0), scope);
/** A prime: consecutive ids lie far apart, so that no table of the vocabulary stays in the processor's cache. */
const stride = 7_919;

/**
 * Evaluates a prompt of plain tokens and `decodeSteps` more, one by one, with no use of what is held.
 * @throws InferenceError `engine_start_failed` when the engine does not finish; the signal's reason
 */
export async function measurePrompt(
  engine: TokenEngine,
  vocabulary: Vocabulary,
  promptTokens: number,
  decodeSteps: number,
  signal: AbortSignal,
): Promise<EngineTimings> {
  const plain = plainTokens(vocabulary, promptTokens + decodeSteps + 1);
  await using ticket = engine.submit({
    id: "tuning",
    scope,
    session: root,
    prompt: plainRope(plain.subarray(0, promptTokens)),
    decode: {
      // The first comes from the prompt's own last row.
      maxTokens: decodeSteps + 1,
      sampling: { temperature: 0, topK: 0, topP: 1, seed: 0 },
      stopTokens: [],
      stopBytes: [],
      constraints: [],
      forced: plain.slice(promptTokens),
      speculate: "off",
    },
    priority: 0,
    useCache: false,
    outliveClient: false,
    gated: false,
  });
  const cancel = (): void => ticket.cancel();
  signal.addEventListener("abort", cancel, { once: true });
  try {
    for await (const event of ticket.events) {
      signal.throwIfAborted();
      if (event.type === "end" && event.reason === "length") return event.ms;
      if (event.type === "error") throw new InferenceError("engine_start_failed", event.message);
    }
  } finally {
    signal.removeEventListener("abort", cancel);
  }
  signal.throwIfAborted();
  throw new InferenceError("engine_start_failed", "The engine ended a measurement early.");
}

function plainTokens({ pieces, structural }: Vocabulary, count: number): Uint32Array {
  const plain = [...pieces.keys()].filter((id) => !structural.has(id));
  return Uint32Array.from({ length: count }, (_, index) => plain[(index * stride) % plain.length] ?? 0);
}

function plainRope(ids: Uint32Array): RopeView {
  const tip = PrefixHasher.at(root).extend(ids).hasher.ref();
  return {
    length: ids.length,
    tip,
    root,
    boundaries: () => [tip],
    slice: (from, to) => ids.slice(from, to),
  };
}
