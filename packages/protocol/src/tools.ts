import { z } from "zod";
import type { JsonObject } from "./json.ts";

const jsonObject = z.custom<JsonObject>(
  (value) => typeof value === "object" && value !== null && !Array.isArray(value),
);

/** A function the client runs. `parameters` is a JSON schema. */
export const functionToolSchema = z.looseObject({
  type: z.literal("function"),
  name: z.string().min(1),
  description: z.string().nullish(),
  parameters: jsonObject.nullish(),
  strict: z.boolean().nullish(),
});
/** A tool with free text as input, possibly held to a grammar. */
export const customToolSchema = z.looseObject({
  type: z.literal("custom"),
  name: z.string().min(1),
  description: z.string().nullish(),
  format: z.looseObject({ type: z.string() }).nullish(),
});
/** A named group of function and custom tools. */
export const namespaceToolSchema = z.looseObject({
  type: z.literal("namespace"),
  name: z.string().min(1),
  description: z.string().nullish(),
  tools: z.array(z.discriminatedUnion("type", [functionToolSchema, customToolSchema])),
});

const known = {
  function: functionToolSchema,
  custom: customToolSchema,
  namespace: namespaceToolSchema,
} as const;
export type FunctionTool = z.infer<typeof functionToolSchema>;
export type CustomTool = z.infer<typeof customToolSchema>;
export type NamespaceTool = z.infer<typeof namespaceToolSchema>;
/** A tool of any other type: accepted, kept, left out of the prompt. */
export interface UnknownTool {
  readonly type: string & { readonly unknown: true };
  readonly [key: string]: unknown;
}
export type Tool = FunctionTool | CustomTool | NamespaceTool | UnknownTool;

/** Narrows a tool to those this version renders. */
export function isKnownTool(tool: Tool): tool is FunctionTool | CustomTool | NamespaceTool {
  return Object.hasOwn(known, tool.type);
}

/** One entry of `tools`. */
export const toolSchema = z.looseObject({ type: z.string() }).transform((raw, context): Tool => {
  if (!Object.hasOwn(known, raw.type)) return raw as unknown as UnknownTool;
  const parsed = known[raw.type as keyof typeof known].safeParse(raw);
  if (parsed.success) return parsed.data;
  for (const issue of parsed.error.issues) context.addIssue({ ...issue });
  return z.NEVER;
});

const shapedChoices: ReadonlySet<string> = new Set(["function", "custom", "allowed_tools"]);

/** `tool_choice`: a mode, one tool by name, or a narrowed list that leaves the prompt as it is. */
export const toolChoiceSchema = z.union([
  z.enum(["none", "auto", "required"]),
  z.looseObject({ type: z.literal("function"), name: z.string().min(1) }),
  z.looseObject({ type: z.literal("custom"), name: z.string().min(1) }),
  z.looseObject({
    type: z.literal("allowed_tools"),
    mode: z.enum(["auto", "required"]),
    tools: z.array(z.looseObject({ type: z.string(), name: z.string().nullish() })),
  }),
  // A hosted tool's choice: accepted and neutral. A known kind must fit its own form above.
  z.looseObject({ type: z.string().refine((type) => !shapedChoices.has(type)) }),
]);
export type ToolChoice = z.infer<typeof toolChoiceSchema>;
