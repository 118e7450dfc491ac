// Owns: trees for people who have plain data: build one, read, select, change, compare, export. No forest, no operations.
// Must never: do anything of its own. Every function is a short way through the room.

import { checkArgument, checkOptionNames, type OptionNames } from "../text/options.ts";
import { HoldfastError, say, type Shown } from "../errors.ts";
import type { Json, JsonObject } from "../value.ts";
import { addChild, moveAfter, moveBefore, moveNode, removeNode, sortChildren } from "./change-structure.ts";
import { tagNode, updatePayload } from "./change-payload.ts";
import { diffBranches } from "./diff-branches.ts";
import { diff, type TreeDiff } from "./diff.ts";
import { exportSubtree, outlineSteps } from "./export.ts";
import { EMPTY_FOREST, Forest, type Found } from "./forest.ts";
import { importJsonSteps, importMarkdownSteps, importTreeSteps, type Created } from "./import.ts";
import { writeMarkdownSteps } from "./markdown.ts";
import { ROOT_SLOT } from "./_page.ts";
import type { Changed } from "./_forest-edit.ts";
import type { PayloadTypes } from "./payload-types.ts";
import { pathText } from "./read.ts";
import { compileSelector, selectSteps } from "./selector/select.ts";
import { runNow, type Steps } from "./steps.ts";
import { Tree } from "./tree.ts";
import { childrenOf } from "./walk.ts";

const OPTIONS: OptionNames<BuildOptions> = { payloadTypes: true };

/**
 * One version of a tree, made by {@link buildTree} and its kin and by {@link changeTree}, never by hand. It cannot change:
 * holding it is a snapshot that costs nothing, and versions share all but what differs. About 120 bytes a node besides
 * the properties.
 */
export interface PlainTree {
  /** How many nodes it shows. */
  readonly live: number;
  /** Every type that one of its nodes ever had. */
  readonly typeNames: readonly string[];
}

/**
 * A node as plain data: what {@link buildTree} takes and {@link exportTree} returns. Every part may be left out, but an object
 * with none of NodeId, PayloadType, Payload and Children is no node: {@link buildTreeFromJson} takes any JSON.
 */
export interface PlainNode {
  /** The id that it gets when that is free; an id already in use, or of our own form (`n4f`) but out of reach, gets a fresh one. */
  readonly NodeId?: string;
  /** What kind of node it is: the type name of selectors. `Node` unless told. At most 100 characters. */
  readonly PayloadType?: string;
  /** Its properties. NodeId, Children, Parent, PayloadType, IsExpanded, ChildrenCount, `@tags` and `@continued` are refused, ignoring case. */
  readonly Payload?: JsonObject;
  /** Its tags: at most 64, of at most 100 characters. */
  readonly "@tags"?: readonly string[];
  /** Its children, in order. */
  readonly Children?: readonly PlainNode[];
}

/** A node that was read: {@link PlainNode} with the parts that every node has, and where it is. */
export interface ReadNode {
  /** Its id. */
  readonly NodeId: string;
  /** The type of its payload. */
  readonly PayloadType: string;
  /** Its properties. */
  readonly Payload: JsonObject;
  /** Its tags. */
  readonly "@tags": readonly string[];
  /** How many children it has. */
  readonly ChildrenCount: number;
  /** Names from the root, joined by `/`; an id replaces a missing name. */
  readonly Path: string;
}

/** How {@link buildTree} builds. */
export interface BuildOptions {
  /** With types, the tree accepts only these types and their properties, now and in later changes. */
  readonly payloadTypes?: PayloadTypes;
}

/**
 * One change as plain data. `node`, `parent`, `before` and `after` are node ids.
 *
 * - `add`: a new last child; `type` is `Node` unless told.
 * - `set`: sets properties, all or none; a name may be a path (`meta.owner`).
 * - `move`: to the last place under `parent`, or right before or after a sibling.
 * - `remove`: the node with everything below it. The root cannot be removed.
 * - `sort`: the children of `parent` by a property, stably; nodes without it come last.
 * - `tag`: adds and removes tags.
 */
export type TreeChange =
  /** A new last child of `parent`. */
  | {
      readonly op: "add";
      readonly parent: string;
      readonly type?: string;
      readonly payload?: JsonObject;
      readonly tags?: readonly string[];
    }
  /** Sets properties of a node; `null` is a value like any other. */
  | { readonly op: "set"; readonly node: string; readonly patch: JsonObject }
  /** Puts a node last under another parent. */
  | { readonly op: "move"; readonly node: string; readonly parent: string }
  /** Puts a node right before a sibling. */
  | { readonly op: "move"; readonly node: string; readonly before: string }
  /** Puts a node right after a sibling. */
  | { readonly op: "move"; readonly node: string; readonly after: string }
  /** Removes a node with everything below it. */
  | { readonly op: "remove"; readonly node: string }
  /** Sorts the children of `parent` by a property, stably; ascending when left out. */
  | {
      readonly op: "sort";
      readonly parent: string;
      readonly by: string;
      readonly direction?: "asc" | "desc";
    }
  /** Adds tags to a node and takes others away. */
  | {
      readonly op: "tag";
      readonly node: string;
      readonly add?: readonly string[];
      readonly remove?: readonly string[];
    };

/** A tree after {@link changeTree}. */
export interface ChangedTree {
  /** The tree after the change; the one before is unchanged. */
  readonly tree: PlainTree;
  /** For each change the node that it made or changed. */
  readonly ids: readonly string[];
}

/**
 * A tree from nested nodes, as an object or as JSON text. O(nodes). Throws `HoldfastError` / `invalid_argument` for what
 * is no node (`not_a_node`), a guarded property, a type or property that `payloadTypes` does not know, and more than
 * 1,024 levels.
 *
 * @example
 * const plan = buildTree({
 *   PayloadType: "Plan", Payload: { name: "move house" },
 *   Children: [{ PayloadType: "Task", Payload: { name: "boxes", prio: 7 } }],
 * });
 */
export function buildTree(node: PlainNode | string, options: BuildOptions = {}): PlainTree {
  checkOptionNames(say`buildTree`, options, OPTIONS);
  return builtBy(importTreeSteps(EMPTY_FOREST, { json: node, ...options }));
}

/**
 * A tree with one node for each value of any JSON document: types Object, Array, String, Number, Boolean and Null, with
 * `name` (key or index) and `value`. O(values). Throws `HoldfastError` for more than 1,024 levels and for a value that
 * contains itself.
 *
 * @example selectFrom(buildTreeFromJson({ a: [1, 2] }), "Number[value>1]").length  // 1
 */
export function buildTreeFromJson(value: Json, name = "document"): PlainTree {
  return builtBy(importJsonSteps(EMPTY_FOREST, { json: value, name }));
}

/**
 * A tree from a Markdown outline: headings are `Section`s, list items `Item`s (with a check box `Task`s with `done`), other
 * lines the `text` of the node above them. O(text). Any text can be read; only nesting beyond 1,024 levels is refused.
 *
 * @example markdownOf(buildTreeFromMarkdown("# Plan\n- [ ] boxes"))  // "# Plan\n\n- [ ] boxes\n"
 */
export function buildTreeFromMarkdown(text: string, name = "document"): PlainTree {
  checkArgument(say`buildTreeFromMarkdown: the text`, text, "string");
  return builtBy(importMarkdownSteps(EMPTY_FOREST, { text, name }));
}

function builtBy(steps: Steps<Changed<Created>>): Tree {
  return runNow(steps).forest.tree();
}

/**
 * One node, without its children. O(depth). Throws `HoldfastError` / `not_found` for an id that the tree does not show.
 *
 * @example readNode(plan, "n1").Payload  // { name: "boxes", prio: 7 }
 */
export function readNode(tree: PlainTree, nodeId: string): ReadNode {
  return nodeAt(placeIn(tree, nodeId));
}

/**
 * The ids of a node's children, in their order; of the root without an id. O(children). Throws `HoldfastError` / `not_found`.
 *
 * @example childIds(plan)  // ["n1"]
 */
export function childIds(tree: PlainTree, nodeId?: string): string[] {
  const { tree: from, slot } = placeIn(tree, nodeId);
  return childrenOf(from, slot).map((child) => from.idOf(child));
}

/**
 * The nodes that a selector matches, in document order (the language: CSS over types, tags and payloads). Time is nodes
 * times parts of the selector, and what was read is remembered for the next query of this tree. With `under` only that
 * branch is looked at. Throws `HoldfastError` / `bad_selector` with the position and what was expected.
 *
 * @example selectFrom(plan, 'Task[prio>=5]:not(.done)').map((node) => node.Path)  // ["move house/boxes"]
 */
export function selectFrom(tree: PlainTree, selector: string, under?: string): ReadNode[] {
  const { tree: from, slot: top } = placeIn(tree, under);
  const slots = runNow(selectSteps(from, top, compileSelector(selector)));
  return Array.from(slots, (slot) => nodeAt({ tree: from, slot }));
}

/**
 * The tree with all changes made, in their order, or an error and nothing. The tree given stays as it was, so holding it
 * is an undo. Each change is O(what it changes + depth), whatever the size of the tree. Throws `HoldfastError` for the first
 * change that is refused: an unknown id (`not_found`), a field that it does not have (`unknown_option`), a move into its own branch (`cycle`), a guarded or read-only property.
 *
 * @example
 * const { tree: next, ids } = changeTree(plan, [
 *   { op: "add", parent: "n0", type: "Task", payload: { name: "books" } },
 *   { op: "set", node: "n1", patch: { prio: 9 } },
 * ]);
 */
export function changeTree(tree: PlainTree, changes: readonly TreeChange[]): ChangedTree {
  let forest = forestOf(tree);
  checkArgument(say`changeTree: the changes`, changes, "array");
  const ids = changes.map((change) => {
    checkChange(change);
    const changed = carryOut(forest, change);
    forest = changed.forest;
    return changed.id;
  });
  return { tree: forest.tree(), ids };
}

const FIELDS: { readonly [Op in TreeChange["op"]]: OptionNames<Extract<TreeChange, { op: Op }>> } = {
  add: { op: true, parent: true, type: true, payload: true, tags: true },
  set: { op: true, node: true, patch: true },
  move: { op: true, node: true, parent: true, before: true, after: true },
  remove: { op: true, node: true },
  sort: { op: true, parent: true, by: true, direction: ["asc", "desc"] },
  tag: { op: true, node: true, add: true, remove: true },
};

/** Throws for what is no change, and for a field that a change of its kind does not have. */
function checkChange(change: TreeChange): void {
  const op: unknown = (change as Partial<TreeChange> | null | undefined)?.op;
  if (typeof op !== "string" || !Object.hasOwn(FIELDS, op))
    throw badChange(say`A change has op "add", "set", "move", "remove", "sort" or "tag".`);
  checkOptionNames<TreeChange>(
    say`The change ${op as Shown}`,
    change,
    FIELDS[op as TreeChange["op"]] as OptionNames<TreeChange>,
  );
  if (change.op !== "move") return;
  const places = ["parent", "before", "after"].filter((place) => Object.hasOwn(change, place));
  if (places.length !== 1) throw badChange(say`A move has one of parent, before and after.`);
}

function badChange(message: Shown): HoldfastError {
  return new HoldfastError("invalid_argument", "bad_change", message);
}

function carryOut(forest: Forest, change: TreeChange): { readonly forest: Forest; readonly id: string } {
  switch (change.op) {
    case "add": {
      const { parent: parentNodeId, type: payloadType = "Node", payload: payloadProps, tags = [] } = change;
      const made = addChild(forest, { parentNodeId, payloadType, payloadProps });
      const id = made.result.nodeId;
      return {
        forest: tags.length === 0 ? made.forest : tagNode(made.forest, { nodeId: id, tags }).forest,
        id,
      };
    }
    case "set":
      return {
        forest: updatePayload(forest, { nodeId: change.node, patch: change.patch }).forest,
        id: change.node,
      };
    case "move": {
      const nodeId = change.node;
      const moved =
        "before" in change
          ? moveBefore(forest, { nodeId, siblingId: change.before })
          : "after" in change
            ? moveAfter(forest, { nodeId, siblingId: change.after })
            : moveNode(forest, { nodeId, newParentId: change.parent });
      return { forest: moved.forest, id: nodeId };
    }
    case "remove":
      return { forest: removeNode(forest, { nodeId: change.node }).forest, id: change.node };
    case "sort": {
      const { parent: parentId, by: byProp, direction = "asc" } = change;
      return { forest: sortChildren(forest, { parentId, byProp, direction }).forest, id: parentId };
    }
    case "tag":
      return {
        forest: tagNode(forest, { nodeId: change.node, tags: change.add, remove: change.remove }).forest,
        id: change.node,
      };
  }
}

/**
 * What differs from `before` to `after`. Versions of one tree are compared by ids at the cost of the changes; trees
 * that were built apart by names, O(nodes of both). {@link diffText} makes it readable. Throws `HoldfastError` /
 * `not_a_tree` for what {@link buildTree} did not make.
 *
 * @example diffText(diffTrees(plan, next))  // '+ n2 Task "move house/books"\n* n1 ...'
 */
export function diffTrees(before: PlainTree, after: PlainTree): TreeDiff {
  const a = placeIn(before);
  const b = placeIn(after);
  return a.tree.kin === b.tree.kin ? diff(a.tree, b.tree) : runNow(diffBranches(a, b));
}

/**
 * The tree, or the branch at a node, as nested nodes: {@link buildTree} of it gives the same ids, types, properties and
 * tags. O(nodes). Throws `HoldfastError` / `not_found`.
 *
 * @example JSON.stringify(exportTree(plan))
 */
export function exportTree(tree: PlainTree, nodeId?: string): PlainNode {
  const { tree: from, slot } = placeIn(tree, nodeId);
  return exportSubtree({ forest: forestOf(from) }, { nodeId: from.idOf(slot) }).json as PlainNode;
}

/**
 * The tree, or a branch, as text with one line a node: two spaces a level, id, type, properties, tags. About a third of the
 * characters of JSON; values beyond 80 characters are cut, which is said. O(nodes). Throws `HoldfastError` / `not_found`.
 *
 * @example outlineOf(plan)  // 'n0 Plan name="move house"\n  n1 Task name="boxes" prio=7'
 */
export function outlineOf(tree: PlainTree, nodeId?: string): string {
  const { tree: from, slot } = placeIn(tree, nodeId);
  return runNow(outlineSteps(from, slot));
}

/**
 * The tree, or a branch, as Markdown headings and lists. A tree from {@link buildTreeFromMarkdown} reads back with the same
 * nodes; other types and properties are shown in parentheses. O(nodes). Throws `HoldfastError` / `not_found`.
 *
 * @example markdownOf(plan)  // "# move house (Plan)\n\n- boxes (Task, prio: 7)\n"
 */
export function markdownOf(tree: PlainTree, nodeId?: string): string {
  const { tree: from, slot } = placeIn(tree, nodeId);
  return runNow(writeMarkdownSteps(from, slot));
}

function forestOf(tree: PlainTree): Forest {
  if (!(tree instanceof Tree))
    throw new HoldfastError("invalid_argument", "not_a_tree", say`This is no tree. Make one with buildTree.`);
  return new Forest(new Map([[tree.id, tree]]));
}

/** A node by its id; the root without one. */
function placeIn(tree: PlainTree, nodeId?: string): Found {
  const forest = forestOf(tree);
  return nodeId === undefined ? { tree: forest.tree(), slot: ROOT_SLOT } : forest.node(nodeId);
}

function nodeAt({ tree, slot }: Found): ReadNode {
  return {
    NodeId: tree.idOf(slot),
    PayloadType: tree.typeOf(slot),
    Payload: tree.payloadOf(slot),
    "@tags": tree.tagsOf(slot),
    ChildrenCount: tree.countOf(slot),
    Path: pathText(tree, slot),
  };
}
