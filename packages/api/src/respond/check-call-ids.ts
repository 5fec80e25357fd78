import { type Item, WireError } from "@slipstream-stack/protocol";
import type { ChainPosition } from "../chain/chain-node.ts";
import type { Base } from "./find-base.ts";

/**
 * Holds tool outputs against the calls they answer. The calls of the chain are searched from its tip, so an
 * answer to the last response looks at that response alone.
 * @throws WireError invalid_value (param `input`) for an output without a call, and for ids given twice.
 */
export function checkCallIds(base: Base, input: readonly Item[]): void {
  const ids = new Set<string>();
  const calls = new Set<string>();
  const outputs = new Set<string>();
  for (const item of input) {
    refuseTwice(ids, field(item, "id"), "item id");
    const callId = field(item, "call_id");
    if (callId === null) continue;
    if (isCall(item)) {
      refuseTwice(calls, callId, "call_id of a call");
    } else if (item.type.endsWith("_output")) {
      refuseTwice(outputs, callId, "call_id of an output");
      if (!calls.has(callId) && !hasCall(base.position, callId)) throw noCall(callId);
    }
  }
}

/** A program is answered by its `program_output` as a call is by its output. */
function isCall({ type }: Item): boolean {
  return type.endsWith("_call") || type === "program";
}

function field(item: Item, name: "id" | "call_id"): string | null {
  const value = (item as { readonly [key: string]: unknown })[name];
  return typeof value === "string" && value !== "" ? value : null;
}

function refuseTwice(seen: Set<string>, id: string | null, what: string): void {
  if (id === null) return;
  if (seen.has(id)) {
    throw new WireError("invalid_value", `The ${what} '${id}' stands twice in the input.`, {
      param: "input",
    });
  }
  seen.add(id);
}

function hasCall(position: ChainPosition | null, callId: string): boolean {
  let at = position;
  while (at !== null) {
    for (let index = at.kept - 1; index >= 0; index--) {
      const item = at.node.items[index];
      if (item !== undefined && isCall(item) && field(item, "call_id") === callId) return true;
    }
    at = at.node.parent === null ? null : { node: at.node.parent, kept: at.node.parentItems };
  }
  return false;
}

function noCall(callId: string): WireError {
  return new WireError("invalid_value", `No tool call found for the output with call_id '${callId}'.`, {
    param: "input",
  });
}
