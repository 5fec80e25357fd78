import { isJsonObject, type JsonValue, tryParseJson } from "@slipstream-stack/protocol";
import type { RenderedTool } from "../render/rendered-tool.ts";
import { decodeBinary, StreamingText } from "./byte-text.ts";
import { JsonExtent } from "./json-extent.ts";
import { JsonStringStream } from "./json-string-stream.ts";
import type { ParsedItem } from "./parsed-event.ts";

/** What one reading of the buffer gave: how many bytes are done with, new text, and whether the call is over. */
export interface CallProgress {
  readonly consumed: number;
  readonly delta: string;
  readonly end: "open" | "completed" | "incomplete";
}

const argumentsKey = /^\s*,\s*"arguments"\s*:\s*(?=\{)/;
const inputKey = /^\{\s*"input"\s*:\s*"/;

/**
 * Reads a call from behind its name to its closing mark: the arguments as they come (a custom tool's `input`
 * unescaped), then `}` and the mark. Lenient where the model wrote more or less than that; throws nothing.
 */
export class CallReader {
  readonly tool: RenderedTool;
  readonly #closeMark: string;
  readonly #value = new JsonExtent();
  readonly #raw = new StreamingText();
  readonly #string = new JsonStringStream();
  #phase: "key" | "value" | "close" = "key";
  #valueClosed = false;
  /** The arguments' bytes so far. */
  #bytes = "";
  /** Where in `#bytes` the unread part of a custom tool's input begins; -1 before it, null after it. */
  #inputAt: number | null = -1;
  #text = "";

  constructor(tool: RenderedTool, closeMark: string) {
    this.tool = tool;
    this.#closeMark = closeMark;
  }

  read(buffer: string, final: boolean): CallProgress {
    let consumed = 0;
    let delta = "";
    for (;;) {
      const before = this.#phase;
      const progress = this.#step(buffer.slice(consumed), final);
      consumed += progress.consumed;
      delta += progress.delta;
      if (progress.end !== "open" || this.#phase === before) {
        this.#text += delta;
        return { consumed, delta: this.tool.kind === "tool_search" ? "" : delta, end: progress.end };
      }
    }
  }

  /** Takes arguments that were parsed with the whole call; gives their text. */
  takeWhole(value: JsonValue | undefined): string {
    this.#text = argumentsOf(this.tool, value);
    return this.tool.kind === "tool_search" ? "" : this.#text;
  }

  /** The item as far as it has come. */
  item(status: "completed" | "incomplete"): ParsedItem {
    const { kind, name, namespace } = this.tool;
    const named = namespace === null ? { name } : { name, namespace };
    if (kind === "function") return { type: "function_call", status, ...named, arguments: this.#text };
    if (kind === "custom") return { type: "custom_tool_call", status, ...named, input: this.#text };
    const value = tryParseJson(this.#text);
    return {
      type: "tool_search_call",
      status,
      execution: "client",
      arguments: isJsonObject(value) ? value : {},
    };
  }

  #step(buffer: string, final: boolean): CallProgress {
    if (this.#phase === "key") return this.#readKey(buffer, final);
    return this.#phase === "value" ? this.#readValue(buffer, final) : this.#readClose(buffer, final);
  }

  #readKey(buffer: string, final: boolean): CallProgress {
    const key = argumentsKey.exec(buffer);
    if (key !== null) {
      this.#phase = "value";
      return { consumed: key[0].length, delta: "", end: "open" };
    }
    const close = buffer.indexOf(this.#closeMark);
    if (close === -1 && !final) return { consumed: 0, delta: "", end: "open" };
    const body = close === -1 ? buffer : buffer.slice(0, close);
    const consumed = close === -1 ? buffer.length : close + this.#closeMark.length;
    const call = tryParseJson(`{"name":""${decodeBinary(body)}`);
    if (!isJsonObject(call))
      return { consumed, delta: close === -1 ? "" : decodeBinary(body), end: "incomplete" };
    return { consumed, delta: argumentsOf(this.tool, call.arguments), end: "completed" };
  }

  #readValue(buffer: string, final: boolean): CallProgress {
    const { end, closed } = this.#value.scan(buffer, 0);
    const consumed = end === -1 ? buffer.length : end;
    const stretch = buffer.slice(0, consumed);
    const over = end !== -1 || final;
    if (end !== -1) {
      this.#phase = "close";
      this.#valueClosed = closed;
    }
    const delta = this.tool.kind === "custom" ? this.#readInput(stretch, over) : this.#readRaw(stretch, over);
    return { consumed, delta, end: final && end === -1 ? "incomplete" : "open" };
  }

  #readRaw(stretch: string, over: boolean): string {
    return this.#raw.write(stretch) + (over ? this.#raw.end() : "");
  }

  #readInput(stretch: string, over: boolean): string {
    this.#bytes += stretch;
    if (this.#inputAt === -1) {
      const key = inputKey.exec(this.#bytes);
      if (key !== null) this.#inputAt = key[0].length;
      else if (!over) return "";
      else return argumentsOf(this.tool, tryParseJson(decodeBinary(this.#bytes)), decodeBinary(this.#bytes));
    }
    if (this.#inputAt === null) return "";
    const { text, end } = this.#string.read(this.#bytes, this.#inputAt);
    this.#inputAt = end === -1 ? this.#bytes.length : null;
    return end === -1 && over ? text + this.#string.finish() : text;
  }

  #readClose(buffer: string, final: boolean): CallProgress {
    const bracket = /^\s*\}?\s*/.exec(buffer)?.[0] ?? "";
    const rest = buffer.slice(bracket.length);
    if (rest.startsWith(this.#closeMark)) {
      return { consumed: bracket.length + this.#closeMark.length, delta: "", end: "completed" };
    }
    const partial = this.#closeMark.startsWith(rest);
    if (partial && !final) return { consumed: 0, delta: "", end: "open" };
    const consumed = partial ? buffer.length : bracket.trimEnd().length;
    return { consumed, delta: "", end: this.#valueClosed ? "completed" : "incomplete" };
  }
}

/** A call's arguments given as a parsed value: models also write them as a JSON string, or not at all. */
function argumentsOf(tool: RenderedTool, value: JsonValue | undefined, raw?: string): string {
  if (tool.kind === "custom") {
    if (isJsonObject(value) && typeof value.input === "string") return value.input;
    if (typeof value === "string") return value;
    return raw ?? (value === undefined ? "" : JSON.stringify(value));
  }
  if (typeof value === "string") return value;
  return raw ?? JSON.stringify(value ?? {});
}
