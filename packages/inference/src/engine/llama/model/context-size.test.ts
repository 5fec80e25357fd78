import assert from "node:assert/strict";
import { test } from "node:test";
import { InferenceError } from "../../../errors.ts";
import { type ContextSizing, contextSize } from "./context-size.ts";

const small: ContextSizing = {
  trainedContext: 8_192,
  bytesPerToken: 23_040,
  freeMemory: 20_000_000_000,
  requested: null,
};
const refused = (sizing: ContextSizing): boolean => {
  try {
    contextSize(sizing);
    return false;
  } catch (error) {
    return InferenceError.isInstance(error) && error.code === "context_too_large";
  }
};

test("four full contexts where memory allows", () => {
  assert.equal(contextSize(small), 32_768);
});

test("half of the free memory, and never more than 131,072", () => {
  const tight = contextSize({ ...small, freeMemory: 200_000_000 });
  assert.ok(tight * small.bytesPerToken <= 106_000_000 && tight > 4_000, `${tight}`);
  assert.equal(contextSize({ ...small, trainedContext: 1_000_000, bytesPerToken: 10 }), 131_072);
});

test("what was asked for, rounded up to whole pages of 256", () => {
  assert.equal(contextSize({ ...small, requested: 1_000 }), 1_024);
});

test("too little memory, and too much asked, are refused", () => {
  assert.ok(refused({ ...small, freeMemory: 10_000_000 }));
  assert.ok(refused({ ...small, requested: 1_000_000_000 }));
  assert.ok(refused({ ...small, requested: 0 }));
});
