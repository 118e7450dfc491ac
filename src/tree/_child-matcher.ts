// Owns: finding children by name, for documents and branches that do not share ids with the tree.

import { NONE } from "./_page.ts";
import { nameOf } from "./payload.ts";
import type { Nodes } from "./tree.ts";

const DEFAULT_TYPE = "Node";

/** What a node is called among its siblings: its name, else its type. */
export function keyOf(name: string | undefined, type: string | undefined): string {
  return name === undefined ? `t:${type ?? DEFAULT_TYPE}` : `n:${name}`;
}

/** Finds children by name; the n-th asked for gets the n-th there is. */
export class ChildMatcher {
  readonly #nodes: Nodes;
  readonly #lists = new Map<number, Map<string, number[]>>();

  constructor(nodes: Nodes) {
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
