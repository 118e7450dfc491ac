import { describe, expect, test } from "vitest";
import { runNow } from "../../src/text/steps.ts";
import { applySplices, type Splice } from "../../src/text/splice.ts";
import { EXTENTS, type Extent } from "../../src/text/spliceable.ts";
import { ClosedBase } from "../../src/text/weave-base.ts";
import { faultSteps } from "../../src/text/weave-faults.ts";
import { anchorEdit, settleEdit } from "../../src/text/weave-rebase.ts";
import { blameSteps, textSteps } from "../../src/text/weave-text.ts";
import {
  partialUndoSteps,
  targetsAmong,
  togetherSteps,
  undoSteps,
  type UndoFault,
  type UndoPlan,
} from "../../src/text/weave-undo.ts";
import { isVisible, type InsertedPiece } from "../../src/text/weave-parts.ts";
import type { Weave } from "../../src/text/weave.ts";
import { LONG } from "../effort.ts";
import { below, pick } from "../session/random.ts";
import {
  closedBases,
  emptyHistory,
  forkAt,
  randomEdit,
  randomTargets,
  targetsOf,
  weaveFrom,
  type History,
  type ReversalEntry,
} from "./weave-model.ts";
import { deadRuns, needSteps } from "./weave-views.ts";

type Extents = readonly Extent[];

const AGENTS = ["ada", "bob", "eve"];

/**
 * Runs `check` for so many seeds from `range` on, and names the one that failed. Each test has a range of its own, so that all histories of
 * this file differ: 1,800, at full size 144,000.
 */
function seeds(range: number, count: number, check: (seed: number) => void): void {
  const first = range * 1_000_000;
  for (let seed = first; seed < first + count * (LONG ? 80 : 1); seed++)
    try {
      check(seed);
    } catch (cause) {
      throw new Error(`seed ${seed}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    }
}

interface Rules {
  /** Refuse undos that have faults, as a session does. */
  readonly isRuled: boolean;
  /** Let pieces share extents, as equal bytes do. Then a number does not name a byte. */
  readonly isShared?: boolean;
  readonly onPlan?: (history: History, entry: ReversalEntry, plan: UndoPlan<Extents>) => void;
}

/** A random history of several agents. Every reversal is worked out on a weave from some closed base. */
function grow(seed: number, { isRuled, isShared = false, onPlan }: Rules): History {
  let history = emptyHistory(seed);
  const { random, blobs } = history;
  const length = 5 + below(random, 36);
  // How far back an undo looks: short ones leave more closed bases.
  const reach = pick(random, [3, 6, 40]);
  let forks = below(random, 3);
  while (history.contents.length <= length) {
    if (forks > 0 && random() < 0.05) {
      history = forkAt(history, below(random, history.contents.length));
      forks--;
    }
    const { model, records, contents } = history;
    const seq = contents.length;
    const now = contents[seq - 1] ?? [];
    const agent = pick(random, AGENTS);
    const kind = random();
    if (kind < 0.04) {
      // A rewrite. It is no step of the weave, and neither is a move of the file, which leaves its text as it is.
      contents.push(blobs.put(blobs.read(now), 2));
      continue;
    }
    if (kind > 0.34 || records.length === 0) {
      const splices = randomEdit(random, blobs, EXTENTS.length(now), isShared);
      records.push({ seq, agent, splices });
      model.edit(seq, blobs.numbers(splices));
      contents.push(applySplices(now, splices, EXTENTS));
      continue;
    }
    const entry: ReversalEntry =
      kind < 0.08
        ? { seq, agent, restoreTo: Math.max(0, seq - 1 - below(random, Math.min(seq, reach))) }
        : { seq, agent, targets: randomTargets(history, reach) };
    const targets = targetsOf(history, entry);
    if (targets.length === 0) continue;
    const plan = runNow(undoSteps(someWeave(history, entry), entry));
    onPlan?.(history, entry, plan);
    if (isRuled && "targets" in entry && plan.faults.length > 0) continue;
    records.push(entry);
    model.reverse(seq, targets);
    contents.push(applySplices(now, plan.splices, EXTENTS));
  }
  return history;
}

/** A weave that can tell of a reversal, from a random closed base. */
function someWeave(history: History, entry: ReversalEntry): Weave<Extents> {
  const base = pick(history.random, closedBases(history, [entry]));
  return weaveFrom(history, base, pick(history.random, [1, 1, 2, 128]));
}

function numbersOf({ blobs }: History, splices: readonly Splice<Extents>[]): unknown {
  return blobs.numbers(splices);
}

/** Faults as the model writes them. What is at or before the base is 0 there. */
function named(faults: readonly UndoFault[]): string[] {
  return faults.map(({ kind, a, b }) => `${kind} ${a} ${b ?? 0}`).toSorted();
}

/** What is at or before a base is 0 there. */
function fromBase(faults: readonly string[], base: number): string[] {
  const cut = (fault: string): string => fault.replace(/\d+/g, (seq) => (Number(seq) <= base ? "0" : seq));
  return [...new Set(faults.map(cut))].toSorted();
}

describe("a weave of a random history", () => {
  test.each([true, false])(
    "[WEAVE-1] [WEAVE-2] [WEAVE-3] [WEAVE-4] [WEAVE-5] [WEAVE-6] [WEAVE-20] [WEAVE-21] shows from every closed base what was made, and whose it is (refusing: %s)",
    { timeout: 3_600_000 },
    (isRuled) => {
      let compared = 0;
      seeds(isRuled ? 1 : 2, 150, (seed) => {
        const history = grow(seed, { isRuled, isShared: seed % 3 === 0 });
        const { random, blobs, contents, records, model } = history;
        const closed = closedBases(history);
        for (const base of new Set([closed[0] ?? 0, pick(random, closed), pick(random, closed)])) {
          const weave = weaveFrom(history, base, pick(random, [1, 2, 128]), base);
          for (const record of records) {
            if (record.seq <= base) continue;
            weave.add(record);
            const text = runNow(textSteps(weave, weave.standing()));
            expect(blobs.read(text)).toEqual(blobs.read(contents[record.seq] ?? []));
            expect(weave.size).toBe(EXTENTS.length(text));
            compared++;
          }
          isWhole(weave);
          const stands = model.standing();
          expect([...weave.standing()].slice(1)).toEqual(
            records.filter(({ seq }) => seq > base).map(({ seq }) => Number(stands.has(seq))),
          );
          const blamed = runNow(blameSteps(weave)).flatMap(({ by, length }) =>
            Array<number>(length).fill(by ?? 0),
          );
          expect(blamed).toEqual(model.visible().map(({ by }) => (by <= base ? 0 : by)));
          deadAgree(history, weave, base);
        }
      });
      expect(compared).toBeGreaterThan(1_000);
    },
  );

  test("[WEAVE-6] begins after the newest record that nothing concerned reaches", () => {
    seeds(3, 150, (seed) => {
      const history = grow(seed, { isRuled: true });
      const { random, records } = history;
      const oldest = pick(random, records).seq;
      const needed = new ClosedBase(oldest);
      const kept = records.toReversed().filter((record) => needed.includes(record));
      const first = kept.at(-1)?.seq ?? 0;
      const base = records.findLast(({ seq }) => seq < first)?.seq ?? 0;
      // Rewrites are no records: the text is the same right before the first one that is needed.
      const newest = closedBases(history).findLast((one) => one < oldest) ?? -1;
      expect(records.filter(({ seq }) => seq > base)).toEqual(kept.toReversed());
      expect(records.filter(({ seq }) => seq > newest)).toEqual(kept.toReversed());
    });
  });

  test.each([true, false])(
    "[WEAVE-6] [WEAVE-10] [WEAVE-11] plans every undo as the model does, with the same faults, from any base (refusing: %s)",
    { timeout: 3_600_000 },
    (isRuled) => {
      let [plans, refusals] = [0, 0];
      seeds(isRuled ? 4 : 5, 150, (seed) => {
        grow(seed, {
          isRuled,
          onPlan(history, entry, plan) {
            const { model, random } = history;
            const targets = targetsOf(history, entry);
            expect(numbersOf(history, plan.splices)).toEqual(model.plan(targets));
            const wanted = model.newFaults(targets);
            const all = runNow(undoSteps(weaveFrom(history, 0, 1), entry));
            expect(named(all.faults)).toEqual(wanted);
            if (isRuled) {
              const base = pick(random, closedBases(history, [entry]));
              const later = runNow(undoSteps(weaveFrom(history, base, 2), entry));
              expect(numbersOf(history, later.splices)).toEqual(model.plan(targets));
              expect(fromBase(named(later.faults), base)).toEqual(model.newFaults(targets, base));
            }
            plans++;
            if (wanted.length > 0) refusals++;
          },
        });
      });
      expect(plans).toBeGreaterThan(500);
      expect(refusals).toBeGreaterThan(50);
    },
  );

  test(
    "[WEAVE-12] [WEAVE-15] has no fault after edits, restores and undos that were not refused",
    { timeout: 3_600_000 },
    () => {
      seeds(6, 150, (seed) => {
        const history = grow(seed, {
          isRuled: true,
          onPlan({ blobs, contents }, entry, plan) {
            if (!("restoreTo" in entry)) return;
            expect(plan.faults).toEqual([]);
            const now = contents.at(-1) ?? [];
            expect(blobs.read(applySplices(now, plan.splices, EXTENTS))).toEqual(
              blobs.read(contents[entry.restoreTo] ?? []),
            );
          },
        });
        const { contents, blobs, records, random } = history;
        const weave = weaveFrom(history, 0, 2, 0);
        for (const record of records) {
          const before = runNow(textSteps(weave, weave.standing()));
          weave.add(record);
          expect(runNow(faultSteps(weave, weave.standing())).size).toBe(0);
          // The last record can always be taken back, and everything after any place together.
          const last = runNow(undoSteps(weave, { targets: [record.seq] }));
          expect(last.faults).toEqual([]);
          const now = runNow(textSteps(weave, weave.standing()));
          expect(blobs.read(applySplices(now, last.splices, EXTENTS))).toEqual(blobs.read(before));
        }
        const p = below(random, contents.length);
        const after = records.map(({ seq }) => seq).filter((seq) => seq > p);
        expect(runNow(undoSteps(weave, { targets: after })).faults).toEqual([]);
      });
    },
  );

  test(
    "[WEAVE-16] leaves none of the named records standing, and touches no other",
    { timeout: 3_600_000 },
    () => {
      let cameBack = 0;
      seeds(7, 150, (seed) => {
        const history = grow(seed, { isRuled: false });
        const { random, records, model } = history;
        const named = records.filter(() => random() < 0.4).map(({ seq }) => seq);
        const now = model.standing();
        const targets = targetsAmong(weaveFrom(history, 0, 2), named);
        const then = model.standing(targets);
        for (const seq of named) {
          expect(then.has(seq)).toBe(false);
          if (targets.includes(seq)) cameBack += now.has(seq) ? 0 : 1;
          else expect(now.has(seq)).toBe(false);
        }
        expect(named).toEqual(expect.arrayContaining(targets));
        for (const seq of targets)
          if (!now.has(seq)) expect(model.standing(targets.filter((one) => one !== seq)).has(seq)).toBe(true);
      });
      expect(cameBack).toBeGreaterThan(50);
    },
  );

  test(
    "[WEAVE-13] [WEAVE-14] says what to take back together, or takes back a part",
    { timeout: 3_600_000 },
    () => {
      let refusals = 0;
      seeds(8, 150, (seed) => {
        grow(seed, {
          isRuled: true,
          onPlan(history, entry, plan) {
            if (!("targets" in entry) || plan.faults.length === 0) return;
            const { targets } = entry;
            const { model } = history;
            const weave = someWeave(history, entry);
            // From an older base lines may be known to be one.
            const { faults } = runNow(undoSteps(weave, entry));
            if (faults.length === 0) return;
            refusals++;
            const stands = model.standing();
            for (const { inTheWay } of faults) {
              expect(inTheWay.length).toBeGreaterThan(0);
              expect(targets).not.toEqual(expect.arrayContaining([...inTheWay]));
            }
            const together = runNow(togetherSteps(weave, targets));
            expect(together).toEqual(expect.arrayContaining([...targets]));
            expect(model.newFaults(together)).toEqual([]);
            const some = runNow(partialUndoSteps(weave, targets));
            expect(model.newFaults(some.targets)).toEqual([]);
            expect(numbersOf(history, some.splices)).toEqual(model.plan(some.targets));
            expect(some.refused.length).toBeGreaterThan(0);
            for (const refused of some.refused) expect(refused.faults.length).toBeGreaterThan(0);
            const all = [...some.targets, ...some.refused.map(({ seq }) => seq)];
            expect(all.toSorted((a, b) => a - b)).toEqual([...new Set(targets)].toSorted((a, b) => a - b));
            expect(stands).toEqual(model.standing());
          },
        });
      });
      expect(refusals).toBeGreaterThan(50);
    },
  );

  test(
    "[WEAVE-30] [WEAVE-31] [WEAVE-32] [WEAVE-33] places stale edits as the model does",
    { timeout: 3_600_000 },
    () => {
      const seen = { clean: 0, met: 0, before: 0, removed: 0, separated: 0, place_gone: 0, unfit: 0 };
      seeds(9, 400, (seed) => {
        const history = grow(seed, { isRuled: true });
        const { random, contents, blobs, records } = history;
        const base = pick(random, closedBases(history));
        const version = base + below(random, contents.length - base);
        const splices = randomEdit(random, blobs, EXTENTS.length(contents[version] ?? []));
        const weave = weaveFrom(history, base, pick(random, [1, 2, 128]), version);
        const anchors = anchorEdit(weave, splices, EXTENTS);
        for (const record of records) if (record.seq > version) weave.add(record);
        // Every third place or so is refused, always the same ones.
        const isPicky = below(random, 2) === 1;
        const fits = (splice: number, at: number): boolean =>
          !isPicky || (at * 7 + splice * 5 + seed) % 3 > 0;
        const found = settleEdit(weave, anchors, ({ splice, at }) => fits(splice, at));
        const wanted = naiveRebase(
          blobs.read(contents[version] ?? []),
          history,
          blobs.numbers(splices),
          base,
          fits,
        );
        expect({ ...found, splices: blobs.numbers(found.splices) }).toEqual(wanted);
        let end = 0;
        for (const { at, remove } of found.splices) {
          expect(at).toBeGreaterThanOrEqual(end);
          end = at + remove;
        }
        expect(end).toBeLessThanOrEqual(weave.size);
        for (const { reason } of found.conflicts) seen[reason]++;
        if (found.met.length > 0) seen.met++;
        if (found.met.some(({ isBefore }) => isBefore)) seen.before++;
        if (found.conflicts.length === 0) seen.clean++;
      });
      for (const count of Object.values(seen)) expect(count).toBeGreaterThan(0);
    },
  );

  test("[WEAVE-40] [WEAVE-41] says what a set of edits needs", { timeout: 3_600_000 }, () => {
    let [alone, along] = [0, 0];
    seeds(10, 200, (seed) => {
      const history = grow(seed, { isRuled: true });
      const { random, contents, blobs, records, model } = history;
      const base = pick(random, closedBases(history));
      const weave = weaveFrom(history, base, pick(random, [1, 2, 128]));
      const stands = model.standing();
      const able = records.filter(({ seq }) => seq > base && stands.has(seq));
      const text = (splices: readonly Splice<Extents>[]): number[] =>
        blobs.read(applySplices(contents[base] ?? [], splices, EXTENTS));
      const all = runNow(
        needSteps(
          weave,
          able.map(({ seq }) => seq),
        ),
      );
      expect(all.along).toEqual([]);
      expect(text(all.splices)).toEqual(blobs.read(contents.at(-1) ?? []));
      expect(runNow(needSteps(weave, []))).toEqual({ splices: [], along: [] });
      const chosen = able.filter(({ agent }) => agent === "ada").map(({ seq }) => seq);
      const some = runNow(needSteps(weave, chosen));
      // The model knows the whole history: records up to the base stand as they stood there.
      const set = new Set([...model.standingAt(base), ...chosen]);
      const reasons = new Set<string>();
      for (const { seq, because, of } of some.along) {
        for (const fault of model.faults(set, base)) reasons.add(fault.slice(0, fault.lastIndexOf(" ")));
        expect(reasons).toContain(`${because} ${of}`);
        expect(stands.has(seq) && !set.has(seq)).toBe(true);
        set.add(seq);
      }
      expect(new Set(some.along.map(({ seq }) => seq))).toEqual(model.needs(chosen, base));
      expect([...model.faults(set, base)]).toEqual([]);
      expect(text(some.splices)).toEqual(model.visible(set).map(({ value }) => value));
      expect(runNow(needSteps(weave, [...chosen, ...some.along.map(({ seq }) => seq)])).along).toEqual([]);
      if (some.along.length === 0) alone++;
      along += some.along.length;
    });
    expect(alone).toBeGreaterThan(20);
    expect(along).toBeGreaterThan(20);
  });
});

/** Every piece is covered once and in order by its runs, and every chunk knows what of it is visible. */
function isWhole(weave: Weave<Extents>): void {
  const ends = new Map<InsertedPiece<Extents>, number>();
  const standing = weave.standing();
  let size = 0;
  for (const chunk of weave.chunks) {
    let visible = 0;
    for (const run of chunk.runs) {
      expect(run.chunk).toBe(chunk);
      expect(run.length).toBeGreaterThan(0);
      expect(run.from).toBe(ends.get(run.piece) ?? 0);
      ends.set(run.piece, run.from + run.length);
      expect(run.dead === 0).toBe(isVisible(run, standing));
      if (run.dead === 0) visible += run.length;
    }
    expect(chunk.visible).toBe(visible);
    size += visible;
  }
  for (const [piece, end] of ends) expect(end).toBe(piece.length);
  expect(weave.size).toBe(size);
}

/** Dead runs are those of the model, in its order. What was dead at the base is not in the weave. */
function deadAgree({ blobs, model }: History, weave: Weave<Extents>, base: number): void {
  const stands = model.standing();
  const atBase = model.standingAt(base);
  const wanted: unknown[] = [];
  let at = 0;
  for (const character of model.characters) {
    const { value, by, removals } = character;
    const isThere =
      by > base ||
      model.isVisible({ ...character, removals: removals.filter((one) => one.by <= base) }, atBase);
    if (!isThere) continue;
    if (model.isVisible(character, stands)) {
      at++;
      continue;
    }
    const removedBy = new Set(removals.map((one) => one.by).filter((one) => stands.has(one) && one > base));
    wanted.push([
      at,
      value,
      by <= base ? 0 : by,
      by <= base || stands.has(by),
      [...removedBy].toSorted((a, b) => a - b),
    ]);
  }
  const found = deadRuns(weave).flatMap((run) =>
    blobs
      .read(run.content)
      .map((value) => [run.at, value, run.by ?? 0, run.stands, run.removedBy.toSorted((a, b) => a - b)]),
  );
  expect(found).toEqual(wanted);
}

/** A stale edit by looking for its characters in the text now. */
function naiveRebase(
  old: readonly number[],
  { model }: History,
  splices: readonly Splice<readonly number[]>[],
  base: number,
  fits: (splice: number, at: number) => boolean,
): unknown {
  const stands = model.standing();
  const visible = model.visible();
  const takersBack = (by: number): number[] =>
    model.records.filter(({ targets }) => targets.includes(by)).map(({ seq }) => seq);
  const now = visible.map(({ value }) => value);
  const whyGone = (value: number): number[] => {
    const character = model.characters.find((one) => one.value === value);
    const undone = takersBack(character?.by ?? -1);
    const removed = character?.removals.map(({ by }) => by) ?? [];
    return [...undone, ...removed].filter((seq) => stands.has(seq) && seq > base);
  };
  const inserters = (from: number, to: number): number[] => visible.slice(from, to).map(({ by }) => by);
  // What is at or before the base is nobody's.
  const sorted = (seqs: readonly number[]): number[] =>
    [...new Set(seqs)].filter((seq) => seq > base).toSorted((a, b) => a - b);
  /** How many characters are visible before one, be it visible or not. */
  const placeOf = (value: number): number => {
    const place = model.characters.findIndex((one) => one.value === value);
    return model.characters.slice(0, place).filter((one) => visible.includes(one)).length;
  };
  const whyShown = ({ by, removals }: (typeof visible)[number]): number[] => {
    const back = removals.filter((one) => one.by > base).flatMap((one) => takersBack(one.by));
    const standing = back.filter((seq) => stands.has(seq));
    return standing.length > 0 ? standing : [by];
  };
  const wanted = { splices: [] as unknown[], conflicts: [] as unknown[], met: [] as unknown[] };
  let end = 0;
  const place = (splice: number, places: readonly number[], remove: number, beside: readonly number[]) => {
    const { insert } = splices[splice] as Splice<readonly number[]>;
    const at = places.find((one) => one >= end && fits(splice, one));
    if (at === undefined) wanted.conflicts.push({ splice, reason: "unfit", by: sorted(beside) });
    else wanted.splices.push({ at, remove, insert });
    end = at === undefined ? end : at + remove;
    return at;
  };
  for (const [splice, { at, remove }] of splices.entries()) {
    const [left, right] = [old[at - 1], old[at + remove]];
    const isLeft = left === undefined || now.includes(left);
    const isRight = right === undefined || now.includes(right);
    const from = left === undefined ? 0 : placeOf(left) + (isLeft ? 1 : 0);
    const to = right === undefined ? now.length : placeOf(right);
    const beside = [left, right].filter((value) => value !== undefined);
    const changed = (...parts: readonly [number, number][]): number[] => [
      ...beside.filter((value) => !now.includes(value)).flatMap(whyGone),
      ...parts.flatMap(([a, b]) => visible.slice(a, b)).flatMap(whyShown),
    ];
    if (remove > 0) {
      const removed = old.slice(at, at + remove);
      const gone = removed.filter((value) => !now.includes(value));
      const places = removed.map((value) => now.indexOf(value));
      const first = places[0] ?? 0;
      const between = inserters(first, (places.at(-1) ?? 0) + 1).filter(
        (_, i) => !places.includes(first + i),
      );
      if (gone.length > 0)
        wanted.conflicts.push({ splice, reason: "removed", by: sorted(gone.flatMap(whyGone)) });
      else if (between.length > 0)
        wanted.conflicts.push({ splice, reason: "separated", by: sorted(between) });
      else place(splice, [first], remove, changed([from, first], [first + remove, to]));
      continue;
    }
    if (beside.length > 0 && beside.every((value) => !now.includes(value))) {
      wanted.conflicts.push({
        splice,
        reason: "place_gone",
        by: sorted(beside.flatMap(whyGone)),
      });
      continue;
    }
    const usual = isRight ? to : from;
    const taken = place(splice, [usual, from, to], remove, changed([from, to]));
    const isMet = taken === usual ? isLeft && isRight && from !== to : taken !== undefined;
    if (isMet)
      wanted.met.push({ splice, by: sorted(inserters(from, to)), isBefore: (taken ?? usual) < usual });
  }
  return wanted;
}
