import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { bytesSource, type ByteSource } from "../../src/text/byte-source.ts";
import { lineIndexSteps, lineIndex } from "../../src/text/line-index.ts";
import { countFeeds, endingOf, isMixed, linesOf, usualEnding } from "../../src/text/lines.ts";
import { joinBytes } from "../../src/text/spliceable.ts";
import { bytesOf, textOf } from "./splice-notation.ts";

const text = fc
  .array(fc.constantFrom("a", "\u00e9", "\u{1f600}", "\n", "\r\n", "\r", "\r\r\n", "bc"), { maxLength: 30 })
  .map((parts) => parts.join(""));

/** The naive model: split behind every line feed. */
const naiveLines = (whole: string): string[] => whole.split(/(?<=\n)/).filter((line) => line !== "");

const shownLines = (whole: string): [string, string][] =>
  Array.from(linesOf(bytesOf(whole)), (line) => [
    textOf(bytesOf(whole).subarray(line.start, line.end)),
    endingOf(line),
  ]);

describe("lines", () => {
  test("[TEXT-12] end at a line feed, with the carriage return right before it", () => {
    expect(shownLines("a\nb\r\nc\rd\n\n\r\n\r\r\ne")).toEqual([
      ["a", "lf"],
      ["b", "crlf"],
      ["c\rd", "lf"],
      ["", "lf"],
      ["", "crlf"],
      ["\r", "crlf"],
      ["e", "none"],
    ]);
    expect(shownLines("\r")).toEqual([["\r", "none"]]);
    expect(shownLines("")).toEqual([]);
  });

  test("[TEXT-12] joined with their endings give the bytes back", () => {
    fc.assert(
      fc.property(text, (whole) => {
        const bytes = bytesOf(whole);
        const lines = [...linesOf(bytes)];
        expect(textOf(joinBytes(lines.map(({ start, next }) => bytes.subarray(start, next))))).toBe(whole);
        expect(lines.map(({ start, next }) => textOf(bytes.subarray(start, next)))).toEqual(
          naiveLines(whole),
        );
        expect(lines.map(({ number }) => number)).toEqual(lines.map((_, i) => i + 1));
      }),
    );
  });

  test("[TEXT-12] are counted by their line feeds in any bytes, wherever in memory they lie", () => {
    const byte = fc.oneof(
      fc.constantFrom(0x0a, 0x0b, 0x8a, 0x00, 0x80, 0xff),
      fc.integer({ min: 0, max: 255 }),
    );
    fc.assert(
      fc.property(fc.array(byte, { maxLength: 40 }), fc.nat(5), fc.nat(5), (values, from, less) => {
        const bytes = Uint8Array.from(values).subarray(from, values.length - less);
        expect(countFeeds(bytes)).toBe(bytes.filter((one) => one === 0x0a).length);
      }),
    );
  });

  test("[TEXT-12] are the same across the borders of windows, and from any line on", () => {
    const long = bytesOf(`${"x".repeat(65_535)}\r\n${"y".repeat(65_533)}\r\n\nz`);
    const lines = [...linesOf(bytesSource(long))];
    expect(lines.map(({ start, end, next }) => [end - start, next - end])).toEqual([
      [65_535, 2],
      [65_533, 2],
      [0, 1],
      [1, 0],
    ]);
    const second = lines[1] as { start: number; number: number };
    expect([...linesOf(long, second)]).toEqual(lines.slice(1));
  });

  test("[TEXT-13] are counted with their endings", () => {
    const summary = (whole: string) => {
      const { lines, lf, crlf, finalNewline } = lineIndex(bytesOf(whole));
      return [lines, lf, crlf, finalNewline];
    };
    expect(summary("")).toEqual([0, 0, 0, false]);
    expect(summary("a")).toEqual([1, 0, 0, false]);
    expect(summary("a\n")).toEqual([1, 1, 0, true]);
    expect(summary("a\r\nb\nc\r\n\rd")).toEqual([4, 1, 2, false]);
    expect([
      usualEnding({ lf: 1, crlf: 2 }),
      usualEnding({ lf: 2, crlf: 2 }),
      usualEnding({ lf: 0, crlf: 0 }),
    ]).toEqual(["crlf", "lf", "lf"]);
    expect([isMixed({ lf: 1, crlf: 2 }), isMixed({ lf: 0, crlf: 2 })]).toEqual([true, false]);
    fc.assert(
      fc.property(text, (whole) => {
        const index = lineIndex(bytesOf(whole));
        const endings = Array.from(linesOf(bytesOf(whole)), endingOf);
        expect(index.lines).toBe(endings.length);
        expect(index.lf).toBe(endings.filter((ending) => ending === "lf").length);
        expect(index.crlf).toBe(endings.filter((ending) => ending === "crlf").length);
        expect(index.finalNewline).toBe(endings.length > 0 && endings.at(-1) !== "none");
      }),
    );
  });
});

describe("a line index", () => {
  test("[TEXT-14] answers both ways as the naive model does", () => {
    fc.assert(
      fc.property(text, (whole) => {
        const bytes = bytesOf(whole);
        const index = lineIndex(bytes);
        const lines = [...linesOf(bytes)];
        for (const line of lines) {
          expect(index.line(line.number)).toEqual(line);
          expect(index.startOf(line.number)).toBe(line.start);
          for (let offset = line.start; offset < line.next; offset++)
            expect(index.lineAt(offset)).toBe(line.number);
        }
        expect(index.startOf(lines.length + 1)).toBe(bytes.length);
        expect(index.lineAt(bytes.length)).toBe(
          index.finalNewline ? lines.length + 1 : Math.max(1, lines.length),
        );
        expect([index.line(0), index.line(lines.length + 1)]).toEqual([undefined, undefined]);
      }),
    );
  });

  test("[TEXT-14] finds lines in every block of a large text", () => {
    const lines = Array.from(
      { length: 9_000 },
      (_, i) => "x".repeat((i * 37) % 90) + (i % 3 === 0 ? "\r\n" : "\n"),
    );
    // One line longer than several blocks, and a stretch of empty lines.
    lines[4_000] = `${"long".repeat(20_000)}\n`;
    for (let i = 5_000; i < 7_000; i++) lines[i] = "\n";
    const bytes = bytesOf(lines.join(""));
    const index = lineIndex(bytesSource(bytes));
    let start = 0;
    for (const [i, line] of lines.entries()) {
      if (index.startOf(i + 1) !== start) expect(index.startOf(i + 1), `line ${i + 1}`).toBe(start);
      if (i % 50 === 0) expect(index.lineAt(start + line.length - 1)).toBe(i + 1);
      start += line.length;
    }
    expect(index.lines).toBe(9_000);
  });

  test("[TEXT-14] refuses places that are not there", () => {
    const index = lineIndex(bytesOf("a\nb"));
    for (const line of [0, 4, 1.5, Number.NaN]) expect(() => index.startOf(line)).toThrow(RangeError);
    for (const offset of [-1, 4, 0.5]) expect(() => index.lineAt(offset)).toThrow(RangeError);
    expect(() => index.offsetOf({ line: 1, column: 0 })).toThrow(RangeError);
    expect(() => index.offsetOf({ line: 9, column: 1 })).toThrow(RangeError);
  });

  test("[TEXT-15] counts columns in code points, both ways", () => {
    const index = lineIndex(bytesOf("a\u00e9\u{1f600}z\r\n\u{1f600}b"));
    expect([0, 1, 3, 7, 8, 9, 10, 14].map((offset) => index.placeOf(offset))).toEqual([
      { line: 1, column: 1 },
      { line: 1, column: 2 },
      { line: 1, column: 3 },
      { line: 1, column: 4 },
      { line: 1, column: 5 },
      { line: 1, column: 6 },
      { line: 2, column: 1 },
      { line: 2, column: 2 },
    ]);
    expect(index.placeOf(5)).toEqual({ line: 1, column: 3 });
    expect(index.offsetOf({ line: 1, column: 99 })).toBe(8);
    expect(index.offsetOf({ line: 2, column: 99 })).toBe(15);
  });

  test("[TEXT-15] gives a BOM no column", () => {
    const index = lineIndex(bytesOf("\ufeffab\n\ufeffc"));
    expect([0, 3, 4].map((offset) => index.placeOf(offset).column)).toEqual([1, 1, 2]);
    expect(index.offsetOf({ line: 1, column: 1 })).toBe(3);
    expect(index.placeOf(9)).toEqual({ line: 2, column: 2 });
  });

  test("[TEXT-15] goes from every character to its place and back", () => {
    fc.assert(
      fc.property(text, (whole) => {
        const index = lineIndex(bytesOf(whole));
        for (const line of linesOf(bytesOf(whole))) {
          let offset = line.start;
          let column = 1;
          for (const char of textOf(bytesOf(whole).subarray(line.start, line.end))) {
            expect(index.placeOf(offset)).toEqual({ line: line.number, column });
            expect(index.offsetOf({ line: line.number, column })).toBe(offset);
            offset += bytesOf(char).length;
            column++;
          }
          expect(index.offsetOf({ line: line.number, column })).toBe(line.end);
        }
      }),
    );
  });

  test("[TEXT-31] is built in steps of about a mebibyte", () => {
    let longest = 0;
    let read = 0;
    const source: ByteSource = {
      size: 10 * 1_048_576,
      id: "zeros",
      read(_, into, offset, length) {
        read += length;
        into.fill(0, offset, offset + length);
        return length;
      },
    };
    const steps = lineIndexSteps(source);
    for (let before = 0; steps.next().done !== true; before = read)
      longest = Math.max(longest, read - before);
    expect(longest).toBeLessThanOrEqual(1_100_000);
    expect(read).toBeLessThan(10 * 1_048_576 + 100);
  });
});
