import { Template } from "@huggingface/jinja";
import type { JsonObject } from "@slipstream-stack/protocol";
import { ApiError } from "../../errors.ts";

/** A message as chat templates read it. */
export interface TemplateMessage {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content: string;
  readonly reasoning_content?: string;
  readonly tool_calls?: readonly {
    readonly type: "function";
    readonly function: { readonly name: string; readonly arguments: JsonObject | string };
  }[];
}

/** Everything that is given to a template. */
export interface TemplateInput {
  readonly messages: readonly TemplateMessage[];
  readonly tools: readonly JsonObject[];
  readonly generationPrompt: boolean;
}

/** Texts of a vocabulary's begin and end tokens, which templates write themselves. */
export interface TextEnds {
  readonly beginOfText: string | null;
  readonly endOfText: string | null;
}

/** Llama 3's own stand-in for the date: today's would change the prompt's first tokens every day. */
const fixedDate: Readonly<Record<string, string>> = {
  d: "26",
  m: "07",
  b: "Jul",
  B: "July",
  Y: "2024",
  y: "24",
  A: "Friday",
  a: "Fri",
  H: "00",
  I: "12",
  M: "00",
  S: "00",
  p: "AM",
};

function formatFixedDate(format: unknown): string {
  return String(format).replace(/%-?([a-zA-Z])/g, (whole, letter: string) => fixedDate[letter] ?? whole);
}

/** A model's own chat template, compiled. */
export class TemplateRenderer {
  readonly #template: Template;
  readonly #ends: TextEnds;
  /** Some templates ask whether there are tools, some run over them unasked. */
  readonly #noTools: null | readonly [];

  /** @throws ApiError dialect_broken where the template cannot be compiled. */
  constructor(template: string, ends: TextEnds) {
    this.#ends = ends;
    try {
      // The library declares `strftime_now` itself and reads the clock; under another name it is ours.
      this.#template = new Template(template.replaceAll("strftime_now", "fixed_date"));
    } catch (cause) {
      throw new ApiError("dialect_broken", "The model's chat template cannot be compiled.", cause);
    }
    const messages = [{ role: "user", content: "question" }] as const;
    this.#noTools = this.#runs({ messages, tools: [], generationPrompt: true }, null) ? null : [];
  }

  /** @throws ApiError dialect_broken where the template raises an exception or does not run. */
  render(input: TemplateInput): string {
    try {
      return this.#run(input, this.#noTools);
    } catch (cause) {
      throw new ApiError("dialect_broken", "The model's chat template rejects this conversation.", cause);
    }
  }

  /** The same, with null in place of an error. */
  tryRender(input: TemplateInput): string | null {
    try {
      return this.render(input);
    } catch {
      return null;
    }
  }

  #run({ messages, tools, generationPrompt }: TemplateInput, noTools: null | readonly []): string {
    return this.#template.render({
      messages,
      tools: tools.length === 0 ? noTools : tools,
      add_generation_prompt: generationPrompt,
      bos_token: this.#ends.beginOfText ?? "",
      eos_token: this.#ends.endOfText ?? "",
      fixed_date: formatFixedDate,
    });
  }

  #runs(input: TemplateInput, noTools: null | readonly []): boolean {
    try {
      this.#run(input, noTools);
      return true;
    } catch {
      return false;
    }
  }
}
