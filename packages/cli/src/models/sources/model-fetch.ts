import type { ModelSource } from "../catalogue-entry.ts";

/** What a pull tells the person who waits for it. */
export interface PullProgress {
  /** A new phase begins, such as downloading or checking. `totalBytes` is null when nobody knows. */
  phase(text: string, totalBytes: number | null): void;
  /** Bytes of the phase that are done. */
  bytes(done: number): void;
}

/** One fetch of one file. */
export interface FetchRequest<Source extends ModelSource = ModelSource> {
  readonly source: Source;
  /** Folder of the model; a fetch keeps what it needs for resuming in here, under names that begin with a dot. */
  readonly folder: string;
  readonly expectedBytes: number;
  readonly progress: PullProgress;
  readonly signal: AbortSignal;
}

/** A file that has arrived under a temporary name. */
export interface FetchedFile {
  readonly path: string;
  /** What the source itself says the SHA-256 is, if it does. */
  readonly sourceSha256: string | null;
}
