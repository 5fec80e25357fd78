import type { InferenceErrorCode } from "../../../errors.ts";
import type { Hash } from "../../../port/prefix.ts";
import type { Vocabulary } from "../../../port/tokenizer.ts";
import type { ChildOptions } from "../../wire/messages.ts";

/** What the step worker is started with. */
export interface WorkerStart {
  readonly options: ChildOptions;
  readonly vocabulary: Vocabulary;
  readonly trainedContext: number;
  readonly model: Hash;
  /** Int32: the number of requests in the running batch, then their ids. */
  readonly runningBatch: SharedArrayBuffer;
}

/** What the step worker posts: how its start went, then whole frames for the client. */
export type FromWorker =
  | {
      readonly type: "ready";
      readonly abortAddress: bigint;
      readonly contextLength: number;
      readonly hotTokens: number;
      readonly ramTokens: number;
      readonly kvFormat: Hash;
    }
  | { readonly type: "failed"; readonly code: InferenceErrorCode; readonly message: string }
  | { readonly type: "frame"; readonly frame: Uint8Array<ArrayBuffer> };
