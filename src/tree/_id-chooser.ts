// Owns: which slot and foreign id each imported node gets.
// Must never: take an id that is in use; it gets a fresh one and is listed.

import { NO_SLOT } from "./_page.ts";
import type { DocumentNode } from "./document.ts";
import type { Forest } from "./forest.ts";
import { nodeIdOf, parseNodeId } from "./node-id.ts";
import { STEP, type Steps } from "./steps.ts";
import type { NodeRecords } from "./tree.ts";

/** An id of a document that could not be given, and the one given instead. */
export interface Renamed {
  /** The id that was asked for. */
  readonly from: string;
  /** The id that was given. */
  readonly to: string;
}

/** Decides which slot and foreign id each imported node gets. */
export class IdChooser {
  readonly renamed: Renamed[] = [];
  readonly #forest: Forest;
  readonly #nodes: NodeRecords;
  readonly #taken = new Set<string>();
  readonly #reach: number;
  #fresh: number;

  private constructor(forest: Forest, nodes: NodeRecords, count: number) {
    this.#forest = forest;
    this.#nodes = nodes;
    // A hole costs memory, so an id of our form is taken only from near where slots are given out.
    this.#reach = nodes.size + count * 4 + 1_024;
    this.#fresh = nodes.size;
  }

  /** For the nodes of a document from `first` on; slots named by their ids are not given out as fresh ones. */
  static *forSteps(
    forest: Forest,
    nodes: NodeRecords,
    document: readonly DocumentNode[],
    first: number,
  ): Steps<IdChooser> {
    const chooser = new IdChooser(forest, nodes, document.length - first);
    for (let i = first; i < document.length; i++) {
      const slot = chooser.#ownSlot(document[i]?.id);
      if (slot >= chooser.#fresh) chooser.#fresh = slot + 1;
      if (i % STEP === 0) yield;
    }
    return chooser;
  }

  #ownSlot(id: string | undefined): number {
    const own = id === undefined ? undefined : parseNodeId(id);
    return own?.ordinal === this.#nodes.facts.ordinal && own.slot < this.#reach ? own.slot : NO_SLOT;
  }

  fresh(): number {
    while (this.#nodes.holds(this.#fresh)) this.#fresh++;
    return this.#fresh++;
  }

  /** `revive`: the slot holds the removed node of that id. */
  choose(id: string | undefined, maxLength: number): { slot: number; alias?: string; revive: boolean } {
    if (id === undefined) return { slot: this.fresh(), revive: false };
    const known = this.#nodes.slotOf(id);
    if (!this.#taken.has(id) && known !== NO_SLOT && !this.#nodes.isLive(known)) {
      this.#taken.add(id);
      return { slot: known, revive: true };
    }
    const slot = this.#ownSlot(id);
    const elsewhere = [...this.#forest.all.values()].some(
      (tree) => tree.id !== this.#nodes.id && tree.slotOf(id) !== NO_SLOT,
    );
    const free = !this.#taken.has(id) && known === NO_SLOT && !elsewhere && id.length <= maxLength;
    if (free && slot !== NO_SLOT && !this.#nodes.holds(slot)) {
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
