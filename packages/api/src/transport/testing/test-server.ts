import { type Clock, systemClock } from "@slipstream-stack/inference";
import { Registry } from "prom-client";
import WebSocket, { type ClientOptions } from "ws";
import { createServer, type Server, type ServerOptions } from "../../server.ts";
import { FakePipeline } from "./fake-respond.ts";

export interface LogLine {
  readonly level: string;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** A running server with a fake pipeline behind it. */
export interface TestServer extends AsyncDisposable {
  readonly server: Server;
  readonly pipeline: FakePipeline;
  readonly port: number;
  readonly base: string;
  readonly log: LogLine[];
  /** What the transports told of their connections: `closed ID`, `refused PARENT`. */
  readonly observed: string[];
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Response>;
  connect(options?: ClientOptions): Promise<TestSocket>;
}

const testModel = {
  id: "test-model",
  created: 1_800_000_000,
  ownedBy: "nobody",
  displayName: "Test model",
  contextLength: 8192,
  freeformApplyPatch: false,
};

function testOptions(
  pipeline: FakePipeline,
  log: LogLine[],
  observed: string[],
  clock: Clock,
): ServerOptions {
  let ids = 0;
  const logger = (level: string) => (fields: object, message: string) => {
    log.push({ level, message, fields: { ...fields } });
  };
  return {
    respond: pipeline.respond,
    countInputTokens: () => Promise.resolve(7),
    compact: () => Promise.resolve({ id: "resp_compact", object: "response.compaction" }),
    stored: {
      retrieve: () => Promise.resolve(null),
      remove: () => Promise.resolve(false),
      inputItems: () => Promise.resolve(null),
    },
    laps: { find: () => null },
    models: [testModel],
    isReady: () => true,
    connections: {
      closed: (id) => void observed.push(`closed ${id}`),
      refused: (_scope, _connection, parent) => void observed.push(`refused ${parent}`),
    },
    keys: [],
    origins: [],
    hosts: [],
    webSocket: true,
    settingsInheritance: true,
    clock,
    newId: (prefix) => {
      ids += 1;
      return `${prefix}_${ids}`;
    },
    logger: { info: logger("info"), warn: logger("warn"), error: logger("error") },
    metrics: new Registry(),
  };
}

/** Starts a server on a free port of the loopback. */
export async function startServer(
  change: Partial<ServerOptions> = {},
  pipeline = new FakePipeline(),
): Promise<TestServer> {
  const log: LogLine[] = [];
  const observed: string[] = [];
  const options = { ...testOptions(pipeline, log, observed, systemClock), ...change };
  const server = createServer(options);
  const { port } = await server.listen("127.0.0.1", 0);
  const base = `http://127.0.0.1:${port}`;
  return {
    server,
    pipeline,
    port,
    base,
    log,
    observed,
    post: (path, body, headers = {}) =>
      fetch(base + path, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body),
      }),
    connect: (clientOptions) => TestSocket.open(`ws://127.0.0.1:${port}/v1/responses`, clientOptions),
    [Symbol.asyncDispose]: () => server.close(0),
  };
}

/** A message as a test looks at it. */
export type Message = Record<string, unknown> & { type: string };

/** A WebSocket client that keeps what it receives. */
export class TestSocket implements AsyncDisposable {
  readonly socket: WebSocket;
  readonly received: Message[] = [];
  /** Headers of the 101. */
  headers: Record<string, string | string[] | undefined> = {};
  #taken = 0;
  #wake: () => void = () => undefined;
  closeCode: number | null = null;

  constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on("upgrade", (response) => {
      this.headers = response.headers;
    });
    socket.on("message", (data: Buffer) => {
      this.received.push(JSON.parse(data.toString()) as Message);
      this.#wake();
    });
    socket.on("close", (code) => {
      this.closeCode = code;
      this.#wake();
    });
  }

  /** Opens a connection; rejects with an error whose message names the HTTP status where it is refused. */
  static async open(url: string, options: ClientOptions = {}): Promise<TestSocket> {
    const socket = new WebSocket(url, options);
    const test = new TestSocket(socket);
    await new Promise<void>((resolve, reject) => {
      socket.once("open", resolve);
      socket.once("error", reject);
    });
    socket.on("error", () => undefined);
    return test;
  }

  send(message: unknown): void {
    this.socket.send(typeof message === "string" ? message : JSON.stringify(message));
  }

  /** The next message. Rejects when the connection closes first. */
  async next(): Promise<Message> {
    for (;;) {
      const message = this.received[this.#taken];
      if (message !== undefined) {
        this.#taken += 1;
        return message;
      }
      if (this.closeCode !== null) throw new Error(`closed ${this.closeCode}`);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** All messages up to and including the first of one of the types. */
  async until(...types: string[]): Promise<Message[]> {
    const messages: Message[] = [];
    for (;;) {
      const message = await this.next();
      messages.push(message);
      if (types.includes(message.type)) return messages;
    }
  }

  /** Waits for the end of the connection; returns the close code. */
  async closed(): Promise<number> {
    while (this.closeCode === null) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.closeCode;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.socket.terminate();
    await this.closed();
  }
}

/** The events of a server-sent-events body, and whether it ended with `[DONE]`. */
export function parseSse(text: string): { events: Message[]; isDone: boolean } {
  const frames = text.split("\n\n").filter((frame) => frame !== "");
  const events: Message[] = [];
  for (const frame of frames) {
    const lines = frame.split("\n");
    const data = lines.find((line) => line.startsWith("data: "))?.slice(6) ?? "";
    if (data === "[DONE]") continue;
    const event = JSON.parse(data) as Message;
    if (lines[0] !== `event: ${event.type}`) throw new Error(`the event line does not name ${event.type}`);
    events.push(event);
  }
  return { events, isDone: frames.at(-1) === "data: [DONE]" };
}
