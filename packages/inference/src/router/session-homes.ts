import { LRUCache } from "lru-cache";
import type { Hash, Scope } from "../port/prefix.ts";

/** Which replica each conversation was last sent to. Bounded: the least recently used home is forgotten. */
export class SessionHomes {
  readonly #homes: LRUCache<string, string>;

  constructor(limit = 100_000) {
    this.#homes = new LRUCache({ max: limit });
  }

  homeOf(scope: Scope, session: Hash): string | null {
    return this.#homes.get(key(scope, session)) ?? null;
  }

  settle(scope: Scope, session: Hash, worker: string): void {
    this.#homes.set(key(scope, session), worker);
  }
}

function key(scope: Scope, session: Hash): string {
  return `${scope}\0${session}`;
}
