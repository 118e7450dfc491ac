// Who compiles against these types need not name node's, or the library of `await using`, in a configuration.
/// <reference types="node" preserve="true" />
/// <reference lib="esnext.disposable" preserve="true" />

// Declares the public surface of the store.

export {
  HoldfastError,
  type ErrorCode,
  type ErrorDetails,
  type Reason,
  type Shown,
  type ShownData,
} from "../errors.ts";
export type { ByteSource } from "../text/byte-source.ts";
export type { Json, JsonObject } from "../value.ts";
export type {
  Append,
  Appended,
  AuditEntry,
  AuditQuery,
  BlobId,
  Change,
  Content,
  Expectation,
  Extent,
  Journal,
  JournalRecord,
  Key,
  Lease,
  NextRecord,
  Position,
  RecordQuery,
  SessionInfo,
  Store,
  Verified,
} from "./journal.ts";
export { TURN } from "./journal.ts";
export { memoryStore, type MemoryStoreOptions } from "./memory.ts";
export { sqliteStore, type SqliteStoreOptions } from "./sqlite/store.ts";
export { parseToken, tokenOf } from "./token.ts";
