import type { Clock, Scope } from "@slipstream-stack/inference";
import type { JsonObject, LapRecord, ResponseObject } from "@slipstream-stack/protocol";
import type { ModelListing } from "../models/model-listing.ts";
import type { ConnectionObserver, IncomingCreate, Respond } from "../respond/incoming.ts";
import type { ItemPage, Page } from "../store/store.ts";
import type { Authenticator } from "./auth/keys.ts";
import type { OriginRules } from "./auth/origin-guard.ts";
import type { CreateOffload } from "./create/offload.ts";
import type { TransportLimits } from "./limits.ts";
import type { TransportMetrics } from "./metrics.ts";
import type { Logger } from "./request-log.ts";

/** What is kept of answered requests. An id of another scope is not found. */
export interface StoredResponses {
  retrieve(scope: Scope, id: string): Promise<ResponseObject | null>;
  /** Whether it was there. */
  remove(scope: Scope, id: string): Promise<boolean>;
  inputItems(scope: Scope, id: string, page: Page): Promise<ItemPage | null>;
}

/** Finds the lap record of a response. */
export interface LapFinder {
  find(scope: Scope, id: string): Promise<LapRecord | null> | LapRecord | null;
}

/** What the server does; the transports only carry it. All throw `WireError`. */
export interface Handlers {
  readonly respond: Respond;
  /** Counts the prompt tokens a create with this body would have. */
  readonly countInputTokens: (incoming: IncomingCreate) => Promise<number>;
  /** Answers `/responses/compact` with a `response.compaction` object. */
  readonly compact: (incoming: IncomingCreate) => Promise<JsonObject>;
  readonly stored: StoredResponses;
  readonly laps: LapFinder;
  readonly models: readonly ModelListing[];
  /** Whether a request would be served now. */
  readonly isReady: () => boolean;
  readonly connections: ConnectionObserver;
}

/** Makes an identifier with the given prefix, `req` for instance. */
export type NewId = (prefix: string) => string;

/** Everything both transports share. */
export interface Service {
  readonly handlers: Handlers;
  readonly authenticator: Authenticator;
  readonly originRules: OriginRules;
  readonly limits: TransportLimits;
  readonly offload: CreateOffload;
  /** Whether WebSocket mode is on; else upgrades are answered 426, on which clients go to HTTP silently. */
  readonly webSocket: boolean;
  /** Whether settings may be inherited by fingerprint; announced in a response header. */
  readonly settingsInheritance: boolean;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly logger: Logger;
  readonly metrics: TransportMetrics;
  /** Prometheus text of all metrics. */
  readonly exposition: () => Promise<{ readonly contentType: string; readonly text: string }>;
  /** Whether the server is closing: new requests are turned away. */
  readonly isDraining: () => boolean;
}

/** The header that announces settings by fingerprint. */
export const inheritanceHeader = "x-slipstream-settings-inheritance";
