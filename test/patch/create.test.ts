import { describe, expect, test } from "vitest";
import { HoldfastError } from "../../src/errors.ts";
import { resolveLimits } from "../../src/limits.ts";
import { applyPatch, createPatch, formatPatch, parsePatch, patchedFiles } from "../../src/patch/index.ts";

const file = "f";
const between = (before: string, after: string): string[] =>
  createPatch(before, after, { file }).operations.map(
    ({ op, line, old, new: fresh, eol }) =>
      `${op} ${line}${old === undefined ? "" : ` -${JSON.stringify(old)}`}${fresh === undefined ? "" : ` +${JSON.stringify(fresh)}`}${eol === undefined ? "" : ` ${eol}`}`,
  );
const thrown = (work: () => unknown): HoldfastError => {
  try {
    work();
  } catch (error) {
    if (HoldfastError.is(error)) return error;
  }
  throw new Error("nothing was thrown");
};

describe("createPatch", () => {
  test("[NDP-56] replaces what pairs up, then deletes or inserts, always with old", () => {
    expect(between("a\nb\nc\n", "a\nB\nc\n")).toEqual(['replace 2 -"b" +"B"']);
    expect(between("a\nb\nc\nd\n", "a\nX\nd\n")).toEqual(['replace 2 -"b" +"X"', 'delete 3 -"c"']);
    expect(between("a\nd\n", "a\nb\nc\nd\n")).toEqual(['insert 2 +"b\\nc"']);
    expect(between("a\nb\n", "X\nY\nZ\nb\n")).toEqual(['replace 1 -"a" +"X"', 'insert 2 +"Y\\nZ"']);
    expect(between("a\n", "a\n")).toEqual([]);
  });

  test("[NDP-56] writes a run of inserted lines as one operation, whatever the lines hold", () => {
    expect(between("", "a\n\nb\n")).toEqual(['insert 1 +"a\\n\\nb"']);
    expect(between("", "a\n\n")).toEqual(['insert 1 +"a\\n\\n"']);
    expect(between("", "\n\n")).toEqual(['insert 1 +"\\n\\n"']);
    expect(between("", "a\nb")).toEqual(['insert 1 +"a\\nb" none']);
    expect(between("x\r\n", "x\r\na\r\nb\nc\r\n")).toEqual([
      'insert 2 +"a"',
      'insert 2 +"b" lf',
      'insert 2 +"c"',
    ]);
    const text = Array.from({ length: 3_000 }, (_, i) => `${i % 10}\n`).join("");
    const patch = createPatch(undefined, text, { file });
    expect(patch.operations).toHaveLength(1);
    expect(formatPatch(patch).length).toBeLessThan(1.6 * text.length);
  });

  test("[NDP-57] what exists on neither side is not listed", () => {
    expect(createPatch(undefined, undefined, { file })).toMatchObject({
      operations: [],
      created: [],
      removed: [],
    });
  });

  test("[NDP-56] writes eol only where it is needed", () => {
    expect(between("a\r\nb\r\n", "a\r\nx\r\nb\r\n")).toEqual(['insert 2 +"x"']);
    expect(between("a\r\nb\r\n", "a\nb\r\n")).toEqual(['replace 1 -"a" +"a" lf']);
    expect(between("a\nb\n", "a\nb")).toEqual(['replace 2 -"b" +"b" none']);
    expect(between("a\nb", "a\nb\n")).toEqual(['replace 2 -"b" +"b" lf']);
    expect(between("a\nb", "a\nb\nc")).toEqual(['insert 3 +"c"']);
    expect(between("a\nb", "a\nb\nc\n")).toEqual(['insert 3 +"c" lf']);
    expect(between("a\nb", "a")).toEqual(['delete 2 -"b"']);
    expect(between("a\nb", "a\n")).toEqual(['replace 1 -"a" +"a" lf', 'delete 2 -"b"']);
    expect(between("", "a")).toEqual(['insert 1 +"a" none']);
    expect(between("", "a\r\n")).toEqual(['insert 1 +"a" crlf']);
  });

  test("[NDP-55] brings a byte order mark, and keeps one that both have", () => {
    expect(between("\ufeffa\n", "\ufeffb\n")).toEqual(['replace 1 -"a" +"b"']);
    const files = { f: "a\n" };
    const report = applyPatch(files, createPatch("a\n", "\ufeffa\n", { file }));
    expect(patchedFiles(files, report).get("f")).toEqual(new TextEncoder().encode("\ufeffa\n"));
  });

  test("[NDP-57] compares sets of files: new, emptied, created empty, removed", () => {
    const before = { same: "1\n", gone: "a\nb\n", emptied: "x\n", hollow: "" };
    const after = { same: "1\n", fresh: "n\n", emptied: "", "z/blank": "" };
    const patch = createPatch(before, after);
    expect(patch).toMatchObject({ created: ["z/blank"], removed: ["gone", "hollow"] });
    expect(patch.operations).toEqual([
      { file: "emptied", line: 1, op: "delete", old: "x" },
      { file: "fresh", line: 1, op: "insert", new: "n" },
      { file: "gone", line: 1, op: "delete", old: "a" },
      { file: "gone", line: 2, op: "delete", old: "b" },
    ]);
    expect(createPatch(undefined, "x", { file })).toMatchObject({
      operations: [{ op: "insert" }],
      created: [],
    });
    expect(createPatch("x", undefined, { file })).toMatchObject({
      operations: [{ op: "delete" }],
      removed: ["f"],
    });
    expect(createPatch(undefined, "", { file }).created).toEqual(["f"]);
  });

  test("[NDP-57] writes the plain array unless something is beside the operations", () => {
    expect(formatPatch(createPatch("a\n", "b\n", { file }))).toBe(
      '[\n{"file":"f","line":1,"op":"replace","old":"a","new":"b"}\n]\n',
    );
    expect(formatPatch(createPatch("a\n", "a\n", { file }))).toBe("[]\n");
    const text = formatPatch({ ...createPatch({ a: "x\n" }, { b: "" }), base: new Map([["a", "7.0f"]]) });
    expect(parsePatch(text)).toMatchObject({ created: ["b"], removed: ["a"], warnings: [] });
    expect([...parsePatch(text).base]).toEqual([["a", "7.0f"]]);
  });

  test("[NDP-58] refuses what lines cannot say, all files together, or leaves it out", () => {
    const before = { bin: new Uint8Array([0xff]), bom: "\ufeffa\n", text: "a\n" };
    const after = { bin: new Uint8Array([0xfe]), bom: "a\n", text: "b\n" };
    const error = thrown(() => createPatch(before, after));
    expect(error).toMatchObject({ code: "invalid_argument", reason: "binary" });
    expect(error.message).toContain(
      "/workspace/bin is not UTF-8 text; /workspace/bom loses its byte order mark",
    );
    const patch = createPatch(before, after, { skip: true });
    expect(patch.skipped).toEqual([
      { file: "bin", reason: "binary" },
      { file: "bom", reason: "byte_order_mark" },
    ]);
    expect(patch.operations.length).toBe(1);
    expect(createPatch({ bin: before.bin }, { bin: new Uint8Array([0xff]) }).operations).toEqual([]);
    expect(thrown(() => createPatch("\ud800", "a", { file })).reason).toBe("binary");
  });

  test("[NDP-58] needs the name of the file for two texts", () => {
    expect(thrown(() => createPatch("a", "b")).reason).toBe("missing_field");
    expect(thrown(() => createPatch("a", { f: "b" }, { file })).reason).toBe("missing_field");
    expect(thrown(() => createPatch("a", "b", { file: "../x" })).reason).toBe("path_dot_segment");
  });

  test("[NDP-64] refuses to make more operations than a patch may have", () => {
    const limits = resolveLimits({ patchOperations: 2 });
    expect(thrown(() => createPatch("1\n2\n3\n", "", { file, limits })).reason).toBe("too_large");
  });

  test("[NDP-55] is exact also where the search for the fewest lines is cut short", () => {
    // Two shuffles of the same lines: thousands of edits, far beyond what an exact search may cost.
    const lines = Array.from({ length: 30_000 }, (_, i) => `${(i * 7919) % 30_011}\n`);
    const before = lines.join("");
    const after = [...lines].sort().join("");
    const limits = resolveLimits({ patchOperations: 1_000_000 });
    const patch = createPatch(before, after, { file, limits });
    const files = { f: before };
    const report = applyPatch(files, patch, { limits });
    expect(new TextDecoder().decode(patchedFiles(files, report).get("f"))).toBe(after);
  }, 120_000);
});
