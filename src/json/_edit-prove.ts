// Owns: the proof that an edit did what was asked, made before anybody hears of it.
//
// The edited part of the container is read again with the new bytes in place, from the end of the member before it to
// the start of the member behind it; those two are replaced by stand-ins, so that the cost does not depend on their
// size. What is read must be valid, hold exactly the members expected, and give the value asked for. A container that is
// small is also searched again from its start, the way a reader would.

import { HoldfastError, say } from "../errors.ts";
import { keyName } from "./_members.ts";
import { memorySource } from "./memory-source.ts";
import { openScanner } from "./open.ts";
import { type Mode, NONE, type Scanner, settle } from "./scanner.ts";
import { literalAt } from "./_value.ts";
import { sameTokens } from "./_edit-layout.ts";
import { findKey } from "./_edit-locate.ts";

/** A value that was asked for, in its own bytes. */
export interface Asked {
  readonly value: Scanner;
  readonly at: number;
}

/** What must be true after the edit. Offsets are those of the edited bytes. */
export interface Claim {
  readonly container: number;
  readonly object: boolean;
  /** Where the member before ends; NONE when the edited part reaches the opening bracket. */
  readonly from: number;
  /** Where the member behind starts, or one past the closing bracket when there is none. */
  readonly to: number;
  readonly hasNext: boolean;
  /** Members the edited part must hold. */
  readonly members: number;
  /** The one asked for, when there is one. */
  readonly target: (Asked & { readonly name: string | undefined }) | undefined;
}

/** Containers up to this size are searched again as a whole. */
const SMALL = 256 * 1024;

const encoder = new TextEncoder();

/** Throws `internal` / `edit_not_proven` when the claim does not hold; then nothing may be written. */
export function* prove(edited: Scanner, claim: Claim, mode: Mode): Generator<void, void, void> {
  const { container, object, hasNext, target } = claim;
  const open = object ? "{" : "[";
  const standIn = object ? '"":0' : "0";
  const head = claim.from === NONE ? "" : `${open}${standIn}`;
  const foot = hasNext ? `${standIn}${object ? "}" : "]"}` : "";
  const from = claim.from === NONE ? container : claim.from;
  const excerpt = openScanner(memorySource(joined(head, edited.bytes(from, claim.to), foot)));
  ensure(excerpt.validate(mode) === NONE);
  const children = excerpt.children(excerpt.root());
  const lead = claim.from === NONE ? 0 : 1;
  let found: number = NONE;
  for (let start = children.next(); start !== NONE; start = children.next()) {
    if (children.index !== lead || target === undefined) continue;
    found = start;
    if (target.name !== undefined)
      ensure(keyName(excerpt, children.keyStart, children.keyEnd) === target.name);
  }
  ensure(children.index + 1 === lead + claim.members + (hasNext ? 1 : 0));
  if (target === undefined) return;
  ensure(isRequest(excerpt, found, target));
  if (target.name !== undefined) yield* proveByName(edited, container, target.name, target);
}

function* proveByName(
  edited: Scanner,
  container: number,
  name: string,
  target: Asked,
): Generator<void, void, void> {
  const end = yield* settle(edited, edited.end(container));
  if (end - container > SMALL) return;
  const member = yield* findKey(edited, container, name);
  ensure(member !== undefined && isRequest(edited, member.frame.start, target));
}

/** The value replaced in place: one valid value that equals the request. */
export function* proveValue(
  edited: Scanner,
  at: number,
  end: number,
  target: Asked,
): Generator<void, void, void> {
  ensure((yield* settle(edited, edited.end(at))) === end);
  const alone = openScanner(memorySource(edited.bytes(at, end)));
  ensure(alone.validate("strict") === NONE);
  ensure(isRequest(edited, at, target));
}

/** The same tokens as in the request: nothing was reprinted, only the blanks between may differ. */
function isRequest(edited: Scanner, at: number, { value, at: asked }: Asked): boolean {
  return at !== NONE && sameTokens(literalAt(value, asked), literalAt(edited, at));
}

function joined(head: string, middle: Uint8Array, foot: string): Uint8Array {
  const [before, after] = [encoder.encode(head), encoder.encode(foot)];
  const all = new Uint8Array(before.length + middle.length + after.length);
  all.set(before);
  all.set(middle, before.length);
  all.set(after, before.length + middle.length);
  return all;
}

function ensure(holds: boolean): void {
  if (!holds)
    throw new HoldfastError(
      "internal",
      "edit_not_proven",
      say`The edit was planned, but reading it back did not give what was asked for. Nothing was changed.`,
    );
}

/** The key is gone. Looked up again where the container is small; else the proofs of its parts stand. */
export function* proveAbsent(edited: Scanner, container: number, name: string): Generator<void, void, void> {
  const end = yield* settle(edited, edited.end(container));
  if (end - container > SMALL) return;
  ensure((yield* findKey(edited, container, name)) === undefined);
}
