import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { composeSplices, mergeAdjacent } from "../../src/text/splice-compose.ts";
import {
  applySplices,
  invertSplices,
  removedBy,
  spliceDelta,
  splicesTo,
  validateSplices,
  type Splice,
} from "../../src/text/splice.ts";
import { BYTES, EXTENTS, joinBytes, type Extent } from "../../src/text/spliceable.ts";
import { firstBadUtf8 } from "../../src/text/utf8.ts";
import { bytesOf, edit, notationOf, original, splices, splicesFor, textOf } from "./splice-notation.ts";
import { runs } from "../effort.ts";

const apply = (text: string, notation: string): string =>
  textOf(applySplices(bytesOf(text), splices(notation)));

describe("a list of splices", () => {
  test("[TEXT-1] replaces ranges of the original, all offsets over the original", () => {
    expect(apply("0123456789", "2-3+ab 7+c 9-1")).toBe("01ab56c78");
    expect(apply("", "0+x")).toBe("x");
    expect(apply("abc", "")).toBe("abc");
    expect(apply("abc", "3+d")).toBe("abcd");
  });

  test("[TEXT-1] keeps the order of several inserts at one place", () => {
    expect(apply("ab", "1+x 1+y 1-1+z")).toBe("axyz");
  });

  test("[TEXT-1] agrees with replacing from the last splice to the first", () => {
    fc.assert(
      fc.property(edit, ({ bytes, list }) => {
        const naive = [...bytes];
        for (const { at, remove, insert } of list.toReversed()) naive.splice(at, remove, ...insert);
        expect([...applySplices(bytes, list)]).toEqual(naive);
      }),
      runs(500),
    );
  });

  test.each([
    ["is out of order", "5+a 2+b", /Splice 1 begins at 2, before 5/],
    ["overlaps", "2-3 4-1", /Splice 1 begins at 4, before 5/],
    ["ends beyond the bytes", "8-5", /Splice 0 ends at 13, beyond the 10 bytes/],
    ["begins beyond the bytes", "11+a", /Splice 0 ends at 11, beyond the 10 bytes/],
  ])("[TEXT-2] is refused when it %s", (_, notation, message) => {
    expect(() => validateSplices(splices(notation), 10)).toThrow(message);
    expect(() => applySplices(new Uint8Array(10), splices(notation))).toThrow(RangeError);
  });

  test("[TEXT-2] is refused when a number is not whole or bytes are missing", () => {
    const insert = new Uint8Array(0);
    for (const bad of [
      { at: -1, remove: 0, insert },
      { at: 0.5, remove: 0, insert },
      { at: Number.NaN, remove: 0, insert },
      { at: 0, remove: -1, insert },
      { at: 0, remove: Infinity, insert },
      { at: 0, remove: 0, insert: "x" as unknown as Uint8Array },
    ])
      expect(() => validateSplices([bad], 10)).toThrow(RangeError);
  });

  test("[TEXT-49] edits a string over its UTF-8 bytes", () => {
    expect(applySplices("h\u00e9j", splices("3-1+l"))).toBe("h\u00e9l");
    expect(applySplices("\ufeffa", splices("3-1+b"))).toBe("\ufeffb");
    expect(applySplices("\ud83c\udf1f!", splices("4+?"))).toBe("\ud83c\udf1f?!");
    expect(() => applySplices("\ud83ca", splices("3-1+b"))).toThrow(
      expect.objectContaining({ reason: "not_unicode" }),
    );
    expect(applySplices("same", [])).toBe("same");
    fc.assert(
      fc.property(edit, ({ bytes, list }) => {
        const after = applySplices(bytes, list);
        if (firstBadUtf8(after) === undefined) expect(applySplices(textOf(bytes), list)).toBe(textOf(after));
        else expect(() => applySplices(textOf(bytes), list)).toThrow(RangeError);
      }),
      runs(500),
    );
  });

  test("[TEXT-49] refuses to leave a string that is not UTF-8", () => {
    expect(() => applySplices("h\u00e9", splices("1-1"))).toThrow(/The edited text is not UTF-8/);
    expect(() => applySplices("h\u00e9", splices("2+x"))).toThrow(RangeError);
    expect(() => applySplices("h", [{ at: 0, remove: 0, insert: Uint8Array.of(0xff) }])).toThrow(RangeError);
    expect(() => applySplices("h\u00e9", splices("4+x"))).toThrow(/Splice 0 ends at 4, beyond the 3 bytes/);
  });

  test("[TEXT-3] knows by how much the result is longer", () => {
    fc.assert(
      fc.property(edit, ({ bytes, list }) => {
        expect(applySplices(bytes, list).length).toBe(bytes.length + spliceDelta(list));
      }),
      runs(500),
    );
  });

  test("[TEXT-4] inverts: applying it and then its inverse gives the original", () => {
    fc.assert(
      fc.property(edit, ({ bytes, list }) => {
        const removed = removedBy(bytes, list);
        expect(removed).toEqual(list.map(({ at, remove }) => bytes.subarray(at, at + remove)));
        expect(applySplices(applySplices(bytes, list), invertSplices(list, removed))).toEqual(bytes);
      }),
      runs(500),
    );
  });

  test("[TEXT-5] merges touching splices and drops empty ones without changing the result", () => {
    expect(notationOf(mergeAdjacent(splices("1 2+a 2-2+b 4+c 6-1 7-1+d 9")))).toBe("2-2+abc 6-2+d");
    fc.assert(
      fc.property(edit, ({ bytes, list }) => {
        const merged = mergeAdjacent(list);
        expect(applySplices(bytes, merged)).toEqual(applySplices(bytes, list));
        expect(mergeAdjacent(merged)).toEqual(merged);
        for (const [i, splice] of merged.entries()) {
          expect(splice.remove + splice.insert.length).toBeGreaterThan(0);
          const next = merged[i + 1];
          if (next !== undefined) expect(next.at).toBeGreaterThan(splice.at + splice.remove);
        }
      }),
      runs(500),
    );
  });

  test("[TEXT-5] joins bytes in order", () => {
    expect(textOf(joinBytes([]))).toBe("");
    expect(textOf(joinBytes(["a", "", "bc"].map(bytesOf)))).toBe("abc");
  });
});

describe("two edits in a row", () => {
  const two = original.chain((bytes) =>
    splicesFor(bytes.length).chain((first) =>
      splicesFor(bytes.length + spliceDelta(first)).map((second) => ({ bytes, first, second })),
    ),
  );

  test("[TEXT-6] compose to one edit that does the same", () => {
    fc.assert(
      fc.property(two, ({ bytes, first, second }) => {
        const both = composeSplices(first, second);
        validateSplices(both, bytes.length);
        expect(applySplices(bytes, both)).toEqual(applySplices(applySplices(bytes, first), second));
        expect(both).toEqual(mergeAdjacent(both));
      }),
      runs(800),
    );
  });

  test("[TEXT-6] compose without the original, at offsets beyond 2^32", () => {
    const far = 2 ** 40;
    const insert = bytesOf("abcdef");
    const first: Splice[] = [{ at: far, remove: 10, insert }];
    const second: Splice[] = [
      { at: 5, remove: 0, insert: bytesOf("xx") },
      { at: far + 2, remove: 2, insert: bytesOf("Y") },
      { at: far + 100, remove: 1, insert: bytesOf("") },
    ];
    expect(notationOf(composeSplices(first, second))).toBe(`5+xx ${far}-10+abYef ${far + 104}-1`);
  });

  test("[TEXT-6] leave nothing of bytes that come and go again", () => {
    expect(composeSplices(splices("3+abc"), splices("3-3"))).toEqual([]);
    expect(notationOf(composeSplices(splices("3-2+abc"), splices("3-3")))).toBe("3-2");
  });

  test("[TEXT-6] compose in any grouping to the same edit", () => {
    const three = two.chain(({ bytes, first, second }) =>
      splicesFor(bytes.length + spliceDelta(first) + spliceDelta(second)).map((third) => ({
        first,
        second,
        third,
      })),
    );
    fc.assert(
      fc.property(three, ({ first, second, third }) => {
        expect(composeSplices(composeSplices(first, second), third)).toEqual(
          composeSplices(first, composeSplices(second, third)),
        );
      }),
      runs(500),
    );
  });
});

describe("splices of stored content", () => {
  /** Every byte is stored at a place of its own, so equal extents are equal bytes. */
  class Stored {
    #bytes: number[] = [];
    put(bytes: Uint8Array): readonly Extent[] {
      const at = this.#bytes.length;
      this.#bytes.push(...bytes);
      return bytes.length === 0 ? [] : [["blob", at, bytes.length]];
    }
    read(extents: readonly Extent[]): Uint8Array {
      return Uint8Array.from(extents.flatMap(([, at, length]) => this.#bytes.slice(at, at + length)));
    }
    all(list: readonly Splice[]): Splice<readonly Extent[]>[] {
      return list.map(({ at, remove, insert }) => ({ at, remove, insert: this.put(insert) }));
    }
    back(list: readonly Splice<readonly Extent[]>[]): Splice[] {
      return list.map(({ at, remove, insert }) => ({ at, remove, insert: this.read(insert) }));
    }
  }

  const twoLists = original.chain((bytes) =>
    splicesFor(bytes.length).chain((first) =>
      fc.record({
        bytes: fc.constant(bytes),
        first: fc.constant(first),
        second: splicesFor(bytes.length + spliceDelta(first)),
      }),
    ),
  );

  test("[TEXT-32] do in every way what splices of the bytes do", () => {
    fc.assert(
      fc.property(twoLists, ({ bytes, first, second }) => {
        const stored = new Stored();
        const content = stored.put(bytes);
        const [one, two] = [stored.all(first), stored.all(second)];
        expect(spliceDelta(one, EXTENTS)).toBe(spliceDelta(first));
        const result = applySplices(content, one, EXTENTS);
        expect(stored.read(result)).toEqual(applySplices(bytes, first));
        expect(stored.read(content)).toEqual(bytes);
        const removed = removedBy(content, one, EXTENTS);
        expect(removed.map((extents) => stored.read(extents))).toEqual(
          removedBy(bytes, first).map((part) => Uint8Array.from(part)),
        );
        expect(applySplices(result, invertSplices(one, removed, EXTENTS), EXTENTS)).toEqual(content);
        expect(stored.back(mergeAdjacent(one, EXTENTS))).toEqual(mergeAdjacent(first));
        expect(stored.back(composeSplices(one, two, EXTENTS))).toEqual(composeSplices(first, second));
      }),
      runs(500),
    );
  });

  test("[TEXT-48] follow from the result and where it differs", () => {
    fc.assert(
      fc.property(twoLists, ({ bytes, first }) => {
        const differs = first.map(({ at, remove, insert }) => [at, remove, insert.length] as const);
        const result = applySplices(bytes, first);
        expect(splicesTo(result, differs, BYTES)).toEqual(first);
        const stored = new Stored();
        const extents = stored.put(result);
        expect(stored.back(splicesTo(extents, differs, EXTENTS))).toEqual(first);
      }),
      runs(300),
    );
  });

  test("[TEXT-32] join neighbours of one blob and leave no empty extent", () => {
    const whole: Extent[] = [["a", 0, 10]];
    const apart = applySplices(whole, [{ at: 4, remove: 0, insert: [["b", 0, 2]] }], EXTENTS);
    expect(apart).toEqual([
      ["a", 0, 4],
      ["b", 0, 2],
      ["a", 4, 6],
    ]);
    expect(applySplices(apart, [{ at: 4, remove: 2, insert: [["c", 0, 0]] }], EXTENTS)).toEqual(whole);
  });

  test("[TEXT-2] are refused like those of bytes", () => {
    const insert: Extent[] = [];
    expect(() => validateSplices([{ at: 8, remove: 3, insert }], 10, EXTENTS)).toThrow(/beyond the 10 bytes/);
    const bytes = new Uint8Array(1) as unknown as readonly Extent[];
    expect(() => validateSplices([{ at: 0, remove: 0, insert: bytes }], 10, EXTENTS)).toThrow(RangeError);
  });
});
