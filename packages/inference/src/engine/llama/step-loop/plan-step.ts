/** A request that can go on: `pending` tokens to evaluate, one of them where it decodes. */
export interface PlanEntry {
  readonly id: string;
  readonly pending: number;
  readonly decoding: boolean;
  /** Position of its first pending token. */
  readonly position: number;
  readonly priority: number;
  /** Order of arrival. */
  readonly order: number;
}

export interface PlanOptions {
  /** Most rows of a batch. */
  readonly batchSize: number;
  /** Most prefill rows of a batch that decoders share: what they wait for. */
  readonly mixedChunk: number;
  /** Steps of decoders alone between two such batches. */
  readonly decodeStepsBetween: number;
  /** One sequence a batch, chunks that end at multiples of `batchSize`. */
  readonly deterministic: boolean;
}

/** What the plan remembers from step to step. */
export interface PlanState {
  readonly decodeSteps: number;
  readonly chunks: number;
}

export interface PlannedRows {
  readonly id: string;
  readonly count: number;
}

export const initialPlanState: PlanState = { decodeSteps: 0, chunks: 0 };

/**
 * Which tokens go into the next batch (continuous batching with chunked prefill, as in Sarathi-Serve): every
 * decoder one row; prefill in large chunks while nobody decodes, else in small ones with pure decode steps between.
 */
export function planStep(
  entries: readonly PlanEntry[],
  state: PlanState,
  options: PlanOptions,
): { rows: PlannedRows[]; state: PlanState } {
  if (options.deterministic) return planAlone(entries, state, options);
  const decoders = entries.filter((entry) => entry.decoding).slice(0, options.batchSize);
  const prefills = orderPrefills(
    entries.filter((entry) => !entry.decoding),
    state.chunks,
  );
  const rows = decoders.map(({ id }) => ({ id, count: 1 }));
  if (prefills.length === 0) return { rows, state: { ...state, decodeSteps: state.decodeSteps + 1 } };
  if (decoders.length > 0 && state.decodeSteps < options.decodeStepsBetween) {
    return { rows, state: { ...state, decodeSteps: state.decodeSteps + 1 } };
  }
  const chunk = decoders.length > 0 ? options.mixedChunk : options.batchSize;
  let room = Math.min(chunk, options.batchSize - rows.length);
  for (const { id, pending } of prefills) {
    const count = Math.min(pending, room);
    if (count > 0) rows.push({ id, count });
    room -= count;
  }
  return { rows, state: { ...state, decodeSteps: 0, chunks: state.chunks + 1 } };
}

/** By priority; then the shortest and the oldest in turn, so that short ones pass and long ones never starve. */
function orderPrefills(prefills: readonly PlanEntry[], chunks: number): PlanEntry[] {
  const oldestFirst = chunks % 2 === 1;
  return [...prefills].sort(
    (a, b) => b.priority - a.priority || (oldestFirst ? 0 : a.pending - b.pending) || a.order - b.order,
  );
}

function planAlone(
  entries: readonly PlanEntry[],
  state: PlanState,
  { batchSize }: PlanOptions,
): { rows: PlannedRows[]; state: PlanState } {
  const [first] = [...entries].sort((a, b) => a.order - b.order);
  if (first === undefined) return { rows: [], state };
  const count = Math.min(first.pending, batchSize - (first.position % batchSize));
  return { rows: [{ id: first.id, count }], state };
}

/**
 * Where a reused prefix must end in deterministic mode: this kernel computes one row otherwise than several, so
 * the first chunk after it must not be one row where a prefill from the start had more.
 */
export function deterministicStart(cached: number, promptLength: number, batchSize: number): number {
  const offset = cached % batchSize;
  const end = Math.min(cached - offset + batchSize, promptLength);
  return offset > 0 && end - cached < 2 ? cached - 1 : cached;
}
