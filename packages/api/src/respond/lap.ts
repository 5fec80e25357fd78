import type { BreakCause, LapRecord, Usage } from "@slipstream-stack/protocol";
import type { PromptPlan } from "../plan/renderer.ts";
import type { Generation } from "./generate.ts";
import type { ResolvedRequest } from "./resolve-request.ts";
import { changedSetting } from "./wire-reason.ts";

/** What one lap's record is made of. Times in milliseconds of one monotonic clock. */
export interface LapFacts {
  readonly id: string;
  readonly request: ResolvedRequest;
  readonly plan: PromptPlan;
  readonly generation: Generation;
  readonly outputItems: number;
  readonly status: LapRecord["status"];
  readonly errorCode: string | null;
  readonly forced: boolean;
  readonly reuse: boolean;
  readonly decision: { readonly worker: string; readonly reason: string } | null;
  readonly startedAt: number;
  readonly renderedAt: number;
}

/** What is known only when the response has been stored. */
export interface LapEnd {
  readonly storeBytes: number;
  readonly storeMs: number;
  readonly endedAt: number;
}

/** Tokens that were not evaluated in this request, over all tiers. */
function cachedTokens({ admitted }: Generation): number {
  if (admitted === null) return 0;
  return admitted.cached.hot + admitted.cached.ram + admitted.cached.disk + admitted.cached.remote;
}

/** Usage as the engine reports it: cached and written tokens are parts of the prompt's. */
export function usageOf(plan: PromptPlan, generation: Generation, reuse: boolean): Usage {
  const input = plan.prompt.length;
  const cached = cachedTokens(generation);
  const output = generation.ids.length;
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cached, cache_write_tokens: reuse ? input - cached : 0 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + output,
  };
}

/** The lap record: counts and durations, no content (architecture, law 7). */
export function lapRecord(facts: LapFacts, ended: LapEnd): LapRecord {
  const { plan, generation, request } = facts;
  const { base, incoming, runtime } = request;
  const info = runtime.info();
  const previous = request.previous ?? base.position?.node ?? null;
  const cached = cachedTokens(generation);
  const cause = breakCause(facts, cached);
  const evaluated = generation.end?.evaluated ?? generation.failure?.evaluated ?? 0;
  const { hot = 0, ram = 0 } = generation.admitted?.cached ?? {};
  return {
    schema: 1,
    response_id: facts.id,
    previous_response_id: incoming.request.previous_response_id ?? null,
    model: runtime.id,
    engine: info.driver,
    epoch: info.epoch,
    transport: incoming.transport,
    status: facts.status,
    error_code: facts.errorCode,
    continuation: base.continuation,
    bytes_in: incoming.bytesIn,
    bytes_out: incoming.bytesOut(),
    items: { input: request.input.length, reused: base.reused, output: facts.outputItems },
    tokens: {
      prompt: plan.prompt.length,
      cached,
      new: plan.prompt.length - base.prompt.rope.length,
      evaluated,
      output: generation.ids.length,
    },
    work: {
      rendered_items: plan.work.renderedItems,
      tokenized_tokens: request.headTokens + plan.work.tokenizedTokens,
      hashed_tokens: plan.prompt.length - base.prompt.rope.length + generation.ids.length,
      store_bytes: ended.storeBytes,
    },
    base: cached === 0 ? null : { length: cached, tier: hot > 0 ? "hot" : ram > 0 ? "ram" : "disk" },
    wire_reason: wireReason(request, cause),
    cause,
    worker: facts.decision?.worker ?? null,
    route_reason: facts.decision?.reason ?? null,
    forced: facts.forced,
    ms: {
      parse: incoming.parseMs,
      render: facts.renderedAt - facts.startedAt,
      queue: generation.admitted?.queueMs ?? 0,
      prefill: generation.end?.ms.prefill ?? 0,
      first_token: generation.firstTokenAt === null ? null : generation.firstTokenAt - facts.startedAt,
      decode: generation.end?.ms.decode ?? 0,
      store: ended.storeMs,
      total: ended.endedAt - facts.startedAt,
      since_last_lap: previous === null ? null : facts.startedAt - previous.endedAt,
    },
  };
}

/** Causes that a client brought about, as against the engine's own. */
const clientCauses: ReadonlySet<BreakCause> = new Set([
  "fingerprint_changed",
  "renderer_changed",
  "lineage_miss",
]);

function wireReason(
  { previousSettings, settings, input }: ResolvedRequest,
  cause: BreakCause | null,
): LapRecord["wire_reason"] {
  if (cause === null || !clientCauses.has(cause)) return null;
  const changed = previousSettings === null ? null : changedSetting(previousSettings, settings);
  if (changed !== null) return changed;
  return input.some((item) => item.type === "compaction") ? "context_compacted" : "input_changed";
}

/** Why less was reused than stood: the base's own cause first, then what the engine says. */
function breakCause(
  { request: { base }, plan, generation, reuse }: LapFacts,
  cached: number,
): BreakCause | null {
  if (!reuse) return "reuse_off";
  if (base.cause !== null) return base.cause;
  if (plan.cause !== null) return plan.cause;
  const expected = base.prompt.rope.length;
  if (cached >= expected - 1 || expected === 0) return null;
  const cause = generation.admitted?.missCause;
  if (cause === "engine_restarted") return "engine_restarted";
  return base.position === null ? "first_request" : "base_evicted";
}
