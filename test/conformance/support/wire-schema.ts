import assert from "node:assert/strict";
import type { Wire } from "./exchange.ts";

type Check = (value: unknown) => boolean;

const isString: Check = (value) => typeof value === "string";
const isBoolean: Check = (value) => typeof value === "boolean";
const isNumber: Check = (value) => typeof value === "number" && Number.isFinite(value);
const isCount: Check = (value) => Number.isInteger(value) && Number(value) >= 0;
const isObject: Check = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const isList: Check = (value) => Array.isArray(value);
const orNull =
  (check: Check): Check =>
  (value) =>
    value === null || check(value);
const either =
  (...checks: Check[]): Check =>
  (value) =>
    checks.some((check) => check(value));
const oneOf =
  (...values: unknown[]): Check =>
  (value) =>
    values.includes(value);

/** Keys that must be there, each with what it holds. */
type Shape = Readonly<Record<string, Check>>;

const responseShape: Shape = {
  id: isString,
  object: oneOf("response"),
  created_at: isCount,
  completed_at: orNull(isCount),
  status: oneOf("queued", "in_progress", "completed", "incomplete", "failed", "cancelled"),
  incomplete_details: orNull(isObject),
  model: isString,
  previous_response_id: orNull(isString),
  instructions: orNull(isString),
  output: isList,
  error: orNull(isObject),
  tools: isList,
  tool_choice: either(oneOf("none", "auto", "required"), isObject),
  truncation: oneOf("auto", "disabled"),
  parallel_tool_calls: isBoolean,
  text: isObject,
  top_p: isNumber,
  presence_penalty: isNumber,
  frequency_penalty: isNumber,
  top_logprobs: isCount,
  temperature: isNumber,
  reasoning: orNull(isObject),
  usage: orNull(isObject),
  max_output_tokens: orNull(isCount),
  max_tool_calls: orNull(isCount),
  store: isBoolean,
  background: isBoolean,
  service_tier: isString,
  metadata: isObject,
  safety_identifier: orNull(isString),
  prompt_cache_key: orNull(isString),
};

const usageShape: Shape = {
  input_tokens: isCount,
  input_tokens_details: (value) => isObject(value) && isCount((value as Wire)["cached_tokens"]),
  output_tokens: isCount,
  output_tokens_details: (value) => isObject(value) && isCount((value as Wire)["reasoning_tokens"]),
  total_tokens: isCount,
};

const functionToolShape: Shape = {
  type: oneOf("function"),
  name: isString,
  description: orNull(isString),
  parameters: orNull(isObject),
  strict: orNull(isBoolean),
};

const itemStatus = oneOf("in_progress", "completed", "incomplete");
const itemShapes: Readonly<Record<string, Shape>> = {
  message: { id: isString, role: oneOf("assistant"), status: itemStatus, content: isList },
  reasoning: { id: isString, summary: isList },
  function_call: {
    id: isString,
    call_id: isString,
    name: isString,
    arguments: isString,
    status: itemStatus,
  },
};

const partShapes: Readonly<Record<string, Shape>> = {
  output_text: { text: isString, annotations: isList, logprobs: isList },
  refusal: { refusal: isString },
  reasoning_text: { text: isString },
};

const itemPlace: Shape = { item_id: isString, output_index: isCount };
const partPlace: Shape = { ...itemPlace, content_index: isCount };
const item: Shape = { output_index: isCount, item: isObject };
const part: Shape = { ...partPlace, part: isObject };
const response: Shape = { response: isObject };

/** The event types of Open Responses that this server may send, each with its own fields. */
const eventShapes: Readonly<Record<string, Shape>> = {
  "response.created": response,
  "response.in_progress": response,
  "response.completed": response,
  "response.incomplete": response,
  "response.failed": response,
  "response.output_item.added": item,
  "response.output_item.done": item,
  "response.content_part.added": part,
  "response.content_part.done": part,
  "response.output_text.delta": { ...partPlace, delta: isString, logprobs: isList },
  "response.output_text.done": { ...partPlace, text: isString, logprobs: isList },
  "response.refusal.delta": { ...partPlace, delta: isString },
  "response.refusal.done": { ...partPlace, refusal: isString },
  "response.function_call_arguments.delta": { ...itemPlace, delta: isString },
  "response.function_call_arguments.done": { ...itemPlace, arguments: isString },
};

function assertShape(value: Wire, shape: Shape, where: string): void {
  for (const [key, check] of Object.entries(shape)) {
    assert.ok(Object.hasOwn(value, key), `${where}.${key} is missing`);
    assert.ok(check(value[key]), `${where}.${key} is ${JSON.stringify(value[key])}`);
  }
}

function assertItem(value: Wire, where: string): void {
  const shape = itemShapes[String(value["type"])];
  assert.ok(shape !== undefined, `${where} has the unknown type ${String(value["type"])}`);
  assertShape(value, shape, where);
  if (value["type"] !== "message") return;
  for (const entry of value["content"] as Wire[]) assertPart(entry, `${where}.content`);
}

function assertPart(value: Wire, where: string): void {
  const shape = partShapes[String(value["type"])];
  assert.ok(shape !== undefined, `${where} has the unknown part ${String(value["type"])}`);
  assertShape(value, shape, where);
}

/** A whole response object: every key Open Responses wants, with the right kind of value. */
export function assertResponse(value: Wire): void {
  assertShape(value, responseShape, "response");
  if (value["usage"] !== null) assertShape(value["usage"] as Wire, usageShape, "usage");
  for (const entry of value["output"] as Wire[]) assertItem(entry, "output");
  for (const tool of value["tools"] as Wire[]) assertShape(tool, functionToolShape, "tool");
}

/** Every event of a turn: a known type, its own fields, whole responses in it, numbered from 0 without gaps. */
export function assertEvents(events: readonly Wire[]): void {
  assert.ok(events.length > 0, "no events");
  for (const [index, event] of events.entries()) {
    const type = String(event["type"]);
    const shape = eventShapes[type];
    assert.ok(shape !== undefined, `the event type ${type} is unknown to Open Responses`);
    assertShape(event, shape, type);
    assert.equal(event["sequence_number"], index, `${type} is not numbered ${index}`);
    if (shape === response) assertResponse(event["response"] as Wire);
    if (shape === item) assertItem(event["item"] as Wire, type);
    if (shape === part) assertPart(event["part"] as Wire, type);
  }
}

/** The error envelope of a socket. */
export function assertErrorEnvelope(event: Wire | undefined, code: string): void {
  assert.ok(event !== undefined);
  assertShape(event, { type: oneOf("error"), status: isCount, error: isObject }, "error");
  assertShape(event["error"] as Wire, { code: oneOf(code), message: isString }, "error.error");
}
