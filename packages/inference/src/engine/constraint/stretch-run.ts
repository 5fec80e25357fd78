import type { JsonObject } from "@slipstream-stack/protocol";
import type { ConstraintSource } from "../../port/decode-program.ts";
import type { Vocabulary } from "../../port/tokenizer.ts";
import {
  type Alternative,
  alternativeRecipe,
  type GrammarRecipe,
  type NamedJson,
  openingOf,
  openingsRecipe,
  plainRecipe,
} from "./grammar-recipe.ts";
import { GrammarRefused } from "./grammar-refused.ts";
import type { GrammarStore } from "./grammar-store.ts";
import { hasValueLimits, JsonTracker } from "./json-tracker.ts";
import { type MaskSummary, type TokenMask, whitespaceRun } from "./token-mask.ts";
import type { Utf8Guard } from "./utf8-guard.ts";
import type { ValueLimits } from "./value-limits.ts";
import type { XMatcher } from "./xgrammar-library.ts";

/** What stretches of one vocabulary share. */
export interface StretchTools {
  readonly store: GrammarStore;
  readonly mask: TokenMask;
  readonly limits: ValueLimits;
  readonly utf8: Utf8Guard;
  readonly pieces: Vocabulary["pieces"];
}

interface Opening {
  readonly alternative: Alternative;
  readonly opening: Buffer;
}

interface Choice {
  readonly source: NamedJson;
  readonly open: readonly Opening[];
}

/** The openings, each once; none may begin another, as it could not be told when its JSON starts. */
function openingsOf(source: NamedJson): Opening[] {
  const byText = new Map<string, Opening>();
  for (const alternative of source.alternatives) {
    const text = openingOf(source, alternative);
    if (!byText.has(text)) byText.set(text, { alternative, opening: Buffer.from(text) });
  }
  if (byText.size === 0) throw new GrammarRefused("A choice of named values needs at least one.");
  const sorted = [...byText.keys()].sort();
  sorted.forEach((text, index) => {
    if (sorted[index + 1]?.startsWith(text)) {
      throw new GrammarRefused(`What stands before a value must not begin another one: ${text}`);
    }
  });
  return [...byText.values()];
}

function agrees(text: Buffer, opening: Buffer): boolean {
  const length = Math.min(text.length, opening.length);
  return text.subarray(0, length).equals(opening.subarray(0, length));
}

/**
 * One stretch of constrained text. For named JSON it follows the openings of all alternatives until one is left,
 * and then gives what it took so far to the grammar of that one: only its schema is ever compiled, and no token
 * border matters.
 */
export class StretchRun {
  readonly #tools: StretchTools;
  readonly #head: Uint8Array;
  readonly #tokens: number[] = [];
  #matcher: XMatcher | null = null;
  #choice: Choice | null = null;
  /** The stretch so far, while a choice is open. */
  #text: Buffer;
  #tracker: JsonTracker | null = null;
  #spaces = 0;
  #lastByte = 0;

  private constructor(tools: StretchTools, head: Uint8Array) {
    this.#tools = tools;
    this.#head = head;
    this.#text = Buffer.from(head);
  }

  /**
   * Starts a stretch with the bytes that came with its trigger; `null` when they do not fit.
   *
   * @throws GrammarRefused, and what the library throws when it aborts.
   */
  static async begin(
    tools: StretchTools,
    source: ConstraintSource,
    head: Uint8Array,
  ): Promise<StretchRun | null> {
    const run = new StretchRun(tools, head);
    if (source.kind === "json_schema") run.#track(source.schema, 0);
    const fits =
      source.kind === "named_json" ? await run.#choose(source) : await run.#walk(plainRecipe(source));
    run.#spaces = whitespaceRun(0, head);
    run.#lastByte = head.at(-1) ?? 0;
    return fits ? run : null;
  }

  /** Whether the token belongs to the stretch; if not, the stretch is as it was. */
  async accept(token: number): Promise<boolean> {
    if (this.#matcher?.acceptToken(token) !== true) return false;
    const bytes = this.#tools.pieces[token] ?? new Uint8Array(0);
    this.#spaces = whitespaceRun(this.#spaces, bytes);
    this.#lastByte = bytes.at(-1) ?? this.#lastByte;
    this.#tracker?.feed(bytes);
    if (this.#choice === null) return true;
    this.#tokens.push(token);
    const text = Buffer.concat([this.#text, bytes]);
    this.#text = text;
    const open = this.#choice.open.filter(({ opening }) => agrees(text, opening));
    this.#choice = { source: this.#choice.source, open };
    await this.#settle();
    return true;
  }

  /** Writes the mask of the next token, and says what it admits. */
  async look(into: Uint32Array): Promise<MaskSummary> {
    const matcher = this.#matcher;
    if (matcher === null) return { text: false, end: false };
    into.set(await matcher.getNextTokenBitmask());
    this.#tools.utf8.narrow(into, this.#lastByte);
    if (this.#tracker !== null) this.#tools.limits.narrow(into, this.#tracker);
    return this.#tools.mask.narrow(into, this.#spaces, () => matcher.findJumpForwardString());
  }

  dispose(): void {
    this.#matcher?.dispose();
    this.#matcher = null;
  }

  async #choose(source: NamedJson): Promise<boolean> {
    const open = openingsOf(source).filter(({ opening }) => agrees(this.#text, opening));
    if (open.length === 0) return false;
    this.#choice = { source, open };
    return open.length === 1 ? this.#settle() : this.#walk(openingsRecipe(source));
  }

  /** Goes over to the grammar of the one alternative left, if only one is. */
  async #settle(): Promise<boolean> {
    const only = this.#choice?.open.length === 1 ? this.#choice.open[0] : undefined;
    if (this.#choice === null || only === undefined) return false;
    const { source } = this.#choice;
    this.#choice = null;
    this.#track(only.alternative.schema, only.opening.length);
    return this.#walk(alternativeRecipe(source, only.alternative));
  }

  /** Watches strings and numbers with limits from here on, if there are any to watch. */
  #track(schema: JsonObject, skip: number): void {
    if (!hasValueLimits(schema)) return;
    this.#tracker = new JsonTracker(schema, skip);
    this.#tracker.feed(this.#text);
  }

  /** Takes what came so far through a grammar from its start. */
  async #walk(recipe: GrammarRecipe): Promise<boolean> {
    const matcher = await this.#tools.store.matcher(recipe);
    this.#matcher?.dispose();
    this.#matcher = matcher;
    const fits =
      (this.#head.length === 0 || matcher._acceptString(this.#head)) &&
      this.#tokens.every((token) => matcher.acceptToken(token));
    if (!fits) this.dispose();
    return fits;
  }
}
