// Declares the public surface of Holdfast. Rooms have doors of their own: holdfast/json, holdfast/patch, ...

export { ERROR_CODES, HoldfastError, echo, say, sayAll } from "./errors.ts";
export type { ErrorCode, ErrorDetails, Shown, ShownData } from "./errors.ts";
export { DEFAULT_LIMITS, LIMITS, resolveLimits } from "./limits.ts";
export type { Limit, Limits } from "./limits.ts";
export { memoryStore } from "./store/memory.ts";
export type { MemoryStoreOptions } from "./store/memory.ts";
export { sqliteStore } from "./store/sqlite/store.ts";
export type { SqliteStoreOptions } from "./store/sqlite/store.ts";
export { Agent, defineTool, openSession, Session } from "./tools/index.ts";
export type {
  BoundTool,
  CallError,
  CallOptions,
  CallResult,
  FileInfo,
  Identity,
  Role,
  SessionOptions,
  Tool,
  ToolDefinition,
  ToolEvent,
} from "./tools/index.ts";
export type { Json, JsonObject } from "./value.ts";
