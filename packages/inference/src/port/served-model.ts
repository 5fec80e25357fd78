import type { TokenEngine } from "./token-engine.ts";
import type { Tokenizer } from "./tokenizer.ts";

/** What the model file says of itself. */
export interface ModelDescription {
  readonly id: string;
  /** The Jinja chat template inside the file, if any. */
  readonly chatTemplate: string | null;
  /** Tokens the model was trained for. */
  readonly trainedContextLength: number;
  readonly vocabularySize: number;
  readonly beginOfText: string | null;
  readonly endOfText: string | null;
}

/** One model behind one engine: what `submit` and the renderer need. */
export interface ServedModel {
  readonly description: ModelDescription;
  readonly engine: TokenEngine;
  readonly tokenizer: Tokenizer;
}
