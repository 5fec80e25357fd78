export { type Agent, createAgent } from "./agent.ts";
export {
  type AgentOptions,
  allTechniques,
  type HarnessTechniques,
  type SessionOptions,
} from "./agent-options.ts";
export { type EnvironmentFacts, environmentItem, instructionsItem } from "./environment-message.ts";
export {
  HarnessError,
  type HarnessErrorCode,
  TransportError,
  type TransportErrorDetails,
  type TransportFailureKind,
} from "./errors.ts";
export type { EmitTurnEvent, LapFigures, LapTokens, TurnEvent, TurnOutcome } from "./events.ts";
export { HistoryLog, type HistoryView, type LogEntry } from "./history/history-log.ts";
export { defaultInstructions } from "./instructions.ts";
export type { ModelEvent, ModelPort } from "./loop/model-port.ts";
export type { ToolRunner, TurnPorts } from "./loop/ports.ts";
export { runTurn } from "./loop/run-turn.ts";
export { callOutput, type ToolCall, type ToolResult, toolCallOf } from "./loop/tool-call.ts";
export { type Clock, sleep } from "./ports/clock.ts";
export { type IdSource, randomIds } from "./ports/ids.ts";
export { systemClock } from "./ports/system-clock.ts";
export { type BuiltRequest, buildRequest, type RequestParts } from "./request/build-request.ts";
export {
  type AcknowledgedState,
  type FullSendReason,
  planSend,
  type SendPlan,
} from "./request/delta-rule.ts";
export { type FrozenSettings, freezeSettings, type RequestSettingsInput } from "./request/frozen-settings.ts";
export { detectSandbox, findProgram } from "./sandbox/detect-sandbox.ts";
export type { SandboxChoice, SandboxSupport } from "./sandbox/sandbox.ts";
export { listSessions } from "./session/list-sessions.ts";
export type { FsyncPolicy } from "./session/session-file.ts";
export type { SessionHeader } from "./session/session-record.ts";
export { type HarnessTool, ToolArgumentError } from "./tools/tool.ts";
export { HttpTransport, type HttpTransportOptions } from "./transport/http-transport.ts";
export type {
  ModelCall,
  ModelTransport,
  TransportEvent,
  TransportKind,
} from "./transport/model-transport.ts";
export { ReliableModel, type ReliableModelOptions } from "./transport/reliable-model.ts";
export { defaultRetryLimits, type RetryLimits } from "./transport/retry-policy.ts";
export { defaultTimeouts, type TransportTimeouts } from "./transport/timeouts.ts";
export {
  defaultFallbackLimits,
  type FallbackLimits,
  TransportSelector,
} from "./transport/transport-selector.ts";
export { WebSocketTransport, type WebSocketTransportOptions } from "./transport/websocket-transport.ts";
