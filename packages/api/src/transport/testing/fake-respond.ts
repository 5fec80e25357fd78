import type { EventBody, Item, ResponseObject } from "@slipstream-stack/protocol";
import type { Emit, IncomingCreate, Respond } from "../../respond/incoming.ts";

/** A response object as the pipeline would make it. */
export function fakeResponse(id: string, incoming: IncomingCreate, output: Item[] = []): ResponseObject {
  const { request } = incoming;
  return {
    id,
    object: "response",
    created_at: 1_800_000_000,
    completed_at: null,
    status: "in_progress",
    background: false,
    error: null,
    incomplete_details: null,
    instructions: request.instructions ?? null,
    max_output_tokens: null,
    max_tool_calls: null,
    model: request.model,
    output,
    parallel_tool_calls: true,
    previous_response_id: request.previous_response_id ?? null,
    prompt_cache_key: null,
    prompt_cache_retention: null,
    slipstream_settings: "fingerprint",
    reasoning: { effort: null, summary: null },
    safety_identifier: null,
    service_tier: "default",
    store: request.store ?? true,
    temperature: 1,
    text: { format: { type: "text" }, verbosity: "medium" },
    tool_choice: "auto",
    tools: request.tools ?? [],
    top_logprobs: 0,
    top_p: 1,
    presence_penalty: 0,
    frequency_penalty: 0,
    truncation: "disabled",
    usage: null,
    user: null,
    metadata: {},
    access_programs: null,
  };
}

/** The events of a response that writes `text`, as the pipeline would emit them. */
export function textEvents(id: string, text: string): EventBody[] {
  const place = { item_id: `msg_${id}`, output_index: 0 };
  const part = { type: "output_text", text, annotations: [], logprobs: [] };
  const item = (status: string, content: (typeof part)[]): Item => ({
    type: "message",
    id: place.item_id,
    role: "assistant",
    status,
    content,
  });
  return [
    { type: "response.output_item.added", output_index: 0, item: item("in_progress", []) },
    { type: "response.content_part.added", ...place, content_index: 0, part: { ...part, text: "" } },
    { type: "response.output_text.delta", ...place, content_index: 0, delta: text, logprobs: [] },
    { type: "response.output_text.done", ...place, content_index: 0, text, logprobs: [] },
    { type: "response.content_part.done", ...place, content_index: 0, part },
    { type: "response.output_item.done", output_index: 0, item: item("completed", [part]) },
  ];
}

/** What a fake pipeline does between `response.in_progress` and the end. */
export type Between = (incoming: IncomingCreate, emit: Emit, id: string) => Promise<void> | void;

/** A pipeline without a model: it remembers what came in and answers each request with "hello". */
export class FakePipeline {
  readonly incoming: IncomingCreate[] = [];
  /** Runs before `response.created`; may throw. */
  before: (incoming: IncomingCreate) => Promise<void> | void = () => undefined;
  between: Between = () => undefined;

  readonly respond: Respond = async (incoming, emit) => {
    this.incoming.push(incoming);
    const id = `resp_${this.incoming.length}`;
    await this.before(incoming);
    const started = fakeResponse(id, incoming);
    await emit({ type: "response.created", response: started });
    if (incoming.request.generate === false) return this.#complete(started, [], emit);
    await emit({ type: "response.in_progress", response: started });
    await this.between(incoming, emit, id);
    const events = textEvents(id, "hello");
    for (const event of events) await emit(event);
    const done = events.at(-1);
    return this.#complete(started, done?.type === "response.output_item.done" ? [done.item] : [], emit);
  };

  async #complete(started: ResponseObject, output: Item[], emit: Emit): Promise<ResponseObject> {
    const response: ResponseObject = { ...started, status: "completed", completed_at: 1_800_000_001, output };
    await emit({ type: "response.completed", response });
    return response;
  }
}
