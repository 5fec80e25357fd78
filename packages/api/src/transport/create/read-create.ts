import { isUtf8 } from "node:buffer";
import type { Hash } from "@slipstream-stack/inference";
import {
  type CreateRequest,
  type Item,
  type JsonObject,
  type JsonValue,
  WireError,
} from "@slipstream-stack/protocol";
import type { TransportLimits } from "../limits.ts";
import { splitFrame } from "../split-frame.ts";
import {
  assembleCreate,
  type ValidFields,
  type ValidSettings,
  validateFields,
  validateInput,
  validateSettings,
} from "../validate-create.ts";
import { createCounters } from "./counters.ts";
import { splitMembers } from "./split-members.ts";

/** Checked settings under the key of their raw text. */
export interface KeyedSettings {
  readonly key: Hash;
  readonly inherits: boolean;
  readonly settings: ValidSettings;
}

/** The checked parts of a create body, before they are put together. */
export interface CreateParts {
  readonly keyed: KeyedSettings;
  readonly fields: ValidFields;
  readonly input: Item[];
}

/** A checked create request and what its transport needs to know of it. */
export interface ParsedCreate {
  readonly keyed: KeyedSettings;
  readonly request: CreateRequest;
  readonly inherit: string | null;
}

/**
 * Decodes UTF-8.
 *
 * @throws WireError `invalid_json`
 */
export function decodeText(bytes: Uint8Array): string {
  if (!isUtf8(bytes)) throw new WireError("invalid_json", "The body is not valid UTF-8.");
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
}

function parseObject(text: string): JsonObject {
  createCounters.jsonParsed += text.length;
  return JSON.parse(text) as JsonObject;
}

/** What a body says before it is checked; taken from its raw members. */
export interface FrameHead {
  /** `type` of a WebSocket message; null where it is missing or no string. */
  readonly type: string | null;
  /** `stream_id` as it came, unchecked. */
  readonly streamId: JsonValue | undefined;
  /** The response a refused request meant to continue. */
  readonly previousResponseId: string | null;
}

/** A body: a create request in its parts, one that was refused, or a message of another type. */
export type FrameContent =
  | { readonly kind: "create"; readonly parts: CreateParts }
  | { readonly kind: "refused"; readonly error: WireError }
  | { readonly kind: "other"; readonly value: JsonObject };

export interface Frame {
  readonly head: FrameHead;
  readonly content: FrameContent;
}

function parseMember(members: ReadonlyMap<string, string>, key: string): JsonValue | undefined {
  const raw = members.get(key);
  return raw === undefined ? undefined : (JSON.parse(raw) as JsonValue);
}

function readHead(members: ReadonlyMap<string, string>): FrameHead {
  const type = parseMember(members, "type");
  const previous = parseMember(members, "previous_response_id");
  return {
    type: typeof type === "string" ? type : null,
    streamId: parseMember(members, "stream_id"),
    previousResponseId: typeof previous === "string" ? previous : null,
  };
}

/** Checks the members of a create body; settings whose raw text equals that of `last` come from there. */
function readParts(
  members: ReadonlyMap<string, string>,
  last: KeyedSettings | null,
  limits: TransportLimits,
): CreateParts {
  const frame = splitFrame(members);
  const raw = parseObject(frame.fields);
  const fields = validateFields(raw);
  const inherits = fields.slipstream_settings !== null;
  const isKnown = last !== null && last.key === frame.settingsKey && last.inherits === inherits;
  const keyed = isKnown
    ? last
    : { key: frame.settingsKey, inherits, settings: validateSettings(parseObject(frame.settings), inherits) };
  return { keyed, fields, input: validateInput(raw.input, limits) };
}

/** How a body is read: `message` looks at `type`, as on a WebSocket; an HTTP body always is a create. */
export type FrameMode = "message" | "create";

/**
 * Parses and checks a body. Settings whose raw text equals that of `last` are neither parsed nor checked
 * again: the same object comes back. Faults of a create come as `refused`, with the head.
 *
 * @throws WireError where the text is no JSON object, so that not even its head can be read
 */
export function readFrame(
  text: string,
  mode: FrameMode,
  last: KeyedSettings | null,
  limits: TransportLimits,
): Frame {
  const members = splitMembers(text, limits.jsonDepth);
  const head = readHead(members);
  if (mode === "message" && head.type !== "response.create") {
    return { head, content: { kind: "other", value: parseObject(text) } };
  }
  try {
    return { head, content: { kind: "create", parts: readParts(members, last, limits) } };
  } catch (error) {
    if (WireError.isInstance(error)) return { head, content: { kind: "refused", error } };
    throw error;
  }
}

/** Puts parts together, wherever they were parsed; see `assembleCreate` for what it throws. */
export function assembleParts(parts: CreateParts): ParsedCreate {
  return {
    keyed: parts.keyed,
    request: assembleCreate(parts.keyed.settings, parts.fields, parts.input),
    inherit: parts.fields.slipstream_settings,
  };
}
