// Owns: page tokens and the snapshots they pin.
// Must never: keep more than its limits, or show one agent what another pinned.

import { HoldfastError, say } from "../errors.ts";
import { DEFAULT_LIMITS, type Limits } from "../limits.ts";
import type { Forest, Found } from "./forest.ts";
import type { Tree } from "./tree.ts";
import type { AgentViews } from "./view.ts";

/** What pages of one query see. */
export interface Pinned {
  readonly forest: Forest;
  readonly views: AgentViews;
  /** The hits of a query that was run once, for its later pages. */
  readonly hits?: Hits;
}

interface Run {
  readonly tree: Tree;
  readonly slots: ArrayLike<number>;
  readonly from: number;
}

/** Nodes of one or several trees, in order. */
export class Hits {
  readonly #runs: Run[] = [];
  length = 0;

  add(tree: Tree, slots: ArrayLike<number>): void {
    this.#runs.push({ tree, slots, from: this.length });
    this.length += slots.length;
  }

  at(index: number): Found {
    let run = this.#runs[0] as Run;
    for (const next of this.#runs)
      if (next.from <= index && index < next.from + next.slots.length) run = next;
    return { tree: run.tree, slot: run.slots[index - run.from] as number };
  }
}

interface Entry {
  readonly owner: string;
  readonly pinned: Pinned;
  used: number;
}

/** Pins of one session, in memory. Time comes from the caller. */
export class Pins {
  readonly #entries = new Map<string, Entry>();
  readonly #limits: Limits;
  #next = 1;

  constructor(limits: Limits = DEFAULT_LIMITS) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Keeps a snapshot; the one unused for longest goes when there are too many. */
  keep(owner: string, pinned: Pinned, now: number): string {
    this.#expire(now);
    while (this.#entries.size >= this.#limits.treePins) {
      const [oldest] = this.#entries.keys();
      if (oldest === undefined) break;
      this.#entries.delete(oldest);
    }
    const id = (this.#next++).toString(36);
    this.#entries.set(id, { owner, pinned, used: now });
    return id;
  }

  get(owner: string, id: string, now: number): Pinned | undefined {
    this.#expire(now);
    const entry = this.#entries.get(id);
    if (entry?.owner !== owner) return undefined;
    entry.used = now;
    this.#entries.delete(id);
    this.#entries.set(id, entry);
    return entry.pinned;
  }

  #expire(now: number): void {
    const oldest = now - this.#limits.treePinMinutes * 60_000;
    for (const [id, entry] of this.#entries) {
      if (entry.used >= oldest) break;
      this.#entries.delete(id);
    }
  }
}

/** A place in a pinned query. */
export interface PageCursor {
  readonly pin: string;
  readonly at: number;
}

/** `pin.place.query`, all base 36. The last part ties a token to the arguments it was given for. */
export function writeToken(cursor: PageCursor, query: string): string {
  return `${cursor.pin}.${cursor.at.toString(36)}.${digest(query)}`;
}

export function readToken(token: unknown, query: string): PageCursor {
  const parts =
    typeof token === "string" ? /^([0-9a-z]{1,10})\.([0-9a-z]{1,7})\.([0-9a-z]{1,12})$/.exec(token) : null;
  if (parts === null)
    throw new HoldfastError(
      "invalid_argument",
      "bad_page_token",
      say`This is no page token. Send the pageToken of the page before, or none for the first page.`,
    );
  if (parts[3] !== digest(query))
    throw new HoldfastError(
      "invalid_argument",
      "bad_page_token",
      say`This page token belongs to a call with other arguments. Repeat them, or send no token.`,
    );
  return { pin: parts[1] as string, at: Number.parseInt(parts[2] as string, 36) };
}

export function expired(): HoldfastError {
  return new HoldfastError(
    "conflict",
    "snapshot_expired",
    say`The snapshot behind this page token is no longer kept. Start again without a token.`,
  );
}

/** Two 26-bit hashes of the query's text. */
function digest(text: string): string {
  let a = 0x811c9dc5;
  let b = 0x9e3779b9;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    a = Math.imul(a ^ unit, 0x01000193);
    b = Math.imul(b ^ unit, 0x85ebca6b);
  }
  return ((a >>> 6) * 0x4000000 + (b >>> 6)).toString(36);
}
