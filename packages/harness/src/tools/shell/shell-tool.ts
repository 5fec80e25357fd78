import type { JsonObject } from "@slipstream-stack/protocol";
import type { ToolResult } from "../../loop/tool-call.ts";
import { optionalCount, requiredText } from "../arguments.ts";
import { bytesPerToken, defaultOutputTokens, limitOutput, maxOutputTokens } from "../output-limit.ts";
import { failure, type HarnessTool, success, ToolArgumentError } from "../tool.ts";
import type { KeptShell, ShellEnd } from "./kept-shell.ts";

const defaultTimeoutMs = 120_000;
const maxTimeoutMs = 3_600_000;

export interface ShellToolOptions {
  readonly shell: KeptShell;
  /** Absolute path of the folder in which commands run. */
  readonly workspace: string;
}

/** The `shell` tool: one bash command in the kept shell. */
export function shellTool(options: ShellToolOptions): HarnessTool {
  return {
    definition: {
      type: "function",
      name: "shell",
      description:
        "Run a bash command in the workspace. Each call starts afresh: use cd in the command itself. " +
        "Background processes are killed when it ends.",
      parameters: {
        type: "object",
        properties: {
          command: { type: "string" },
          timeout_ms: { type: "integer", description: "Default 120000" },
          max_output_tokens: { type: "integer", description: "Default 10000" },
        },
        required: ["command"],
        additionalProperties: false,
      },
    },
    parallel: false,
    run: (given, signal) => runCommand(options, given, signal),
    close: () => options.shell.close(),
  };
}

async function runCommand(
  options: ShellToolOptions,
  given: JsonObject,
  signal: AbortSignal,
): Promise<ToolResult> {
  const command = requiredText(given, "command");
  if (command.includes("\0")) throw new ToolArgumentError("A command cannot hold a NUL character.");
  const timeoutMs = optionalCount(given, "timeout_ms", maxTimeoutMs) ?? defaultTimeoutMs;
  const tokens = optionalCount(given, "max_output_tokens", maxOutputTokens) ?? defaultOutputTokens;
  const outputBytes = tokens * bytesPerToken;
  const end = await options.shell.run(
    { command, directory: options.workspace, timeoutMs, outputBytes },
    signal,
  );
  const output = limitOutput(end.output, outputBytes);
  return describe(end, timeoutMs, output);
}

/** No times and no process ids: the same run must give the same bytes. */
function describe(end: ShellEnd, timeoutMs: number, output: string): ToolResult {
  switch (end.kind) {
    case "exited":
      return end.code === 0
        ? success(`exit code: 0\n${output}`)
        : failure(`exit code: ${end.code}\n${output}`);
    case "timeout":
      return failure(`Timed out after ${timeoutMs} ms; the command was killed.\n${output}`);
    case "cancelled":
      return failure(`The user stopped the command; it was killed.\n${output}`);
    default:
      return failure(`The shell died while the command ran.\n${output}`);
  }
}
