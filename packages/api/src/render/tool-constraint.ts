import type { Constraint } from "@slipstream-stack/inference";
import type { JsonObject, TextFormat } from "@slipstream-stack/protocol";
import type { CallSyntax } from "./dialect.ts";
import type { RenderedTool } from "./rendered-tool.ts";

/** Which tools an answer may call, and whether it must begin with a call of one of them. */
export interface CallLimits {
  readonly allowed: readonly RenderedTool[];
  readonly forced: boolean;
}

/** The settings that shape the text of an answer. */
export interface AnswerForm {
  readonly parallelToolCalls: boolean;
  readonly format: TextFormat;
}

/**
 * The constraints of an answer's decode program.
 *
 * - A forced call is held to the allowed tools from the first token (the prompt ends in its opening mark).
 * - In free text the opening mark starts the same grammar, for the allowed tools.
 * - After a call the output goes on, so that calls can follow, unless `parallelToolCalls` is off.
 * - `json_schema` and `json_object` hold the whole answer, which then ends. Where tools may be called too, the
 *   answer begins freely, since the model must be able to choose the call; the format then is not enforced.
 * - Without allowed tools (`tool_choice` `none`) a call's mark means nothing: it stays text.
 */
export function answerConstraints(syntax: CallSyntax, limits: CallLimits, form: AnswerForm): Constraint[] {
  if (limits.allowed.length === 0) return formatConstraints(form.format);
  const then = form.parallelToolCalls ? "free" : "stop";
  const trigger = new TextEncoder().encode(syntax.open);
  const onTrigger: Constraint = { on: { trigger }, source: callSource(syntax, limits, syntax.begin), then };
  if (!limits.forced) return [onTrigger];
  const onStart: Constraint = { on: "start", source: callSource(syntax, limits, syntax.beginForced), then };
  return then === "stop" ? [onStart] : [onStart, onTrigger];
}

function callSource(syntax: CallSyntax, limits: CallLimits, begin: string): Constraint["source"] {
  const alternatives = limits.allowed.map((tool) => ({
    // Inside a JSON string: a quote in a name must not end it.
    name: JSON.stringify(tool.renderedName).slice(1, -1),
    schema: tool.parameters as JsonObject,
  }));
  return { kind: "named_json", begin, alternatives, between: syntax.between, end: syntax.end };
}

function formatConstraints(format: TextFormat): Constraint[] {
  const then = "stop";
  if (format.type === "json_object") return [{ on: "start", source: { kind: "json_object" }, then }];
  if (format.type !== "json_schema") return [];
  return [{ on: "start", source: { kind: "json_schema", schema: format.schema as JsonObject }, then }];
}
