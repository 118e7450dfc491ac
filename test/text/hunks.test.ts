import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { bytesSource, type ByteSource } from "../../src/text/byte-source.ts";
import type { HunkList } from "../../src/text/hunk.ts";
import { hunksOf, hunksOfSteps, type HunkOptions } from "../../src/text/hunks.ts";
import { lineIndex } from "../../src/text/line-index.ts";
import { linesOf } from "../../src/text/lines.ts";
import { renderHunks } from "../../src/text/render-hunks.ts";
import { applySplices, type Splice } from "../../src/text/splice.ts";
import { joinBytes } from "../../src/text/spliceable.ts";
import { bytesOf, splices, splicesFor, textOf } from "./splice-notation.ts";
import { runs } from "../effort.ts";

const text = (notation: string, original: string, options?: HunkOptions): string =>
  renderHunks(hunksOf(bytesOf(original), splices(notation), options));

/** `toEqual`, which is slow for megabytes. */
function expectSame(actual: Uint8Array | undefined, expected: Uint8Array | undefined): void {
  if (actual === undefined || expected === undefined || Buffer.compare(actual, expected) !== 0)
    expect(actual).toEqual(expected);
}

/** Applies hunks the way `patch` does: by line numbers, checking every old line. */
function applyHunks(original: Uint8Array, { hunks }: HunkList): Uint8Array {
  const lines = wholeLines(original);
  const result: Uint8Array[] = [];
  let at = 0;
  for (const hunk of hunks) {
    while (at < hunk.oldStart - 1) result.push(lines[at++] as Uint8Array);
    expect(result).toHaveLength(hunk.newStart - 1);
    const [oldBefore, newBefore] = [at, result.length];
    for (const { kind, bytes } of hunk.lines) {
      if (kind !== "+") expectSame(lines[at++], bytes);
      if (kind !== "-") result.push(bytes);
    }
    expect(at - oldBefore).toBe(hunk.oldLines);
    expect(result.length - newBefore).toBe(hunk.newLines);
  }
  result.push(...lines.slice(at));
  const joined = joinBytes(result);
  // Added lines are whole lines too: joining and splitting again changes nothing.
  const split = wholeLines(joined);
  expect(split).toHaveLength(result.length);
  for (const [i, line] of split.entries()) expectSame(line, result[i]);
  return joined;
}

function wholeLines(bytes: Uint8Array): Uint8Array[] {
  return Array.from(linesOf(bytes), ({ start, next }) => bytes.subarray(start, next));
}

const lined = fc
  .tuple(
    fc.array(fc.constantFrom("a\n", "bb\n", "\n", "ccc\r\n", "\u00e9\u00e8\n"), { maxLength: 30 }),
    fc.constantFrom("", "end", "x\r"),
  )
  .map(([lines, last]) => bytesOf(lines.join("") + last));

const edits = lined.chain((bytes) =>
  fc
    .array(
      fc.tuple(fc.nat(25), fc.nat(5), fc.constantFrom("", "x", "new\n", "\n", "a\nb", "\r\n", "bb\nccc\r\n")),
      {
        maxLength: 5,
      },
    )
    .map((parts) => {
      const list: Splice[] = [];
      let at = 0;
      for (const [gap, remove, insert] of parts) {
        at += gap;
        if (at + remove > bytes.length) break;
        list.push({ at, remove, insert: bytesOf(insert) });
        at += remove;
      }
      return { bytes, list };
    }),
);

const generous = { budget: 1e9, lineLength: 1e9 };

describe("hunks of an edit", () => {
  test("[TEXT-22] hold whole lines with their numbers on both sides", () => {
    expect(text("4-1+TWO", "one\n2\nthree\n")).toBe("@@ -1,3 +1,3 @@\n one\n-2\n+TWO\n three\n");
    expect(text("2+b\n", "a\nc\n")).toBe("@@ -1,2 +1,3 @@\n a\n+b\n c\n");
    expect(text("2-2", "a\nb\nc\n")).toBe("@@ -1,3 +1,2 @@\n a\n-b\n c\n");
    expect(text("0+x\n", "")).toBe("@@ -0,0 +1 @@\n+x\n");
    expect(text("0-2", "x\n")).toBe("@@ -1 +0,0 @@\n-x\n");
    expect(text("1+,\ny", "x\n")).toBe("@@ -1 +1,2 @@\n-x\n+x,\n+y\n");
  });

  test("[TEXT-22] say where a final newline is missing", () => {
    const none = "\\ No newline at end of file\n";
    expect(text("1+\n", "a")).toBe(`@@ -1 +1 @@\n-a\n${none}+a\n`);
    expect(text("1-1", "a\n")).toBe(`@@ -1 +1 @@\n-a\n+a\n${none}`);
    expect(text("2+b", "a\n")).toBe(`@@ -1 +1,2 @@\n a\n+b\n${none}`);
  });

  test("[TEXT-22] hold whole lines where two splices share a line and the second removes its ending", () => {
    expect(text("0+a\nb 1-3", "a\na\nc\n")).toBe("@@ -1,3 +1,2 @@\n a\n-a\n-c\n+bac\n");
  });

  test("[TEXT-22] leave out lines that were touched and not changed", () => {
    expect(text("0-6+a\nB\nc\n", "a\nb\nc\n")).toBe("@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n");
    expect(hunksOf(bytesOf("a\nb\n"), splices("0-4+a\nb\n"))).toMatchObject({ hunks: [], exact: true });
    expect(hunksOf(bytesOf("a\nb\n"), [])).toMatchObject({ hunks: [], removed: 0, added: 0 });
  });

  test(
    "[TEXT-22] applied by line numbers give exactly the result of the splices",
    { timeout: 600_000 },
    () => {
      fc.assert(
        fc.property(edits, fc.nat(4), ({ bytes, list }, context) => {
          const hunks = hunksOf(bytes, list, { ...generous, context });
          expect(hunks.exact).toBe(true);
          const result = applySplices(bytes, list);
          expect(applyHunks(bytes, hunks)).toEqual(result);
          const indexed = hunksOf(bytes, list, { ...generous, context, lines: lineIndex(bytes) });
          expect(indexed).toEqual(hunks);
          const count = (kind: string): number =>
            hunks.hunks.flatMap((hunk) => hunk.lines).filter((line) => line.kind === kind).length;
          expect([hunks.removed, hunks.added]).toEqual([count("-"), count("+")]);
        }),
        runs(2_000),
      );
      fc.assert(
        fc.property(
          fc
            .uint8Array({ maxLength: 40 })
            .chain((bytes) => splicesFor(bytes.length).map((list) => ({ bytes, list }))),
          ({ bytes, list }) => {
            expect(applyHunks(bytes, hunksOf(bytes, list, generous))).toEqual(applySplices(bytes, list));
          },
        ),
      );
    },
  );

  test("[TEXT-52] are exact without bounds, however long lines and changes are", { timeout: 600_000 }, () => {
    const one = hunksOf(bytesOf("x".repeat(200_000)), splices("100000-1+y"), {
      budget: Infinity,
      lineLength: Infinity,
    });
    expect(one).toMatchObject({ exact: true, removed: 1, added: 1 });
    const pieces = fc
      .array(fc.constantFrom("x", "\n", "é\n", "y".repeat(70_000), `${"z".repeat(1_999)}\n`.repeat(200)), {
        maxLength: 12,
      })
      .map((parts) => bytesOf(parts.join("")));
    const edited = fc
      .tuple(pieces, fc.array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), pieces)))
      .map(([bytes, parts]) => {
        const places = parts
          .map(([part, insert]) => ({ at: Math.floor(part * bytes.length), insert }))
          .toSorted((a, b) => a.at - b.at);
        const list = places.map(({ at, insert }, i): Splice => {
          const room = (places[i + 1]?.at ?? bytes.length) - at;
          return { at, remove: i % 2 === 0 ? Math.min(room, 3) : room >> 1, insert };
        });
        return { bytes, list };
      });
    fc.assert(
      fc.property(edited, fc.nat(4), ({ bytes, list }, context) => {
        const hunks = hunksOf(bytes, list, { context, budget: Infinity, lineLength: Infinity });
        expect(hunks.exact).toBe(true);
        expectSame(applyHunks(bytes, hunks), applySplices(bytes, list));
      }),
      runs(60),
    );
  });

  test("[TEXT-23] are one when their context meets, and two when a line lies between", () => {
    const ten = Array.from({ length: 10 }, (_, i) => `${i}\n`).join("");
    expect(hunksOf(bytesOf(ten), splices("2-1+x 10-1+y"), { context: 1 }).hunks).toHaveLength(2);
    expect(hunksOf(bytesOf(ten), splices("2-1+x 8-1+y"), { context: 1 }).hunks).toHaveLength(1);
    expect(hunksOf(bytesOf(ten), splices("2-1+x 10-1+y"), { context: 2 }).hunks).toHaveLength(1);
    fc.assert(
      fc.property(edits, fc.nat(3), ({ bytes, list }, context) => {
        const { hunks } = hunksOf(bytes, list, { ...generous, context });
        for (const [i, hunk] of hunks.entries()) {
          const next = hunks[i + 1];
          if (next !== undefined) expect(next.oldStart).toBeGreaterThan(hunk.oldStart + hunk.oldLines);
          const kinds = hunk.lines.map((line) => line.kind).join("");
          const [, head = "", tail = ""] = /^( *)[^]*?( *)$/.exec(kinds) ?? [];
          expect(Math.max(head.length, tail.length)).toBeLessThanOrEqual(context);
        }
      }),
      runs(500),
    );
  });

  for (const [program, args] of [
    ["git", ["apply", "--unidiff-zero", "-p0", "change.diff"]],
    ["patch", ["--silent", "--posix", "--binary", "-p0", "-i", "change.diff"]],
  ] as const) {
    const missing = spawnSync(program, ["--version"]).status !== 0;
    test.skipIf(missing)(
      `[TEXT-24] are what ${program} applies${missing ? ` (${program} is missing)` : ""}`,
      () => {
        const directory = mkdtempSync(join(tmpdir(), "hunks-"));
        try {
          let seed = 1;
          const sample = fc.sample(edits, { numRuns: 60, seed: 7 });
          for (const { bytes, list } of sample) {
            const hunks = hunksOf(bytes, list, generous);
            if (hunks.hunks.length === 0 || bytes.length === 0 || applySplices(bytes, list).length === 0)
              continue;
            seed++;
            writeFileSync(join(directory, "file"), bytes);
            writeFileSync(join(directory, "change.diff"), `--- file\n+++ file\n${renderHunks(hunks)}`);
            const run = spawnSync(program, args, { cwd: directory, encoding: "utf8" });
            expect(run.status, `${run.stderr}${run.stdout}\n${renderHunks(hunks)}`).toBe(0);
            expect(textOf(readFileSync(join(directory, "file")))).toBe(textOf(applySplices(bytes, list)));
          }
          expect(seed).toBeGreaterThan(20);
        } finally {
          rmSync(directory, { recursive: true });
        }
      },
    );
  }

  test("[TEXT-25] cut a long line to the part around the change, and say so", () => {
    const line = `{${"x".repeat(5_000)}|old|${"y".repeat(5_000)}}`;
    const list = hunksOf(bytesOf(`${line}\n`), splices(`5002-3+new`), { lineLength: 40 });
    expect(list.exact).toBe(false);
    expect(renderHunks(list)).toBe(
      "@@ -1 +1 @@\n" +
        `-...${"x".repeat(19)}|old|${"y".repeat(16)}...\n\\ The line is longer: a part is shown\n` +
        `+...${"x".repeat(19)}|new|${"y".repeat(16)}...\n\\ The line is longer: a part is shown\n`,
    );
  });

  test("[TEXT-25] show every change of a long line", () => {
    const line = `${"x".repeat(3_000)}1${"y".repeat(3_000)}2${"z".repeat(3_000)}`;
    const list = hunksOf(bytesOf(`a\n${line}\nb\n`), splices("3002-1+ONE 6003-1+TWO"), {
      lineLength: 20,
      context: 1,
    });
    expect(list).toMatchObject({ removed: 1, added: 1, exact: false });
    expect(list.hunks.map(({ oldStart }) => oldStart)).toEqual([1, 2]);
    expect(renderHunks(list)).toContain("+...xxxxxxxxxxONEyyyyyyy...");
    expect(renderHunks(list)).toContain("+...yyyyyyyyyyTWOzzzzzzz...");
  });

  test("[TEXT-25] count the same lines however they are cut", () => {
    fc.assert(
      fc.property(
        edits,
        fc.integer({ min: 2, max: 9 }),
        fc.nat(60),
        ({ bytes, list }, lineLength, budget) => {
          const whole = hunksOf(bytes, list, generous);
          const cut = hunksOf(bytes, list, { lineLength, budget });
          for (const line of cut.hunks.flatMap((hunk) => hunk.lines))
            expect(line.bytes.length).toBeLessThanOrEqual(lineLength);
          if (cut.exact) expect(applyHunks(bytes, cut)).toEqual(applySplices(bytes, list));
          if (
            !cut.hunks.some((hunk) => hunk.lines.some((line) => line.cutBefore || line.cutAfter)) &&
            cut.leftOut === 0
          )
            expect([cut.removed, cut.added]).toEqual([whole.removed, whole.added]);
        },
      ),
      runs(1_000),
    );
  });

  test("[TEXT-25] cut on borders of characters", () => {
    const list = hunksOf(
      bytesOf("\u00e9".repeat(200)),
      [{ at: 200, remove: 2, insert: bytesOf("\u{1f600}") }],
      { lineLength: 21 },
    );
    expect(renderHunks(list)).not.toContain("\ufffd");
  });

  test("[TEXT-25] read only the neighbourhood of an edit in a line of a terabyte", () => {
    let read = 0;
    const huge: ByteSource = {
      size: 2 ** 40,
      id: "huge",
      read(_, into, offset, length) {
        read += length;
        into.fill(0x61, offset, offset + length);
        return length;
      },
    };
    const at = 2 ** 39;
    const far = at + 1e6;
    const list = hunksOf(
      huge,
      [
        { at, remove: 1, insert: bytesOf("B") },
        { at: far, remove: 0, insert: bytesOf("C") },
      ],
      { lines: { lineAt: () => 1 } },
    );
    expect(read).toBeLessThan(2_000_000);
    expect(list).toMatchObject({ removed: 1, added: 1, exact: false });
    expect(list.hunks.map(({ oldStart, oldLines, newLines }) => [oldStart, oldLines, newLines])).toEqual([
      [1, 1, 1],
      [1, 1, 1],
    ]);
    for (const line of list.hunks.flatMap((hunk) => hunk.lines)) {
      expect(line.bytes.length).toBeLessThanOrEqual(1_001);
      expect([line.cutBefore, line.cutAfter]).toEqual([true, true]);
    }
  });

  test("[TEXT-25] stop at the budget and count what is left out", () => {
    const lines = Array.from({ length: 1_000 }, (_, i) => `line ${i}\n`);
    const bytes = bytesOf(lines.join(""));
    const at = (line: number): number => lines.slice(0, line).join("").length;
    const edit = [10, 200, 500, 900].map((line) => ({ at: at(line), remove: 0, insert: bytesOf("new\n") }));
    const list = hunksOf(bytes, edit, { budget: 120 });
    expect(list).toMatchObject({ added: 4, removed: 0, leftOut: 2, exact: false });
    expect(list.hunks).toHaveLength(2);
    expect(list.hunks[1]).toMatchObject({
      oldStart: 198,
      newStart: 199,
      oldLines: 6,
      newLines: 7,
      leftOut: 1,
    });
    expect(renderHunks(list)).toContain(
      "\\ 1 more line of this hunk not shown\n\\ 2 more hunks not shown; in all 0 lines removed, 4 added\n",
    );
  });

  test("[TEXT-25] count a huge insert without showing or keeping it", () => {
    const insert = bytesOf("0123456789\n".repeat(300_000));
    const list = hunksOf(bytesOf("a\nb\n"), [{ at: 2, remove: 0, insert }], { budget: 500 });
    expect(list).toMatchObject({ added: 300_000, removed: 0, exact: false });
    const [hunk] = list.hunks;
    expect(hunk).toMatchObject({ oldStart: 1, oldLines: 2, newStart: 1, newLines: 300_002 });
    expect((hunk?.lines.length ?? 0) + (hunk?.leftOut ?? 0)).toBe(300_002);
    expect(renderHunks(list).length).toBeLessThan(800);
  });

  test("[TEXT-31] are made in steps", () => {
    const bytes = bytesOf("x\n".repeat(3_000_000));
    const steps = hunksOfSteps(bytesSource(bytes), [
      { at: bytes.length - 2, remove: 1, insert: bytesOf("y") },
    ]);
    let count = 0;
    while (steps.next().done !== true) count++;
    expect(count).toBeGreaterThan(4);
  });

  test("[TEXT-31] of many edits are made in steps that read little each, however near the edits are", () => {
    const bytes = bytesOf("x\n".repeat(4_000_000));
    const source = bytesSource(bytes);
    let read = 0;
    const counted: ByteSource = {
      ...source,
      read(at, into, offset, length) {
        const count = source.read(at, into, offset, length);
        read += count;
        return count;
      },
    };
    const edits = Array.from({ length: 80 }, (_, i) => ({
      at: i * 100_000,
      remove: 1,
      insert: bytesOf("y"),
    }));
    const steps = hunksOfSteps(counted, edits);
    let most = 0;
    for (let [before, isDone] = [0, false]; !isDone; before = read) {
      isDone = steps.next().done === true;
      most = Math.max(most, read - before);
    }
    expect(most).toBeLessThan(1 << 20);
  });
});
