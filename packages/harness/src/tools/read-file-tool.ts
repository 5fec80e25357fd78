import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import type { JsonObject } from "@slipstream-stack/protocol";
import type { ToolResult } from "../loop/tool-call.ts";
import { optionalCount, requiredText } from "./arguments.ts";
import { bytesPerToken, defaultOutputTokens, limitOutput, OutputKeeper } from "./output-limit.ts";
import { failure, type HarnessTool, success, ToolArgumentError } from "./tool.ts";

const maxLineNumber = 1_000_000_000;
const lineFeed = 10;

/** The `read_file` tool: the lines of a text file, or a range of them. */
export function readFileTool(workspace: string): HarnessTool {
  return {
    definition: {
      type: "function",
      name: "read_file",
      description: "Read a text file, whole or a range of lines (from 1, both ends included).",
      parameters: {
        type: "object",
        properties: {
          path: { type: "string" },
          start_line: { type: "integer" },
          end_line: { type: "integer" },
        },
        required: ["path"],
        additionalProperties: false,
      },
    },
    parallel: true,
    run: (given, signal) => readLines(workspace, given, signal),
  };
}

async function readLines(workspace: string, given: JsonObject, signal: AbortSignal): Promise<ToolResult> {
  const shown = requiredText(given, "path");
  if (shown.includes("\0")) throw new ToolArgumentError("A path cannot hold a NUL character.");
  const first = optionalCount(given, "start_line", maxLineNumber) ?? 1;
  const last = optionalCount(given, "end_line", maxLineNumber) ?? maxLineNumber;
  if (last < first) throw new ToolArgumentError("end_line lies before start_line.");
  const path = resolve(workspace, shown);
  const found = await stat(path).catch(() => null);
  if (found === null) return failure(`There is no file ${shown}.`);
  if (found.isDirectory()) return failure(`${shown} is a folder; list it with shell.`);
  if (!found.isFile()) return failure(`${shown} is not a regular file.`);

  const limit = defaultOutputTokens * bytesPerToken;
  const keeper = new OutputKeeper(limit);
  const lines = await keepLines(path, first, last, keeper, signal);
  if (lines < first && !(first === 1 && found.size === 0)) {
    return failure(`${shown} has ${lines} lines; line ${first} does not exist.`);
  }
  return success(limitOutput(keeper.kept(), limit));
}

/** Streams the lines of a range into the keeper. Returns how many lines were seen. */
async function keepLines(
  path: string,
  first: number,
  last: number,
  keeper: OutputKeeper,
  signal: AbortSignal,
): Promise<number> {
  let line = 1;
  let isAtLineStart = true;
  for await (const chunk of createReadStream(path, { signal }) as AsyncIterable<Buffer>) {
    let from = 0;
    while (from < chunk.length && line <= last) {
      const feed = chunk.indexOf(lineFeed, from);
      const to = feed < 0 ? chunk.length : feed + 1;
      if (line >= first) keeper.push(chunk.subarray(from, to));
      isAtLineStart = feed >= 0;
      if (feed >= 0) line += 1;
      from = to;
    }
    if (line > last) break;
  }
  return isAtLineStart ? line - 1 : line;
}
