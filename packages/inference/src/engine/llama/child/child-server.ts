import { createServer, type Server, type Socket } from "node:net";
import { encodeFrame, FrameDecoder } from "../../wire/frame.ts";
import { type ToChild, type ToParent, wireVersion } from "../../wire/messages.ts";

export interface ChildServerPorts {
  readonly socket: string;
  readonly key: string;
  readonly greeting: Extract<ToParent, { type: "hello" }>;
  readonly onMessage: (message: ToChild) => void;
  /** The owner's connection has ended. */
  readonly onEnd: () => void;
}

/** The child's end of the wire: one owner, known by the key of its hello; anybody else is cut off. */
export class ChildServer {
  readonly #ports: ChildServerPorts;
  readonly #server: Server;
  #owner: Socket | null = null;

  constructor(ports: ChildServerPorts) {
    this.#ports = ports;
    this.#server = createServer((socket) => this.#greet(socket));
  }

  listen(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(this.#ports.socket, resolve);
    });
  }

  /** Stops listening and ends the owner's connection. */
  close(): Promise<void> {
    this.#owner?.destroy();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }

  send(frame: Uint8Array): void {
    this.#owner?.write(frame);
  }

  #greet(socket: Socket): void {
    const decoder = new FrameDecoder();
    socket.on("error", () => socket.destroy());
    socket.on("data", (chunk: Uint8Array) => {
      try {
        for (const message of decoder.push(chunk)) this.#take(socket, message as ToChild);
      } catch {
        // A stream that cannot be cut into frames is lost; the owner connects to a new child.
        socket.destroy();
      }
    });
    socket.on("close", () => {
      if (socket === this.#owner) this.#ports.onEnd();
    });
  }

  #take(socket: Socket, message: ToChild): void {
    if (socket === this.#owner) {
      this.#ports.onMessage(message);
      return;
    }
    const { key, greeting } = this.#ports;
    const known = message.type === "hello" && message.key === key && this.#owner === null;
    if (!known) {
      socket.destroy();
    } else if (message.version !== wireVersion) {
      socket.end(encodeFrame({ type: "refused", version: wireVersion } satisfies ToParent));
    } else {
      this.#owner = socket;
      socket.write(encodeFrame(greeting));
    }
  }
}
