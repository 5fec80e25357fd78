/** OpenAI's nine reasons of a prompt-cache miss (responses-api, section 11). */
export type WireMissReason =
  | "model_changed"
  | "prompt_cache_key_changed"
  | "tools_changed"
  | "text_format_changed"
  | "reasoning_effort_changed"
  | "verbosity_changed"
  | "context_compacted"
  | "input_changed"
  | "service_tier_changed";

/** Why a prefix broke or was not reused; an open list (architecture, law 2). */
export type BreakCause =
  | "first_request"
  | "lineage_miss"
  | "template_rewind"
  | "reencoded"
  | "renderer_changed"
  | "base_evicted"
  | "engine_restarted"
  | "fingerprint_changed"
  | "boundary_unaligned"
  | "reuse_off";

/** How the server found what the request continues. */
export type Continuation = "none" | "id" | "lineage";

/**
 * What one lap cost and why: no content, only counts and durations. Bytes are payload bytes, durations are
 * milliseconds measured on one clock, tokens are the model's.
 */
export interface LapRecord {
  schema: 1;
  response_id: string;
  previous_response_id: string | null;
  model: string;
  engine: string;
  epoch: string;
  transport: "http" | "sse" | "websocket";
  status: "completed" | "incomplete" | "failed" | "cancelled";
  error_code: string | null;
  continuation: Continuation;
  bytes_in: number;
  bytes_out: number;
  items: { input: number; reused: number; output: number };
  tokens: { prompt: number; cached: number; new: number; evaluated: number; output: number };
  work: { rendered_items: number; tokenized_tokens: number; hashed_tokens: number; store_bytes: number };
  base: { length: number; tier: "hot" | "ram" | "disk" | "remote" | null } | null;
  wire_reason: WireMissReason | null;
  cause: BreakCause | null;
  worker: string | null;
  route_reason: string | null;
  forced: boolean;
  ms: {
    parse: number;
    render: number;
    queue: number;
    prefill: number;
    first_token: number | null;
    decode: number;
    store: number;
    total: number;
    since_last_lap: number | null;
  };
}
