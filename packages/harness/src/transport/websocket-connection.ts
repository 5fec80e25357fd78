import type { IncomingMessage } from "node:http";
import { isJsonObject, tryParseJson } from "@slipstream-stack/protocol";
import { WebSocket } from "ws";
import { TransportError } from "../errors.ts";
import type { Clock } from "../ports/clock.ts";
import type { MessageQueue } from "./message-queue.ts";

export interface ConnectOptions {
  /** `ws://` or `wss://` address of the responses endpoint. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly connectMs: number;
}

const maxFrameBytes = 64 * 1024 * 1024;
const settingsInheritanceHeader = "x-slipstream-settings-inheritance";

/** Receives what a socket says while a response runs on it. */
export interface FrameReader {
  readonly queue: MessageQueue<string>;
  readonly onSign: () => void;
}

/**
 * One open socket. It keeps an error listener for its whole life: without one, an error on an idle socket
 * would end the process. Frames that come while no response runs are dropped, and an error among them marks
 * the socket as used up.
 */
export class WebSocketConnection {
  readonly openedAt: number;
  /** Whether the server lets a chained request omit its settings. */
  readonly inheritsSettings: boolean;
  readonly #socket: WebSocket;
  #reader: FrameReader | null = null;
  readonly #clock: Clock;
  #lastSign: number;
  #isUsable = true;

  private constructor(socket: WebSocket, clock: Clock, inheritsSettings: boolean) {
    this.#socket = socket;
    this.#clock = clock;
    this.openedAt = clock.now();
    this.#lastSign = this.openedAt;
    this.inheritsSettings = inheritsSettings;
    socket.on("message", (data, isBinary) => this.#receive(String(data), isBinary));
    socket.on("ping", () => this.#sign());
    socket.on("pong", () => this.#sign());
    socket.on("close", (code) => this.#end(`The server closed the socket (${code}).`));
    socket.on("error", (error) => this.#end("The socket broke.", error));
  }

  /** Opens a socket. Fails with `upgrade_required`, `refused`, `unreachable` or `timeout`. */
  static open(options: ConnectOptions, signal: AbortSignal): Promise<WebSocketConnection> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) {
        reject(signal.reason);
        return;
      }
      const socket = new WebSocket(options.url, {
        headers: options.headers,
        perMessageDeflate: false,
        maxPayload: maxFrameBytes,
      });
      let inherits = false;
      const settle = (finish: () => void): void => {
        cancelTimer();
        signal.removeEventListener("abort", onAbort);
        finish();
      };
      const fail = (error: unknown): void =>
        settle(() => {
          socket.on("error", () => {});
          socket.terminate();
          reject(error);
        });
      const onAbort = (): void => fail(signal.reason);
      const cancelTimer = options.clock.after(options.connectMs, () =>
        fail(new TransportError("timeout", `No socket to ${options.url} within ${options.connectMs} ms.`)),
      );
      signal.addEventListener("abort", onAbort, { once: true });
      socket.once("upgrade", (response) => {
        inherits = response.headers[settingsInheritanceHeader] === "1";
      });
      socket.once("unexpected-response", (_request, response) => fail(refusal(response)));
      socket.once("error", (cause) =>
        fail(new TransportError("unreachable", `No socket to ${options.url}: ${cause.message}`, { cause })),
      );
      socket.once("open", () => {
        socket.removeAllListeners("error");
        settle(() => resolve(new WebSocketConnection(socket, options.clock, inherits)));
      });
    });
  }

  get isUsable(): boolean {
    return this.#isUsable && this.#socket.readyState === WebSocket.OPEN;
  }

  /** When the other side was last heard of. */
  get lastSign(): number {
    return this.#lastSign;
  }

  /**
   * Whether the other side still answers. A connection that a sleeping machine or a router has dropped looks
   * open until something is sent.
   */
  probe(limitMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const finish = (answers: boolean) => (): void => {
        cancelTimer();
        this.#socket.off("pong", onPong);
        this.#socket.off("close", onClose);
        resolve(answers);
      };
      const onPong = finish(true);
      const onClose = finish(false);
      const cancelTimer = this.#clock.after(limitMs, finish(false));
      this.#socket.on("pong", onPong);
      this.#socket.on("close", onClose);
      this.#socket.ping();
    });
  }

  /** Sends one frame and directs all that comes to the reader until `release`. */
  exchange(frame: string, reader: FrameReader): void {
    this.#reader = reader;
    if (!this.isUsable) {
      reader.queue.fail(new TransportError("broken", "The socket closed before the request was sent."));
      return;
    }
    this.#socket.send(frame, (error) => {
      if (error) this.#end("The request could not be sent.", error);
    });
  }

  release(): void {
    this.#reader = null;
  }

  /** Ends the socket; the server takes it as a cancel of what still runs. */
  close(): void {
    this.#isUsable = false;
    this.#socket.close(1000);
    this.#socket.terminate();
  }

  #sign(): void {
    this.#lastSign = this.#clock.now();
    this.#reader?.onSign();
  }

  #receive(data: string, isBinary: boolean): void {
    this.#sign();
    const reader = this.#reader;
    if (reader === null) {
      const event = tryParseJson(data);
      if (isJsonObject(event) && event.type === "error") this.close();
      return;
    }
    if (isBinary) reader.queue.fail(new TransportError("protocol", "The server sent a binary frame."));
    else reader.queue.push(data);
  }

  #end(message: string, cause?: unknown): void {
    this.#isUsable = false;
    this.#reader?.queue.fail(new TransportError("broken", message, { cause }));
  }
}

function refusal(response: IncomingMessage): TransportError {
  const status = response.statusCode ?? 0;
  response.resume();
  const seconds = Number(response.headers["retry-after"]);
  return new TransportError(
    status === 426 ? "upgrade_required" : "refused",
    `The server refused the WebSocket upgrade with status ${status}.`,
    { status, retryAfterMs: Number.isFinite(seconds) ? seconds * 1000 : null },
  );
}
