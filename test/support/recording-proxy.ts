import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { type JsonObject, tryParseJson } from "@slipstream-stack/protocol";
import { type RawData, WebSocket, WebSocketServer } from "ws";

/** One `create` that travelled through the proxy, with what came back. */
export interface RecordedCreate {
  readonly transport: "http" | "websocket";
  /** Payload bytes of the request. */
  readonly bytes: number;
  readonly body: JsonObject;
  readonly response: {
    /** Id of the response, once it has been told. */
    id: string | null;
    /** Payload bytes that came back so far. */
    bytes: number;
    /** Type of the terminal event, once it has come. */
    terminal: string | null;
  };
}

/** Where to cut the client's connection: before an event of the answer to the create with this index. */
export interface Cut {
  readonly create: number;
  readonly before: string;
}

/** A loopback proxy that writes down what clients and server say, and breaks connections on demand. */
export interface RecordingProxy extends AsyncDisposable {
  /** Without `/v1`. */
  readonly root: string;
  readonly creates: readonly RecordedCreate[];
  /** Status of every refused upgrade. */
  readonly refusedUpgrades: readonly number[];
  /** WebSocket connections that stood. */
  readonly sockets: () => number;
  /** Forgets what was recorded and takes new cuts. */
  reset(...cuts: readonly Cut[]): void;
}

const terminal = /"type":"(response\.(?:completed|incomplete|failed)|error)"/;
const responseId = /"id":"(resp_[^"]+)"/;

/** Characters kept of a piece, so that what stands across two pieces is found. */
const overlap = 80;

class Recorder {
  readonly #tails = new WeakMap<RecordedCreate, string>();
  creates: RecordedCreate[] = [];
  refusedUpgrades: number[] = [];
  sockets = 0;
  cuts: readonly Cut[] = [];

  asked(transport: "http" | "websocket", text: string): RecordedCreate {
    const body = (tryParseJson(text) ?? {}) as JsonObject;
    const response = { id: null, bytes: 0, terminal: null };
    const create = { transport, bytes: Buffer.byteLength(text), body, response };
    this.creates.push(create);
    return create;
  }

  /** Notes a piece of an answer and says whether the connection is to be cut before it. */
  answered(create: RecordedCreate, piece: string): boolean {
    const { response } = create;
    response.bytes += Buffer.byteLength(piece);
    const text = (this.#tails.get(create) ?? "") + piece;
    this.#tails.set(create, text.slice(-overlap));
    const cut = this.cuts.find((each) => this.creates[each.create] === create);
    if (cut !== undefined && text.includes(`"type":"${cut.before}"`)) {
      this.cuts = this.cuts.filter((other) => other !== cut);
      return true;
    }
    response.id ??= responseId.exec(text)?.[1] ?? null;
    response.terminal ??= terminal.exec(text)?.[1] ?? null;
    return false;
  }
}

/** Starts one in front of a server. `target` is its address without `/v1`. */
export async function recordingProxy(target: string): Promise<RecordingProxy> {
  const recorder = new Recorder();
  const sockets = new WebSocketServer({ noServer: true });
  const server = createServer((request, response) => void forward(target, recorder, request, response));
  server.on("upgrade", (request, socket, head) => upgrade(target, recorder, sockets, request, socket, head));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    root: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get creates() {
      return recorder.creates;
    },
    get refusedUpgrades() {
      return recorder.refusedUpgrades;
    },
    sockets: () => recorder.sockets,
    reset(...cuts) {
      Object.assign(recorder, { creates: [], refusedUpgrades: [], sockets: 0, cuts });
    },
    async [Symbol.asyncDispose]() {
      for (const client of sockets.clients) client.terminate();
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

function targetHeaders(target: string, request: IncomingMessage): Record<string, string> {
  const headers = Object.entries(request.headers).filter((entry): entry is [string, string] => {
    return typeof entry[1] === "string" && !entry[0].startsWith("sec-websocket-");
  });
  return { ...Object.fromEntries(headers), host: new URL(target).host };
}

async function forward(
  target: string,
  recorder: Recorder,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const body = Buffer.concat(parts);
  const isCreate =
    request.method === "POST" && new URL(request.url ?? "/", target).pathname === "/v1/responses";
  const create = isCreate ? recorder.asked("http", body.toString("utf8")) : null;
  const upstream = httpRequest(
    new URL(request.url ?? "/", target),
    { method: request.method, headers: targetHeaders(target, request) },
    (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.on("data", (chunk: Buffer) => {
        if (create !== null && recorder.answered(create, chunk.toString("utf8"))) request.socket.destroy();
        else response.write(chunk);
      });
      answer.on("end", () => response.end());
      answer.on("error", () => response.destroy());
    },
  );
  upstream.on("error", () => response.destroy());
  response.on("close", () => upstream.destroy());
  upstream.end(body);
}

function upgrade(
  target: string,
  recorder: Recorder,
  sockets: WebSocketServer,
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): void {
  const url = new URL(request.url ?? "/", target);
  url.protocol = "ws:";
  const { connection, upgrade: _, ...headers } = targetHeaders(target, request);
  const upstream = new WebSocket(url, { headers });
  let stands = false;
  upstream.on("unexpected-response", (_request, answer) => {
    recorder.refusedUpgrades.push(answer.statusCode ?? 0);
    const lines = Object.entries(answer.headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`HTTP/1.1 ${answer.statusCode} ${answer.statusMessage}\r\n${lines.join("")}\r\n`);
    answer.pipe(socket);
  });
  upstream.on("error", () => {
    if (!stands) socket.destroy();
  });
  let announced: string[] = [];
  upstream.once("upgrade", ({ headers: told }) => {
    const own = Object.entries(told).filter(([name]) => name.startsWith("x-"));
    announced = own.map(([name, value]) => `${name}: ${value}`);
  });
  upstream.once("open", () => {
    stands = true;
    recorder.sockets += 1;
    sockets.once("headers", (lines) => lines.push(...announced));
    sockets.handleUpgrade(request, socket, head, (client) => join(recorder, client, upstream));
  });
}

/** Passes messages both ways. Answers come in the order of the creates: Codex uses one lane. */
function join(recorder: Recorder, client: WebSocket, upstream: WebSocket): void {
  let running: RecordedCreate | null = null;
  client.on("message", (data: RawData) => {
    const text = String(data);
    const type = (tryParseJson(text) as JsonObject | undefined)?.type;
    if (type === "response.create") running = recorder.asked("websocket", text);
    upstream.send(text);
  });
  upstream.on("message", (data: RawData) => {
    const text = String(data);
    if (running !== null && recorder.answered(running, text)) {
      client.terminate();
      upstream.terminate();
      return;
    }
    client.send(text);
  });
  client.on("close", () => upstream.terminate());
  upstream.on("close", () => client.terminate());
  client.on("error", () => {});
}
