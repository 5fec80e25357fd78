import type { Scope } from "@slipstream-stack/inference";
import type { LapRecord } from "@slipstream-stack/protocol";

/** How many lap records stay in memory: `maxRecords` in each scope, `maxBytes` (as JSON) in all of them. */
export interface LapRingLimits {
  readonly maxRecords: number;
  readonly maxBytes: number;
}

const defaultLimits: LapRingLimits = { maxRecords: 4_096, maxBytes: 32 * 1024 * 1024 };

interface Held {
  readonly lap: LapRecord;
  readonly bytes: number;
}

/** One scope's records, oldest first. */
interface ScopeLaps {
  readonly byId: Map<string, Held>;
  bytes: number;
}

/**
 * The latest lap records of each scope, stored responses or not. Beyond its bytes the scope that holds most
 * loses its oldest, so that no tenant's traffic pushes out another's few records.
 */
export class LapRing {
  readonly #limits: LapRingLimits;
  readonly #scopes = new Map<Scope, ScopeLaps>();
  #bytes = 0;

  constructor(limits: Partial<LapRingLimits> = {}) {
    this.#limits = { ...defaultLimits, ...limits };
  }

  /** Keeps a record; one with the same id is replaced and counts as new. */
  add(scope: Scope, lap: LapRecord): void {
    const laps = this.#scopes.get(scope) ?? { byId: new Map<string, Held>(), bytes: 0 };
    this.#scopes.set(scope, laps);
    this.#drop(laps, lap.response_id);
    const bytes = JSON.stringify(lap).length;
    laps.byId.set(lap.response_id, { lap, bytes });
    laps.bytes += bytes;
    this.#bytes += bytes;
    if (laps.byId.size > this.#limits.maxRecords) this.#dropOldest(laps);
    while (this.#bytes > this.#limits.maxBytes) this.#dropOldest(this.#largest(laps));
  }

  /** The record of a response of this scope, or null. */
  find(scope: Scope, id: string): LapRecord | null {
    return this.#scopes.get(scope)?.byId.get(id)?.lap ?? null;
  }

  /** The records of one scope, latest first. */
  latest(scope: Scope, limit: number): LapRecord[] {
    const held = [...(this.#scopes.get(scope)?.byId.values() ?? [])];
    return held
      .slice(Math.max(0, held.length - limit))
      .reverse()
      .map(({ lap }) => lap);
  }

  /** What the ring holds now, over all scopes; bytes as JSON. */
  gauges(): { readonly scopes: number; readonly records: number; readonly bytes: number } {
    let records = 0;
    for (const { byId } of this.#scopes.values()) records += byId.size;
    return { scopes: this.#scopes.size, records, bytes: this.#bytes };
  }

  #largest(fallback: ScopeLaps): ScopeLaps {
    let largest = fallback;
    for (const laps of this.#scopes.values()) if (laps.bytes > largest.bytes) largest = laps;
    return largest;
  }

  #dropOldest(laps: ScopeLaps): void {
    const [oldest] = laps.byId.keys();
    if (oldest !== undefined) this.#drop(laps, oldest);
  }

  #drop(laps: ScopeLaps, id: string): void {
    const held = laps.byId.get(id);
    if (held === undefined) return;
    laps.byId.delete(id);
    laps.bytes -= held.bytes;
    this.#bytes -= held.bytes;
  }
}
