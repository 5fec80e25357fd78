export { createMemoryStore, type MemoryStoreOptions } from "./store/memory-store.ts";
export { createSqliteStore, type SqliteStoreOptions } from "./store/sqlite-store.ts";
export type {
  CommitResult,
  ItemPage,
  Page,
  ResponseWrite,
  SampledOutput,
  Store,
  StoredMark,
  StoredNode,
  StoredResponse,
} from "./store/store.ts";
