import type { JsonObject } from "@slipstream-stack/protocol";

/** How the next token is chosen. `temperature` 0 is greedy; `topK` 0 and `topP` 1 switch those filters off. */
export interface Sampling {
  readonly temperature: number;
  readonly topK: number;
  readonly topP: number;
  /** Same seed, same prompt, same batch shape: same tokens. `null` draws one. */
  readonly seed: number | null;
}

/** What text a constraint admits. Compiling it is the engine's affair, off its step loop. */
export type ConstraintSource =
  | { readonly kind: "json_schema"; readonly schema: JsonObject }
  | { readonly kind: "json_object" }
  /** EBNF as XGrammar reads it, starting at `root`. */
  | { readonly kind: "ebnf"; readonly text: string }
  /**
   * One of several named JSON values: `begin`, a name, `between`, JSON that fits that name's schema, `end`.
   * The schema is compiled only when its name has been chosen.
   */
  | {
      readonly kind: "named_json";
      readonly begin: string;
      readonly alternatives: readonly { readonly name: string; readonly schema: JsonObject }[];
      readonly between: string;
      readonly end: string;
    };

/** A stretch of the output that must fit a grammar: from the first token, or each time a byte string appears. */
export interface Constraint {
  readonly on: "start" | { readonly trigger: Uint8Array };
  readonly source: ConstraintSource;
  /** What follows a finished stretch: free text again, or the end of the output. */
  readonly then: "free" | "stop";
}

/** Everything the step loop must decide between one token and the next. The engine knows no items and no tools. */
export interface DecodeProgram {
  /** Upper bound of sampled tokens; 0 means prefill only. */
  readonly maxTokens: number;
  readonly sampling: Sampling;
  /** Token ids that end the output; they are sampled but not kept. */
  readonly stopTokens: readonly number[];
  /** Byte strings that end the output; `keep` of the end event excludes the tokens from where one began. */
  readonly stopBytes: readonly Uint8Array[];
  readonly constraints: readonly Constraint[];
  /** Teacher forcing: these ids are taken in turn, one decode step each, in place of sampling. */
  readonly forced?: Uint32Array;
  /** Ask for the log probability of each chosen token. */
  readonly logprobs?: boolean;
  readonly speculate: "auto" | "off";
}
