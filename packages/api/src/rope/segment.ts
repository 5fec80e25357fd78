import type { Hash } from "@slipstream-stack/inference";

/**
 * What a stretch of tokens is: the head, an item given by the client, structure between items, or what the
 * model sampled. Sampled ids are never made again from text while they are held (architecture, law 3).
 */
export type SegmentKind = "head" | "input" | "glue" | "sampled";

/** A stretch of a rope. `item` is the hash of the item it renders; null for structure. */
export interface Segment {
  readonly kind: SegmentKind;
  readonly ids: Uint32Array;
  readonly item: Hash | null;
}
