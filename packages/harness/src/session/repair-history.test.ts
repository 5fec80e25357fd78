import assert from "node:assert/strict";
import { test } from "node:test";
import { callOutput } from "../loop/tool-call.ts";
import { functionCall } from "../transport/testing/scripted-server.ts";
import { missingOutputs } from "./repair-history.ts";

test("each call without an output gets one, others stay", () => {
  const items = [
    functionCall("a", "x"),
    callOutput({ callId: "a", name: "x", input: "", kind: "function" }, "ok"),
    functionCall("b", "x"),
    { type: "custom_tool_call" as const, call_id: "c", name: "y", input: "" },
  ];
  const repaired = missingOutputs(items);
  assert.deepEqual(
    repaired.map((item) => [item.type, "call_id" in item ? item.call_id : null]),
    [
      ["function_call_output", "b"],
      ["custom_tool_call_output", "c"],
    ],
  );
  assert.deepEqual(missingOutputs([...items, ...repaired]), []);
});
