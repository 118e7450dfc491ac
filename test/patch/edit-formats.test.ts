// What models write, from text to text. docs/spec/edit-formats.md.

import { describe, expect, test } from "vitest";
import { editFormatOf, parseEdits, placeEdits } from "../../src/patch/index.ts";
import { block, edited, refused, v4a } from "./_edits.ts";

const CODE = "function a() {\n  one();\n  two();\n}\n\nfunction b() {\n  one();\n  two();\n}\n";

describe("recognising", () => {
  test("[FMT-1] each format by its marks, whatever is around", () => {
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
    "./a/b.ts",
    "`./a/b.ts`",
  ])("[FMT-2] the name in %j", (line) => {
    expect(parseEdits(`${line}\n${block("x\n", "y\n")}`).sources).toEqual(["a/b.ts"]);
  });
});

describe("a fence under a path", () => {
  const sr = block("a\n", "b\n");
  const diff = "--- a/x.ts\n+++ b/x.ts\n@@ -1 +1 @@\n-a\n+b\n";
  const patch = v4a("*** Update File: x.ts", "@@", "-a", "+b");
  const files = { "x.ts": "a\n" };

  test.each([
    ["V4A in a fence inside", `# T\n\`\`\`\n${patch}\`\`\`\n`],
    ["blocks in a fence inside", `# T\nx.ts\n\`\`\`ts\n${sr}\`\`\`\n`],
    ["a diff in a fence inside", `# T\n\`\`\`diff\n${diff}\`\`\`\n`],
    ["a diff first, in a fence inside", `\`\`\`diff\n${diff}\`\`\`\nThat is it.\n`],
    ["V4A below text", `const patch = \`\n${patch}\`;\n`],
    ["blocks below text", `like this:\n\nx.ts\n${sr}`],
    ["a diff below text", `commit:\n${diff}`],
  ])("[FMT-1] that holds an example is a file: %s", (_, content) => {
    for (const around of ["", "Done:\n\n"]) {
      const text = `${around}docs/a.md\n\`\`\`\`md\n${content}\`\`\`\`\n`;
      expect(editFormatOf(text)).toBe("whole_file");
      expect(edited(files, text).files).toEqual({ ...files, "docs/a.md": content });
      // What follows it is not dropped, and not read as part of it.
      expect(refused(files, `${text}\n${patch}`).message).toContain("Send each format in a call of its own");
      expect(refused(files, `${patch}\n${text}`).message).toContain("Send each format in a call of its own");
    }
    // Without a path, or without an end, it is a file that went wrong, never the example.
    if (content.includes("```"))
      expect(refused(files, `\`\`\`\`md\n${content}\`\`\`\`\n`).message).toContain("has no path");
    expect(refused(files, `docs/a.md\n\`\`\`\`md\n${content}`).message).toContain("is never closed");
  });

  test.each([
    ["V4A", patch],
    ["blocks", sr],
    ["blocks under the same path", `x.ts\n${sr}`],
    ["a diff", diff],
    ["a diff of git", `diff --git a/x.ts b/x.ts\nindex 1..2 100644\n${diff}`],
  ])("[FMT-1] that holds edits for its file is edits: %s", (_, content) => {
    for (const name of ["x.ts", "**x.ts**", "./x.ts"])
      expect(edited(files, `${name}\n\`\`\`ts\n${content}\`\`\`\n`).files).toEqual({ "x.ts": "b\n" });
  });

  test.each([
    ["V4A for another file", "fix.patch", patch],
    ["a diff for another file", "fix.patch", diff],
    ["edits for its file below text", "x.ts", `// as follows\n${sr}`],
    ["a diff for its file below text", "x.ts", `so:\n${diff}`],
  ])("[FMT-1] of which both could be is refused: %s", (_, name, content) => {
    const text = `${name}\n\`\`\`\n${content}\`\`\`\n`;
    const { reason, message } = refused(files, text);
    expect(reason).toBe("invalid_patch");
    expect(message).toContain("send them without this path and fence");
    // Both things that it advises work.
    const lines = content.split("\n").slice(0, -1);
    const added = v4a(`*** Add File: new-${name}`, ...lines.map((line) => `+${line}`));
    expect(edited(files, added).files[`new-${name}`]).toBe(content);
    const alone = content.replace(/^.*(?:follows|so:)\n/, "");
    expect(edited(files, alone.startsWith("<") ? `x.ts\n${alone}` : alone).files["x.ts"]).toBe("b\n");
  });

  test("[FMT-1] edits in a fence of a shell are read", () => {
    const text = `Run:\n\`\`\`bash\napply_patch <<'EOF'\n${patch}EOF\n\`\`\`\n`;
    expect(edited(files, text).files).toEqual({ "x.ts": "b\n" });
    expect(refused(files, `${text}\nb.md\n\`\`\`\nB\n\`\`\`\n`).message).toContain("a call of its own");
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
    "[FMT-4] what is before a block is its file: %j",
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
    const longer = `${text}${block("eins\ntwo\n", "1\n2\n")}${block("2\n", "2\n3\n")}./a.ts\n${block("3\n", "drei\n")}`;
    expect(edited({ "a.ts": "one\ntwo\n" }, longer).files["a.ts"]).toBe("1\n2\ndrei\n");
    const made = `n.ts\n${block("", "a\nb\n")}${block("b\n", "B\n")}`;
    expect(edited({}, made).files["n.ts"]).toBe("a\nB\n");
  });

  test("[FMT-11] what an earlier block wrote counts as a place, so that a chain is never applied to other lines", () => {
    for (const [search, replace] of [
      ["one\n", "two\n"],
      ["one\n", "two\nthree\n"],
    ] as const) {
      const text = `a.ts\n${block(search, replace)}${block("two\n", "zwei\n")}`;
      expect(refused({ "a.ts": "one\ntwo\n" }, text)).toMatchObject({
        code: "conflict",
        reason: "ambiguous",
        message: expect.stringContaining(
          "fits at 2 places (line 2, and in what a block above writes). Send it with more lines around it.",
        ),
      });
    }
    // More lines around it, as advised.
    const text = `a.ts\n${block("one\n", "two\n")}${block("two\ntwo\n", "two\nzwei\n")}`;
    expect(edited({ "a.ts": "one\ntwo\n" }, text).files["a.ts"]).toBe("two\nzwei\n");
    // The order of the blocks says nothing of the order of their places.
    const twice = `a.ts\n${block("m\n", "M\n")}${block("x\n", "y\n")}`;
    expect(refused({ "a.ts": "x\nm\nx\n" }, twice).reason).toBe("ambiguous");
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

  test("[FMT-15] a file that is there twice is refused", () => {
    const text = "a.ts\n```\n1\n```\n\na.ts\n```\n2\n```\n";
    expect(refused({ "a.ts": "x\n" }, text)).toMatchObject({
      reason: "ambiguous",
      message: expect.stringContaining("in the patch twice. Send it once"),
    });
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

  const ELIDED = [
    "// ... existing code ...",
    "// ...existing code...",
    "// unchanged",
    "// (unchanged)",
    "// --- unchanged ---",
    "// rest of the code here",
    "// The rest of the file stays the same",
    "// Existing methods remain unchanged",
    "// existing imports",
    "// remaining methods",
    "// same as before",
    "// no changes here",
    "// code omitted for brevity",
    "// everything else is unchanged",
    "// other methods ...",
    "// previous code here",
    "// snip",
    "// ...",
    "# ... rest of the file",
    "# rest of the code",
    "-- rest of the query omitted",
    "/* ... */",
    "/* unchanged */",
    "/* ... same as before ... */",
    "{/* ... existing content ... */}",
    "<!-- existing -->",
    "<!-- ... unchanged ... -->",
    "[... rest of the file ...]",
    "... existing code ...",
    "...",
    "\u2026",
    "  bar() { /* unchanged */ }",
    "  bar() { ... }",
    "const a = 1; // ... rest of the constants",
  ];

  test.each(ELIDED)("[FMT-8] stands for lines that were left out: %j", (line) => {
    const files = { "a.ts": "one\ntwo\n" };
    for (const text of [
      `a.ts\n${block("two\n", `${line}\n2\n`)}`,
      `a.ts\n\`\`\`\none\n${line}\n\`\`\`\n`,
      `new.ts\n\`\`\`\none\n${line}\n\`\`\`\n`,
      v4a("*** Add File: new.ts", `+${line}`),
      `--- a/a.ts\n+++ b/a.ts\n@@ -1,2 +1,3 @@\n one\n+${line}\n two\n`,
      `--- a/a.ts\n+++ b/a.ts\n@@ -2,1 +2,2 @@\n+${line}\n two\n`,
      `--- /dev/null\n+++ b/new.ts\n@@ -0,0 +1,2 @@\n+one\n+${line}\n`,
      `--- a/a.ts\n+++ b/a.ts\n@@ -1,3 +1,3 @@\n one\n ${line}\n-two\n+2\n`,
      v4a("*** Update File: a.ts", "@@", " one", ` ${line}`, "-two", "+2"),
      `a.ts\n${block(`${line}\ntwo\n`, "2\n")}`,
    ])
      expect(refused(files, text)).toMatchObject({ code: "invalid_argument", reason: "elision" });
    // Where the file holds it already, it is text.
    const held = { "a.ts": `${line}\none\n` };
    expect(edited(held, `a.ts\n${block("one\n", `one\n  ${line}\n`)}`).files["a.ts"]).toBe(
      `${line}\none\n  ${line}\n`,
    );
    expect(edited(held, `a.ts\n\`\`\`\n${line}\n1\n\`\`\`\n`).files["a.ts"]).toBe(`${line}\n1\n`);
    const diff = `--- a/a.ts\n+++ b/a.ts\n@@ -1,2 +1,3 @@\n ${line}\n-one\n+1\n+${line}\n`;
    expect(edited(held, diff).files["a.ts"]).toBe(`${line}\n1\n${line}\n`);
    expect(refused(held, `a.ts\n${block(`${line}\nten\n`, "2\n")}`).reason).toBe("old_mismatch");
  });

  test.each([
    ["a.ts", "const a = [...rest];"],
    ["a.ts", "f(...existing)"],
    ["a.ts", "  ...other,"],
    ["a.ts", "...rest"],
    ["a.ts", "// wait..."],
    ["a.ts", "Loading..."],
    ["a.ts", "// the rest of the code relies on this"],
    ["a.ts", "// existing users keep their old plan"],
    ["a.ts", "// Existing keys win over new ones."],
    ["a.ts", "// unchanged since version 2"],
    ["a.ts", "// Unchanged lines are copied."],
    ["a.ts", "// Returns the remaining budget"],
    ["a.ts", "// the same as in parse.ts"],
    ["a.ts", "// Keep this in sync with the other file"],
    ["a.ts", "// Other methods"],
    ["a.ts", "// Imports"],
    ["a.ts", "// code"],
    ["a.ts", " * The rest of the line."],
    ["a.ts", " * unchanged"],
    ["a.ts", "foo(); // unchanged"],
    ["a.ts", "const unchanged = true;"],
    ["a.ts", 'case "unchanged":'],
    ["a.ts", "if (a) { return; }"],
    ["a.ts", `// ${"unchanged ".repeat(30)}`],
    ["a.py", "def f(): ..."],
    ["a.py", "    ..."],
    ["a.py", "x: Tuple[int, ...]"],
    ["a.md", "# Existing content"],
    ["a.md", "* unchanged"],
    ["a.md", "The rest is the same."],
    ["a.md", "And the rest..."],
    ["a.md", "A body, as in `f() { ... }`"],
  ])("[FMT-8] is text in %s: %j", (file, line) => {
    expect(edited({ [file]: "one\ntwo\n" }, `${file}\n${block("two\n", `${line}\n`)}`).files[file]).toBe(
      `one\n${line}\n`,
    );
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
  test("[FMT-14] a file that is deleted first can be added in the same patch", () => {
    const files = { "a.md": "x\nkeep\n" };
    const add = ["*** Add File: a.md", "+y", "+keep"];
    expect(refused(files, v4a(...add)).message).toContain("or delete it first");
    expect(edited(files, v4a("*** Delete File: a.md", ...add)).files).toEqual({ "a.md": "y\nkeep\n" });
    expect(edited(files, v4a("*** Delete File: a.md", "*** Add File: a.md")).files).toEqual({ "a.md": "" });
    const update = ["*** Update File: a.md", "@@", "-x", "+y"];
    expect(refused(files, v4a("*** Delete File: a.md", ...update)).message).toContain(
      "the patch removes the file above this. Leave one of the two out.",
    );
    expect(edited(files, v4a(...update, "*** Delete File: a.md")).files).toEqual({});
    expect(
      refused(files, v4a("*** Update File: a.md", "*** Move to: n", "*** Update File: n", "@@", "-x", "+y"))
        .message,
    ).toContain("Write the changes below the line that does.");
  });

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
