import type { AgentOptions } from "./agent-options.ts";
import { detectSandbox, findProgram } from "./sandbox/detect-sandbox.ts";
import { shellLauncher } from "./sandbox/sandbox.ts";
import { shellEnvironment } from "./sandbox/shell-environment.ts";
import { applyPatchTool } from "./tools/apply-patch/apply-patch-tool.ts";
import { readFileTool } from "./tools/read-file-tool.ts";
import { searchTool } from "./tools/search/search-tool.ts";
import { KeptShell } from "./tools/shell/kept-shell.ts";
import { shellTool } from "./tools/shell/shell-tool.ts";
import { ToolRegistry } from "./tools/tool-registry.ts";

const searchTimeoutMs = 20_000;

/** The default tools and those the caller adds. `workspace` is a real path. */
export async function createTools(options: AgentOptions, workspace: string): Promise<ToolRegistry> {
  const { clock, ids } = options;
  const environment = shellEnvironment(options.environment);
  const path = environment.PATH ?? "";
  const [support, ripgrep] = await Promise.all([
    options.sandbox === "none" ? ({ kind: "missing" } as const) : detectSandbox(path, workspace),
    findProgram("rg", path),
  ]);
  const network = options.network ?? false;
  const launcher = shellLauncher({ choice: options.sandbox, support, workspace, network, environment });
  const shell = new KeptShell(launcher, clock, ids);
  shell.start();
  const tools = [
    shellTool({ shell, workspace }),
    readFileTool(workspace),
    applyPatchTool({ workspace, ids }),
    searchTool({ workspace, ripgrep, clock, timeoutMs: searchTimeoutMs }),
    ...(options.tools ?? []),
  ];
  const { contextTokens } = options;
  return contextTokens == null
    ? new ToolRegistry(tools)
    : new ToolRegistry(tools, outputBytesFor(contextTokens));
}

/** Even where each byte is a token of its own, one output leaves half of the context to the rest. */
function outputBytesFor(contextTokens: number): number {
  return Math.floor(contextTokens / 2);
}
