import type { TextSegment } from "@slipstream-stack/inference";
import type { StructureGuard } from "./guard-structure.ts";

/**
 * Builds the segments of a rendering. Plain text written in several calls is one stretch up to the next
 * structural token, so that it merges as it would in the whole; then it is cut by the guard.
 */
export class SegmentWriter {
  readonly #guard: StructureGuard;
  readonly #segments: TextSegment[] = [];
  #pending = "";

  constructor(guard: StructureGuard) {
    this.#guard = guard;
  }

  /** Text of an item: never structure. */
  plain(text: string): this {
    this.#pending += text;
    return this;
  }

  /** The dialect's own mark: a structural token where the vocabulary has it, plain text where not. */
  mark(text: string): this {
    if (!this.#guard.has(text)) return this.plain(text);
    this.#flush();
    this.#segments.push({ text, special: true });
    return this;
  }

  segments(): readonly TextSegment[] {
    this.#flush();
    return this.#segments;
  }

  #flush(): void {
    if (this.#pending === "") return;
    for (const text of this.#guard.cut(this.#pending)) this.#segments.push({ text, special: false });
    this.#pending = "";
  }
}
