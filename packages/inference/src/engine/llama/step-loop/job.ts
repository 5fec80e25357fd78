import type { DecodeProgram } from "../../../port/decode-program.ts";
import type { Hash } from "../../../port/prefix.ts";

/** A request whose prompt is known in full, as the step loop takes it. */
export interface Job {
  readonly id: string;
  readonly root: Hash;
  readonly prompt: Uint32Array;
  readonly decode: DecodeProgram;
  readonly priority: number;
  readonly useCache: boolean;
  /** False: it may extend an idle sequence and share nothing with another. */
  readonly mayFork: boolean;
  readonly outliveClient: boolean;
  readonly gated: boolean;
  readonly retain: { readonly priority: number; readonly seconds: number } | null;
  /** Token events it may emit before more credit comes. */
  readonly credit: number;
  /** The driver believed in a base that was not held. */
  readonly baseMissed: boolean;
}
