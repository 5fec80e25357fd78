import type { JsonValue } from "@slipstream-stack/protocol";
import type { StructureGuard } from "../guard-structure.ts";

/** Noncharacters of Unicode: no sensible text holds them, and one that does holds not all of them. */
const firstMark = 0xfdd0;
const marks = 32;

/**
 * Carries item text through a template unharmed: structural strings inside it are broken by a mark that is
 * taken out of the rendering again, so that only what the template itself writes counts as structure.
 */
export class StructureShield {
  readonly #guard: StructureGuard;
  readonly #mark: string;

  /** @param texts everything that will be shielded: the mark is one that none of them holds. */
  constructor(guard: StructureGuard, texts: Iterable<string>) {
    this.#guard = guard;
    const used = new Set<string>();
    for (const text of texts) for (const found of text.match(/[\uFDD0-\uFDEF]/g) ?? []) used.add(found);
    const free = Array.from({ length: marks }, (_, index) => String.fromCharCode(firstMark + index));
    this.#mark = free.find((mark) => !used.has(mark)) ?? "";
  }

  shield(text: string): string {
    return this.#guard.cut(text).join(this.#mark);
  }

  /** A JSON value with all its strings and keys shielded. */
  shieldValue<Value extends JsonValue>(value: Value): Value {
    return this.#shieldValue(value) as Value;
  }

  remove(text: string): string {
    return this.#mark === "" ? text : text.replaceAll(this.#mark, "");
  }

  #shieldValue(value: JsonValue): JsonValue {
    if (typeof value === "string") return this.shield(value);
    if (Array.isArray(value)) return value.map((entry) => this.#shieldValue(entry));
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => [this.shield(key), this.#shieldValue(member)]),
    );
  }
}
