import { z } from "zod";
import { itemSchema } from "./item/item.ts";
import { textFormatSchema } from "./text-format.ts";
import { toolChoiceSchema, toolSchema } from "./tools.ts";

/**
 * The fields of `response.create` that stay the same from lap to lap. They are split from `input` so that a
 * chained frame whose settings are byte-equal to the last one's is neither parsed nor validated again.
 */
export const settingsSchema = z.looseObject({
  model: z.string().min(1),
  instructions: z.string().nullish(),
  tools: z.array(toolSchema).nullish(),
  tool_choice: toolChoiceSchema.nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  max_tool_calls: z.number().int().positive().nullish(),
  text: z.looseObject({ format: textFormatSchema.nullish(), verbosity: z.string().nullish() }).nullish(),
  reasoning: z.looseObject({ effort: z.string().nullish(), summary: z.string().nullish() }).nullish(),
  max_output_tokens: z.number().int().min(1).nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  top_k: z.number().int().min(0).nullish(),
  seed: z.number().int().min(0).nullish(),
  top_logprobs: z.number().int().min(0).max(20).nullish(),
  truncation: z.enum(["auto", "disabled"]).nullish(),
  include: z.array(z.string()).nullish(),
  prompt_cache_key: z.string().nullish(),
  service_tier: z.string().nullish(),
  safety_identifier: z.string().nullish(),
  user: z.string().nullish(),
});
export type RequestSettings = z.infer<typeof settingsSchema>;

/** The fields that belong to one request alone. */
export const requestFieldsSchema = z.looseObject({
  input: z.union([z.string(), z.array(itemSchema)]).nullish(),
  previous_response_id: z.string().nullish(),
  store: z.boolean().nullish(),
  stream: z.boolean().nullish(),
  generate: z.boolean().nullish(),
  metadata: z.record(z.string().max(64), z.string().max(512)).nullish(),
  stream_id: z.string().nullish(),
  background: z.boolean().nullish(),
  conversation: z.unknown().optional(),
  prompt: z.unknown().optional(),
  context_management: z.unknown().optional(),
  prompt_cache_options: z.looseObject({ prewarm: z.boolean().nullish() }).nullish(),
  client_metadata: z.record(z.string(), z.unknown()).nullish(),
});
export type RequestFields = z.infer<typeof requestFieldsSchema>;

/** A whole create request: settings and request fields in one object, as on the wire. */
export type CreateRequest = RequestSettings & RequestFields;
export const createRequestSchema = z.intersection(settingsSchema, requestFieldsSchema);
