import type { Clock } from "../port/clock.ts";
import type { KvEvent } from "../port/kv-event.ts";
import type { TokenEngine } from "../port/token-engine.ts";
import type { KvIndex } from "./kv-index.ts";

/** How long to wait before an event stream that broke is opened again, in milliseconds. */
const reopenMs = 1000;

/**
 * Keeps the index in step with one engine until the signal aborts or the engine ends its stream. Where a
 * number is missing the worker is forgotten and the stream begun anew. Never rejects.
 */
export async function followKvEvents(
  index: KvIndex,
  worker: string,
  engine: Pick<TokenEngine, "kvEvents">,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const outcome = await readUntilGap(index, worker, engine, signal).catch(() => "broken" as const);
    index.forget(worker);
    if (outcome === "ended") return;
    if (outcome === "broken") await clock.sleep(reopenMs, signal).catch(() => undefined);
  }
}

async function readUntilGap(
  index: KvIndex,
  worker: string,
  engine: Pick<TokenEngine, "kvEvents">,
  signal: AbortSignal,
): Promise<"gap" | "ended"> {
  let last: KvEvent | null = null;
  for await (const event of engine.kvEvents(null)) {
    if (signal.aborted) return "ended";
    if (event.type !== "cleared" && !follows(last, event)) return "gap";
    index.apply(worker, event);
    last = event;
  }
  return "ended";
}

function follows(last: KvEvent | null, event: KvEvent): boolean {
  return last !== null && last.epoch === event.epoch && event.seq === last.seq + 1n;
}
