// Owns: the proof that an edit did what was asked, made before the caller sees a result.
//
// The edited part of the container is read again with the new bytes in place, from the end of the member before it to
// the start of the member after it; those two are replaced by stand-ins, so that the cost does not depend on their
// size. What is read must be valid, hold exactly the members expected, and give the value asked for. A container that is
// small is also searched again from its start, the way a reader would.

import type { Steps } from "../../text/steps.ts";
import { HoldfastError, say } from "../../errors.ts";
import { keyName } from "../scan/members.ts";
import { memorySource } from "../scan/memory-source.ts";
import { openScanner } from "../scan/open.ts";
import { type IndexableScanner, type Mode, NONE, type Scanner, settle } from "../scan/scanner.ts";
import { literalAt } from "../scan/value.ts";
import { sameTokens } from "./tokens.ts";
import { findKey, findKeys } from "./locate.ts";
import type { ValueBytes } from "./given-value.ts";
import type { NewMember } from "./write.ts";

/** What must be true after the edit. Offsets are those of the edited bytes. */
export interface Claim {
  readonly container: number;
  readonly object: boolean;
  /** Where the member before ends; NONE when the edited part reaches the opening bracket. */
  readonly from: number;
  /** Where the member after starts, or one past the closing bracket when there is none. */
  readonly to: number;
  readonly hasNext: boolean;
  /** The members that the edited part must hold, in order. */
  readonly members: readonly NewMember[];
}

/** Containers up to this size are searched again as a whole. */
const SMALL = 256 * 1024;

const encoder = new TextEncoder();

/**
 * Throws `internal` / `edit_not_proven` when a claim does not hold; then nothing may be written. Scanners share one
 * window, so the edited document is read for all claims before their excerpts are.
 */
export function* prove(edited: IndexableScanner, claims: readonly Claim[], mode: Mode): Steps<void> {
  const excerpts: Uint8Array[] = [];
  const pairs: Pair[] = [];
  for (const claim of claims) {
    excerpts.push(excerptOf(edited, claim));
    if (claim.object && claim.members.length > 0) yield* readByName(edited, claim, pairs);
  }
  for (const [i, claim] of claims.entries())
    readExcerpt(openScanner(memorySource(excerpts[i] ?? "")), claim, mode, pairs);
  for (const pair of pairs) ensure(isRequest(pair));
}

/** What was read back, and what it has to be. */
interface Pair {
  readonly read: Uint8Array;
  readonly asked: ValueBytes;
}

/** The same tokens as in the request: nothing was reprinted, only the blanks between may differ. */
function isRequest({ read, asked }: Pair): boolean {
  return sameTokens(asked, read);
}

function excerptOf(edited: Scanner, { container, object, from, to, hasNext }: Claim): Uint8Array {
  const standIn = object ? '"":0' : "0";
  const head = from === NONE ? "" : `${object ? "{" : "["}${standIn}`;
  const foot = hasNext ? `${standIn}${object ? "}" : "]"}` : "";
  return joined(head, edited.bytes(from === NONE ? container : from, to), foot);
}

function readExcerpt(excerpt: Scanner, { from, hasNext, members }: Claim, mode: Mode, pairs: Pair[]): void {
  ensure(excerpt.validate(mode) === NONE);
  const children = excerpt.children(excerpt.root());
  const lead = from === NONE ? 0 : 1;
  for (let start = children.next(); start !== NONE; start = children.next()) {
    const member = members[children.index - lead];
    if (member === undefined) continue;
    const { name, value } = member;
    pairs.push({ read: literalAt(excerpt, start), asked: value });
    if (name !== undefined) ensure(keyName(excerpt, children.keyStart, children.keyEnd) === name);
  }
  ensure(children.index + 1 === lead + members.length + (hasNext ? 1 : 0));
}

function* readByName(edited: IndexableScanner, { container, members }: Claim, pairs: Pair[]): Steps<void> {
  const end = yield* settle(edited, edited.end(container));
  if (end - container > SMALL) return;
  const names = members.map(({ name }) => name ?? "");
  const found = yield* findKeys(edited, container, names);
  for (const { name, value } of members) {
    const start = found.get(name ?? "")?.frame.start ?? NONE;
    ensure(start !== NONE);
    pairs.push({ read: literalAt(edited, start), asked: value });
  }
}

/** A value replaced in place. Offsets are those of the edited bytes. */
export interface Replaced {
  readonly at: number;
  readonly end: number;
  readonly asked: ValueBytes;
}

/** Each is one valid value that equals its request. */
export function* proveValues(edited: Scanner, values: readonly Replaced[]): Steps<void> {
  const pairs: Pair[] = [];
  for (const { at, end, asked } of values) {
    ensure((yield* settle(edited, edited.end(at))) === end);
    pairs.push({ read: edited.bytes(at, end), asked });
  }
  for (const { read } of pairs) ensure(openScanner(memorySource(read)).validate("strict") === NONE);
  for (const pair of pairs) ensure(isRequest(pair));
}

function joined(head: string, middle: Uint8Array, foot: string): Uint8Array {
  const [before, after] = [encoder.encode(head), encoder.encode(foot)];
  const all = new Uint8Array(before.length + middle.length + after.length);
  all.set(before);
  all.set(middle, before.length);
  all.set(after, before.length + middle.length);
  return all;
}

export function notProven(): HoldfastError {
  return new HoldfastError(
    "internal",
    "edit_not_proven",
    say`The edit was planned, but reading it back did not give what was asked for. Nothing was changed.`,
  );
}

function ensure(holds: boolean): void {
  if (!holds) throw notProven();
}

/** The key is gone. Looked up again where the container is small; else the proofs of its parts are enough. */
export function* proveAbsent(edited: Scanner, container: number, name: string): Steps<void> {
  const end = yield* settle(edited, edited.end(container));
  if (end - container > SMALL) return;
  ensure((yield* findKey(edited, container, name)) === undefined);
}
