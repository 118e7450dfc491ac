import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { graftSteps, SortedMap, type EntryChange } from "../../src/session/sorted-map.ts";
import { runNow } from "../../src/text/steps.ts";

const key = fc.oneof(fc.stringMatching(/^[a-d]{1,3}$/), fc.integer({ min: 0, max: 2_000 }).map(String));
const steps = fc.array(fc.tuple(key, fc.option(fc.nat(9))), { maxLength: 400 });

function run(
  from: SortedMap<number>,
  list: readonly (readonly [string, number | null])[],
): SortedMap<number> {
  let map = from;
  for (const [name, value] of list) map = value === null ? map.delete(name) : map.set(name, value);
  return map;
}

function naive(
  list: readonly (readonly [string, number | null])[],
  from = new Map<string, number>(),
): Map<string, number> {
  const map = new Map(from);
  for (const [name, value] of list) {
    if (value === null) map.delete(name);
    else map.set(name, value);
  }
  return map;
}

function sorted(map: Map<string, number>): [string, number][] {
  return [...map].toSorted(([a], [b]) => (a < b ? -1 : 1));
}

describe("SortedMap", () => {
  test("[FILES-1] agrees with a sorted naive map, and old versions stay whole", () => {
    fc.assert(
      fc.property(steps, steps, (one, two) => {
        const first = run(SortedMap.empty(), one);
        const before = [...first.entries()];
        const second = run(first, two);
        expect([...first.entries()]).toEqual(before);
        const expected = sorted(naive(two, naive(one)));
        expect([...second.entries()]).toEqual(expected);
        expect(second.size).toBe(expected.length);
        for (const [name, value] of expected) expect(second.get(name)).toBe(value);
        const bulk = SortedMap.from(
          expected.map(([name]) => name),
          expected.map(([, value]) => value),
        );
        expect([...bulk.entries()]).toEqual(expected);
        expect([...run(bulk, one).entries()]).toEqual([...run(second, one).entries()]);
      }),
    );
  });

  test("[FILES-1] iterates over any range", () => {
    fc.assert(
      fc.property(steps, key, key, (list, from, to) => {
        const map = run(SortedMap.empty(), list);
        const expected = sorted(naive(list)).filter(([name]) => name >= from && name < to);
        expect([...map.entries(from, to)]).toEqual(expected);
        expect(map.first(from)).toEqual(sorted(naive(list)).find(([name]) => name >= from));
      }),
    );
  });

  test("[FILES-7] finds the differences of two versions", () => {
    fc.assert(
      fc.property(steps, steps, (one, two) => {
        const from = run(SortedMap.empty(), one);
        const to = run(from, two);
        const changes = [...from.changesTo(to)];
        expect(changes).toEqual(naiveChanges(naive(one), naive(two, naive(one))));
        expect([...to.changesTo(from)]).toEqual(
          changes.map(({ key, before, after }) => ({ key, before: after, after: before })),
        );
      }),
    );
  });

  test("[FILES-7] a map made apart is grafted onto another, and shares with it what is equal", () => {
    fc.assert(
      fc.property(steps, steps, (one, two) => {
        const onto = run(SortedMap.empty(), one);
        const target = sorted(naive(two, naive(one)));
        const apart = run(SortedMap.empty(), target);
        const grafted = runNow(graftSteps(apart, onto, (a, b) => a === b));
        expect([...grafted.entries()]).toEqual(target);
        expect([...onto.changesTo(grafted)]).toEqual([...onto.changesTo(apart)]);
      }),
    );
    let map = SortedMap.empty<number>();
    for (let i = 0; i < 5_000; i++) map = map.set(String(i), i);
    const twin = SortedMap.from(
      Array.from(map.entries(), ([key]) => key),
      Array.from(map.entries(), ([, value]) => value),
    );
    expect(lookedAt(map, runNow(graftSteps(twin, map, (a, b) => a === b)))).toBeLessThan(
      lookedAt(map, twin) / 100,
    );
  });

  test("[FILES-7] does not look at what two versions share", () => {
    const looked = [2_000, 20_000].map((size) => {
      let map = SortedMap.empty<number>();
      for (let i = 0; i < size; i++) map = map.set(String(i), i);
      const changed = map.set("777", -1).delete("1234");
      expect([...map.changesTo(changed)].map(({ key }) => key)).toEqual(["1234", "777"]);
      return lookedAt(map, changed);
    });
    expect(looked[1]).toBeLessThan(2 * (looked[0] ?? 0));
  });
});

/** How often a walk looked at where it stands. */
function lookedAt(a: SortedMap<number>, b: SortedMap<number>): number {
  const at = vi.spyOn(Array.prototype, "at");
  try {
    for (const _ of a.changesTo(b));
    return at.mock.calls.length;
  } finally {
    at.mockRestore();
  }
}

function naiveChanges(from: Map<string, number>, to: Map<string, number>): EntryChange<number>[] {
  const keys = [...new Set([...from.keys(), ...to.keys()])].toSorted();
  return keys
    .map((key) => ({ key, before: from.get(key), after: to.get(key) }))
    .filter(({ before, after }) => before !== after);
}
