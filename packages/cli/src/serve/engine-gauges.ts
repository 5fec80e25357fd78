import type { LoadReport } from "@slipstream-stack/inference";
import { Gauge, type Registry } from "prom-client";

const gauges: readonly (readonly [name: string, help: string, read: (load: LoadReport) => number])[] = [
  ["slipstream_engine_running", "Requests being decoded or prefilled.", (load) => load.running],
  ["slipstream_engine_waiting", "Requests that wait for a place.", (load) => load.waiting],
  ["slipstream_engine_parked", "Idle sequences whose state lies in RAM.", (load) => load.parked],
  ["slipstream_engine_kv_tokens", "Cells of the KV cache in use.", (load) => load.kvTokensUsed],
  ["slipstream_engine_kv_tokens_limit", "Cells of the KV cache.", (load) => load.kvTokensCapacity],
  ["slipstream_engine_parked_bytes", "Bytes of parked state.", (load) => load.parkedBytes],
  ["slipstream_engine_parked_bytes_limit", "Most bytes of parked state.", (load) => load.parkedBytesLimit],
  [
    "slipstream_engine_uncached_tokens_waiting",
    "Prompt tokens not yet evaluated.",
    (load) => load.uncachedTokensWaiting,
  ],
  [
    "slipstream_engine_tokens_prefilled",
    "Prompt tokens evaluated in this epoch.",
    (load) => load.tokensPrefilled,
  ],
  ["slipstream_engine_tokens_decoded", "Tokens decoded in this epoch.", (load) => load.tokensDecoded],
  ["slipstream_engine_steps", "Steps in this epoch.", (load) => load.steps],
];

/** Shows a model's engine in the metrics: read when they are asked for, never counted beside it. */
export function addEngineGauges(registry: Registry, model: string, load: () => LoadReport | undefined): void {
  for (const [name, help, read] of gauges) {
    new Gauge({
      name,
      help,
      labelNames: ["model"],
      registers: [registry],
      collect() {
        const report = load();
        if (report !== undefined) this.set({ model }, read(report));
      },
    });
  }
}
