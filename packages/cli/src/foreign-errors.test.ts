import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "@slipstream-stack/api";
import { HarnessError, TransportError } from "@slipstream-stack/harness";
import { InferenceError } from "@slipstream-stack/inference";
import { WireError } from "@slipstream-stack/protocol";
import { foreignStatus } from "./foreign-errors.ts";

test("errors of the other packages give their exit status", () => {
  assert.equal(foreignStatus(new HarnessError("sandbox_missing", "")), 3);
  assert.equal(foreignStatus(new HarnessError("invalid_option", "")), 2);
  assert.equal(foreignStatus(new TransportError("unreachable", "")), 4);
  assert.equal(foreignStatus(new InferenceError("model_broken", "")), 3);
  assert.equal(foreignStatus(new ApiError("port_in_use", "")), 3);
  assert.equal(foreignStatus(new WireError("server_error", "")), 4);
});

test("other errors are nobody's", () => {
  assert.equal(foreignStatus(new Error("x")), null);
  assert.equal(foreignStatus(null), null);
});
