// Owns: the public surface of the root entry. Named exports, nothing else; loads no Node built-in.

export {
  ERROR_CODES,
  echo,
  HoldfastError,
  say,
  sayAll,
  type ErrorCode,
  type ErrorDetails,
  type Reason,
  type Shown,
  type ShownData,
} from "./errors.ts";
export { DEFAULT_LIMITS, LIMITS, resolveLimits, type Limit, type Limits } from "./limits.ts";
export type { Json, JsonObject } from "./value.ts";
