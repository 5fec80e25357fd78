import type { Scope } from "@slipstream-stack/inference";
import type { ChainRecord, ReadRecord, ResponseRecord } from "../record/record.ts";
import type { CommitOutcome } from "../sql/commit-response.ts";
import type { DatabaseSettings } from "../sql/open-database.ts";
import type { ChainPart } from "../sql/read-chain.ts";
import type { ItemPage, Page } from "../store.ts";
import type { StoreFailure } from "./failure.ts";

interface ById {
  readonly scope: Scope;
  readonly id: string;
  /** Milliseconds since 1970: what has expired by then is not found. */
  readonly now: number;
}

/** What each call sends to the store's thread, and what comes back. */
export interface StoreCalls {
  open: { request: DatabaseSettings; result: null };
  commit: { request: { record: ResponseRecord; now: number }; result: CommitOutcome };
  response: { request: ById; result: ReadRecord | null };
  chain: { request: ById & { part: ChainPart }; result: ChainRecord };
  inputItems: { request: ById & { page: Page }; result: ItemPage | null };
  lap: { request: ById; result: string | null };
  remove: { request: ById; result: boolean };
  sweep: { request: { now: number; limit: number }; result: { removed: number; more: boolean } };
  close: { request: null; result: null };
}

export type StoreOperation = keyof StoreCalls;

/** One call on its way to the store's thread. */
export type StoreCallMessage = {
  [Operation in StoreOperation]: {
    readonly call: number;
    readonly operation: Operation;
    readonly request: StoreCalls[Operation]["request"];
  };
}[StoreOperation];

export type StoreReplyMessage =
  | { readonly call: number; readonly result: StoreCalls[StoreOperation]["result"] }
  | { readonly call: number; readonly failure: StoreFailure };
