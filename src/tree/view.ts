// Owns: what one agent sees of the trees: expansion, filters, bookmarks. A value; every change makes the next one.
// Must never: touch a tree. View state has no history and no undo.

import { HoldfastError, say } from "../errors.ts";
import { DEFAULT_LIMITS, type Limits } from "../limits.ts";
import { checkFieldNames } from "../text/options.ts";
import { takeTexts } from "./_target.ts";
import type { Forest, Found } from "./forest.ts";
import { runNow, STEP, type Steps } from "./steps.ts";
import type { Tree } from "./tree.ts";
import { BranchWalk } from "./walk.ts";

/** Properties to show. Empty `included`: all; `excluded` wins. */
export interface PropertyFilter {
  /** Properties to show; all when empty. */
  readonly included: readonly string[];
  /** Properties to hide. */
  readonly excluded: readonly string[];
}

/** All properties. */
export const NO_FILTER: PropertyFilter = Object.freeze({
  included: Object.freeze([]),
  excluded: Object.freeze([]),
});

/**
 * Expansion in one tree. Bit s of `known` says that slot s was set, bit s of `open` to what; any other node has the
 * default, also one that is made later.
 */
export interface TreeView {
  /** Whether nodes that are not known are open. */
  readonly defaultExpanded: boolean;
  /** Bits: nodes that the agent has opened or closed. */
  readonly known: Uint32Array;
  /** Bits: of the known ones, those that are open. */
  readonly open: Uint32Array;
}

/** Which reads a filter is for: views, single nodes and lists, or both. */
export type FilterScope = "view" | "node" | "all";

/**
 * What one agent sees of all trees: its expansion, filters and bookmarks. Immutable; {@link encodeViews} makes it bytes.
 */
export interface AgentViews {
  /** What is open and closed, tree by tree. */
  readonly trees: ReadonlyMap<string, TreeView>;
  /** Which properties the agent wants to see, everywhere and node by node. */
  readonly filters: { readonly view: PropertyFilter; readonly node: PropertyFilter };
  /** Label -> node id. */
  readonly bookmarks: ReadonlyMap<string, string>;
}

/** An agent that has set nothing yet. */
export const NO_VIEWS: AgentViews = {
  trees: new Map(),
  filters: { view: NO_FILTER, node: NO_FILTER },
  bookmarks: new Map(),
};

const FRESH: TreeView = { defaultExpanded: true, known: new Uint32Array(0), open: new Uint32Array(0) };

/**
 * An agent's view of one tree; the default view when it has set nothing. O(1). Never throws.
 *
 * @example viewOf(views, "t1").defaultExpanded
 */
export function viewOf(views: AgentViews, tree: string): TreeView {
  return views.trees.get(tree) ?? FRESH;
}

/**
 * Whether a view shows the children of a slot; a node never set has the view's default. O(1). Never throws.
 *
 * @example isExpanded(viewOf(views, "t1"), 0)  // true by default
 */
export function isExpanded(view: TreeView, slot: number, byDefault: boolean = view.defaultExpanded): boolean {
  const word = slot >>> 5;
  if (word >= view.known.length) return byDefault;
  const bit = slot & 31;
  return (((view.known[word] as number) >>> bit) & 1) === 0
    ? byDefault
    : (((view.open[word] as number) >>> bit) & 1) === 1;
}

/** A copy that can be written, wide enough for every slot of the tree. */
class ViewDraft {
  readonly known: Uint32Array;
  readonly open: Uint32Array;
  defaultExpanded: boolean;

  constructor(view: TreeView, size: number) {
    const words = Math.max(view.known.length, (size + 31) >>> 5);
    this.known = new Uint32Array(words);
    this.open = new Uint32Array(words);
    this.known.set(view.known);
    this.open.set(view.open);
    this.defaultExpanded = view.defaultExpanded;
  }

  set(slot: number, expanded: boolean): void {
    const word = slot >>> 5;
    const bit = 1 << (slot & 31);
    this.known[word] = (this.known[word] as number) | bit;
    this.open[word] = expanded ? (this.open[word] as number) | bit : (this.open[word] as number) & ~bit;
  }

  done(): TreeView {
    return { defaultExpanded: this.defaultExpanded, known: this.known, open: this.open };
  }
}

function withView(views: AgentViews, tree: Tree, view: TreeView): AgentViews {
  return { ...views, trees: new Map(views.trees).set(tree.id, view) };
}

/** Views after a change, and what to tell the caller. The views given stay as they were. */
export interface ChangedViews<R> {
  /** The agent's views after the change. */
  readonly views: AgentViews;
  /** What to tell the caller. */
  readonly result: R;
}

/** Views after expanding or collapsing: the node, its state, and how many nodes were set. */
export type Expansion = ChangedViews<{ nodeId: string; isExpanded: boolean; nodes: number }>;

function* expandTo(
  views: AgentViews,
  { tree, slot }: Found,
  expanded: boolean,
  maxDepth: number,
): Steps<Expansion> {
  const draft = new ViewDraft(viewOf(views, tree.id), tree.size);
  let nodes = 0;
  for (const walk = new BranchWalk(tree, slot, maxDepth); walk.next();) {
    draft.set(walk.slot, expanded);
    if (++nodes % STEP === 0) yield;
  }
  const result = { nodeId: tree.idOf(slot), isExpanded: expanded, nodes };
  return { views: withView(views, tree, draft.done()), result };
}

/**
 * Expands one node of the agent's view. O(1). Throws `not_found` for an unknown node.
 *
 * @example expandNode(views, forest, { nodeId: "n1" }).views
 */
export function expandNode(views: AgentViews, forest: Forest, input: { readonly nodeId: string }): Expansion {
  checkFieldNames(say`expandNode`, input, { nodeId: true });
  return runNow(expandTo(views, forest.node(input.nodeId), true, 0));
}

/**
 * Collapses one node of the agent's view. O(1). Throws `not_found` for an unknown node.
 *
 * @example collapseNode(views, forest, { nodeId: "n1" }).views
 */
export function collapseNode(
  views: AgentViews,
  forest: Forest,
  input: { readonly nodeId: string },
): Expansion {
  checkFieldNames(say`collapseNode`, input, { nodeId: true });
  return runNow(expandTo(views, forest.node(input.nodeId), false, 0));
}

/**
 * Expands a collapsed node and collapses an expanded one. O(1). Throws `not_found` for an unknown node.
 *
 * @example toggleNode(views, forest, { nodeId: "n1" }).result.isExpanded
 */
export function toggleNode(views: AgentViews, forest: Forest, input: { readonly nodeId: string }): Expansion {
  checkFieldNames(say`toggleNode`, input, { nodeId: true });
  const found = forest.node(input.nodeId);
  const now = isExpanded(viewOf(views, found.tree.id), found.slot);
  return runNow(expandTo(views, found, !now, 0));
}

/**
 * The node given and everything below it. O(branch). Throws `not_found` for an unknown node.
 *
 * @example await runPaced(expandAllSteps(views, forest, { rootNodeId: "n0" }, true))
 */
export function expandAllSteps(
  views: AgentViews,
  forest: Forest,
  input: { readonly rootNodeId: string },
  expanded: boolean,
): Steps<Expansion> {
  checkFieldNames(expanded ? say`expandAll` : say`collapseAll`, input, { rootNodeId: true });
  return expandTo(views, forest.node(input.rootNodeId), expanded, Infinity);
}

/**
 * Expands the node given and everything below it. O(branch). Throws `not_found` for an unknown node.
 *
 * @example expandAll(views, forest, { rootNodeId: "n0" }).views
 */
export function expandAll(
  views: AgentViews,
  forest: Forest,
  input: { readonly rootNodeId: string },
): Expansion {
  return runNow(expandAllSteps(views, forest, input, true));
}

/**
 * Collapses the node given and everything below it. O(branch). Throws `not_found` for an unknown node.
 *
 * @example collapseAll(views, forest, { rootNodeId: "n0" }).result.nodes
 */
export function collapseAll(
  views: AgentViews,
  forest: Forest,
  input: { readonly rootNodeId: string },
): Expansion {
  return runNow(expandAllSteps(views, forest, input, false));
}

/**
 * `maxDepth` 1: the node only; 2: its children too; without: all. Deeper nodes keep their state. O(branch). Throws
 * `not_found` for an unknown node, `bad_depth`.
 *
 * @example await runPaced(setExpansionRecursiveSteps(views, forest, { nodeId: "n0", expanded: true }))
 */
export function setExpansionRecursiveSteps(
  views: AgentViews,
  forest: Forest,
  input: { readonly nodeId: string; readonly expanded: boolean; readonly maxDepth?: number },
): Steps<Expansion> {
  checkFieldNames(say`setExpansionRecursive`, input, { nodeId: true, expanded: true, maxDepth: true });
  const { maxDepth } = input;
  if (maxDepth !== undefined && (!Number.isInteger(maxDepth) || maxDepth < 1))
    throw new HoldfastError("invalid_argument", "bad_depth", say`maxDepth must be a whole number from 1.`);
  return expandTo(
    views,
    forest.node(input.nodeId),
    input.expanded,
    maxDepth === undefined ? Infinity : maxDepth - 1,
  );
}

/**
 * As {@link setExpansionRecursiveSteps}, at once. Throws what it throws.
 *
 * @example setExpansionRecursive(views, forest, { nodeId: "n0", expanded: true, maxDepth: 2 }).views
 */
export function setExpansionRecursive(
  views: AgentViews,
  forest: Forest,
  input: { readonly nodeId: string; readonly expanded: boolean; readonly maxDepth?: number },
): Expansion {
  return runNow(setExpansionRecursiveSteps(views, forest, input));
}

/** Replaces expansion of listed nodes and the default, as an imported view has them. */
export function restoreExpansion(
  views: AgentViews,
  tree: Tree,
  defaultExpanded: boolean | undefined,
  states: Iterable<readonly [slot: number, expanded: boolean]>,
): AgentViews {
  const draft = new ViewDraft(viewOf(views, tree.id), tree.size);
  if (defaultExpanded !== undefined) draft.defaultExpanded = defaultExpanded;
  for (const [slot, expanded] of states) draft.set(slot, expanded);
  return withView(views, tree, draft.done());
}

/** Paths from outside. */
export function takeFilter(
  included: unknown,
  excluded: unknown,
  limits: Limits = DEFAULT_LIMITS,
): PropertyFilter {
  const take = (paths: unknown, what: ReturnType<typeof say>): string[] =>
    takeTexts(paths, what, limits.treeIdLength, limits.batchItems);
  return {
    included: take(included, say`includedProperties`),
    excluded: take(excluded, say`excludedProperties`),
  };
}

/**
 * Filters for the agent's later reads. Empty lists lift them. O(paths). Throws `bad_scope`, `bad_list` and `bad_text`
 * for what is no list of paths.
 *
 * @example setFilters(views, { included: ["name", "prio"] }).views
 */
export function setFilters(
  views: AgentViews,
  input: { readonly scope?: FilterScope; readonly included?: unknown; readonly excluded?: unknown },
  limits: Limits = DEFAULT_LIMITS,
): ChangedViews<{ scope: FilterScope } & PropertyFilter> {
  checkFieldNames(say`setFilters`, input, { scope: true, included: true, excluded: true });
  const scope = input.scope ?? "all";
  if (scope !== "view" && scope !== "node" && scope !== "all")
    throw new HoldfastError("invalid_argument", "bad_scope", say`scope must be "view", "node" or "all".`);
  const filter = takeFilter(input.included, input.excluded, limits);
  const filters = {
    view: scope === "node" ? views.filters.view : filter,
    node: scope === "view" ? views.filters.node : filter,
  };
  return { views: { ...views, filters }, result: { scope, ...filter } };
}
