// Owns: import_merge: a document laid over a tree, by id or by path.
// Must never: leave half a merge. All of it happens in one epoch that a refusal throws away.

import { echo, HoldfastError, say } from "../errors.ts";
import { checkFieldNames } from "../text/options.ts";
import { ForestEdit, RowBatch, type Caller, type Changed } from "./_forest-edit.ts";
import { ChildMatcher, keyOf } from "./_child-matcher.ts";
import type { TreeDraft } from "./_tree-draft.ts";
import { IdChooser, type Renamed } from "./_id-chooser.ts";
import { NodeWriter } from "./_node-writer.ts";
import { NO_SLOT, ROOT_SLOT } from "./_page.ts";
import { refuseDepth, refuseHeight } from "./_target.ts";
import { nodePlaceOf } from "./between.ts";
import { parseDocument, readNodes, unwrapped, type DocumentNode } from "./document.ts";
import type { Forest, Found } from "./forest.ts";
import { refuseTypesSteps } from "./import.ts";
import type { NodePlace } from "./tree-op.ts";
import { checkNewNode } from "./payload-types.ts";
import { nodeName } from "./payload.ts";
import { runNow, type Steps } from "./steps.ts";
import { childrenOf, isWithin, measureSteps } from "./walk.ts";

/** `upsert` sets what the document gives, `replace` also drops what it does not have, `skip` only adds. */
export type MergeStrategy = "upsert" | "replace" | "skip";
/** How document nodes find theirs: by id, or by names from the root (the n-th of equal names with the n-th). */
export type MatchBy = "nodeId" | "path";

/** A document to lay over a tree: tree JSON or view JSON, as a value or as text. */
export interface ImportMerge {
  /** The nodes to merge, as JSON. */
  readonly json: unknown;
  /** What happens to nodes that differ. */
  readonly strategy?: MergeStrategy;
  /** By what nodes are taken for the same. */
  readonly matchBy?: MatchBy;
  /** The tree; the only one when left out. */
  readonly tree?: string;
  /** Where a document whose first node is not found goes; the root unless told. */
  readonly parentNodeId?: string;
}

/** How many, and the first of them by id. */
export interface MergeReport {
  /** How many nodes were made. */
  readonly created: number;
  /** How many nodes changed. */
  readonly updated: number;
  /** How many nodes were equal already. */
  readonly unchanged: number;
  /** How many nodes were left as they are. */
  readonly skipped: number;
  /** How many nodes were removed. */
  readonly removed: number;
  /** Ids that were taken and were given anew. */
  readonly renamed: readonly Renamed[];
  /** The ids that nodes of the import have now. */
  readonly ids: {
    readonly created: readonly string[];
    readonly updated: readonly string[];
    readonly skipped: readonly string[];
    readonly removed: readonly string[];
  };
  /** Ids that are not listed, of all kinds together. */
  readonly unlisted: number;
  /** The node that was merged into. */
  readonly rootNodeId: string;
}

const LISTED = 200;
const DEFAULT_TYPE = "Node";

/**
 * Lays a document over a tree. O(document + children of matched nodes). Throws `bad_strategy`, `bad_match`,
 * `not_found`, `bad_json`, `not_a_node`, `too_deep`, `too_many_nodes`, and what the tree's types and the caller's role
 * refuse; then nothing is merged.
 *
 * @example const { result } = await runPaced(importMergeSteps(forest, { json: JSON.parse(text), matchBy: "nodeId" }));
 */
export function* importMergeSteps(
  forest: Forest,
  input: ImportMerge,
  caller: Caller = {},
): Steps<Changed<MergeReport>> {
  checkFieldNames(say`importMerge`, input, {
    json: true,
    strategy: true,
    matchBy: true,
    tree: true,
    parentNodeId: true,
  });
  const strategy = input.strategy ?? "upsert";
  const matchBy = input.matchBy ?? "nodeId";
  if (strategy !== "upsert" && strategy !== "replace" && strategy !== "skip")
    throw new HoldfastError(
      "invalid_argument",
      "bad_strategy",
      say`strategy must be "upsert", "replace" or "skip".`,
    );
  if (matchBy !== "nodeId" && matchBy !== "path")
    throw new HoldfastError("invalid_argument", "bad_match", say`matchBy must be "nodeId" or "path".`);
  const document = parseDocument(input.json, say`json`);
  const nodes = yield* readNodes(unwrapped(document), caller.limits);
  const home =
    input.parentNodeId === undefined
      ? { tree: forest.tree(input.tree), slot: ROOT_SLOT }
      : forest.node(input.parentNodeId);
  const edit = new ForestEdit(forest, caller);
  yield* refuseTypesSteps(nodes, edit.limits.treeTypes, home.tree.typeNames);
  const chooser = yield* IdChooser.forSteps(forest, edit.draft(home.tree), nodes, 0);
  const merge = new DocumentMerge(edit, home, strategy, matchBy, nodes, chooser);
  for (let i = 0; i < nodes.length; i++) {
    yield* merge.node(i);
    if (i % 512 === 511) yield;
  }
  return yield* merge.done();
}

/**
 * As {@link importMergeSteps}, at once. Throws what it throws.
 *
 * @example importMerge(forest, { json: { NodeId: "n0", Children: [{ PayloadType: "Task" }] } }).result.created  // 1
 */
export function importMerge(forest: Forest, input: ImportMerge, caller?: Caller): Changed<MergeReport> {
  return runNow(importMergeSteps(forest, input, caller));
}

class DocumentMerge {
  readonly #edit: ForestEdit;
  readonly #draft: TreeDraft;
  readonly #tree: string;
  readonly #strategy: MergeStrategy;
  readonly #matchBy: MatchBy;
  readonly #nodes: readonly DocumentNode[];
  readonly #matcher: ChildMatcher;
  readonly #chooser: IdChooser;
  readonly #batch: RowBatch;
  readonly #writer: NodeWriter;
  readonly #home: number;
  readonly #slots: number[] = [];
  readonly #depths: number[] = [];
  readonly #used = new Set<number>();
  /** For `replace`: the children each matched node shall have, in order. */
  readonly #wanted = new Map<number, number[]>();
  readonly #lists = {
    created: [] as string[],
    updated: [] as string[],
    skipped: [] as string[],
    removed: [] as string[],
  };
  #unlisted = 0;
  readonly #counts = { created: 0, updated: 0, unchanged: 0, skipped: 0, removed: 0 };

  constructor(
    edit: ForestEdit,
    home: Found,
    strategy: MergeStrategy,
    matchBy: MatchBy,
    nodes: readonly DocumentNode[],
    chooser: IdChooser,
  ) {
    this.#edit = edit;
    this.#draft = edit.draft(home.tree);
    this.#tree = home.tree.id;
    this.#home = home.slot;
    this.#strategy = strategy;
    this.#matchBy = matchBy;
    this.#nodes = nodes;
    this.#chooser = chooser;
    this.#matcher = new ChildMatcher(this.#draft);
    this.#batch = new RowBatch(this.#edit, this.#draft);
    this.#writer = new NodeWriter(this.#edit, this.#draft);
  }

  #note(what: "created" | "updated" | "skipped" | "removed", slot: number, alias?: string): void {
    this.#counts[what]++;
    const list = this.#lists[what];
    if (list.length < LISTED) list.push(alias ?? this.#draft.idOf(slot));
    else this.#unlisted++;
  }

  /** The live node that a document node means; NO_SLOT: it is new. */
  *#matchSteps(i: number, parent: number): Steps<number> {
    const node = this.#nodes[i] as DocumentNode;
    let slot = NO_SLOT;
    if (this.#matchBy === "nodeId") slot = node.id === undefined ? NO_SLOT : this.#draft.find(node.id);
    else {
      const key = keyOf(nodeName(node.payload), node.type);
      const root = this.#draft;
      if (i === 0 && keyOf(nodeName(root.payloadOf(ROOT_SLOT)), root.typeOf(ROOT_SLOT)) === key)
        slot = ROOT_SLOT;
      else if (this.#draft.holds(parent)) slot = yield* this.#matcher.takeSteps(parent, key);
    }
    return slot === NO_SLOT || this.#used.has(slot) ? NO_SLOT : slot;
  }

  *node(i: number): Steps<undefined> {
    const node = this.#nodes[i] as DocumentNode;
    const parent = i === 0 ? this.#home : (this.#slots[node.up] as number);
    const slot = yield* this.#matchSteps(i, parent);
    if (slot === NO_SLOT) return yield* this.#create(i, node, parent);
    this.#used.add(slot);
    this.#slots.push(slot);
    this.#depths.push(this.#draft.depthOf(slot));
    if (this.#strategy === "skip") {
      this.#note("skipped", slot);
      return undefined;
    }
    this.#batch.flush();
    const changed =
      this.#strategy === "upsert" ? this.#writer.patch(slot, node) : this.#writer.replace(slot, node);
    if (this.#strategy === "replace") {
      this.#wanted.set(slot, []);
      if (i > 0) {
        yield* this.#bring(slot, parent);
        this.#depths[i] = this.#draft.depthOf(slot);
        this.#wanted.get(parent)?.push(slot);
      }
    }
    if (changed) this.#note("updated", slot);
    else this.#counts.unchanged++;
    return undefined;
  }

  *#create(i: number, node: DocumentNode, parent: number): Steps<undefined> {
    const { limits } = this.#edit;
    const type = node.type ?? DEFAULT_TYPE;
    const depth = (i === 0 ? this.#draft.depthOf(this.#home) : (this.#depths[node.up] as number)) + 1;
    refuseDepth(depth, limits);
    const { slot, alias, revive } = this.#chooser.choose(node.id, limits.treeIdLength);
    if (revive) {
      this.#batch.flush();
      yield* this.#revive(slot, parent, node, type);
    } else {
      checkNewNode(this.#draft.facts.types, type, node.payload, this.#edit.role);
      const tags = node.tags === undefined ? {} : { g: node.tags };
      const foreign = alias === undefined ? {} : { id: alias };
      this.#batch.add(parent, { t: type, p: node.payload, ...foreign, ...tags }, slot);
    }
    this.#used.add(slot);
    this.#slots.push(slot);
    this.#depths.push(depth);
    this.#wanted.get(parent)?.push(slot);
    this.#note("created", slot, alias);
    return undefined;
  }

  /** A removed node comes back under its old id, alone: what hung below it stays removed. */
  *#revive(slot: number, parent: number, node: DocumentNode, type: string): Steps<undefined> {
    const draft = this.#draft;
    const items = [];
    for (const child of childrenOf(draft, slot).reverse()) {
      const { nodes: n } = yield* measureSteps(draft, child);
      items.push({ node: draft.idOf(child), from: nodePlaceOf(draft, child), to: null, n });
    }
    if (items.length > 0) this.#edit.do({ slice: "tree", op: "place", tree: this.#tree, items });
    const last = draft.lastOf(parent);
    const to: NodePlace = {
      parent: draft.idOf(parent),
      after: last === NO_SLOT ? null : draft.idOf(last),
      before: null,
    };
    const from = nodePlaceOf(draft, slot);
    this.#edit.do({
      slice: "tree",
      op: "place",
      tree: this.#tree,
      items: [{ node: draft.idOf(slot), from, to, n: 1 }],
    });
    this.#writer.setPayload(slot, { ...node, type });
    this.#writer.setTags(slot, node.tags ?? []);
    return undefined;
  }

  /** For `replace`: a matched node that is elsewhere comes to where the document has it. */
  *#bring(slot: number, parent: number): Steps<undefined> {
    const draft = this.#draft;
    if (draft.parentOf(slot) === parent) return undefined;
    if (slot === ROOT_SLOT || isWithin(draft, parent, slot))
      throw new HoldfastError(
        "invalid_argument",
        "cycle",
        say`The document puts ${echo(draft.idOf(slot))} below a node of its own branch. Import a larger part, or match by path.`,
      );
    yield* refuseHeight(draft, slot, parent, this.#edit.limits);
    const last = draft.lastOf(parent);
    const to: NodePlace = {
      parent: draft.idOf(parent),
      after: last === NO_SLOT ? null : draft.idOf(last),
      before: null,
    };
    const items = [{ node: draft.idOf(slot), from: nodePlaceOf(draft, slot), to, n: 0 }];
    this.#edit.do({ slice: "tree", op: "place", tree: this.#tree, items });
    return undefined;
  }

  /** For `replace`: children that the document does not have go, the others get its order. */
  *done(): Steps<Changed<MergeReport>> {
    this.#batch.flush();
    const draft = this.#draft;
    for (const [parent, wanted] of this.#wanted) {
      const keep = new Set(wanted);
      for (const child of childrenOf(draft, parent).reverse()) {
        if (keep.has(child)) continue;
        const { nodes: n } = yield* measureSteps(draft, child);
        const items = [{ node: draft.idOf(child), from: nodePlaceOf(draft, child), to: null, n }];
        this.#edit.do({ slice: "tree", op: "place", tree: this.#tree, items });
        this.#note("removed", child);
        this.#counts.removed += n - 1;
        yield;
      }
      const is = childrenOf(draft, parent);
      if (is.some((slot, i) => slot !== wanted[i]))
        this.#edit.do({
          slice: "tree",
          op: "order",
          tree: this.#tree,
          parent: draft.idOf(parent),
          was: is.map((slot) => draft.idOf(slot)),
          now: wanted.map((slot) => draft.idOf(slot)),
        });
      yield;
    }
    const rootNodeId = draft.idOf(this.#slots[0] as number);
    return this.#edit.done({
      ...this.#counts,
      renamed: this.#chooser.renamed,
      ids: this.#lists,
      unlisted: this.#unlisted,
      rootNodeId,
    });
  }
}
