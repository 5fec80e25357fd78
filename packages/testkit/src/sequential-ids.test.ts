import assert from "node:assert/strict";
import { test } from "node:test";
import { sequentialIds } from "./sequential-ids.ts";

test("ids count up whatever their prefix, and each source begins anew", () => {
  const next = sequentialIds();
  assert.deepEqual([next("resp"), next("msg"), next("resp")], ["resp_1", "msg_2", "resp_3"]);
  assert.equal(sequentialIds()("call"), "call_1");
});
