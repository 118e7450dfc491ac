// Owns: taking records back on a weave: what it changes, what is in the way, and what can be taken back all the same.

import type { Steps } from "./steps.ts";
import type { Splice } from "./splice.ts";
import { faultSteps, recordsOfRuns, type Fault, type FaultKind } from "./weave-faults.ts";
import { changeSteps } from "./weave-text.ts";
import type { Standing, WovenRecord } from "./weave-parts.ts";
import type { Reversal, Weave } from "./weave.ts";

/** Why records cannot be taken back. */
export interface UndoFault {
  readonly kind: FaultKind;
  /** The two records that do not fit together: see `FaultKind`. `b` is undefined where it is the base. */
  readonly a: number;
  readonly b: number | undefined;
  /** The records that would have to be taken back too. */
  readonly inTheWay: readonly number[];
}

export interface UndoPlan<T> {
  /** The least splices from the text now to the text without the records. Empty: it has no effect. */
  readonly splices: readonly Splice<T>[];
  /** What would make no sense then and makes sense now. It must not be done unless this is empty. */
  readonly faults: readonly UndoFault[];
}

/**
 * Of `named`, what an undo takes back so that none of them stands afterwards, in the same order: those that stand, and those
 * that would come back because what holds them down is named too. What stays down anyway is left out.
 */
export function targetsAmong<T>(weave: Weave<T>, named: readonly number[]): number[] {
  const records = weave.targetsOf({ targets: named });
  const isNamed = new Set(records);
  const targets = new Set<WovenRecord<T>>();
  /** Those that a record which stands then takes back. */
  const isHeld = new Uint8Array(weave.records.length);
  // Newest first: whether a record comes back depends on newer ones only.
  for (const record of weave.records.toReversed()) {
    const held = isHeld[record.index] === 1;
    if (isNamed.has(record) && (record.against === 0 || !held)) targets.add(record);
    else if (!held) for (const { index } of record.targets) isHeld[index] = 1;
  }
  return records.filter((record) => targets.has(record)).map(({ seq }) => seq);
}

/** What a reversal would do. A restore has no faults where every undo before it was refused for its faults. */
export function* undoSteps<T>(weave: Weave<T>, reversal: Reversal): Steps<UndoPlan<T>> {
  const targets = weave.targetsOf(reversal);
  const [now, then] = [weave.standing(), weave.standingWithout(targets)];
  const faults = yield* newFaultSteps(weave, now, then);
  const splices = yield* changeSteps(weave, now, then);
  const isTarget = new Set(targets);
  const told: UndoFault[] = [];
  for (const fault of faults) {
    if (told.length % FAULTS_PER_STEP === 0) yield;
    told.push(undoFault(weave, fault, now, then, isTarget));
  }
  return { splices, faults: told };
}

const FAULTS_PER_STEP = 64;

/** The faults that one standing has and another has not. */
function* newFaultSteps<T>(weave: Weave<T>, now: Standing, then: Standing): Steps<Fault<T>[]> {
  const faults = yield* faultSteps(weave, then);
  if (faults.size === 0) return [];
  const old = yield* faultSteps(weave, now);
  return [...faults].filter(([key]) => !old.has(key)).map(([, fault]) => fault);
}

function undoFault<T>(
  weave: Weave<T>,
  fault: Fault<T>,
  now: Standing,
  then: Standing,
  targets: ReadonlySet<WovenRecord<T>>,
): UndoFault {
  const { kind, a, b } = fault;
  const inTheWay = inTheWayOf(weave, fault, now, then, targets).map(({ seq }) => seq);
  return { kind, a: a.seq, b: b === weave.base ? undefined : b.seq, inTheWay };
}

/**
 * The records to take back too, so that a fault goes away: `a`, if it stands now. If it only comes back: for bytes that
 * tear it their inserter, or, at the base, what holds down those that had removed them; else what holds `b` down.
 */
function inTheWayOf<T>(
  weave: Weave<T>,
  { kind, a, b, runs }: Fault<T>,
  now: Standing,
  then: Standing,
  targets: ReadonlySet<WovenRecord<T>>,
): WovenRecord<T>[] {
  if (now[a.index] === 1) return [a];
  if (kind === "torn" && b !== weave.base) return [b];
  const down = new Set<WovenRecord<T>>();
  if (kind === "torn")
    for (let { cuts } = runs[0]; cuts !== undefined; cuts = cuts.next) down.add(cuts.cut.record);
  else down.add(b);
  const holders = new Set<WovenRecord<T>>();
  for (const record of down)
    if (!targets.has(record)) for (const holder of holdersOf(record, then)) holders.add(holder);
  return holders.size > 0 ? [...holders] : [a];
}

/** The records of a standing that take a record back. */
export function holdersOf<T>(record: WovenRecord<T>, standing: Standing): WovenRecord<T>[] {
  return record.targetedBy.filter(({ index }) => standing[index] === 1);
}

/**
 * A list that holds `targets` and that can be taken back: with whatever is in the way, and what is in the way of that. Where that is
 * not enough, the newest others are added, in the end all after the oldest target, which always can. A shorter list may exist.
 */
export function* togetherSteps<T>(weave: Weave<T>, targets: readonly number[]): Steps<number[]> {
  const all = new Set(weave.targetsOf({ targets }));
  const now = weave.standing();
  const oldest = Math.min(...[...all].map(({ index }) => index));
  for (;;) {
    const then = weave.standingWithout([...all]);
    const faults = yield* newFaultSteps(weave, now, then);
    const size = all.size;
    for (const [i, fault] of faults.entries()) {
      if (i % FAULTS_PER_STEP === 0) yield;
      for (const record of inTheWayOf(weave, fault, now, then, all)) all.add(record);
    }
    if (faults.length > 0 && all.size === size) {
      const next = weave.records.findLast((record) => record.index > oldest && !all.has(record));
      if (next !== undefined) all.add(next);
    }
    if (all.size === size) return [...all].map(({ seq }) => seq).toSorted((a, b) => a - b);
  }
}

export interface PartialUndo<T> {
  /** What can be taken back together, oldest first, and what that changes. */
  readonly targets: readonly number[];
  readonly splices: readonly Splice<T>[];
  /** What cannot, and why. */
  readonly refused: readonly { readonly seq: number; readonly faults: readonly UndoFault[] }[];
}

/** As much of `targets` as can be taken back: those that faults name are dropped until there is no fault. */
export function* partialUndoSteps<T>(weave: Weave<T>, targets: readonly number[]): Steps<PartialUndo<T>> {
  const now = weave.standing();
  const left = new Set(weave.targetsOf({ targets }));
  const refused = new Map<WovenRecord<T>, UndoFault[]>();
  for (;;) {
    const then = weave.standingWithout([...left]);
    const faults = yield* newFaultSteps(weave, now, then);
    if (faults.length === 0) {
      const splices = yield* changeSteps(weave, now, then);
      return {
        targets: [...left].map(({ seq }) => seq).toSorted((a, b) => a - b),
        splices,
        refused: [...refused].map(([{ seq }, because]) => ({ seq, faults: because })),
      };
    }
    const told = new Set(left);
    for (const [i, fault] of faults.entries()) {
      if (i % FAULTS_PER_STEP === 0) yield;
      const named = namedBy(fault, now, then, told);
      const because = undoFault(weave, fault, now, then, told);
      for (const record of named) {
        const list = refused.get(record) ?? [];
        refused.set(record, list);
        list.push(because);
        left.delete(record);
      }
    }
  }
}

/** The targets because of which a fault comes up. */
function namedBy<T>(
  { a, b, runs }: Fault<T>,
  now: Standing,
  then: Standing,
  targets: ReadonlySet<WovenRecord<T>>,
): WovenRecord<T>[] {
  return turnersOf([a, b, ...recordsOfRuns(runs)], now, then, targets);
}

/** The targets that turn some records, straight or through others; all of them where that cannot be said. */
export function turnersOf<T>(
  records: Iterable<WovenRecord<T>>,
  now: Standing,
  then: Standing,
  targets: ReadonlySet<WovenRecord<T>>,
): WovenRecord<T>[] {
  const about = new Set(records);
  // The set grows while it is gone through: what turned a record may itself have been turned.
  for (const record of about)
    if (now[record.index] === then[record.index]) about.delete(record);
    else if (!targets.has(record)) for (const other of record.targetedBy) about.add(other);
  const named = [...about].filter((record) => targets.has(record));
  return named.length > 0 ? named : [...targets];
}
