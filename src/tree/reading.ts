// Owns: what every paged read needs: whose views, which pins, how large a page, how many characters.

import { HoldfastError, say, type Shown } from "../errors.ts";
import { DEFAULT_LIMITS, type Limits } from "../limits.ts";
import type { Forest } from "./forest.ts";
import { expired, readToken, writeToken, type Pinned, type Pins } from "./pins.ts";
import { NO_VIEWS, type AgentViews } from "./view.ts";

/** The context of a read. */
export interface TreeReading {
  /** The trees. */
  readonly forest: Forest;
  /** The agent's own views; none: the defaults. */
  readonly views?: AgentViews;
  /** Where page tokens pin their snapshots. Without, nothing is paged: a cut page has no token. */
  readonly pins?: Pins;
  /** Whose pages these are. */
  readonly agent?: string;
  /** Milliseconds; only for the age of page tokens. */
  readonly now?: number;
  /** The bounds to hold; the defaults when left out. */
  readonly limits?: Limits;
  /** Characters of JSON one page may have. */
  readonly budget?: number;
}

/** How many nodes a page has (50 unless told, at most 200) and the token of the page before. */
export interface Paging {
  /** Nodes on a page; 50 when left out. */
  readonly pageSize?: number;
  /** From the page before. */
  readonly pageToken?: string;
}

const PAGE_SIZE = 50;

/** One page's frame: the snapshot to read, where to go on, how many nodes, and how to write the next token. */
export interface Sheet {
  readonly pinned: Pinned;
  readonly size: number;
  /** The place of the page before; -1 on the first. */
  readonly at: number;
  readonly notes: readonly Shown[];
  readonly limits: Limits;
  readonly budget: number;
  /** The token that leads on after `at`. */
  token(at: number, pinned?: Pinned): string | undefined;
}

/** `query` is the text of all arguments but the token. */
export function openSheet(reading: TreeReading, paging: Paging, query: string): Sheet {
  const limits = reading.limits ?? DEFAULT_LIMITS;
  const notes: Shown[] = [];
  const asked = paging.pageSize ?? Math.min(PAGE_SIZE, limits.treePageItems);
  if (!Number.isInteger(asked) || asked < 1)
    throw new HoldfastError("invalid_argument", "bad_page_size", say`A page has at least one node.`);
  const size = Math.min(asked, limits.treePageItems);
  if (size < asked)
    notes.push(say`A page has at most ${limits.treePageItems} nodes; ${asked} were asked for.`);
  const agent = reading.agent ?? "";
  const now = reading.now ?? 0;
  let pinned: Pinned = { forest: reading.forest, views: reading.views ?? NO_VIEWS };
  let pin: string | undefined;
  let at = -1;
  if (paging.pageToken !== undefined) {
    const cursor = readToken(paging.pageToken, query);
    const known = reading.pins?.get(agent, cursor, now);
    if (known === undefined) throw expired();
    pinned = known;
    pin = cursor.pin;
    at = cursor.at;
  }
  return {
    pinned,
    size,
    at,
    notes,
    limits,
    budget: reading.budget ?? Infinity,
    token(next, keep = pinned) {
      if (reading.pins === undefined) return undefined;
      pin ??= reading.pins.keep(agent, keep, now);
      reading.pins.give(agent, pin, next);
      return writeToken({ pin, at: next }, query);
    },
  };
}
