import { canonicalJson, type Item, type JsonValue } from "@slipstream-stack/protocol";

type Side = "call" | "result";

/** Hosted and client tools this server does not run: which fields of their items carry what happened. */
const foreignItems: Readonly<Record<string, { side: Side; fields: readonly string[] }>> = {
  shell_call: { side: "call", fields: ["action"] },
  shell_call_output: { side: "result", fields: ["output"] },
  local_shell_call: { side: "call", fields: ["action"] },
  local_shell_call_output: { side: "result", fields: ["output"] },
  apply_patch_call: { side: "call", fields: ["operation"] },
  apply_patch_call_output: { side: "result", fields: ["output"] },
  web_search_call: { side: "call", fields: ["action"] },
  file_search_call: { side: "call", fields: ["queries", "results"] },
  code_interpreter_call: { side: "call", fields: ["code", "outputs"] },
  // The image itself is base64: it would fill the context and tell a text model nothing.
  image_generation_call: { side: "call", fields: ["revised_prompt"] },
  computer_call: { side: "call", fields: ["action", "actions"] },
  computer_call_output: { side: "result", fields: [] },
  mcp_call: { side: "call", fields: ["server_label", "name", "arguments", "output", "error"] },
  mcp_approval_request: { side: "call", fields: ["server_label", "name", "arguments"] },
  mcp_approval_response: { side: "result", fields: ["approve", "reason"] },
  program: { side: "call", fields: ["code"] },
  program_output: { side: "result", fields: ["result"] },
};

/**
 * An item of a tool this server does not run, as one line of JSON, so that its history is not lost; `null`
 * for items that are not part of the conversation's text.
 */
export function foreignItemText(item: Item): { readonly side: Side; readonly text: string } | null {
  const known = Object.hasOwn(foreignItems, item.type) ? foreignItems[item.type] : undefined;
  if (known === undefined) return null;
  const raw: Readonly<Record<string, unknown>> = item;
  const fields: Record<string, JsonValue> = { type: item.type };
  for (const field of known.fields) {
    const value = raw[field];
    if (value !== undefined && value !== null) fields[field] = value as JsonValue;
  }
  return { side: known.side, text: canonicalJson(fields) };
}
