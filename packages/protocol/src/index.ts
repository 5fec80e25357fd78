export { canonicalJson } from "./canonical-json.ts";
export {
  WireError,
  type WireErrorBody,
  type WireErrorCode,
  type WireErrorType,
  wireErrorCodes,
} from "./errors.ts";
export {
  type EventBody,
  type StreamEvent,
  terminalEventTypes,
  type WebSocketErrorEvent,
} from "./event.ts";
export { type Content, type ContentPart, contentText, partText } from "./item/content.ts";
export {
  type AdditionalToolsItem,
  type CompactionItem,
  type CustomToolCallItem,
  type CustomToolCallOutputItem,
  type FunctionCallItem,
  type FunctionCallOutputItem,
  type Item,
  isKnownItem,
  itemSchema,
  type KnownItem,
  type MessageItem,
  type ReasoningItem,
  type UnknownItem,
} from "./item/item.ts";
export { argumentsIdentity, itemIdentity } from "./item/item-identity.ts";
export { isJsonObject, type JsonObject, type JsonValue, tryParseJson } from "./json.ts";
export type { BreakCause, Continuation, LapRecord, WireMissReason } from "./lap-record.ts";
export {
  type CreateRequest,
  createRequestSchema,
  type RequestFields,
  type RequestSettings,
  requestFieldsSchema,
  settingsSchema,
} from "./request.ts";
export type { ResponseObject, ResponseStatus } from "./response.ts";
export { type TextFormat, textFormatSchema } from "./text-format.ts";
export {
  type CustomTool,
  type FunctionTool,
  isKnownTool,
  type NamespaceTool,
  type Tool,
  type ToolChoice,
  toolChoiceSchema,
  toolSchema,
  type UnknownTool,
} from "./tools.ts";
export { type TrajectoryLine, trajectoryLineSchema } from "./trajectory.ts";
export type { Usage } from "./usage.ts";
