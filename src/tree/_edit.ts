// Owns: the working epoch of one call: drafts of the trees it changes, and the operations it made on the way.
// Must never: let anything out before `done`; the forest it began with stays the truth until the commit is in.

import { HoldfastError, say } from "../errors.ts";
import { DEFAULT_LIMITS, type Limits } from "../limits.ts";
import { Draft } from "./_draft.ts";
import { applyAll, applyToDraft } from "./apply.ts";
import { ROWS_PER_OP } from "./between.ts";
import { Forest } from "./forest.ts";
import type { NodeRow, TreeOp } from "./operation.ts";
import type { Tree } from "./tree.ts";

/** What a call brings besides its own arguments. */
export interface Caller {
  /** Role of the agent; properties may be limited to roles. */
  readonly role?: string;
  readonly limits?: Limits;
}

/** What a change answers: operations to commit, what to tell the caller, and the forest with them applied. */
export interface Changed<R> {
  readonly ops: readonly TreeOp[];
  readonly result: R;
  readonly forest: Forest;
}

export class Edit {
  readonly limits: Limits;
  readonly role: string | undefined;
  #base: Forest;
  readonly #drafts = new Map<string, Draft>();
  readonly #ops: TreeOp[] = [];

  constructor(forest: Forest, caller: Caller = {}) {
    this.#base = forest;
    this.limits = caller.limits ?? DEFAULT_LIMITS;
    this.role = caller.role;
  }

  /** The forest without what was done so far in drafts. */
  get base(): Forest {
    return this.#base;
  }

  draft(tree: Tree): Draft {
    let draft = this.#drafts.get(tree.id);
    if (draft === undefined) {
      draft = new Draft(tree);
      this.#drafts.set(tree.id, draft);
    }
    return draft;
  }

  do(op: TreeOp): void {
    this.#ops.push(op);
    if (op.op === "create") {
      this.#base = applyAll(this.#base, [op]);
      return;
    }
    const draft = this.#drafts.get(op.tree) ?? this.draft(this.#base.tree(op.tree));
    applyToDraft(draft, op);
  }

  done<R>(result: R): Changed<R> {
    let forest = this.#base;
    for (const draft of this.#drafts.values()) forest = forest.with(draft.done());
    return { ops: this.#ops, result, forest };
  }
}

/** Makes many nodes: rows are gathered into inserts of bounded size. Each comes last under its parent. */
export class RowBatch {
  readonly #edit: Edit;
  readonly #tree: string;
  readonly #draft: Draft;
  #rows: NodeRow[] = [];
  #made = new Set<number>();
  #last = new Map<number, number>();
  #next: number;

  constructor(edit: Edit, draft: Draft) {
    this.#edit = edit;
    this.#tree = draft.id;
    this.#draft = draft;
    this.#next = draft.size;
  }

  /** The next free slot. */
  free(): number {
    return this.#next;
  }

  /** Adds a node; its parent must be there or added before. Answers its slot. */
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
