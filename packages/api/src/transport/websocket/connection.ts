import type { Scope } from "@slipstream-stack/inference";
import { WireError } from "@slipstream-stack/protocol";
import type { WebSocket } from "ws";
import { CreateReader, type ReadBody } from "../create/create-reader.ts";
import type { ParsedCreate } from "../create/read-create.ts";
import { EventStream } from "../event-stream.ts";
import { Outlet } from "../outlet.ts";
import { runCreate } from "../run-create.ts";
import type { Service } from "../service.ts";
import { startTimer } from "../timer.ts";
import { wireFailure } from "../wire-failure.ts";
import { errorEnvelope } from "./error-envelope.ts";
import { startHeartbeat } from "./heartbeat.ts";
import { defaultLane, Lanes } from "./lanes.ts";
import { answerOther } from "./other-message.ts";
import { type Run, recordRun } from "./run.ts";

/** Close codes on which clients come again. */
const goingAway = 1001;
const serviceRestart = 1012;

/** Who opened a connection, and how. */
export interface Peer {
  readonly id: string;
  readonly scope: Scope;
  readonly authorization: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

/** One WebSocket connection: messages are read in order, answered by lane, and errors end requests only. */
export class WebSocketConnection {
  readonly #socket: WebSocket;
  readonly #peer: Peer;
  readonly #service: Service;
  readonly #reader: CreateReader;
  readonly #lanes: Lanes;
  readonly #outlet: Outlet;
  readonly #gone = new AbortController();
  #reading: Promise<void> = Promise.resolve();
  /** Why no request is taken any more. */
  #ending: WireError | null = null;
  readonly #stopLifetime: () => void;
  readonly #stopHeartbeat: () => void;

  constructor(socket: WebSocket, peer: Peer, service: Service) {
    this.#socket = socket;
    this.#peer = peer;
    this.#service = service;
    this.#reader = new CreateReader(service.limits, service.offload, "message");
    this.#lanes = new Lanes(service.limits);
    this.#outlet = new Outlet(
      {
        write: (text, written) => socket.send(text, () => written()),
        cut: () => socket.terminate(),
      },
      service.limits,
      service.clock,
      service.metrics,
    );
    this.#listen();
    this.#stopLifetime = startTimer(service.clock, service.limits.connectionMs, () => this.#expire());
    this.#stopHeartbeat = startHeartbeat(socket, service.clock, service.limits.pingMs);
    service.metrics.connected();
  }

  /** Takes no new requests; the connection closes when those that run or wait have been answered. */
  async drain(): Promise<void> {
    this.#ending ??= new WireError("server_error", "The server is closing.", {
      status: 503,
      retryAfterSeconds: 5,
    });
    await this.#lanes.idle();
    this.#socket.close(serviceRestart);
  }

  /** Ends the connection at once. */
  cut(): void {
    this.#socket.terminate();
  }

  #listen(): void {
    const socket = this.#socket;
    socket.on("message", (data: Buffer, isBinary) => this.#queueRead(data, isBinary));
    // The library closes the connection after an error of its own; without a listener the process would end.
    socket.on("error", (error) => {
      this.#service.logger.warn({ err: error, connectionId: this.#peer.id }, "websocket error");
    });
    socket.on("close", () => this.#closed());
  }

  #closed(): void {
    this.#stopLifetime();
    this.#stopHeartbeat();
    this.#lanes.clear();
    this.#outlet.close();
    this.#gone.abort(new Error("the client has gone"));
    this.#service.metrics.disconnected();
    // What still runs may touch the connection's state until it has ended.
    void this.#lanes.idle().then(() => this.#service.handlers.connections.closed(this.#peer.id));
  }

  #expire(): void {
    this.#ending ??= new WireError(
      "websocket_connection_limit_reached",
      "This connection has reached its time limit; open a new one and send the full input.",
    );
    const error = this.#ending;
    void this.#lanes.idle().then(async () => {
      await this.#send(errorEnvelope(error, defaultLane));
      this.#socket.close(goingAway);
    });
  }

  #send(message: object): Promise<void> {
    return this.#outlet.send(JSON.stringify(message));
  }

  #queueRead(data: Buffer, isBinary: boolean): void {
    const isLarge = data.length > this.#service.limits.inlineParseBytes;
    // A client that sends large messages faster than they are read waits, and not this process's memory.
    if (isLarge) this.#socket.pause();
    const arrivedAt = this.#service.clock.now();
    this.#reading = this.#reading.then(async () => {
      await this.#receive(data, isBinary, arrivedAt);
      if (isLarge) this.#socket.resume();
    });
  }

  /** Reads one message and puts its answer into its lane. Never rejects. */
  async #receive(data: Buffer, isBinary: boolean, startedAt: number): Promise<void> {
    const run: Run = {
      requestId: this.#service.newId("req"),
      lane: defaultLane,
      startedAt,
      bytesIn: data.length,
      parseMs: 0,
      bytesOut: 0,
    };
    try {
      const body = await this.#read(data, isBinary);
      if (this.#gone.signal.aborted) return;
      const parseMs = this.#service.clock.now() - startedAt;
      this.#dispatch(body, { ...run, lane: this.#lanes.lane(body.head.streamId), parseMs });
    } catch (error) {
      await this.#refuse(wireFailure(error), run);
    }
  }

  async #read(data: Buffer, isBinary: boolean): Promise<ReadBody> {
    const { bodyBytes } = this.#service.limits;
    if (isBinary) throw new WireError("invalid_value", "Binary messages are not taken; send JSON as text.");
    if (data.length > bodyBytes) {
      throw new WireError("request_too_large", `A message has at most ${bodyBytes} bytes; chain requests.`);
    }
    if (this.#ending !== null) throw this.#ending;
    if (this.#service.authenticator.authenticate(this.#peer.authorization) !== this.#peer.scope) {
      throw new WireError("invalid_api_key", "The key of this connection has changed; open a new one.");
    }
    return this.#reader.read(data);
  }

  #dispatch({ head, content }: ReadBody, run: Run): void {
    try {
      if (content.kind === "other") {
        const answer = answerOther(head.type, content.value);
        void this.#send(run.lane === defaultLane ? answer : { ...answer, stream_id: run.lane });
        return;
      }
      const job =
        content.kind === "create"
          ? () => this.#answer(content.create, run)
          : () => this.#refuseCreate(content.error, head.previousResponseId, run);
      this.#lanes.run(run.lane, job);
    } catch (error) {
      void this.#refuse(wireFailure(error), run);
    }
  }

  async #answer(create: ParsedCreate, run: Run): Promise<void> {
    const { clock, limits, handlers } = this.#service;
    const stream = new EventStream({
      send: (event) => {
        const text = JSON.stringify(event);
        run.bytesOut += Buffer.byteLength(text);
        return this.#outlet.send(text);
      },
      lane: run.lane === defaultLane ? null : run.lane,
      clock,
      keepAliveMs: limits.keepAliveMs,
    });
    const incoming = {
      request: create.request,
      settingsKey: create.keyed.key,
      scope: this.#peer.scope,
      connection: { id: this.#peer.id, lane: run.lane },
      transport: "websocket",
      bytesIn: run.bytesIn,
      bytesOut: () => run.bytesOut,
      parseMs: run.parseMs,
      inherit: create.inherit,
      headers: this.#peer.headers,
      signal: this.#gone.signal,
    } as const;
    const outcome = await runCreate(handlers.respond, incoming, stream);
    if (outcome.kind === "failed") await this.#send(errorEnvelope(outcome.error, run.lane));
    recordRun(this.#service, this.#peer.scope, outcome, run);
  }

  async #refuseCreate(error: WireError, previousResponseId: string | null, run: Run): Promise<void> {
    if (previousResponseId !== null) {
      const connection = { id: this.#peer.id, lane: run.lane };
      this.#service.handlers.connections.refused(this.#peer.scope, connection, previousResponseId);
    }
    await this.#refuse(error, run);
  }

  async #refuse(error: WireError, run: Run): Promise<void> {
    recordRun(this.#service, this.#peer.scope, { kind: "failed", error }, run);
    await this.#send(errorEnvelope(error, run.lane));
  }
}
