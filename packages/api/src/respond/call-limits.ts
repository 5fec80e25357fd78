import { type ToolChoice, WireError } from "@slipstream-stack/protocol";
import type { RenderedTool } from "../render/rendered-tool.ts";
import type { CallLimits } from "../render/tool-constraint.ts";

/**
 * What `tool_choice` means for the tools at hand. It never touches the prompt's tool block.
 * @throws WireError invalid_value (param `tool_choice`) where it names a tool that is not there.
 */
export function callLimits(choice: ToolChoice, tools: readonly RenderedTool[]): CallLimits {
  if (choice === "none") return { allowed: [], forced: false };
  if (choice === "auto") return { allowed: tools, forced: false };
  if (choice === "required")
    return { allowed: needed(tools, "tool_choice is 'required' but there are no tools."), forced: true };
  if (choice.type === "allowed_tools" && "tools" in choice && Array.isArray(choice.tools)) {
    const names = choice.tools.map((tool) => (tool as { name?: unknown }).name);
    const allowed = needed(
      tools.filter((tool) => names.includes(tool.name) || names.includes(tool.renderedName)),
      "tool_choice allows none of the tools given.",
    );
    return { allowed, forced: choice.mode === "required" };
  }
  if (choice.type === "function" || choice.type === "custom") {
    const name = "name" in choice ? choice.name : undefined;
    const named = tools.filter((tool) => tool.name === name || tool.renderedName === name);
    return {
      allowed: needed(named, `tool_choice names '${String(name)}', which is not among the tools.`),
      forced: true,
    };
  }
  return { allowed: tools, forced: false };
}

function needed(tools: readonly RenderedTool[], message: string): readonly RenderedTool[] {
  if (tools.length === 0) throw new WireError("invalid_value", message, { param: "tool_choice" });
  return tools;
}
