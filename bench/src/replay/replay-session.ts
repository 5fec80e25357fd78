import {
  type AcknowledgedState,
  buildRequest,
  type FrozenSettings,
  type FullSendReason,
  HistoryLog,
  planSend,
} from "@slipstream-stack/harness";
import type { Item } from "@slipstream-stack/protocol";
import type { RecordedSession } from "./recorded-session.ts";

/** What one way of sending costs in one lap. */
export interface Sent {
  readonly bytes: number;
  readonly tokens: number;
  /** Milliseconds to make the request's text. */
  readonly ms: number;
}

export interface ReplayedLap {
  /** Items of the history this request stands for. */
  readonly items: number;
  /** The whole history serialised anew, as agents without cached bytes do. */
  readonly anew: Sent;
  /** The whole history by our builder. */
  readonly full: Sent;
  readonly delta: Sent;
  /** Why the delta rule wanted everything sent; null for a delta. */
  readonly fullReason: FullSendReason | null;
}

export interface ReplayOptions {
  readonly settings: FrozenSettings;
  /** The settings as the plain object that `settings` were made of. */
  readonly plainSettings: object;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
  /** Tokens of each item's text. */
  readonly tokensOf: (item: Item) => number;
}

/** Sends a recorded session again, each lap in three ways, and measures. Which way comes first changes by lap. */
export function replaySession(session: RecordedSession, options: ReplayOptions): ReplayedLap[] {
  const { settings, plainSettings, now, tokensOf } = options;
  const log = new HistoryLog();
  let acknowledged: AcknowledgedState | null = null;
  let total = 0;
  return session.laps.map(({ input, output }, index) => {
    log.append(input);
    const fresh = sum(input, tokensOf);
    total += fresh;
    const items = log.items();
    const anewOnce = () =>
      Buffer.byteLength(
        JSON.stringify({ type: "response.create", store: false, ...plainSettings, input: items }),
      );
    const fullOnce = () => {
      const plan = { kind: "full", reason: "first_request", changed: null } as const;
      return buildRequest({ settings, history: log.view(), plan, form: "frame", generate: true }).bytes;
    };
    const deltaOnce = () => {
      const history = log.view();
      const plan = planSend(acknowledged, settings, history);
      return { plan, ...buildRequest({ settings, history, plan, form: "frame", generate: true }) };
    };
    const [anew, delta] = timedInTurn(now, index % 2 === 1, anewOnce, deltaOnce);
    const full = timed(now, fullOnce);
    const lap = {
      items: items.length,
      anew: { bytes: anew.value, tokens: total, ms: anew.ms },
      full: { bytes: full.value, tokens: total, ms: full.ms },
      delta: {
        bytes: delta.value.bytes,
        tokens: delta.value.plan.kind === "delta" ? fresh : total,
        ms: delta.ms,
      },
      fullReason: delta.value.plan.kind === "full" ? delta.value.plan.reason : null,
    };
    acknowledged = {
      responseId: `resp_${index.toString(16).padStart(32, "0")}`,
      settings,
      lastInput: log.view().last,
      received: output,
      warmUp: false,
      settingsFingerprint: "0123456789abcdef0123456789abcdef",
    };
    log.append(output);
    total += sum(output, tokensOf);
    return lap;
  });
}

function timed<Value>(now: () => number, run: () => Value): { value: Value; ms: number } {
  const started = now();
  const value = run();
  return { value, ms: now() - started };
}

function timedInTurn<First, Second>(
  now: () => number,
  secondLeads: boolean,
  first: () => First,
  second: () => Second,
): [{ value: First; ms: number }, { value: Second; ms: number }] {
  if (!secondLeads) return [timed(now, first), timed(now, second)];
  const early = timed(now, second);
  return [timed(now, first), early];
}

function sum(items: readonly Item[], of: (item: Item) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}
