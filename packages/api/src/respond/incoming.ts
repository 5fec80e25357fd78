import type { Scope } from "@slipstream-stack/inference";
import type { CreateRequest, EventBody, LapRecord, ResponseObject } from "@slipstream-stack/protocol";

/** A WebSocket connection as chains see it: what `store:false` ids live in. `null` stands for HTTP. */
export interface ConnectionRef {
  readonly id: string;
  /** The lane of this request; the default lane is the empty string. */
  readonly lane: string;
}

/** A validated create request with what its transport knows about it. */
export interface IncomingCreate {
  /**
   * `input` is always a list of items here. With `inherit` set, settings may be missing; a missing `model` is
   * the empty string then. Members of settings that came byte-equal before are the same objects as before.
   */
  readonly request: CreateRequest;
  /** Canonical hash of the settings' raw bytes, so that unchanged settings are recognised without parsing. */
  readonly settingsKey: string;
  readonly scope: Scope;
  readonly connection: ConnectionRef | null;
  readonly transport: LapRecord["transport"];
  readonly bytesIn: number;
  /** Payload bytes of this response's events sent so far. */
  readonly bytesOut: () => number;
  /** Milliseconds of parsing and validation already spent. */
  readonly parseMs: number;
  /** Settings fingerprint the client sent back to inherit omitted settings, or null. */
  readonly inherit: string | null;
  readonly headers: Readonly<Record<string, string>>;
  /** Aborts when the client has gone. */
  readonly signal: AbortSignal;
}

/**
 * Where events go. The promise resolves when the transport can take more; it never rejects (a client that
 * has gone aborts `signal`).
 */
export type Emit = (event: EventBody) => Promise<void>;

/**
 * Answers one create request. Before `response.created` a failure is thrown as a `WireError`; after it the
 * stream ends with `response.failed`. Resolves with the final response object in every other case.
 */
export type Respond = (incoming: IncomingCreate, emit: Emit) => Promise<ResponseObject>;

/** What the transports tell of their connections, so that state kept for them can go. */
export interface ConnectionObserver {
  /** A WebSocket connection has ended; everything that lived in it alone is unreachable now. */
  closed(connectionId: string): void;
  /** A request was refused before it reached `Respond` (it did not validate), and had named its parent. */
  refused(scope: Scope, connection: ConnectionRef, previousResponseId: string): void;
}
