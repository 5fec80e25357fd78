import { tryParseJson } from "@slipstream-stack/protocol";
import { WebSocket } from "ws";

/** A JSON object of the wire, unchecked. */
export type Wire = Record<string, unknown>;

/** An answer over HTTP. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Wire;
}

/** One answered request of a stream or a socket. */
export interface Turn {
  readonly events: readonly Wire[];
  /** The response of the terminal event. */
  readonly response: Wire | null;
  /** The error object of an `error` event. */
  readonly error: Wire | null;
}

const answerMs = 30_000;
const terminal = new Set(["response.completed", "response.incomplete", "response.failed"]);

/** Sends a request and reads one JSON body. */
export async function exchange(
  url: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<HttpAnswer> {
  const answer = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(answerMs),
  });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, body: (tryParseJson(text) ?? {}) as Wire };
}

/** A streamed answer: its turn, whether each frame's `event:` is its type, and whether it ended with `[DONE]`. */
export interface StreamedAnswer extends Turn {
  readonly status: number;
  readonly contentType: string;
  readonly areNamed: boolean;
  readonly isDone: boolean;
}

/** Sends a request with `stream:true` and reads its frames to the end. */
export async function exchangeStream(
  url: string,
  body: Wire,
  headers: Readonly<Record<string, string>> = {},
): Promise<StreamedAnswer> {
  const answer = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ ...body, stream: true }),
    signal: AbortSignal.timeout(answerMs),
  });
  const contentType = answer.headers.get("content-type") ?? "";
  const text = await answer.text();
  if (!contentType.startsWith("text/event-stream")) {
    const { error = null } = (tryParseJson(text) ?? {}) as { error?: Wire };
    const nothing = { events: [], response: null, areNamed: false, isDone: false };
    return { ...nothing, error, status: answer.status, contentType };
  }
  const frames = text.split("\n\n").filter((frame) => frame !== "");
  const data = (frame: string): string =>
    frame
      .split("\n")
      .find((line) => line.startsWith("data: "))
      ?.slice(6) ?? "";
  const told = frames.filter((frame) => data(frame) !== "[DONE]");
  const events = told.map((frame) => tryParseJson(data(frame)) as Wire);
  return {
    ...turnOf(events),
    status: answer.status,
    contentType,
    areNamed: told.every((frame, index) => frame.startsWith(`event: ${events[index]?.["type"]}\n`)),
    isDone: frames.length > 0 && data(frames.at(-1) ?? "") === "[DONE]",
  };
}

/** Whether a message is the last one of its request. */
function ends(type: string): boolean {
  return type === "error" || terminal.has(type) || /^response\.(steer|inject)\.failed$/.test(type);
}

function turnOf(events: readonly Wire[]): Turn {
  const last = events.at(-1);
  const isTerminal = terminal.has(String(last?.["type"]));
  return {
    events,
    response: isTerminal ? (last?.["response"] as Wire) : null,
    error: !isTerminal && ends(String(last?.["type"])) ? ((last?.["error"] ?? last) as Wire) : null,
  };
}

/** A socket on which requests follow one another. */
export interface SocketSession extends AsyncDisposable {
  /** Sends a message and reads up to the end of its request. */
  turn(message: Wire): Promise<Turn>;
}

/** Opens a socket at `baseUrl` + `/responses`. */
export async function openSocket(
  baseUrl: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<SocketSession> {
  const socket = new WebSocket(`${baseUrl.replace(/^http/, "ws")}/responses`, { headers });
  let events: Wire[] = [];
  let reading: PromiseWithResolvers<Turn> | null = null;
  socket.on("message", (data) => {
    const event = tryParseJson(String(data)) as Wire;
    events.push(event);
    if (!ends(String(event["type"]))) return;
    reading?.resolve(turnOf(events));
    events = [];
  });
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  void closed.then(() => reading?.reject(new Error("the socket closed")));
  await new Promise<void>((resolve, reject) => {
    socket.once("open", () => resolve());
    socket.once("error", reject);
  });
  return {
    async turn(message) {
      reading = Promise.withResolvers<Turn>();
      const { promise, reject } = reading;
      const timer = setTimeout(() => reject(new Error("no answer in time")), answerMs);
      socket.send(JSON.stringify(message));
      return promise.finally(() => clearTimeout(timer));
    },
    async [Symbol.asyncDispose]() {
      socket.terminate();
      await closed;
    },
  };
}
