/** Held by the compiler: what this package promises of the types of the `openai` package. */
import type { OpenAI } from "openai";
import type { EventBody, WebSocketErrorEvent } from "./event.ts";
import type {
  AdditionalToolsItem,
  CompactionItem,
  CustomToolCallItem,
  CustomToolCallOutputItem,
  FunctionCallItem,
  FunctionCallOutputItem,
  KnownItem,
  MessageItem,
  ReasoningItem,
} from "./item/item.ts";
import type { CreateRequest } from "./request.ts";
import type { ResponseObject, ResponseStatus } from "./response.ts";
import type { CustomTool, FunctionTool } from "./tools.ts";
import type { Usage } from "./usage.ts";

type Sdk = OpenAI.Responses.ResponseStreamEvent;
type SdkInput = OpenAI.Responses.ResponseInputItem;

type Holds<Condition extends true> = Condition;
type Extends<Sub, Super> = [Sub] extends [Super] ? true : false;
/** An interface as a plain object type, so that index signatures take it. */
type Plain<Shape> = { [Key in keyof Shape]: Shape[Key] };
type RequiredKeys<Shape> = {
  [Key in keyof Shape]-?: Record<never, never> extends Pick<Shape, Key> ? never : Key;
}[keyof Shape];
type OfType<Union, Type> = Union extends { type?: infer Own | null }
  ? Type extends Own
    ? Union
    : never
  : never;

/** For each of our event types: the keys the SDK requires of it that ours lacks. */
type MissingEventKeys = {
  [Type in EventBody["type"]]: Exclude<
    RequiredKeys<Extract<Sdk, { type: Type }>>,
    keyof OfType<EventBody, Type> | "sequence_number"
  >;
}[EventBody["type"]];

/** `function_call_arguments.done` has the name, which ours may leave out. */
type Optional = "name";

export type Responses = [
  // `output_text` is computed by the SDK.
  Holds<Extends<Exclude<RequiredKeys<OpenAI.Responses.Response>, "output_text">, keyof ResponseObject>>,
  Holds<Extends<ResponseStatus, OpenAI.Responses.ResponseStatus>>,
  Holds<Extends<OpenAI.Responses.ResponseStatus, ResponseStatus>>,
  Holds<Extends<Usage, OpenAI.Responses.ResponseUsage>>,
  Holds<
    Extends<
      Pick<
        ResponseObject,
        | "id"
        | "object"
        | "created_at"
        | "completed_at"
        | "background"
        | "instructions"
        | "max_output_tokens"
        | "max_tool_calls"
        | "metadata"
        | "parallel_tool_calls"
        | "previous_response_id"
        | "temperature"
        | "top_p"
        | "top_logprobs"
        | "truncation"
        | "access_programs"
      >,
      Pick<
        OpenAI.Responses.Response,
        | "id"
        | "object"
        | "created_at"
        | "completed_at"
        | "background"
        | "instructions"
        | "max_output_tokens"
        | "max_tool_calls"
        | "metadata"
        | "parallel_tool_calls"
        | "previous_response_id"
        | "temperature"
        | "top_p"
        | "top_logprobs"
        | "truncation"
        | "access_programs"
      >
    >
  >,
];

export type Events = [
  Holds<Extends<EventBody["type"], Sdk["type"]>>,
  Holds<Extends<Exclude<MissingEventKeys, Optional>, never>>,
  Holds<
    Extends<
      WebSocketErrorEvent["type"],
      Extract<OpenAI.Responses.ResponsesServerEvent, { type: "error" }>["type"]
    >
  >,
];

/** What the SDK lets a client send is what our items take. */
export type Items = [
  Holds<Extends<KnownItem["type"], NonNullable<SdkInput["type"]>>>,
  Holds<Extends<Plain<OpenAI.Responses.ResponseFunctionToolCall>, FunctionCallItem>>,
  Holds<Extends<Plain<OpenAI.Responses.ResponseCustomToolCall>, CustomToolCallItem>>,
  Holds<Extends<Plain<OpenAI.Responses.ResponseCompactionItemParam>, CompactionItem>>,
  Holds<Extends<OfType<SdkInput, "message">["role"], MessageItem["role"]>>,
  Holds<
    Extends<RequiredKeys<FunctionCallOutputItem>, keyof OpenAI.Responses.ResponseInputItem.FunctionCallOutput>
  >,
  Holds<Extends<RequiredKeys<CustomToolCallOutputItem>, keyof OpenAI.Responses.ResponseCustomToolCallOutput>>,
  Holds<Extends<RequiredKeys<ReasoningItem>, keyof OpenAI.Responses.ResponseReasoningItem>>,
  Holds<Extends<RequiredKeys<AdditionalToolsItem>, keyof OpenAI.Responses.ResponseInputItem.AdditionalTools>>,
];

export type Requests = [
  Holds<Extends<RequiredKeys<FunctionTool>, RequiredKeys<OpenAI.Responses.FunctionTool>>>,
  Holds<Extends<RequiredKeys<CustomTool>, RequiredKeys<OpenAI.Responses.CustomTool>>>,
  Holds<
    Extends<
      Pick<
        OpenAI.Responses.ResponseCreateParams,
        | "instructions"
        | "previous_response_id"
        | "store"
        | "temperature"
        | "top_p"
        | "metadata"
        | "truncation"
      >,
      Pick<
        CreateRequest,
        | "instructions"
        | "previous_response_id"
        | "store"
        | "temperature"
        | "top_p"
        | "metadata"
        | "truncation"
      >
    >
  >,
];
