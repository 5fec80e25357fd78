import { commonLength, type HeldNode, type PromptView } from "./held-node.ts";

const stride = 256;

function ancestorAt(node: HeldNode | null, length: number): HeldNode | null {
  let at = node;
  while (at !== null && at.length > length) at = at.parent;
  return at;
}

/**
 * How many leading tokens two prompts share, when the first stands on `firstBorder` and the second on
 * `secondBorder`. Compares tokens only past the deepest border that both might share.
 */
export function sharedPrefix(
  first: PromptView,
  firstBorder: HeldNode | null,
  second: PromptView,
  secondBorder: HeldNode | null,
): number {
  if (first.root !== second.root) return 0;
  const depth = Math.min(firstBorder?.length ?? 0, secondBorder?.length ?? 0);
  const common = ancestorAt(firstBorder, depth);
  if (common !== ancestorAt(secondBorder, depth)) return 0;
  let length = common?.length ?? 0;
  const limit = Math.min(first.length, second.length);
  while (length < limit) {
    const to = Math.min(limit, length + stride);
    const shared = commonLength(first.slice(length, to), second.slice(length, to));
    length += shared;
    if (shared < stride) break;
  }
  return length;
}
