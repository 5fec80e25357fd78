import assert from "node:assert/strict";
import { test } from "node:test";
import { formatTable } from "./format-table.ts";

test("columns line up and lines have no trailing blanks", () => {
  assert.equal(
    formatTable([["a", "long", "x"], ["abc", "b", "yy"], ["only"]]),
    "a     long  x\nabc   b     yy\nonly\n",
  );
  assert.equal(formatTable([]), "");
});
