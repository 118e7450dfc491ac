// Owns: what of each record a held text has in it. A record of which it has only a part is split in two.

import type { Steps } from "./steps.ts";
import { fragmentSteps, isAllThere, type Fragment, type HeldText } from "./weave-held.ts";
import type { InsertedPiece, RemovedRange, Run, Standing, WovenRecord } from "./weave-parts.ts";
import type { Weave } from "./weave.ts";

/**
 * Which records a held text has in it. `landed` says so of whole records; where the held bytes show that the text has some pieces and
 * cuts of a record, or some bytes of a cut, and others not, these others become a record of their own, of the same number. Undefined
 * where the weave does not have the held bytes.
 */
export function* landedSteps<T>(
  weave: Weave<T>,
  held: HeldText,
  landed: (seq: number) => boolean,
): Steps<Standing | undefined> {
  const fragments = yield* fragmentSteps(weave, held);
  if (!isAllThere(fragments, held)) return undefined;
  const isIn = (record: WovenRecord<T>): boolean => record === weave.base || landed(record.seq);
  const told = yield* new HeldEdits(weave, isIn).toldSteps(fragments);
  yield;
  const parts = new Map<WovenRecord<T>, WovenRecord<T>>();
  const was = Array.from(weave.records, (record) => (isIn(record) ? 1 : 0));
  for (const [edit, isThere] of told) {
    const { record } = edit;
    if (record === weave.base || isIn(record) === isThere) continue;
    const part = parts.get(record) ?? record.part();
    parts.set(record, part);
    was[part.index] = isThere ? 1 : 0;
    edit.record = part;
  }
  if (parts.size > 0) yield* nameParts(fragments, parts);
  return Uint8Array.from(was);
}

/** What one splice inserted, or what it removed. */
type Edit<T> = InsertedPiece<T> | RemovedRange<T>;

/**
 * Pieces and cuts of which the held bytes tell whether the text has them. The rules are asked in their order: what one tells, no later one
 * changes, and where none tells anything, `isIn` says it of the whole record.
 */
class HeldEdits<T> {
  readonly #weave: Weave<T>;
  readonly #isIn: (record: WovenRecord<T>) => boolean;
  readonly #told = new Map<Edit<T>, boolean>();
  /** By cut, what the same splice inserted. */
  readonly #pieces = new Map<RemovedRange<T>, InsertedPiece<T>>();
  /** By piece, its runs of which bytes are not held. */
  readonly #missing = new Map<InsertedPiece<T>, Run<T>[]>();
  /** By cut of which the text has a part, that part. */
  readonly #halves = new Map<RemovedRange<T>, RemovedRange<T>>();

  constructor(weave: Weave<T>, isIn: (record: WovenRecord<T>) => boolean) {
    this.#weave = weave;
    this.#isIn = isIn;
  }

  *toldSteps(fragments: readonly Fragment<T>[]): Steps<ReadonlyMap<Edit<T>, boolean>> {
    for (const [i, fragment] of fragments.entries()) {
      if (i % FRAGMENTS_PER_STEP === 0) yield;
      if (fragment.isHeld) this.#heldBytes(fragment.run);
      else this.#miss(fragment.run);
      const { piece } = fragment.run;
      if (piece.cut !== undefined) this.#pieces.set(piece.cut, piece);
    }
    // Newest first: what removed a piece is newer.
    for (const record of this.#weave.records.toReversed()) {
      yield;
      for (const { run } of record.inserted)
        if (this.#told.get(run.piece) === true) this.#cutsOfHeldPiece(run.piece);
        else if (this.#isIn(record)) this.#pieceNotHeld(run.piece);
    }
    this.#cutsLikeTheirPieces();
    yield* this.#cutsOfNothingSteps();
    return this.#told;
  }

  #miss(run: Run<T>): void {
    const runs = this.#missing.get(run.piece);
    if (runs === undefined) this.#missing.set(run.piece, [run]);
    else runs.push(run);
  }

  /** Held bytes: the text has the piece, and nothing that removed them. */
  #heldBytes(run: Run<T>): void {
    this.#told.set(run.piece, true);
    for (const cut of cutsOf(run)) this.#told.set(cut, false);
  }

  /** A piece of which the text has a part: where nothing is known to have removed the rest, all that could have did. */
  #cutsOfHeldPiece(piece: InsertedPiece<T>): void {
    for (const run of this.#unexplained(piece)) for (const cut of cutsOf(run)) this.#tell(cut, true);
    for (const run of this.#unexplained(piece)) this.#halve(run);
  }

  /** Bytes that only cuts removed which left other bytes held: of one of these the text has a part. */
  #halve(run: Run<T>): void {
    const cuts = cutsOf(run);
    const cut = cuts.find(({ record }) => this.#isIn(record)) ?? cuts[0];
    if (cut === undefined) return;
    const half = this.#halves.get(cut) ?? this.#weave.partOf(cut);
    this.#halves.set(cut, half);
    this.#told.set(half, true);
    if (cut.from.has(run.piece.record)) half.from.add(run.piece.record);
    run.cuts = cuts.reduceRight<Run<T>["cuts"]>(
      (next, one) => ({ cut: one === cut ? half : one, next }),
      undefined,
    );
  }

  /** A piece of a record that the text has, without one byte held: it is not there unless something removed all of it. */
  #pieceNotHeld(piece: InsertedPiece<T>): void {
    const isCutLeft = piece.cut !== undefined && this.#told.get(piece.cut) === false;
    if (isCutLeft || this.#unexplained(piece).length > 0) this.#told.set(piece, false);
  }

  /** A splice that inserted and removed did both or neither. */
  #cutsLikeTheirPieces(): void {
    for (const [cut, piece] of this.#pieces) {
      const isThere = this.#told.get(piece);
      if (isThere !== undefined) this.#tell(cut, isThere);
    }
  }

  /** Cuts of nothing but pieces that the text does not have, one of which replaced something: without it, what removed it makes no sense. */
  *#cutsOfNothingSteps(): Steps<void> {
    const [empty, others] = [new Set<RemovedRange<T>>(), new Set<RemovedRange<T>>()];
    for (const [piece, runs] of this.#missing) {
      yield;
      const hasPiece = this.#told.get(piece) ?? this.#isIn(piece.record);
      const into = hasPiece ? others : piece.cut === undefined ? undefined : empty;
      if (into !== undefined) for (const run of runs) for (const cut of cutsOf(run)) into.add(cut);
    }
    for (const cut of empty) if (!others.has(cut)) this.#tell(cut, false);
  }

  /** Bytes of a piece that are not held, and that nothing which the text is known to have removed. */
  #unexplained(piece: InsertedPiece<T>): Run<T>[] {
    const runs = this.#missing.get(piece) ?? [];
    return runs.filter((run) => !cutsOf(run).some((cut) => this.#hasCut(cut)));
  }

  #hasCut(cut: RemovedRange<T>): boolean {
    const piece = this.#pieces.get(cut);
    return this.#told.get(cut) ?? (piece && this.#told.get(piece)) ?? this.#isIn(cut.record);
  }

  #tell(edit: Edit<T>, isThere: boolean): void {
    if (!this.#told.has(edit)) this.#told.set(edit, isThere);
  }
}

const FRAGMENTS_PER_STEP = 4096;

function cutsOf<T>({ cuts }: Run<T>): RemovedRange<T>[] {
  const found: RemovedRange<T>[] = [];
  for (let list = cuts; list !== undefined; list = list.next) found.push(list.cut);
  return found;
}

/** Makes cuts say of which part of a record the bytes are that they removed. */
function* nameParts<T>(
  fragments: readonly Fragment<T>[],
  parts: ReadonlyMap<WovenRecord<T>, WovenRecord<T>>,
): Steps<void> {
  const wholes = new Map(
    [...parts].flatMap(([whole, part]) => [[whole, whole] as const, [part, whole] as const]),
  );
  const from = new Map<RemovedRange<T>, Set<WovenRecord<T>>>();
  for (const [i, { run }] of fragments.entries()) {
    if (i % FRAGMENTS_PER_STEP === 0) yield;
    const { record } = run.piece;
    if (!wholes.has(record)) continue;
    for (const cut of cutsOf(run))
      if (cut.record.seq !== record.seq) from.set(cut, (from.get(cut) ?? new Set()).add(record));
  }
  for (const [cut, records] of from) {
    for (const record of records) cut.from.delete(wholes.get(record) as WovenRecord<T>);
    for (const record of records) cut.from.add(record);
  }
}
