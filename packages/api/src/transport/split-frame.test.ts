import assert from "node:assert/strict";
import { test } from "node:test";
import { WireError } from "@slipstream-stack/protocol";
import fc from "fast-check";
import { splitMembers } from "./create/split-members.ts";
import { splitFrame } from "./split-frame.ts";

const split = (text: string) => splitFrame(splitMembers(text, 64));
const codeOf = (run: () => unknown): string | undefined => {
  try {
    run();
    return undefined;
  } catch (error) {
    if (WireError.isInstance(error)) return error.code;
    throw error;
  }
};

const requestMembers = ["input", "previous_response_id", "stream", "store", "metadata", "type", "generate"];
const settingsMembers = ["model", "tools", "instructions", "tool_choice", "text", 'a"b', "é"];
const frame = fc
  .uniqueArray(fc.tuple(fc.constantFrom(...requestMembers, ...settingsMembers), fc.jsonValue()), {
    selector: ([key]) => key,
  })
  .map((members) => members as [string, unknown][]);
const textOf = (members: readonly (readonly [string, unknown])[]) =>
  `{${members.map(([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}`).join(" ,\n")}}`;

test("the two halves hold every member with its value, each in the right half", () => {
  fc.assert(
    fc.property(frame, (members) => {
      const text = textOf(members);
      const { settings, fields } = split(text);
      assert.deepEqual({ ...JSON.parse(settings), ...JSON.parse(fields) }, JSON.parse(text));
      for (const key of Object.keys(JSON.parse(fields) as object)) assert.ok(requestMembers.includes(key));
      for (const key of Object.keys(JSON.parse(settings) as object)) assert.ok(settingsMembers.includes(key));
    }),
  );
});

test("the key does not depend on the order of members, nor on anything of one request", () => {
  fc.assert(
    fc.property(frame, fc.jsonValue(), fc.infiniteStream(fc.nat()), (members, input, order) => {
      const before = split(textOf(members)).settingsKey;
      const shuffled = members
        .map((member) => ({ member, rank: order.next().value as number }))
        .sort((a, b) => a.rank - b.rank)
        .map(({ member }) => member)
        .filter(([key]) => key !== "input");
      assert.equal(split(textOf([...shuffled, ["input", input]])).settingsKey, before);
    }),
  );
});

test("the key changes with any setting's value", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
      const key = (value: unknown) =>
        split(
          textOf([
            ["model", "m"],
            ["tools", value],
          ]),
        ).settingsKey;
      assert.equal(key(a) === key(b), JSON.stringify(a) === JSON.stringify(b));
    }),
  );
});

test("a member name in escapes is the member it spells", () => {
  assert.deepEqual(JSON.parse(split('{"\\u0069nput":"x"}').fields), { input: "x" });
});

test("what is not one object, or has a member twice, is refused by code", () => {
  for (const text of ["", "[]", '"a"', "{", '{"a":1}x', '{"a":1,}', "{a:1}", "\ufeff{}", '{"a":1}{"b":2}']) {
    assert.equal(
      codeOf(() => split(text)),
      "invalid_json",
      text,
    );
  }
  assert.equal(
    codeOf(() => split('{"model":"a","model":"b"}')),
    "invalid_value",
  );
  assert.equal(
    codeOf(() => split('{"input":1,"\\u0069nput":2}')),
    "invalid_value",
  );
});

test("a value cannot smuggle a member out of its span", () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (key, value) => {
      const object = { model: `m","input":"${value}`, [`x${key}`]: `${value}\\","store":true,"a":"` };
      const { fields } = split(JSON.stringify(object));
      assert.equal(fields, "{}");
    }),
  );
});
