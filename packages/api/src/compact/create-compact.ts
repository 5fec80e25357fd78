import {
  contentText,
  type Item,
  isKnownItem,
  type JsonObject,
  type ResponseObject,
  WireError,
} from "@slipstream-stack/protocol";
import type { Emit, IncomingCreate, Respond } from "../respond/incoming.ts";
import { listedItem } from "../respond/listed-item.ts";
import { compactWindow } from "./compact-window.ts";
import type { Sealer } from "./sealer.ts";

/** Answers `/responses/compact`. */
export type Compact = (incoming: IncomingCreate) => Promise<JsonObject>;

/** What compaction needs: the pipeline writes the summary, as it would any answer. */
export interface CompactPorts {
  readonly respond: Respond;
  /** Every item of the conversation a request stands for, oldest first, ids resolved. */
  readonly history: (incoming: IncomingCreate) => Promise<readonly Item[]>;
  readonly sealer: Sealer;
  /** Makes an identifier with the given prefix. */
  readonly newId: (prefix: string) => string;
  /** Milliseconds since 1970. */
  readonly wallClock: () => number;
}

/** Tokens of a summary at most, where the request sets no limit. */
const summaryTokens = 1_024;

const summaryRequest: Item = {
  type: "message",
  role: "user",
  content: [
    {
      type: "input_text",
      text:
        "Summarize the conversation above for whoever continues it without having read it: the goal, what was " +
        "decided and done, names of files, commands and values that matter, what failed, and what is still to " +
        "be done. Answer with the summary alone.",
    },
  ],
};

const discard: Emit = () => Promise.resolve();

/** The request that has the summary written: the conversation and its tools unchanged, so that its prefix is reused. */
function summaryOf(incoming: IncomingCreate): IncomingCreate {
  const { request } = incoming;
  const given = typeof request.input === "string" ? stringInput(request.input) : (request.input ?? []);
  return {
    ...incoming,
    settingsKey: `compact:${incoming.settingsKey}`,
    request: {
      ...request,
      input: [...given, summaryRequest],
      tool_choice: "none",
      text: null,
      max_output_tokens: request.max_output_tokens ?? summaryTokens,
      store: false,
      stream: false,
      generate: true,
    },
  };
}

function stringInput(text: string): Item[] {
  return [{ type: "message", role: "user", content: text }];
}

/** What the model wrote. A summary cut at its limit still serves. */
function summaryText(response: ResponseObject): string {
  const texts = response.output.map((item) =>
    isKnownItem(item) && item.type === "message" ? contentText(item.content) : "",
  );
  const text = texts.join("\n").trim();
  const usable = response.status === "completed" || response.status === "incomplete";
  if (usable && text !== "") return text;
  const why = response.error?.message ?? `the answer was ${response.status} and without text`;
  throw new WireError("server_error", `The conversation could not be summarized: ${why}`);
}

/** Retained items as the wire wants output items: content in parts, each with an id and a status. */
function asOutput(retained: Item, newId: CompactPorts["newId"]): Item {
  const item = listedItem(retained);
  if (!isKnownItem(item) || item.type !== "message") return item;
  return { ...item, id: item.id ?? newId("msg"), status: item.status ?? "completed" };
}

/**
 * Compaction in its smallest real form: the model summarizes the conversation, and the answer is the window to
 * continue from. It stands on its own; what it replaces stays as it was.
 */
export function createCompact({ respond, history, sealer, newId, wallClock }: CompactPorts): Compact {
  return async (incoming) => {
    const items = await history(incoming);
    if (items.length === 0) {
      throw new WireError(
        "invalid_value",
        "There is nothing to compact: give `input` or `previous_response_id`.",
        {
          param: "input",
        },
      );
    }
    const response = await respond(summaryOf(incoming), discard);
    const window = compactWindow(items, summaryText(response), sealer, newId("cmp"));
    return {
      id: newId("resp"),
      object: "response.compaction",
      created_at: Math.floor(wallClock() / 1_000),
      output: window.map((item) => asOutput(item, newId)),
      usage: response.usage,
    } as unknown as JsonObject;
  };
}
