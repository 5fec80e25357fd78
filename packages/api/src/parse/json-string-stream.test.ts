import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { JsonStringStream, unescapeJson } from "./json-string-stream.ts";

const binary = (text: string): string => Buffer.from(text, "utf8").toString("latin1");

/** Reads a string's inside in stretches that end at the cuts. */
function readIn(inside: string, cuts: readonly number[]): { pieces: string[]; end: number } {
  const stream = new JsonStringStream();
  const bytes = `${binary(inside)}"rest`;
  const at = [
    0,
    ...cuts.filter((cut) => cut <= bytes.length - 5).sort((left, right) => left - right),
    bytes.length,
  ];
  const pieces: string[] = [];
  let end = -1;
  for (const [index, to] of at.slice(1).entries()) {
    const read = stream.read(bytes.slice(0, to), at[index] ?? 0);
    pieces.push(read.text);
    end = read.end;
  }
  return { pieces, end };
}

/** Every character as itself where JSON allows it, as a short escape, or by its number. */
const written = fc
  .array(
    fc.tuple(
      fc.oneof(
        fc.string({ unit: "grapheme", minLength: 1, maxLength: 1 }),
        fc.constantFrom("\\", '"', "\n", "\t", "🙂", "n", "u"),
      ),
      fc.boolean(),
    ),
    { maxLength: 10 },
  )
  .map((characters) => ({
    text: characters.map(([character]) => character).join(""),
    inside: characters
      .map(([character, byNumber]) =>
        byNumber ? numbered(character) : JSON.stringify(character).slice(1, -1),
      )
      .join(""),
  }));

function numbered(text: string): string {
  return Array.from(
    { length: text.length },
    (_, index) => `\\u${text.charCodeAt(index).toString(16).padStart(4, "0")}`,
  ).join("");
}

describe("json string stream", () => {
  it("reads any string in any stretches, up to its closing quote", () => {
    fc.assert(
      fc.property(written, fc.array(fc.nat(60), { maxLength: 8 }), ({ text, inside }, cuts) => {
        const { pieces, end } = readIn(inside, cuts);
        assert.equal(pieces.join(""), text);
        assert.equal(end, binary(inside).length);
        assert.equal(
          readIn(
            inside,
            Array.from({ length: 80 }, (_, index) => index),
          ).pieces.join(""),
          text,
        );
      }),
      { numRuns: 300 },
    );
  });

  it("never hands out half a pair of surrogates or half an escape", () => {
    fc.assert(
      fc.property(written, ({ inside }) => {
        for (const piece of readIn(
          inside,
          Array.from({ length: 80 }, (_, index) => index),
        ).pieces) {
          assert.ok(piece.isWellFormed(), JSON.stringify(piece));
        }
      }),
    );
  });

  it("does not hold an escaped backslash for an escape", () => {
    assert.deepEqual(readIn("a\\\\", [3]).pieces, ["a\\", ""]);
    assert.deepEqual(readIn("\\\\n", [2]).pieces, ["\\", "n"]);
  });

  it("gives what was held where the string breaks off", () => {
    const stream = new JsonStringStream();
    assert.deepEqual(stream.read("ab\\u00", 0), { text: "ab", end: -1 });
    assert.equal(stream.finish(), "u00");
  });

  it("takes escapes that JSON does not know for their character", () => {
    assert.equal(unescapeJson("\\q\\/\\u00e9\\uZZ"), "q/éuZZ");
  });
});
