import { type Item, itemSchema, type JsonObject, type JsonValue } from "@slipstream-stack/protocol";
import { generateText, type TextOptions } from "./generate-text.ts";
import { type SeededRandom, seededRandom } from "./random.ts";

export interface ConversationOptions extends TextOptions {
  /** Laps: a user's message or tool outputs, then what the model answers. Default 4. */
  readonly laps?: number;
  /** Calls of one answer at most. Default 3; 0 makes plain talk. */
  readonly maxCalls?: number;
  /** Names of the functions called. */
  readonly tools?: readonly string[];
  /** Also calls of custom tools, with free text as input. Default false. */
  readonly customTools?: boolean;
}

/**
 * A conversation as items of the wire, equal for equal seeds: developer, user and assistant messages as strings
 * and as parts, calls with arguments, their outputs in any order, empty texts. Every call is answered; the
 * last item is the model's.
 */
export function generateConversation(seed: number, options: ConversationOptions = {}): Item[] {
  const random = seededRandom(seed);
  const writer = new ConversationWriter(random, options);
  if (random.chance(0.5)) writer.message("developer");
  const laps = options.laps ?? 4;
  for (let lap = 0; lap < laps; lap++) {
    if (!writer.answerCalls() || random.chance(0.2)) writer.message("user");
    writer.answer(lap === laps - 1);
  }
  return writer.items;
}

class ConversationWriter {
  readonly items: Item[] = [];
  readonly #random: SeededRandom;
  readonly #options: ConversationOptions;
  #open: { readonly callId: string; readonly custom: boolean }[] = [];
  #calls = 0;

  constructor(random: SeededRandom, options: ConversationOptions) {
    this.#random = random;
    this.#options = options;
  }

  message(role: "developer" | "user" | "assistant"): void {
    const type = role === "assistant" ? "output_text" : "input_text";
    const text = generateText(this.#random, this.#options);
    const whole = role !== "assistant" && this.#random.chance(0.5);
    const second = this.#random.chance(0.2)
      ? [{ type, text: generateText(this.#random, this.#options) }]
      : [];
    this.#add({ type: "message", role, content: whole ? text : [{ type, text }, ...second] });
  }

  /** What the model says: text, calls, or both. The last answer makes no calls. */
  answer(last: boolean): void {
    const most = last ? 0 : (this.#options.maxCalls ?? 3);
    const calls = this.#random.below(most + 1);
    if (calls === 0 || this.#random.chance(0.4)) this.message("assistant");
    for (let call = 0; call < calls; call++) this.#call();
  }

  /** Outputs of all open calls, in any order; false where there are none. */
  answerCalls(): boolean {
    const open = this.#open;
    this.#open = [];
    if (this.#random.chance(0.3)) open.reverse();
    for (const { callId, custom } of open) {
      const type = custom ? "custom_tool_call_output" : "function_call_output";
      this.#add({ type, call_id: callId, output: generateText(this.#random, this.#options) });
    }
    return open.length > 0;
  }

  #call(): void {
    const callId = `call_${this.#calls++}`;
    const custom = this.#options.customTools === true && this.#random.chance(0.3);
    const name = this.#random.pick(this.#options.tools ?? ["shell", "read_file", "search"]);
    this.#open.push({ callId, custom });
    if (custom) {
      this.#add({
        type: "custom_tool_call",
        call_id: callId,
        name,
        input: generateText(this.#random, this.#options),
      });
      return;
    }
    const value = this.#arguments();
    const text = this.#random.chance(0.2) ? JSON.stringify(value, null, 2) : JSON.stringify(value);
    this.#add({ type: "function_call", call_id: callId, name, arguments: text });
  }

  #arguments(): JsonObject {
    const value: JsonObject = {};
    for (let member = this.#random.below(4); member > 0; member--) {
      value[this.#random.pick(["command", "path", "limit", "über", "a b", ""])] = this.#value(2);
    }
    return value;
  }

  #value(depth: number): JsonValue {
    const kind = this.#random.below(depth > 0 ? 6 : 4);
    if (kind === 0) return generateText(this.#random, this.#options);
    if (kind === 1) return this.#random.pick([0, -1, 1.5, 1e21, 42]);
    if (kind === 2) return this.#random.chance(0.5);
    if (kind === 3) return null;
    const inner = Array.from({ length: this.#random.below(3) }, () => this.#value(depth - 1));
    return kind === 4 ? inner : { inner };
  }

  #add(raw: JsonObject): void {
    this.items.push(itemSchema.parse(raw));
  }
}
