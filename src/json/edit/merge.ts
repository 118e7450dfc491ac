// Owns: merging an object into another: one walk over each object that both sides have, all changes made at once.
// Must never: cost more than that. A merge can bring as many keys as it likes.

import { HoldfastError, say } from "../../errors.ts";
import type { Steps } from "../../text/steps.ts";
import type { Splice } from "../../text/splice.ts";
import type { JsonPathStep } from "../path/ast.ts";
import { type JsonChange, isThere, rangeOf } from "./change.ts";
import { findKeys, type Located, locate, shownPath, wrongKind } from "./locate.ts";
import { type Claim, prove, proveValues } from "./prove.ts";
import { AT_END, rowsAround } from "./member-rows.ts";
import { Siblings } from "./shape.ts";
import type { PathFrame } from "./style.ts";
import type { ValueBytes } from "./given-value.ts";
import { addition, type NewMember, openingIn, replacement } from "./write.ts";
import type { WorkingDocument } from "./working-document.ts";
import { keyName, openMembers } from "../scan/members.ts";
import { memorySource } from "../scan/memory-source.ts";
import { JsScanner } from "../scan/js-scanner.ts";
import { lengthsOf, Moves } from "../scan/moves.ts";
import { type IndexableScanner, type Mode, NONE, type Scanner, settle } from "../scan/scanner.ts";

/** A value replaced in place. Offsets are those before the merge. */
interface Replaced {
  readonly start: number;
  readonly end: number;
  readonly value: ValueBytes;
}

/** Members added after the last one of an object. Offsets are those before the merge. */
interface Added {
  readonly container: number;
  /** Where the last member ends; NONE when there is none. */
  readonly from: number;
  /** One past the closing bracket. */
  readonly to: number;
  readonly members: readonly NewMember[];
}

const encoder = new TextEncoder();

export function* mergeObject(
  document: WorkingDocument,
  steps: readonly JsonPathStep[],
  updates: ValueBytes,
  deep: boolean,
): Steps<JsonChange> {
  const target = yield* locate(document.scanner, steps);
  const kind = document.scanner.kind(target.at);
  if (kind !== "object") throw wrongKind(shownPath(target.steps), kind, "object");
  if (updates[0] !== 0x7b)
    throw new HoldfastError(
      "invalid_argument",
      "invalid_value",
      say`Only an object can be merged into an object.`,
    );
  const merge = yield* MergePlan.plan(document.scanner, target, updates, deep);
  const { splices, count, valueBytes } = merge;
  if (splices.length > 0) {
    yield* document.applySteps(splices);
    yield* merge.prove(document.scanner, document.mode);
  }
  const line = (yield* settle(document.scanner, document.scanner.lines(merge.firstAt ?? target.at))) + 1;
  const range = splices.length === 0 ? { at: target.at, removed: 0, inserted: 0 } : rangeOf(splices);
  const twins = merge.duplicates > 1 ? { duplicates: merge.duplicates } : {};
  return { path: target.steps, ...range, line, valueBytes, count, ...twins };
}

/** What a merge does to a document, before it is done. */
class MergePlan {
  /** Sorted, not overlapping. */
  splices: readonly Splice[] = [];
  /** Values set, those that were so already included. */
  count = 0;
  /** Bytes of the values as they are written. */
  valueBytes = 0;
  /** How often the key occurs that occurs most often. */
  duplicates = 0;
  readonly #replaced: Replaced[] = [];
  readonly #added: Added[] = [];
  /** For each addition: the first of its splices, and where its first member is if no other comes before it. */
  readonly #members = new Map<Splice, number>();

  /** Plans to merge `updates` into the object `target`; with `deep` also into the objects that both sides have. */
  static *plan(
    scanner: IndexableScanner,
    target: Located,
    updates: ValueBytes,
    deep: boolean,
  ): Steps<MergePlan> {
    const merge = new MergePlan();
    const splices: Splice[] = [];
    const parts: Part[] = [{ object: target, updates }];
    // It grows while it is walked over.
    for (const part of parts) yield* merge.#plan(scanner, part, deep ? parts : undefined, splices);
    merge.splices = splices.sort((a, b) => a.at - b.at);
    return merge;
  }

  /** Where the first change begins in the edited bytes: a value or a member, not the comma before it. */
  get firstAt(): number | undefined {
    const first = this.splices[0];
    return first === undefined ? undefined : (this.#members.get(first) ?? first.at);
  }

  *#plan(
    scanner: IndexableScanner,
    { object, updates }: Part,
    deeper: Part[] | undefined,
    splices: Splice[],
  ): Steps<void> {
    const wanted = yield* membersOf(updates);
    const found = yield* findKeys(scanner, object.at, [...wanted.keys()]);
    const siblings = new Siblings(scanner, object.at);
    const fresh: NewMember[] = [];
    for (const [name, value] of wanted) {
      const { frame, occurrences = 0 } = found.get(name) ?? {};
      this.duplicates = Math.max(this.duplicates, occurrences);
      if (frame === undefined) fresh.push({ name, value });
      else if (deeper !== undefined && areObjects(scanner, frame.start, value))
        deeper.push({ object: within(object, frame, name), updates: value });
      else yield* this.#replace(scanner, object, frame, value, siblings, splices);
    }
    if (fresh.length > 0) yield* this.#add(scanner, object, fresh, splices);
  }

  *#replace(
    scanner: Scanner,
    object: Located,
    frame: PathFrame,
    value: ValueBytes,
    siblings: Siblings,
    splices: Splice[],
  ): Steps<void> {
    const { start } = frame;
    const end = yield* settle(scanner, scanner.end(start));
    const insert = encoder.encode(yield* replacement(scanner, object, frame, value, siblings));
    this.count++;
    this.valueBytes += insert.length;
    if (isThere(scanner, start, end, insert)) return;
    splices.push({ at: start, remove: end - start, insert });
    this.#replaced.push({ start, end, value });
  }

  *#add(
    scanner: IndexableScanner,
    object: Located,
    members: readonly NewMember[],
    splices: Splice[],
  ): Steps<void> {
    const opening = yield* openingIn(scanner, object, yield* rowsAround(scanner, object.at, AT_END));
    const plan = yield* addition(scanner, object, opening, members);
    this.count += members.length;
    this.valueBytes += plan.valueBytes;
    splices.push(...plan.splices);
    const [first] = plan.splices;
    if (first !== undefined) this.#members.set(first, plan.memberAt);
    const to = opening.close + 1;
    this.#added.push({ container: object.at, from: opening.prev?.end ?? NONE, to, members });
  }

  /** Throws `internal` / `edit_not_proven` unless every value reads back as it was given. */
  *prove(edited: IndexableScanner, mode: Mode): Steps<void> {
    const moves = new Moves(lengthsOf(this.splices));
    const moved = (at: number): number => moves.boundary(at);
    const replaced = this.#replaced.map(({ start, end, value }) => ({
      at: moved(start),
      end: moved(end),
      asked: value,
    }));
    const claims = this.#added.map(({ container, from, to, members }): Claim => ({
      container: moved(container),
      object: true,
      from: from === NONE ? NONE : moved(from),
      to: moved(to),
      hasNext: false,
      members,
    }));
    // In the order of the document, so that each of its windows is read once.
    yield* proveValues(
      edited,
      replaced.sort((a, b) => a.at - b.at),
    );
    yield* prove(
      edited,
      claims.sort((a, b) => a.to - b.to),
      mode,
    );
  }
}

/** An object of the document and what comes into it. */
interface Part {
  readonly object: Located;
  readonly updates: ValueBytes;
}

function within(object: Located, frame: PathFrame, name: string): Located {
  return {
    at: frame.start,
    frames: [...object.frames, frame],
    steps: [...object.steps, name],
    occurrences: 1,
  };
}

function areObjects(scanner: Scanner, at: number, value: ValueBytes): boolean {
  return scanner.byte(at) === 0x7b && value[0] === 0x7b;
}

/**
 * The members of an object given as bytes. The TypeScript scanner reads them: it leaves the window that the others
 * share to the document.
 */
function* membersOf(object: ValueBytes): Steps<ReadonlyMap<string, ValueBytes>> {
  const scanner = new JsScanner(memorySource(object), {});
  const named = new Map<string, ValueBytes>();
  const members = yield* openMembers(scanner, 0);
  for (let start = members.next(); start !== NONE; start = members.next())
    named.set(keyName(scanner, members.keyStart, members.keyEnd), object.subarray(start, members.end));
  return named;
}
