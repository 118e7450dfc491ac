// Owns: finding children by name, for documents and branches that do not share ids with the tree.

import { NO_SLOT } from "./_page.ts";
import { nodeName } from "./payload.ts";
import type { NodeRecords } from "./tree.ts";

const DEFAULT_TYPE = "Node";

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

  take(parent: number, key: string): number {
    let lists = this.#lists.get(parent);
    if (lists === undefined) {
      lists = new Map();
      for (let at = this.#nodes.firstOf(parent); at !== NO_SLOT; at = this.#nodes.nextOf(at)) {
        const own = keyOf(nodeName(this.#nodes.payloadOf(at)), this.#nodes.typeOf(at));
        const list = lists.get(own);
        if (list === undefined) lists.set(own, [at]);
        else list.push(at);
      }
      // Taken from the end.
      for (const list of lists.values()) list.reverse();
      this.#lists.set(parent, lists);
    }
    return lists.get(key)?.pop() ?? NO_SLOT;
  }
}
