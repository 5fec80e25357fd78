import assert from "node:assert/strict";
import { test } from "node:test";
import type { GrammarRecipe } from "./grammar-recipe.ts";
import { GrammarRefused } from "./grammar-refused.ts";
import { GrammarStore, type GrammarStoreOptions } from "./grammar-store.ts";
import type { XCompiler, XInstance, XMatcher } from "./xgrammar-library.ts";

/** A library that records what is asked of it. */
function recorder(options: Partial<GrammarStoreOptions> = {}) {
  const calls: string[] = [];
  const grown = { bytes: 0 };
  const matcher = (): XMatcher => ({
    dispose: () => calls.push("matcher disposed"),
    acceptToken: () => false,
    _acceptString: () => false,
    getNextTokenBitmask: async () => new Int32Array(1),
    findJumpForwardString: () => "",
  });
  const never = () => assert.fail("not asked for");
  const instance: XInstance = {
    library: {
      Grammar: { fromEBNF: never },
      TokenizerInfo: { createTokenizerInfo: never },
      GrammarCompiler: { createGrammarCompiler: never },
      GrammarMatcher: { createGrammarMatcher: async () => matcher() },
    },
    lastComplaint: () => "",
    memoryBytes: () => grown.bytes,
  };
  const compiler: XCompiler = {
    dispose: never,
    compileGrammar: never,
    compileJSONSchema: never,
    compileStructuralTag: never,
  };
  const store = new GrammarStore({
    instance,
    compiler,
    maxCompiled: 2,
    maxCompiledBytes: 1_000_000,
    refused: new Map(),
    compiling: (key) => calls.push(`compiling ${key}`),
    ...options,
  });
  const recipe = (key: string, bytes = 0): GrammarRecipe => ({
    key,
    size: 10,
    compile: async () => {
      grown.bytes += bytes;
      calls.push(`compile ${key}`);
      return { dispose: () => calls.push(`dispose ${key}`) };
    },
  });
  return { store, recipe, calls };
}

test("a grammar is compiled once, and said to be while it is", async () => {
  const { store, recipe, calls } = recorder();
  await store.matcher(recipe("a"));
  await store.matcher(recipe("a"));
  assert.deepEqual(calls, ["compiling a", "compile a", "compiling "]);
});

test("past the count the least recently used is disposed of", async () => {
  const { store, recipe, calls } = recorder();
  for (const key of ["a", "b", "a", "c"]) await store.matcher(recipe(key));
  assert.ok(calls.includes("dispose b"));
  assert.ok(!calls.includes("dispose a"));
  assert.equal(store.count, 2);
});

test("past the size, by how the memory grew, others go first", async () => {
  const { store, recipe, calls } = recorder({ maxCompiled: 10 });
  await store.matcher(recipe("a", 600_000));
  await store.matcher(recipe("b", 600_000));
  assert.ok(calls.includes("dispose a"));
  await store.matcher(recipe("c", 5_000_000));
  assert.equal(store.count, 1, "one that is larger than all the room is kept alone");
});

test("what is prepared needs no compiling later and leaves no matcher", async () => {
  const { store, recipe, calls } = recorder();
  await store.prepare(recipe("a"));
  assert.ok(calls.includes("matcher disposed"));
  calls.length = 0;
  await store.prepare(recipe("a"));
  await store.matcher(recipe("a"));
  assert.deepEqual(calls, []);
});

test("a grammar that broke before is not tried", async () => {
  const { store, recipe, calls } = recorder({ refused: new Map([["a", "broken"]]) });
  await assert.rejects(store.matcher(recipe("a")), GrammarRefused);
  await store.prepare(recipe("a"));
  assert.deepEqual(calls, []);
});

test("a compile that throws leaves its key to be read", async () => {
  const { store, calls } = recorder();
  const bad: GrammarRecipe = { key: "a", size: 1, compile: () => Promise.reject(new Error("aborted")) };
  await assert.rejects(store.matcher(bad));
  assert.equal(calls.at(-1), "compiling a");
});
