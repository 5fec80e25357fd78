import { Gauge, type Registry } from "prom-client";
import type { ChainIndex } from "../chain/chain-index.ts";

interface LapGauges {
  gauges(): { readonly records: number; readonly bytes: number };
}

/** Shows every budget of the API's memory beside its use: chains (ropes, sampled ids, items) and lap records. */
export function addStateGauges(registry: Registry, chains: ChainIndex, laps: LapGauges): void {
  const gauges: readonly (readonly [name: string, help: string, read: () => number])[] = [
    ["slipstream_chain_nodes", "Responses held in memory.", () => chains.load().nodes],
    [
      "slipstream_chain_boundaries",
      "Item boundaries that can be found by content.",
      () => chains.load().lineages,
    ],
    ["slipstream_chain_bytes", "Bytes of ropes, sampled ids and items held.", () => chains.load().bytes],
    ["slipstream_chain_bytes_limit", "Most bytes of chains.", () => chains.load().bytesLimit],
    ["slipstream_lap_records", "Lap records held in memory.", () => laps.gauges().records],
    ["slipstream_lap_bytes", "Bytes of lap records held.", () => laps.gauges().bytes],
  ];
  for (const [name, help, read] of gauges) {
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(read());
      },
    });
  }
}
