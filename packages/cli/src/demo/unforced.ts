import { spawnServer } from "../serve/spawn-server.ts";
import type { DemoSetting } from "./run-side.ts";

const readyMs = 300_000;
const endMs = 10_000;
const answerMs = 60_000;

/** What the model says when nobody forces it. */
export interface Unforced {
  readonly answer: string;
  /** The call it makes when it must make one: name and arguments. */
  readonly call: string;
}

const listFiles = {
  type: "function",
  name: "list_files",
  description: "Lists the files of a folder.",
  parameters: {
    type: "object",
    properties: { folder: { type: "string", maxLength: 40 } },
    required: ["folder"],
    additionalProperties: false,
  },
};

/** One free answer and one call under `tool_choice: "required"`, from the model itself. */
export async function runUnforced(setting: DemoSetting): Promise<Unforced> {
  const server = await spawnServer({
    serveArguments: setting.serveArguments,
    env: { ...setting.host.env },
    readyMs,
    endMs,
    signal: setting.signal,
  });
  const ask = async (body: object) => {
    const response = await fetch(`${server.root}/v1/responses`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ model: setting.model, temperature: 0, store: false, ...body }),
      signal: AbortSignal.any([setting.signal, AbortSignal.timeout(answerMs)]),
    });
    return (await response.json()) as { output?: Record<string, unknown>[]; error?: { message?: string } };
  };
  try {
    const free = await ask({ input: "What is a cache? Answer in one sentence.", max_output_tokens: 48 });
    const forced = await ask({
      input: "List the files in the folder named src.",
      tools: [listFiles],
      tool_choice: "required",
      parallel_tool_calls: false,
      max_output_tokens: 64,
    });
    return { answer: textOf(free), call: callOf(forced) };
  } finally {
    await server.close();
  }
}

type Answer = Awaited<{ output?: Record<string, unknown>[]; error?: { message?: string } }>;

function textOf({ output, error }: Answer): string {
  const content = output?.find((item) => item.type === "message")?.content;
  const text = Array.isArray(content)
    ? content.map((part: { text?: string }) => part.text ?? "").join("")
    : "";
  return text.trim() || `(no answer: ${error?.message ?? "empty"})`;
}

function callOf({ output, error }: Answer): string {
  const call = output?.find((item) => item.type === "function_call");
  if (call === undefined) return `(no call: ${error?.message ?? "none made"})`;
  return `${String(call.name)}(${String(call.arguments)})`;
}
