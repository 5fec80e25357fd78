import { isJsonObject, type Tool, tryParseJson } from "@slipstream-stack/protocol";
import { HarnessError } from "../errors.ts";
import type { ToolRunner } from "../loop/ports.ts";
import type { ToolCall, ToolResult } from "../loop/tool-call.ts";
import { limitText } from "./output-limit.ts";
import { failure, type HarnessTool, ToolArgumentError } from "./tool.ts";

/**
 * The tools of an agent, and the order in which calls run: a call that changes something waits for all calls
 * before it, any other call only for those that change something. Order of registration has no effect.
 */
export class ToolRegistry implements ToolRunner {
  readonly #tools: ReadonlyMap<string, HarnessTool>;
  #lastExclusive: Promise<unknown> = Promise.resolve();
  #lastShared: Promise<unknown> = Promise.resolve();

  readonly #outputBytes: number;

  /** @param outputBytes UTF-8 bytes that one call may bring back; what is longer loses its middle */
  constructor(tools: readonly HarnessTool[], outputBytes = Number.POSITIVE_INFINITY) {
    this.#outputBytes = outputBytes;
    const byName = new Map<string, HarnessTool>();
    for (const tool of tools) {
      const { name } = tool.definition;
      if (byName.has(name)) throw new HarnessError("duplicate_tool", `Two tools are called "${name}".`);
      byName.set(name, tool);
    }
    this.#tools = byName;
  }

  definitions(): Tool[] {
    return [...this.#tools.values()].map((tool) => tool.definition);
  }

  async run(call: ToolCall, signal: AbortSignal): Promise<ToolResult> {
    const result = await this.#inTurn(call, signal);
    const fits = Buffer.byteLength(result.output) <= this.#outputBytes;
    return fits ? result : { ...result, output: limitText(result.output, this.#outputBytes) };
  }

  #inTurn(call: ToolCall, signal: AbortSignal): Promise<ToolResult> {
    const tool = this.#tools.get(call.name);
    if (tool === undefined) {
      const known = [...this.#tools.keys()].sort().join(", ");
      return Promise.resolve(failure(`There is no tool "${call.name}". The tools are: ${known}.`));
    }
    if (tool.parallel) {
      const result = this.#lastExclusive.then(() => execute(tool, call, signal));
      this.#lastShared = Promise.all([this.#lastShared, result]).then(() => {});
      return result;
    }
    const before = Promise.all([this.#lastExclusive, this.#lastShared]);
    const result = before.then(() => execute(tool, call, signal));
    this.#lastExclusive = result;
    return result;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#tools.values()].map((tool) => tool.close?.()));
  }
}

async function execute(tool: HarnessTool, call: ToolCall, signal: AbortSignal): Promise<ToolResult> {
  if (signal.aborted) return failure("The user stopped the turn before this call ran.");
  const given = call.kind === "custom" ? { input: call.input } : tryParseJson(call.input || "{}");
  if (!isJsonObject(given)) return failure("The arguments are not a JSON object. Nothing was done.");
  try {
    return await tool.run(given, signal);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (error instanceof ToolArgumentError) return failure(message);
    return failure(`The tool failed: ${message}`);
  }
}
