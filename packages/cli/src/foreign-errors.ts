import { exitStatus } from "./errors.ts";

/** Brands of the other packages' errors; by brand, so that naming an error does not load its package. */
const brands: readonly (readonly [symbol, number])[] = [
  [Symbol.for("slipstream.harness.HarnessError"), exitStatus.setup],
  [Symbol.for("slipstream.harness.TransportError"), exitStatus.server],
  [Symbol.for("slipstream.inference.InferenceError"), exitStatus.setup],
  [Symbol.for("slipstream.api.ApiError"), exitStatus.setup],
  [Symbol.for("slipstream.protocol.WireError"), exitStatus.server],
];

const usageCodes = new Set(["invalid_option"]);

/** The exit status for an error of another package, or null when it is none of theirs. */
export function foreignStatus(error: unknown): number | null {
  if (!(error instanceof Error)) return null;
  const found = brands.find(([brand]) => Object.hasOwn(error, brand));
  if (found === undefined) return null;
  return usageCodes.has(String((error as { code?: unknown }).code)) ? exitStatus.usage : found[1];
}
