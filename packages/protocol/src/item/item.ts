import { z } from "zod";
import { contentSchema } from "./content.ts";

const id = { id: z.string().nullish(), status: z.string().nullish() };
const callId = z.string().min(1);

/** A message of any role. `type` may be missing on the wire ("easy message"); parsing puts it in. */
export const messageSchema = z.looseObject({
  ...id,
  type: z.literal("message"),
  role: z.enum(["user", "assistant", "system", "developer"]),
  content: contentSchema,
  phase: z.string().nullish(),
});
/** The model's thinking, shown as summary and/or text, or sealed in `encrypted_content`. */
export const reasoningSchema = z.looseObject({
  ...id,
  type: z.literal("reasoning"),
  summary: z.array(z.looseObject({ type: z.string(), text: z.string() })).default([]),
  content: z.array(z.looseObject({ type: z.string(), text: z.string() })).nullish(),
  encrypted_content: z.string().nullish(),
});
/** A call of a function tool; `arguments` is JSON text as the model wrote it. */
export const functionCallSchema = z.looseObject({
  ...id,
  type: z.literal("function_call"),
  call_id: callId,
  name: z.string().min(1),
  namespace: z.string().nullish(),
  arguments: z.string(),
});
const functionCallOutputSchema = z.looseObject({
  ...id,
  type: z.literal("function_call_output"),
  call_id: callId,
  output: contentSchema,
});
/** A call of a custom tool; `input` is free text. */
const customToolCallSchema = z.looseObject({
  ...id,
  type: z.literal("custom_tool_call"),
  call_id: callId,
  name: z.string().min(1),
  namespace: z.string().nullish(),
  input: z.string(),
});
const customToolCallOutputSchema = z.looseObject({
  ...id,
  type: z.literal("custom_tool_call_output"),
  call_id: callId,
  output: contentSchema,
});
/** A sealed summary that stands for the history it replaced. */
export const compactionSchema = z.looseObject({
  ...id,
  type: z.literal("compaction"),
  encrypted_content: z.string(),
});
/** Tools that become known at this point of the conversation. */
const additionalToolsSchema = z.looseObject({
  ...id,
  type: z.literal("additional_tools"),
  role: z.string().nullish(),
  tools: z.array(z.looseObject({ type: z.string() })),
});
/** A reference to a stored item; must be resolved before rendering. */
const itemReferenceSchema = z.looseObject({
  type: z.literal("item_reference"),
  id: z.string().min(1),
});

const known = {
  message: messageSchema,
  reasoning: reasoningSchema,
  function_call: functionCallSchema,
  function_call_output: functionCallOutputSchema,
  custom_tool_call: customToolCallSchema,
  custom_tool_call_output: customToolCallOutputSchema,
  compaction: compactionSchema,
  additional_tools: additionalToolsSchema,
  item_reference: itemReferenceSchema,
} as const;

type KnownSchemas = typeof known;
export type KnownItemType = keyof KnownSchemas;
/** An item of a type this version renders or treats specially. */
export type KnownItem = z.infer<KnownSchemas[KnownItemType]>;
/** An item of any other type (tool search, shell calls, …): checked for `type` only and kept as it came. */
export interface UnknownItem {
  readonly type: string & { readonly unknown: true };
  readonly [key: string]: unknown;
}
export type Item = KnownItem | UnknownItem;
export type MessageItem = z.infer<typeof messageSchema>;
export type ReasoningItem = z.infer<typeof reasoningSchema>;
export type FunctionCallItem = z.infer<typeof functionCallSchema>;
export type FunctionCallOutputItem = z.infer<typeof functionCallOutputSchema>;
export type CustomToolCallItem = z.infer<typeof customToolCallSchema>;
export type CustomToolCallOutputItem = z.infer<typeof customToolCallOutputSchema>;
export type CompactionItem = z.infer<typeof compactionSchema>;
export type AdditionalToolsItem = z.infer<typeof additionalToolsSchema>;

function isKnownType(type: string): type is KnownItemType {
  return Object.hasOwn(known, type);
}

/** Narrows an item to those this version knows; an unknown one keeps its `type` in its own brand. */
export function isKnownItem(item: Item): item is KnownItem {
  return isKnownType(item.type);
}

/** What `type` an item without one has: an easy message has a role, an item reference only an id. */
function impliedType(raw: Record<string, unknown>): string | undefined {
  if (typeof raw.type === "string") return raw.type;
  if (raw.role !== undefined) return "message";
  return typeof raw.id === "string" ? "item_reference" : undefined;
}

/** One item of the wire. Unknown types are kept; a known type with wrong fields is an issue with its path. */
export const itemSchema = z.record(z.string(), z.unknown()).transform((raw, context): Item => {
  const type = impliedType(raw);
  if (type === undefined) {
    context.addIssue({ code: "custom", message: "An item needs a string `type`.", path: ["type"] });
    return z.NEVER;
  }
  const typed = { ...raw, type };
  if (!isKnownType(type)) return typed as unknown as UnknownItem;
  const parsed = known[type].safeParse(typed);
  if (parsed.success) return parsed.data;
  for (const issue of parsed.error.issues) context.addIssue({ ...issue });
  return z.NEVER;
});
