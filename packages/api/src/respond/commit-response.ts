import {
  canonicalJson,
  type JsonObject,
  type JsonValue,
  type LapRecord,
  type ResponseObject,
  WireError,
} from "@slipstream-stack/protocol";
import type { ChainNode } from "../chain/chain-node.ts";
import { itemsUpTo } from "../chain/chain-node.ts";
import type { ResolvedSettings } from "../settings/resolved-settings.ts";
import type { ResponseWrite } from "../store/store.ts";
import type { RespondDependencies } from "./dependencies.ts";
import type { ResolvedRequest } from "./resolve-request.ts";

const encoder = new TextEncoder();

/**
 * Makes a stored response durable before its client is told that it completed.
 * @returns the bytes that were written.
 * @throws WireError storage_unavailable, or previous_response_not_found where the parent was deleted meanwhile.
 */
export async function commitResponse(
  { store, clock, storeTtlMs }: RespondDependencies,
  request: ResolvedRequest,
  node: ChainNode,
  response: ResponseObject,
  lap: LapRecord,
): Promise<number> {
  const expiresAt = storeTtlMs === null ? null : clock.wallClock() + storeTtlMs;
  const { result, bytes } = await store.commit({ ...toWrite(request, node, response), lap, expiresAt });
  if (result === "parent_gone") {
    throw new WireError(
      "previous_response_not_found",
      "The previous response was deleted while this one ran.",
      {
        param: "previous_response_id",
      },
    );
  }
  if (result === "conflict")
    throw new WireError("server_error", "A response with this id is stored already.");
  return bytes;
}

/** The durable form: a delta on its parent where that is stored too, the whole conversation where it is not. */
function toWrite(
  request: ResolvedRequest,
  node: ChainNode,
  response: ResponseObject,
): Omit<ResponseWrite, "lap" | "expiresAt"> {
  const delta = node.parent?.stored && node.parentItems === node.parent.items.length;
  const before =
    delta || node.parent === null ? [] : itemsUpTo({ node: node.parent, kept: node.parentItems });
  const start = delta ? (node.parent?.rope.length ?? 0) : node.head.rope.length;
  const sampled = node.rope.segments.at(-1);
  return {
    scope: node.scope,
    id: node.id,
    parent: delta ? (node.parent?.id ?? null) : null,
    chain: delta ? node.chain : node.id,
    depth: delta ? node.depth : 0,
    items: [...before, ...node.items],
    inputCount: before.length + node.inputCount,
    sampled:
      sampled?.kind === "sampled" ? { firstItem: before.length + node.inputCount, ids: sampled.ids } : null,
    marks: node.marks.map(({ end, aligned }) => ({ end: end - start, aligned })),
    tokenizer: request.runtime.model.tokenizer.fingerprint,
    fingerprint: node.fingerprint,
    head: node.head.hash,
    settings: node.settings,
    tip: node.rope.tip,
    blobs: new Map([
      [node.head.hash, headBlob(request)],
      [node.settings, settingsBlob(request.settings)],
    ]),
    body: bodyWithoutItems(response),
  };
}

/** The head is made of the settings, so its blob only names them. */
function headBlob(request: ResolvedRequest): Uint8Array {
  return encoder.encode(JSON.stringify({ settings: request.settings.fingerprint }));
}

const settingsBlobs = new WeakMap<ResolvedSettings, Uint8Array>();

/** Settings resent on every lap are written out once. */
function settingsBlob(settings: ResolvedSettings): Uint8Array {
  const before = settingsBlobs.get(settings);
  if (before !== undefined) return before;
  const blob = encoder.encode(canonicalJson(settings.given as unknown as JsonValue));
  settingsBlobs.set(settings, blob);
  return blob;
}

const bodyKeys = [
  "id",
  "created_at",
  "completed_at",
  "status",
  "error",
  "incomplete_details",
  "usage",
  "previous_response_id",
  "metadata",
] as const satisfies readonly (keyof ResponseObject)[];

/** The response object less what the items and the settings blob say already. */
function bodyWithoutItems(response: ResponseObject): JsonObject {
  return Object.fromEntries(bodyKeys.map((key) => [key, response[key]])) as unknown as JsonObject;
}
