import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "../../port/clock.ts";
import type { EngineRequest } from "../../port/token-engine.ts";
import { createSimulatedModel } from "../simulated/simulated-model.ts";
import { measurePrompt } from "./measure-prompt.ts";

const never = new AbortController().signal;

async function simulated() {
  const { engine, tokenizer } = createSimulatedModel({ id: "sim", clock: systemClock });
  const requests: EngineRequest[] = [];
  const watched = {
    ...engine,
    submit: (request: EngineRequest) => {
      requests.push(request);
      return engine.submit(request);
    },
  };
  return {
    engine: watched as unknown as typeof engine,
    vocabulary: await tokenizer.vocabulary(),
    requests,
    tell: engine,
  };
}

test("every repeat evaluates the whole prompt and each step, of plain tokens only", async () => {
  const { engine, vocabulary, requests, tell } = await simulated();
  for (let repeat = 1; repeat <= 2; repeat += 1) {
    const times = await measurePrompt(engine, vocabulary, 300, 8, never);
    assert.ok(times.prefill >= 0 && times.decode >= 0);
    assert.deepEqual([tell.load().tokensPrefilled, tell.load().tokensDecoded], [300 * repeat, 8 * repeat]);
  }
  for (const { prompt, decode } of requests) {
    const ids = [...prompt.slice(0), ...(decode.forced ?? [])];
    assert.equal(ids.length, 309);
    assert.ok(ids.every((id) => id < vocabulary.pieces.length && !vocabulary.structural.has(id)));
    assert.ok(new Set(ids).size > 100);
  }
});

test("an engine's failure and the signal's reason come through", async () => {
  const { engine, vocabulary, tell } = await simulated();
  const reason = new Error("enough");
  await assert.rejects(
    measurePrompt(engine, vocabulary, 300, 8, AbortSignal.abort(reason)),
    (error) => error === reason,
  );
  await tell.close(0);
  await assert.rejects(measurePrompt(engine, vocabulary, 300, 8, never), { code: "engine_start_failed" });
});
