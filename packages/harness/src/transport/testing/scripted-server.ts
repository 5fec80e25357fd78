import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { FunctionCallItem, MessageItem } from "@slipstream-stack/protocol";
import { type WebSocket, WebSocketServer } from "ws";
import { answerEvents, type ScriptedAnswer, type WireObject } from "./wire-script.ts";

/** A request as it arrived, and the full input it stands for. */
export interface SeenRequest {
  readonly transport: "http" | "websocket";
  readonly path: string;
  readonly authorization: string | null;
  readonly body: WireObject;
  readonly bytes: number;
  /** Position of the socket it came on, from 0; -1 over HTTP. */
  readonly socket: number;
  /** The input with everything the chain holds before it; null where the chain is not known. */
  readonly resolved: readonly unknown[] | null;
}

export type Refusal = { readonly status: number; readonly headers?: Readonly<Record<string, string>> };

interface ChainMemory {
  readonly id: string;
  readonly history: readonly unknown[];
  readonly settings: string;
}

/**
 * A Responses server that answers from a script, with faults on demand. It keeps a chain per socket as the
 * specification says, so that a wrong delta is found out. For tests.
 */
export class ScriptedServer {
  readonly requests: SeenRequest[] = [];
  /** Answers to the next upgrades; an empty list accepts. */
  readonly refusals: Refusal[] = [];
  /** Refuses every upgrade while set. */
  refuseAll: Refusal | null = null;
  upgrades = 0;
  /** Whether sockets announce that settings may be inherited. */
  inheritsSettings = false;
  readonly #script: ScriptedAnswer[];
  readonly #server: Server;
  readonly #websockets = new WebSocketServer({ noServer: true });
  readonly #connections = new Set<Socket>();
  readonly #sockets: WebSocket[] = [];
  #responses = 0;

  private constructor(script: readonly ScriptedAnswer[]) {
    this.#script = [...script];
    this.#server = createServer((request, response) => void this.#answerHttp(request, response));
    this.#server.on("connection", (socket) => {
      this.#connections.add(socket);
      socket.on("close", () => this.#connections.delete(socket));
    });
    this.#server.on("upgrade", (request, socket, head) => this.#upgrade(request, socket, head));
    this.#websockets.on("headers", (headers) => {
      if (this.inheritsSettings) headers.push("x-slipstream-settings-inheritance: 1");
    });
  }

  /** Listens on a free port of the loopback. After the script's end each request is answered with "done". */
  static async start(script: readonly ScriptedAnswer[] = []): Promise<ScriptedServer> {
    const scripted = new ScriptedServer(script);
    await new Promise<void>((resolve) => scripted.#server.listen(0, "127.0.0.1", resolve));
    return scripted;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  /** Sends an event on every open socket, whatever runs there. */
  broadcast(event: WireObject): void {
    for (const socket of this.#sockets) socket.send(JSON.stringify(event));
  }

  /** Stops listening to the open sockets, as if the network had swallowed them. */
  deafen(): void {
    for (const socket of this.#sockets) socket.pause();
  }

  /** Cuts all connections without a word. */
  cut(): void {
    for (const socket of this.#connections) socket.destroy();
  }

  async stop(): Promise<void> {
    this.cut();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.upgrades += 1;
    const refusal = this.refusals.shift() ?? this.refuseAll;
    if (refusal !== null) {
      const headers = Object.entries(refusal.headers ?? {}).map(([name, value]) => `${name}: ${value}\r\n`);
      socket.end(`HTTP/1.1 ${refusal.status} Refused\r\n${headers.join("")}content-length: 0\r\n\r\n`);
      return;
    }
    this.#websockets.handleUpgrade(request, socket, head, (websocket) => {
      const index = this.#sockets.push(websocket) - 1;
      const chain = new SocketChain();
      const from = { ...origin(request), socket: index };
      websocket.on("message", (data) => this.#answerFrame(websocket, from, chain, String(data)));
      websocket.on("error", () => {});
    });
  }

  #next(body: WireObject): { id: string; answer: ScriptedAnswer; events: WireObject[] } {
    const id = `resp_${++this.#responses}`;
    const scripted =
      body.generate === false ? {} : (this.#script.shift() ?? { items: [textMessage("done")] });
    const fingerprint = this.inheritsSettings ? "settings-1" : null;
    const events = answerEvents(scripted.emptyId ? "" : id, scripted, fingerprint);
    return { id, answer: scripted, events };
  }

  #answerFrame(socket: WebSocket, from: Origin, chain: SocketChain, frame: string): void {
    const body = JSON.parse(frame) as WireObject;
    const { id, answer, events } = this.#next(body);
    const resolved = chain.resolve(body);
    this.requests.push({
      ...from,
      transport: "websocket",
      body,
      bytes: Buffer.byteLength(frame),
      resolved,
    });
    const fault = answer.fault;
    if (fault?.kind === "error" || resolved === null) {
      chain.forget();
      const error =
        fault?.kind === "error" ? fault : { status: 400, code: "previous_response_not_found", headers: {} };
      const { status, code, headers } = error;
      socket.send(JSON.stringify({ type: "error", status, error: { code, message: code, headers } }));
      return;
    }
    if (fault?.kind === "garbage") {
      socket.send("not json");
      return;
    }
    const count = fault === undefined ? events.length : fault.afterEvents;
    for (const event of events.slice(0, count)) socket.send(JSON.stringify(event));
    if (fault?.kind === "drop") socket.terminate();
    if (fault === undefined && answer.end !== "failed")
      chain.remember(id, [...resolved, ...(answer.items ?? [])], body);
    if (answer.end === "failed") chain.forget();
  }

  async #answerHttp(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const bytes = Buffer.concat(chunks);
    const body = JSON.parse(bytes.toString("utf8")) as WireObject;
    const { answer, events } = this.#next(body);
    const resolved = body.input as unknown[];
    const from = { ...origin(request), socket: -1 };
    this.requests.push({ ...from, transport: "http", body, bytes: bytes.length, resolved });
    const fault = answer.fault;
    if (fault?.kind === "error") {
      response.writeHead(fault.status, { "content-type": "application/json", ...fault.headers });
      response.end(JSON.stringify({ error: { code: fault.code, message: fault.code } }));
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    if (fault?.kind === "garbage") {
      response.end("data: not json\n\n");
      return;
    }
    const count = fault === undefined ? events.length : fault.afterEvents;
    const text = events
      .slice(0, count)
      .map((event) => `event: ${String(event.type)}\ndata: ${JSON.stringify(event)}\n\n`);
    response.write(text.join(""), () => {
      if (fault?.kind === "drop") request.socket.destroy();
    });
    if (fault === undefined) response.end("data: [DONE]\n\n");
  }
}

type Origin = Pick<SeenRequest, "path" | "authorization" | "socket">;

function origin(request: IncomingMessage): Omit<Origin, "socket"> {
  return { path: request.url ?? "", authorization: request.headers.authorization ?? null };
}

/** What a server remembers of a socket: the most recent response and all that led to it. */
class SocketChain {
  #memory: ChainMemory | null = null;

  /** The full input a request stands for; null where its parent or its settings are not known. */
  resolve(body: WireObject): unknown[] | null {
    const input = (body.input ?? []) as unknown[];
    if (body.previous_response_id === undefined) return input;
    const memory = this.#memory;
    if (memory === null || memory.id !== body.previous_response_id) return null;
    const inherits = body.slipstream_settings === "settings-1";
    if (!inherits && settingsOf(body) !== memory.settings) return null;
    return [...memory.history, ...input];
  }

  remember(id: string, history: readonly unknown[], body: WireObject): void {
    const settings =
      body.slipstream_settings === undefined ? settingsOf(body) : (this.#memory?.settings ?? "");
    this.#memory = { id, history, settings };
  }

  forget(): void {
    this.#memory = null;
  }
}

const requestOnly = new Set(["type", "input", "previous_response_id", "store", "stream", "generate"]);

function settingsOf(body: WireObject): string {
  return JSON.stringify(Object.entries(body).filter(([name]) => !requestOnly.has(name)));
}

/** An assistant message with one text. */
export function textMessage(text: string, id = "msg_1"): MessageItem {
  return {
    type: "message",
    id,
    role: "assistant",
    status: "completed",
    content: [{ type: "output_text", text, annotations: [] }],
  };
}

/** A call of a function tool. */
export function functionCall(callId: string, name: string, callArguments: WireObject = {}): FunctionCallItem {
  return {
    type: "function_call",
    id: `fc_${callId}`,
    call_id: callId,
    name,
    arguments: JSON.stringify(callArguments),
    status: "completed",
  };
}
