import type { Item, JsonObject } from "@slipstream-stack/protocol";
import { ClientError, type ResponsesClient } from "../responses-client.ts";
import { type ForcedLine, realModel, simulatedModelId } from "../serve.ts";

/** Responses a chain has before the writer begins another one. */
const chainLength = 12;

/** What every chain is made to say: one line a response, one more than a chain is long, to go on from its end. */
export const chainTrajectory: readonly ForcedLine[] = Array.from({ length: chainLength + 1 }, (_, step) => ({
  output: [
    {
      type: "message",
      role: "assistant",
      content: [{ type: "output_text", text: `Step ${step} is done.` }],
    },
  ],
}));

/** A response that a client saw completed. */
export interface Kept {
  readonly id: string;
  readonly previous: string | null;
  readonly input: string;
  readonly output: readonly Item[];
}

/** A client that creates stored, chained responses one after the other and remembers what it was promised. */
export class ChainWriter {
  readonly name: string;
  readonly completed: Kept[] = [];
  /** Ids of responses that began and of which no end was seen. */
  readonly begun: string[] = [];
  /** Errors it met, in order. */
  readonly errors: ClientError[] = [];
  readonly #model: string;
  #step = 0;

  constructor(name: string, engine: "llama" | "simulated") {
    this.name = name;
    this.#model = engine === "llama" ? realModel : simulatedModelId;
  }

  /** Goes on until it is stopped or an error comes; the error is noted, not thrown. */
  async write(client: ResponsesClient, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#one(client);
      } catch (error) {
        if (!(error instanceof ClientError)) throw error;
        this.errors.push(error);
        const created = error.events.find(({ type }) => type === "response.created");
        if (created !== undefined) this.begun.push(String((created["response"] as JsonObject)["id"]));
        return;
      }
    }
  }

  /** What asks a server to go on from a response. */
  continuation(previous: string | null, input: string): JsonObject {
    return {
      ...{ model: this.#model, input },
      ...(previous === null ? {} : { previous_response_id: previous }),
    };
  }

  async #one(client: ResponsesClient): Promise<void> {
    const isFirst = this.completed.length % chainLength === 0;
    const previous = isFirst ? null : (this.completed.at(-1)?.id ?? null);
    this.#step += 1;
    const input = `${this.name} asks for step ${this.#step}.`;
    const { response } = await client.create({ ...this.continuation(previous, input), store: true });
    if (response.status !== "completed") throw new Error(`${response.id} is ${response.status}`);
    this.completed.push({ id: response.id, previous, input, output: response.output });
  }
}
