// Owns: trees built from documents, and views restored from them.
// Must never: take an id that somebody else has; it gets a fresh one and is listed.

import { echo, HoldfastError, say, type Reason } from "../errors.ts";
import { Edit, RowBatch, type Caller, type Changed } from "./_edit.ts";
import { NONE, ROOT } from "./_page.ts";
import type { Draft } from "./_draft.ts";
import { takeText } from "./_target.ts";
import {
  parseDocument,
  readJsonValue,
  readListing,
  readNodes,
  type DocumentNode,
  type ListedFile,
} from "./document.ts";
import type { Forest } from "./forest.ts";
import { nodeIdOf, parseNodeId, treeIdOf } from "./node-id.ts";
import { checkPayload, takePayloadTypes } from "./payload-types.ts";
import { isObject, nameOf } from "./payload.ts";
import { runSteps, type Steps } from "./steps.ts";
import type { Nodes, Tree } from "./tree.ts";
import { restoreExpansion, takeFilter, type AgentViews } from "./view.ts";
import { Walk } from "./walk.ts";

export interface Renamed {
  readonly from: string;
  readonly to: string;
}

/** Decides which slot and foreign id each imported node gets. */
export class IdChooser {
  readonly renamed: Renamed[] = [];
  readonly #forest: Forest;
  readonly #nodes: Nodes;
  readonly #taken = new Set<string>();
  readonly #reach: number;
  #fresh: number;

  /** `ids` are all ids of the document; slots named by them are not given out as fresh ones. */
  constructor(forest: Forest, nodes: Nodes, ids: readonly (string | undefined)[]) {
    this.#forest = forest;
    this.#nodes = nodes;
    // A hole costs memory, so an id of our form is taken only from near where slots are given out.
    this.#reach = nodes.size + ids.length * 4 + 1_024;
    this.#fresh = nodes.size;
    for (const id of ids) {
      const slot = this.#ownSlot(id);
      if (slot >= this.#fresh) this.#fresh = slot + 1;
    }
  }

  #ownSlot(id: string | undefined): number {
    const own = id === undefined ? undefined : parseNodeId(id);
    return own?.ordinal === this.#nodes.facts.ordinal && own.slot < this.#reach ? own.slot : NONE;
  }

  fresh(): number {
    while (this.#nodes.holds(this.#fresh)) this.#fresh++;
    return this.#fresh++;
  }

  /** `revive`: the slot holds the removed node of that id. */
  choose(id: string | undefined, maxLength: number): { slot: number; alias?: string; revive: boolean } {
    if (id === undefined) return { slot: this.fresh(), revive: false };
    const known = this.#nodes.slotOf(id);
    if (!this.#taken.has(id) && known !== NONE && !this.#nodes.isLive(known)) {
      this.#taken.add(id);
      return { slot: known, revive: true };
    }
    const slot = this.#ownSlot(id);
    const elsewhere = [...this.#forest.all.values()].some(
      (tree) => tree.id !== this.#nodes.id && tree.slotOf(id) !== NONE,
    );
    const free = !this.#taken.has(id) && known === NONE && !elsewhere && id.length <= maxLength;
    if (free && slot !== NONE && !this.#nodes.holds(slot)) {
      this.#taken.add(id);
      return { slot, revive: false };
    }
    if (free && parseNodeId(id) === undefined) {
      this.#taken.add(id);
      return { slot: this.fresh(), alias: id, revive: false };
    }
    const other = this.fresh();
    this.renamed.push({ from: id, to: nodeIdOf(this.#nodes.facts.ordinal, other) });
    return { slot: other, revive: false };
  }
}

export interface Created {
  readonly tree: string;
  readonly rootNodeId: string;
  readonly nodes: number;
  readonly renamed: readonly Renamed[];
}

const DEFAULT_TYPE = "Node";

/** A new tree from a list of nodes. */
export function* createFromNodes(
  forest: Forest,
  nodes: readonly DocumentNode[],
  input: { readonly name?: string; readonly payloadTypes?: unknown },
  caller: Caller = {},
): Steps<Changed<Created>> {
  const edit = new Edit(forest, caller);
  const { limits } = edit;
  const types = takePayloadTypes(input.payloadTypes, limits);
  if (forest.trees.length >= limits.treeCount)
    throw new HoldfastError("invalid_argument", "too_many_trees", say`At most ${limits.treeCount} trees.`);
  for (const node of nodes) checkPayload(types, node.type ?? DEFAULT_TYPE, node.payload);
  refuseTypes(nodes, limits.treeTypes);
  const ordinal = forest.nextOrdinal;
  const tree = treeIdOf(ordinal);
  const first = nodes[0] as DocumentNode;
  const name = takeText(
    input.name ?? nameOf(first.payload)?.slice(0, limits.treeTagLength) ?? tree,
    say`name`,
    limits.treeTagLength,
  );
  // The root stands in slot 0 whatever its id was; a foreign id is kept, `n0` needs none.
  const rootId = first.id;
  const keepRoot =
    rootId !== undefined &&
    parseNodeId(rootId) === undefined &&
    rootId.length <= limits.treeIdLength &&
    isFree(forest, rootId);
  edit.do({
    slice: "tree",
    op: "create",
    tree,
    ordinal,
    name,
    ...(types === undefined ? {} : { types }),
    root: {
      s: ROOT,
      u: NONE,
      t: first.type ?? DEFAULT_TYPE,
      p: first.payload,
      ...(keepRoot ? { id: rootId } : {}),
      ...(first.tags === undefined ? {} : { g: first.tags }),
    },
  });
  const draft = edit.draft(edit.base.tree(tree));
  const chooser = new IdChooser(
    edit.base,
    draft,
    nodes.slice(1).map((node) => node.id),
  );
  const rootNodeId = draft.idOf(ROOT);
  if (rootId !== undefined && rootId !== rootNodeId) chooser.renamed.push({ from: rootId, to: rootNodeId });
  const batch = new RowBatch(edit, draft);
  const slots: number[] = [ROOT];
  for (let i = 1; i < nodes.length; i++) {
    const node = nodes[i] as DocumentNode;
    const { slot, alias } = chooser.choose(node.id, limits.treeIdLength);
    batch.add(
      slots[node.up] as number,
      {
        t: node.type ?? DEFAULT_TYPE,
        p: node.payload,
        ...(alias === undefined ? {} : { id: alias }),
        ...(node.tags === undefined ? {} : { g: node.tags }),
      },
      slot,
    );
    slots.push(slot);
    if (i % 1_024 === 0) yield;
  }
  batch.flush();
  return edit.done({ tree, rootNodeId, nodes: nodes.length, renamed: chooser.renamed });
}

function isFree(forest: Forest, id: string): boolean {
  return ![...forest.all.values()].some((tree) => tree.slotOf(id) !== NONE);
}

export function refuseTypes(
  nodes: readonly DocumentNode[],
  max: number,
  known: readonly string[] = [],
): void {
  const types = new Set(known);
  for (const node of nodes) types.add(node.type ?? DEFAULT_TYPE);
  if (types.size > max)
    throw new HoldfastError(
      "invalid_argument",
      "too_many_types",
      say`A tree has at most ${max} payload types.`,
    );
}

/** A new tree from tree JSON or view JSON. */
export function* importTreeSteps(
  forest: Forest,
  input: { readonly json: unknown; readonly name?: string; readonly payloadTypes?: unknown },
  caller: Caller = {},
): Steps<Changed<Created>> {
  const document = parseDocument(input.json, say`json`);
  const inner = isObject(document) && isObject(document["View"]) ? document["View"] : document;
  const nodes = yield* readNodes(inner, caller.limits);
  return yield* createFromNodes(forest, nodes, input, caller);
}

/** A new tree with one node for each value of a JSON document. */
export function* importJsonSteps(
  forest: Forest,
  input: { readonly json: unknown; readonly name: string },
  caller: Caller = {},
): Steps<Changed<Created>> {
  const nodes = yield* readJsonValue(parseDocument(input.json, say`json`), input.name, caller.limits);
  return yield* createFromNodes(forest, nodes, { name: input.name }, caller);
}

/** A new tree from a directory listing. */
export function* importListingSteps(
  forest: Forest,
  input: { readonly entries: readonly ListedFile[]; readonly name: string },
  caller: Caller = {},
): Steps<Changed<Created>> {
  const nodes = yield* readListing(input.entries, input.name, caller.limits);
  return yield* createFromNodes(forest, nodes, { name: input.name }, caller);
}

export type RootLookup = "nodeId" | "path" | "create";

export interface ImportView {
  readonly viewJson: unknown;
  readonly payloadTypes?: unknown;
  readonly rootLookupStrategy?: RootLookup;
  readonly tree?: string;
  readonly name?: string;
}

export interface ImportedView extends Changed<ImportViewResult> {
  readonly views: AgentViews;
}

export interface ImportViewResult {
  readonly rootNodeId: string;
  /** Nodes whose expansion was set. */
  readonly restored: number;
  /** Nodes of the document that this tree does not have. */
  readonly unknown: number;
  readonly created?: Created;
}

/**
 * Takes a view back in. `nodeId` and `path` restore default, expansion and filters of the agent's view; `create`
 * builds a tree and the view of it.
 */
export function* importViewSteps(
  forest: Forest,
  views: AgentViews,
  input: ImportView,
  caller: Caller = {},
): Steps<ImportedView> {
  const strategy = input.rootLookupStrategy ?? "nodeId";
  if (strategy !== "nodeId" && strategy !== "path" && strategy !== "create")
    throw bad("bad_strategy", say`rootLookupStrategy must be "nodeId", "path" or "create".`);
  const document = parseDocument(input.viewJson, say`viewJson`);
  if (!isObject(document)) throw bad("bad_view", say`viewJson must be an object with RootNodeId and View.`);
  const rootId = document["RootNodeId"];
  if (strategy !== "create" && typeof rootId !== "string")
    throw bad("missing_root", say`RootNodeId is missing. Export with includeViewRoot: true.`);
  if (!isObject(document["View"]))
    throw bad("missing_view", say`View is missing. Export with includeViewRoot: true.`);
  const filter = takeFilter(document["IncludedProperties"], document["ExcludedProperties"], caller.limits);
  const byDefault = document["DefaultExpanded"];
  const nodes = yield* readNodes(document["View"], caller.limits);
  let changed: Changed<Created | undefined> = { ops: [], forest, result: undefined };
  let tree: Tree;
  let slots: number[];
  if (strategy === "create") {
    changed = yield* createFromNodes(forest, nodes, input, caller);
    tree = changed.forest.tree(changed.result?.tree);
    slots = matchByOrder(tree, nodes.length);
  } else {
    const root =
      strategy === "nodeId"
        ? forest.node(rootId as string)
        : rootByPath(forest.tree(input.tree), nodes[0] as DocumentNode);
    tree = root.tree;
    slots =
      strategy === "nodeId"
        ? nodes.map((node, i) => (i === 0 ? root.slot : node.id === undefined ? NONE : tree.find(node.id)))
        : matchByPath(tree, root.slot, nodes);
  }
  const states: [number, boolean][] = [];
  let unknown = 0;
  nodes.forEach((node, i) => {
    const slot = slots[i] as number;
    if (slot === NONE) unknown++;
    else if (node.expanded !== undefined) states.push([slot, node.expanded]);
  });
  const restored = restoreExpansion(
    views,
    tree,
    typeof byDefault === "boolean" ? byDefault : undefined,
    states,
  );
  return {
    ops: changed.ops,
    forest: changed.forest,
    views: { ...restored, filters: { ...restored.filters, view: filter } },
    result: {
      rootNodeId: tree.idOf(slots[0] as number),
      restored: states.length,
      unknown,
      ...(changed.result === undefined ? {} : { created: changed.result }),
    },
  };
}

export function importView(
  forest: Forest,
  views: AgentViews,
  input: ImportView,
  caller?: Caller,
): ImportedView {
  return runSteps(importViewSteps(forest, views, input, caller));
}

function bad(reason: Reason, message: ReturnType<typeof say>): HoldfastError {
  return new HoldfastError("invalid_argument", reason, message);
}

/** A tree just made from a document has its nodes in document order. */
function matchByOrder(tree: Tree, count: number): number[] {
  const slots: number[] = [];
  for (const walk = new Walk(tree, ROOT); walk.next() && slots.length < count;) slots.push(walk.slot);
  return slots;
}

/** The node a document's first node means by its name: the tree's root, else the only node of that name and type. */
function rootByPath(tree: Tree, node: DocumentNode): { tree: Tree; slot: number } {
  const key = keyOf(nameOf(node.payload), node.type);
  const matches: number[] = [];
  for (const walk = new Walk(tree, ROOT); walk.next();) {
    if (keyOf(nameOf(tree.payloadOf(walk.slot)), tree.typeOf(walk.slot)) !== key) continue;
    if (walk.slot === ROOT) return { tree, slot: ROOT };
    matches.push(walk.slot);
  }
  const [only] = matches;
  if (only !== undefined && matches.length === 1) return { tree, slot: only };
  throw new HoldfastError(
    "not_found",
    matches.length === 0 ? "node_not_found" : "ambiguous_path",
    say`${matches.length} nodes are called ${echo(nameOf(node.payload) ?? node.type ?? "")}; one is needed to match by path. Use rootLookupStrategy "nodeId".`,
  );
}

/** What a node is called among its siblings: its name, else its type. */
export function keyOf(name: string | undefined, type: string | undefined): string {
  return name === undefined ? `t:${type ?? DEFAULT_TYPE}` : `n:${name}`;
}

/** Finds children by name; the n-th asked for gets the n-th there is. */
export class ChildMatcher {
  readonly #nodes: Nodes | Draft;
  readonly #lists = new Map<number, Map<string, number[]>>();

  constructor(nodes: Nodes | Draft) {
    this.#nodes = nodes;
  }

  take(parent: number, key: string): number {
    let lists = this.#lists.get(parent);
    if (lists === undefined) {
      lists = new Map();
      for (let at = this.#nodes.firstOf(parent); at !== NONE; at = this.#nodes.nextOf(at)) {
        const own = keyOf(nameOf(this.#nodes.payloadOf(at)), this.#nodes.typeOf(at));
        const list = lists.get(own);
        if (list === undefined) lists.set(own, [at]);
        else list.push(at);
      }
      // Taken from the end.
      for (const list of lists.values()) list.reverse();
      this.#lists.set(parent, lists);
    }
    return lists.get(key)?.pop() ?? NONE;
  }
}

function matchByPath(tree: Tree, root: number, nodes: readonly DocumentNode[]): number[] {
  const matcher = new ChildMatcher(tree);
  const slots: number[] = [];
  nodes.forEach((node, i) => {
    const up = i === 0 ? NONE : (slots[node.up] as number);
    slots.push(
      i === 0 ? root : up === NONE ? NONE : matcher.take(up, keyOf(nameOf(node.payload), node.type)),
    );
  });
  return slots;
}
