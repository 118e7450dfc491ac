// Owns: reads of known nodes: one node, a view, a branch, children, paths, common ancestors.
// Must never: change anything but the pins of page tokens.

import { HoldfastError, say } from "../errors.ts";
import { checkFieldNames, checkArgument } from "../text/options.ts";
import { DEFAULT_LIMITS, type Limits } from "../limits.ts";
import { NO_SLOT, ROOT_SLOT } from "./_page.ts";
import type { Forest, Found } from "./forest.ts";
import {
  LIST_FIELDS,
  filterFor,
  listPage,
  pagingOf,
  pageQuery,
  type ListPage,
  type Properties,
} from "./list-page.ts";
import { branchPage, type BranchPage } from "./page.ts";
import { nodeName } from "./payload.ts";
import { fromOffset, projection, treeNode, viewNode, type NodeJson } from "./project.ts";
import { openSheet, type Paging, type TreeReading } from "./reading.ts";
import type { NodeRecords, Tree } from "./tree.ts";
import { isExpanded, viewOf, type PropertyFilter } from "./view.ts";
import { commonAncestor, pathTo } from "./walk.ts";

/**
 * One node: its own fields, how many children, no children. O(payload). Throws `not_found` / `node_not_found` or
 * `node_removed`.
 *
 * @example getNode({ forest }, { nodeId: "n1" }).Payload
 */
export function getNode(reading: TreeReading, input: { readonly nodeId: string } & Properties): NodeJson {
  checkArgument(say`getNode: the reading`, reading, "object");
  checkFieldNames(say`getNode`, input, { nodeId: true, includedProperties: true, excludedProperties: true });
  const { tree, slot } = reading.forest.node(input.nodeId);
  const json = treeNode(tree, slot, projection(filterFor(reading, input, "node")));
  json["ChildrenCount"] = tree.countOf(slot);
  json["Children"] = [];
  if (tree.countOf(slot) === 0) delete json["ChildrenCount"];
  return json;
}

/** A branch as the agent has expanded and filtered it. `depthLimit` 0 is the node alone. */
export interface GetView extends Properties, Paging {
  /** The node at the top. */
  readonly rootNodeId: string;
  /** Whether the node itself is shown, or only what is below it. */
  readonly includeViewRoot?: boolean;
  /** Whether nodes that the agent has neither opened nor closed are open. */
  readonly defaultExpanded?: boolean;
  /** Levels below the node; all when left out. */
  readonly depthLimit?: number;
}

/** A page of a view. */
export interface View extends BranchPage {
  /** The view, wrapped when asked for. */
  readonly json: NodeJson;
}

function depthOf(limit: number | undefined): number {
  if (limit === undefined) return Infinity;
  if (Number.isInteger(limit) && limit >= 0) return limit;
  throw new HoldfastError("invalid_argument", "bad_depth", say`depthLimit must be a whole number from 0.`);
}

/**
 * The branch at a node as the agent has expanded it. O(nodes of the page). Throws `not_found` for an unknown or removed
 * node, `bad_depth`, `bad_page_size`, and `bad_page_token` and `conflict` / `snapshot_expired` for a token of other
 * arguments, or of what is no longer held.
 *
 * @example getView({ forest, views }, { rootNodeId: "n0" })
 */
export function getView(reading: TreeReading, input: GetView): View {
  checkFieldNames(say`getView`, input, {
    rootNodeId: true,
    includeViewRoot: true,
    defaultExpanded: true,
    depthLimit: true,
    pageSize: true,
    pageToken: true,
    includedProperties: true,
    excludedProperties: true,
  });
  const sheet = openSheet(reading, input, pageQuery("view", input));
  const { forest, views } = sheet.pinned;
  const { tree, slot } = forest.node(input.rootNodeId);
  const filter = filterFor({ ...reading, views }, input, "view");
  const project = projection(filter);
  const view = viewOf(views, tree.id);
  const byDefault = input.defaultExpanded ?? view.defaultExpanded;
  const opens = (at: number): boolean => isExpanded(view, at, byDefault);
  const page = branchPage(
    {
      tree,
      slot,
      maxDepth: depthOf(input.depthLimit),
      opens,
      json: (at) => viewNode(tree, at, project, opens(at)),
      children: "when-any",
    },
    sheet,
  );
  return {
    ...page,
    json: input.includeViewRoot === true ? wrapView(tree, slot, filter, byDefault, page.root) : page.root,
  };
}

export function wrapView(
  tree: Tree,
  slot: number,
  filter: PropertyFilter,
  defaultExpanded: boolean,
  view: NodeJson,
): NodeJson {
  return {
    RootNodeId: tree.idOf(slot),
    IncludedProperties: filter.included,
    ExcludedProperties: filter.excluded,
    DefaultExpanded: defaultExpanded,
    View: view,
  };
}

/** A branch whatever is expanded. `depthLimit` 0 is the node alone; nodes beyond a page come with `pageToken`. */
export interface GetSubtree extends Properties, Paging {
  /** The node at the top. */
  readonly nodeId: string;
  /** Levels below the node; all when left out. */
  readonly depthLimit?: number;
  /** Shows every value as its text from this character on: `next` of a value that was cut. */
  readonly valueOffset?: number;
}

/**
 * The branch at a node, expanded or not. O(nodes of the page). Throws `not_found` for an unknown or removed node,
 * `bad_depth`, `bad_page_size`, and `bad_page_token` and `conflict` / `snapshot_expired` for a token of other
 * arguments, or of what is no longer held.
 *
 * @example getSubtree({ forest }, { nodeId: "n1", depthLimit: 2 })
 */
export function getSubtree(reading: TreeReading, input: GetSubtree): BranchPage {
  checkFieldNames(say`getSubtree`, input, {
    nodeId: true,
    depthLimit: true,
    valueOffset: true,
    pageSize: true,
    pageToken: true,
    includedProperties: true,
    excludedProperties: true,
  });
  const sheet = openSheet(reading, input, pageQuery("subtree", input));
  const { forest, views } = sheet.pinned;
  const { tree, slot } = forest.node(input.nodeId);
  const valueOffset = input.valueOffset ?? 0;
  const project = fromOffset(projection(filterFor({ ...reading, views }, input, "node")), valueOffset);
  return branchPage(
    {
      tree,
      slot,
      maxDepth: depthOf(input.depthLimit),
      opens: () => true,
      json: (at) => treeNode(tree, at, project),
      children: "always",
      valueOffset,
    },
    sheet,
  );
}

/**
 * The children of a node, in order. O(nodes of the page). Throws `not_found` for an unknown or removed node,
 * `bad_page_size`, and `bad_page_token` and `conflict` / `snapshot_expired` for a token of other arguments, or of what
 * is no longer held.
 *
 * @example listChildren({ forest }, { nodeId: "n0", limit: 20 }).items
 */
export function listChildren(
  reading: TreeReading,
  input: { readonly nodeId: string; readonly limit?: number; readonly pageToken?: string } & Properties,
): ListPage {
  checkFieldNames(say`listChildren`, input, {
    nodeId: true,
    ...LIST_FIELDS,
  });
  const paging = pagingOf(input);
  const sheet = openSheet(reading, paging, pageQuery("children", input));
  const { forest, views } = sheet.pinned;
  const { tree, slot } = forest.node(input.nodeId);
  const project = projection(filterFor({ ...reading, views }, input, "node"));
  let at = sheet.at < 0 ? tree.firstOf(slot) : tree.nextOf(sheet.at);
  return listPage(
    sheet,
    tree.countOf(slot),
    [],
    () => {
      if (at === NO_SLOT) return undefined;
      const here = at;
      at = tree.nextOf(at);
      const json = treeNode(tree, here, project);
      if (tree.countOf(here) > 0) json["ChildrenCount"] = tree.countOf(here);
      json["Children"] = [];
      return { found: { tree, slot: here }, json, at: here };
    },
    (last) => sheet.token(last),
  );
}

/** A node on the way from the root. */
export interface PathNode {
  /** The node. */
  readonly nodeId: string;
  /** Its name, where it has one. */
  readonly name?: string;
  /** Levels below the root. */
  readonly depth: number;
}

/**
 * Root to node. O(depth). Throws `not_found` / `node_not_found` or `node_removed`.
 *
 * @example getPath(forest, { nodeId: "n3" })  // the root first
 */
export function getPath(forest: Forest, input: { readonly nodeId: string }): PathNode[] {
  checkFieldNames(say`getPath`, input, { nodeId: true });
  const { tree, slot } = forest.node(input.nodeId);
  return pathTo(tree, slot).map((at, depth) => {
    const name = nodeName(tree.payloadOf(at));
    return { nodeId: tree.idOf(at), ...(name === undefined ? {} : { name }), depth };
  });
}

/** Characters of a name in a path, and about how many a path has in all. */
const NAME_LENGTH = 80;
const PATH_LENGTH = 400;

/**
 * Names from the root, joined by /; an id replaces a missing name. A / inside a name is written \/. Longer names end
 * with ..., and of a longer path the middle is left out as ...: {@link getPath} has all of it. O(depth). Never throws.
 *
 * @example pathText(tree, 4)  // "move house/boxes"
 */
export function pathText(nodes: NodeRecords, slot: number): string {
  let text = "";
  for (let at = slot; at !== NO_SLOT; at = nodes.parentOf(at)) {
    const name = nodeName(nodes.payloadOf(at)) ?? nodes.idOf(at);
    const short = name.length > NAME_LENGTH ? `${name.slice(0, NAME_LENGTH)}...` : name;
    const safe = short.includes("/") || short.includes("\\") ? short.replace(/[\\/]/g, "\\$&") : short;
    const up = nodes.parentOf(at);
    if (text.length > PATH_LENGTH && up !== NO_SLOT) {
      if (!text.startsWith(".../")) text = `.../${text}`;
    } else text = text === "" ? safe : `${safe}/${text}`;
  }
  return text;
}

/**
 * The nearest common ancestor: a node counts as its own; null when they are in different trees. O(ids x depth). Throws
 * `not_found` for an unknown or removed node, `batch_too_large` for none or too many.
 *
 * @example getCommonAncestor(forest, { nodeIds: ["n3", "n5"] }).nodeId  // "n1"
 */
export function getCommonAncestor(
  forest: Forest,
  input: { readonly nodeIds: readonly string[] },
  limits: Limits = DEFAULT_LIMITS,
): { nodeId: string | null } {
  checkFieldNames(say`getCommonAncestor`, input, { nodeIds: true });
  if (!Array.isArray(input.nodeIds) || input.nodeIds.length === 0 || input.nodeIds.length > limits.batchItems)
    throw new HoldfastError(
      "invalid_argument",
      "batch_too_large",
      say`nodeIds must hold 1 to ${limits.batchItems} ids.`,
      { data: { limit: limits.batchItems } },
    );
  const found = input.nodeIds.map((id) => forest.node(id));
  const tree = (found[0] as Found).tree;
  if (found.some((node) => node.tree !== tree)) return { nodeId: null };
  return {
    nodeId: tree.idOf(
      commonAncestor(
        tree,
        found.map((node) => node.slot),
      ),
    ),
  };
}

/** A tree as lists show it. */
export interface TreeInfo {
  /** Its id. */
  readonly tree: string;
  /** Its name. */
  readonly name: string;
  /** Its root. */
  readonly rootNodeId: string;
  /** How many nodes it has. */
  readonly nodes: number;
  /** The payload types in it. */
  readonly types: readonly string[];
}

/**
 * All trees. O(trees). Never throws.
 *
 * @example listTrees(forest).map(({ name }) => name)
 */
export function listTrees(forest: Forest): TreeInfo[] {
  return forest.trees.map((tree) => ({
    tree: tree.id,
    name: tree.facts.name,
    rootNodeId: tree.idOf(ROOT_SLOT),
    nodes: tree.live,
    types: tree.facts.types === undefined ? tree.typeNames : Object.keys(tree.facts.types),
  }));
}
