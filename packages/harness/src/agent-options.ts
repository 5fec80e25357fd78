import type { RequestSettings } from "@slipstream-stack/protocol";
import type { Clock } from "./ports/clock.ts";
import type { IdSource } from "./ports/ids.ts";
import type { SandboxChoice } from "./sandbox/sandbox.ts";
import type { FsyncPolicy } from "./session/session-file.ts";
import type { HarnessTool } from "./tools/tool.ts";
import type { RetryLimits } from "./transport/retry-policy.ts";
import type { TransportTimeouts } from "./transport/timeouts.ts";
import type { FallbackLimits } from "./transport/transport-selector.ts";

/** What can be switched off, alone or with others, so that what it saves is measured. */
export interface HarnessTechniques {
  readonly websocket: boolean;
  readonly delta: boolean;
  readonly prewarm: boolean;
  readonly settings_inheritance: boolean;
}

export const allTechniques: HarnessTechniques = {
  websocket: true,
  delta: true,
  prewarm: true,
  settings_inheritance: true,
};

/** Where the session is written. Without it nothing is kept. */
export interface SessionOptions {
  readonly directory: string;
  /** Id of a session to go on with; null begins a new one. */
  readonly resume: string | null;
  readonly fsync: FsyncPolicy;
}

export interface AgentOptions {
  /** Address up to and including `/v1`, with `http` or `https`. */
  readonly baseUrl: string;
  readonly apiKey?: string | null;
  readonly model: string;
  readonly instructions?: string;
  /** The folder the agent works in. */
  readonly workspace: string;
  readonly sandbox: SandboxChoice;
  /** Whether commands reach the network; off unless set. */
  readonly network?: boolean;
  /** `auto`: WebSocket with HTTP as fallback. */
  readonly transport: "auto" | "http" | "websocket";
  readonly techniques?: Partial<HarnessTechniques>;
  readonly clock: Clock;
  readonly ids: IdSource;
  /** A number in [0, 1), for spreading retries. */
  readonly random: () => number;
  /** The environment commands inherit, without secrets; its `PATH` is searched for programs. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Tools beside the default ones. */
  readonly tools?: readonly HarnessTool[];
  /** Tokens the model holds, input and output together: what a tool brings back is cut to fit. Null: unknown. */
  readonly contextTokens?: number | null;
  /** Model requests a turn may make, 100 unless set. */
  readonly maxLaps?: number;
  /** Settings sent beside the harness's own, such as `max_output_tokens` or `reasoning`. */
  readonly settings?: Partial<RequestSettings>;
  /** Whether the server keeps the responses; off unless set. */
  readonly store?: boolean;
  readonly session?: SessionOptions | null;
  readonly timeouts?: Partial<TransportTimeouts>;
  readonly retries?: Partial<RetryLimits>;
  readonly fallback?: Partial<FallbackLimits>;
  readonly fetch?: typeof globalThis.fetch;
}
