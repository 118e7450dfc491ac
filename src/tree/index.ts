// The public surface of holdfast/tree: trees as values, on plain data. What they are made of is holdfast/tree/operations.

export {
  buildTree,
  buildTreeFromJson,
  buildTreeFromMarkdown,
  changeTree,
  childIds,
  diffTrees,
  exportTree,
  markdownOf,
  outlineOf,
  readNode,
  selectFrom,
  type BuildOptions,
  type ChangedTree,
  type PlainNode,
  type PlainTree,
  type ReadNode,
  type TreeChange,
} from "./plain.ts";
export type { PayloadType, PayloadTypes, PropertyRule, ValueKind } from "./payload-types.ts";
export { diffText } from "./diff-text.ts";
export type { DiffNode, PayloadChange, TreeDiff } from "./diff.ts";
export type { Json, JsonObject } from "../value.ts";
export {
  HoldfastError,
  type ErrorCode,
  type ErrorDetails,
  type Reason,
  type Shown,
  type ShownData,
} from "../errors.ts";
