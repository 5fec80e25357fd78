import assert from "node:assert/strict";
import { test } from "node:test";
import { collect, collectAndKeep } from "./collect-ticket.ts";
import { decodeProgram, engineRequest } from "./engine-request.ts";
import { simulatedModel } from "./simulated-model.ts";
import { tokenRope } from "./token-rope.ts";

const prompt = tokenRope(
  "root",
  Uint32Array.from({ length: 100 }, (_, index) => 10 + index),
);

test("an outcome sorts out what a ticket told", async () => {
  const { engine } = simulatedModel();
  const forced = Uint32Array.of(20, 21, 2);
  const decode = decodeProgram({ forced, stopTokens: [2] });
  const outcome = await collectAndKeep(engine.submit(engineRequest(prompt, { decode })));
  assert.deepEqual(outcome.sampled, [20, 21, 2]);
  assert.deepEqual(outcome.output, [20, 21]);
  assert.equal(outcome.admitted?.type, "admitted");
  assert.equal(outcome.error, null);
  const again = await collect(engine.submit(engineRequest(prompt)));
  assert.equal(again.admitted?.cached.hot, 99);
});

test("a failed ticket has an error and no output", async () => {
  const { engine } = simulatedModel();
  const outcome = await collectAndKeep(engine.submit(engineRequest(tokenRope("root", new Uint32Array(0)))));
  assert.equal(outcome.error?.code, "invalid_request");
  assert.deepEqual([outcome.end, outcome.admitted, outcome.output], [null, null, []]);
});
