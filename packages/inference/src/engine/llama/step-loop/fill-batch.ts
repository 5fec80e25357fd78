import { isResident, type Sequence } from "../sequences/sequence.ts";
import type { EvaluationBatch } from "./evaluator.ts";
import type { PlannedRows } from "./plan-step.ts";
import type { RequestPool } from "./request-pool.ts";
import type { RunningRequest } from "./running-request.ts";

export type ResidentSequence = Sequence & { slot: number };

/** The part of a batch that belongs to one request. */
export interface BatchPart {
  readonly request: RunningRequest;
  readonly sequence: ResidentSequence;
  readonly count: number;
  /** The batch row whose logits it samples from, or null within a prompt. */
  readonly output: number | null;
}

/** Puts the planned tokens into a batch. Logits are asked for where a request's tokens end. */
export function fillBatch(
  batch: EvaluationBatch,
  planned: readonly PlannedRows[],
  pool: RequestPool,
): BatchPart[] {
  batch.clear();
  const parts: BatchPart[] = [];
  for (const { id, count } of planned) {
    const request = pool.get(id);
    const sequence = request?.sequence;
    if (request === undefined || sequence == null || !isResident(sequence)) continue;
    const { tokens, evaluated } = sequence;
    let output: number | null = null;
    for (let position = evaluated; position < evaluated + count; position += 1) {
      const last = position === tokens.length - 1;
      const row = batch.add(sequence.slot, position, tokens.at(position), last);
      if (last) output = row;
    }
    parts.push({ request, sequence, count, output });
  }
  return parts;
}
