import { argumentsIdentity, canonicalJson, type JsonObject } from "@slipstream-stack/protocol";
import type { CallSyntax } from "../dialect.ts";
import { StructureGuard } from "../guard-structure.ts";
import type { RenderedTool } from "../rendered-tool.ts";
import { SegmentWriter } from "../segment-writer.ts";

export const callOpen = "<tool_call>";
export const callClose = "</tool_call>";
const responseOpen = "<tool_response>";
const responseClose = "</tool_response>";

/** How a Hermes-trained model (Qwen 2.5 and 3, Hermes 2 Pro and 3) writes a call. */
export const hermesCallSyntax: CallSyntax = {
  open: callOpen,
  begin: '\n{"name": "',
  beginForced: '{"name": "',
  between: '", "arguments": ',
  end: `}\n${callClose}`,
};

/** A tool as its line of the tool block states it; templates get the same object. */
export function toolDeclaration(tool: RenderedTool): JsonObject {
  const description = tool.description === null ? {} : { description: tool.description };
  const parameters = tool.parameters as JsonObject;
  return { type: "function", function: { name: tool.renderedName, ...description, parameters } };
}

/** The tool block of Qwen 2.5's template, from its heading on, each tool as one line of canonical JSON. */
export function writeToolBlock(out: SegmentWriter, declarations: readonly JsonObject[]): void {
  out.plain(
    "# Tools\n\nYou may call one or more functions to assist with the user query.\n\n" +
      "You are provided with function signatures within <tools></tools> XML tags:\n<tools>",
  );
  for (const declaration of declarations) out.plain(`\n${canonicalJson(declaration)}`);
  out.plain(
    "\n</tools>\n\nFor each function call, return a json object with function name and arguments within ",
  );
  out.mark(callOpen).mark(callClose).plain(" XML tags:\n").mark(callOpen);
  out.plain('\n{"name": <function-name>, "arguments": <args-json-object>}\n').mark(callClose);
}

/** Arguments as a call shows them: canonical JSON where that is lossless, an empty text as no arguments. */
export function callArguments(text: string): string {
  return text.trim() === "" ? "{}" : argumentsIdentity(text);
}

/** A call up to its closing mark; where the prompt has `opened` it, from what follows its opening mark on. */
export function writeCall(
  out: SegmentWriter,
  renderedName: string,
  argumentsText: string,
  place: "closed" | "opened",
): void {
  const { begin, beginForced, between } = hermesCallSyntax;
  if (place === "closed") out.mark(callOpen).plain(begin);
  else out.plain(beginForced);
  out.plain(`${JSON.stringify(renderedName).slice(1, -1)}${between}${argumentsText}}\n`).mark(callClose);
}

/** What a writer of plain text writes, as one string. */
export function plainText(write: (out: SegmentWriter) => void): string {
  const out = new SegmentWriter(new StructureGuard([]));
  write(out);
  return out
    .segments()
    .map((segment) => segment.text)
    .join("");
}

/** One tool result, from its opening to its closing mark. */
export function writeResponse(out: SegmentWriter, text: string): void {
  out.mark(responseOpen).plain(`\n${text}\n`).mark(responseClose);
}
