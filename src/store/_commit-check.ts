// Owns: what a commit is checked against, and in which order. Memory and SQLite run this same function inside their lock;
// PostgreSQL runs the same steps in one stored function.
// Must never: call anything but plain lookups, and never wait.

import type { Append, Appended, Expectation, Key, NextRecord, Position } from "./journal.ts";

export interface Ledger {
  readonly genesis: Position;
  /** The number of the last record. */
  readonly head: number;
  readonly usage: { readonly bytes: number; readonly files: number };
  /** Where the stored result of this agent's key is, and for which request. */
  stored(agent: string, once: string): { readonly request: string; readonly seq: number } | undefined;
  /** Who has the turn now, if anyone. */
  turn(): string | undefined;
  last(key: Key): Position | undefined;
}

export type CommitTerms = Pick<
  Append,
  "agent" | "once" | "turn" | "request" | "expect" | "delta" | "quota"
> & {
  readonly next?: Pick<NextRecord, "delta">;
};

export type CommitVerdict =
  | "commit"
  | { readonly replayOf: number }
  | Exclude<Appended, { readonly at: Position }>;

export function checkCommit(commit: CommitTerms, ledger: Ledger): CommitVerdict {
  if (commit.once !== undefined) {
    const stored = ledger.stored(commit.agent, commit.once);
    if (stored !== undefined)
      return stored.request === commit.request ? { replayOf: stored.seq } : { keyReused: true };
  }
  const holder = ledger.turn();
  if (holder !== undefined && holder !== commit.turn) return { turnTaken: true };
  const moved: { key: Key; at: Position }[] = [];
  for (const expected of commit.expect) {
    // What was read at the head cannot have moved.
    if (!expected.pinned && expected.seq >= ledger.head) continue;
    const at = ledger.last(expected.key) ?? ledger.genesis;
    if (!holds(expected, at)) moved.push({ key: expected.key, at });
  }
  if (moved.length > 0) return { moved };
  const { usage } = ledger;
  for (const what of ["bytes", "files"] as const) {
    const delta = commit.delta[what] + (commit.next?.delta[what] ?? 0);
    // What shrinks is always allowed, also in a session that is over its quota because the host lowered it.
    if (delta > 0 && usage[what] + delta > commit.quota[what]) return { overQuota: what };
  }
  return "commit";
}

/** A pinned key must be exactly where the caller saw it; a key that was only read must not have moved since then. */
function holds(expected: Expectation, at: Position): boolean {
  if (!expected.pinned) return at.seq <= expected.seq;
  return expected.seq === at.seq && (expected.hash === undefined || at.hash.startsWith(expected.hash));
}
