// Owns: queries that look for nodes: search, search_advanced, select_nodes, query_by_tag.
// Must never: run twice for two pages. The hits of a query are pinned with its snapshot.

import { echo, HoldfastError, say, sayAll, type Shown } from "../errors.ts";
import { checkFieldNames } from "../text/options.ts";
import { DEFAULT_LIMITS } from "../limits.ts";
import { branchRange, documentOrder } from "./_order.ts";
import { NO_SLOT, PAGE, ROOT_SLOT } from "./_page.ts";
import { compareKeys, sortKey, stableOrder, type SortKey } from "./_sort.ts";
import { didYouMean, takeText } from "./_target.ts";
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
import { Hits } from "./pins.ts";
import { compileNodeFilter, type NodeFilter } from "./predicate.ts";
import { projection, treeNode, type NodeJson, type Project } from "./project.ts";
import { propertyReader } from "./property.ts";
import { pathText } from "./read.ts";
import { openSheet, type TreeReading } from "./reading.ts";
import { compileSelector, selectSteps } from "./selector/select.ts";
import { runNow, STEP, type Steps } from "./steps.ts";
import type { Tree } from "./tree.ts";
import { inDocumentOrder } from "./walk.ts";

/** Where a query looks: the branch at a node, one tree, or without either all trees. */
export interface QueryScope {
  /** Only this branch. */
  readonly rootNodeId?: string;
  /** Only this tree; all when left out. */
  readonly tree?: string;
}

function rootsOf(forest: Forest, input: QueryScope): readonly Found[] {
  if (input.rootNodeId !== undefined) return [forest.node(input.rootNodeId)];
  return forest.scope(input.tree).map((tree) => ({ tree, slot: ROOT_SLOT }));
}

/** Runs a query once, pins its hits, and returns one page of them. */
function* hitPage(
  reading: TreeReading,
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

/** Filters that must all hold, where to look, and the page. */
export interface Search extends QueryScope, Properties {
  /** What nodes must meet, all of it. */
  readonly filters: NodeFilter;
  /** Hits on a page; 50 when left out. */
  readonly limit?: number;
  /** From the page before. */
  readonly pageToken?: string;
}

/**
 * Nodes that meet every filter, in document order, the node given included. O(nodes looked at). Throws `bad_filter`
 * with every problem, `not_found` for an unknown node or tree, and `bad_page_token` and `conflict` / `snapshot_expired`
 * for a token of other arguments, or of what is no longer held.
 *
 * @example const { items } = await runPaced(searchSteps({ forest }, { filters: [{ path: "prio", op: "gt", value: 5 }] }));
 */
export function* searchSteps(reading: TreeReading, input: Search): Steps<ListPage> {
  checkFieldNames(say`search`, input, {
    filters: true,
    rootNodeId: true,
    tree: true,
    ...LIST_FIELDS,
  });
  const test = compileNodeFilter(input.filters, reading.limits);
  return yield* hitPage(reading, input, pageQuery("search", input), function* (forest) {
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

/**
 * As {@link searchSteps}, at once. Throws what it throws.
 *
 * @example search({ forest }, { filters: [{ path: "prio", op: "eq", value: 7 }] }).total
 */
export function search(reading: TreeReading, input: Search): ListPage {
  return runNow(searchSteps(reading, input));
}

/** Groups of conditions, where to look, the order (`sortBy`) and the page. */
export interface SearchAdvanced extends Properties {
  /** Only this branch. */
  readonly rootId?: string;
  /** Only this tree; all when left out. */
  readonly tree?: string;
  /** What nodes must meet. */
  readonly predicates: NodeFilter;
  /** The property to sort by; document order when left out. */
  readonly sortBy?: string;
  /** Ascending when left out. */
  readonly sortDirection?: "asc" | "desc";
  /** Hits on a page; 50 when left out. */
  readonly limit?: number;
  /** From the page before. */
  readonly pageToken?: string;
}

/**
 * As search, with groups, ranges and an order. O(nodes looked at), and with `sortBy` O(n log n) for n hits. Throws
 * `bad_direction`, and what {@link searchSteps} throws.
 *
 * @example const { items } = await runPaced(searchAdvancedSteps({ forest }, { predicates: [], sortBy: "prio" }));
 */
export function* searchAdvancedSteps(reading: TreeReading, input: SearchAdvanced): Steps<ListPage> {
  checkFieldNames(say`searchAdvanced`, input, {
    rootId: true,
    tree: true,
    predicates: true,
    sortBy: true,
    sortDirection: true,
    ...LIST_FIELDS,
  });
  const limits = reading.limits ?? DEFAULT_LIMITS;
  const test = compileNodeFilter(input.predicates, limits);
  const by =
    input.sortBy === undefined
      ? undefined
      : propertyReader(takeText(input.sortBy, say`sortBy`, limits.treeIdLength));
  if (input.sortDirection !== undefined && input.sortDirection !== "asc" && input.sortDirection !== "desc")
    throw new HoldfastError("invalid_argument", "bad_direction", say`sortDirection must be "asc" or "desc".`);
  const sign = input.sortDirection === "desc" ? -1 : 1;
  const scope: QueryScope = {
    ...(input.rootId === undefined ? {} : { rootNodeId: input.rootId }),
    ...(input.tree === undefined ? {} : { tree: input.tree }),
  };
  return yield* hitPage(reading, input, pageQuery("advanced", input), function* (forest) {
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
    if (by === undefined) return { hits: yield* hitsOf(found), warnings: [] };
    const keys: SortKey[] = [];
    for (const { tree, slot } of found) {
      keys.push(sortKey(by(tree, slot)));
      if (keys.length % STEP === 0) yield;
    }
    const order = yield* stableOrder(found.length, (a, b) => compareKeys(keys[a], keys[b], sign));
    return { hits: yield* hitsOf(found, order), warnings: [] };
  });
}

/**
 * As {@link searchAdvancedSteps}, at once. Throws what it throws.
 *
 * @example searchAdvanced({ forest }, { predicates: [{ path: "prio", op: "between", value: 3, value2: 5 }], sortBy: "prio" }).items
 */
export function searchAdvanced(reading: TreeReading, input: SearchAdvanced): ListPage {
  return runNow(searchAdvancedSteps(reading, input));
}

/** Found nodes as hits, in the order given. Neighbours of one tree form one run. */
function* hitsOf(found: readonly Found[], order?: Int32Array): Steps<Hits> {
  const hits = new Hits();
  let run: number[] = [];
  let of: Tree | undefined;
  for (let i = 0; i < found.length; i++) {
    const { tree, slot } = found[order?.[i] ?? i] as Found;
    if (of !== undefined && tree !== of) {
      hits.add(of, run);
      run = [];
    }
    of = tree;
    run.push(slot);
    if (i % STEP === STEP - 1) yield;
  }
  if (of !== undefined) hits.add(of, run);
  return hits;
}

/** A selector, where to look, and the page. */
export interface SelectNodes extends QueryScope, Properties {
  /** The selector. */
  readonly queryDsl: string;
  /** Hits on a page; 50 when left out. */
  readonly limit?: number;
  /** From the page before. */
  readonly pageToken?: string;
}

/**
 * Nodes that a selector matches, in document order. O(nodes x parts of the selector). Throws `bad_selector` with its
 * position, `selector_too_long`, `selector_too_complex`, `not_found` for an unknown node or tree, and `bad_page_token`
 * and `conflict` / `snapshot_expired` for a token of other arguments, or of what is no longer held.
 *
 * @example const { items } = await runPaced(selectNodesSteps({ forest }, { queryDsl: "Plan > Task" }));
 */
export function* selectNodesSteps(reading: TreeReading, input: SelectNodes): Steps<ListPage> {
  checkFieldNames(say`selectNodes`, input, {
    queryDsl: true,
    rootNodeId: true,
    tree: true,
    ...LIST_FIELDS,
  });
  const limits = reading.limits ?? DEFAULT_LIMITS;
  if (typeof input.queryDsl !== "string")
    throw new HoldfastError("invalid_argument", "bad_selector", say`queryDsl must be text.`);
  const selector = compileSelector(input.queryDsl, limits);
  return yield* hitPage(reading, input, pageQuery("select", input), function* (forest) {
    const hits = new Hits();
    const roots = rootsOf(forest, input);
    for (const { tree, slot } of roots) hits.add(tree, yield* selectSteps(tree, slot, selector));
    const warnings = selector.types
      .filter((type) => !roots.some(({ tree }) => tree.typeNames.includes(type)))
      .map((type) => {
        const known = [...new Set(roots.flatMap(({ tree }) => tree.typeNames))].slice(0, 20);
        return say`No node has the type ${echo(type)}.${didYouMean(type, known)} Types: ${sayAll(known.map((name) => echo(name)))}.`;
      });
    return { hits, warnings };
  });
}

/**
 * As {@link selectNodesSteps}, at once. Throws what it throws.
 *
 * @example selectNodes({ forest }, { queryDsl: 'Task[status="open"]' }).items
 */
export function selectNodes(reading: TreeReading, input: SelectNodes): ListPage {
  return runNow(selectNodesSteps(reading, input));
}

/**
 * Live nodes with a tag, in document order. Looks only at pages that hold tags. O(pages + hits). Throws `bad_text` for
 * a tag that is no text, `not_found` for an unknown node or tree, and `bad_page_token` and `conflict` /
 * `snapshot_expired` for a token of other arguments, or of what is no longer held.
 *
 * @example const { items } = await runPaced(queryByTagSteps({ forest }, { tag: "urgent" }));
 */
export function* queryByTagSteps(
  reading: TreeReading,
  input: { readonly tag: string; readonly limit?: number; readonly pageToken?: string } & QueryScope &
    Properties,
): Steps<ListPage> {
  checkFieldNames(say`queryByTag`, input, {
    tag: true,
    rootNodeId: true,
    tree: true,
    ...LIST_FIELDS,
  });
  const limits = reading.limits ?? DEFAULT_LIMITS;
  const tag = takeText(input.tag, say`tag`, limits.treeTagLength);
  return yield* hitPage(reading, input, pageQuery("tag", input), function* (forest) {
    const hits = new Hits();
    for (const { tree, slot } of rootsOf(forest, input)) {
      const tagged = new Set<number>();
      for (let base = 0; base < tree.size; base += PAGE) {
        const tags = tree.page(base)?.tags;
        if (tags !== undefined)
          for (let i = 0; i < PAGE; i++)
            if (tags[i]?.includes(tag) === true && isUnder(tree, base + i, slot)) tagged.add(base + i);
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
    if (up === NO_SLOT) return false;
    at = up;
  }
}

/**
 * As {@link queryByTagSteps}, at once. Throws what it throws.
 *
 * @example queryByTag({ forest }, { tag: "urgent" }).items
 */
export function queryByTag(
  reading: TreeReading,
  input: { readonly tag: string; readonly limit?: number; readonly pageToken?: string } & QueryScope &
    Properties,
): ListPage {
  return runNow(queryByTagSteps(reading, input));
}
