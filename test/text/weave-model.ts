// Owns: the naive weave, one object for each character, every question answered by looking at all of them; and random histories.

import type { Splice } from "../../src/text/splice.ts";
import { bytesSource } from "../../src/text/byte-source.ts";
import { EXTENTS, type Extent } from "../../src/text/spliceable.ts";
import type { FaultKind } from "../../src/text/weave-faults.ts";
import { runNow } from "../../src/text/steps.ts";
import { lineStretchSteps } from "../../src/text/line-stretch.ts";
import { Weave, type Reversal } from "../../src/text/weave.ts";
import { below, pick, randomFrom, type Random } from "../session/random.ts";

interface Removal {
  readonly by: number;
  readonly isWhole: boolean;
}

export interface Character {
  readonly value: number;
  readonly by: number;
  readonly piece: number;
  /** The removal of the splice that inserted it. */
  readonly own: Removal | undefined;
  readonly over: ReadonlySet<number>;
  readonly removals: Removal[];
  /** What was visible right before and right after the piece when it was inserted. */
  readonly between: readonly [Character | undefined, Character | undefined];
}

/** The characters that show a fault; of glued lines the two, that of `a` first, and what is between them, from `a` on. */
type Shown = readonly [Character, ...Character[]];

const bytesOf = (values: readonly number[]): Uint8Array => Uint8Array.from(values, byteOfNumber);

interface Link {
  readonly by: number;
  readonly pair: readonly [Character, Character];
  readonly ends: readonly [Character, Character];
}

/** Numbers stand for bytes: some for line feeds, some for carriage returns. */
function byteOfNumber(value: number): number {
  return value % 3 === 0 ? 10 : value % 11 === 1 ? 13 : 120;
}

type NumberSplice = Splice<readonly number[]>;
export type Edit = Splice<readonly Extent[]>;

export class Model {
  readonly characters: Character[];
  readonly records: { readonly seq: number; readonly targets: readonly number[] }[] = [];
  /** Characters that a record put side by side; or one in the place of the other, if each is of one line with its `ends`. */
  readonly #links: Link[] = [];
  readonly #isEnding: (one: Character) => boolean;
  #pieces = 0;

  /** `byteOf` gives the byte that a value stands for. */
  constructor(base: readonly number[], byteOf: (value: number) => number = byteOfNumber) {
    this.#isEnding = ({ value }) => [10, 13].includes(byteOf(value));
    this.characters = base.map((value) => ({
      value,
      by: 0,
      piece: 0,
      own: undefined,
      over: new Set(),
      removals: [],
      between: [undefined, undefined],
    }));
  }

  /** The records that stand, looked at newest first. */
  standing(without: readonly number[] = []): Set<number> {
    const taken = new Set(without);
    const stands = new Set<number>();
    for (const { seq, targets } of this.records.toReversed()) {
      if (taken.has(seq)) continue;
      stands.add(seq);
      for (const target of targets) taken.add(target);
    }
    return stands;
  }

  /** The records that stood right after `seq`. */
  standingAt(seq: number): Set<number> {
    return this.standing(this.records.filter((record) => record.seq > seq).map((record) => record.seq));
  }

  isVisible({ by, removals }: Character, stands: ReadonlySet<number>): boolean {
    return (by === 0 || stands.has(by)) && !removals.some((removal) => stands.has(removal.by));
  }

  visible(stands: ReadonlySet<number> = this.standing()): Character[] {
    return this.characters.filter((character) => this.isVisible(character, stands));
  }

  edit(seq: number, splices: readonly NumberSplice[]): void {
    this.records.push({ seq, targets: [] });
    const stands = this.standing();
    const size = this.visible(stands).length;
    let shift = 0;
    for (const { at, remove, insert } of splices) {
      if (remove === 0 && insert.length === 0) continue;
      const seen = this.visible(stands);
      const right = seen[at + shift];
      const place = right === undefined ? this.characters.length : this.characters.indexOf(right);
      const own = remove > 0 ? { by: seq, isWhole: remove === size } : undefined;
      const taken = seen.slice(at + shift, at + shift + remove);
      if (own !== undefined) for (const character of taken) character.removals.push(own);
      const over = new Set(taken.map(({ by }) => by).filter((by) => by !== 0 && by !== seq));
      const piece = ++this.#pieces;
      const between = [seen[at + shift - 1], seen[at + shift + remove]] as const;
      const added = insert.map((value) => ({ value, by: seq, piece, own, over, removals: [], between }));
      this.characters.splice(place, 0, ...added);
      const beside = [
        ...seen.slice(0, at + shift).slice(-1),
        ...added,
        ...seen.slice(at + shift + remove).slice(0, 1),
      ];
      for (const pair of pairsOf(beside)) this.#links.push({ by: seq, pair, ends: pair });
      const [removed, removedLast, first, last] = [taken[0], taken.at(-1), added[0], added.at(-1)];
      if (removed && removedLast && first && last)
        this.#links.push({ by: seq, pair: [removed, first], ends: [removedLast, last] });
      shift += insert.length - remove;
    }
  }

  reverse(seq: number, targets: readonly number[]): void {
    this.records.push({ seq, targets });
  }

  plan(targets: readonly number[]): NumberSplice[] {
    const [now, then] = [this.standing(), this.standing(targets)];
    const splices: { at: number; remove: number; insert: number[] }[] = [];
    let at = 0;
    let open: { at: number; remove: number; insert: number[] } | undefined;
    for (const character of this.characters) {
      const [was, is] = [this.isVisible(character, now), this.isVisible(character, then)];
      if (was && is) open = undefined;
      else if (was || is) {
        if (open === undefined) splices.push((open = { at, remove: 0, insert: [] }));
        if (was) open.remove++;
        else open.insert.push(character.value);
      }
      if (was) at++;
    }
    return splices;
  }

  /** Every fault as "kind a b", by the words of the rule, as it is seen from a base: records up to it are all 0. */
  faults(stands: ReadonlySet<number>, base = 0): Set<string> {
    return new Set(this.#shownFaults(stands, base).keys());
  }

  /** To which line each character belongs, where all up to `base` is known by its text only. */
  #lines(base: number): Map<Character, Character> {
    const lines = new Map(this.characters.filter((one) => !this.#isEnding(one)).map((one) => [one, one]));
    const there = pairsOf(this.visible(this.standingAt(base))).map((pair) => ({ pair, ends: pair }));
    for (const { pair, ends } of [...there, ...this.#links.filter(({ by }) => by > base)]) {
      const [from, to] = pair.map((one) => lines.get(one));
      if (from === undefined || to === undefined || from === to) continue;
      if (ends !== pair && (lines.get(ends[0]) !== from || lines.get(ends[1]) !== to)) continue;
      for (const [one, line] of lines) if (line === from) lines.set(one, to);
    }
    return lines;
  }

  /** Whether a line ended after a character, or began before it, with nothing else between than what was inserted with it. */
  #isAtBorder(one: Character, way: -1 | 1, base: number): boolean {
    const isBase = one.by <= base;
    const text = isBase
      ? this.visible(this.standingAt(base))
      : this.characters.filter(({ piece }) => piece === one.piece);
    const isInside = (other: Character | undefined): boolean => other !== undefined && !this.#isEnding(other);
    let at = text.indexOf(one) + way;
    while (isInside(text[at])) at += way;
    return text[at] !== undefined || isBase || !isInside(one.between[way < 0 ? 0 : 1]);
  }

  /** Characters side by side of different lines, and not so today. */
  #gluedLines(stands: ReadonlySet<number>, base: number): Shown[] {
    const lines = this.#lines(base);
    const today = new Map(pairsOf(this.visible()));
    const isGlued = ([a, b]: readonly [Character, Character]): boolean =>
      lines.has(a) &&
      lines.has(b) &&
      lines.get(a) !== lines.get(b) &&
      today.get(a) !== b &&
      this.#isAtBorder(a, 1, base) &&
      this.#isAtBorder(b, -1, base);
    return pairsOf(this.visible(stands))
      .filter(isGlued)
      .map(([a, b]) => {
        const between = this.characters.slice(this.characters.indexOf(a) + 1, this.characters.indexOf(b));
        return b.by > Math.max(a.by, base) ? [b, a, ...between.toReversed()] : [a, b, ...between];
      });
  }

  /** Each with the first characters that show it. */
  #shownFaults(stands: ReadonlySet<number>, base: number): Map<string, Shown> {
    const found = new Map<string, Shown>();
    const add = (kind: FaultKind, a: number, b: number, ...shown: Shown): void => {
      const fault = [kind, a <= base ? 0 : a, b <= base ? 0 : b].join(" ");
      if (!found.has(fault)) found.set(fault, shown);
    };
    const isOn = (seq: number): boolean => seq === 0 || stands.has(seq);
    const { characters } = this;
    const ends = new Map<number, { first: number; last: number; by: number }>();
    characters.forEach(({ piece, by }, i) => {
      ends.set(piece, { first: ends.get(piece)?.first ?? i, last: i, by });
    });
    const spans = new Map<Removal, { first: number; last: number }>();
    characters.forEach(({ piece, own, removals }, i) => {
      const about = own !== undefined && ends.get(piece)?.last === i ? [own, ...removals] : removals;
      for (const removal of about)
        if (stands.has(removal.by)) spans.set(removal, { first: spans.get(removal)?.first ?? i, last: i });
    });
    const wholes = [...spans.keys()].filter(({ isWhole }) => isWhole).map(({ by }) => by);
    const newestWhole = Math.max(0, ...wholes);
    characters.forEach((character, i) => {
      const { by, piece, own, over, removals } = character;
      if (!isOn(by) && own !== undefined)
        for (const removal of removals) if (stands.has(removal.by)) add("spent", removal.by, by, character);
      if (!this.isVisible(character, stands)) return;
      for (const other of over) if (!isOn(other)) add("over", by, other, character);
      for (const [removal, { first, last }] of spans)
        if (first < i && i < last) add("torn", removal.by, by, character);
      if (by < newestWhole) add("torn", newestWhole, by, character);
      const around = [...ends].filter(([other, { first, last }]) => other !== piece && first < i && i < last);
      const lost = around.filter(([, end]) => !isOn(end.by)).toSorted(([, a], [, b]) => b.first - a.first);
      if (lost[0] !== undefined) add("inside", by, lost[0][1].by, character);
    });
    for (const shown of this.#gluedLines(stands, base)) {
      const [a, b, ...between] = shown;
      const removers = between.flatMap(({ removals }) =>
        removals.map(({ by }) => by).filter((by) => stands.has(by)),
      );
      add("line", a.by > base ? a.by : Math.max(0, ...removers), b?.by ?? 0, ...shown);
    }
    return found;
  }

  /** What the chosen records need to stand alone on the text after record `base`, by the words of the rule. */
  needs(chosen: readonly number[], base: number): Set<number> {
    const stands = this.standing();
    const set = new Set([...this.standingAt(base), ...chosen]);
    const needed = new Set<number>();
    for (let size = -1; size !== needed.size;) {
      size = needed.size;
      for (const [fault, [one, other, ...between]] of this.#shownFaults(set, base)) {
        const [a, b] = fault.split(" ").slice(1).map(Number) as [number, number];
        const isLacking = (seq: number): boolean => stands.has(seq) && !set.has(seq);
        const cuttersOf = (shown: Character | undefined): number[] =>
          shown?.removals.map(({ by }) => by).filter((by) => stands.has(by)) ?? [];
        const lacking = between.filter(({ by }) => isLacking(by));
        const ending = lacking.find((character) => this.#isEnding(character))?.by ?? b;
        const cutters = cuttersOf(one).length > 0 ? cuttersOf(one) : cuttersOf(other);
        const about = new Set([
          a,
          b,
          ...between.flatMap(({ by, removals }) => [by, ...removals.map((cut) => cut.by)]),
        ]);
        const reversals = this.records.filter(
          ({ seq, targets }) => stands.has(seq) && targets.some((target) => about.has(target)),
        );
        const choices = [
          isLacking(ending) ? [ending] : isLacking(b) ? [b] : [],
          cutters,
          lacking.slice(0, 1).map(({ by }) => by),
          reversals.map(({ seq }) => seq),
        ];
        const lacks = choices.find((choice) => choice.length > 0) ?? [];
        for (const seq of lacks) if (!set.has(seq)) needed.add(seq);
      }
      for (const seq of needed) set.add(seq);
    }
    return needed;
  }

  /** The faults that taking records back would bring up, as seen from a base. */
  newFaults(targets: readonly number[], base = 0): string[] {
    const old = this.faults(this.standing(), base);
    return [...this.faults(this.standing(targets), base)].filter((fault) => !old.has(fault)).toSorted();
  }
}

function pairsOf<T>(items: readonly T[]): (readonly [T, T])[] {
  return items.slice(1).map((item, i) => [items[i] as T, item] as const);
}

/** Blobs of numbers that are used once, so that equal content is the very same; unless extents are used again. */
export class Blobs {
  readonly #blobs: (readonly number[])[] = [];
  #value = 0;

  fresh(length: number): readonly Extent[] {
    return this.put(Array.from({ length }, () => ++this.#value));
  }

  /** In one to three blobs, so that a piece has several extents. */
  put(values: readonly number[], parts = 1): readonly Extent[] {
    const size = Math.max(1, Math.ceil(values.length / parts));
    const extents: Extent[] = [];
    for (let at = 0; at < values.length; at += size) {
      const blob = values.slice(at, at + size);
      extents.push([String(this.#blobs.push(blob) - 1), 0, blob.length]);
    }
    return extents;
  }

  /** The very extent of bytes that are stored already, as equal bytes get by their hash. */
  again(random: Random, length: number): readonly Extent[] {
    const id = below(random, this.#blobs.length);
    const size = Math.min(length, this.#blobs[id]?.length ?? 0);
    return size === 0 ? this.fresh(length) : [[String(id), 0, size]];
  }

  read(extents: readonly Extent[]): number[] {
    return extents.flatMap(([id, at, length]) => (this.#blobs[Number(id)] ?? []).slice(at, at + length));
  }

  numbers(splices: readonly Edit[]): NumberSplice[] {
    return splices.map(({ at, remove, insert }) => ({ at, remove, insert: this.read(insert) }));
  }
}

interface By {
  readonly seq: number;
  readonly agent: string;
}
export type ReversalEntry = By & Reversal;
export type Entry = (By & { readonly splices: readonly Edit[] }) | ReversalEntry;

/** A history and the model of it. `texts[i]` is the content after record i; record 0 is the base. */
export interface History {
  readonly seed: number;
  readonly random: Random;
  readonly blobs: Blobs;
  readonly model: Model;
  readonly records: Entry[];
  /** The content after each record and rewrite, by seq. */
  readonly contents: (readonly Extent[])[];
}

export function targetsOf(history: History, entry: Entry): readonly number[] {
  if ("targets" in entry) return entry.targets;
  if ("restoreTo" in entry)
    return history.records.map(({ seq }) => seq).filter((seq) => seq > entry.restoreTo && seq < entry.seq);
  return [];
}

/** Every closed base before the oldest record concerned, by the words of the rule. */
export function closedBases(history: History, concerned: readonly Entry[] = []): number[] {
  const isBeyond = (base: number, entry: Entry): boolean =>
    "restoreTo" in entry ? entry.restoreTo >= base : targetsOf(history, entry).every((seq) => seq > base);
  return history.contents
    .map((_, base) => base)
    .filter((base) => history.records.every((entry) => entry.seq <= base || isBeyond(base, entry)))
    .filter((base) => concerned.every((entry) => isBeyond(base, entry)));
}

export function weaveFrom(
  { records, contents, blobs }: History,
  base: number,
  chunkRuns: number,
  upTo = Number.POSITIVE_INFINITY,
): Weave<readonly Extent[]> {
  const weave = new Weave({ seq: base, content: contents[base] ?? [] }, EXTENTS, {
    chunkRuns,
    lineStretchOf: ({ insert }, offset) =>
      runNow(lineStretchSteps(bytesSource(bytesOf(blobs.read(insert))), offset)),
  });
  for (const record of records) if (record.seq > base && record.seq <= upTo) weave.add(record);
  return weave;
}

export function randomEdit(random: Random, blobs: Blobs, size: number, twins = false): Edit[] {
  const insert = (length: number): readonly Extent[] =>
    twins && length > 0 && random() < 0.3 ? blobs.again(random, length) : blobs.fresh(length);
  if (size > 0 && random() < 0.06) return [{ at: 0, remove: size, insert: insert(below(random, 6)) }];
  const splices: Edit[] = [];
  let from = 0;
  for (let count = 1 + (random() < 0.3 ? below(random, 4) : 0); count > 0; count--) {
    const at = from + below(random, size - from + 1);
    const remove = random() < 0.45 ? 0 : Math.min(size - at, below(random, 5));
    const length = remove > 0 && random() < 0.5 ? 0 : below(random, 4);
    splices.push({ at, remove, insert: insert(length) });
    from = at + remove;
  }
  return splices;
}

/** What to take back: one standing record, a few, all of one agent since somewhere, an undo, or what does not stand. */
export function randomTargets({ model, records, random }: History, reach: number): number[] {
  const stands = model.standing();
  const able = records.slice(-reach).filter(({ seq }) => stands.has(seq));
  if (able.length === 0) return [];
  const kind = random();
  if (kind < 0.05) return [pick(random, records).seq];
  const reversals = able.filter((entry) => !("splices" in entry));
  if (kind < 0.25 && reversals.length > 0) return [pick(random, reversals).seq];
  if (kind < 0.6) return [pick(random, able).seq];
  if (kind < 0.8) return [...new Set(Array.from({ length: 3 }, () => pick(random, able).seq))];
  const { agent } = pick(random, able);
  const since = below(random, records.length);
  return able.filter((entry) => entry.agent === agent && entry.seq > since).map(({ seq }) => seq);
}

/** The history cut back to what it was after `seq`, as a fork begins: its model is made anew from the records that are left. */
export function forkAt(history: History, seq: number): History {
  const { blobs, contents } = history;
  const records = history.records.filter((record) => record.seq <= seq);
  const model = new Model(blobs.read(contents[0] ?? []));
  const fork = { ...history, model, records, contents: contents.slice(0, seq + 1) };
  for (const record of records)
    if ("splices" in record) model.edit(record.seq, blobs.numbers(record.splices));
    else model.reverse(record.seq, targetsOf(fork, record));
  return fork;
}

export function emptyHistory(seed: number): History {
  const random = randomFrom(seed);
  const blobs = new Blobs();
  const base = blobs.put(blobs.read(blobs.fresh(below(random, 12))), 1 + below(random, 3));
  return { seed, random, blobs, model: new Model(blobs.read(base)), records: [], contents: [base] };
}
