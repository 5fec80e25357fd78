import type { RenderedTool } from "./rendered-tool.ts";

/**
 * The tools callable at one point of a conversation, each under one rendered name, and the way back.
 * Immutable and shared by the states that follow.
 */
export class ToolScope {
  static readonly empty = new ToolScope([]);
  readonly tools: readonly RenderedTool[];
  readonly #byRenderedName: ReadonlyMap<string, RenderedTool>;

  private constructor(tools: readonly RenderedTool[]) {
    this.tools = tools;
    this.#byRenderedName = new Map(tools.map((tool) => [tool.renderedName, tool]));
  }

  /** This scope and more tools. One that is declared again replaces its earlier declaration in place. */
  with(tools: readonly RenderedTool[]): ToolScope {
    if (tools.length === 0) return this;
    const merged = new Map(this.#byRenderedName);
    for (const tool of tools) merged.set(tool.renderedName, tool);
    return new ToolScope([...merged.values()]);
  }

  byRenderedName(renderedName: string): RenderedTool | undefined {
    return this.#byRenderedName.get(renderedName);
  }

  /**
   * The tool that a call's `name` and `namespace` mean. A call without a namespace also finds the first
   * tool of that name inside one (Codex routes such calls so).
   */
  find(namespace: string | null, name: string): RenderedTool | undefined {
    const exact = this.tools.find((tool) => tool.name === name && tool.namespace === namespace);
    if (exact !== undefined || namespace !== null) return exact;
    return this.tools.find((tool) => tool.name === name);
  }
}
