import { isJsonObject, type JsonObject, tryParseJson } from "@slipstream-stack/protocol";

/** A response as the client saw it. Milliseconds from sending to the terminal event, on this process's clock. */
export interface ClientLap {
  readonly id: string;
  readonly output: readonly JsonObject[];
  readonly ms: number;
}

const answerMs = 120_000;

/** One WebSocket for one conversation; requests go one after the other. */
export class ChainClient implements Disposable {
  readonly #socket: WebSocket;
  #onMessage: (event: JsonObject) => void = () => {};
  #onLost: (reason: Error) => void = () => {};

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener("message", ({ data }) => {
      const event = tryParseJson(String(data));
      if (isJsonObject(event)) this.#onMessage(event);
    });
    socket.addEventListener("close", ({ code }) => this.#onLost(new Error(`the socket closed with ${code}`)));
  }

  /** `root` is the server's address without `/v1`. */
  static async open(root: string): Promise<ChainClient> {
    const socket = new WebSocket(`${root.replace(/^http/, "ws")}/v1/responses`);
    await new Promise<void>((settle, fail) => {
      socket.addEventListener("open", () => settle(), { once: true });
      socket.addEventListener("error", () => fail(new Error("the socket did not open")), { once: true });
    });
    return new ChainClient(socket);
  }

  /** Asks for one response and reads it to its end. Throws where it is not completed. */
  async create(body: JsonObject): Promise<ClientLap> {
    const done = Promise.withResolvers<ClientLap>();
    const started = performance.now();
    const timer = setTimeout(() => done.reject(new Error("no answer in time")), answerMs);
    this.#onLost = done.reject;
    this.#onMessage = (event) => {
      if (event.type === "response.completed" && isJsonObject(event.response)) {
        const ms = performance.now() - started;
        const output = Array.isArray(event.response.output) ? event.response.output.filter(isJsonObject) : [];
        done.resolve({ id: String(event.response.id), output, ms });
      } else if (/^(error|response\.(failed|incomplete))$/.test(String(event.type))) {
        done.reject(new Error(JSON.stringify(event).slice(0, 500)));
      }
    };
    this.#socket.send(JSON.stringify({ type: "response.create", ...body }));
    return done.promise.finally(() => clearTimeout(timer));
  }

  [Symbol.dispose](): void {
    this.#socket.close();
  }
}
