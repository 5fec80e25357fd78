import type { BreakCause, LapRecord, WireMissReason } from "@slipstream-stack/protocol";

/** Why less was reused than stood, in words that need no knowledge of the code. */
const causes: Readonly<Record<BreakCause, string>> = {
  first_request: "nothing was held yet: it is the first request with this beginning",
  lineage_miss: "the conversation differs from every one the server remembers",
  template_rewind:
    "the model's template rewrites earlier turns, so the prompt was cut back to where it agrees",
  reencoded: "the model's own output had to be tokenized again, as its sampled tokens were not held any more",
  renderer_changed: "another version of the renderer had made the earlier prompt",
  base_evicted: "the engine had given the cached beginning's room to other requests",
  engine_restarted: "the engine was restarted and had lost its caches",
  fingerprint_changed: "instructions, tools or other settings at the prompt's beginning changed",
  boundary_unaligned: "an item ended in the middle of a token, so the cut went back to the last whole one",
  reuse_off: "reuse is switched off",
};

/** What changed on the client's side, in the API's own reasons. */
const wireReasons: Readonly<Record<WireMissReason, string>> = {
  model_changed: "another model",
  prompt_cache_key_changed: "another prompt_cache_key",
  tools_changed: "other tools or instructions",
  text_format_changed: "another text.format",
  reasoning_effort_changed: "another reasoning effort",
  verbosity_changed: "another verbosity",
  context_compacted: "the context was compacted",
  input_changed: "earlier input was changed",
  service_tier_changed: "another service tier",
};

const tiers = {
  hot: "the engine's own memory",
  ram: "parked state in RAM",
  disk: "disk",
  remote: "another worker",
} as const;

const transports = {
  http: "HTTP",
  sse: "HTTP with server-sent events",
  websocket: "a WebSocket",
} as const;

function counted(count: number, noun: string): string {
  return `${count.toLocaleString("en-US")} ${noun}${count === 1 ? "" : "s"}`;
}

function duration(ms: number): string {
  if (ms >= 10_000) return `${(ms / 1_000).toFixed(1)} s`;
  return ms >= 100 ? `${Math.round(ms).toLocaleString("en-US")} ms` : `${ms.toFixed(1)} ms`;
}

function share(part: number, whole: number): string {
  // Rounded down: 99.96 % is not all of it.
  return whole === 0 ? "0 %" : `${(Math.floor((part / whole) * 1_000) / 10).toFixed(1)} %`;
}

function header(lap: LapRecord): string {
  const error = lap.error_code === null ? "" : ` (${lap.error_code})`;
  const forced = lap.forced ? ", its tokens teacher-forced" : "";
  const worker = lap.worker === null ? "" : `, worker ${lap.worker}`;
  const route = lap.route_reason === null ? "" : ` (${lap.route_reason})`;
  return (
    `${lap.response_id}: ${lap.status}${error}, ${lap.model} on ${lap.engine}` +
    ` (epoch ${lap.epoch}${worker}${route})${forced}`
  );
}

function continued(lap: LapRecord): string {
  if (lap.continuation === "none") return "Began anew: it continues no conversation the server knows.";
  const how = lap.continuation === "id" ? "by its id" : "by its content, as no usable id was given";
  const what = lap.previous_response_id ?? "an earlier response";
  const since =
    lap.ms.since_last_lap === null ? "" : `, ${duration(lap.ms.since_last_lap)} after that one ended`;
  return `Continues ${what}, found ${how}${since}.`;
}

function sent(lap: LapRecord): string {
  const { input, reused, output } = lap.items;
  return (
    `Received ${counted(lap.bytes_in, "byte")} over ${transports[lap.transport]} with ` +
    `${counted(input, "item")}; ${counted(reused, "earlier item")} stood already; ` +
    `answered ${counted(output, "item")} in ${counted(lap.bytes_out, "byte")}.`
  );
}

function work(lap: LapRecord): string {
  const { rendered_items, tokenized_tokens, hashed_tokens, store_bytes } = lap.work;
  const stored = store_bytes === 0 ? "stored nothing" : `stored ${counted(store_bytes, "byte")}`;
  return (
    `Rendered ${counted(rendered_items, "item")}, tokenized ${counted(tokenized_tokens, "token")}, ` +
    `hashed ${counted(hashed_tokens, "token")}, ${stored}.`
  );
}

function cached(lap: LapRecord): string {
  const { prompt, cached: held, evaluated, output } = lap.tokens;
  const from = lap.base === null || lap.base.tier === null ? "" : ` from ${tiers[lap.base.tier]}`;
  const reused =
    held === 0 ? "none were cached" : `${counted(held, "token")} (${share(held, prompt)}) came${from}`;
  return (
    `The prompt has ${counted(prompt, "token")}: ${reused}; the engine evaluated ` +
    `${counted(evaluated, "token")} and wrote ${counted(output, "token")}.`
  );
}

function missed(lap: LapRecord): string {
  if (lap.cause === null && lap.wire_reason === null) return "Nothing broke: all that stood was reused.";
  const cause = lap.cause === null ? "the client's request changed" : causes[lap.cause];
  const reason = lap.wire_reason === null ? "" : ` The client sent ${wireReasons[lap.wire_reason]}.`;
  const code = lap.cause === null ? "" : ` [${lap.cause}]`;
  return `Not all was reused: ${cause}${code}.${reason}`;
}

function times(lap: LapRecord): string[] {
  const { parse, render, queue, prefill, decode, store, total, first_token } = lap.ms;
  const parts = Object.entries({ parse, render, queue, prefill, decode, store });
  const rest = Math.max(0, total - render - queue - prefill - decode - store);
  const shown = [...parts, ["other", rest] as const].map(([name, ms]) => `${name} ${duration(ms)}`);
  const [longest] = parts.toSorted((left, right) => right[1] - left[1]);
  const first = first_token === null ? "No token was written" : `First token after ${duration(first_token)}`;
  const most = longest === undefined || longest[1] === 0 ? "" : `; most of it went into ${longest[0]}`;
  return [`${first}, done after ${duration(total)}${most}.`, `Times: ${shown.join(", ")}.`];
}

/** A lap record in plain words, one statement a line: what came, what was reused, why not more, where time went. */
export function explainLap(lap: LapRecord): string[] {
  return [header(lap), continued(lap), sent(lap), work(lap), cached(lap), missed(lap), ...times(lap)];
}
