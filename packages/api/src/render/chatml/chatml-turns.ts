import type { ReasoningItem } from "@slipstream-stack/protocol";
import type { SegmentWriter } from "../segment-writer.ts";
import type { ThinkingMarks } from "./chatml-options.ts";
import type { ChatmlState } from "./chatml-state.ts";

export const turnStart = "<|im_start|>";
export const turnEnd = "<|im_end|>";

/** Opens a turn and writes its first text, which merges with the header as it does in the template. */
export function openTurn(out: SegmentWriter, role: string, text = ""): SegmentWriter {
  return out.mark(turnStart).plain(`${role}\n${text}`);
}

export function closeTurn(out: SegmentWriter): SegmentWriter {
  return out.mark(turnEnd).plain("\n");
}

/** The closer of whatever turn is still open. */
export function closeOpenTurn(out: SegmentWriter, state: ChatmlState): void {
  if (state.open !== "none") closeTurn(out);
}

/** What stands between the end of an open assistant turn and a text that continues it. */
export function beforeText(last: ChatmlState["last"]): string {
  if (last === "thought") return "\n\n";
  return last === "call" ? "\n" : "";
}

/** The same before a call. */
export function beforeCall(last: ChatmlState["last"]): string {
  if (last === "thought") return "\n\n";
  return last === "call" || last === "text" ? "\n" : "";
}

/** A thought with its marks. Its text is the item's own, or its summary where only that is known. */
export function writeThought(out: SegmentWriter, item: ReasoningItem, marks: ThinkingMarks): void {
  out
    .mark(marks.open)
    .plain(`\n${thoughtText(item)}\n`)
    .mark(marks.close);
}

/** The text of a thought, empty where it is sealed. */
export function thoughtText(item: ReasoningItem): string {
  const content = (item.content ?? []).map((part) => part.text).join("");
  return content !== "" ? content : item.summary.map((part) => part.text).join("\n");
}
