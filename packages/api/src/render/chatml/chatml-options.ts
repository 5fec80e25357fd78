import type { CompactionItem } from "@slipstream-stack/protocol";

/** Marks around a model's thinking. */
export interface ThinkingMarks {
  readonly open: string;
  readonly close: string;
}

/** Text of a sealed summary, or null where this server cannot open it. */
export type OpenCompaction = (item: CompactionItem) => string | null;

/** What differs between the models that speak ChatML. */
export interface ChatmlOptions {
  /** Texts of the vocabulary's structural tokens: control and user-defined. */
  readonly structural: Iterable<string>;
  /** System text that the template puts in where the conversation brings none; null: no turn. */
  readonly defaultSystem: string | null;
  /** How the model thinks aloud; null: reasoning items are not rendered. */
  readonly thinking: ThinkingMarks | null;
  readonly openCompaction: OpenCompaction;
}
