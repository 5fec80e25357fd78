import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject, JsonValue } from "@slipstream-stack/protocol";
import { seededRandom } from "@slipstream-stack/testkit";
import fc from "fast-check";
import { z } from "zod";
import { schemaInstance } from "./schema-instance.ts";

function instances(schema: JsonObject, count = 40): JsonValue[] {
  return Array.from({ length: count }, (_, seed) => schemaInstance(schema, seededRandom(seed).below));
}

/** Schemas with the zod type that judges them: another implementation of the same rules. */
const judged: readonly (readonly [string, z.ZodType])[] = [
  [
    "object",
    z.object({
      command: z.array(z.string()).min(1),
      workdir: z.string().optional(),
      timeout: z.int().min(1),
    }),
  ],
  [
    "bounds",
    z.object({
      low: z.number().gt(3).lt(4),
      whole: z.int().min(-5).max(-5),
      even: z.number().multipleOf(2).min(3),
    }),
  ],
  ["strings", z.object({ short: z.string().max(2), long: z.string().min(30) })],
  ["union", z.union([z.string(), z.object({ kind: z.literal("a"), n: z.number() }), z.null()])],
  ["enum", z.object({ mode: z.enum(["read", "write"]), flag: z.boolean() })],
  [
    "nested",
    z.object({ plan: z.array(z.object({ step: z.string(), status: z.enum(["done", "open"]) })).min(2) }),
  ],
  ["tuple", z.tuple([z.string(), z.int()])],
  ["both", z.intersection(z.object({ first: z.string() }), z.object({ second: z.int() }))],
];

for (const [name, type] of judged) {
  test(`instances of a schema fit it: ${name}`, () => {
    const schema = z.toJSONSchema(type) as JsonObject;
    for (const value of instances(schema)) assert.ok(type.safeParse(value).success, JSON.stringify(value));
  });
}

test("references are followed, and a recursive schema ends", () => {
  const schema: JsonObject = {
    $ref: "#/$defs/node",
    $defs: {
      node: {
        type: "object",
        properties: {
          name: { type: "string" },
          child: { anyOf: [{ $ref: "#/$defs/node" }, { type: "null" }] },
        },
        required: ["name", "child"],
      },
    },
  };
  type Node = { name: string; child: Node | null };
  const node: z.ZodType<Node> = z.object({ name: z.string(), child: z.lazy(() => node).nullable() });
  for (const value of instances(schema)) assert.ok(node.safeParse(value).success, JSON.stringify(value));
});

test("any JSON as schema yields some JSON and never throws", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.integer(), (schema, seed) => {
      const value = schemaInstance(schema as JsonValue, seededRandom(seed).below);
      assert.doesNotThrow(() => JSON.stringify(value));
    }),
  );
});
