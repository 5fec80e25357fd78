import type { ConstraintSource } from "../../port/decode-program.ts";
import { schemaInstance } from "./schema-instance.ts";

/** Kinds of constraint the simulated engine can write text for. */
export function canWrite(source: ConstraintSource): boolean {
  return source.kind !== "ebnf";
}

/** A text that the constraint admits, or null where the engine cannot make one. `pick(n)` chooses one of n. */
export function constraintText(source: ConstraintSource, pick: (count: number) => number): string | null {
  switch (source.kind) {
    case "json_object":
      return JSON.stringify(schemaInstance({ type: "object", required: ["answer"] }, pick));
    case "json_schema":
      return JSON.stringify(schemaInstance(source.schema, pick));
    case "named_json": {
      const chosen = source.alternatives[pick(source.alternatives.length)];
      if (chosen === undefined) return null;
      const value = JSON.stringify(schemaInstance(chosen.schema, pick));
      return `${source.begin}${chosen.name}${source.between}${value}${source.end}`;
    }
    default:
      return null;
  }
}
