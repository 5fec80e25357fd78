import type { Hash } from "./prefix.ts";
import type { Tier } from "./tier.ts";

/** What an engine tells about its cache, in sequence: a gap in `seq` means that the listener must start over. */
export type KvEvent = { readonly epoch: string; readonly seq: bigint; readonly tier: Tier } & (
  | { readonly type: "stored"; readonly parent: Hash | null; readonly blocks: readonly Hash[] }
  | { readonly type: "removed"; readonly blocks: readonly Hash[] }
  | { readonly type: "cleared" }
);
