// Owns: what of each record a held text has in it. A record of which it has only a part is split in two.

import type { Steps } from "./steps.ts";
import { fragmentSteps, isAllThere, type Fragment, type HeldText } from "./weave-held.ts";
import type { InsertedPiece, RemovedRange, Run, Standing, WovenRecord } from "./weave-parts.ts";
import type { Weave } from "./weave.ts";

/**
 * Which records a held text has in it. `landed` says so of whole records; where the held bytes show that the text has some pieces and
 * cuts of a record and others not, these others become a record of their own, of the same number. Undefined where the weave does not
 * have the held bytes.
 */
export function* landedSteps<T>(
  weave: Weave<T>,
  held: HeldText,
  landed: (seq: number) => boolean,
): Steps<Standing | undefined> {
  const fragments = yield* fragmentSteps(weave, held);
  if (!isAllThere(fragments, held)) return undefined;
  const isIn = (record: WovenRecord<T>): boolean => record === weave.base || landed(record.seq);
  const told = yield* toldByBytes(weave, fragments, isIn);
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

/** Pieces and cuts of which the held bytes tell whether the text has them. */
function* toldByBytes<T>(
  weave: Weave<T>,
  fragments: readonly Fragment<T>[],
  isIn: (record: WovenRecord<T>) => boolean,
): Steps<Map<Edit<T>, boolean>> {
  const told = new Map<Edit<T>, boolean>();
  const pieces = new Map<RemovedRange<T>, InsertedPiece<T>>();
  const missing = new Map<InsertedPiece<T>, Run<T>[]>();
  for (const [i, { run, isHeld }] of fragments.entries()) {
    if (i % FRAGMENTS_PER_STEP === 0) yield;
    const { piece } = run;
    if (piece.cut !== undefined) pieces.set(piece.cut, piece);
    if (!isHeld) {
      const runs = missing.get(piece);
      if (runs === undefined) missing.set(piece, [run]);
      else runs.push(run);
      continue;
    }
    told.set(piece, true);
    for (const cut of cutsOf(run)) told.set(cut, false);
  }
  const hasCut = (cut: RemovedRange<T>): boolean => {
    const piece = pieces.get(cut);
    return told.get(cut) ?? (piece && told.get(piece)) ?? isIn(cut.record);
  };
  // Newest first: what removed a piece is newer.
  for (const record of weave.records.toReversed()) {
    yield;
    for (const { run } of record.inserted) {
      const { piece } = run;
      const isHeld = told.get(piece) === true;
      if (!isHeld && !isIn(record)) continue;
      // Bytes that are not there, and that nothing which the text is known to have removed.
      const left = missing.get(piece)?.filter((one) => !cutsOf(one).some(hasCut)) ?? [];
      const isCutLeft = piece.cut !== undefined && told.get(piece.cut) === false;
      if (isHeld)
        for (const one of left) for (const cut of cutsOf(one)) if (!told.has(cut)) told.set(cut, true);
      if (!isHeld && (isCutLeft || left.length > 0)) told.set(piece, false);
    }
  }
  for (const [cut, piece] of pieces) {
    const isThere = told.get(piece);
    if (isThere !== undefined && !told.has(cut)) told.set(cut, isThere);
  }
  for (const cut of yield* emptyCuts(missing, (piece) => told.get(piece) ?? isIn(piece.record)))
    if (!told.has(cut)) told.set(cut, false);
  return told;
}

/** Cuts of nothing but pieces that the text does not have, one of which replaced something: without it, what removed it makes no sense. */
function* emptyCuts<T>(
  missing: ReadonlyMap<InsertedPiece<T>, readonly Run<T>[]>,
  hasPiece: (piece: InsertedPiece<T>) => boolean,
): Steps<Set<RemovedRange<T>>> {
  const [empty, others] = [new Set<RemovedRange<T>>(), new Set<RemovedRange<T>>()];
  for (const [piece, runs] of missing) {
    yield;
    const into = hasPiece(piece) ? others : piece.cut === undefined ? undefined : empty;
    if (into !== undefined) for (const run of runs) for (const cut of cutsOf(run)) into.add(cut);
  }
  for (const cut of others) empty.delete(cut);
  return empty;
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
