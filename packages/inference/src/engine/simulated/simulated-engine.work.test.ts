import assert from "node:assert/strict";
import { test } from "node:test";
import { collectAndKeep, decodeProgram, engineRequest, simulatedModel } from "@slipstream-stack/testkit";
import { hashCounters, PrefixHasher } from "../../kv/prefix-hash.ts";
import type { PrefixRef, RopeView } from "../../port/prefix.ts";

const newTokens = 40;
const outputTokens = 8;

/** A growing rope that hashes only what is new and counts the tokens and boundaries that are asked of it. */
class CountedRope implements RopeView {
  readonly root = "root";
  #ids: number[] = [];
  #hasher = PrefixHasher.at("root");
  #refs: PrefixRef[] = [];
  asked = { tokens: 0, boundaries: 0 };

  append(ids: readonly number[]): void {
    const { hasher, blocks } = this.#hasher.extend(Uint32Array.from(ids));
    this.#ids.push(...ids);
    this.#hasher = hasher;
    this.#refs.push(...blocks);
    if (hasher.ref().hash !== blocks.at(-1)?.hash) this.#refs.push(hasher.ref());
  }

  get length(): number {
    return this.#ids.length;
  }

  get tip(): PrefixRef {
    return this.#hasher.ref();
  }

  *boundaries(): Iterable<PrefixRef> {
    for (let index = this.#refs.length - 1; index >= 0; index--) {
      this.asked.boundaries++;
      yield this.#refs[index]!;
    }
  }

  slice(from: number, to = this.length): Uint32Array {
    this.asked.tokens += Math.max(0, to - from);
    return Uint32Array.from(this.#ids.slice(from, to));
  }
}

test("a lap of a long chain costs the engine what is new, at the end as at the beginning", async () => {
  const { engine } = simulatedModel({ contextTokens: 100_000 });
  const rope = new CountedRope();
  for (let lap = 0; lap < 600; lap++) {
    rope.append(Array.from({ length: newTokens }, (_, index) => 10 + ((lap * 31 + index * 7) % 2000)));
    rope.asked = { tokens: 0, boundaries: 0 };
    hashCounters.tokens = 0;
    await using ticket = engine.submit(
      engineRequest(rope, { decode: decodeProgram({ maxTokens: outputTokens }) }),
    );
    const { admitted, end, output } = await collectAndKeep(ticket);
    assert.equal(end?.evaluated, rope.length - (admitted?.cached.hot ?? 0) + outputTokens - 1);
    if (lap > 0) assert.ok(end.evaluated <= newTokens + outputTokens + 1);
    const perLap = newTokens + outputTokens;
    assert.ok(hashCounters.tokens <= 3 * perLap + 8 * 64, `hashed ${hashCounters.tokens} in lap ${lap}`);
    assert.ok(
      rope.asked.tokens <= 4 * perLap + 8 * 64,
      `asked for ${rope.asked.tokens} tokens in lap ${lap}`,
    );
    assert.ok(rope.asked.boundaries <= 8, `asked for ${rope.asked.boundaries} boundaries in lap ${lap}`);
    rope.append(output);
  }
});
