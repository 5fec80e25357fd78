import type { JsonObject } from "@slipstream-stack/protocol";
import { emptyString, type StringScan, scanByte } from "./json-text-scan.ts";
import { type NumberLimits, numberCanFit, numberFits } from "./number-limits.ts";
import { type LengthLimits, SchemaPath } from "./schema-path.ts";

interface Frame {
  readonly path: SchemaPath;
  readonly array: boolean;
  /** Objects: the key whose value comes, `null` where a key comes. */
  readonly key: string | null;
  /** Arrays: position of the value that comes. */
  readonly index: number;
}

interface OpenNumber {
  readonly text: string;
  readonly limits: readonly NumberLimits[];
}

interface OpenString {
  readonly scan: StringScan;
  /** Limits of a value, none where it has none; `null` for a key. */
  readonly limits: readonly LengthLimits[] | null;
  /** Raw bytes of a key. */
  readonly raw: readonly number[];
}

function longest(limits: readonly LengthLimits[]): number {
  return Math.max(...limits.map(({ max }) => max));
}

function holds({ text, limits }: OpenNumber, test: (text: string, limits: NumberLimits) => boolean): boolean {
  return limits.length === 0 || limits.some((one) => test(text, one));
}

/**
 * Follows JSON text byte by byte beside its schema, to keep strings and numbers within their limits. The text is taken to be
 * what the schema's grammar admits; what comes after the value is ignored.
 */
export class JsonTracker {
  #root: SchemaPath;
  #frames: readonly Frame[] = [];
  #string: OpenString | null = null;
  #number: OpenNumber | null = null;
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
    copy.#number = this.#number;
    copy.#done = this.#done;
    copy.#broken = this.#broken;
    return copy;
  }

  /** A string or number was outside its limits, or cannot end within them any more. */
  get broken(): boolean {
    return this.#broken;
  }

  /** A number is open whose value so far is outside its limits. */
  get unfinished(): boolean {
    return this.#number !== null && !holds(this.#number, numberFits);
  }

  get inString(): boolean {
    return this.#string !== null;
  }

  /** Characters the open string value may still get, an escape begun included. */
  get room(): number {
    const open = this.#string;
    if (open === null || open.limits === null || open.limits.length === 0) return Number.POSITIVE_INFINITY;
    return longest(open.limits) - open.scan.chars;
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
    if (open.limits !== null && open.limits.length > 0 && chars > longest(open.limits)) this.#broken = true;
  }

  #close(open: OpenString): void {
    this.#string = null;
    const { chars } = open.scan;
    const limits = open.limits ?? [];
    if (limits.length > 0 && !limits.some(({ min, max }) => chars >= min && chars <= max))
      this.#broken = true;
    const top = this.#frames.at(-1);
    if (top === undefined) this.#done = true;
    if (open.limits !== null || top === undefined) return;
    const key = String(JSON.parse(`"${Buffer.from(open.raw).toString("utf8")}"`));
    this.#replaceTop({ ...top, key });
  }

  #structure(letter: string): void {
    if (/[-+.\deE]/.test(letter) && (this.#number !== null || /[-\d]/.test(letter))) {
      this.#digit(letter);
      return;
    }
    if (this.unfinished) this.#broken = true;
    this.#number = null;
    const top = this.#frames.at(-1);
    if (letter === '"') {
      const isKey = top !== undefined && !top.array && top.key === null;
      const limits = isKey ? null : this.#valuePath().lengths();
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

  #digit(letter: string): void {
    const limits = this.#number?.limits ?? this.#valuePath().numbers();
    this.#number = { text: (this.#number?.text ?? "") + letter, limits };
    if (!holds(this.#number, numberCanFit)) this.#broken = true;
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

/** Whether a schema limits a string's length or a number's value: else there is nothing to track. */
export function hasValueLimits(schema: JsonObject): boolean {
  return /"(?:m(?:in|ax)(?:Length|imum)|exclusiveM(?:in|ax)imum)":/.test(JSON.stringify(schema));
}
