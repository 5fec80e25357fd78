import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { StopMatcher } from "./stop-matcher.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

const run = (stops: readonly string[], tokens: readonly string[]) => {
  const matcher = new StopMatcher(stops.map(bytes));
  for (const [index, token] of tokens.entries()) {
    const match = matcher.push(bytes(token));
    if (match !== null) return { ...match, at: index };
  }
  return null;
};

test("a stop string is found within and across tokens", () => {
  assert.deepEqual(run(["STOP"], ["a", "xSTOPy"]), { rule: 0, keep: 1, at: 1 });
  assert.deepEqual(run(["STOP"], ["a", "xS", "T", "O", "Py"]), { rule: 0, keep: 1, at: 4 });
  assert.deepEqual(run(["STOP"], ["S", "T", "O", "ST", "OP"]), { rule: 0, keep: 3, at: 4 });
  assert.equal(run(["STOP"], ["S", "TO", "", "X", "P"]), null);
});

test("the earliest match wins, at one place the first rule", () => {
  assert.deepEqual(run(["bc", "ab"], ["abc"]), { rule: 1, keep: 0, at: 0 });
  assert.deepEqual(run(["ab", "a"], ["x", "ab"]), { rule: 0, keep: 1, at: 1 });
});

test("no stop strings and empty ones never match", () => {
  assert.equal(run([], ["a", "b"]), null);
  assert.equal(run([""], ["a", "b"]), null);
});

test("however text is cut into tokens, the match is where the text has it", () => {
  const alphabet = fc.constantFrom("a", "b", "c");
  const word = (most: number) =>
    fc.array(alphabet, { minLength: 1, maxLength: most }).map((all) => all.join(""));
  fc.assert(
    fc.property(fc.array(word(4), { maxLength: 20 }), word(4), (tokens, stop) => {
      const text = tokens.join("");
      const at = text.indexOf(stop);
      const match = run([stop], tokens);
      if (at < 0) {
        assert.equal(match, null);
        return;
      }
      let keep = 0;
      for (let end = tokens[0]?.length ?? 0; end <= at; end += tokens[keep]?.length ?? 0) keep += 1;
      assert.equal(match?.keep, keep);
    }),
  );
});
