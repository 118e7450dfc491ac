// Owns: carrying an index over from a document to the one that splices made of it.
// Must never: guess. A container whose children cannot be counted again around the edit is forgotten.

import type { Splice } from "../../text/splice.ts";
import { DocumentIndex, type JsonIndexes, KnownContainer } from "./index-store.ts";
import { NONE, PAUSED, type IndexableScanner } from "./scanner.ts";
import { LINE_STRIDE } from "./indexed-scanner.ts";

/** Where the old bytes went. */
class Moves {
  readonly splices: readonly Splice[];
  readonly #deltas: number[];

  constructor(splices: readonly Splice[]) {
    this.splices = splices;
    let delta = 0;
    this.#deltas = splices.map(({ remove, insert }) => (delta += insert.length - remove));
  }

  /** How many splices end at or before `at`; one that only inserts at `at` counts. */
  #before(at: number): number {
    let low = 0;
    let high = this.splices.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const splice = this.splices[middle];
      if (splice !== undefined && splice.at + splice.remove <= at) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The new offset of an old byte; NONE when it was removed. */
  to(at: number): number {
    const before = this.#before(at);
    const next = this.splices[before];
    if (next !== undefined && next.at <= at && at < next.at + next.remove) return NONE;
    return at + (this.#deltas[before - 1] ?? 0);
  }

  /** The new offset of a value that may have been replaced as a whole. */
  valueTo(at: number): number {
    const moved = this.to(at);
    if (moved !== NONE) return moved;
    const before = this.#before(at);
    return this.splices[before]?.at === at ? at + (this.#deltas[before - 1] ?? 0) : NONE;
  }

  /** Splices strictly inside a container whose brackets have both stayed. */
  inside(start: number, end: number): readonly Splice[] {
    return this.splices.filter(({ at }) => at > start && at < end);
  }
}

/** Runs a pausing call to its end: shifting scans only around the edits. */
function settled(walker: IndexableScanner, answer: number): number {
  let result = answer;
  while (result === PAUSED) result = walker.resume();
  return result;
}

/**
 * Gives the index of `before` to `after`, the same bytes with `splices` applied (sorted, not overlapping). `proven`
 * says that the caller has shown the new document to be valid in every mode that the old one was. Costs a scan of one
 * stride or child around each edit for each large container that it lies in.
 */
export function shiftIndex(
  indexes: JsonIndexes,
  before: IndexableScanner,
  after: IndexableScanner,
  splices: readonly Splice[],
  proven: boolean,
): void {
  const old = indexes.get(before.source.id);
  if (old === undefined) return;
  const moves = new Moves(splices.filter(({ remove, insert }) => remove > 0 || insert.length > 0));
  const index = new DocumentIndex();
  if (proven) for (const mode of old.modes) index.modes.add(mode);
  index.lines = old.lines.slice(
    0,
    Math.floor((moves.splices[0]?.at ?? before.source.size) / LINE_STRIDE) + 1,
  );
  const containers = [...old.containers.values()];
  for (const container of containers) {
    const moved = moveContainer(container, containers, moves, before, after);
    if (moved !== undefined) index.containers.set(moved.start, moved);
  }
  indexes.put(after.source.id, index);
}

function moveContainer(
  old: KnownContainer,
  all: readonly KnownContainer[],
  moves: Moves,
  before: IndexableScanner,
  after: IndexableScanner,
): KnownContainer | undefined {
  const start = moves.to(old.start);
  const last = moves.to(old.end - 1);
  if (start === NONE || last === NONE) return undefined;
  const moved = new KnownContainer(start, last + 1, old.members);
  // An edit inside a large child changes nothing here but offsets.
  const direct = moves
    .inside(old.start, old.end)
    .filter(
      (splice) =>
        !all.some(
          (child) =>
            child.start > old.start &&
            child.end < old.end &&
            child.start < splice.at &&
            splice.at + splice.remove < child.end,
        ),
    );
  if (old.count >= 0 && !recount(old, moved, direct, moves, after)) return undefined;
  if (direct.every((splice) => staysInValue(old, splice, moves, before, after)))
    moveNames(old, moved, moves, after);
  return moved;
}

/**
 * True when the splice lies inside the value of one member and that is still one value, ending where the old one did:
 * then every key stays what and where it is.
 */
function staysInValue(
  old: KnownContainer,
  splice: Splice,
  moves: Moves,
  before: IndexableScanner,
  after: IndexableScanner,
): boolean {
  let start = NONE;
  for (const { value } of old.names.values()) if (value <= splice.at) start = Math.max(start, value);
  if (start === NONE) return false;
  const end = settled(before, before.end(start));
  if (end === NONE || splice.at + splice.remove > end) return false;
  const now = moves.valueTo(start);
  return now !== NONE && settled(after, after.end(after.blank(now))) === moves.to(end);
}

function moveNames(old: KnownContainer, moved: KnownContainer, moves: Moves, after: IndexableScanner): void {
  for (const [name, { key, value, count }] of old.names) {
    const [newKey, newValue] = key === NONE ? [NONE, NONE] : [moves.to(key), moves.valueTo(value)];
    if (key !== NONE && (newKey === NONE || newValue === NONE)) continue;
    moved.names.set(name, { key: newKey, value: newValue === NONE ? NONE : after.blank(newValue), count });
  }
  moved.table = old.table?.moved((place) => moves.to(place));
  moved.misses = old.misses;
}

/** Moves the samples, counting again between those that an edit lies between. False: they do not fit any more. */
function recount(
  old: KnownContainer,
  moved: KnownContainer,
  direct: readonly Splice[],
  moves: Moves,
  after: IndexableScanner,
): boolean {
  const samples: number[] = [0, moved.start + 1];
  let extra = 0;
  let cleanFrom = old.start + 1;
  for (let i = 2; i < old.samples.length; i += 2) {
    const place = old.samples[i + 1] ?? 0;
    const target = moves.to(place);
    if (target === NONE) continue;
    // Something was edited since the last sample that was kept: count between the two again.
    if (direct.some((splice) => splice.at <= place && splice.at + splice.remove >= cleanFrom)) {
      const from = samples.at(-1) ?? 0;
      if (settled(after, after.stride(moved.start, from, target - from)) !== target) {
        // The comma before the sample may be gone: try the next one, unless there is none.
        continue;
      }
      extra = (samples.at(-2) ?? 0) + after.stridden.commas - (old.samples[i] ?? 0);
    }
    samples.push((old.samples[i] ?? 0) + extra, target);
    cleanFrom = place;
  }
  if (direct.some((splice) => splice.at + splice.remove >= cleanFrom)) {
    const from = samples.at(-1) ?? 0;
    const children = after.childrenFrom(moved.start, from, samples.at(-2) ?? 0);
    for (let at = children.next(); at !== NONE; at = children.next());
    if (children.close !== moved.end) return false;
    moved.count = children.index + 1;
  } else moved.count = old.count + extra;
  moved.samples = Float64Array.from(samples);
  return true;
}
