// Declares the public surface of Holdfast: sessions, agents and tools, the stores, errors and limits. Rooms have doors of their
// own: holdfast/json, holdfast/patch, ...

export { ERROR_CODES } from "./errors.ts";
export { DEFAULT_LIMITS, LIMITS, resolveLimits } from "./limits.ts";
export type { Limit } from "./limits.ts";
export { memoryStore } from "./store/memory.ts";
export type { MemoryStoreOptions } from "./store/memory.ts";
export { sqliteStore } from "./store/sqlite/store.ts";
export type { SqliteStoreOptions } from "./store/sqlite/store.ts";
export * from "./tools/index.ts";
