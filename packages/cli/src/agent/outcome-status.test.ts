import assert from "node:assert/strict";
import { test } from "node:test";
import type { TurnOutcome } from "@slipstream-stack/harness";
import { withCode } from "../testing/expect-code.ts";
import { readMaxLaps } from "./agent-settings.ts";
import { outcomeStatus } from "./outcome-status.ts";

const cases: readonly (readonly [TurnOutcome, number])[] = [
  [{ kind: "answered", text: "yes", laps: 1 }, 0],
  [{ kind: "incomplete", reason: "max_output_tokens", text: "", laps: 1 }, 1],
  [{ kind: "lap_limit", laps: 100 }, 1],
  [{ kind: "failed", code: "server_error", message: "", status: 500, laps: 1 }, 4],
  [{ kind: "failed", code: "unreachable", message: "", status: null, laps: 0 }, 4],
  [{ kind: "cancelled", laps: 1 }, 130],
];
for (const [outcome, status] of cases) {
  test(`${outcome.kind} ends with ${status}`, () => assert.equal(outcomeStatus(outcome), status));
}

test("a lap limit is a whole number above 0", () => {
  assert.equal(readMaxLaps("7"), 7);
  assert.equal(readMaxLaps(undefined), null);
  for (const text of ["0", "-1", "1.5", "many", ""])
    assert.throws(() => readMaxLaps(text), withCode("usage_invalid"));
});
