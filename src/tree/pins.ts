// Owns: page tokens and the snapshots they pin.
// Must never: hold more than its limits, show one agent what another pinned, or let one agent's pages end another's.

import { HoldfastError, say } from "../errors.ts";
import { DEFAULT_LIMITS, type Limits } from "../limits.ts";
import type { Forest, Found } from "./forest.ts";
import type { Tree } from "./tree.ts";
import type { AgentViews } from "./view.ts";

/** What pages of one query see. */
export interface Pinned {
  /** The trees as they were. */
  readonly forest: Forest;
  /** The agent's views as they were. */
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
  /** How many there are. */
  length = 0;

  /** Adds the nodes of a tree, in order. */
  add(tree: Tree, slots: ArrayLike<number>): void {
    this.#runs.push({ tree, slots, from: this.length });
    this.length += slots.length;
  }

  /** The node at a place in the order. Throws `RangeError` outside it. */
  at(index: number): Found {
    let run = this.#runs[0] as Run;
    for (const next of this.#runs)
      if (next.from <= index && index < next.from + next.slots.length) run = next;
    return { tree: run.tree, slot: run.slots[index - run.from] as number };
  }
}

interface Entry {
  readonly pinned: Pinned;
  /** The places that tokens were given for: no other is read, so that a token cannot be made up. */
  readonly places: Set<number>;
  used: number;
}

/** Agents whose full share of pins is held at once; beyond, the agent with most pins loses its oldest. */
const FULL_SHARES = 16;

/** Pins of one session, in memory, each agent's apart. Time comes from the caller. */
export class Pins {
  readonly #owners = new Map<string, Map<string, Entry>>();
  readonly #limits: Limits;
  #next = 1;
  #size = 0;

  constructor(limits: Limits = DEFAULT_LIMITS) {
    this.#limits = limits;
  }

  /** How many snapshots are held. */
  get size(): number {
    return this.#size;
  }

  /** Pins a snapshot. The agent's own that is unused for longest goes when it has too many. O(agents) at most. */
  keep(owner: string, pinned: Pinned, now: number): string {
    this.#expire(now);
    const share = this.#limits.treePins;
    let entries = this.#owners.get(owner);
    if (entries !== undefined && entries.size >= share) this.#dropOldest(owner, entries);
    else if (this.#size >= share * FULL_SHARES) this.#dropOldest(...this.#largest());
    entries = this.#owners.get(owner);
    if (entries === undefined) this.#owners.set(owner, (entries = new Map()));
    const id = (this.#next++).toString(36);
    entries.set(id, { pinned, places: new Set(), used: now });
    this.#size++;
    return id;
  }

  /** Notes that a token leads on from a place of a pinned query. */
  give(owner: string, id: string, place: number): void {
    this.#owners.get(owner)?.get(id)?.places.add(place);
  }

  /** What a cursor's pages see; `undefined` when it is no longer pinned. Throws `bad_page_token` for a place never given. */
  get(owner: string, { pin, at }: PageCursor, now: number): Pinned | undefined {
    this.#expire(now);
    const entries = this.#owners.get(owner);
    const entry = entries?.get(pin);
    if (entries === undefined || entry === undefined) return undefined;
    if (!entry.places.has(at)) throw badPageToken();
    entry.used = now;
    entries.delete(pin);
    entries.set(pin, entry);
    return entry.pinned;
  }

  #largest(): [owner: string, entries: Map<string, Entry>] {
    let largest: [string, Map<string, Entry>] = ["", new Map()];
    for (const one of this.#owners) if (one[1].size > largest[1].size) largest = one;
    return largest;
  }

  #dropOldest(owner: string, entries: Map<string, Entry>): void {
    const [oldest] = entries.keys();
    if (oldest !== undefined && entries.delete(oldest)) this.#size--;
    if (entries.size === 0) this.#owners.delete(owner);
  }

  #expire(now: number): void {
    const oldest = now - this.#limits.treePinMinutes * 60_000;
    for (const [owner, entries] of this.#owners)
      for (const entry of entries.values()) {
        if (entry.used >= oldest) break;
        this.#dropOldest(owner, entries);
      }
  }
}

/** A place in a pinned query. */
export interface PageCursor {
  /** The snapshot that the pages are of. */
  readonly pin: string;
  /** How many nodes came before. */
  readonly at: number;
}

/** `pin.place.query`, all base 36. The last part ties a token to the arguments it was given for. */
export function writeToken(cursor: PageCursor, query: string): string {
  return `${cursor.pin}.${cursor.at.toString(36)}.${digest(query)}`;
}

export function readToken(token: unknown, query: string): PageCursor {
  const parts =
    typeof token === "string" ? /^([0-9a-z]{1,10})\.([0-9a-z]{1,7})\.([0-9a-z]{1,12})$/.exec(token) : null;
  if (parts === null) throw badPageToken();
  if (parts[3] !== digest(query))
    throw new HoldfastError(
      "invalid_argument",
      "bad_page_token",
      say`This page token belongs to a call with other arguments. Repeat them, or send no token.`,
    );
  return { pin: parts[1] as string, at: Number.parseInt(parts[2] as string, 36) };
}

function badPageToken(): HoldfastError {
  return new HoldfastError(
    "invalid_argument",
    "bad_page_token",
    say`This is no page token. Send the pageToken of the page before, or none for the first page.`,
  );
}

export function expired(): HoldfastError {
  return new HoldfastError(
    "conflict",
    "snapshot_expired",
    say`What this page token was given for is no longer held. Start again without a token.`,
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
