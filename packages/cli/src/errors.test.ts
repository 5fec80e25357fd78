import assert from "node:assert/strict";
import { test } from "node:test";
import { CliError, type CliErrorCode, cliErrorStatus, exitStatus } from "./errors.ts";

test("every code gives one of the documented exit statuses, and none is a success", () => {
  const documented = new Set<number>(Object.values(exitStatus));
  for (const code of Object.keys(cliErrorStatus) as CliErrorCode[]) {
    const { exitStatus: status } = new CliError(code, "what to do");
    assert.ok(documented.has(status) && status !== exitStatus.done, code);
  }
});

test("an error is known by its brand, across copies of the package, and keeps its cause", () => {
  const cause = new Error("below");
  const error = new CliError("disk_full", "free some", cause);
  assert.equal(CliError.isInstance(error), true);
  assert.equal(error.cause, cause);
  assert.equal(Object.hasOwn(new CliError("disk_full", "free some"), "cause"), false);
  const copy = Object.assign(new Error(), { [Symbol.for("slipstream.cli.CliError")]: true });
  assert.equal(CliError.isInstance(copy), true);
  for (const other of [new Error("x"), null, "text", {}]) assert.equal(CliError.isInstance(other), false);
});
