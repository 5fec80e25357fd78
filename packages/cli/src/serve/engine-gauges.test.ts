import assert from "node:assert/strict";
import { test } from "node:test";
import { createSimulatedModel, systemClock } from "@slipstream-stack/inference";
import { Registry } from "prom-client";
import { addEngineGauges } from "./engine-gauges.ts";

test("an engine's load stands in the exposition under its model, and is left out where there is none", async () => {
  const registry = new Registry();
  const { engine } = createSimulatedModel({ id: "tiny", clock: systemClock, capacityTokens: 4096 });
  addEngineGauges(registry, "tiny", () => engine.load());
  const text = await registry.metrics();
  assert.match(text, /^slipstream_engine_kv_tokens_limit\{model="tiny"\} 4096$/m);
  assert.match(text, /^slipstream_engine_running\{model="tiny"\} 0$/m);
  await engine.close(0);
  const other = new Registry();
  addEngineGauges(other, "gone", () => undefined);
  assert.doesNotMatch(await other.metrics(), /model="gone"/);
});
