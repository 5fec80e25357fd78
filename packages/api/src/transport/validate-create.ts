import {
  type CreateRequest,
  type Item,
  itemSchema,
  type JsonObject,
  type JsonValue,
  type RequestSettings,
  requestFieldsSchema,
  settingsSchema,
  WireError,
} from "@slipstream-stack/protocol";
import { createCounters } from "./create/counters.ts";
import { issueError } from "./create/wire-issue.ts";
import type { TransportLimits } from "./limits.ts";

const inheritingSettingsSchema = settingsSchema.partial();
const { prompt_cache_options: cacheOptionsSchema, background: backgroundSchema } = requestFieldsSchema.shape;
const fieldsSchema = requestFieldsSchema.omit({ input: true });

/** Fields that change the meaning of a request and that this version does not build. */
const unbuilt = ["conversation", "prompt", "context_management"] as const;

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0);
}

function refuseUnbuilt(settings: Readonly<Record<string, unknown>>): void {
  for (const param of unbuilt) {
    if (!isGiven(settings[param])) continue;
    throw new WireError("invalid_value", `"${param}" is not supported by this server; leave it out.`, {
      param,
    });
  }
  if (settings.background === true) {
    throw new WireError("invalid_value", "Background responses are not supported; leave `background` out.", {
      param: "background",
    });
  }
}

/** Settings as they are checked once per distinct text of them. */
export type ValidSettings = RequestSettings & Pick<CreateRequest, "prompt_cache_options">;

/**
 * Checks the settings of a request. With `inherits`, what is missing (`model` too, then the empty string) is
 * to come from the parent response.
 *
 * @throws WireError `missing_required_parameter` or `invalid_value`, `param` naming the field.
 */
export function validateSettings(raw: JsonObject, inherits: boolean): ValidSettings {
  createCounters.settingsValidated += 1;
  if (!inherits && !isGiven(raw.model)) {
    throw new WireError("missing_required_parameter", "`model` is missing; name a model of GET /v1/models.", {
      param: "model",
    });
  }
  refuseUnbuilt(raw);
  const checked = (inherits ? inheritingSettingsSchema : settingsSchema).safeParse(raw);
  if (!checked.success) throw issueError(checked.error.issues);
  for (const [param, schema] of [
    ["prompt_cache_options", cacheOptionsSchema],
    ["background", backgroundSchema],
  ] as const) {
    const checkedField = schema.safeParse(raw[param]);
    if (!checkedField.success) throw issueError(checkedField.error.issues, [param]);
  }
  return { ...checked.data, model: checked.data.model ?? "" } as ValidSettings;
}

/** What a request carries besides settings and input, checked. */
export type ValidFields = Omit<CreateRequest, keyof RequestSettings | "input"> & {
  /** The settings fingerprint to inherit from, or null. */
  readonly slipstream_settings: string | null;
};

const fingerprintPattern = /^[\x21-\x7e]{1,128}$/;

/**
 * Checks the members that belong to one request, `input` apart.
 *
 * @throws WireError `invalid_value`, `param` naming the field.
 */
export function validateFields(raw: JsonObject): ValidFields {
  const checked = fieldsSchema.safeParse(raw);
  if (!checked.success) throw issueError(checked.error.issues);
  if (Object.keys(checked.data.metadata ?? {}).length > 16) {
    throw new WireError("invalid_value", "`metadata` takes at most 16 pairs.", { param: "metadata" });
  }
  const fingerprint = raw.slipstream_settings ?? null;
  if (fingerprint !== null && (typeof fingerprint !== "string" || !fingerprintPattern.test(fingerprint))) {
    throw new WireError("invalid_value", "`slipstream_settings` is a fingerprint this server gave out.", {
      param: "slipstream_settings",
    });
  }
  return { ...checked.data, slipstream_settings: fingerprint } as ValidFields;
}

/** Checks one input item. */
function validateItem(raw: JsonValue, index: number): Item {
  createCounters.itemsValidated += 1;
  const checked = itemSchema.safeParse(raw);
  if (!checked.success) throw issueError(checked.error.issues, ["input", index]);
  if (checked.data.type !== "item_reference") return checked.data;
  throw new WireError(
    "invalid_value",
    "Item references are not resolved by this server; send the item itself.",
    {
      param: `input[${index}]`,
    },
  );
}

/**
 * Checks `input` and brings it to a list of items: a string is one user message, nothing is no items.
 *
 * @throws WireError `invalid_value`, `param` naming the fault's place.
 */
export function validateInput(raw: JsonValue | undefined, limits: TransportLimits): Item[] {
  if (raw === undefined || raw === null) return [];
  if (typeof raw === "string") return [validateItem({ type: "message", role: "user", content: raw }, 0)];
  if (!Array.isArray(raw)) {
    throw new WireError("invalid_value", "`input` is a string or a list of items.", { param: "input" });
  }
  if (raw.length > limits.items) {
    throw new WireError(
      "invalid_value",
      `\`input\` has ${raw.length} items; at most ${limits.items} are taken. Continue with previous_response_id.`,
      { param: "input" },
    );
  }
  return raw.map(validateItem);
}

/** Whether a request only prepares state and writes nothing. */
function isPrewarm(request: CreateRequest): boolean {
  return request.generate === false || request.prompt_cache_options?.prewarm === true;
}

/**
 * Puts the checked parts together. Members of `settings` keep their identity.
 *
 * @throws WireError `missing_required_parameter` where there is nothing to answer to.
 */
export function assembleCreate(settings: ValidSettings, fields: ValidFields, input: Item[]): CreateRequest {
  const request = { ...settings, ...fields, input } as CreateRequest;
  const isEmpty = input.length === 0 && !isGiven(request.previous_response_id);
  if (isEmpty && !isPrewarm(request)) {
    throw new WireError(
      "missing_required_parameter",
      "`input` is missing or empty, with nothing to continue.",
      {
        param: "input",
      },
    );
  }
  return request;
}
