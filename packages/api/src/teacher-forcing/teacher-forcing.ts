import { type Item, WireError } from "@slipstream-stack/protocol";
import { isAnswerItem } from "../chain/answer-item.ts";
import type { ChainNode, ChainPosition } from "../chain/chain-node.ts";
import { itemHash } from "../chain/lineage.ts";
import type { ForcedItem, ForcedOutput } from "./trajectory.ts";

/** How far a history has come: whole lines that stand, and items of the line that has begun. */
interface Cursor {
  readonly line: number;
  readonly within: number;
}

const start: Cursor = { line: 0, within: 0 };

/**
 * Makes the model write a recorded trajectory: every token is evaluated, only the choice is given. The
 * position is the number of leading lines whose output already stands, in order, in the request's history;
 * it is remembered per chain node, so a chained request only looks at its new items.
 */
export class TeacherForcing {
  readonly #lines: readonly ForcedOutput[];
  readonly #known = new WeakMap<ChainNode, readonly Cursor[]>();

  constructor(lines: readonly ForcedOutput[]) {
    this.#lines = lines;
  }

  /**
   * The output that comes next after a position and further items.
   * @throws WireError trajectory_mismatch where the history has output the trajectory does not.
   * @throws WireError trajectory_exhausted past the last line.
   */
  next(position: ChainPosition | null, items: readonly Item[]): ForcedOutput {
    let cursor = position === null ? start : this.#at(position);
    for (const item of items) cursor = this.#advance(cursor, item);
    const output = this.#lines[cursor.line];
    if (output === undefined) {
      throw new WireError(
        "trajectory_exhausted",
        `The teacher-forcing file has ${this.#lines.length} lines and all of them stand in the history already.`,
      );
    }
    return output;
  }

  #at(position: ChainPosition): Cursor {
    const pending: ChainPosition[] = [];
    let at: ChainPosition | null = position;
    while (at !== null && this.#known.get(at.node) === undefined) {
      pending.push(at);
      at = at.node.parent === null ? null : { node: at.node.parent, kept: at.node.parentItems };
    }
    let cursor = at === null ? start : (this.#known.get(at.node)?.[at.kept] ?? start);
    for (const { node, kept } of pending.reverse()) {
      const cursors = [cursor];
      // What the request does not keep of a node need not follow the trajectory.
      for (const item of node.items.slice(0, kept))
        cursors.push(this.#advance(cursors.at(-1) ?? start, item));
      if (kept === node.items.length) this.#known.set(node, cursors);
      cursor = cursors.at(-1) ?? start;
    }
    return cursor;
  }

  #advance(cursor: Cursor, item: Item): Cursor {
    if (!isOutput(item)) return cursor.within === 0 ? cursor : { line: cursor.line, within: 0 };
    const line = this.#lines[cursor.line];
    const expected = line?.[cursor.within];
    if (line !== undefined && expected !== undefined && matches(expected, item)) {
      const within = cursor.within + 1;
      return within === line.length ? { line: cursor.line + 1, within: 0 } : { line: cursor.line, within };
    }
    const first = line?.[0];
    if (first !== undefined && cursor.within > 0 && matches(first, item))
      return { line: cursor.line, within: 1 };
    throw new WireError(
      "trajectory_mismatch",
      `The history has an item of type ${item.type} that line ${cursor.line + 1} of the teacher-forcing file does not have there.`,
      { param: "input" },
    );
  }
}

/** Whether an item is something a model writes: assistant messages, reasoning and calls. */
function isOutput(item: Item): boolean {
  return item.type === "reasoning" || isAnswerItem(item);
}

function matches(expected: ForcedItem, item: Item): boolean {
  if (expected.item.type !== item.type) return false;
  if (expected.callId !== null || !("call_id" in item)) return itemHash(expected.item) === itemHash(item);
  return itemHash({ ...expected.item, call_id: item["call_id"] } as Item) === itemHash(item);
}
