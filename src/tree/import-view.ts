// Owns: import_view: expansion and filters restored from a document, or a tree built from it.

import { echo, HoldfastError, say, type Reason } from "../errors.ts";
import { checkFieldNames } from "../text/options.ts";
import { ChildMatcher, keyOf } from "./_child-matcher.ts";
import type { Caller, Changed } from "./_forest-edit.ts";
import { NO_SLOT, ROOT_SLOT } from "./_page.ts";
import { parseDocument, readNodes, type DocumentNode } from "./document.ts";
import type { Forest } from "./forest.ts";
import { createFromNodes, type Created } from "./import.ts";
import { isObject, nodeName } from "./payload.ts";
import { runNow, STEP, type Steps } from "./steps.ts";
import type { Tree } from "./tree.ts";
import { restoreExpansion, takeFilter, type AgentViews } from "./view.ts";
import { BranchWalk } from "./walk.ts";

/** `nodeId` and `path` restore a view of a tree that exists; `create` builds the tree. */
export type RootLookup = "nodeId" | "path" | "create";

/** A view document as `exportView` with `includeViewRoot` writes it, and how to find its root. */
export interface ImportView {
  /** The view as it was exported. */
  readonly viewJson: unknown;
  /** The types that payloads of a new tree may have. */
  readonly payloadTypes?: unknown;
  /** How the node that the view belongs to is found. */
  readonly rootLookupStrategy?: RootLookup;
  /** The tree; the only one when left out. */
  readonly tree?: string;
  /** The name of a tree that is made. */
  readonly name?: string;
}

/** What an imported view changed: operations when it built a tree, and the agent's views. */
export interface ImportedView extends Changed<ImportViewResult> {
  /** The agent's views with it. */
  readonly views: AgentViews;
}

/** How many nodes got their expansion back, and how many the tree does not have. */
export interface ImportViewResult {
  /** The node that the view belongs to. */
  readonly rootNodeId: string;
  /** Nodes whose expansion was set. */
  readonly restored: number;
  /** Nodes of the document that this tree does not have. */
  readonly unknown: number;
  /** The tree that was made; absent where there was one. */
  readonly created?: Created;
}

/**
 * Takes a view back in. `nodeId` and `path` restore default, expansion and filters of the agent's view; `create` builds
 * a tree and the view of it. O(document). Throws `bad_strategy`, `bad_view`, `missing_root`, `missing_view`,
 * `not_a_node`, `not_found` or `ambiguous_path` where the root is not found, and with `create` what {@link
 * importTreeSteps} throws.
 *
 * @example const imported = await runPaced(importViewSteps(forest, views, { viewJson: JSON.parse(text) }));
 */
export function* importViewSteps(
  forest: Forest,
  views: AgentViews,
  input: ImportView,
  caller: Caller = {},
): Steps<ImportedView> {
  checkFieldNames(say`importView`, input, {
    viewJson: true,
    payloadTypes: true,
    rootLookupStrategy: true,
    tree: true,
    name: true,
  });
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
        : yield* rootByPathSteps(forest.tree(input.tree), nodes[0] as DocumentNode);
    tree = root.tree;
    slots =
      strategy === "nodeId"
        ? nodes.map((node, i) => (i === 0 ? root.slot : node.id === undefined ? NO_SLOT : tree.find(node.id)))
        : yield* matchByPathSteps(tree, root.slot, nodes);
  }
  const states: [number, boolean][] = [];
  let unknown = 0;
  nodes.forEach((node, i) => {
    const slot = slots[i] as number;
    if (slot === NO_SLOT) unknown++;
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

/**
 * As {@link importViewSteps}, at once. Throws what it throws.
 *
 * @example importView(forest, views, { viewJson: exportView({ forest, views }, { rootNodeId: "n0", includeViewRoot: true }).json })
 */
export function importView(
  forest: Forest,
  views: AgentViews,
  input: ImportView,
  caller?: Caller,
): ImportedView {
  return runNow(importViewSteps(forest, views, input, caller));
}

function bad(reason: Reason, message: ReturnType<typeof say>): HoldfastError {
  return new HoldfastError("invalid_argument", reason, message);
}

/** A tree just made from a document has its nodes in document order. */
function matchByOrder(tree: Tree, count: number): number[] {
  const slots: number[] = [];
  for (const walk = new BranchWalk(tree, ROOT_SLOT); walk.next() && slots.length < count;)
    slots.push(walk.slot);
  return slots;
}

/** The node a document's first node means by its name: the tree's root, else the only node of that name and type. */
function* rootByPathSteps(tree: Tree, node: DocumentNode): Steps<{ tree: Tree; slot: number }> {
  const key = keyOf(nodeName(node.payload), node.type);
  const matches: number[] = [];
  const walk = new BranchWalk(tree, ROOT_SLOT);
  for (let seen = 1; walk.next(); seen++) {
    if (seen % STEP === 0) yield;
    if (keyOf(nodeName(tree.payloadOf(walk.slot)), tree.typeOf(walk.slot)) !== key) continue;
    if (walk.slot === ROOT_SLOT) return { tree, slot: ROOT_SLOT };
    matches.push(walk.slot);
  }
  const [only] = matches;
  if (only !== undefined && matches.length === 1) return { tree, slot: only };
  throw new HoldfastError(
    "not_found",
    matches.length === 0 ? "node_not_found" : "ambiguous_path",
    say`${matches.length} nodes are called ${echo(nodeName(node.payload) ?? node.type ?? "")}; one is needed to match by path. Use rootLookupStrategy "nodeId".`,
  );
}

function* matchByPathSteps(tree: Tree, root: number, nodes: readonly DocumentNode[]): Steps<number[]> {
  const matcher = new ChildMatcher(tree);
  const slots = [root];
  for (const node of nodes.slice(1)) {
    const up = slots[node.up] as number;
    const key = keyOf(nodeName(node.payload), node.type);
    slots.push(up === NO_SLOT ? NO_SLOT : yield* matcher.takeSteps(up, key));
  }
  return slots;
}
