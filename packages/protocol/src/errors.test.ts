import assert from "node:assert/strict";
import { test } from "node:test";
import { WireError, type WireErrorCode, wireErrorCodes } from "./errors.ts";

test("every code has a status and a type that belong together", () => {
  for (const [code, { status, type }] of Object.entries(wireErrorCodes)) {
    assert.match(code, /^[a-z][a-z_]*$/);
    assert.equal(type === "server_error", status >= 500, code);
    const error = new WireError(code as WireErrorCode, "x");
    assert.deepEqual(error.body(), { message: "x", type, param: null, code });
    assert.equal(error.status, status);
  }
});

test("param, status, retry hint and cause are carried", () => {
  const cause = new Error("below");
  const error = new WireError("server_error", "closing", {
    param: "input",
    status: 503,
    retryAfterSeconds: 5,
    cause,
  });
  assert.equal(error.param, "input");
  assert.equal(error.status, 503);
  assert.equal(error.retryAfterSeconds, 5);
  assert.equal(error.cause, cause);
  assert.equal(error.body().param, "input");
});

test("an error is recognised across copies of the package, and nothing else is", () => {
  assert.ok(WireError.isInstance(new WireError("not_found", "x")));
  const copy = { [Symbol.for("slipstream.protocol.WireError")]: true };
  assert.ok(WireError.isInstance(copy));
  for (const other of [null, undefined, 7, "x", new Error("x"), {}, Object.create(copy)]) {
    assert.equal(WireError.isInstance(other), false);
  }
});
