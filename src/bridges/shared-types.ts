// Owns: the types that every bridge's signatures name.
// Must never: export a value.

export type {
  Advertised,
  BoundTool,
  CallDone,
  CallError,
  CallOptions,
  CallRefused,
  CallResult,
  ErrorCode,
  ErrorDetails,
  Json,
  JsonObject,
  Reason,
  ResultImage,
  Shown,
  ShownData,
  StandardSchema,
  ToolDefinition,
  ToolsOptions,
  Validated,
} from "../tools/index.ts";
