/** What evaluation costs in milliseconds of the engine's clock; all zero is allowed. */
export interface CostModel {
  readonly prefillMsPerToken: number;
  readonly decodeMsPerStep: number;
  /** Share of a decode step that each further sequence in it adds; 0 means that batching is free. */
  readonly batchFactor: number;
}

/** Fast enough for tests, slow enough that steps have an order in time. */
export const tinyCost: CostModel = { prefillMsPerToken: 0.001, decodeMsPerStep: 0.02, batchFactor: 0.1 };

/** Nothing takes time. */
export const noCost: CostModel = { prefillMsPerToken: 0, decodeMsPerStep: 0, batchFactor: 0 };

/** Milliseconds of one step that prefills some tokens and decodes one token for some sequences. */
export function stepMs(cost: CostModel, prefillTokens: number, decodeRows: number): number {
  const decode = decodeRows === 0 ? 0 : cost.decodeMsPerStep * (1 + cost.batchFactor * (decodeRows - 1));
  return prefillTokens * cost.prefillMsPerToken + decode;
}
