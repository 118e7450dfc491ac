// Owns: the reads of an agent: nodes, views, branches, paths, searches. Thin tools call these.
// Must never: change anything but the pins of page tokens.

import { HoldfastError, say, type Shown, echo } from "../errors.ts";
import { DEFAULT_LIMITS, type Limits } from "../limits.ts";
import { branchRange, documentOrder } from "./_order.ts";
import { MASK, NONE, PAGE, ROOT } from "./_page.ts";
import { compareKeys, sortKey, stableOrder } from "./_sort.ts";
import { takeText } from "./_target.ts";
import type { Forest, Found } from "./forest.ts";
import { outlineLine } from "./outline.ts";
import { branchPage, type BranchPage } from "./page.ts";
import { nameOf } from "./payload.ts";
import { Hits } from "./pins.ts";
import { compileFilter, type Filter } from "./predicate.ts";
import {
  cutToFit,
  projection,
  treeNode,
  viewNode,
  type Cut,
  type NodeJson,
  type Project,
} from "./project.ts";
import { propertyReader } from "./property.ts";
import { openSheet, type Paging, type Reading, type Sheet } from "./reading.ts";
import { compileSelector, selectSteps } from "./selector/select.ts";
import { runSteps, STEP, type Steps } from "./steps.ts";
import type { Nodes, Tree } from "./tree.ts";
import { isExpanded, NO_VIEWS, takeFilter, viewOf, type PropertyFilter } from "./view.ts";
import { commonAncestor, inDocumentOrder, pathTo } from "./walk.ts";

export interface Properties {
  readonly includedProperties?: readonly string[];
  readonly excludedProperties?: readonly string[];
}

/** The call's own filter when it gives one, else the agent's. */
function filterFor(reading: Reading, input: Properties, scope: "view" | "node"): PropertyFilter {
  if (input.includedProperties === undefined && input.excludedProperties === undefined)
    return (reading.views ?? NO_VIEWS).filters[scope];
  return takeFilter(input.includedProperties, input.excludedProperties, reading.limits);
}

/** One node: its own fields, how many children, no children. */
export function getNode(reading: Reading, input: { readonly nodeId: string } & Properties): NodeJson {
  const { tree, slot } = reading.forest.node(input.nodeId);
  const json = treeNode(tree, slot, projection(filterFor(reading, input, "node")));
  json["ChildrenCount"] = tree.countOf(slot);
  json["Children"] = [];
  if (tree.countOf(slot) === 0) delete json["ChildrenCount"];
  return json;
}

export interface GetView extends Properties, Paging {
  readonly rootNodeId: string;
  readonly includeViewRoot?: boolean;
  readonly defaultExpanded?: boolean;
  readonly depthLimit?: number;
}

export interface View extends BranchPage {
  /** The view, wrapped when asked for. */
  readonly json: NodeJson;
}

function depthOf(limit: number | undefined): number {
  if (limit === undefined) return Infinity;
  if (Number.isInteger(limit) && limit >= 0) return limit;
  throw new HoldfastError("invalid_argument", "bad_depth", say`depthLimit must be a whole number from 0.`);
}

/** The branch at a node as the agent has expanded it. */
export function getView(reading: Reading, input: GetView): View {
  const { pageToken, ...query } = input;
  const sheet = openSheet(reading, input, JSON.stringify(["view", query]));
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

export interface GetSubtree extends Properties, Paging {
  readonly nodeId: string;
  readonly depthLimit?: number;
}

/** The branch at a node, expanded or not. */
export function getSubtree(reading: Reading, input: GetSubtree): BranchPage {
  const { pageToken, ...query } = input;
  const sheet = openSheet(reading, input, JSON.stringify(["subtree", query]));
  const { forest, views } = sheet.pinned;
  const { tree, slot } = forest.node(input.nodeId);
  const project = projection(filterFor({ ...reading, views }, input, "node"));
  return branchPage(
    {
      tree,
      slot,
      maxDepth: depthOf(input.depthLimit),
      opens: () => true,
      json: (at) => treeNode(tree, at, project),
      children: "always",
    },
    sheet,
  );
}

export interface ListPage {
  readonly items: readonly NodeJson[];
  /** How many there are on all pages. */
  readonly total: number;
  readonly pageToken?: string;
  readonly notes: readonly Shown[];
  readonly warnings: readonly Shown[];
  readonly cut: readonly Cut[];
  readonly outline: string;
}

/** Takes items from `next` until the page or the budget is full. `next` answers undefined at the end. */
function listPage(
  sheet: Sheet,
  total: number,
  warnings: readonly Shown[],
  next: () => { found: Found; json: NodeJson; at: number } | undefined,
  token: (at: number) => string | undefined,
): ListPage {
  const items: NodeJson[] = [];
  const lines: string[] = [];
  const cut: Cut[] = [];
  let spent = 0;
  let last = sheet.at;
  let more = false;
  for (let item = next(); item !== undefined; item = next()) {
    let { json } = item;
    const size = JSON.stringify(json).length + 2;
    if (items.length >= sheet.size || (spent + size > sheet.budget && items.length > 0)) {
      more = true;
      break;
    }
    if (spent + size > sheet.budget) {
      const fitted = cutToFit(json, item.found.tree.idOf(item.found.slot), sheet.budget);
      json = fitted.json;
      cut.push(...fitted.cut);
    }
    spent += size;
    items.push(json);
    lines.push(outlineLine(json, 0, 0) + (typeof json["Path"] === "string" ? `  in ${json["Path"]}` : ""));
    last = item.at;
  }
  const pageToken = more ? token(last) : undefined;
  return {
    items,
    total,
    ...(pageToken === undefined ? {} : { pageToken }),
    notes: sheet.notes,
    warnings,
    cut,
    outline: lines.join("\n"),
  };
}

/** The children of a node, in order. */
export function listChildren(
  reading: Reading,
  input: { readonly nodeId: string; readonly limit?: number; readonly pageToken?: string } & Properties,
): ListPage {
  const { pageToken, ...query } = input;
  const paging = pagingOf(input);
  const sheet = openSheet(reading, paging, JSON.stringify(["children", query]));
  const { forest, views } = sheet.pinned;
  const { tree, slot } = forest.node(input.nodeId);
  const project = projection(filterFor({ ...reading, views }, input, "node"));
  let at = sheet.at < 0 ? tree.firstOf(slot) : tree.nextOf(sheet.at);
  return listPage(
    sheet,
    tree.countOf(slot),
    [],
    () => {
      if (at === NONE) return undefined;
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

function pagingOf(input: { readonly limit?: number; readonly pageToken?: string }): Paging {
  return {
    ...(input.limit === undefined ? {} : { pageSize: input.limit }),
    ...(input.pageToken === undefined ? {} : { pageToken: input.pageToken }),
  };
}

export interface PathStep {
  readonly nodeId: string;
  readonly name?: string;
  readonly depth: number;
}

/** Root to node. */
export function getPath(forest: Forest, input: { readonly nodeId: string }): PathStep[] {
  const { tree, slot } = forest.node(input.nodeId);
  return pathTo(tree, slot).map((at, depth) => {
    const name = nameOf(tree.payloadOf(at));
    return { nodeId: tree.idOf(at), ...(name === undefined ? {} : { name }), depth };
  });
}

/** Names from the root, joined by /; an id stands in for a missing name. A / inside a name is written \/. */
export function pathText(nodes: Nodes, slot: number): string {
  let text = "";
  for (let at = slot; at !== NONE; at = nodes.parentOf(at)) {
    const name = nameOf(nodes.payloadOf(at)) ?? nodes.idOf(at);
    const safe = /[\\/]/.test(name) ? name.replace(/[\\/]/g, "\\$&") : name;
    text = text === "" ? safe : `${safe}/${text}`;
  }
  return text;
}

/** The nearest common ancestor: a node counts as its own; null when they are in different trees. */
export function getCommonAncestor(
  forest: Forest,
  input: { readonly nodeIds: readonly string[] },
  limits: Limits = DEFAULT_LIMITS,
): { nodeId: string | null } {
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

interface Scoped {
  readonly rootNodeId?: string;
  readonly tree?: string;
}

function rootsOf(forest: Forest, input: Scoped): readonly Found[] {
  if (input.rootNodeId !== undefined) return [forest.node(input.rootNodeId)];
  return forest.scope(input.tree).map((tree) => ({ tree, slot: ROOT }));
}

/** Runs a query once, pins its hits, and answers one page of them. */
function* hitPage(
  reading: Reading,
  input: Properties & { readonly limit?: number; readonly pageToken?: string },
  query: string,
  run: (forest: Forest) => Steps<{ hits: Hits; warnings: readonly Shown[] }>,
): Steps<ListPage> {
  const sheet = openSheet(reading, pagingOf(input), query);
  const { forest, views } = sheet.pinned;
  const known = sheet.pinned.hits;
  const { hits, warnings } = known === undefined ? yield* run(forest) : { hits: known, warnings: [] };
  const project: Project = projection(filterFor({ ...reading, views }, input, "node"));
  let at = sheet.at + 1;
  return listPage(
    sheet,
    hits.length,
    warnings,
    () => {
      if (at >= hits.length) return undefined;
      const found = hits.at(at);
      const json: NodeJson = treeNode(found.tree, found.slot, project);
      json["Path"] = pathText(found.tree, found.slot);
      return { found, json, at: at++ };
    },
    (last) => sheet.token(last, { forest, views, hits }),
  );
}

export interface Search extends Scoped, Properties {
  readonly filters: Filter;
  readonly limit?: number;
  readonly pageToken?: string;
}

/** Nodes that meet every filter, in document order, the node given included. */
export function* searchSteps(reading: Reading, input: Search): Steps<ListPage> {
  const { pageToken, ...query } = input;
  const test = compileFilter(input.filters, reading.limits);
  return yield* hitPage(reading, input, JSON.stringify(["search", query]), function* (forest) {
    const hits = new Hits();
    let seen = 0;
    for (const { tree, slot } of rootsOf(forest, input)) {
      const slots: number[] = [];
      const order = yield* documentOrder(tree);
      const [from, to] = branchRange(order, slot);
      for (let i = from; i < to; i++) {
        const at = order.slots[i] as number;
        if (test(tree, at)) slots.push(at);
        if (++seen % STEP === 0) yield;
      }
      hits.add(tree, Int32Array.from(slots));
    }
    return { hits, warnings: [] };
  });
}

export function search(reading: Reading, input: Search): ListPage {
  return runSteps(searchSteps(reading, input));
}

export interface SearchAdvanced extends Properties {
  readonly rootId?: string;
  readonly tree?: string;
  readonly predicates: Filter;
  readonly sortBy?: string;
  readonly sortDirection?: "asc" | "desc";
  readonly limit?: number;
  readonly pageToken?: string;
}

/** As search, with groups, ranges and an order. */
export function* searchAdvancedSteps(reading: Reading, input: SearchAdvanced): Steps<ListPage> {
  const { pageToken, ...query } = input;
  const limits = reading.limits ?? DEFAULT_LIMITS;
  const test = compileFilter(input.predicates, limits);
  const by =
    input.sortBy === undefined
      ? undefined
      : propertyReader(takeText(input.sortBy, say`sortBy`, limits.treeIdLength));
  if (input.sortDirection !== undefined && input.sortDirection !== "asc" && input.sortDirection !== "desc")
    throw new HoldfastError("invalid_argument", "bad_direction", say`sortDirection must be "asc" or "desc".`);
  const sign = input.sortDirection === "desc" ? -1 : 1;
  const scope: Scoped = {
    ...(input.rootId === undefined ? {} : { rootNodeId: input.rootId }),
    ...(input.tree === undefined ? {} : { tree: input.tree }),
  };
  return yield* hitPage(reading, input, JSON.stringify(["advanced", query]), function* (forest) {
    const found: Found[] = [];
    let seen = 0;
    for (const { tree, slot } of rootsOf(forest, scope)) {
      const order = yield* documentOrder(tree);
      const [from, to] = branchRange(order, slot);
      for (let i = from; i < to; i++) {
        const at = order.slots[i] as number;
        if (test(tree, at)) found.push({ tree, slot: at });
        if (++seen % STEP === 0) yield;
      }
    }
    if (by === undefined) return { hits: hitsOf(found), warnings: [] };
    const keys = found.map(({ tree, slot }) => sortKey(by(tree, slot)));
    yield;
    const order = yield* stableOrder(found.length, (a, b) => compareKeys(keys[a], keys[b], sign));
    return { hits: hitsOf(Array.from(order, (at) => found[at] as Found)), warnings: [] };
  });
}

export function searchAdvanced(reading: Reading, input: SearchAdvanced): ListPage {
  return runSteps(searchAdvancedSteps(reading, input));
}

/** Neighbours of one tree form one run. */
function hitsOf(found: readonly Found[]): Hits {
  const hits = new Hits();
  for (let at = 0; at < found.length;) {
    const { tree } = found[at] as Found;
    let end = at;
    while (end < found.length && found[end]?.tree === tree) end++;
    hits.add(
      tree,
      Int32Array.from(found.slice(at, end), (node) => node.slot),
    );
    at = end;
  }
  return hits;
}

export interface SelectNodes extends Scoped, Properties {
  readonly queryDsl: string;
  readonly limit?: number;
  readonly pageToken?: string;
}

/** Nodes that a selector matches, in document order. */
export function* selectNodesSteps(reading: Reading, input: SelectNodes): Steps<ListPage> {
  const { pageToken, ...query } = input;
  const limits = reading.limits ?? DEFAULT_LIMITS;
  if (typeof input.queryDsl !== "string")
    throw new HoldfastError("invalid_argument", "bad_selector", say`queryDsl must be text.`);
  const selector = compileSelector(input.queryDsl, limits);
  return yield* hitPage(reading, input, JSON.stringify(["select", query]), function* (forest) {
    const hits = new Hits();
    const roots = rootsOf(forest, input);
    for (const { tree, slot } of roots)
      hits.add(tree, Int32Array.from(yield* selectSteps(tree, slot, selector)));
    const warnings = selector.types
      .filter((type) => !roots.some(({ tree }) => tree.typeNames.includes(type)))
      .map((type) => {
        const known = [...new Set(roots.flatMap(({ tree }) => tree.typeNames))].slice(0, 20);
        return say`No node has the type ${echo(type)}. Types: ${known.map((name) => echo(name)).join(", ") as Shown}.`;
      });
    return { hits, warnings };
  });
}

export function selectNodes(reading: Reading, input: SelectNodes): ListPage {
  return runSteps(selectNodesSteps(reading, input));
}

/** Live nodes with a tag, in document order. Looks only at pages that hold tags. */
export function* queryByTagSteps(
  reading: Reading,
  input: { readonly tag: string; readonly limit?: number; readonly pageToken?: string } & Scoped & Properties,
): Steps<ListPage> {
  const { pageToken, ...query } = input;
  const limits = reading.limits ?? DEFAULT_LIMITS;
  const tag = takeText(input.tag, say`tag`, limits.treeTagLength);
  return yield* hitPage(reading, input, JSON.stringify(["tag", query]), function* (forest) {
    const hits = new Hits();
    for (const { tree, slot } of rootsOf(forest, input)) {
      const tagged = new Set<number>();
      for (let base = 0; base < tree.size; base += PAGE) {
        const tags = tree.page(base)?.tags;
        if (tags !== undefined)
          for (let i = 0; i < PAGE; i++)
            if (tags[i & MASK]?.includes(tag) === true && isUnder(tree, base + i, slot)) tagged.add(base + i);
        if (base % (STEP * PAGE) === 0) yield;
      }
      hits.add(tree, yield* inDocumentOrder(tree, slot, tagged));
    }
    return { hits, warnings: [] };
  });
}

function isUnder(tree: Tree, slot: number, root: number): boolean {
  let at = slot;
  for (;;) {
    if (at === root) return true;
    const up = tree.parentOf(at);
    if (up === NONE) return false;
    at = up;
  }
}

export function queryByTag(
  reading: Reading,
  input: { readonly tag: string; readonly limit?: number; readonly pageToken?: string } & Scoped & Properties,
): ListPage {
  return runSteps(queryByTagSteps(reading, input));
}

export interface TreeInfo {
  readonly tree: string;
  readonly name: string;
  readonly rootNodeId: string;
  readonly nodes: number;
  readonly types: readonly string[];
}

/** All trees. */
export function listTrees(forest: Forest): TreeInfo[] {
  return forest.trees.map((tree) => ({
    tree: tree.id,
    name: tree.facts.name,
    rootNodeId: tree.idOf(ROOT),
    nodes: tree.live,
    types: tree.facts.types === undefined ? tree.typeNames : Object.keys(tree.facts.types),
  }));
}
