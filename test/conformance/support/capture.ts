import { readdirSync, readFileSync } from "node:fs";
import type { ForcedLine } from "../../support/serve.ts";
import type { Wire } from "./exchange.ts";

const folder = new URL("../fixtures/captures/", import.meta.url);

/** One entry of a recorded exchange with the real Codex CLI (`fixtures/captures/README.md`). */
export interface Entry {
  readonly from: "client" | "server";
  readonly transport: "upgrade" | "http" | "sse" | "ws" | "close";
  readonly conn?: number;
  readonly message: Wire;
}

/** Names of all captures. */
export const captureNames: readonly string[] = readdirSync(folder)
  .filter((name) => name.endsWith(".json"))
  .map((name) => name.replace(".json", ""))
  .sort();

/** A capture's entries, in wire order. */
export function readCapture(name: string): Entry[] {
  return JSON.parse(readFileSync(new URL(`${name}.json`, folder), "utf8")) as Entry[];
}

/** Tools that `additional_tools` put into a namespace: calls of them carry it. */
function namespaces(entries: readonly Entry[]): Map<string, string> {
  const found = new Map<string, string>();
  const inputs = entries.flatMap(({ message }) => (message["input"] as Wire[] | undefined) ?? []);
  for (const item of inputs.filter(({ type }) => type === "additional_tools")) {
    for (const { type, name, tools } of item["tools"] as Wire[]) {
      if (type !== "namespace") continue;
      for (const tool of tools as Wire[]) found.set(String(tool["name"]), String(name));
    }
  }
  return found;
}

/** What the capture's server wrote, one line per response that has output a model can be made to write. */
export function forcedLines(entries: readonly Entry[]): ForcedLine[] {
  const namespaceOf = namespaces(entries);
  const lines: ForcedLine[] = [];
  let output: Wire[] = [];
  let text = "";
  for (const { from, message } of entries) {
    if (from !== "server") continue;
    if (message["type"] === "response.output_item.done") output.push(message["item"] as Wire);
    if (message["type"] === "response.output_text.delta") text += String(message["delta"]);
    if (message["type"] === "response.incomplete") {
      output = [{ type: "message", role: "assistant", content: [{ type: "output_text", text }] }];
    } else if (message["type"] !== "response.completed") continue;
    text = "";
    // A compaction is made by the server, never written by a model.
    const written = output
      .filter((item) => item["type"] !== "compaction")
      .map((item) => {
        const namespace = namespaceOf.get(String(item["name"]));
        return namespace === undefined ? item : { ...item, namespace };
      });
    if (written.length > 0) lines.push({ output: written });
    output = [];
  }
  return lines;
}

/** The answers of the capture's server, in order: their response id, call ids, and the code of an error. */
export interface RecordedAnswer {
  readonly id: string | null;
  readonly callIds: readonly string[];
  readonly code: string | null;
}

/** One per request of the client. */
export function recordedAnswers(entries: readonly Entry[]): RecordedAnswer[] {
  const answers: RecordedAnswer[] = [];
  let callIds: string[] = [];
  for (const { from, message } of entries) {
    if (from !== "server") continue;
    const item = message["item"] as Wire | undefined;
    if (message["type"] === "response.output_item.done" && typeof item?.["call_id"] === "string") {
      callIds.push(item["call_id"]);
    }
    const response = message["response"] as Wire | undefined;
    const isEnd = /^response\.(completed|incomplete|failed)$/.test(String(message["type"]));
    if (isEnd) answers.push({ id: String(response?.["id"]), callIds, code: null });
    const error = message["error"] as Wire | undefined;
    if (message["type"] === "error") answers.push({ id: null, callIds: [], code: String(error?.["code"]) });
    if (isEnd || message["type"] === "error") callIds = [];
  }
  return answers;
}

/** The headers a client adds itself; those of the handshake and the body are made by the library. */
export function ownHeaders(headers: unknown): Record<string, string> {
  const library = /^(host|connection|upgrade|sec-|content-length|accept-encoding|transfer-encoding)/i;
  const given = Object.entries((headers ?? {}) as Record<string, string>);
  return Object.fromEntries(given.filter(([name]) => !library.test(name)));
}
