import { isJsonObject, tryParseJson } from "@slipstream-stack/protocol";
import type { ThinkingMarks } from "../render/chatml/chatml-options.ts";
import { callClose, callOpen } from "../render/chatml/hermes-text.ts";
import type { RenderedTool } from "../render/rendered-tool.ts";
import type { ToolScope } from "../render/tool-scope.ts";
import { bytesToBinary, decodeBinary, heldSuffix, isBlank } from "./byte-text.ts";
import { CallReader } from "./call-reader.ts";
import { ItemEmitter, OpenText } from "./item-emitter.ts";
import type { OutputParser, ParsedEvent } from "./parsed-event.ts";

const nameKey = /^\s*\{\s*"name"\s*:\s*"((?:[^"\\]|\\.)*)"/s;
/** A call's name is looked for within this many bytes; later only the whole call can show it. */
const nameReach = 1_024;

/** How the output is to be read. */
export interface ChatmlParserOptions {
  /** Only these tools can be called; a call of another stays text. */
  readonly scope: ToolScope;
  /** Marks of a thought that may come first, or null. */
  readonly thinking: ThinkingMarks | null;
  /** Where the prompt left the model: before anything, inside a forced call, or inside a thought. */
  readonly begin: "text" | "call" | "thought";
}

/**
 * Reads Hermes tool calls out of free text, incrementally and for any split of the bytes. One line feed
 * between text and a call is the separator that rendering puts there, and belongs to neither.
 */
export class ChatmlParser implements OutputParser {
  readonly #options: ChatmlParserOptions;
  readonly #emitter = new ItemEmitter();
  /** Bytes not yet done with, and how many came before them. */
  #buffer = "";
  #base = 0;
  #phase: "start" | "thought" | "text" | "header" | "call";
  /** In a header: where in the buffer the call's opening mark ends, and how far its end was looked for. */
  #bodyAt = 0;
  #searched = 0;
  #open: OpenText | null = null;
  #call: CallReader | null = null;
  /** White space that stands between the last item and a text that follows it. */
  #separator = "";

  constructor(options: ChatmlParserOptions) {
    this.#options = options;
    const first = options.thinking === null ? "text" : "start";
    this.#phase = options.begin === "call" ? "header" : options.begin === "thought" ? "thought" : first;
  }

  push(bytes: Uint8Array): ParsedEvent[] {
    this.#buffer += bytesToBinary(bytes);
    this.#run(false);
    return this.#emitter.take();
  }

  finish(): ParsedEvent[] {
    this.#run(true);
    if (this.#open !== null) this.#endText(this.#phase === "thought" ? "incomplete" : "completed");
    return this.#emitter.take();
  }

  #run(final: boolean): void {
    while (this.#step(final)) {
      // Each step ends one phase; the next one reads on in what is left.
    }
  }

  #step(final: boolean): boolean {
    switch (this.#phase) {
      case "start":
        return this.#readStart(final);
      case "thought":
        return this.#readThought(final);
      case "text":
        return this.#readText(final);
      case "header":
        return this.#readHeader(final);
      case "call":
        return this.#readCall(final);
    }
  }

  #readStart(final: boolean): boolean {
    const mark = this.#options.thinking?.open ?? "";
    const begun = this.#buffer.trimStart();
    if (mark.startsWith(begun) && begun !== mark && !final) return false;
    this.#phase = "text";
    if (mark !== "" && begun.startsWith(mark)) {
      this.#consume(this.#buffer.length - begun.length + mark.length);
      this.#phase = "thought";
    }
    return true;
  }

  #readThought(final: boolean): boolean {
    const mark = this.#options.thinking?.close ?? "";
    const at = this.#buffer.indexOf(mark);
    const held = final ? 0 : heldSuffix(this.#buffer, [mark, `\n${mark}`]);
    const end = at === -1 ? this.#buffer.length - held : at;
    const text = this.#buffer.slice(0, end);
    if (at === -1) {
      this.#writeText(text, "reasoning");
      return false;
    }
    const whole = text.endsWith("\n") ? text.slice(0, -1) : text;
    this.#writeText(whole, "reasoning");
    this.#consume(this.#buffer.indexOf(mark) + mark.length);
    if (this.#open !== null) this.#endText("completed");
    this.#separator = "\n\n";
    this.#phase = "text";
    return true;
  }

  #readText(final: boolean): boolean {
    // Where nothing can be called, nothing needs to be held back.
    const callable = this.#options.scope.tools.length > 0;
    const at = callable ? this.#buffer.indexOf(callOpen) : -1;
    if (at !== -1) {
      this.#writeText(this.#buffer.slice(0, this.#buffer[at - 1] === "\n" ? at - 1 : at), "message");
      this.#bodyAt = this.#buffer.indexOf(callOpen) + callOpen.length;
      this.#searched = this.#bodyAt;
      this.#phase = "header";
      return true;
    }
    const held = final || !callable ? 0 : heldSuffix(this.#buffer, [callOpen, `\n${callOpen}`]);
    this.#writeText(this.#buffer.slice(0, this.#buffer.length - held), "message");
    if (final && this.#buffer !== "" && this.#emitter.ended === 0) this.#forceText();
    return false;
  }

  #readHeader(final: boolean): boolean {
    const body = this.#buffer.slice(this.#bodyAt, this.#bodyAt + nameReach);
    const name = nameKey.exec(body);
    if (name !== null) {
      const tool = this.#toolNamed(name[1] ?? "");
      return tool === null ? this.#callIsText() : this.#startCall(tool, this.#bodyAt + name[0].length);
    }
    if (!/^\s*(?:\{|$)/.test(body)) return this.#callIsText();
    const close = this.#buffer.indexOf(callClose, this.#searched);
    const again = this.#buffer.indexOf(callOpen, this.#searched);
    this.#searched = Math.max(this.#bodyAt, this.#buffer.length - callClose.length);
    if (again !== -1 && (close === -1 || again < close)) return this.#callIsText();
    if (close === -1 && !final) return false;
    return this.#wholeCall(close);
  }

  /** A call in an unusual form (another order of keys) is read when all of it is there. */
  #wholeCall(close: number): boolean {
    const value = tryParseJson(
      decodeBinary(this.#buffer.slice(this.#bodyAt, close === -1 ? undefined : close)),
    );
    if (!isJsonObject(value) || typeof value.name !== "string") return this.#callIsText();
    const tool = this.#options.scope.byRenderedName(value.name);
    if (tool === undefined) return this.#callIsText();
    this.#startCall(tool, close === -1 ? this.#buffer.length : close + callClose.length);
    const call = new CallReader(tool, callClose);
    this.#emitter.delta(call.takeWhole(value.arguments));
    this.#endCall(call, "completed");
    return true;
  }

  #toolNamed(escaped: string): RenderedTool | null {
    const name = tryParseJson(`"${decodeBinary(escaped)}"`);
    return typeof name === "string" ? (this.#options.scope.byRenderedName(name) ?? null) : null;
  }

  #startCall(tool: RenderedTool, consumed: number): boolean {
    if (this.#open !== null) this.#endText("completed");
    this.#consume(consumed);
    this.#emitter.start({ kind: "call", tool });
    this.#call = new CallReader(tool, callClose);
    this.#phase = "call";
    return true;
  }

  /** What looked like a call is none: its opening mark becomes text, and reading goes on behind it. */
  #callIsText(): boolean {
    this.#phase = "text";
    if (this.#bodyAt > 0) this.#writeText(this.#buffer.slice(0, this.#bodyAt), "message");
    this.#bodyAt = 0;
    return true;
  }

  #readCall(final: boolean): boolean {
    const call = this.#call;
    if (call === null) return false;
    const progress = call.read(this.#buffer, final);
    this.#consume(progress.consumed);
    this.#emitter.delta(progress.delta);
    if (progress.end === "open") return false;
    this.#endCall(call, progress.end);
    return true;
  }

  #endCall(call: CallReader, status: "completed" | "incomplete"): void {
    this.#emitter.end(call.item(status), this.#base);
    this.#call = null;
    this.#separator = "\n";
    this.#phase = "text";
  }

  /** Hands text on. White space alone opens no item: it waits in the buffer for what follows. */
  #writeText(binary: string, kind: "message" | "reasoning"): void {
    if (this.#open === null && isBlank(binary)) return;
    if (this.#open === null) {
      this.#open = new OpenText(this.#emitter, kind);
      const separator = kind === "reasoning" ? "\n" : this.#separator;
      this.#open.write(binary.startsWith(separator) ? binary.slice(separator.length) : binary);
    } else {
      this.#open.write(binary);
    }
    this.#consume(binary.length);
  }

  /** An output of nothing but white space is a message all the same: nothing is lost. */
  #forceText(): void {
    this.#open ??= new OpenText(this.#emitter, "message");
    this.#open.write(this.#buffer);
    this.#consume(this.#buffer.length);
  }

  #endText(status: "completed" | "incomplete"): void {
    this.#open?.end(this.#base, status);
    this.#open = null;
  }

  #consume(length: number): void {
    this.#base += length;
    this.#buffer = this.#buffer.slice(length);
  }
}
