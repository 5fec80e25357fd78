import type { JsonValue } from "@slipstream-stack/protocol";

/** What a benchmark may use. */
export interface BenchContext {
  /** Pairs to run instead of the benchmark's own number. */
  readonly pairs: number | null;
  readonly print: (text: string) => void;
  /** Says how far it is, beside what is printed: some take minutes. */
  readonly note: (text: string) => void;
  /** Folder of public recordings; its README says what lies there. */
  readonly dataFolder: string;
  readonly env: NodeJS.ProcessEnv;
  readonly temporaryFolder: string;
  readonly signal: AbortSignal;
}

/** What was measured, for the closing line; it may grow, names stay. */
export type Figures = { [name: string]: JsonValue };

/** A benchmark: prints a table for people and answers with its figures. It never judges them. */
export interface Bench {
  readonly name: string;
  readonly about: string;
  /** Whether it loads a model, and so must be the only one on the machine that does. */
  readonly usesEngine: boolean;
  run(context: BenchContext): Promise<Figures>;
}

/** Why a benchmark cannot run here, such as a missing compiler. */
export class BenchSkipped extends Error {}
