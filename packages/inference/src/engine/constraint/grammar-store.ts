import { LRUCache } from "lru-cache";
import type { GrammarRecipe } from "./grammar-recipe.ts";
import { GrammarRefused } from "./grammar-refused.ts";
import type { XCompiledGrammar, XCompiler, XInstance, XMatcher } from "./xgrammar-library.ts";

/** Bytes a compiled grammar is taken to fill per byte of its description, where memory growth does not show it. */
const compiledBytesPerByte = 256;

/** What a store is made of. */
export interface GrammarStoreOptions {
  readonly instance: XInstance;
  readonly compiler: XCompiler;
  readonly maxCompiled: number;
  readonly maxCompiledBytes: number;
  /** Grammars not to try, by key. */
  readonly refused: ReadonlyMap<string, string>;
  /** Told the key of a grammar before it is compiled, and "" after. */
  readonly compiling: (key: string) => void;
}

/** Compiled grammars of one vocabulary, the least recently used thrown away past a count or a size. */
export class GrammarStore {
  readonly #options: GrammarStoreOptions;
  readonly #compiled: LRUCache<string, XCompiledGrammar>;

  constructor(options: GrammarStoreOptions) {
    this.#options = options;
    this.#compiled = new LRUCache({
      max: options.maxCompiled,
      maxSize: options.maxCompiledBytes,
      maxEntrySize: Number.MAX_SAFE_INTEGER,
      dispose: (grammar) => grammar.dispose(),
    });
  }

  /**
   * A walk at the start of a grammar, compiled if it is not at hand.
   *
   * @throws GrammarRefused for one that is known not to work; else what the library throws when it aborts.
   */
  async matcher(recipe: GrammarRecipe): Promise<XMatcher> {
    const known = this.#compiled.get(recipe.key);
    const { library } = this.#options.instance;
    if (known !== undefined) return library.GrammarMatcher.createGrammarMatcher(known);
    const compiled = await this.#compile(recipe);
    const matcher = await library.GrammarMatcher.createGrammarMatcher(compiled);
    this.#compiled.set(recipe.key, compiled, { size: this.#sizeOf(recipe) });
    return matcher;
  }

  /** Compiles a grammar for later. */
  async prepare(recipe: GrammarRecipe): Promise<void> {
    if (this.#compiled.has(recipe.key) || this.#options.refused.has(recipe.key)) return;
    const matcher = await this.matcher(recipe);
    matcher.dispose();
  }

  get count(): number {
    return this.#compiled.size;
  }

  async #compile(recipe: GrammarRecipe): Promise<XCompiledGrammar> {
    const { instance, compiler, refused, compiling } = this.#options;
    const reason = refused.get(recipe.key);
    if (reason !== undefined) throw new GrammarRefused(reason);
    compiling(recipe.key);
    const before = instance.memoryBytes();
    const compiled = await recipe.compile(instance.library, compiler);
    this.#grown = instance.memoryBytes() - before;
    compiling("");
    return compiled;
  }

  #grown = 0;

  #sizeOf(recipe: GrammarRecipe): number {
    const size = Math.max(this.#grown, recipe.size * compiledBytesPerByte, 1);
    return Math.min(size, this.#options.maxCompiledBytes);
  }
}
