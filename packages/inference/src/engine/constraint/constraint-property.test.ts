import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { JsonObject, JsonValue } from "@slipstream-stack/protocol";
import fc from "fast-check";
import type { ConstraintSource } from "../../port/decode-program.ts";
import { startConstraintHost } from "./constraint-host.ts";
import type { ConstraintSession } from "./constraint-session.ts";
import { admits, admitted, bytesOf, testVocabulary } from "./test-vocabulary.ts";

const host = startConstraintHost({ vocabulary: testVocabulary, now: () => performance.now() });
after(() => host.close());

/** A schema and, written apart from it, what it means. */
interface Shape {
  readonly schema: JsonObject;
  readonly fits: (value: unknown) => boolean;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const leaves: fc.Arbitrary<Shape> = fc.oneof(
  fc.constant<Shape>({ schema: { type: "boolean" }, fits: (value) => typeof value === "boolean" }),
  fc.constant<Shape>({ schema: { type: "null" }, fits: (value) => value === null }),
  fc.constant<Shape>({ schema: { type: "number" }, fits: (value) => typeof value === "number" }),
  fc.constant<Shape>({ schema: { type: "object" }, fits: isObject }),
  fc.tuple(fc.integer({ min: -50, max: 50 }), fc.integer({ min: 0, max: 500 })).map(
    ([minimum, span]): Shape => ({
      schema: { type: "integer", minimum, maximum: minimum + span },
      fits: (value) => Number.isInteger(value) && Number(value) >= minimum && Number(value) <= minimum + span,
    }),
  ),
  fc.uniqueArray(fc.oneof(fc.string(), fc.integer(), fc.boolean()), { minLength: 1, maxLength: 4 }).map(
    (values): Shape => ({
      schema: { enum: values },
      fits: (value) => values.some((one) => Object.is(one, value)),
    }),
  ),
  fc.tuple(fc.integer({ min: 0, max: 9 }), fc.integer({ min: 0, max: 200 })).map(
    ([minLength, span]): Shape => ({
      schema: { type: "string", minLength, maxLength: minLength + span },
      fits: (value) =>
        typeof value === "string" && [...value].length >= minLength && [...value].length <= minLength + span,
    }),
  ),
  fc
    .constantFrom(
      "^[a-c]+$",
      "^x?\\d{2,4}$",
      "^(get|set)_[A-Z]$",
      "^.{1,9}$",
      "^[^a]+$",
      "^[^ ]*!$",
      '^"["\\\\]?$',
    )
    .map(
      (pattern): Shape => ({
        schema: { type: "string", pattern },
        fits: (value) => typeof value === "string" && new RegExp(pattern, "u").test(value),
      }),
    ),
);

function objectOf(members: readonly (readonly [string, Shape, boolean])[]): Shape {
  const required = members.filter(([, , needed]) => needed).map(([name]) => name);
  return {
    schema: {
      type: "object",
      properties: Object.fromEntries(members.map(([name, shape]) => [name, shape.schema])),
      required,
    },
    fits: (value) =>
      isObject(value) &&
      required.every((name) => Object.hasOwn(value, name)) &&
      Object.entries(value).every(([name, member]) =>
        members.some(([known, shape]) => known === name && shape.fits(member)),
      ),
  };
}

const { shape: shapes } = fc.letrec<{ shape: Shape }>((tie) => ({
  shape: fc.oneof(
    { maxDepth: 2 },
    leaves,
    fc.tuple(tie("shape"), fc.nat(2), fc.nat(3)).map(
      ([items, minItems, span]): Shape => ({
        schema: { type: "array", items: items.schema, minItems, maxItems: minItems + span },
        fits: (value) =>
          Array.isArray(value) &&
          value.length >= minItems &&
          value.length <= minItems + span &&
          value.every(items.fits),
      }),
    ),
    fc
      .uniqueArray(fc.tuple(fc.constantFrom("a", "name", "é", "b.c $"), tie("shape"), fc.boolean()), {
        selector: ([name]) => name,
        minLength: 1,
        maxLength: 3,
      })
      .map(objectOf),
    fc.tuple(tie("shape"), tie("shape")).map(
      ([left, right]): Shape => ({
        schema: { anyOf: [left.schema, right.schema] },
        fits: (value) => left.fits(value) || right.fits(value),
      }),
    ),
  ),
}));

/** Small numbers from a seed, the same each time. */
function dice(seed: number): (sides: number) => number {
  let state = seed >>> 0;
  return (sides) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * sides);
  };
}

const closers = [...testVocabulary.endOfGeneration, ...Buffer.from('"!}]0')];

/** Samples at random under the masks, after a while whatever ends soonest; gives the text. */
function walk(session: ConstraintSession, roll: (sides: number) => number): string {
  const bytes: Uint8Array[] = [];
  for (let step = 0; step < 3000; step += 1) {
    assert.equal(session.wait(30_000), true);
    assert.equal(session.failed(), null);
    if (session.finished()) return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(bytes));
    const mask = session.mask();
    const closer = step > 150 && roll(4) > 0 ? closers.find((token) => admits(mask, token)) : undefined;
    const choices = admitted(mask);
    const token = closer ?? choices[roll(choices.length)];
    assert.ok(token !== undefined, "nothing is admitted");
    if (!testVocabulary.endOfGeneration.includes(token)) bytes.push(bytesOf(token));
    session.accept(token, bytesOf(token));
  }
  return assert.fail(`no end: ${Buffer.concat(bytes)}`);
}

function walkSource(source: ConstraintSource, seed: number): string {
  const then = "stop";
  const session = host.open([{ on: "start", source, then }]);
  try {
    return walk(session, dice(seed));
  } finally {
    session.close();
  }
}

test("whatever is sampled under the masks parses and is valid", () => {
  fc.assert(
    fc.property(shapes, fc.nat(), (shape, seed) => {
      const text = walkSource({ kind: "json_schema", schema: shape.schema }, seed);
      const value: JsonValue = JSON.parse(text);
      assert.ok(shape.fits(value), `${text} is not valid under ${JSON.stringify(shape.schema)}`);
    }),
    { numRuns: 60 },
  );
});

test("whatever call is sampled has the arguments of its name", () => {
  const names = ["get", "get_file", "list", "é"];
  fc.assert(
    fc.property(fc.array(shapes, { minLength: 1, maxLength: 4 }), fc.nat(), (members, seed) => {
      const chosen = members.map((shape, index) => ({
        name: names[index] ?? "x",
        shape: objectOf([["a", shape, true]]),
      }));
      const text = walkSource(
        {
          kind: "named_json",
          begin: '{"name": "',
          alternatives: chosen.map(({ name, shape }) => ({ name, schema: shape.schema })),
          between: '", "arguments": ',
          end: "}\n</tool_call>",
        },
        seed,
      );
      assert.ok(text.endsWith("}\n</tool_call>"));
      const call: unknown = JSON.parse(text.slice(0, -"</tool_call>".length));
      assert.ok(isObject(call));
      assert.ok(chosen.find(({ name }) => name === call["name"])?.shape.fits(call["arguments"]), text);
    }),
    { numRuns: 30 },
  );
});
