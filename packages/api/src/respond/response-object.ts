import type {
  Item,
  JsonObject,
  ResponseObject,
  ResponseStatus,
  Usage,
  WireError,
} from "@slipstream-stack/protocol";
import type { ResolvedSettings } from "../settings/resolved-settings.ts";
import type { RespondDependencies } from "./dependencies.ts";
import type { ResolvedRequest } from "./resolve-request.ts";

/** What is known of a response when it begins. `createdAt` in seconds since 1970. */
export interface ResponseHeader {
  readonly id: string;
  readonly createdAt: number;
  readonly previousResponseId: string | null;
  readonly store: boolean;
  readonly metadata: Readonly<Record<string, string>>;
  readonly settings: ResolvedSettings;
}

/** The header of a response that begins now. */
export function responseHeader(
  { clock, newId }: RespondDependencies,
  request: ResolvedRequest,
): ResponseHeader {
  const { request: body } = request.incoming;
  return {
    id: newId("resp"),
    createdAt: Math.floor(clock.wallClock() / 1000),
    previousResponseId: body.previous_response_id ?? null,
    store: request.store,
    metadata: body.metadata ?? {},
    settings: request.settings,
  };
}

/** How a response stands or ended. */
export interface ResponseOutcome {
  readonly status: ResponseStatus;
  readonly output: readonly Item[];
  readonly usage: Usage | null;
  readonly error: { code: string; message: string } | null;
  readonly incompleteReason: string | null;
  readonly completedAt: number | null;
}

/** The outcome of a response that has only begun. */
export const inProgress: ResponseOutcome = {
  status: "in_progress",
  output: [],
  usage: null,
  error: null,
  incompleteReason: null,
  completedAt: null,
};

/** The outcome of a response that failed after it began; `output` is what had left by then. */
export function failedOutcome(error: WireError, output: readonly Item[]): ResponseOutcome {
  return { ...inProgress, status: "failed", output, error: { code: error.code, message: error.message } };
}

/** The response object with every key that OpenAI's types and Open Responses want (responses-api, 19.3). */
export function responseObject(header: ResponseHeader, outcome: ResponseOutcome): ResponseObject {
  const { settings } = header;
  return {
    id: header.id,
    object: "response",
    created_at: header.createdAt,
    completed_at: outcome.completedAt,
    status: outcome.status,
    background: false,
    error: outcome.error,
    incomplete_details: outcome.incompleteReason === null ? null : { reason: outcome.incompleteReason },
    output: [...outcome.output],
    usage: outcome.usage,
    previous_response_id: header.previousResponseId,
    store: header.store,
    metadata: { ...header.metadata },
    ...settingsEcho(settings),
    slipstream_settings: settings.fingerprint,
  };
}

type Echo = Omit<
  ResponseObject,
  | "id"
  | "object"
  | "created_at"
  | "completed_at"
  | "status"
  | "background"
  | "error"
  | "incomplete_details"
  | "output"
  | "usage"
  | "previous_response_id"
  | "store"
  | "metadata"
  | "slipstream_settings"
>;

const echoes = new WeakMap<ResolvedSettings, Echo>();

/** The part of a response object that only its settings decide; made once per settings. */
function settingsEcho(settings: ResolvedSettings): Echo {
  const before = echoes.get(settings);
  if (before !== undefined) return before;
  const { given } = settings;
  const echo: Echo = {
    model: settings.model,
    instructions: settings.instructions,
    max_output_tokens: settings.maxOutputTokens,
    max_tool_calls: settings.maxToolCalls,
    parallel_tool_calls: settings.parallelToolCalls,
    prompt_cache_key: settings.cacheKey,
    prompt_cache_retention: null,
    reasoning: { effort: settings.effort, summary: given.reasoning?.summary ?? null },
    safety_identifier: given.safety_identifier ?? null,
    service_tier: settings.serviceTier,
    temperature: settings.sampling.temperature,
    text: { format: settings.format as JsonObject, verbosity: settings.verbosity },
    tool_choice: settings.toolChoice,
    tools: settings.tools.map(withRequiredKeys),
    top_logprobs: given.top_logprobs ?? 0,
    top_p: settings.sampling.topP,
    presence_penalty: 0,
    frequency_penalty: 0,
    truncation: given.truncation ?? "disabled",
    user: given.user ?? null,
    access_programs: null,
  };
  echoes.set(settings, echo);
  return echo;
}

/** Open Responses wants description, parameters and strict present on every function tool. */
function withRequiredKeys(tool: ResolvedSettings["tools"][number]): ResolvedSettings["tools"][number] {
  if (tool.type !== "function") return tool;
  return Object.assign({ description: null, parameters: null, strict: null }, tool);
}
