// Owns: the working epoch of one call: drafts of the trees it changes, and the operations it made on the way.
// Must never: let anything out before `done`; the forest it began with stays the truth until the commit is in.

import { HoldfastError, say } from "../errors.ts";
import { DEFAULT_LIMITS, type Limits } from "../limits.ts";
import type { JsonObject } from "../value.ts";
import { TreeDraft } from "./_tree-draft.ts";
import { LARGE_ORDER, rememberOutcome } from "./_outcomes.ts";
import { applyAll, applyToDraft } from "./apply.ts";
import { ROWS_PER_OP } from "./between.ts";
import type { Forest, Found } from "./forest.ts";
import type { PropertyEdit, NodeRow, TreeOp } from "./tree-op.ts";
import type { Steps } from "./steps.ts";
import type { Tree } from "./tree.ts";

/** What a call brings besides its own arguments. */
export interface Caller {
  /** Role of the agent; properties may be limited to roles. */
  readonly role?: string;
  /** The bounds to hold; the defaults when left out. */
  readonly limits?: Limits;
}

/** What a change returns: operations to commit, what to tell the caller, and the forest with them applied. */
export interface Changed<R> {
  /** The operations that make it, to be committed. */
  readonly ops: readonly TreeOp[];
  /** What to tell the caller. */
  readonly result: R;
  /** All trees after the change. */
  readonly forest: Forest;
}

export class ForestEdit {
  readonly limits: Limits;
  readonly role: string | undefined;
  #base: Forest;
  /** One for each tree that changes: nearly always a single one. */
  readonly #drafts: TreeDraft[] = [];
  readonly #ops: TreeOp[] = [];
  /** A large operation that is all there is so far. */
  #large: TreeOp | undefined;

  constructor(forest: Forest, caller: Caller = {}) {
    this.#base = forest;
    this.limits = caller.limits ?? DEFAULT_LIMITS;
    this.role = caller.role;
  }

  /** The forest without what was done so far in drafts. */
  get base(): Forest {
    return this.#base;
  }

  draft(tree: Tree): TreeDraft {
    return this.#drafted(tree.id) ?? this.#begin(tree);
  }

  #drafted(tree: string): TreeDraft | undefined {
    for (const draft of this.#drafts) if (draft.id === tree) return draft;
    return undefined;
  }

  #begin(tree: Tree): TreeDraft {
    const draft = new TreeDraft(tree);
    this.#drafts.push(draft);
    return draft;
  }

  do(op: TreeOp): void {
    this.#ops.push(op);
    if (op.op === "create" || op.op === "drop") {
      this.#base = applyAll(this.#base, [op]);
      return;
    }
    applyToDraft(this.#drafted(op.tree) ?? this.#begin(this.#base.tree(op.tree)), op);
  }

  /** Does a `set` whose outcome is at hand: `payload` is what its edits make of the node's payload. */
  set({ tree, slot }: Found, edits: readonly PropertyEdit[], payload: JsonObject): void {
    const draft = this.draft(tree);
    this.#ops.push({ slice: "tree", op: "set", tree: tree.id, node: draft.idOf(slot), edits });
    draft.setPayload(slot, payload);
  }

  /** Does an `order` whose outcome is at hand: `slots` are the children as `now` names them. */
  *orderSteps(
    tree: Tree,
    parent: number,
    slots: ArrayLike<number>,
    was: string[],
    now: string[],
  ): Steps<void> {
    const draft = this.draft(tree);
    const op: TreeOp = { slice: "tree", op: "order", tree: tree.id, parent: draft.idOf(parent), was, now };
    const alone = this.#ops.push(op) === 1;
    yield* draft.reorderSteps(parent, slots);
    if (alone && now.length > LARGE_ORDER) this.#large = op;
  }

  done<R>(result: R): Changed<R> {
    let forest = this.#base;
    for (const draft of this.#drafts) {
      const after = draft.done();
      if (this.#large !== undefined && this.#ops.length === 1)
        rememberOutcome(this.#large, forest.tree(draft.id), after);
      forest = forest.with(after);
    }
    return { ops: this.#ops, result, forest };
  }
}

/** Makes many nodes: rows are gathered into inserts of bounded size. Each comes last under its parent. */
export class RowBatch {
  readonly #edit: ForestEdit;
  readonly #tree: string;
  readonly #draft: TreeDraft;
  #rows: NodeRow[] = [];
  #made = new Set<number>();
  #last = new Map<number, number>();
  #next: number;

  constructor(edit: ForestEdit, draft: TreeDraft) {
    this.#edit = edit;
    this.#tree = draft.id;
    this.#draft = draft;
    this.#next = draft.size;
  }

  /** Adds a node; its parent must be there or added before. Returns its slot. */
  add(parent: number, node: Omit<NodeRow, "s" | "u" | "a">, slot: number = this.#next): number {
    if (slot >= this.#edit.limits.treeNodes)
      throw new HoldfastError(
        "invalid_argument",
        "too_many_nodes",
        say`A tree holds at most ${this.#edit.limits.treeNodes} nodes, removed ones included.`,
      );
    const inside = this.#made.has(parent);
    const after = inside ? undefined : (this.#last.get(parent) ?? this.#draft.lastOf(parent));
    this.#rows.push({ s: slot, u: parent, ...(after === undefined ? {} : { a: after }), ...node });
    this.#made.add(slot);
    this.#last.set(parent, slot);
    if (slot >= this.#next) this.#next = slot + 1;
    if (this.#rows.length >= ROWS_PER_OP) this.flush();
    return slot;
  }

  flush(): void {
    if (this.#rows.length === 0) return;
    this.#edit.do({ slice: "tree", op: "insert", tree: this.#tree, rows: this.#rows });
    this.#rows = [];
    this.#made = new Set();
    this.#last = new Map();
  }
}
