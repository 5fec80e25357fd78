/** The greatest logit's id, or -1 where every logit is -Infinity or not a number. Runs once per token. */
export function greatestLogit(logits: Float32Array): number {
  const { length } = logits;
  let best = -1;
  let value = -Infinity;
  for (let id = 0; id < length; id += 1) {
    // In bounds: a fallback for undefined would triple the time of this loop.
    const logit = logits[id] as number;
    if (logit > value) {
      value = logit;
      best = id;
    }
  }
  return best;
}

/** ln of the sum of e^logit: with it `logit - logSumExp` is a log probability. Costs an exp per token. */
export function logSumExp(logits: Float32Array): number {
  const best = greatestLogit(logits);
  if (best < 0) return -Infinity;
  const greatest = logits[best] ?? 0;
  let sum = 0;
  for (const logit of logits) sum += Math.exp(logit - greatest);
  return greatest + Math.log(sum);
}
