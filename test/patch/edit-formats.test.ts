// What models write, from text to text. docs/spec/edit-formats.md.

import { describe, expect, test } from "vitest";
import { HoldfastError } from "../../src/errors.ts";
import {
  applyPatch,
  editFormatOf,
  parseEdits,
  patchedFiles,
  placeEdits,
  type EditNote,
} from "../../src/patch/index.ts";

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

interface Outcome {
  readonly files: Record<string, string | undefined>;
  readonly notes: readonly EditNote[];
}

/** The files after the edits. */
function edited(files: Record<string, string>, text: string): Outcome {
  const { patch, notes } = placeEdits(parseEdits(text), files);
  const report = applyPatch(files, patch);
  expect(report.conflicts).toEqual([]);
  const after = patchedFiles(files, report);
  const result: Record<string, string | undefined> = { ...files };
  for (const [name, bytes] of after) result[name] = bytes === undefined ? undefined : decoder.decode(bytes);
  for (const name of patch.removed) delete result[name];
  return { files: result, notes };
}

function refused(
  files: Record<string, string>,
  text: string,
): { code: string; reason: string; message: string } {
  try {
    edited(files, text);
  } catch (error) {
    if (HoldfastError.is(error)) return { code: error.code, reason: error.reason, message: error.message };
    throw error;
  }
  throw new Error("the edits were taken");
}

const block = (search: string, replace: string): string =>
  `<<<<<<< SEARCH\n${search}=======\n${replace}>>>>>>> REPLACE\n`;
const v4a = (...lines: string[]): string => ["*** Begin Patch", ...lines, "*** End Patch", ""].join("\n");
const CODE = "function a() {\n  one();\n  two();\n}\n\nfunction b() {\n  one();\n  two();\n}\n";

describe("recognising", () => {
  test("[FMT-1] each format by its marks, whatever stands around", () => {
    expect(editFormatOf(' [{"file":"a"}]')).toBe("ndpatch");
    expect(editFormatOf("Here it is:\n" + v4a("*** Delete File: a"))).toBe("v4a");
    expect(editFormatOf("Sure.\n\na.ts\n```ts\n" + block("a\n", "b\n") + "```\n")).toBe("search_replace");
    expect(editFormatOf("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n")).toBe("unified_diff");
    expect(editFormatOf("src/a.ts\n```ts\nx\n```\n")).toBe("whole_file");
    expect(editFormatOf("just words")).toBeUndefined();
    expect(refused({}, "just words").message).toMatch(
      /neither JSON .* V4A .* SEARCH\/REPLACE .* unified diff .* fences/,
    );
    expect(refused({}, "[]").message).toBe("The text is JSON: read it with parsePatch.");
  });

  test.each([
    "a/b.ts",
    "`a/b.ts`",
    "**a/b.ts**",
    "### a/b.ts",
    "### `a/b.ts`:",
    "File: a/b.ts",
    "**File: `a/b.ts`**",
    "a/b.ts:",
    "- a/b.ts",
  ])("[FMT-2] the name in %j", (line) => {
    expect(parseEdits(`${line}\n${block("x\n", "y\n")}`).sources).toEqual(["a/b.ts"]);
  });
});

describe("SEARCH/REPLACE", () => {
  test("[FMT-4] changes what it finds and nothing else", () => {
    const files = { "a.ts": "one\ntwo\nthree\n", "b.ts": "x\n" };
    expect(edited(files, `a.ts\n${block("two\n", "2\n2b\n")}`).files).toEqual({
      "a.ts": "one\n2\n2b\nthree\n",
      "b.ts": "x\n",
    });
    expect(edited(files, `a.ts\n\`\`\`ts\n${block("two\nthree\n", "three\n")}\`\`\`\n`).files["a.ts"]).toBe(
      "one\nthree\n",
    );
    const marks = "a.ts\n------- SEARCH\none\n=======\n1\n+++++++ REPLACE\n";
    expect(edited(files, marks).files["a.ts"]).toBe("1\ntwo\nthree\n");
  });

  test("[FMT-4] a block without a name is for the file of the one before", () => {
    const text = `a\n`.replace("a", "a.ts") + block("one\n", "1\n") + "\n" + block("two\n", "2\n");
    expect(edited({ "a.ts": "one\ntwo\n" }, text).files["a.ts"]).toBe("1\n2\n");
    expect(refused({ "a.ts": "one\n" }, block("one\n", "1\n"))).toMatchObject({
      reason: "invalid_patch",
      message:
        "Line 1 of the patch: the block does not say which file it is for. Put the path on the line before it.",
    });
  });

  test.each(["foo", "LICENSE", "my notes", "a b/c d.txt", "`foo`:", "foo.c:"])(
    "[FMT-4] what stands before a block is its file: %j",
    (line) => {
      const name = line.replace(/[`:]/g, "");
      const files = { "a.md": "all:\nq\n", [name]: "all:\n" };
      for (const between of ["", "\n\n\n\n"]) {
        const text = `a.md\n${block("q\n", "Q\n")}${line}\n${between}${block("all:\n", "all: b\n")}`;
        expect(edited(files, text).files).toEqual({ "a.md": "all:\nQ\n", [name]: "all: b\n" });
      }
    },
  );

  test.each([
    "And then b.md:",
    "The same in b.md.",
    "Now, once more",
    "Next:\n```ts",
    "```ts b.md",
    "`a` and `b`",
  ])("[FMT-4] a block below what is no path is refused: %j", (line) => {
    const text = `a.md\n${block("q\n", "Q\n")}${line}\n${block("all:\n", "all: b\n")}`;
    expect(refused({ "a.md": "all:\nq\n" }, text)).toMatchObject({
      reason: "invalid_patch",
      message: expect.stringContaining("no path"),
    });
  });

  test("[FMT-4] fences and blank lines alone lead on in the same file", () => {
    const text = `a.md\n\`\`\`ts\n${block("q\n", "Q\n")}\`\`\`\n\n\`\`\`ts\n${block("p\n", "P\n")}\`\`\`\n`;
    expect(edited({ "a.md": "p\nq\n" }, text).files["a.md"]).toBe("P\nQ\n");
  });

  test.each([
    ["a.ts\n<<<<<<< SEARCH\none\n=======\n1\n", "Line 2 of the patch: the block has no"],
    ["a.ts\n<<<<<<< SEARCH\none\n1\n>>>>>>> REPLACE\n", 'Line 5 of the patch: "=======" is missing'],
    ["a.ts\n<<<<<<< SEARCH\none\n", "Line 2 of the patch: the block has no"],
    [`a.ts\n${block("a\n=======\n", "b\n")}`, 'Line 5 of the patch: a second "======="'],
    [`a.ts\n${block("a\n", "b\n")}>>>>>>> REPLACE\n`, "Line 7 of the patch: this mark belongs to a block"],
  ])("[FMT-4] marks that are missing or twice: %j", (text, message) => {
    expect(refused({ "a.ts": "one\n" }, text).message).toContain(message);
  });

  test("[FMT-11] each block sees what the one before left", () => {
    const text = `a.ts\n${block("one\n", "uno\n")}${block("uno\n", "eins\n")}`;
    expect(edited({ "a.ts": "one\ntwo\n" }, text).files["a.ts"]).toBe("eins\ntwo\n");
  });

  test("[FMT-14] an empty SEARCH creates a file, and never writes over one", () => {
    expect(edited({}, `new/a.ts\n${block("", "x\ny\n")}`).files["new/a.ts"]).toBe("x\ny\n");
    expect(refused({ "a.ts": "x\n" }, `a.ts\n${block("", "y\n")}`)).toMatchObject({
      code: "conflict",
      reason: "file_exists",
    });
  });
});

describe("V4A", () => {
  test("[FMT-5] updates, adds, deletes and moves", () => {
    const files = { "a.ts": CODE, "old.ts": "x\n", "m.ts": "1\n2\n" };
    const text = v4a(
      "*** Update File: a.ts",
      "@@ function b() {",
      "   one();",
      "-  two();",
      "+  three();",
      "*** Add File: n.ts",
      "+first",
      "+",
      "+third",
      "*** Delete File: old.ts",
      "*** Update File: m.ts",
      "*** Move to: moved.ts",
      "@@",
      "-1",
      "+one",
    );
    expect(edited(files, text).files).toEqual({
      "a.ts": CODE.replace(/two\(\);\n\}\n$/, "three();\n}\n"),
      "n.ts": "first\n\nthird\n",
      "moved.ts": "one\n2\n",
    });
  });

  test("[FMT-5] the end of a file", () => {
    const text = v4a("*** Update File: a.ts", "@@", " }", "+// end", "*** End of File");
    expect(edited({ "a.ts": CODE }, text).files["a.ts"]).toBe(`${CODE}// end\n`);
  });

  test.each([
    [["*** Update File: a.ts", "@@", "-one", "+1"].join("\n"), '"*** End Patch" is missing'],
    [v4a("*** Update File: a.ts", "@@", "one", "+1"), "begins with neither a blank"],
    [v4a("*** Update File: a.ts"), "changes nothing"],
    [v4a("*** Update File: a.ts", "@@", " one"), "changes nothing"],
    [v4a("*** Update File: "), "the path is missing"],
    [v4a("*** Add File: a.ts", "text"), 'begins with "+"'],
    [v4a("hello"), "belongs to no file"],
    [v4a("*** Update File: a.ts", "@@ one"), 'nothing below the "@@" line'],
  ])("[FMT-5] what is no V4A: %j", (text, message) => {
    const error = refused({ "a.ts": "one\n" }, text);
    expect([error.code, error.reason]).toEqual(["invalid_argument", "invalid_patch"]);
    expect(error.message).toContain(message);
  });

  test("[FMT-10] of several places the one below its anchor, or below the chunk before it", () => {
    const change = [" ".repeat(3) + "one();", "-  two();", "+  2();"];
    expect(refused({ "a.ts": CODE }, v4a("*** Update File: a.ts", "@@", ...change))).toMatchObject({
      code: "conflict",
      reason: "ambiguous",
      message: expect.stringContaining("fits at 2 places (lines 2, 7). Send it with more lines around it."),
    });
    const first = edited({ "a.ts": CODE }, v4a("*** Update File: a.ts", "@@ function a() {", ...change));
    expect(first.files["a.ts"]).toBe(CODE.replace("two", "2"));
    const ordered = v4a(
      "*** Update File: a.ts",
      "@@",
      " function b() {",
      "-  one();",
      "+  1();",
      "@@",
      "-  two();",
      "+  2();",
    );
    expect(edited({ "a.ts": CODE }, ordered).files["a.ts"]).toBe(
      CODE.replace(/one\(\);\n {2}two\(\);\n\}\n$/, "1();\n  2();\n}\n"),
    );
  });

  test("[FMT-21] a chunk lies below its anchor, or is refused", () => {
    const files = { "a.md": "class A\n  x=1\nclass B\n  y=1\n" };
    const patch = (anchor: string, ...lines: string[]): string =>
      v4a("*** Update File: a.md", `@@ ${anchor}`, ...lines);
    for (const anchor of ["class B", "class C"])
      expect(refused(files, patch(anchor, "-  x=1", "+  x=2"))).toMatchObject({
        code: "conflict",
        reason: "ambiguous",
        message: expect.stringContaining(`(line 2), and not below its "@@" line "${anchor}"`),
      });
    for (const anchor of ["class A", "class B", "... @@", ""])
      expect(edited(files, patch(anchor, "-  y=1", "+  y=2")).files["a.md"]).toContain("y=2");
    expect(edited(files, patch("class B", " class B", "-  y=1", "+  y=2")).files["a.md"]).toContain("y=2");
  });

  test("[FMT-14] lines without a line around them have no place", () => {
    const text = v4a("*** Update File: a.ts", "@@ function a() {", "+  new();");
    expect(refused({ "a.ts": CODE }, text).message).toContain("Send the line before or after them too");
    expect(edited({ "a.ts": "" }, v4a("*** Update File: a.ts", "@@", "+x")).files["a.ts"]).toBe("x\n");
    expect(refused({ "a.ts": CODE }, v4a("*** Add File: a.ts", "+x")).reason).toBe("file_exists");
  });
});

describe("whole files", () => {
  test("[FMT-6] [FMT-15] become the lines that differ", () => {
    const files = { "a.ts": "one\r\ntwo\r\nthree" };
    const text = "Done:\n\na.ts\n```ts\none\n2\nthree\n```\n\nnew.md\n````md\n# T\n```js\nx\n```\n````\n";
    expect(edited(files, text).files).toEqual({
      "a.ts": "one\r\n2\r\nthree",
      "new.md": "# T\n```js\nx\n```\n",
    });
    expect(
      placeEdits(parseEdits(text), files).patch.operations.filter(({ file }) => file === "a.ts"),
    ).toEqual([{ file: "a.ts", line: 2, op: "replace", old: "two", new: "2" }]);
  });

  test("[FMT-6] a fence without a path, or without an end, is refused", () => {
    expect(refused({}, "a.ts\n```\nx\n```\n\nand\n\n```\ny\n```\n").message).toContain(
      "Line 8 of the patch: this fence has no path",
    );
    expect(refused({}, "a.md\n```\nx\n```\n\nNow b.md:\n```\ny\n```\n").message).toContain(
      "Line 7 of the patch: this fence has no path",
    );
    expect(refused({}, "Now b.md:\n```\ny\n```\n").reason).toBe("invalid_patch");
    expect(refused({}, "a.md\n```md\n```js\nx\n```\n").message).toContain("never closed");
  });
});

describe("unified diffs that are not quite right", () => {
  const HEAD = "--- a/a.ts\n+++ b/a.ts\n";
  test("[FMT-7] a hunk without numbers is found by its lines", () => {
    const text = `${HEAD}@@ ... @@\n one\n-two\n+2\n\n`;
    expect(edited({ "a.ts": "zero\none\ntwo\n" }, text).files["a.ts"]).toBe("zero\none\n2\n");
  });

  test("[FMT-10] [FMT-13] one whose numbers are wrong is found by its lines too, and the result says so", () => {
    const text = `${HEAD}@@ -7,2 +7,2 @@\n one\n-two\n+2\n`;
    const { files, notes } = edited({ "a.ts": "zero\none\ntwo\nx\nx\nx\nx\nx\nx\n" }, text);
    expect(files["a.ts"]).toBe("zero\none\n2\nx\nx\nx\nx\nx\nx\n");
    expect(notes.map(({ message }) => message)).toEqual(['"a.ts": placed at line 2 instead of 7']);
    const twice = { "a.ts": "one\ntwo\none\ntwo\n" };
    expect(edited(twice, `${HEAD}@@ -3,2 +3,2 @@\n one\n-two\n+2\n`).files["a.ts"]).toBe(
      "one\ntwo\none\n2\n",
    );
    expect(() => edited(twice, `${HEAD}@@ -2,2 +2,2 @@\n one\n-two\n+2\n`)).toThrow();
  });

  test("[FMT-13] the end of the file keeps what the diff says of it", () => {
    const text = `${HEAD}@@ -9,2 +9,2 @@\n one\n-two\n\\ No newline at end of file\n+two\n`;
    expect(edited({ "a.ts": "one\ntwo" }, text).files["a.ts"]).toBe("one\ntwo\n");
    const removal = "--- a/a.ts\n+++ /dev/null\n@@ -5,2 +0,0 @@\n-one\n-two\n";
    expect(edited({ "a.ts": "one\ntwo\n" }, removal).files).toEqual({});
  });
});

describe("placing", () => {
  test("[FMT-3] [FMT-9] endings are the file's", () => {
    const text = `a.ts\r\n${block("two\n", "2\nzwei\n").replaceAll("\n", "\r\n")}`;
    expect(edited({ "a.ts": "one\ntwo\nthree" }, text).files["a.ts"]).toBe("one\n2\nzwei\nthree");
    expect(
      edited({ "a.ts": "\ufeffone\r\ntwo\r\n" }, `a.ts\n${block("one\ntwo\n", "1\ntwo\n")}`).files["a.ts"],
    ).toBe("\ufeff1\r\ntwo\r\n");
  });

  test("[FMT-9] [FMT-13] blanks at the ends of lines: what stays is not touched", () => {
    const { files, notes } = edited(
      { "a.ts": "one  \ntwo\t\nthree\n" },
      `a.ts\n${block("one\ntwo\n", "one\n2\n")}`,
    );
    expect(files["a.ts"]).toBe("one  \n2\nthree\n");
    expect(notes.map(({ message }) => message)).toEqual([
      '"a.ts": placed at line 1 with other blanks at the ends of lines',
    ]);
  });

  test("[FMT-9] [FMT-13] one shift of indentation, and no other", () => {
    const file = { "a.ts": "class A {\n    if (x) {\n        y();\n\n    }\n}\n" };
    const { files, notes } = edited(
      file,
      `a.ts\n${block("if (x) {\n    y();\n\n}\n", "if (z) {\n    y();\n\n    w();\n}\n")}`,
    );
    expect(files["a.ts"]).toBe("class A {\n    if (z) {\n        y();\n\n        w();\n    }\n}\n");
    expect(notes[0]?.match).toBe("indentation");
    const fewer = edited(
      file,
      `a.ts\n${block("            y();\n\n        }\n", "            w();\n\n        }\n")}`,
    );
    expect(fewer.files["a.ts"]).toBe(file["a.ts"].replace("y()", "w()"));
    expect(refused(file, `a.ts\n${block("if (x) {\n  y();\n\n}\n", "z\n")}`).reason).toBe("old_mismatch");
    expect(refused(file, `a.ts\n${block("            y();\n\n        }\n", "w();\n")}`).reason).toBe(
      "old_mismatch",
    );
  });

  test("[FMT-12] a miss names the nearest place and the first line that differs", () => {
    expect(
      refused({ "a.ts": CODE }, `a.ts\n${block("function b() {\n  one();\n  too();\n}\n", "x\n")}`),
    ).toEqual({
      code: "conflict",
      reason: "old_mismatch",
      message:
        'The patch does not apply (1 problem); nothing was written. Mend these and send the whole patch again:\n- line 2 of the patch, "a.ts": the nearest place is line 6; there, line 8 is "  two();", the block has "  too();". Send the block with the lines of the file.',
    });
    expect(refused({ "a.ts": "new\nb\n" }, `a.ts\n${block("old\n", "new\n")}`).message).toContain(
      "the new ones are, from line 1: the block seems to be applied already",
    );
    expect(refused({ "a.ts": "x\n" }, `a.ts\n${block("nothing\n", "y\n")}`).message).toContain(
      "these lines are not in the file",
    );
  });

  test("[FMT-8] elisions are refused, old and new, and text that only looks so is not", () => {
    const files = {
      "a.ts": "one\ntwo\n",
      "s.pyi": "def f(): ...\n",
      "b.ts": "// ... existing code ...\nx\n",
    };
    for (const line of [
      "// ... existing code ...",
      "# ... rest of the file",
      "...",
      "/* ... */",
      "<!-- ... unchanged ... -->",
      "// rest of the code here",
      "{/* ... existing content ... */}",
    ]) {
      expect(refused(files, `a.ts\n${block("two\n", `${line}\n2\n`)}`), line).toMatchObject({
        code: "invalid_argument",
        reason: "elision",
      });
      expect(refused(files, `a.ts\n${block(`${line}\ntwo\n`, "2\n")}`).message, line).toContain("left out");
      expect(refused(files, `a.ts\n\`\`\`\none\n${line}\n\`\`\`\n`).reason, line).toBe("elision");
    }
    for (const line of ["const a = [...rest];", "f(...existing)", "  ...other,", "// wait...", "Loading..."])
      expect(edited(files, `a.ts\n${block("two\n", `${line}\n`)}`).files["a.ts"], line).toBe(
        `one\n${line}\n`,
      );
    expect(edited(files, `s.pyi\n${block("def f(): ...\n", "def f():\n    ...\n")}`).files["s.pyi"]).toBe(
      "def f():\n    ...\n",
    );
    expect(
      edited(files, `b.ts\n${block("// ... existing code ...\nx\n", "// ... existing code ...\ny\n")}`).files[
        "b.ts"
      ],
    ).toBe("// ... existing code ...\ny\n");
  });

  test("[FMT-16] all problems together, and a wrong name gets the nearest", () => {
    const text = `a.ts\n${block("no\n", "x\n")}b.ts\n${block("one\n", "x\n")}src/c.ts\n${block("one\n", "y\n")}`;
    const files = { "a.ts": "one\n", "b.ts": "one\none\n", "lib/c.ts": "one\n" };
    expect(() =>
      placeEdits(parseEdits(text), files, { existing: () => ["/workspace/lib/c.ts" as never] }),
    ).toThrow(
      /3 problems[^]*line 2 of the patch, "a.ts"[^]*line 8 of the patch, "b.ts": the block fits at 2 places[^]*"src\/c.ts": there is no such file; the nearest name is "\/workspace\/lib\/c.ts"/,
    );
  });

  test("[FMT-17] a file of one line repeated is searched in linear time", () => {
    const files = { "a.ts": "x\n".repeat(50_000) };
    const text = `a.ts\n${block("x\n".repeat(20_000) + "y\n", "z\n")}`;
    expect(refused(files, text).reason).toBe("old_mismatch");
  });
});

describe("files in the way", () => {
  const files = { "a.md": "x\n", "b.md": "keep\n" };
  const move = v4a("*** Update File: a.md", "*** Move to: b.md", "@@", "-x", "+y");
  const git = (verb: string): string =>
    `diff --git a/a.md b/b.md\n${verb} from a.md\n${verb} to b.md\n--- a/a.md\n+++ b/b.md\n@@ -1 +1 @@\n-x\n+y\n`;

  test.each([
    ["a move", move],
    ["a rename", git("rename")],
    ["a copy", git("copy")],
    ["a new file of a diff", "--- /dev/null\n+++ b/b.md\n@@ -0,0 +1 @@\n+y\n"],
    ["a move onto itself", v4a("*** Update File: a.md", "*** Move to: a.md", "@@", "-x", "+y")],
  ])("[FMT-19] %s onto a file is refused", (_, text) => {
    expect(refused(files, text)).toMatchObject({ code: "conflict", reason: "file_exists" });
  });

  test("[FMT-19] two files cannot get one name, and a free or empty one is taken", () => {
    const twice = v4a("*** Update File: a.md", "*** Move to: n", "*** Update File: b.md", "*** Move to: n");
    expect(refused(files, twice).reason).toBe("file_exists");
    expect(
      refused(files, v4a("*** Add File: n", "+1", "*** Update File: a.md", "*** Move to: n")).reason,
    ).toBe("file_exists");
    expect(
      refused(files, v4a("*** Update File: a.md", "*** Move to: n", "*** Add File: n", "+1")).reason,
    ).toBe("file_exists");
    for (const text of [move, git("rename")]) {
      expect(edited({ "a.md": "x\n" }, text).files).toEqual({ "b.md": "y\n" });
      expect(edited({ "a.md": "x\n", "b.md": "" }, text).files).toEqual({ "b.md": "y\n" });
      expect(parseEdits(text).sources).toEqual(["a.md", "b.md"]);
    }
  });
});

describe("edits of several formats", () => {
  const files = { "a.md": "a\n", "b.md": "b\n" };
  const patch = v4a("*** Update File: a.md", "@@", "-a", "+A");
  const blocks = `b.md\n${block("b\n", "B\n")}`;
  const diff = "--- a/b.md\n+++ b/b.md\n@@ -1 +1 @@\n-b\n+B\n";
  const whole = "b.md\n```\nB\n```\n";
  const fenced = `a.md\n\`\`\`\n${block("a\n", "A\n")}\`\`\`\n`;

  test.each([
    [patch, blocks],
    [patch, diff],
    [patch, whole],
    [patch, '[{"file":"b.md"}]\n'],
    [blocks, diff],
    [blocks, whole],
    [fenced, whole],
    [diff, whole],
  ])("[FMT-20] are refused: %j and %j", (one, other) => {
    for (const text of [one + other, `${one}\n${other}`, `${other}\n${one}`])
      if (!text.startsWith("["))
        expect(refused(files, text)).toMatchObject({
          reason: "invalid_patch",
          message: expect.stringContaining("Send each format in a call of its own"),
        });
  });

  test("[FMT-20] patches of V4A in a row, and words and fences around edits, are taken", () => {
    const second = v4a("*** Update File: b.md", "@@", "-b", "+B");
    const both = { "a.md": "A\n", "b.md": "B\n" };
    expect(edited(files, `${patch}And:\n${second}Done.\n`).files).toEqual(both);
    expect(edited(files, `${fenced}\n${blocks}Then run it:\n\`\`\`sh\nnpm test\n\`\`\`\n`).files).toEqual(
      both,
    );
    expect(refused(files, `${patch}*** Begin Patch\n`).message).toContain('"*** End Patch" is missing');
    expect(edited(files, `a.md\n\`\`\`\n${patch}\`\`\`\n`).files["a.md"]).toBe("A\n");
    expect(edited(files, `b.md\n\`\`\`diff\n${diff}\`\`\`\n`).files["b.md"]).toBe("B\n");
  });
});
