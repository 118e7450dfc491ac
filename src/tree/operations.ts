// The public surface of holdfast/tree/operations: forests, operations, views, queries, rules and exchange, for those who
// build on trees. Plain trees are holdfast/tree.

export { Forest, EMPTY_FOREST, type Found } from "./forest.ts";
export { Tree, NodeRecords, type TreeFacts } from "./tree.ts";
export { nodeIdOf, parseNodeId, treeIdOf } from "./node-id.ts";
export { runNow, type Steps } from "./steps.ts";
export {
  BranchWalk,
  childrenOf,
  commonAncestor,
  isWithin,
  measureSteps,
  pathTo,
  type Measure,
} from "./walk.ts";
export { GUARDED_NAMES, isGuarded, nodeName } from "./payload.ts";
export {
  VALUE_KINDS,
  takePayloadTypes,
  type ValueKind,
  type PayloadType,
  type PayloadTypes,
  type PropertyRule,
} from "./payload-types.ts";

// Operations: what a journal keeps.
export {
  invert,
  keysOf,
  type CreateOp,
  type DropOp,
  type PropertyEdit,
  type InsertOp,
  type NodeRow,
  type OpBase,
  type OrderOp,
  type PayloadOp,
  type NodePlace,
  type PlaceOp,
  type Placing,
  type TreeRefusal,
  type SetOp,
  type TagOp,
  type TreeOp,
  type Typed,
} from "./tree-op.ts";
export { apply, applyAll, prepareSteps } from "./apply.ts";
export { refuse } from "./refuse.ts";
export { rebase } from "./rebase.ts";
export { between, betweenSteps, sameForest, type OpSteps } from "./between.ts";
export { decode, decodeSync } from "./decode.ts";
export { encode } from "./encode.ts";

// Changes.
export type { Caller, Changed } from "./_forest-edit.ts";
export {
  addChild,
  createTree,
  dropTree,
  moveAfter,
  moveBefore,
  moveNode,
  moveNodeSteps,
  removeNode,
  removeNodeSteps,
  sortChildren,
  sortChildrenSteps,
  type CreateTree,
  type Moved,
} from "./change-structure.ts";
export { cloneNode, copySubtree, copySubtreeSteps, type CopyMode } from "./change-copies.ts";
export {
  tagNode,
  updateNodes,
  updateNodesSteps,
  updatePayload,
  updatePayloadProperty,
  type BulkUpdate,
  type NodeOutcome,
  type Updated,
} from "./change-payload.ts";

// Views.
export {
  NO_FILTER,
  NO_VIEWS,
  collapseAll,
  collapseNode,
  expandAll,
  expandAllSteps,
  expandNode,
  isExpanded,
  setExpansionRecursive,
  setExpansionRecursiveSteps,
  setFilters,
  toggleNode,
  viewOf,
  type AgentViews,
  type Expansion,
  type FilterScope,
  type PropertyFilter,
  type TreeView,
  type ChangedViews,
} from "./view.ts";
export { bookmark, listBookmarks, removeBookmark, type Bookmark } from "./bookmarks.ts";
export { decodeViews, encodeViews } from "./view-codec.ts";
export { Hits, Pins, type PageCursor, type Pinned } from "./pins.ts";
export type { Paging, TreeReading } from "./reading.ts";
export type { BranchPage } from "./page.ts";
export { cutToFit, type CutValue, type NodeJson } from "./project.ts";
export { showId } from "./outline.ts";

// Queries.
export {
  getCommonAncestor,
  getNode,
  getPath,
  getSubtree,
  getView,
  listChildren,
  listTrees,
  pathText,
  type GetSubtree,
  type GetView,
  type PathNode,
  type TreeInfo,
  type View,
} from "./read.ts";
export type { ListPage, Properties } from "./list-page.ts";
export {
  queryByTag,
  queryByTagSteps,
  search,
  searchAdvanced,
  searchAdvancedSteps,
  searchSteps,
  selectNodes,
  selectNodesSteps,
  type QueryScope,
  type Search,
  type SearchAdvanced,
  type SelectNodes,
} from "./find.ts";
export {
  compileNodeFilter,
  type NodeFilter,
  type Predicate,
  type PredicateGroup,
  type PredicateOp,
  type NodeTest,
} from "./predicate.ts";
export {
  compileSelector,
  selectSteps,
  type CompiledSelector,
  type NestedSelector,
} from "./selector/select.ts";
export { parseSelector } from "./selector/parse.ts";
export type { AttributeOp, Combinator, Complex, Compound, Simple } from "./selector/ast.ts";

// Rules.
export {
  RULESET_SCHEMA,
  takeRuleset,
  type Rule,
  type RuleName,
  type RuleTarget,
  type Ruleset,
} from "./ruleset.ts";
export {
  lintPayload,
  validateTree,
  validateTreeSteps,
  type TreeValidation,
  type Violation,
} from "./validate.ts";

// Exchange.
export {
  exportSubtree,
  exportSubtreeSteps,
  exportView,
  exportViewSteps,
  outlineSteps,
  type Exported,
} from "./export.ts";
export { writeMarkdownSteps } from "./markdown.ts";
export {
  importJsonSteps,
  importListingSteps,
  importMarkdownSteps,
  importTreeSteps,
  type Created,
} from "./import.ts";
export {
  importView,
  importViewSteps,
  type ImportView,
  type ImportViewResult,
  type ImportedView,
  type RootLookup,
} from "./import-view.ts";
export type { Renamed } from "./_id-chooser.ts";
export { isSavedTree, type ListedFile, type SavedTree } from "./document.ts";
export {
  importMerge,
  importMergeSteps,
  type ImportMerge,
  type MatchBy,
  type MergeReport,
  type MergeStrategy,
} from "./merge.ts";

// Differences.
export {
  diff,
  diffForest,
  diffForestSteps,
  diffSteps,
  type DiffNode,
  type ForestDiff,
  type PayloadChange,
  type TreeDiff,
} from "./diff.ts";
export { diffSubtree, diffSubtreeSteps } from "./diff-branches.ts";
export { diffText } from "./diff-text.ts";

// Bounds, values and errors.
export { DEFAULT_LIMITS, type Limits } from "../limits.ts";
export type { Json, JsonObject } from "../value.ts";
export {
  HoldfastError,
  type ErrorCode,
  type ErrorDetails,
  type Reason,
  type Shown,
  type ShownData,
} from "../errors.ts";
