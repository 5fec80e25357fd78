import type { LoadReport } from "../port/token-engine.ts";

const none: LoadReport = {
  running: 0,
  waiting: 0,
  parked: 0,
  kvTokensUsed: 0,
  kvTokensCapacity: 0,
  parkedBytes: 0,
  parkedBytesLimit: 0,
  uncachedTokensWaiting: 0,
  tokensPrefilled: 0,
  tokensDecoded: 0,
  steps: 0,
};
const fields = Object.keys(none) as readonly (keyof LoadReport)[];

/** The gauges of several replicas as those of one: every field is a sum. */
export function sumLoads(loads: readonly LoadReport[]): LoadReport {
  const total: Record<keyof LoadReport, number> = { ...none };
  for (const load of loads) for (const field of fields) total[field] += load[field];
  return total;
}
