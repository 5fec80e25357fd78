import { type Item, isJsonObject, itemSchema, tryParseJson } from "@slipstream-stack/protocol";
import type { LapFigures, TurnOutcome } from "../events.ts";

export const sessionSchemaVersion = 1;

/** The first line of a session file. */
export interface SessionHeader {
  readonly type: "session";
  readonly schema: typeof sessionSchemaVersion;
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly workspace: string;
  readonly model: string;
}

/** Every other line: an item of the history, or a record that never reaches a model. */
export type SessionRecord =
  | { readonly type: "item"; readonly item: Item }
  | { readonly type: "lap"; readonly figures: LapFigures }
  | { readonly type: "turn"; readonly turnId: string; readonly outcome: TurnOutcome };

/** The header in a line, or null. `unsupported` tells a newer file from a broken one. */
export function parseHeader(line: string): SessionHeader | "unsupported" | null {
  const value = tryParseJson(line);
  if (!isJsonObject(value) || value.type !== "session") return null;
  if (value.schema !== sessionSchemaVersion) return "unsupported";
  const { id, createdAt, workspace, model } = value;
  const isWhole =
    typeof id === "string" &&
    typeof createdAt === "number" &&
    typeof workspace === "string" &&
    typeof model === "string";
  return isWhole ? { type: "session", schema: sessionSchemaVersion, id, createdAt, workspace, model } : null;
}

/** The history item in a line; null for records of another kind, `broken` for what cannot be read. */
export function parseItemLine(line: string): Item | null | "broken" {
  const value = tryParseJson(line);
  if (!isJsonObject(value)) return "broken";
  if (value.type !== "item") return null;
  // Checked, but kept as it stands: parsing may put its keys in another order, and bytes must not change.
  return itemSchema.safeParse(value.item).success ? (value.item as unknown as Item) : "broken";
}
