import { readFileSync } from "node:fs";
import { type Item, itemSchema, trajectoryLineSchema, tryParseJson } from "@slipstream-stack/protocol";
import { ApiError } from "../errors.ts";

/** One output item the model is made to write. A call without `call_id` takes whatever id the server gives. */
export interface ForcedItem {
  readonly item: Item;
  readonly callId: string | null;
}

/** The output of one response. */
export type ForcedOutput = readonly ForcedItem[];

const freeCallId = "call_free";

/**
 * Reads a teacher-forcing file: JSON lines, one `{"output":[…]}` per response.
 * @throws ApiError trajectory_unreadable naming the line that is wrong.
 */
export function readTrajectory(path: string): ForcedOutput[] {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (cause) {
    throw new ApiError("trajectory_unreadable", `The teacher-forcing file ${path} cannot be read.`, cause);
  }
  return parseTrajectory(text);
}

/** Parses the text of a teacher-forcing file; empty lines are passed over. */
export function parseTrajectory(text: string): ForcedOutput[] {
  const outputs: ForcedOutput[] = [];
  text.split("\n").forEach((line, index) => {
    if (line.trim() !== "") outputs.push(parseLine(line, index + 1));
  });
  return outputs;
}

function parseLine(line: string, number: number): ForcedOutput {
  const parsed = trajectoryLineSchema.safeParse(tryParseJson(line));
  if (!parsed.success) {
    throw new ApiError(
      "trajectory_unreadable",
      `Line ${number} of the teacher-forcing file needs {"output":[…]}.`,
    );
  }
  return parsed.data.output.map((raw) => {
    const isCall = raw.type === "function_call" || raw.type === "custom_tool_call";
    const callId = isCall && typeof raw["call_id"] === "string" ? raw["call_id"] : null;
    const item = itemSchema.safeParse(isCall && callId === null ? { ...raw, call_id: freeCallId } : raw);
    if (!item.success) {
      throw new ApiError(
        "trajectory_unreadable",
        `Line ${number} of the teacher-forcing file has a malformed item.`,
      );
    }
    return { item: item.data, callId };
  });
}
