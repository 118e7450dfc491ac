// Owns: carrying an index over from a document to the one that splices made of it.
// Must never: guess. A container whose children cannot be told again around the edit is forgotten.

import { bisect } from "../../text/bisect.ts";
import type { Splice } from "../../text/splice.ts";
import type { Steps } from "../../text/steps.ts";
import { type EditedPart, editedParts } from "./edited-parts.ts";
import {
  DocumentIndex,
  type JsonIndexes,
  KnownContainer,
  type KnownMember,
  SAMPLE_STRIDE,
} from "./index-store.ts";
import { hashName } from "./key-table.ts";
import { lengthsOf, Moves } from "./moves.ts";
import { NONE, PAUSED, type IndexableScanner } from "./scanner.ts";

/** Numbers of samples that are moved between two yields. */
const SAMPLES_A_STEP = 2_048;

/** Runs a pausing call to its end: shifting scans only around the edits. */
function settled(scanner: IndexableScanner, first: number): number {
  let result = first;
  while (result === PAUSED) result = scanner.resume();
  return result;
}

/**
 * Gives the index of `before` to `after`, the same bytes with `splices` applied (sorted, not overlapping). `proven`
 * says that the caller has shown the new document to be valid in every mode that the old one was. Costs a scan of one
 * stride or child around each edit for each large container that it lies in.
 */
export function* shiftIndexSteps(
  indexes: JsonIndexes,
  before: IndexableScanner,
  after: IndexableScanner,
  splices: readonly Splice[],
  proven: boolean,
): Steps<void> {
  const old = indexes.get(before.source.id);
  if (old === undefined) return;
  const edits = splices.filter(({ remove, insert }) => remove > 0 || insert.length > 0);
  const lengths = lengthsOf(edits);
  const moves = new Moves(lengths);
  const index = new DocumentIndex();
  if (proven) for (const mode of old.modes) index.modes.add(mode);
  if (old.root !== undefined && old.root < (edits[0]?.at ?? Infinity)) index.root = old.root;
  index.lines = yield* movedLines(old.lines, edits, moves, before);
  const containers = [...old.containers.values()];
  for (const container of containers) {
    const moved = yield* moveContainer(container, containers, lengths, moves, before, after);
    if (moved !== undefined) index.containers.set(moved.start, moved);
  }
  indexes.put(after.source.id, index);
}

/** The samples (pairs of a count and a place) that lie before all edits, at least the first: they stay as they are. */
function untouchedSamples(samples: readonly number[] | Float64Array, edits: Moves): number[] {
  const pairs = bisect(samples.length / 2, (pair) => (samples[2 * pair + 1] ?? 0) < edits.first);
  return Array.from(samples.slice(0, 2 * Math.max(pairs, 1)));
}

/** Samples of line counts, moved and counted anew by what each splice adds and takes away. */
function* movedLines(
  old: readonly number[],
  edits: readonly Splice[],
  moves: Moves,
  before: IndexableScanner,
): Steps<number[]> {
  const lines = untouchedSamples(old, moves);
  let grown = 0;
  let next = 0;
  for (let i = lines.length; i < old.length; i += 2) {
    if (i % SAMPLES_A_STEP === 0) yield;
    const place = old[i + 1] ?? 0;
    for (let edit = edits[next]; edit !== undefined && edit.at + edit.remove <= place; edit = edits[++next]) {
      for (const byte of edit.insert) if (byte === 0x0a) grown++;
      grown -= settled(before, before.linesBetween(edit.at, edit.at + edit.remove));
    }
    const target = moves.to(place);
    if (target !== NONE) lines.push((old[i] ?? 0) + grown, target);
  }
  return lines;
}

function* moveContainer(
  old: KnownContainer,
  all: readonly KnownContainer[],
  splices: readonly Splice<number>[],
  moves: Moves,
  before: IndexableScanner,
  after: IndexableScanner,
): Steps<KnownContainer | undefined> {
  const start = moves.to(old.start);
  const last = moves.to(old.end - 1);
  if (start === NONE || last === NONE) return undefined;
  const moved = new KnownContainer(start, last + 1, old.members);
  const direct = splices.filter((splice) => isDirect(splice, old, all));
  const parts = editedParts(old, moved, direct, moves, before, after);
  if (parts === "forget") return undefined;
  if (parts === "far") return moved;
  // The children of each part are told anew: to all others it is one splice.
  const others = splices.filter((splice) => !parts.some((part) => lies(splice, part)));
  const joint = [
    ...others,
    ...parts.map(({ at, end, to, toEnd }) => ({ at, remove: end - at, insert: toEnd - to })),
  ];
  joint.sort((a, b) => a.at - b.at || a.remove - b.remove);
  const jointMoves = new Moves(joint);
  yield;
  if (old.count >= 0) yield* moveSamples(old, moved, parts, jointMoves);
  moveNames(old, moved, parts, jointMoves);
  if (old.table !== undefined) {
    const added = parts.flatMap((part) => part.now.map(({ name, key }) => [hashName(name), key] as const));
    moved.table = old.table.edited(joint, added);
  }
  moved.misses = old.misses;
  return moved;
}

/** Inside the container, and not inside a large child of it: that would change nothing here but offsets. */
function isDirect(
  { at, remove }: Splice<number>,
  { start, end }: KnownContainer,
  all: readonly KnownContainer[],
): boolean {
  if (at <= start || at >= end) return false;
  return !all.some(
    (child) => child.start > start && child.end < end && child.start < at && at + remove < child.end,
  );
}

function lies({ at }: Splice<number>, part: EditedPart): boolean {
  return at >= part.at && (at < part.end || at === part.at);
}

/** Moves the samples that no edit touched, and takes new ones where edits left too few. */
function* moveSamples(
  old: KnownContainer,
  moved: KnownContainer,
  parts: readonly EditedPart[],
  moves: Moves,
): Steps<void> {
  // Another scanner of the document may count it anew meanwhile: to the same effect.
  const known = old.samples;
  const samples = untouchedSamples(known, moves);
  const untouched = samples.length;
  samples[1] = moved.start + 1;
  const push = (ordinal: number, place: number): void => {
    if (place - (samples.at(-1) ?? 0) >= SAMPLE_STRIDE / 2) samples.push(ordinal, place);
  };
  let grown = 0;
  let next = 0;
  const pass = (part: EditedPart): void => {
    for (const [i, { key, value }] of part.now.entries())
      push(part.ordinal + grown + i, key === NONE ? value : key);
    grown += part.now.length - part.was.length;
    if (!part.closes) push(part.ordinal + grown + part.was.length, part.toEnd);
    next++;
  };
  for (let i = untouched; i < known.length; i += 2) {
    if (i % SAMPLES_A_STEP === 0) yield;
    const place = known[i + 1] ?? 0;
    for (let part = parts[next]; part !== undefined && part.at < place; part = parts[next]) pass(part);
    const target = moves.to(place);
    if (target !== NONE) push((known[i] ?? 0) + grown, target);
  }
  for (let part = parts[next]; part !== undefined; part = parts[next]) pass(part);
  moved.count = old.count + grown;
  moved.samples = Float64Array.from(samples);
}

/** Moves what is known of single names, counting what the edited parts lost and got. */
function moveNames(
  old: KnownContainer,
  moved: KnownContainer,
  parts: readonly EditedPart[],
  moves: Moves,
): void {
  for (const [name, { key, value, count }] of old.names) {
    const target = key === NONE ? NONE : moves.to(key);
    moved.names.set(name, { key: target, value: target === NONE ? NONE : target + value - key, count });
  }
  const touched = new Set(parts.flatMap(({ was, now }) => [...was, ...now].map(({ name }) => name)));
  for (const name of touched) {
    const held = old.names.get(name);
    if (held === undefined) continue;
    const known = recounted(name, held, moved.names.get(name)?.key ?? NONE, parts);
    if (known === undefined) moved.names.delete(name);
    else moved.names.set(name, known);
  }
}

/** What is known of a name in edited parts. `last` is where the member that counted is now, NONE when it was in a part. */
function recounted(
  name: string,
  old: KnownMember,
  last: number,
  parts: readonly EditedPart[],
): KnownMember | undefined {
  let count = 0;
  let outside = old.count;
  for (const { was } of parts) for (const child of was) if (child.name === name) outside--;
  let known = last === NONE ? undefined : { key: last, value: last + old.value - old.key };
  for (const { end, now } of parts)
    for (const { name: other, key, value } of now) {
      if (other !== name) continue;
      count++;
      // Of those outside, the last is `last`, or lies before the part that the old last was in.
      if (known === undefined ? outside === 0 || end > old.key : key > known.key) known = { key, value };
    }
  if (known !== undefined) return { ...known, count: outside + count };
  return outside + count === 0 ? { key: NONE, value: NONE, count: 0 } : undefined;
}
