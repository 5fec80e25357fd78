import { resolve } from "node:path";
import type { JsonObject } from "@slipstream-stack/protocol";
import type { ToolResult } from "../../loop/tool-call.ts";
import { optionalCount, optionalText, requiredText } from "../arguments.ts";
import { bytesPerToken, defaultOutputTokens, limitText } from "../output-limit.ts";
import { type HarnessTool, success } from "../tool.ts";
import { ripgrepSearch } from "./ripgrep-search.ts";
import type { Searcher, SearchOptions, SearchQuery } from "./searcher.ts";
import { walkerSearch } from "./walker-search.ts";

const defaultResults = 200;
const maxResults = 2_000;

/** The `search` tool: lines of the workspace's files that match a regular expression. */
export function searchTool(options: SearchOptions): HarnessTool {
  return {
    definition: {
      type: "function",
      name: "search",
      description: "Find lines that match a regular expression in files. Gives path:line:text.",
      parameters: {
        type: "object",
        properties: {
          pattern: { type: "string" },
          path: { type: "string", description: "File or folder, default the workspace" },
          glob: { type: "string", description: "Such as *.ts" },
          max_results: { type: "integer", description: "Default 200" },
        },
        required: ["pattern"],
        additionalProperties: false,
      },
    },
    parallel: true,
    run: (given, signal) => search(options, given, signal),
  };
}

async function search(options: SearchOptions, given: JsonObject, signal: AbortSignal): Promise<ToolResult> {
  const path = optionalText(given, "path") ?? ".";
  const query: SearchQuery = {
    pattern: requiredText(given, "pattern"),
    root: resolve(options.workspace, path),
    glob: optionalText(given, "glob"),
    limit: optionalCount(given, "max_results", maxResults) ?? defaultResults,
  };
  const searcher: Searcher = options.ripgrep === null ? walkerSearch : ripgrepSearch;
  const { lines, more } = await searcher(query, options, signal);
  if (lines.length === 0) return success("No line matches.");
  const note = more ? `\n[more than ${query.limit} matches; narrow the search]` : "";
  return success(limitText(lines.join("\n"), defaultOutputTokens * bytesPerToken) + note);
}
