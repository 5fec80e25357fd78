import type { Item } from "./item/item.ts";
import type { JsonObject } from "./json.ts";
import type { Tool, ToolChoice } from "./tools.ts";
import type { Usage } from "./usage.ts";

export type ResponseStatus = "queued" | "in_progress" | "completed" | "incomplete" | "failed" | "cancelled";

/** The response object: the superset of what OpenAI's types and Open Responses want present (section 19.3). */
export interface ResponseObject {
  id: string;
  object: "response";
  created_at: number;
  completed_at: number | null;
  status: ResponseStatus;
  background: boolean;
  error: { code: string; message: string } | null;
  incomplete_details: { reason: string } | null;
  instructions: string | null;
  max_output_tokens: number | null;
  max_tool_calls: number | null;
  model: string;
  output: Item[];
  parallel_tool_calls: boolean;
  previous_response_id: string | null;
  prompt_cache_key: string | null;
  prompt_cache_retention: null;
  reasoning: { effort: string | null; summary: string | null };
  safety_identifier: string | null;
  service_tier: string;
  store: boolean;
  temperature: number;
  text: { format: JsonObject; verbosity: string };
  tool_choice: ToolChoice;
  tools: Tool[];
  top_logprobs: number;
  top_p: number;
  presence_penalty: number;
  frequency_penalty: number;
  truncation: "auto" | "disabled";
  usage: Usage | null;
  user: string | null;
  metadata: Record<string, string>;
  access_programs: null;
  /** Ours: fingerprint of the settings, which a client may send back to inherit what it then omits. */
  slipstream_settings: string;
}
