import assert from "node:assert/strict";
import { test } from "node:test";
import { type ContentPart, contentSchema, contentText } from "./content.ts";

const textOf: [string, unknown, string][] = [
  ["a string", "hi", "hi"],
  ["nothing", null, ""],
  ["no parts", [], ""],
  [
    "parts, joined without a separator",
    [
      { type: "input_text", text: "a" },
      { type: "output_text", text: "b" },
      { type: "text", text: "c" },
    ],
    "abc",
  ],
  ["a refusal", [{ type: "refusal", refusal: "no" }], "no"],
  ["an image, as a marker", [{ type: "input_image", image_url: "data:," }], "[image]"],
  ["a file, as a marker", [{ type: "input_file", file_data: "data:," }], "[file]"],
  ["a part nobody knows", [{ type: "input_hologram", data: "x" }], ""],
];
for (const [name, content, text] of textOf) {
  test(`text of ${name}`, () => assert.equal(contentText(content as ContentPart[]), text));
}

test("known parts are checked, unknown ones kept", () => {
  const kept = [
    { type: "input_hologram", data: [1] },
    { type: "input_text", text: "a", extra: true },
  ];
  assert.deepEqual(contentSchema.parse(kept), kept);
  for (const part of [
    { type: "input_text" },
    { type: "output_text", text: 7 },
    { type: "refusal", text: "no" },
    { type: "input_image", image_url: 7 },
    { text: "no type" },
  ]) {
    assert.equal(contentSchema.safeParse([part]).success, false, JSON.stringify(part));
  }
});
