import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { BreakCause, WireMissReason } from "@slipstream-stack/protocol";
import { lapRecordFixture } from "../store/testing/response-write.ts";
import { explainLap } from "./explain-lap.ts";

const causes: BreakCause[] = [
  "first_request",
  "lineage_miss",
  "template_rewind",
  "reencoded",
  "renderer_changed",
  "base_evicted",
  "engine_restarted",
  "fingerprint_changed",
  "boundary_unaligned",
  "reuse_off",
];
const reasons: WireMissReason[] = ["model_changed", "tools_changed", "input_changed", "context_compacted"];

describe("an explained lap", () => {
  it("says for a chained lap what was cached, new, and slow", () => {
    const lap = lapRecordFixture({
      response_id: "resp_2",
      previous_response_id: "resp_1",
      continuation: "id",
      bytes_in: 1_234,
      items: { input: 1, reused: 6, output: 2 },
      tokens: { prompt: 2_000, cached: 1_999, new: 40, evaluated: 41, output: 21 },
      base: { length: 1_999, tier: "ram" },
      cause: null,
      ms: { ...lapRecordFixture().ms, prefill: 30, decode: 12_345.6, total: 12_500, since_last_lap: 87.25 },
    });
    assert.deepEqual(explainLap(lap), [
      "resp_2: completed, smollm2-135m-instruct on simulated (epoch e1f9c2)",
      "Continues resp_1, found by its id, 87.3 ms after that one ended.",
      "Received 1,234 bytes over a WebSocket with 1 item; 6 earlier items stood already; answered 2 items in 2,310 bytes.",
      "Rendered 1 item, tokenized 230 tokens, hashed 251 tokens, stored 1,024 bytes.",
      "The prompt has 2,000 tokens: 1,999 tokens (99.9 %) came from parked state in RAM; the engine evaluated 41 tokens and wrote 21 tokens.",
      "Nothing broke: all that stood was reused.",
      "First token after 123 ms, done after 12.5 s; most of it went into decode.",
      "Times: parse 0.3 ms, render 0.2 ms, queue 0.1 ms, prefill 30.0 ms, decode 12.3 s, store 4.2 ms, other 120 ms.",
    ]);
  });

  it("names each cause by its code and by words of its own", () => {
    const lines = causes.map((cause) => explainLap(lapRecordFixture({ cause }))[5] ?? "");
    for (const [index, cause] of causes.entries()) assert.ok(lines[index]?.includes(`[${cause}]`));
    assert.equal(new Set(lines.map((line) => line.replace(/\[.*?\]/, ""))).size, causes.length);
  });

  it("names what the client changed", () => {
    const lines = reasons.map((wire_reason) => explainLap(lapRecordFixture({ wire_reason, cause: null }))[5]);
    assert.equal(new Set(lines).size, reasons.length);
    for (const line of lines) assert.notEqual(line, explainLap(lapRecordFixture({ cause: null }))[5]);
  });

  it("explains a failed lap without any token", () => {
    const lap = lapRecordFixture({
      status: "failed",
      error_code: "engine_restarting",
      tokens: { prompt: 0, cached: 0, new: 0, evaluated: 0, output: 0 },
      ms: { ...lapRecordFixture().ms, first_token: null, prefill: 0, decode: 0 },
    });
    const lines = explainLap(lap);
    assert.ok(lines[0]?.includes("failed (engine_restarting)"));
    assert.equal(lines.join().includes("NaN"), false);
  });

  it("shows worker, route and forced tokens where there are any", () => {
    const lap = lapRecordFixture({ worker: "w1", route_reason: "holds the prefix", forced: true });
    const [header] = explainLap(lap);
    assert.ok(header?.includes("worker w1 (holds the prefix)"));
    assert.ok(header?.includes("teacher-forced"));
  });
});
