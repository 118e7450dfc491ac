import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { HoldfastError } from "../../src/errors.ts";
import {
  asSource,
  bytesSource,
  readAll,
  readBytes,
  readBytesSteps,
  textSource,
  windowsOf,
  type ByteSource,
} from "../../src/text/byte-source.ts";
import { applySplices } from "../../src/text/splice.ts";
import { joinBytes } from "../../src/text/spliceable.ts";
import { runNow } from "../../src/text/steps.ts";
import { splicedSource } from "../../src/text/spliced-source.ts";
import { bytesOf, edit, splices, textOf } from "./splice-notation.ts";
import { runs } from "../effort.ts";

/** A source that answers at most `most` bytes at once, as a pipe would, though the contract says short only at the end. */
const reluctant = (bytes: Uint8Array, most: number): ByteSource => ({
  ...bytesSource(bytes),
  read: (at, into, offset, length) => bytesSource(bytes).read(at, into, offset, Math.min(most, length)),
});

describe("a source", () => {
  test("[TEXT-10] is read at any place, short only at the end", () => {
    const source = textSource("hello", "id-1");
    expect([source.size, source.id]).toEqual([5, "id-1"]);
    const into = new Uint8Array(8).fill(46);
    expect(source.read(3, into, 2, 5)).toBe(2);
    expect(textOf(into)).toBe("..lo....");
    expect(source.read(9, into, 0, 5)).toBe(0);
    expect(textOf(readBytes(source, 1, 3))).toBe("ell");
    expect(readBytes(source, 5, 3)).toHaveLength(0);
    expect(asSource(source)).toBe(source);
    expect(bytesSource(bytesOf("a")).id).not.toBe(bytesSource(bytesOf("a")).id);
  });

  test("[TEXT-10] is read whole only up to a limit", () => {
    expect(textOf(readAll(textSource("hello"), 5))).toBe("hello");
    try {
      readAll(textSource("hello"), 4);
      expect.unreachable();
    } catch (error) {
      expect(HoldfastError.is(error) && [error.code, error.reason, error.data]).toEqual([
        "invalid_argument",
        "too_large",
        { size: 5, limit: 4 },
      ]);
    }
  });

  test("[TEXT-10] is read in steps as it is read at once", () => {
    const bytes = new Uint8Array(2_500_000).map((_, i) => i % 251);
    const source = reluctant(bytes, 70_000);
    const steps = readBytesSteps(source, 10, bytes.length);
    let pauses = 0;
    let step = steps.next();
    for (; step.done !== true; step = steps.next()) pauses++;
    expect(Buffer.compare(step.value, readBytes(source, 10, bytes.length))).toBe(0);
    expect(pauses).toBe(2);
    expect(runNow(readBytesSteps(source, bytes.length, 5))).toHaveLength(0);
  });

  test("[TEXT-10] that ends too early is an error", () => {
    const lying: ByteSource = { ...textSource("abc"), size: 10 };
    expect(() => readBytes(lying, 0, 10)).toThrow(RangeError);
    expect(() => [...windowsOf(lying)]).toThrow(/ended at 3/);
  });

  test("[TEXT-10] has nothing before its beginning, and no window without bytes", () => {
    const source = textSource("abc");
    const refused = expect.objectContaining({ code: "invalid_argument", reason: "bad_options" });
    for (const at of [-1, 0.5, Number.NaN]) {
      expect(() => readBytes(source, at, 2)).toThrow(refused);
      expect(() => runNow(readBytesSteps(source, at, 2))).toThrow(refused);
      expect(() => [...windowsOf(source, at)]).toThrow(refused);
    }
    for (const size of [0, -1, 0.5]) expect(() => [...windowsOf(source, 0, 3, size)]).toThrow(refused);
  });

  test("[TEXT-51] of a text holds its bytes, or is none", () => {
    expect(readBytes(textSource("\u{1f600}"), 0, 9)).toHaveLength(4);
    for (const half of ["\ud800", "a\udc00b"])
      expect(() => textSource(half)).toThrow(
        expect.objectContaining({ code: "invalid_argument", reason: "not_unicode" }),
      );
  });

  test("[TEXT-10] is covered by its windows once and in order", () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 50 }),
        fc.nat(50),
        fc.nat(50),
        fc.integer({ min: 1, max: 9 }),
        (bytes, from, length, size) => {
          const start = Math.min(from, bytes.length);
          const end = Math.min(start + length, bytes.length);
          const parts: Uint8Array[] = [];
          let at = start;
          for (const window of windowsOf(reluctant(bytes, 3), start, end, size)) {
            expect(window.at).toBe(at);
            at += window.bytes.length;
            parts.push(window.bytes.slice());
          }
          expect(at).toBe(end);
          expect(joinBytes(parts)).toEqual(bytes.subarray(start, end));
        },
      ),
    );
  });
});

describe("a spliced source", () => {
  test("[TEXT-11] reads as the applied splices do, at every place and length", () => {
    fc.assert(
      fc.property(edit, fc.nat(40), fc.nat(40), ({ bytes, list }, at, length) => {
        const view = splicedSource(bytesSource(bytes), list, "view");
        const result = applySplices(bytes, list);
        expect([view.size, view.id]).toEqual([result.length, "view"]);
        expect(readAll(view, 1_000)).toEqual(result);
        const into = new Uint8Array(length);
        const count = view.read(at, into, 0, length);
        expect(count).toBe(Math.max(0, Math.min(length, result.length - at)));
        expect(into.subarray(0, count)).toEqual(result.subarray(at, at + count));
      }),
      runs(800),
    );
  });

  test("[TEXT-11] can be spliced again, and reads through beyond 2^32 bytes", () => {
    const huge: ByteSource = {
      size: 2 ** 42,
      id: "huge",
      read(at, into, offset, length) {
        for (let i = 0; i < length; i++) into[offset + i] = (at + i) % 251;
        return length;
      },
    };
    const far = 2 ** 41;
    const once = splicedSource(huge, [{ at: far, remove: 4, insert: bytesOf("ab") }], "1");
    const twice = splicedSource(once, [{ at: 0, remove: 0, insert: bytesOf("xyz") }], "2");
    expect(twice.size).toBe(2 ** 42 + 1);
    expect([...readBytes(twice, far + 2, 4)]).toEqual([(far - 1) % 251, 97, 98, (far + 4) % 251]);
    expect([...readBytes(twice, 2 ** 42, 5)]).toEqual([(2 ** 42 - 1) % 251]);
  });

  test("[TEXT-11] refuses splices that do not fit", () => {
    expect(() => splicedSource(textSource("abc"), splices("2-5"), "x")).toThrow(RangeError);
  });
});
