import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { mapPosition, mapSplices, positionMap, type Side } from "../../src/text/splice-map.ts";
import { applySplices, type Splice } from "../../src/text/splice.ts";
import { notationOf, original, splices, splicesFor } from "./splice-notation.ts";
import { runs } from "../effort.ts";

/** A result as a list of original byte numbers, with -1 for inserted bytes. */
function origins(size: number, list: readonly Splice[]): number[] {
  const bytes = Array.from({ length: size }, (_, i) => i);
  for (const { at, remove, insert } of list.toReversed())
    bytes.splice(at, remove, ...Array.from(insert, () => -1));
  return bytes;
}

/**
 * The naive model of a place: it lies between the nearest surviving original bytes on its left and right. Between them
 * stand only inserted bytes. Directly beside a survivor it clings to it; beside two or none, `side` decides.
 */
function naivePosition(size: number, list: readonly Splice[], position: number, side: Side): number {
  const result = origins(size, list);
  let left = 0;
  let right = result.length;
  for (const [i, origin] of result.entries()) {
    if (origin >= 0 && origin < position) left = i + 1;
    if (origin >= position && right === result.length) right = i;
  }
  const touchesLeft = position === 0 ? undefined : result.includes(position - 1);
  const touchesRight = position === size ? undefined : result.includes(position);
  const inserted = right - left;
  if (inserted === 0) return left;
  // The end of the bytes is a border that never goes away.
  const leftStands = touchesLeft ?? true;
  const rightStands = touchesRight ?? true;
  if (leftStands && !rightStands) return left;
  if (!leftStands && rightStands) return right;
  return side === "before" ? left : right;
}

describe("a place", () => {
  const cases = original.chain((bytes) =>
    fc.record({
      size: fc.constant(bytes.length),
      list: splicesFor(bytes.length),
      position: fc.nat(bytes.length),
      side: fc.constantFrom<Side>("before", "after"),
    }),
  );

  test("[TEXT-7] maps as the naive model says", () => {
    fc.assert(
      fc.property(cases, ({ size, list, position, side }) => {
        expect(mapPosition(list, position, side)).toBe(naivePosition(size, list, position, side));
        expect(positionMap(list)(position, side)).toBe(mapPosition(list, position, side));
      }),
      runs(1_000),
    );
  });

  test("[TEXT-7] keeps to its side of an insert, stays at the edge of a replacement", () => {
    expect(mapPosition(splices("4+xyz"), 4, "before")).toBe(4);
    expect(mapPosition(splices("4+xyz"), 4, "after")).toBe(7);
    expect(mapPosition(splices("4-2+xyz"), 4, "after")).toBe(4);
    expect(mapPosition(splices("4-2+xyz"), 6, "before")).toBe(7);
    expect(mapPosition(splices("4-2+xyz"), 5, "before")).toBe(4);
    expect(mapPosition(splices("4-2+xyz"), 5, "after")).toBe(7);
    expect(mapPosition(splices("4-2+xyz"), 2 ** 40, "after")).toBe(2 ** 40 + 1);
  });

  test("[TEXT-7] never changes its order with another place", () => {
    fc.assert(
      fc.property(cases, fc.nat(30), ({ size, list, position, side }, more) => {
        const later = Math.min(size, position + more);
        expect(mapPosition(list, later, side)).toBeGreaterThanOrEqual(mapPosition(list, position, side));
      }),
    );
  });
});

describe("an edit over another edit", () => {
  const both = original.chain((bytes) =>
    fc.record({
      bytes: fc.constant(bytes),
      ours: splicesFor(bytes.length, 3),
      theirs: splicesFor(bytes.length, 3),
    }),
  );

  test("[TEXT-8] is shifted when it does not meet the other", () => {
    const mapped = mapSplices(splices("1-1+a 8-1+b"), splices("3-2+xyz 6+q"));
    expect(mapped.ok && notationOf(mapped.splices)).toBe("1-1+a 10-1+b");
  });

  test.each([
    ["both remove a byte", "2-3+a", "4-2"],
    ["both remove the same range", "2-3", "2-3"],
    ["ours inserts inside what theirs removes", "3+a", "2-3"],
    ["theirs inserts inside what ours removes", "2-3", "3+a"],
    ["both insert at one place", "3+a", "3+b"],
    ["ours replaces a range around theirs", "1-6+a", "3-1+b"],
  ])("[TEXT-9] is refused when %s", (_, ours, theirs) => {
    const mapped = mapSplices(splices(ours), splices(theirs));
    expect(mapped.ok).toBe(false);
    expect(!mapped.ok && mapped.overlaps).toHaveLength(1);
  });

  test("[TEXT-9] is refused with every overlap at once", () => {
    const mapped = mapSplices(splices("1-1+a 4-1+b 8+c"), splices("0-2 4-1 8+d"));
    expect(!mapped.ok && mapped.overlaps.map(({ ours, theirs }) => [ours.at, theirs.at])).toEqual([
      [1, 0],
      [4, 4],
      [8, 8],
    ]);
  });

  test.each([
    ["ends where theirs begins", "2-2+a", "4-2+x", "2-2+a"],
    ["begins where theirs ends", "4-2+a", "2-2+xyz", "5-2+a"],
    ["removes what follows an insert", "4-2", "4+xyz", "7-2"],
    ["removes what precedes an insert", "2-2", "4+xyz", "2-2"],
    ["inserts at the start of a replaced range", "4+a", "4-2+xyz", "4+a"],
    ["inserts at the end of a replaced range", "6+a", "4-2+xyz", "7+a"],
  ])("[TEXT-8] keeps its side when it %s", (_, ours, theirs, expected) => {
    const mapped = mapSplices(splices(ours), splices(theirs));
    expect(mapped.ok && notationOf(mapped.splices)).toBe(expected);
  });

  test("[TEXT-9] may be told on which side of the other's insert at the same place it goes", () => {
    const after = mapSplices(splices("3+a"), splices("3+bb"), { sameInsert: "after" });
    expect(after.ok && notationOf(after.splices)).toBe("5+a");
    const before = mapSplices(splices("3+a 4-1"), splices("3+bb"), { sameInsert: "before" });
    expect(before.ok && notationOf(before.splices)).toBe("3+a 6-1");
  });

  test("[TEXT-8] stays the same list of splices, touching ones included", () => {
    const mapped = mapSplices(splices("1+a 4+b 4-2+c 6-1"), splices("2-1+xyz"));
    expect(mapped.ok && notationOf(mapped.splices)).toBe("1+a 6+b 6-2+c 8-1");
    expect(mapSplices(splices("4-2 6-1"), splices("6+x")).ok).toBe(false);
  });

  test("[TEXT-8] gives the same bytes in either order, and is refused exactly when the naive model sees a meeting", () => {
    let accepted = 0;
    fc.assert(
      fc.property(both, ({ bytes, ours, theirs }) => {
        const a = mapSplices(ours, theirs);
        const b = mapSplices(theirs, ours);
        expect(a.ok).toBe(b.ok);
        expect(a.ok).toBe(!meets(bytes.length, ours, theirs));
        if (!a.ok || !b.ok) return;
        accepted++;
        expect(applySplices(applySplices(bytes, theirs), a.splices)).toEqual(
          applySplices(applySplices(bytes, ours), b.splices),
        );
      }),
      runs(1_000),
    );
    expect(accepted).toBeGreaterThan(100);
  });

  /** Do the edits claim one original byte, one place inside the other's range, or one place for pure inserts? */
  function meets(size: number, ours: readonly Splice[], theirs: readonly Splice[]): boolean {
    const [a, b] = [claims(size, ours), claims(size, theirs)];
    return (
      [...a.bytes].some((byte) => b.bytes.has(byte)) ||
      [...a.inserts].some((place) => b.inside.has(place) || b.inserts.has(place)) ||
      [...b.inserts].some((place) => a.inside.has(place))
    );
  }

  function claims(size: number, list: readonly Splice[]) {
    const bytes = new Set<number>();
    for (const { at, remove } of list) for (let i = at; i < at + remove; i++) bytes.add(i);
    const inside = new Set<number>();
    for (let i = 1; i < size; i++) if (bytes.has(i - 1) && bytes.has(i)) inside.add(i);
    // An insert that touches a removal of the same edit belongs to that replacement.
    const inserts = new Set<number>();
    for (const { at, insert } of list)
      if (insert.length > 0 && !bytes.has(at) && !bytes.has(at - 1)) inserts.add(at);
    return { bytes, inside, inserts };
  }
});
