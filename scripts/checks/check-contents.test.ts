import assert from "node:assert/strict";
import { test } from "node:test";
import { checkContents } from "./check-contents.ts";

test("names of registry hosts and of the checkout's own folder are found", () => {
  const host = ["registry", "npmjs", "org"].join(".");
  const files = [
    { path: "a.md", text: `see https://${host}/x` },
    { path: "b.ts", text: 'const folder = "/some/checkout/packages";' },
    { path: "c.ts", text: "nothing" },
  ];
  assert.deepEqual(
    checkContents(files, ["/some/checkout"]).map((problem) => problem.split(":")[0]),
    ["a.md", "b.ts"],
  );
});
