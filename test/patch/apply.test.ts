import { describe, expect, test } from "vitest";
import { validateSplices } from "../../src/text/splice.ts";
import { applyPatch, patchedFiles } from "../../src/patch/index.ts";
import { after, numbered, on, reportFor } from "./_try.ts";

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const texts = (files: Map<string, Uint8Array>): Record<string, string> =>
  Object.fromEntries([...files].map(([name, bytes]) => [name, decoder.decode(bytes)]));
const replace = (line: number, old: string, fresh: string): Record<string, unknown> => ({
  line,
  op: "replace",
  old,
  new: fresh,
});
const insert = (line: number, fresh: string): Record<string, unknown> => ({ line, op: "insert", new: fresh });
const remove = (line: number, old?: string): Record<string, unknown> => ({
  line,
  op: "delete",
  ...(old === undefined ? {} : { old }),
});

describe("the specification's example", () => {
  test("[NDP-18] replace 8, insert 5, delete 10 apply to the original lines they name", () => {
    const file = "path/to/your/file.txt";
    const lines = Array.from({ length: 12 }, (_, i) => `line ${i + 1}`);
    lines[7] = "This is the original line 8 content.";
    lines[9] = "This original line 10 content will be deleted.";
    const patch = [
      { file, line: 8, op: "replace", old: lines[7], new: "This is the new content replacing line 8." },
      { file, line: 5, op: "insert", new: "This new line will be inserted before the original line 5." },
      { file, line: 10, op: "delete", old: lines[9] },
    ];
    const files = { [file]: `${lines.join("\n")}\n` };
    const report = applyPatch(files, JSON.stringify(patch));
    expect(report.statuses).toEqual(["applied", "applied", "applied"]);
    expect(texts(patchedFiles(files, report))[file]?.split("\n")).toEqual([
      "line 1",
      "line 2",
      "line 3",
      "line 4",
      "This new line will be inserted before the original line 5.",
      "line 5",
      "line 6",
      "line 7",
      "This is the new content replacing line 8.",
      "line 9",
      "line 11",
      "line 12",
      "",
    ]);
  });

  test("[NDP-2] an empty array changes nothing", () => {
    const report = applyPatch({ f: "x" }, []);
    expect(report).toMatchObject({ ok: true, files: [], statuses: [] });
  });
});

describe("lines", () => {
  test("[NDP-15] end with LF or CRLF; a lone CR is text", () => {
    expect(after("a\rb\nc\n", [replace(1, "a\rb", "x")])).toBe("x\nc\n");
    expect(after("a\r\nb\n", [replace(1, "a", "x")])).toBe("x\r\nb\n");
    expect(after("a\r\r\n", [replace(1, "a\r", "x")])).toBe("x\r\n");
    expect(reportFor("a\n", []).ok).toBe(true);
    for (const [text, lines] of [
      ["", 0],
      ["a", 1],
      ["a\n", 1],
      ["\n", 1],
      ["a\n\n", 2],
      ["a\nb", 2],
      ["\r\n", 1],
      ["\r", 1],
    ] as const)
      expect(reportFor(text, [insert(1, "x")]).files[0]?.linesBefore).toBe(lines);
  });

  test("[NDP-15] U+2028, U+0085, form feed and vertical tab do not end a line", () => {
    expect(after("a\u2028b\u0085c\fd\ve\n", [replace(1, "a\u2028b\u0085c\fd\ve", "x")])).toBe("x\n");
  });

  test("[NDP-16] a byte order mark is kept and is not part of line 1", () => {
    expect(after("\ufeffa\nb\n", [replace(1, "a", "x")])).toBe("\ufeffx\nb\n");
    expect(after("\ufeffa\nb\n", [insert(1, "x")])).toBe("\ufeffx\na\nb\n");
    expect(after("\ufeffa\n", [remove(1, "a")])).toBe("\ufeff");
    expect(after("\ufeff", [insert(1, "x")])).toBe("\ufeffx\n");
  });

  test.each([
    ["a lone continuation byte", [0x61, 0x0a, 0x80]],
    ["a cut sequence", [0xe2, 0x82]],
    ["an overlong slash", [0xc0, 0xaf]],
    ["a surrogate", [0xed, 0xa0, 0x80]],
    ["above U+10FFFF", [0xf4, 0x90, 0x80, 0x80]],
    ["UTF-16", [0xff, 0xfe, 0x61, 0x00]],
    [
      "a bad byte deep in ASCII",
      [...new Uint8Array(100).fill(0x61), 0xff, ...new Uint8Array(100).fill(0x61)],
    ],
  ])("[NDP-17] a file with %s is binary", (_, bytes) => {
    const report = applyPatch({ f: new Uint8Array(bytes) }, on([insert(1, "x")]));
    expect(report).toMatchObject({
      ok: false,
      statuses: ["binary"],
      conflicts: [{ reason: "binary", file: "f" }],
    });
    expect(report.conflicts[0]?.message).toContain("Write it as a whole");
  });

  test("[NDP-17] valid UTF-8 of every length at every alignment is text", () => {
    const text = "aé日𝒳\nabcdefg\u07ff\u0800\uffff\u{10ffff}\n";
    for (let shift = 0; shift < 8; shift++) {
      const bytes = new TextEncoder().encode("x".repeat(shift) + text);
      const moved = new Uint8Array(bytes.length + 3).subarray(3);
      moved.set(bytes);
      const files = { f: moved };
      const report = applyPatch(files, on([replace(1, `${"x".repeat(shift)}aé日𝒳`, "y")]));
      expect(report.ok).toBe(true);
      expect(texts(patchedFiles(files, report))["f"]).toBe("y\nabcdefg\u07ff\u0800\uffff\u{10ffff}\n");
    }
  });
});

describe("operations", () => {
  const five = numbered(5);

  test("[NDP-18] an earlier operation does not move a later one", () => {
    expect(after(five, [insert(1, "x"), insert(1, "y"), replace(3, "L3", "z"), remove(2, "L2")])).toBe(
      "x\ny\nL1\nz\nL4\nL5\n",
    );
    expect(after("a\nb\nc\nd\ne\n", [insert(2, "x"), replace(3, "c", "C")])).toBe("a\nx\nb\nC\nd\ne\n");
    expect(after("a\nb\nc\nd\ne\n", [insert(4, "x"), replace(2, "b", "B")])).toBe("a\nB\nc\nx\nd\ne\n");
    expect(after("a\nb\nc\nd\ne\n", [replace(2, "b", "B"), insert(4, "x"), remove(5, "e")])).toBe(
      "a\nB\nc\nx\nd\n",
    );
  });

  test("[NDP-20] replace puts a line in the place of another", () => {
    expect(after(five, [replace(1, "L1", "x")])).toBe("x\nL2\nL3\nL4\nL5\n");
    expect(after(five, [{ line: 5, op: "replace", new: "x" }])).toBe("L1\nL2\nL3\nL4\nx\n");
    expect(after(five, [replace(6, "", "x")])).toBe("conflict: out_of_range");
  });

  test("[NDP-21] delete removes a line", () => {
    expect(after(five, [remove(1, "L1"), remove(5)])).toBe("L2\nL3\nL4\n");
    expect(after(five, [remove(6)])).toBe("conflict: out_of_range");
    expect(after(five, [remove(2 ** 53 - 1)])).toBe("conflict: out_of_range");
  });

  test("[NDP-22] insert puts a line before another, and n + 1 appends", () => {
    expect(after(five, [insert(1, "x")])).toBe(`x\n${five}`);
    expect(after(five, [insert(6, "x"), insert(6, "y")])).toBe(`${five}x\ny\n`);
    expect(after(five, [insert(7, "x")])).toBe("conflict: out_of_range");
    expect(after("", [insert(1, "x"), insert(2, "y")])).toBe("conflict: fits, out_of_range");
  });

  test("[NDP-23] inserts at one line keep their order", () => {
    expect(after(numbered(2), [insert(2, "a"), insert(1, "0"), insert(2, "b"), insert(2, "c")])).toBe(
      "0\nL1\na\nb\nc\nL2\n",
    );
  });

  test("[NDP-24] an insert goes before the line that is replaced or deleted, in either order", () => {
    const expected = "L1\nx\nB\nL3\n";
    expect(after(numbered(3), [insert(2, "x"), replace(2, "L2", "B")])).toBe(expected);
    expect(after(numbered(3), [replace(2, "L2", "B"), insert(2, "x")])).toBe(expected);
    expect(after(numbered(3), [remove(2, "L2"), insert(2, "B")])).toBe("L1\nB\nL3\n");
    expect(after(numbered(3), [insert(2, "B"), remove(2, "L2")])).toBe("L1\nB\nL3\n");
    expect(after(numbered(1), [remove(1, "L1"), insert(1, "A")])).toBe("A\n");
  });

  test("[NDP-25] a second replace or delete sees what the first left", () => {
    expect(after(numbered(2), [replace(1, "L1", "x"), replace(1, "x", "y")])).toBe("y\nL2\n");
    expect(after(numbered(2), [replace(1, "L1", "x"), replace(1, "L1", "y")])).toBe(
      "conflict: fits, old_mismatch",
    );
    expect(after(numbered(2), [replace(1, "L1", "x"), remove(1, "x")])).toBe("L2\n");
    expect(after(numbered(2), [replace(1, "L1", "x\ny"), replace(1, "x\r\ny\n", "z")])).toBe("z\nL2\n");
    expect(after(numbered(2), [replace(1, "L1", "x"), replace(1, "x", "L1")])).toBe(numbered(2));
  });

  test("[NDP-26] a deleted line cannot be touched again", () => {
    expect(after(five, [remove(5, "L5"), remove(5, "L5")])).toBe("conflict: fits, line_already_deleted");
    expect(after(five, [remove(5), replace(5, "L5", "x")])).toBe("conflict: fits, line_already_deleted");
  });

  test.each([
    ["a blank more at the end", "L2 "],
    ["a blank in front", " L2"],
    ["another case", "l2"],
    ["nothing", ""],
    ["two endings", "L2\n\n"],
    ["a CR alone at the end", "L2\r"],
  ])("[NDP-27] old is compared exactly: %s", (_, old) => {
    expect(after(five, [replace(2, old, "x")])).toBe("conflict: old_mismatch");
  });

  test("[NDP-27] one line ending at the end of old is dropped, and the line's own is not compared", () => {
    for (const old of ["L1", "L1\n", "L1\r\n"]) {
      expect(after("L1\nL2\n", [remove(1, old)])).toBe("L2\n");
      expect(after("L1\r\nL2\n", [remove(1, old)])).toBe("L2\n");
      expect(after("L1", [replace(1, old, "x")])).toBe("x");
    }
    expect(after("é\n", [replace(1, "e\u0301", "x")])).toBe("conflict: old_mismatch");
    expect(after("\ufffd\n", [replace(1, "\ufffd", "x")])).toBe("x\n");
  });

  test("[NDP-28] old in insert is compared with nothing", () => {
    expect(after(five, [{ ...insert(2, "x"), old: "wrong" }])).toBe("L1\nx\nL2\nL3\nL4\nL5\n");
  });
});

describe("text and endings", () => {
  test("[NDP-29] one line ending at the end of new is dropped", () => {
    for (const fresh of ["x", "x\n", "x\r\n"]) {
      expect(after("a\nb\n", [replace(1, "a", fresh)])).toBe("x\nb\n");
      expect(after("a\r\nb\r\n", [insert(2, fresh)])).toBe("a\r\nx\r\nb\r\n");
    }
    expect(after("a\n", [insert(1, "")])).toBe("\na\n");
    expect(after("a\n", [insert(1, "\n")])).toBe("\na\n");
    expect(after("a\n", [insert(1, "x\n\n")])).toBe("x\n\na\n");
  });

  test("[NDP-30] inner line breaks make several lines, in the file's own style", () => {
    expect(after("a\nb\n", [replace(1, "a", "x\r\ny\nz")])).toBe("x\ny\nz\nb\n");
    expect(after("a\r\nb\r\n", [insert(2, "x\ny\n")])).toBe("a\r\nx\r\ny\r\nb\r\n");
    expect(reportFor("a\nb\n", [replace(1, "a", "x\ny")]).files[0]).toMatchObject({
      added: 2,
      removed: 1,
      linesAfter: 3,
    });
  });

  test("[NDP-31] a replacement takes the ending of the line it replaces", () => {
    expect(after("a\r\nb\nc", [replace(1, "a", "x"), replace(2, "b", "y\nyy"), replace(3, "c", "z")])).toBe(
      "x\r\ny\nyy\nz",
    );
    expect(after("a\r\nb", [replace(2, "b", "y\nyy")])).toBe("a\r\ny\r\nyy");
    expect(after("b", [replace(1, "b", "y\nyy")])).toBe("y\nyy");
  });

  test("[NDP-32] an inserted line takes the ending above it, else below, else LF", () => {
    expect(after("a\r\nb\nc\r\n", [insert(1, "x")])).toBe("x\r\na\r\nb\nc\r\n");
    expect(after("a\r\nb\nc\r\n", [insert(2, "x")])).toBe("a\r\nx\r\nb\nc\r\n");
    expect(after("a\r\nb\nc\r\n", [insert(3, "x")])).toBe("a\r\nb\nx\nc\r\n");
    expect(after("a\r\nb\nc\r\n", [insert(4, "x")])).toBe("a\r\nb\nc\r\nx\r\n");
    expect(after("a", [insert(1, "x")])).toBe("x\na");
  });

  test("[NDP-33] a file without final ending keeps having none", () => {
    expect(after("a\nb", [insert(3, "c")])).toBe("a\nb\nc");
    expect(after("a\r\nb", [insert(3, "c"), insert(3, "d")])).toBe("a\r\nb\r\nc\r\nd");
    expect(after("a", [insert(2, "b")])).toBe("a\nb");
    expect(after("a\nb", [replace(2, "b", "B")])).toBe("a\nB");
    expect(after("a\nb", [remove(2, "b")])).toBe("a");
    expect(after("a\n\n\nb", [remove(4, "b"), remove(1, "a")])).toBe("\n");
    expect(after("a\nb\nc", [remove(3, "c"), replace(2, "b", "B")])).toBe("a\nB");
    expect(after("a\nb", [remove(1, "a"), remove(2, "b")])).toBe("");
    expect(after("a\nb\n", [insert(3, "c")])).toBe("a\nb\nc\n");
  });

  test("[NDP-34] a new or empty file gets LF and a final ending", () => {
    expect(after("", [insert(1, "x"), insert(1, "y")])).toBe("x\ny\n");
    expect(after(undefined, [insert(1, "x\r\ny")])).toBe("x\ny\n");
  });

  test("[NDP-35] eol sets the endings of an operation", () => {
    expect(after("a\nb\n", [{ ...insert(2, "x\ny"), eol: "crlf" }])).toBe("a\nx\r\ny\r\nb\n");
    expect(after("a\r\nb\r\n", [{ ...replace(1, "a", "a"), eol: "lf" }])).toBe("a\nb\r\n");
    expect(after("a\nb\n", [{ ...replace(2, "b", "b"), eol: "none" }])).toBe("a\nb");
    expect(after("a\nb", [{ ...replace(2, "b", "b"), eol: "lf" }])).toBe("a\nb\n");
    expect(after("a\nb", [{ ...replace(1, "a", "a"), eol: "lf" }, remove(2, "b")])).toBe("a\n");
    expect(after("a\nb", [{ ...insert(3, "c"), eol: "crlf" }])).toBe("a\nb\nc\r\n");
    expect(after("", [{ ...insert(1, "x\ny"), eol: "none" }])).toBe("x\ny");
  });

  test("[NDP-36] eol none is for the last line of the result", () => {
    expect(after("a\nb\n", [{ ...replace(1, "a", "x"), eol: "none" }])).toBe("conflict: invalid_operation");
    expect(after("a\n", [{ ...insert(2, "x"), eol: "none" }, insert(2, "y")])).toBe(
      "conflict: invalid_operation, fits",
    );
    expect(after("a\nb\n", [{ ...replace(1, "a", "x"), eol: "none" }, remove(2)])).toBe("x");
    expect(reportFor("a\nb\n", [{ ...replace(1, "a", "x"), eol: "none" }]).conflicts[0]?.message).toContain(
      'Leave "eol" out',
    );
  });

  test("[NDP-37] what no operation touches stays, byte for byte", () => {
    const odd = "\ufeffa \t\r\n\u0000\n\r\r\n  é\u2028\n𝒳";
    expect(after(odd, [replace(2, "\u0000", "z")])).toBe("\ufeffa \t\r\nz\n\r\r\n  é\u2028\n𝒳");
  });

  test("[NDP-37] a replace by the same text is a check: it changes nothing, but must fit", () => {
    const report = reportFor("a\nb\n", [replace(1, "a", "a"), insert(1, "x")]);
    expect(report.statuses).toEqual(["applied", "applied"]);
    expect(report.files[0]).toMatchObject({ added: 1, removed: 0, splices: [{ at: 0, remove: 0 }] });
    expect(reportFor("a\n", [replace(1, "a", "a\n")]).files[0]).toMatchObject({
      status: "unchanged",
      splices: [],
    });
    expect(after("a\nb\n", [replace(1, "z", "z")])).toBe("conflict: old_mismatch");
  });
});

describe("files", () => {
  test("[NDP-11] two spellings of one path are one file", () => {
    const files = { "dir/a.txt": "x\ny\n" };
    const patch = [
      { file: "dir//a.txt", line: 2, op: "replace", old: "y", new: "Y" },
      { file: "/workspace/dir/a.txt", line: 1, op: "insert", new: "0" },
    ];
    const report = applyPatch(files, patch);
    expect(report.files.length).toBe(1);
    expect(texts(patchedFiles(files, report))).toEqual({ "dir/a.txt": "0\nx\nY\n" });
    expect(
      texts(
        patchedFiles(
          { "/workspace/a": "q\n" },
          applyPatch({ "/workspace/a": "q\n" }, [{ file: "a", line: 1, op: "delete" }]),
        ),
      ),
    ).toEqual({ "/workspace/a": "" });
  });

  test("[NDP-38] inserts at line 1 create a missing file, nothing else does", () => {
    expect(reportFor(undefined, [insert(1, "x"), insert(1, "y")]).files[0]).toMatchObject({
      status: "created",
      linesAfter: 2,
    });
    for (const operation of [insert(2, "x"), replace(1, "a", "b"), remove(1)]) {
      const report = reportFor(undefined, [operation]);
      expect(report.statuses).toEqual(["out_of_range"]);
      expect(report.conflicts[0]?.message).toContain("does not exist");
    }
  });

  test("[NDP-39] deleting every line leaves an empty file", () => {
    const report = reportFor("a\nb\n", [remove(1), remove(2)]);
    expect(report.files[0]).toMatchObject({ status: "changed", linesAfter: 0 });
    expect(after("a\nb\n", [remove(1), remove(2)])).toBe("");
  });

  test("[NDP-40] created makes an empty file, and refuses one that holds something", () => {
    const made = applyPatch({}, { created: ["e"] });
    expect(made.files[0]).toMatchObject({ status: "created", splices: [] });
    expect(texts(patchedFiles({}, made))).toEqual({ e: "" });
    expect(applyPatch({ e: "" }, { created: ["e"] }).files[0]?.status).toBe("already_applied");
    const refused = applyPatch({ e: "x\n" }, { created: ["e"] });
    expect(refused).toMatchObject({ ok: false, conflicts: [{ reason: "old_mismatch", lines: 1 }] });
    const both = { operations: [{ file: "e", line: 1, op: "insert", new: "x" }], created: ["e"] };
    expect(texts(patchedFiles({}, applyPatch({}, both)))).toEqual({ e: "x\n" });
    expect(applyPatch({ e: "x\n" }, both).files[0]?.status).toBe("already_applied");
    expect(applyPatch({ e: "y\n" }, both).ok).toBe(false);
  });

  test("[NDP-41] removed takes a file away whose lines were all deleted", () => {
    const patch = { operations: on([remove(1, "a"), remove(2, "b")]), removed: ["f"] };
    const files = { f: "a\nb\n", g: "" };
    const report = applyPatch(files, patch);
    expect(report.files[0]).toMatchObject({ status: "removed", removed: 2, splices: [{ at: 0, remove: 4 }] });
    expect(texts(patchedFiles(files, report))).toEqual({ g: "" });
    expect(applyPatch({ f: "a\nb\nc\n" }, patch)).toMatchObject({
      ok: false,
      conflicts: [{ reason: "old_mismatch", lines: 1 }],
    });
    expect(applyPatch({ f: "a\nx\n" }, patch).statuses).toEqual(["fits", "old_mismatch"]);
    expect(applyPatch({}, patch).files[0]?.status).toBe("already_applied");
    expect(applyPatch({ f: "" }, { operations: on([insert(1, "x")]), removed: ["f"] }).ok).toBe(false);
  });

  test("[NDP-42] base refuses a file whose token is another", () => {
    const patch = { operations: on([remove(1, "a")]), base: { f: "3.ab" } };
    expect(applyPatch({ f: { content: "a\n", token: "3.ab" } }, patch).ok).toBe(true);
    const stale = applyPatch({ f: { content: "a\n", token: "4.cd" } }, patch);
    expect(stale).toMatchObject({ ok: false, conflicts: [{ reason: "stale_base", token: "4.cd" }] });
    expect(stale.conflicts[0]?.message).toContain('send "base": {"f":"4.cd"}.');
    const moved = applyPatch({ f: { content: "z\n", token: "4.cd" } }, patch);
    expect(moved.conflicts.map(({ reason }) => reason)).toEqual(["stale_base", "old_mismatch"]);
    expect(applyPatch({ f: "a\n" }, patch).conflicts[0]?.message).toContain("no version");
    expect(applyPatch({}, patch).ok).toBe(false);
  });
});

describe("all or nothing", () => {
  const files = { a: "1\n2\n", b: "1\n2\n", c: new Uint8Array([0xff]) };
  const patch = [
    { file: "a", line: 1, op: "replace", old: "1", new: "one" },
    { file: "b", line: 1, op: "replace", old: "x", new: "one" },
    { file: "b", line: 9, op: "delete" },
    { file: "c", line: 1, op: "delete" },
  ];

  test("[NDP-43] all conflicts of all files are reported together, and no file changes", () => {
    const report = applyPatch(files, patch);
    expect(report.ok).toBe(false);
    expect(report.conflictCount).toBe(3);
    expect(report.conflicts.map(({ index, file, reason }) => [index, file, reason])).toEqual([
      [1, "b", "old_mismatch"],
      [2, "b", "out_of_range"],
      [undefined, "c", "binary"],
    ]);
    expect(report.files.map(({ status }) => status)).toEqual(["fits", "conflict", "conflict"]);
    expect(patchedFiles(files, report).get("a")).toEqual(new TextEncoder().encode("1\n2\n"));
  });

  test("[NDP-44] the result is splices over the original bytes, sorted and apart", () => {
    const text = "é\nb\nc\nd\n";
    const report = reportFor(text, [remove(4), replace(1, "é", "e"), insert(3, "x"), remove(3, "c")]);
    const splices = report.files[0]?.splices ?? [];
    expect(splices.map(({ at, remove: count, insert: bytes }) => [at, count, decoder.decode(bytes)])).toEqual(
      [
        [0, 3, "e\n"],
        [5, 4, "x\n"],
      ],
    );
    validateSplices(splices, new TextEncoder().encode(text).length);
  });

  test("[NDP-44] the given bytes are not changed", () => {
    const bytes = new TextEncoder().encode("a\nb\n");
    const copy = bytes.slice();
    const given = { f: bytes };
    patchedFiles(given, applyPatch(given, on([remove(1), insert(2, "x")])));
    expect(bytes).toEqual(copy);
  });
});

describe("a patch that was applied before", () => {
  const twice = (text: string, operations: readonly Record<string, unknown>[]): string => {
    const once = after(text, operations);
    const again = reportFor(once, operations);
    return again.ok ? (again.files[0]?.status ?? "") : again.statuses.join(", ");
  };

  test("[NDP-45] is recognised and changes nothing again", () => {
    expect(twice(numbered(9), [replace(2, "L2", "x"), insert(5, "new"), remove(7, "L7")])).toBe(
      "already_applied",
    );
    expect(twice(numbered(9), [remove(2, "L2"), insert(2, "x")])).toBe("already_applied");
    expect(twice(numbered(3), [replace(1, "L1", "x\ny"), replace(3, "L3", "z")])).toBe("already_applied");
    expect(twice(numbered(3), [remove(3, "L3"), replace(1, "L1", "x")])).toBe("already_applied");
    const report = reportFor("x\nL2\n", [replace(1, "L1", "x")]);
    expect(report).toMatchObject({ ok: true, statuses: ["already_applied"], files: [{ splices: [] }] });
  });

  test("[NDP-45] is not claimed for inserts alone, deletes alone, or when a part is not there", () => {
    expect(twice(numbered(3), [insert(2, "x")])).toBe("changed");
    expect(twice(numbered(3), [remove(3, "L3")])).toBe("out_of_range");
    expect(twice(numbered(3), [remove(1, "L1")])).toBe("old_mismatch");
    expect(reportFor("x\nL2\nL3\n", [replace(1, "L1", "x"), replace(3, "L3", "z")]).statuses).toEqual([
      "old_mismatch",
      "fits",
    ]);
    expect(reportFor("x\nL2\nL3\n", [replace(1, "L1", "x"), remove(2, "L2")]).ok).toBe(false);
  });

  test("[NDP-45] is judged per file", () => {
    const patch = [
      { file: "a", line: 1, op: "replace", old: "1", new: "one" },
      { file: "b", line: 1, op: "replace", old: "1", new: "one" },
    ];
    const files = { a: "one\n", b: "1\n" };
    const report = applyPatch(files, patch);
    expect(report.statuses).toEqual(["already_applied", "applied"]);
    expect(texts(patchedFiles(files, report))).toEqual({ a: "one\n", b: "one\n" });
    expect(applyPatch({ a: "one\n", b: "?\n" }, patch).statuses).toEqual(["already_applied", "old_mismatch"]);
  });
});
