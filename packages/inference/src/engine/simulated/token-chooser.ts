import type { Constraint } from "../../port/decode-program.ts";
import type { EngineRequest } from "../../port/token-engine.ts";
import { ByteMatcher } from "./byte-matcher.ts";
import { constraintText } from "./constraint-text.ts";
import { mix, textSeed } from "./seeded-hash.ts";
import type { SimulatedVocabulary } from "./simulated-vocabulary.ts";

const leastWords = 8;
const moreWords = 32;

/**
 * Chooses the output of one request, token by token: forced ids, else the script, else text that the
 * constraints admit, else seeded words. A pure function of engine seed, sampling, prompt tip and position.
 */
export class TokenChooser {
  readonly #vocabulary: SimulatedVocabulary;
  readonly #seed: number;
  readonly #forced: Uint32Array;
  readonly #script: Uint32Array | null;
  readonly #triggers: readonly Constraint[];
  readonly #matcher: ByteMatcher;
  /** Ids that come before any further choice; null ends the output. */
  readonly #planned: (number | null)[] = [];
  readonly #freeLength: number;
  #position = 0;

  constructor(
    request: EngineRequest,
    engineSeed: number,
    script: Uint32Array | null,
    vocabulary: SimulatedVocabulary,
  ) {
    const { sampling, constraints, forced } = request.decode;
    const drawn = sampling.temperature > 0 ? (sampling.seed ?? engineSeed) : engineSeed;
    this.#seed = textSeed(`${engineSeed}/${drawn}/${request.prompt.tip.hash}`);
    this.#vocabulary = vocabulary;
    this.#forced = forced ?? new Uint32Array(0);
    this.#script = script;
    this.#freeLength = leastWords + (mix(this.#seed, -1) % moreWords);
    const triggered = constraints.filter((constraint) => constraint.on !== "start");
    this.#triggers = triggered;
    this.#matcher = new ByteMatcher(
      triggered.map(({ on }) => (on === "start" ? new Uint8Array(0) : on.trigger)),
    );
    const start = constraints.find((constraint) => constraint.on === "start");
    if (start !== undefined && this.#forced.length === 0 && script === null) this.#plan(start);
  }

  /** The next id, or null where a constraint ends the output. */
  next(): number | null {
    const position = this.#position++;
    const given = this.#forced[position] ?? this.#fromScript(position);
    if (given !== undefined) return given;
    const planned = this.#planned.shift();
    if (planned !== undefined) return planned;
    const id = this.#freeToken(position);
    const match = this.#matcher.push(this.#vocabulary.pieces[id] ?? new Uint8Array(0));
    const triggered = match === null ? undefined : this.#triggers[match.pattern];
    if (triggered !== undefined) this.#plan(triggered);
    return id;
  }

  /** A made-up log probability, always the same for the same token at the same place. */
  logprob(id: number, position: number): number {
    return -(mix(this.#seed ^ id, position) % 3000) / 1000;
  }

  #fromScript(position: number): number | undefined {
    if (this.#script === null) return undefined;
    return this.#script[position - this.#forced.length] ?? this.#endToken();
  }

  #endToken(): number {
    return this.#vocabulary.endOfGeneration[0] ?? 0;
  }

  #plan(constraint: Constraint): void {
    let drawn = 0;
    const pick = (count: number) => (count <= 0 ? 0 : mix(this.#seed, 1_000_000 + drawn++) % count);
    const text = constraintText(constraint.source, pick);
    if (text === null) return;
    this.#planned.push(...this.#vocabulary.encodeBytes(new TextEncoder().encode(text)));
    this.#planned.push(constraint.then === "stop" ? null : this.#endToken());
  }

  #freeToken(position: number): number {
    const chance = mix(this.#seed, position);
    if (position > 0 && position % this.#freeLength === 0) return this.#endToken();
    if (position === 0) return at(this.#vocabulary.plainWords, chance);
    if (position % 9 === 8) return this.#vocabulary.encodeBytes(new TextEncoder().encode("."))[0] ?? 0;
    return at(this.#vocabulary.spacedWords, chance);
  }
}

function at(ids: readonly number[], chance: number): number {
  return ids[chance % ids.length] ?? 0;
}
