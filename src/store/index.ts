// Declares the public surface of the store.

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
