import { describe, expect, test } from "vitest";
import { HoldfastError } from "../../src/errors.ts";
import {
  applyPatch,
  fromUnifiedDiff,
  patchedFiles,
  previewPatch,
  toUnifiedDiff,
} from "../../src/patch/index.ts";
import { numbered, on } from "./_try.ts";

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const fault = (diff: string): HoldfastError => {
  try {
    fromUnifiedDiff(diff);
  } catch (error) {
    if (HoldfastError.is(error)) return error;
  }
  throw new Error("the diff was read");
};
const HEAD = "--- a/f\n+++ b/f\n";

describe("a patch as unified diff", () => {
  test("[NDP-59] has git headers, hunks with context, and marks a missing final ending", () => {
    const patch = {
      operations: on([
        { line: 5, op: "replace", old: "L5", new: "x" },
        { line: 7, op: "delete" },
      ]),
      created: ["new file"],
    };
    expect(toUnifiedDiff({ f: numbered(6) + "L7" }, patch, { context: 1 })).toBe(
      [
        "diff --git a/f b/f",
        "--- a/f",
        "+++ b/f",
        "@@ -4,4 +4,3 @@",
        " L4",
        "-L5",
        "-L6",
        "-L7",
        "\\ No newline at end of file",
        "+x",
        "+L6",
        "\\ No newline at end of file",
        'diff --git "a/new file" "b/new file"',
        "new file mode 100644",
        "index 0000000..e69de29",
        "",
      ].join("\n"),
    );
  });

  test("[NDP-59] is refused with all conflicts when the patch does not apply", () => {
    expect(() => toUnifiedDiff({ f: "a\n" }, on([{ line: 1, op: "delete", old: "b" }]))).toThrow(
      "nothing was written",
    );
    expect(toUnifiedDiff({ f: "a\n" }, [])).toBe("");
  });
});

describe("a unified diff as patch", () => {
  test("[NDP-60] takes numbers from the headers and keeps context as checks", () => {
    const diff = `${HEAD}@@ -2,3 +2,3 @@\n L2\n-L3\n+x\n L4\n`;
    expect(fromUnifiedDiff(diff).operations).toEqual([
      { file: "f", line: 2, op: "replace", old: "L2", new: "L2" },
      { file: "f", line: 3, op: "replace", old: "L3", new: "x" },
      { file: "f", line: 4, op: "replace", old: "L4", new: "L4" },
    ]);
    expect(fromUnifiedDiff(diff, { context: "drop" }).operations).toEqual([
      { file: "f", line: 3, op: "replace", old: "L3", new: "x" },
    ]);
  });

  test("[NDP-60] an insert next to a stale line is refused, not put in the wrong place", () => {
    const diff = `${HEAD}@@ -2,2 +2,3 @@\n L2\n+x\n L3\n`;
    expect(applyPatch({ f: numbered(4) }, fromUnifiedDiff(diff)).ok).toBe(true);
    expect(applyPatch({ f: `0\n${numbered(4)}` }, fromUnifiedDiff(diff)).statuses).toEqual([
      "old_mismatch",
      "fits",
      "old_mismatch",
    ]);
  });

  test.each([
    ["a/x", "b/x", "x"],
    ["b/x", "a/x", "x"],
    ["i/b/x", "w/b/x", "b/x"],
    ["c/x", "i/x", "x"],
    ["b/x", "b/x", "b/x"],
    ["a/x", "a/x", "a/x"],
    ["x", "x", "x"],
    ["old/src/x", "new/src/x", "src/x"],
    ["src/x.orig", "src/x", "src/x"],
  ])("[NDP-67] --- %s and +++ %s name %s", (old, fresh, name) => {
    const body = "@@ -1 +1 @@\n-o\n+n\n";
    for (const head of ["", `diff --git ${old} ${fresh}\n`])
      expect(fromUnifiedDiff(`${head}--- ${old}\n+++ ${fresh}\n${body}`).operations[0]?.file).toBe(name);
  });

  test("[NDP-67] beside /dev/null the git header decides, or the usual prefix is meant", () => {
    const created = (head: string, name: string) =>
      fromUnifiedDiff(`${head}--- /dev/null\n+++ ${name}\n@@ -0,0 +1 @@\n+n\n`).operations[0]?.file;
    expect(created("", "b/x")).toBe("x");
    expect(created("diff --git a/x b/x\nnew file mode 100644\n", "b/x")).toBe("x");
    expect(created("diff --git b/x b/x\nnew file mode 100644\n", "b/x")).toBe("b/x");
    expect(created("diff --git i/b/x w/b/x\nnew file mode 100644\n", "w/b/x")).toBe("b/x");
    const removed = fromUnifiedDiff(
      "diff --git a/x a/x\ndeleted file mode 100644\n--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-o\n",
    );
    expect(removed.removed).toEqual(["a/x"]);
  });

  test("[NDP-60] hunks without old lines put text after the line they name", () => {
    expect(fromUnifiedDiff(`${HEAD}@@ -3,0 +4,2 @@\n+x\n+y\n`).operations).toEqual([
      { file: "f", line: 4, op: "insert", new: "x\ny", eol: "lf" },
    ]);
    expect(
      fromUnifiedDiff("--- /dev/null\n+++ b/n\n@@ -0,0 +1,2 @@\n+x\n+y\n\\ No newline at end of file\n")
        .operations,
    ).toEqual([{ file: "n", line: 1, op: "insert", new: "x\ny", eol: "none" }]);
  });

  test("[NDP-60] reads times, quotes, names with blanks, no prefix, CRLF and dropped blanks", () => {
    expect(
      fromUnifiedDiff("--- f\t2026-01-01 00:00:00\n+++ f\t2026-01-01\n@@ -1 +1 @@\n-a\n+b").operations[0]
        ?.file,
    ).toBe("f");
    expect(
      fromUnifiedDiff('--- "a/\\303\\244 \\"x"\n+++ "b/\\303\\244 \\"x"\n@@ -1 +1 @@\n-a\n+b\n', {
        names: "unicode",
      }).operations[0]?.file,
    ).toBe('ä "x');
    expect(fromUnifiedDiff("--- a/x y\t\n+++ b/x y\t\n@@ -1 +1 @@\n-a\n+b\n").operations[0]?.file).toBe(
      "x y",
    );
    expect(fromUnifiedDiff(`${HEAD}@@ -1,3 +1,3 @@\n a\n\n-b\n+c\n`).operations.length).toBe(3);
    expect(fromUnifiedDiff(`${HEAD}@@ -1 +1 @@\n-a\r\n+b\r\n`).operations).toEqual([
      { file: "f", line: 1, op: "replace", old: "a", new: "b" },
    ]);
    expect(fromUnifiedDiff(`${HEAD}@@ -1 +1 @@\n-a\r\n+b\n`).operations[0]?.eol).toBe("lf");
  });

  test("[NDP-61] a rename is the removal of one file and the creation of another", () => {
    const diff = [
      "diff --git a/old name b/new/name",
      "similarity index 80%",
      "rename from old name",
      "rename to new/name",
      "--- a/old name\t",
      "+++ b/new/name",
      "@@ -1,2 +1,2 @@",
      "-a",
      "+A",
      " b",
      "",
    ].join("\n");
    const files = { "old name": "a\nb\n" };
    const report = applyPatch(files, fromUnifiedDiff(diff, { files }));
    expect([...patchedFiles(files, report)].map(([name, bytes]) => [name, decoder.decode(bytes)])).toEqual([
      ["new/name", "A\nb\n"],
    ]);
    expect(fault(diff).message).toContain('a rename needs the file "old name"');
    const copy = "diff --git a/f b/g\nsimilarity index 100%\ncopy from f\ncopy to g\n";
    const both = applyPatch({ f: "x" }, fromUnifiedDiff(copy, { files: { f: "x" } }));
    expect([...patchedFiles({ f: "x" }, both).keys()]).toEqual(["f", "g"]);
  });

  test("[NDP-61] a rename whose hunks do not fit is refused", () => {
    const diff = "diff --git a/f b/g\nrename from f\nrename to g\n--- a/f\n+++ b/g\n@@ -1 +1 @@\n-a\n+b\n";
    expect(() => fromUnifiedDiff(diff, { files: { f: "z\n" } })).toThrow("does not match");
  });

  test.each([
    ["wrong counts", `${HEAD}@@ -1,3 +1,3 @@\n a\n-b\n+c\n`, 3, 'Write "@@ -1,2 +1,2 @@"'],
    ["too small counts", `${HEAD}@@ -1,1 +1,1 @@\n-b\n+c\n d\n`, 3, 'Write "@@ -1,2 +1,2 @@"'],
    ["a header without numbers", `${HEAD}@@ function x @@\n-b\n+c\n`, 3, "has no line numbers"],
    ["a bare header", `${HEAD}@@\n-b\n+c\n`, 3, "has no line numbers"],
    ["context that lost its blank", `${HEAD}@@ -1,2 +1,2 @@\nfoo\n-b\n+c\n`, 4, "with a blank before it"],
    ["a hunk without file", "@@ -1 +1 @@\n-a\n+b\n", 1, "a hunk without a file"],
    ["no diff", "hello\n", 1, "no diff in this text"],
    ["only /dev/null", "--- /dev/null\n+++ /dev/null\n@@ -1 +1 @@\n-a\n+b\n", 1, "both sides"],
    [
      "an end that cannot be seen",
      `${HEAD}@@ -3 +2,0 @@\n-c\n\\ No newline at end of file\n`,
      3,
      "with context",
    ],
  ])("[NDP-62] %s: refused with the line of the diff", (_, diff, line, hint) => {
    const error = fault(diff);
    expect(error).toMatchObject({ code: "invalid_argument", reason: "invalid_patch", data: { line } });
    expect(error.message).toContain(`Line ${line} of the diff`);
    expect(error.message).toContain(hint);
  });

  test("[NDP-62] text around the diff is skipped, also a fence, a mail and a signature", () => {
    const diff = `Here it is:\n\`\`\`diff\n${HEAD}@@ -1 +1 @@\n-a\n+b\n\`\`\`\nDone.\n`;
    expect(fromUnifiedDiff(diff).operations.length).toBe(1);
    const mail = `From: x\nSubject: y\n---\n f | 2 +-\n\ndiff --git a/f b/f\nindex 1..2 100644\n${HEAD}@@ -1 +1 @@\n-a\n+b\n-- \n2.39.5\n\n`;
    expect(fromUnifiedDiff(mail).operations.length).toBe(1);
  });

  test("[NDP-62] binary parts are refused, mode changes ignored, names checked", () => {
    expect(fault("diff --git a/x b/x\nBinary files a/x and b/x differ\n").reason).toBe("binary");
    expect(fault("diff --git a/x b/x\nindex 1..2\nGIT binary patch\nliteral 0\n").reason).toBe("binary");
    const mode = fromUnifiedDiff("diff --git a/x b/x\nold mode 100644\nnew mode 100755\n");
    expect(mode.operations).toEqual([]);
    expect(mode.warnings[0]?.message).toContain("mode change");
    expect(fault("--- a/../../etc/passwd\n+++ b/../../etc/passwd\n@@ -1 +1 @@\n-a\n+b\n").message).toContain(
      "Dots are not resolved",
    );
    expect(fault("--- a/f\n+++ b/f\n@@ -1 +1 @@\n-\ufeffa\n+a\n").reason).toBe("byte_order_mark");
  });
});

describe("a preview", () => {
  const files = { f: numbered(12) };
  const patch = on([
    { line: 3, op: "replace", old: "L3", new: "new 3" },
    { line: 10, op: "delete" },
  ]);

  test("[NDP-63] shows changed lines with numbers and context, plain unless asked for colours", () => {
    expect(previewPatch(files, patch, { context: 1 })).toBe(
      [
        "/workspace/f  changed  +1 -2",
        "   2   L2",
        "   3 - L3",
        "   3 + new 3",
        "   4   L4",
        "  ...",
        "   9   L9",
        "  10 - L10",
        "  10   L11",
        "",
      ].join("\n"),
    );
    const colored = previewPatch(files, patch, { color: true });
    expect(colored).toContain("\u001b[31m");
    expect(colored).toContain("\u001b[32m");
    expect(colored.replaceAll(/\u001b\[[0-9]+m/g, "")).toBe(previewPatch(files, patch));
  });

  test("[NDP-63] does not let content command the terminal", () => {
    const hostile = on([{ line: 1, op: "insert", new: "\u001b[2J\u202eevil\u0007\u009b1m\ttab" }]);
    const shown = previewPatch({ f: "\u001b]52;c;x\u0007\n" }, hostile, { color: true });
    expect(shown.replaceAll(/\u001b\[[0-9]+m/g, "")).not.toMatch(
      /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/,
    );
    expect(shown).toContain("\\u001b[2J\\u202eevil\\u0007\\u009b1m\ttab");
  });

  test("[NDP-63] cut to a budget says what was left out, and tells why a patch does not apply", () => {
    const many = on(Array.from({ length: 100 }, (_, i) => ({ line: i * 10 + 1, op: "delete" })));
    expect(previewPatch({ f: numbered(1_000) }, many, { budget: 300 })).toMatch(/more places, not shown\n$/);
    expect(previewPatch({ f: "a\n" }, on([{ line: 1, op: "delete", old: "b" }]))).toContain(
      "nothing was written",
    );
    expect(previewPatch({}, { created: ["e"] })).toBe("/workspace/e  created\n");
    expect(previewPatch({ f: "a\nb" }, on([{ line: 3, op: "insert", new: "c" }]))).toContain(
      "(no line ending)",
    );
  });
});
