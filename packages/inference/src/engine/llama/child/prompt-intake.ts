import type { WireSubmit } from "../../wire/messages.ts";
import { resolveRef } from "../sequences/match-prefix.ts";
import type { SequenceTable } from "../sequences/sequence-table.ts";
import type { Job } from "../step-loop/job.ts";

interface Incomplete {
  readonly submit: WireSubmit;
  /** Tokens of the prompt that are known already. */
  readonly base: Uint32Array;
}

/**
 * Completes prompts that arrive as a believed base and a tail: from the sequences that hold the base, or by
 * asking for what is missing. The tokens of a base are copied at once, so that a later eviction costs only work.
 */
export class PromptIntake {
  readonly #table: SequenceTable;
  readonly #incomplete = new Map<number, Incomplete>();

  constructor(table: SequenceTable) {
    this.#table = table;
  }

  /** The job, or how many tokens of the prompt are held: the driver then sends those up to `from`. */
  submit(message: WireSubmit): Job | { readonly have: number } {
    if (message.from === 0) return createJob(message, message.tail, false);
    const found = message.useCache ? resolveRef(this.#table.all, message.root, message.refs) : null;
    const have = found?.ref.length ?? 0;
    const base = found === null ? new Uint32Array(0) : found.sequence.tokens.view(0, have).slice();
    if (found !== null) this.#table.touch(found.sequence);
    if (have === message.from) return createJob(message, joinIds(base, message.tail), false);
    this.#incomplete.set(message.id, { submit: message, base });
    return { have };
  }

  /** The job, once the missing tokens are there; null for one that was cancelled meanwhile. */
  complete(id: number, ids: Uint32Array): Job | null {
    const incomplete = this.#incomplete.get(id);
    if (incomplete === undefined) return null;
    this.#incomplete.delete(id);
    const { submit, base } = incomplete;
    return createJob(submit, joinIds(base, ids, submit.tail), true);
  }

  /** True if the request was still incomplete: it has then never begun. */
  cancel(id: number): boolean {
    return this.#incomplete.delete(id);
  }
}

function createJob(submit: WireSubmit, prompt: Uint32Array, baseMissed: boolean): Job {
  const { root, decode, priority, useCache, mayFork, outliveClient, gated, retain, credit } = submit;
  const id = String(submit.id);
  return {
    id,
    root,
    prompt,
    decode,
    priority,
    useCache,
    mayFork,
    outliveClient,
    gated,
    retain,
    credit,
    baseMissed,
  };
}

function joinIds(...parts: readonly Uint32Array[]): Uint32Array {
  const joined = new Uint32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    joined.set(part, offset);
    offset += part.length;
  }
  return joined;
}
