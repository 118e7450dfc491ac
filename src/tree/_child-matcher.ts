// Owns: finding children by name, for documents and branches that do not share ids with the tree.

import { NO_SLOT } from "./_page.ts";
import { nodeName } from "./payload.ts";
import type { Steps } from "./steps.ts";
import type { NodeRecords } from "./tree.ts";

const DEFAULT_TYPE = "Node";
/** Names looked at between two pauses. */
const NAMES_A_STEP = 1_024;

/** What a node is called among its siblings: its name, else its type. */
export function keyOf(name: string | undefined, type: string | undefined): string {
  return name === undefined ? `t:${type ?? DEFAULT_TYPE}` : `n:${name}`;
}

/** Finds children by name; the n-th asked for gets the n-th there is. */
export class ChildMatcher {
  readonly #nodes: NodeRecords;
  readonly #lists = new Map<number, Map<string, number[]>>();

  constructor(nodes: NodeRecords) {
    this.#nodes = nodes;
  }

  /** The first one asked of a parent costs a look at all its children. */
  *takeSteps(parent: number, key: string): Steps<number> {
    let lists = this.#lists.get(parent);
    if (lists === undefined) {
      lists = yield* this.#childrenSteps(parent);
      this.#lists.set(parent, lists);
    }
    return lists.get(key)?.pop() ?? NO_SLOT;
  }

  /** The children of each name, the last one first: they are taken from the end. */
  *#childrenSteps(parent: number): Steps<Map<string, number[]>> {
    const nodes = this.#nodes;
    const lists = new Map<string, number[]>();
    let seen = 0;
    for (let at = nodes.lastOf(parent); at !== NO_SLOT; at = nodes.prevOf(at)) {
      const own = keyOf(nodeName(nodes.payloadOf(at)), nodes.typeOf(at));
      const list = lists.get(own);
      if (list === undefined) lists.set(own, [at]);
      else list.push(at);
      if (++seen % NAMES_A_STEP === 0) yield;
    }
    return lists;
  }
}
