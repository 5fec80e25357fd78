import { chooseToken } from "../sampling/choose-token.ts";
import { logSumExp } from "../sampling/log-probability.ts";
import { maskLogits } from "../sampling/mask-logits.ts";
import type { RunningRequest } from "./running-request.ts";

/** What comes of a row of logits. */
export type SampleOutcome =
  | { readonly type: "token"; readonly id: number; readonly logprob: number | null }
  /** The mask is not there yet. */
  | { readonly type: "wait" }
  /** The constraint is complete, or the forced ids are used up. */
  | { readonly type: "finished" }
  | { readonly type: "failed"; readonly message: string; readonly invalid: boolean };

/** Chooses the next token of a request; a mask is written into `logits`. Forced ids bypass constraints. */
export function sampleRow(request: RunningRequest, logits: Float32Array): SampleOutcome {
  const { decode } = request.job;
  if (decode.forced !== undefined) {
    const id = decode.forced[request.sampled];
    if (id === undefined) return { type: "finished" };
    return { type: "token", id, logprob: logprobOf(request, logits, id) };
  }
  const { session } = request;
  if (session !== null) {
    if (!session.ready()) return { type: "wait" };
    const reason = session.failed();
    if (reason !== null) return { type: "failed", message: reason, invalid: true };
    if (session.finished()) return { type: "finished" };
  }
  const total = decode.logprobs === true ? logSumExp(logits) : null;
  const mask = session?.mask() ?? null;
  if (mask !== null) maskLogits(logits, mask);
  const id = chooseToken(logits, decode.sampling, request.random);
  if (id < 0) return { type: "failed", message: "no token is possible here", invalid: false };
  return { type: "token", id, logprob: total === null ? null : (logits[id] ?? 0) - total };
}

function logprobOf(request: RunningRequest, logits: Float32Array, id: number): number | null {
  return request.job.decode.logprobs === true ? (logits[id] ?? 0) - logSumExp(logits) : null;
}
