import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { WireError } from "@slipstream-stack/protocol";
import { WebSocketServer } from "ws";
import { checkOrigin } from "../auth/origin-guard.ts";
import { inheritanceHeader, type Service } from "../service.ts";
import { errorHeaders, wireFailure } from "../wire-failure.ts";
import { type Peer, WebSocketConnection } from "./connection.ts";

const path = "/v1/responses";
const reasons: Readonly<Record<number, string>> = {
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  426: "Upgrade Required",
  503: "Service Unavailable",
};

/** Answers an upgrade with an HTTP error. */
function refuse(socket: Duplex, error: WireError, requestId: string): void {
  const body = JSON.stringify({ error: error.body() });
  const headers = Object.entries({
    connection: "close",
    "content-type": "application/json; charset=utf-8",
    "content-length": String(Buffer.byteLength(body)),
    "x-request-id": requestId,
    ...errorHeaders(error),
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  const reason = reasons[error.status] ?? "Error";
  socket.end(`HTTP/1.1 ${error.status} ${reason}\r\n${headers.join("")}\r\n${body}`);
}

function plainHeaders(request: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.headers)) {
    if (typeof value === "string" && name !== "authorization") headers[name] = value;
  }
  return headers;
}

/** Takes WebSocket upgrades of the HTTP server and keeps the connections that come of them. */
export class WebSocketMode {
  readonly #service: Service;
  readonly #server: WebSocketServer;
  readonly #connections = new Set<WebSocketConnection>();

  constructor(service: Service) {
    this.#service = service;
    this.#server = new WebSocketServer({
      noServer: true,
      // Messages above the limit are answered with a coded error; above twice the limit the socket is closed.
      maxPayload: service.limits.bodyBytes * 2,
      perMessageDeflate: { threshold: 1024, serverNoContextTakeover: true, concurrencyLimit: 4 },
    });
    this.#server.on("headers", (headers) => {
      if (service.settingsInheritance) headers.push(`${inheritanceHeader}: 1`);
    });
  }

  /** Answers one upgrade request: a connection, or an HTTP error. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const requestId = this.#service.newId("req");
    // Until the WebSocket library takes it over, an error of this socket has no other listener.
    const ignore = (): void => void socket.destroy();
    socket.on("error", ignore);
    try {
      const peer = this.#admit(request);
      this.#server.handleUpgrade(request, socket, head, (webSocket) => {
        socket.off("error", ignore);
        const connection = new WebSocketConnection(webSocket, peer, this.#service);
        this.#connections.add(connection);
        webSocket.once("close", () => this.#connections.delete(connection));
      });
    } catch (error) {
      refuse(socket, wireFailure(error), requestId);
    }
  }

  #admit(request: IncomingMessage): Peer {
    const { originRules, authenticator, newId, webSocket, isDraining } = this.#service;
    checkOrigin(request.headers, originRules);
    if ((request.url ?? "").split("?")[0] !== path) {
      throw new WireError("not_found", `WebSocket connections are taken at ${path} only.`);
    }
    const { authorization } = request.headers;
    const scope = authenticator.authenticate(authorization);
    if (!webSocket) {
      throw new WireError("method_not_allowed", "WebSocket mode is off; use POST.", { status: 426 });
    }
    if (isDraining()) throw new WireError("server_error", "The server is closing.", { status: 503 });
    return { id: newId("conn"), scope, authorization, headers: plainHeaders(request) };
  }

  /** Lets running requests end, then closes every connection. */
  async drain(): Promise<void> {
    await Promise.all([...this.#connections].map((connection) => connection.drain()));
  }

  /** Ends every connection at once. */
  cut(): void {
    for (const connection of this.#connections) connection.cut();
    this.#server.close();
  }
}
