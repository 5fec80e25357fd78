import type { JsonObject } from "@slipstream-stack/protocol";
import { emptyString, type StringScan, scanByte } from "./json-text-scan.ts";
import { type LengthLimits, SchemaPath } from "./schema-path.ts";

interface Frame {
  readonly path: SchemaPath;
  readonly array: boolean;
  /** Objects: the key whose value comes, `null` where a key comes. */
  readonly key: string | null;
  /** Arrays: position of the value that comes. */
  readonly index: number;
}

interface OpenString {
  readonly scan: StringScan;
  /** Limits of a value; `null` for a key. */
  readonly limits: LengthLimits | null;
  /** Raw bytes of a key. */
  readonly raw: readonly number[];
}

/**
 * Follows JSON text byte by byte beside its schema, to know the lengths a string may have. The text is taken to be
 * what the schema's grammar admits; what comes after the value is ignored.
 */
export class JsonTracker {
  #root: SchemaPath;
  #frames: readonly Frame[] = [];
  #string: OpenString | null = null;
  #skip: number;
  #done = false;
  #broken = false;

  /** `skip`: bytes before the JSON text starts. */
  constructor(schema: JsonObject, skip: number) {
    this.#root = SchemaPath.root(schema);
    this.#skip = skip;
  }

  clone(): JsonTracker {
    const copy = new JsonTracker({}, this.#skip);
    copy.#root = this.#root;
    copy.#frames = this.#frames;
    copy.#string = this.#string;
    copy.#done = this.#done;
    copy.#broken = this.#broken;
    return copy;
  }

  /** A string was shorter or longer than it may be. */
  get broken(): boolean {
    return this.#broken;
  }

  /** Characters the open string value may still get, an escape begun included; `null` outside of one. */
  get room(): number | null {
    const open = this.#string;
    if (open === null || open.limits === null) return null;
    return open.limits.max - open.scan.chars;
  }

  feed(bytes: Uint8Array): void {
    for (const byte of bytes) {
      if (this.#done) return;
      if (this.#skip > 0) this.#skip -= 1;
      else if (this.#string === null) this.#structure(String.fromCharCode(byte));
      else this.#text(this.#string, byte);
    }
  }

  #text(open: OpenString, byte: number): void {
    const scan = scanByte(open.scan, byte);
    if (scan === null) {
      this.#close(open);
      return;
    }
    const raw = open.limits === null ? [...open.raw, byte] : open.raw;
    this.#string = { scan, limits: open.limits, raw };
    const chars = scan.chars + (scan.escape === "" ? 0 : 1);
    if (open.limits !== null && chars > open.limits.max) this.#broken = true;
  }

  #close(open: OpenString): void {
    this.#string = null;
    if (open.limits !== null && open.scan.chars < open.limits.min) this.#broken = true;
    const top = this.#frames.at(-1);
    if (top === undefined) this.#done = true;
    if (open.limits !== null || top === undefined) return;
    const key = String(JSON.parse(`"${Buffer.from(open.raw).toString("utf8")}"`));
    this.#replaceTop({ ...top, key });
  }

  #structure(letter: string): void {
    const top = this.#frames.at(-1);
    if (letter === '"') {
      const isKey = top !== undefined && !top.array && top.key === null;
      const limits = isKey ? null : this.#valuePath().limits();
      this.#string = { scan: emptyString, limits, raw: [] };
    } else if (letter === "{" || letter === "[") {
      const frame = { path: this.#valuePath(), array: letter === "[", key: null, index: 0 };
      this.#frames = [...this.#frames, frame];
    } else if (letter === "}" || letter === "]") {
      this.#frames = this.#frames.slice(0, -1);
      this.#done = this.#frames.length === 0;
    } else if (letter === "," && top !== undefined) {
      this.#replaceTop({ ...top, key: null, index: top.index + 1 });
    }
  }

  #valuePath(): SchemaPath {
    const top = this.#frames.at(-1);
    if (top === undefined) return this.#root;
    return top.array ? top.path.item(top.index) : top.path.member(top.key ?? "");
  }

  #replaceTop(frame: Frame): void {
    this.#frames = [...this.#frames.slice(0, -1), frame];
  }
}

/** Whether a schema limits the length of any string: else there is nothing to track. */
export function hasLengthLimits(schema: JsonObject): boolean {
  return /"(?:min|max)Length":/.test(JSON.stringify(schema));
}
