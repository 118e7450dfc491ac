import { describe, expect, test } from "vitest";
import { runNow } from "../../src/text/steps.ts";
import { applySplices } from "../../src/text/splice.ts";
import { bytesSource } from "../../src/text/byte-source.ts";
import { BYTES, joinBytes } from "../../src/text/spliceable.ts";
import { ClosedBase } from "../../src/text/weave-base.ts";
import { lineStretchSteps } from "../../src/text/line-stretch.ts";
import { anchorEdit, settleEdit } from "../../src/text/weave-rebase.ts";
import { blameSteps, textSteps } from "../../src/text/weave-text.ts";
import { partialUndoSteps, togetherSteps, undoSteps } from "../../src/text/weave-undo.ts";
import { Weave, type Reversal } from "../../src/text/weave.ts";
import { bytesOf, notationOf, splices, textOf } from "./splice-notation.ts";
import { deadRuns, needSteps } from "./weave-views.ts";

/** A story in letters. Records are numbered from 1; an edit is written as its splices. */
class Story {
  readonly weave: Weave<Uint8Array>;
  #seq = 0;

  constructor(base: string) {
    this.weave = new Weave({ seq: 0, content: bytesOf(base) }, BYTES, {
      chunkRuns: 1,
      lineStretchOf: ({ insert }, offset) => runNow(lineStretchSteps(bytesSource(insert), offset)),
    });
  }

  get text(): string {
    return textOf(runNow(textSteps(this.weave, this.weave.standing())));
  }

  edit(...edits: readonly string[]): this {
    for (const notation of edits) this.weave.add({ seq: ++this.#seq, splices: splices(notation) });
    return this;
  }

  /** Takes records back if nothing is against it; returns the text then, or the faults. */
  undo(...targets: readonly number[]): string | string[] {
    return this.#reverse({ targets });
  }

  restore(restoreTo: number): string | string[] {
    return this.#reverse({ restoreTo });
  }

  #reverse(reversal: Reversal): string | string[] {
    const plan = runNow(undoSteps(this.weave, reversal));
    if (plan.faults.length > 0) return plan.faults.map(({ kind, a, b }) => `${kind} ${a} ${b ?? "base"}`);
    const wanted = textOf(applySplices(bytesOf(this.text), plan.splices));
    this.weave.add({ seq: ++this.#seq, ...reversal });
    expect(this.text).toBe(wanted);
    return this.text;
  }

  blame(): string {
    const bytes = bytesOf(this.text);
    let at = 0;
    return runNow(blameSteps(this.weave))
      .map(({ by, length }) => `${by ?? "base"}:${textOf(bytes.subarray(at, (at += length)))}`)
      .join(" ");
  }
}

const story = (base: string, ...edits: readonly string[]): Story => new Story(base).edit(...edits);

describe("undo on a weave", () => {
  test("[WEAVE-4] [WEAVE-10] finds the place of lines when the lines around it are gone", () => {
    const one = story("base1\nbase2\nbase3\n", "12+L2\n", "15-6", "12+L5\nL6\n", "15-3");
    expect(one.text).toBe("base1\nbase2\nL5\nL2\n");
    expect(one.undo(1)).toBe("base1\nbase2\nL5\n");
    expect(one.undo(2)).toBe("base1\nbase2\nL5\nbase3\n");
    expect(one.undo(4)).toBe("base1\nbase2\nL5\nL6\nbase3\n");
  });

  test("[WEAVE-4] [WEAVE-10] brings a last line back before what was put at the end since", () => {
    const one = story("base1\nbase2\nbase3\n", "12+L2\n", "15-6", "15+L5\nL6\n", "18-3");
    expect(one.text).toBe("base1\nbase2\nL2\nL5\n");
    expect(one.undo(1)).toBe("base1\nbase2\nL5\n");
    expect(one.undo(2)).toBe("base1\nbase2\nbase3\nL5\n");
    expect(one.undo(4)).toBe("base1\nbase2\nbase3\nL5\nL6\n");
  });

  test("[WEAVE-4] keeps text beside a replacement on its side", () => {
    expect(story("foo", "0-3+bar", "3+X", "0+Y").undo(1)).toBe("YfooX");
  });

  test("[WEAVE-4] puts what was appended after a last line that comes back", () => {
    expect(story("a,b,c,", "4-2", "4+d,").undo(1)).toBe("a,b,c,d,");
  });

  test("[WEAVE-10] changes nothing where all that it takes back is deleted already", () => {
    const one = story("(a)", "2+TXT", "2-3");
    expect(runNow(undoSteps(one.weave, { targets: [1] }))).toEqual({ splices: [], faults: [] });
    expect(one.undo(1)).toBe("(a)");
    expect(one.undo(2)).toBe("(a)");
  });

  test("[WEAVE-2] counts each undo of one record", () => {
    const one = story("ab", "1+X");
    one.weave.add({ seq: 2, targets: [1] });
    one.weave.add({ seq: 3, targets: [1] });
    expect(one.text).toBe("ab");
    one.weave.add({ seq: 4, targets: [3] });
    expect(one.text).toBe("ab");
    one.weave.add({ seq: 5, targets: [2] });
    expect(one.text).toBe("aXb");
  });

  test("[WEAVE-2] settles a long row of restores at once", () => {
    const one = story("ab", "1+X");
    for (let seq = 2; seq <= 200; seq++) one.weave.add({ seq, restoreTo: seq % 2 });
    expect(one.text).toBe("ab");
    one.weave.add({ seq: 201, targets: [200] });
    expect(one.text).toBe("aXb");
  });
});

describe("a refused undo", () => {
  test("[WEAVE-11] over: baz stands where bar was, which replaced foo; both together give foo", () => {
    const one = story("(foo)", "1-3+bar", "1-3+baz");
    expect(one.undo(1)).toEqual(["over 2 1", "spent 2 1"]);
    expect(one.undo(1, 2)).toBe("(foo)");
  });

  test("[WEAVE-11] spent: bar replaced foo and was deleted since", () => {
    expect(story("(foo)", "1-3+bar", "1-3").undo(1)).toEqual(["spent 2 1"]);
    const one = story("(foo)", "1-3+bar", "1-3+baz", "1-3");
    expect(one.undo(1)).toEqual(["spent 2 1"]);
    expect(one.undo(1, 2)).toEqual(["spent 3 2"]);
    expect(one.undo(1, 2, 3)).toBe("(foo)");
  });

  test("[WEAVE-11] inside: text was written into the text that goes, at any depth", () => {
    expect(story("()", "1+abcd", "3+XY").undo(1)).toEqual(["inside 2 1"]);
    expect(story("()", "1+abcd", "3+XY", "4+z").undo(1)).toEqual(["inside 2 1", "inside 3 1"]);
    expect(story("()", "1+abcd", "3+XY", "4+z").undo(1, 2)).toEqual(["inside 3 2"]);
  });

  test("[WEAVE-11] inside: also before the rest of a text whose beginning was deleted, though that would make sense", () => {
    const one = story("()", "1+abc", "1-1", "1+X");
    expect(one.text).toBe("(Xbc)");
    expect(one.undo(1)).toEqual(["inside 3 1"]);
    expect(one.undo(1, 3)).toBe("()");
  });

  test("[WEAVE-11] torn: a byte would come back inside what another record replaced", () => {
    const one = story("abc", "1-1", "0-2+Z");
    expect(one.undo(1)).toEqual(["torn 2 base"]);
    expect(one.undo(1, 2)).toBe("abc");
  });

  test("[WEAVE-11] torn: text that was put before foo while bar was undone does not get between them", () => {
    const one = story("foo", "0-3+bar");
    one.undo(1);
    one.edit("0+X");
    expect(one.undo(2)).toEqual(["torn 1 3"]);
    const two = story("foo", "0-3+bar");
    two.undo(1);
    two.edit("3+X");
    expect(two.undo(2)).toBe("barX");
  });

  test("[WEAVE-11] torn: nothing older comes back after the whole text was replaced", () => {
    const one = story("abcd", "3-1", "0-3+new");
    expect(one.undo(1)).toEqual(["torn 2 base"]);
    expect(one.undo(2)).toBe("abc");
    expect(one.undo(1)).toBe("abcd");
  });

  test("[WEAVE-11] does not refuse what makes sense", () => {
    expect(story("()", "1+one,two,three", "5-4").undo(1)).toBe("()");
    expect(story("a,b,c", "2-1", "2+x").undo(1)).toBe("a,bx,c");
    expect(story("a,b", "2+T,", "2-2", "0+T,").undo(1)).toBe("T,a,b");
    expect(story("foo", "0-3+bar", "3+X").undo(1)).toBe("fooX");
  });

  test("[WEAVE-13] names what is in the way, and what can be taken back together", () => {
    const { weave } = story("(foo)", "1-3+bar", "1-3+baz", "1-3+qux", "4+!");
    const { faults } = runNow(undoSteps(weave, { targets: [1] }));
    expect(faults).toEqual([{ kind: "spent", a: 2, b: 1, inTheWay: [2] }]);
    expect(runNow(togetherSteps(weave, [1]))).toEqual([1, 2, 3]);
  });

  test("[WEAVE-13] names the undo that holds a record down when the other one only comes back", () => {
    const one = story("()", "1+abcd", "3+XY");
    expect(one.undo(1, 2)).toBe("()");
    one.weave.add({ seq: 4, targets: [1] });
    const { faults } = runNow(undoSteps(one.weave, { targets: [3] }));
    expect(faults).toEqual([{ kind: "inside", a: 2, b: 1, inTheWay: [4] }]);
    expect(runNow(togetherSteps(one.weave, [3]))).toEqual([3, 4]);
  });

  test("[WEAVE-14] can be done in part", () => {
    const { weave } = story("foo,()", "0-3+bar", "0-3+baz", "5+xy", "0+A");
    const some = runNow(partialUndoSteps(weave, [1, 3, 4]));
    expect(some.targets).toEqual([3, 4]);
    expect(notationOf(some.splices)).toBe("0-1 6-2");
    expect(some.refused).toEqual([
      {
        seq: 1,
        faults: [
          { kind: "over", a: 2, b: 1, inTheWay: [2] },
          { kind: "spent", a: 2, b: 1, inTheWay: [2] },
        ],
      },
    ]);
  });

  test("[WEAVE-14] drops the undo through which a record would come back, and no other", () => {
    const one = story("()", "1+abcd", "3+XY");
    expect(one.undo(1, 2)).toBe("()");
    one.weave.add({ seq: 4, targets: [1] });
    one.weave.add({ seq: 5, splices: splices("2+Z") });
    const some = runNow(partialUndoSteps(one.weave, [3, 5]));
    expect(some.targets).toEqual([5]);
    expect(some.refused.map(({ seq }) => seq)).toEqual([3]);
  });
});

describe("whole lines", () => {
  test.each([
    ["after an ending that goes", "A\nB", ["3+\nC\n", "6+D\n"], ["line 2 base"]],
    ["after a CRLF that goes", "A\r\nB", ["4+\r\nC\r\n", "9+D\r\n"], ["line 2 base"]],
    ["the last one, without an ending", "A\nB", ["3+\n", "4+D"], ["line 2 base"]],
    ["after a last line that comes back", "A\nB", ["2-1", "2+D\n"], ["line 2 base"]],
    ["in an empty text, after one that comes back", "A", ["0-1", "0+D\n"], ["line 2 base"]],
    ["in place of a blank line that goes", "A\nB\n", ["2+\n", "2+D"], ["line 2 base"]],
    ["edited since", "A\nB", ["3+\nC\n", "6+DE\n", "6+  ", "8-1"], ["line 2 base"]],
    ["beneath a line that was deleted since", "A\nB", ["3+\nC\n", "6+D\n", "4-1"], ["line 2 base"]],
    ["that replaced others", "A\nB", ["3+\nC\n", "6+D\n", "6-2+E\n"], ["line 3 base"]],
    ["joined with a line that goes", "A\nB", ["3+\nC\n", "6+D\n", "5-1"], ["line 2 base"]],
    ["of which the beginning was deleted", "A\nB", ["3+\nC\n", "6+DE\n", "6-1"], ["line 2 base"]],
  ])("[WEAVE-11] are not glued: %s", (_, base, edits, faults) => {
    const one = story(base, ...edits);
    const [{ text }, all] = [one, edits.map((_edit, i) => i + 1)];
    expect(one.undo(1)).toEqual(expect.arrayContaining(faults));
    expect(one.text).toBe(text);
    const together = runNow(togetherSteps(one.weave, [1]));
    expect(all).toEqual(expect.arrayContaining(together));
    expect(one.undo(...together)).not.toBeInstanceOf(Array);
  });

  test.each([
    ["a line that was split is one again", "AB\n", ["1+\n"], "AB\n"],
    ["also where it was edited since", "AXYB\n", ["2+\n", "4+Z", "0+W"], "WAXYZB\n"],
    ["text within a line stays in it", "A\nB", ["3+C\n", "3+D"], "A\nBD"],
    ["lines between others", "A\nB\n", ["2+C\n", "4+D\n"], "A\nD\nB\n"],
    ["lines behind another ending", "A\nB", ["3+\nC\n", "6+D\n", "3+\n"], "A\nB\nD\n"],
    ["lines that begin with an ending", "A\nB", ["3+\nC", "5+\nD"], "A\nB\nD"],
    ["what went on in a line that goes", "{\n1\n}", ["3+,\n2", "6+,\n3"], "{\n1,\n3\n}"],
    ["text after text within a line", "A\nB", ["3+C", "4+D"], "A\nBD"],
    ["text beside a line that was rewritten", "foo\n", ["0-3+bar", "3+X", "0+Y"], "YfooX\n"],
    ["at the start of the text", "B", ["0+A\n", "2+C\n"], "C\nB"],
  ])("[WEAVE-11] are no reason to refuse: %s", (_, base, edits, text) => {
    expect(story(base, ...edits).undo(1)).toBe(text);
  });

  test("[WEAVE-12] an ending that comes to be removed again glues nothing", () => {
    const one = story("A\nB\n", "1-1");
    expect(one.undo(1)).toBe("A\nB\n");
    one.edit("2+C\n");
    expect(one.undo(2)).toEqual(["line 3 base"]);
    expect(one.undo(3)).toBe("A\nB\n");
    expect(one.undo(2)).toBe("AB\n");
  });
});

describe("a closed base", () => {
  test("[WEAVE-6] is before everything that a later undo or restore takes back", () => {
    const records = [
      { seq: 1, splices: [] },
      { seq: 3, splices: [] },
      { seq: 4, splices: [] },
      { seq: 6, targets: [4] },
      { seq: 7, splices: [] },
      { seq: 9, restoreTo: 7 },
    ];
    const needed = (oldest: number): number[] => {
      const base = new ClosedBase(oldest);
      return records
        .toReversed()
        .filter((record) => base.includes(record))
        .map(({ seq }) => seq);
    };
    expect(needed(9)).toEqual([9]);
    expect(needed(7)).toEqual([9, 7]);
    expect(needed(6)).toEqual([9, 7, 6, 4]);
    expect(needed(1)).toEqual([9, 7, 6, 4, 3, 1]);
  });

  test("[WEAVE-6] is needed: from an open one the same records would give another text", () => {
    const one = story("ADB", "1-1", "1+X", "1-1");
    expect(one.undo(1)).toBe("ADB");
    expect(one.undo(3)).toBe("ADXB");
    const two = story("AB", "1+T", "1-1");
    expect(two.undo(1)).toBe("AB");
    expect(two.undo(2)).toBe("AB");
    const open = new Weave({ seq: 1, content: bytesOf("AB") }, BYTES);
    expect(() => open.add({ seq: 4, targets: [1] })).toThrow(/Record 1 is not after the base, 1/);
    expect(() => open.add({ seq: 4, restoreTo: 0 })).toThrow(/before the base, 1/);
  });

  test("[WEAVE-7] refuses records out of order and splices that do not fit", () => {
    const { weave } = story("abc", "0+x");
    expect(() => weave.add({ seq: 1, splices: [] })).toThrow(/Record 1 does not come after record 1/);
    expect(() => weave.add({ seq: 2, splices: splices("4-1") })).toThrow(/beyond the 4 bytes/);
  });

  test("[WEAVE-7] refuses more runs than its limit", () => {
    const weave = new Weave({ seq: 0, content: bytesOf("abcdefghij") }, BYTES, { maxRuns: 10 });
    const grow = (): void => {
      for (let seq = 1; seq <= 10; seq++) weave.add({ seq, splices: splices("3+x") });
    };
    expect(grow).toThrow(
      expect.objectContaining({ code: "invalid_argument", reason: "too_many_runs", data: { limit: 10 } }),
    );
  });
});

describe("restore and blame", () => {
  test("[WEAVE-15] [WEAVE-20] gives the text of a place back, as the work of those who wrote it", () => {
    const one = story("ab", "1+X", "0-1+Y", "1-1");
    expect(one.blame()).toBe("2:Y base:b");
    expect(one.restore(1)).toBe("aXb");
    expect(one.blame()).toBe("base:a 1:X base:b");
    expect(one.undo(4)).toBe("Yb");
    expect(one.restore(0)).toBe("ab");
    expect(one.restore(2)).toBe("YXb");
    expect(one.blame()).toBe("2:Y 1:X base:b");
  });

  test("[WEAVE-15] undoing a restore is refused where later text lies in what it brought back", () => {
    const one = story("()", "1+abcd", "1-4");
    expect(one.restore(1)).toBe("(abcd)");
    one.edit("3+!");
    expect(one.undo(3)).toEqual(["torn 2 4"]);
  });

  test("[WEAVE-20] knows equal bytes apart", () => {
    const one = story("T,", "2+T,", "0-2");
    expect(one.text).toBe("T,");
    expect(one.blame()).toBe("1:T,");
    expect(one.undo(2)).toBe("T,T,");
    expect(one.blame()).toBe("base:T, 1:T,");
  });

  test("[WEAVE-21] tells who removed what is not there", () => {
    const one = story("abc", "1+XY", "2-2", "0+Z");
    one.undo(3);
    const dead = deadRuns(one.weave).map(({ at, content, by, stands, removedBy }) =>
      [at, textOf(content), by ?? "base", stands, removedBy].join(" "),
    );
    expect(dead).toEqual(["0 Z 3 false ", "2 Y 1 true 2", "2 b base true 2"]);
  });
});

describe("a stale edit", () => {
  const rebased = (one: Story, edit: string, ...later: readonly string[]) => {
    const anchors = anchorEdit(one.weave, splices(edit), BYTES);
    return settleEdit(one.edit(...later).weave, anchors);
  };

  test("[WEAVE-30] finds its bytes wherever they are", () => {
    const found = rebased(story("hello,world"), "6-5+earth 11+!", "0+Oh,", "3-5+hi");
    expect(notationOf(found.splices)).toBe("6-5+earth 11+!");
    expect(found).toMatchObject({ conflicts: [], met: [] });
  });

  test("[WEAVE-31] has a conflict where they are gone, taken apart, or its place is", () => {
    expect(rebased(story("abcdef"), "1-3+X", "2-1").conflicts).toEqual([
      { splice: 0, reason: "removed", by: [1] },
    ]);
    expect(rebased(story("abcdef"), "0+_ 1-3+X", "2+!", "3+?")).toMatchObject({
      conflicts: [{ splice: 1, reason: "separated", by: [1, 2] }],
      splices: [{ at: 0, remove: 0 }],
    });
    expect(rebased(story("abcdef"), "3+X", "1-2", "1-2").conflicts).toEqual([
      { splice: 0, reason: "place_gone", by: [1, 2] },
    ]);
    for (const edit of ["0+X", "3+X", "6+X"])
      expect(rebased(story("abcdef"), edit, "0-6+new").conflicts).toEqual([
        { splice: 0, reason: "place_gone", by: [1] },
      ]);
    expect(rebased(story(""), "0+X", "0+new")).toMatchObject({ conflicts: [], splices: [{ at: 3 }] });
  });

  test("[WEAVE-31] is in place again when what was in its way is undone", () => {
    const one = story("abcdef");
    const anchors = anchorEdit(one.weave, splices("1-3+X"), BYTES);
    one.edit("0-6+new");
    one.undo(1);
    expect(notationOf(settleEdit(one.weave, anchors).splices)).toBe("1-3+X");
  });

  test("[WEAVE-32] stays with the neighbour that is left, and goes after what others put at its place", () => {
    expect(notationOf(rebased(story("abcd"), "2+X", "2-2+Y").splices)).toBe("2+X");
    expect(notationOf(rebased(story("abcd"), "2+X", "0-2+YYY").splices)).toBe("3+X");
    const met = rebased(story("abcd"), "2+X", "2+YY");
    expect(notationOf(met.splices)).toBe("4+X");
    expect(met.met).toEqual([{ splice: 0, by: [1], isBefore: false }]);
    const back = story("aXb", "1-1");
    const anchors = anchorEdit(back.weave, splices("1+Y"), BYTES);
    back.undo(1);
    expect(settleEdit(back.weave, anchors)).toMatchObject({
      splices: [{ at: 2 }],
      met: [{ splice: 0, by: [] }],
    });
  });
});

describe("a stale edit whose place is refused", () => {
  const refusing = (one: Story, edit: string, refused: readonly number[], ...later: readonly string[]) => {
    const anchors = anchorEdit(one.weave, splices(edit), BYTES);
    return settleEdit(one.edit(...later).weave, anchors, ({ at }) => !refused.includes(at));
  };

  test("[WEAVE-33] goes before what others put there, and has a conflict where it cannot", () => {
    const before = refusing(story("abcd"), "2+X", [4], "2+YY");
    expect(notationOf(before.splices)).toBe("2+X");
    expect(before).toMatchObject({ conflicts: [], met: [{ splice: 0, by: [1], isBefore: true }] });
    const none = refusing(story("abcd"), "2+X", [2, 4], "2+YY");
    expect(none).toEqual({ splices: [], met: [], conflicts: [{ splice: 0, reason: "unfit", by: [1] }] });
    expect(refusing(story("abcd"), "1-2+X", [1], "1+Y", "4+Z", "0-1").conflicts).toEqual([
      { splice: 0, reason: "unfit", by: [1, 2, 3] },
    ]);
  });

  test("[WEAVE-33] never crosses another splice of the edit", () => {
    const found = refusing(story("abcd"), "2+X 2+Z", [], "2+YY");
    expect(notationOf(found.splices)).toBe("4+X 4+Z");
    const one = story("abcd");
    const anchors = anchorEdit(one.weave, splices("2+X 2+Z"), BYTES);
    one.edit("2+YY");
    const crossing = settleEdit(one.weave, anchors, ({ splice, at }) => at === (splice === 0 ? 4 : 2));
    expect(notationOf(crossing.splices)).toBe("4+X");
    expect(crossing.conflicts).toEqual([{ splice: 1, reason: "unfit", by: [1] }]);
  });

  test("[WEAVE-33] names who brought back what is beside it", () => {
    const back = story("aXb", "1-1");
    const anchors = anchorEdit(back.weave, splices("1+Y"), BYTES);
    back.undo(1);
    const [conflict] = settleEdit(back.weave, anchors, () => false).conflicts;
    expect(conflict).toEqual({ splice: 0, reason: "unfit", by: [2] });
  });
});

describe("a part of the records", () => {
  test("[WEAVE-40] brings along the ending that keeps its lines apart", () => {
    const one = story("A\nB", "3+\nC\n", "6+D\n");
    const needs = runNow(needSteps(one.weave, [2]));
    expect(needs.along).toEqual([{ seq: 1, because: "line", of: 2 }]);
    expect(textOf(applySplices(bytesOf("A\nB"), needs.splices))).toBe("A\nB\nC\nD\n");
  });

  test("[WEAVE-40] brings along what removed the line before its lines", () => {
    const one = story("A\nB", "2-1", "2+D\n");
    const needs = runNow(needSteps(one.weave, [2]));
    expect(needs.along).toEqual([{ seq: 1, because: "line", of: 2 }]);
    expect(textOf(applySplices(bytesOf("A\nB"), needs.splices))).toBe("A\nD\n");
  });

  test("[WEAVE-40] [WEAVE-41] comes with what it was written into or over", () => {
    const one = story("()", "1+abcd", "3+XY", "0+Z");
    const needs = runNow(needSteps(one.weave, [2]));
    expect(needs.along).toEqual([{ seq: 1, because: "inside", of: 2 }]);
    expect(textOf(applySplices(bytesOf("()"), needs.splices))).toBe("(abXYcd)");
    expect(runNow(needSteps(one.weave, [3])).along).toEqual([]);
    const over = story("foo", "0-3+bar", "0-3+baz");
    expect(runNow(needSteps(over.weave, [2])).along).toEqual([{ seq: 1, because: "over", of: 2 }]);
  });

  test("[WEAVE-40] comes with what removed bytes that it would leave torn", () => {
    const one = story("abc", "1-1", "0-2+Z");
    const needs = runNow(needSteps(one.weave, [2]));
    expect(needs.along).toEqual([{ seq: 1, because: "torn", of: 2 }]);
    expect(textOf(joinBytes([applySplices(bytesOf("abc"), needs.splices)]))).toBe("Z");
  });
});
