import { isJsonObject, type JsonObject, type ResponseObject, tryParseJson } from "@slipstream-stack/protocol";
import { WebSocket } from "ws";

/** What a response ended with. */
export interface Answer {
  readonly response: ResponseObject;
  readonly events: readonly JsonObject[];
}

/** An answer that was an error, or a connection that ended before it. */
export class ClientError extends Error {
  /** `connection_lost` where no answer came. */
  readonly code: string;
  readonly status: number | null;
  /** What had come before. */
  readonly events: readonly JsonObject[];

  constructor(code: string, status: number | null, message: string, events: readonly JsonObject[] = []) {
    super(message);
    this.code = code;
    this.status = status;
    this.events = events;
  }
}

/** Asks for responses over one transport. */
export interface ResponsesClient extends Disposable {
  readonly transport: "http" | "websocket";
  /** Resolves when the terminal event has been read; rejects with `ClientError`. */
  create(body: JsonObject): Promise<Answer>;
}

const answerMs = 60_000;

/** Streams over HTTP; `root` is the server's address without `/v1`. */
export function httpClient(root: string, key: string | null = null): ResponsesClient {
  return {
    transport: "http",
    create: (body) => createOverHttp(root, key, body),
    [Symbol.dispose]() {},
  };
}

async function createOverHttp(root: string, key: string | null, body: JsonObject): Promise<Answer> {
  const events: JsonObject[] = [];
  try {
    const reply = await fetch(`${root}/v1/responses`, {
      method: "POST",
      headers: { "content-type": "application/json", ...authorization(key) },
      body: JSON.stringify({ ...body, stream: true }),
      signal: AbortSignal.timeout(answerMs),
    });
    if (!reply.ok) throw errorOf(await reply.json(), reply.status);
    let rest = "";
    for await (const text of reply.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const blocks = (rest + text).split("\n\n");
      rest = blocks.pop() ?? "";
      for (const block of blocks) {
        const data = block
          .split("\n")
          .find((line) => line.startsWith("data: "))
          ?.slice(6);
        const event = data === undefined ? undefined : tryParseJson(data);
        if (isJsonObject(event)) events.push(event);
      }
    }
  } catch (error) {
    if (error instanceof ClientError) throw error;
    throw new ClientError("connection_lost", null, String(error), events);
  }
  return answerOf(events);
}

export function authorization(key: string | null): Record<string, string> {
  return key === null ? {} : { authorization: `Bearer ${key}` };
}

/** Opens one socket for all requests. */
export async function socketClient(root: string, key: string | null = null): Promise<ResponsesClient> {
  const socket = new WebSocket(`${root.replace(/^http/, "ws")}/v1/responses`, {
    headers: authorization(key),
  });
  let running: { events: JsonObject[]; done: PromiseWithResolvers<Answer> } | null = null;
  const lose = (reason: string): void => {
    running?.done.reject(new ClientError("connection_lost", null, reason, running.events));
    running = null;
  };
  socket.on("message", (data) => {
    const event = tryParseJson(String(data));
    if (running === null || !isJsonObject(event)) return;
    running.events.push(event);
    if (!isLast(event)) return;
    const { events, done } = running;
    running = null;
    try {
      done.resolve(answerOf(events));
    } catch (error) {
      done.reject(error);
    }
  });
  socket.on("close", (code) => lose(`closed with ${code}`));
  await new Promise<void>((resolve, reject) => {
    socket.once("open", () => resolve());
    socket.once("error", (error) => reject(new ClientError("connection_lost", null, error.message)));
  });
  socket.on("error", (error) => lose(error.message));
  return {
    transport: "websocket",
    create(body) {
      if (socket.readyState !== WebSocket.OPEN) {
        return Promise.reject(new ClientError("connection_lost", null, "the socket is closed"));
      }
      const done = Promise.withResolvers<Answer>();
      running = { events: [], done };
      socket.send(JSON.stringify({ type: "response.create", ...body }));
      const timer = setTimeout(() => lose("no answer in time"), answerMs);
      return done.promise.finally(() => clearTimeout(timer));
    },
    [Symbol.dispose]: () => socket.terminate(),
  };
}

function isLast(event: JsonObject): boolean {
  const type = String(event.type);
  return type === "error" || /^response\.(completed|incomplete|failed)$/.test(type);
}

function answerOf(events: readonly JsonObject[]): Answer {
  const last = events.findLast(isLast);
  if (last === undefined)
    throw new ClientError("connection_lost", null, "the stream ended before its answer", events);
  if (last.type === "error") throw errorOf(last, Number(last.status ?? 0) || null, events);
  const response = last.response as unknown as ResponseObject;
  if (response.status === "failed") {
    throw new ClientError(String(response.error?.code), null, String(response.error?.message), events);
  }
  return { response, events };
}

function errorOf(body: unknown, status: number | null, events: readonly JsonObject[] = []): ClientError {
  const error = isJsonObject(body) && isJsonObject(body.error) ? body.error : {};
  return new ClientError(String(error.code), status, String(error.message), events);
}
