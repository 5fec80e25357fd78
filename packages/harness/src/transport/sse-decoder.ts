import { TransportError } from "../errors.ts";

const maxEventCharacters = 64 * 1024 * 1024;

/**
 * Splits a stream of server-sent events into their data. Only `data` lines matter to the harness; comments,
 * event names and ids are skipped, and so is the end mark `[DONE]`. An event
 * without end is a `protocol` failure, so that memory stays bounded.
 */
export class SseDecoder {
  readonly #decoder = new TextDecoder();
  #rest = "";
  #data: string[] = [];

  /** The data of the events that these bytes complete. */
  push(bytes: Uint8Array): string[] {
    const lines = (this.#rest + this.#decoder.decode(bytes, { stream: true })).split("\n");
    this.#rest = lines.pop() ?? "";
    if (this.#rest.length > maxEventCharacters) {
      throw new TransportError("protocol", "The server sent an event that is too large.");
    }
    const complete: string[] = [];
    for (const line of lines) {
      const data = this.#line(line.endsWith("\r") ? line.slice(0, -1) : line);
      if (data !== null) complete.push(data);
    }
    return complete;
  }

  #line(line: string): string | null {
    if (line.startsWith("data:")) {
      this.#data.push(line.slice(line.startsWith("data: ") ? 6 : 5));
      return null;
    }
    if (line !== "" || this.#data.length === 0) return null;
    const data = this.#data.join("\n");
    this.#data = [];
    return data === "[DONE]" ? null : data;
  }
}
