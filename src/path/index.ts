// Workspace paths: grammar, canonical form, order, globs. Pure: no file system is ever touched here.

// Paths: read, take apart, join, compare.
export {
  parsePath,
  displayPath,
  nameOf,
  parentOf,
  joinPath,
  relativePath,
  isUnder,
  comparePaths,
  depthOf,
  foldKey,
  pathFromSegments,
  ROOT,
  segmentsOf,
} from "./workspace-path.ts";
export type { ParseOptions, PathOptions, WorkspacePath } from "./workspace-path.ts";
export type { NameAlphabet } from "./_segment.ts";
export { foldText } from "./fold-text.ts";

// Globs.
export { compileGlob } from "./glob.ts";
export type { Glob, GlobOptions } from "./glob.ts";

// What every door has.
export {
  HoldfastError,
  type ErrorCode,
  type ErrorDetails,
  type Reason,
  type Shown,
  type ShownData,
} from "../errors.ts";
export type { Limits } from "../limits.ts";
export type { Json, JsonObject } from "../value.ts";
