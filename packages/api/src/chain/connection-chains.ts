/**
 * Which `store:false` responses are reachable on which WebSocket connection: the latest of each lane, from
 * any lane of the same connection (responses-api, 9.4 and 9.5). Gone with the connection.
 */
export class ConnectionChains {
  readonly #latest = new Map<string, Map<string, string>>();

  /** Makes `id` the one response of its lane that can be continued. */
  advance(connection: string, lane: string, id: string): void {
    const lanes = this.#latest.get(connection) ?? new Map<string, string>();
    lanes.set(lane, id);
    this.#latest.set(connection, lanes);
  }

  reaches(connection: string, id: string): boolean {
    for (const latest of this.#latest.get(connection)?.values() ?? []) if (latest === id) return true;
    return false;
  }

  /** A failed continuation evicts its parent, but only when it was the latest of the same lane. */
  evict(connection: string, lane: string, id: string): boolean {
    const lanes = this.#latest.get(connection);
    if (lanes?.get(lane) !== id) return false;
    return lanes.delete(lane);
  }

  /** The connection has closed: everything that only it could reach is gone. Returns the ids it held. */
  close(connection: string): string[] {
    const ids = [...(this.#latest.get(connection)?.values() ?? [])];
    this.#latest.delete(connection);
    return ids;
  }
}
