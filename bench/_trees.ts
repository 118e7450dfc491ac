// Owns: the same synthetic tree for every subject of the tree benchmark, and the peers that hold it.

import { List, Map as ImmutableMap } from "immutable";
import { create } from "mutative";
import {
  applyAll,
  createTree,
  EMPTY_FOREST,
  type Forest,
  type NodeRow,
  type TreeOp,
} from "../src/tree/operations.ts";
import type { JsonObject } from "../src/value.ts";

export type Shape = "bushy" | "wide" | "deep";

/** The parent of node i: ten children each, one parent for all, or branches of a thousand levels. */
export function parentOf(shape: Shape, i: number): number {
  if (shape === "wide") return 0;
  if (shape === "deep") return (i - 1) % 1_000 === 0 ? 0 : i - 1;
  return Math.floor((i - 1) / 10);
}

const TYPES = ["Task", "Note", "File", "Step", "Link"] as const;
const STATES = ["open", "done", "blocked", "open", "todo"] as const;

export function typeOf(i: number): string {
  return TYPES[i % 5] as string;
}

export function payloadOf(i: number): { title: string; status: string; prio: number } {
  return { title: `Node ${i}`, status: STATES[(i * 7) % 5] as string, prio: (i * 13) % 10 };
}

const ROWS = 4_096;

/** Operations of an import, made as they are taken, so that they are not counted with the tree. */
function* inserts(count: number, shape: Shape, foreignIds: boolean): Iterable<TreeOp> {
  for (let from = 1; from < count; from += ROWS) {
    const rows: NodeRow[] = [];
    for (let i = from; i < Math.min(count, from + ROWS); i++) {
      const row = { s: i, u: parentOf(shape, i), t: typeOf(i), p: Object.freeze(payloadOf(i)) as JsonObject };
      rows.push(foreignIds ? { ...row, id: `item-${i}` } : row);
    }
    yield { slice: "tree", op: "insert", tree: "t1", rows };
  }
}

export function buildForest(count: number, shape: Shape, foreignIds = false): Forest {
  const { forest } = createTree(EMPTY_FOREST, { payloadType: typeOf(0), payloadProps: payloadOf(0) });
  return applyAll(forest, inserts(count, shape, foreignIds));
}

/** What a peer does with the same tree; ids are n0, n1, ... in all of them. */
export interface PeerTree {
  build(count: number, shape: Shape): void;
  setTitle(i: number, title: string): void;
  snapshot(): unknown;
  /** How many nodes differ from a snapshot. */
  diff(snapshot: unknown): number;
  countTasks(): number;
  insertBefore(sibling: number): void;
  depth(i: number): number;
}

export interface PlainNode {
  id: string;
  parent: string | null;
  type: string;
  title: string;
  status: string;
  prio: number;
  children: string[];
}

export function plainNodes(count: number, shape: Shape): Map<string, PlainNode> {
  const nodes = new Map<string, PlainNode>();
  for (let i = 0; i < count; i++) {
    const parent = i === 0 ? null : `n${parentOf(shape, i)}`;
    nodes.set(`n${i}`, { id: `n${i}`, parent, type: typeOf(i), ...payloadOf(i), children: [] });
    if (parent !== null) nodes.get(parent)?.children.push(`n${i}`);
  }
  return nodes;
}

const isHit = (node: { type: string; prio: number }): boolean => node.type === "Task" && node.prio >= 5;

function newNode(id: string, parent: string | null): PlainNode {
  return { id, parent, type: "Task", ...payloadOf(1), children: [] };
}

/** A Map that is changed in place; a snapshot is a deep copy. */
export class PlainTree implements PeerTree {
  #nodes = new Map<string, PlainNode>();
  #made = 0;

  build(count: number, shape: Shape): void {
    this.#nodes = plainNodes(count, shape);
  }
  setTitle(i: number, title: string): void {
    (this.#nodes.get(`n${i}`) as PlainNode).title = title;
  }
  snapshot(): unknown {
    return structuredClone(this.#nodes);
  }
  diff(snapshot: unknown): number {
    const old = snapshot as Map<string, PlainNode>;
    let count = 0;
    for (const [id, node] of this.#nodes) {
      const was = old.get(id);
      if (
        was?.title !== node.title ||
        was.parent !== node.parent ||
        was.children.length !== node.children.length
      )
        count++;
    }
    return count;
  }
  countTasks(): number {
    let count = 0;
    for (const node of this.#nodes.values()) if (isHit(node)) count++;
    return count;
  }
  insertBefore(sibling: number): void {
    const id = `x${this.#made++}`;
    const { parent } = this.#nodes.get(`n${sibling}`) as PlainNode;
    const { children } = this.#nodes.get(parent as string) as PlainNode;
    children.splice(children.indexOf(`n${sibling}`), 0, id);
    this.#nodes.set(id, newNode(id, parent));
  }
  depth(i: number): number {
    let depth = 0;
    for (
      let up = this.#nodes.get(`n${i}`)?.parent ?? null;
      up !== null;
      up = this.#nodes.get(up)?.parent ?? null
    )
      depth++;
    return depth;
  }
}

/** A Map of plain objects behind mutative's drafts. */
export class MutativeTree implements PeerTree {
  #nodes: ReadonlyMap<string, PlainNode> = new Map();
  #made = 0;

  build(count: number, shape: Shape): void {
    this.#nodes = plainNodes(count, shape);
  }
  setTitle(i: number, title: string): void {
    this.#nodes = create(this.#nodes as Map<string, PlainNode>, (draft) => {
      (draft.get(`n${i}`) as PlainNode).title = title;
    });
  }
  snapshot(): unknown {
    return this.#nodes;
  }
  diff(snapshot: unknown): number {
    const old = snapshot as ReadonlyMap<string, PlainNode>;
    let count = 0;
    for (const [id, node] of this.#nodes) if (old.get(id) !== node) count++;
    return count;
  }
  countTasks(): number {
    let count = 0;
    for (const node of this.#nodes.values()) if (isHit(node)) count++;
    return count;
  }
  insertBefore(sibling: number): void {
    const id = `x${this.#made++}`;
    const parent = this.#nodes.get(`n${sibling}`)?.parent as string;
    const at = (this.#nodes.get(parent) as PlainNode).children.indexOf(`n${sibling}`);
    this.#nodes = create(this.#nodes as Map<string, PlainNode>, (draft) => {
      (draft.get(parent) as PlainNode).children.splice(at, 0, id);
      draft.set(id, newNode(id, parent));
    });
  }
  depth(i: number): number {
    let depth = 0;
    for (
      let up = this.#nodes.get(`n${i}`)?.parent ?? null;
      up !== null;
      up = this.#nodes.get(up)?.parent ?? null
    )
      depth++;
    return depth;
  }
}

type ImmutableNode = Omit<PlainNode, "children"> & { readonly children: List<string> };

/** immutable.js in its leaner form: a Map of plain objects with a List of children. */
export class ImmutableTree implements PeerTree {
  #nodes: ImmutableMap<string, ImmutableNode> = ImmutableMap();
  #made = 0;

  build(count: number, shape: Shape): void {
    const none = List<string>();
    this.#nodes = ImmutableMap<string, ImmutableNode>().withMutations((map) => {
      for (const [id, node] of plainNodes(count, shape))
        map.set(id, { ...node, children: node.children.length === 0 ? none : List(node.children) });
    });
  }
  setTitle(i: number, title: string): void {
    this.#nodes = this.#nodes.set(`n${i}`, { ...(this.#nodes.get(`n${i}`) as ImmutableNode), title });
  }
  snapshot(): unknown {
    return this.#nodes;
  }
  diff(snapshot: unknown): number {
    const old = snapshot as ImmutableMap<string, ImmutableNode>;
    let count = 0;
    this.#nodes.forEach((node, id) => {
      if (old.get(id) !== node) count++;
    });
    return count;
  }
  countTasks(): number {
    let count = 0;
    this.#nodes.forEach((node) => {
      if (isHit(node)) count++;
    });
    return count;
  }
  insertBefore(sibling: number): void {
    const id = `x${this.#made++}`;
    const { parent } = this.#nodes.get(`n${sibling}`) as ImmutableNode;
    const up = this.#nodes.get(parent as string) as ImmutableNode;
    const children = up.children.insert(up.children.indexOf(`n${sibling}`), id);
    this.#nodes = this.#nodes
      .set(parent as string, { ...up, children })
      .set(id, { ...newNode(id, parent), children: List() });
  }
  depth(i: number): number {
    let depth = 0;
    for (
      let up = this.#nodes.get(`n${i}`)?.parent ?? null;
      up !== null;
      up = this.#nodes.get(up)?.parent ?? null
    )
      depth++;
    return depth;
  }
}
