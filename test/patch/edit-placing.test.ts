// Where edits land and what they leave, the same in every format. docs/spec/edit-formats.md.

import { describe, expect, test } from "vitest";
import { applyPatchText, fromUnifiedDiff, parseEdits, placeEdits } from "../../src/patch/index.ts";
import { block, edited, refused, v4a } from "./_edits.ts";

const HEAD = "--- a/a.ts\n+++ b/a.ts\n";

describe("elisions", () => {
  test.each(["  // ... existing code ...", "// ...", "...", "// unchanged", "// <snip>"])(
    "[FMT-8] are refused in diffs with numbers too: %j",
    (line) => {
      const files = { "a.ts": "one\ntwo\n" };
      for (const text of [
        `${HEAD}@@ -1,2 +1,3 @@\n one\n+${line}\n two\n`,
        `${HEAD}@@ -2 +2 @@\n-two\n+${line}\n`,
        `${HEAD}@@ -2 +2 @@\n-nowhere\n+${line}\n`,
        `--- /dev/null\n+++ b/n.ts\n@@ -0,0 +1,2 @@\n+one\n+${line}\n`,
        `diff --git a/n.ts b/n.ts\nnew file mode 100644\n--- /dev/null\n+++ b/n.ts\n@@ -0,0 +1 @@\n+${line}\n`,
      ])
        expect(refused(files, text)).toMatchObject({ code: "invalid_argument", reason: "elision" });
      const held = { "a.ts": `${line}\ntwo\n` };
      expect(edited(held, `${HEAD}@@ -2 +2,2 @@\n two\n+${line}\n`).files["a.ts"]).toBe(
        `${line}\ntwo\n${line}\n`,
      );
    },
  );

  test.each([
    "// ... 50 more lines ...",
    "# ... (120 more lines) ...",
    "// Other code remains the same",
    "// all other functions stay the same",
    "// previous code",
    "// original implementation",
    "// <snip>",
    "// snip",
    "<existing code>",
    "  <rest of the file>",
    "[existing code]",
  ])("[FMT-8] stands for lines that were left out: %j", (line) => {
    for (const text of [`a.ts\n\`\`\`\none\n${line}\n\`\`\`\n`, `a.ts\n${block("two\n", `${line}\n`)}`])
      expect(refused({ "a.ts": "one\ntwo\n" }, text).reason).toBe("elision");
  });

  test.each([
    ["a.ts", "// 50 more lines"],
    ["a.ts", "// the same code runs twice"],
    ["a.ts", "// previous"],
    ["a.ts", "const x = <T extends Rest>(y: T) => y;"],
    ["a.ts", "[rest, other]"],
    ["a.html", "<rest>"],
    ["a.html", "<section>"],
    ["a.ts", "// Snip the first line."],
  ])("[FMT-8] is text in %s: %j", (file, line) => {
    expect(edited({ [file]: "two\n" }, `${file}\n${block("two\n", `${line}\n`)}`).files[file]).toBe(
      `${line}\n`,
    );
  });

  test("[FMT-8] three dots at the end of a document of YAML are its end, and elsewhere an elision", () => {
    for (const name of ["a.yml", "a.yaml"]) {
      for (const content of ["a: 1\n...\n", "a: 1\n...\n---\nb: 1\n...\n", "a: 1\n...\n\n# end\n"])
        expect(edited({}, `${name}\n\`\`\`yaml\n${content}\`\`\`\n`).files[name]).toBe(content);
      for (const content of ["a: 1\n...\nz: 1\n", "a:\n  ...\n", "a: 1\n# ... rest of the file\n"])
        expect(refused({}, `${name}\n\`\`\`yaml\n${content}\`\`\`\n`).reason).toBe("elision");
    }
    expect(edited({ "a.yml": "a: 1\n" }, `a.yml\n${block("a: 1\n", "a: 2\n...\n")}`).files["a.yml"]).toBe(
      "a: 2\n...\n",
    );
  });
});

describe("the end of a file without a final newline", () => {
  const name = "f.x";
  const deletions: [string, string][] = [
    ["V4A", v4a(`*** Update File: ${name}`, "@@", " a", "-b")],
    ["V4A at the end", v4a(`*** Update File: ${name}`, "@@", "-b", "*** End of File")],
    ["a block", `${name}\n${block("a\nb\n", "a\n")}`],
    ["a diff with numbers", `--- a/${name}\n+++ b/${name}\n@@ -1,2 +1 @@\n a\n-b\n`],
    ["a diff without numbers", `--- a/${name}\n+++ b/${name}\n@@ @@\n a\n-b\n`],
    ["a diff with wrong numbers", `--- a/${name}\n+++ b/${name}\n@@ -7,2 +7 @@\n a\n-b\n`],
    ["a whole file", `${name}\n\`\`\`\na\n\`\`\`\n`],
  ];

  test.each(deletions)("[FMT-23] the last line goes, and the file ends as it did: %s", (_, text) => {
    expect(edited({ "f.x": "a\nb" }, text).files["f.x"]).toBe("a");
    expect(edited({ "f.x": "a\nb\n" }, text).files["f.x"]).toBe("a\n");
    expect(edited({ "f.x": "a\r\nb" }, text).files["f.x"]).toBe("a");
    expect(applyPatchText("a\nb", [{ file: name, line: 2, op: "delete" }])).toBe("a");
  });

  test("[FMT-23] a diff that shows the end says how the file ends", () => {
    for (const hunk of ["@@ -1,2 +1 @@", "@@ @@", "@@ -7,2 +7 @@"]) {
      const shown = `--- a/f.x\n+++ b/f.x\n${hunk}\n a\n-b\n\\ No newline at end of file\n`;
      expect(edited({ "f.x": "a\nb" }, shown).files["f.x"]).toBe("a\n");
    }
  });
});

describe("hunks that are there twice", () => {
  const hunk = "@@ -2,4 +2,5 @@\n b\n c\n+NEW\n d\n e\n";
  const files = { "a.ts": "a\nb\nc\nd\ne\nf\n" };

  test("[FMT-11] are refused with numbers as without, and by fromUnifiedDiff", () => {
    for (const one of [hunk, hunk.replace(/@@.*@@/, "@@ @@")])
      expect(refused(files, `${HEAD}${one}${one}`)).toMatchObject({
        code: "conflict",
        message: expect.stringContaining("applied already"),
      });
    expect(() => fromUnifiedDiff(`${HEAD}${hunk}${hunk}`)).toThrow("covers lines of one before it");
    expect(refused(files, `${HEAD}@@ -2,0 +3 @@\n+x\n@@ -2,0 +3 @@\n+x\n`).reason).toBe("ambiguous");
  });

  test("[FMT-11] lines around changes may overlap", () => {
    const text = `${HEAD}@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n@@ -3,3 +3,3 @@\n c\n-d\n+D\n e\n`;
    expect(edited(files, text).files["a.ts"]).toBe("a\nB\nc\nD\ne\nf\n");
  });
});

describe("what is said", () => {
  test("[FMT-10] a numbered hunk that fits twice is ambiguous", () => {
    const files = { "a.ts": "one\ntwo\none\ntwo\n" };
    expect(refused(files, `${HEAD}@@ -2,2 +2,2 @@\n one\n-two\n+2\n`)).toMatchObject({
      code: "conflict",
      reason: "ambiguous",
      message: expect.stringContaining("fits at 2 places (lines 1, 3)"),
    });
  });

  test("[FMT-12] lines that a block above writes have no number", () => {
    const text = `a.ts\n${block("b\n", "X\n")}${block("q\n", "X\n")}`;
    expect(refused({ "a.ts": "a\nb\nc\n" }, text).message).toContain(
      "the new ones are, in what a block above writes",
    );
    const near = `a.ts\n${block("b\n", "X\nY\n")}${block("X\nZ\n", "W\n")}`;
    expect(refused({ "a.ts": "a\nb\nc\n" }, near).message).toContain(
      'the nearest place is a line that a block above writes; there, a line that a block above writes is "Y"',
    );
  });

  test("[FMT-12] of long lines the part around the difference is shown", () => {
    const long = "x".repeat(200_000);
    const { message } = refused({ "a.ts": `a\n${long}here\n` }, `a.ts\n${block(`a\n${long}there\n`, "b\n")}`);
    expect(message).toContain('xhere"');
    expect(message).toContain('xthere"');
    expect(message.length).toBeLessThan(2_000);
  });

  test("[FMT-19] a move to its own name says so", () => {
    const text = v4a("*** Update File: a.ts", "*** Move to: ./a.ts", "@@", "-x", "+y");
    expect(refused({ "a.ts": "x\n" }, text).message).toContain("is the one it has");
  });

  test("[FMT-14] a file that is added and then deleted is refused in the words of edits", () => {
    const text = v4a("*** Add File: n.ts", "+x", "*** Delete File: n.ts");
    expect(refused({}, text).message).toContain('"n.ts": the patch adds this file above. Leave both out.');
  });

  test("[FMT-16] a file that is not text says what can be done", () => {
    const files = { "a.bin": new Uint8Array([0, 255, 254]) };
    expect(() => placeEdits(parseEdits(v4a("*** Delete File: a.bin")), files)).toThrow(
      "delete the file as a whole",
    );
  });
});

describe("modes", () => {
  const git = (...lines: string[]): string => ["diff --git a/a.sh b/a.sh", ...lines, ""].join("\n");

  test("[NDP-62] that change are a warning, placed by numbers or not", () => {
    const mode = ["old mode 100644", "new mode 100755"];
    const warned = (text: string): string[] =>
      placeEdits(parseEdits(text), { "a.sh": "x\n" }).patch.warnings.map(({ message }) => message);
    const change = ["--- a/a.sh", "+++ b/a.sh", "@@ -9 +9 @@", "-x", "+y"];
    for (const text of [
      git(...mode),
      git(...mode, ...change),
      git(...mode, ...change).replace("-9 +9", "-1 +1"),
    ])
      expect(warned(text)).toEqual([expect.stringContaining('The mode change of "a.sh" was ignored')]);
    const made = git("new file mode 100755", "--- /dev/null", "+++ b/a.sh", "@@ -0,0 +1 @@", "+x");
    expect(placeEdits(parseEdits(made), {}).patch.warnings[0]?.message).toContain(
      "without the executable bit",
    );
    expect(placeEdits(parseEdits(made.replace("755", "644")), {}).patch.warnings).toEqual([]);
  });

  test.each([
    [
      "new file mode 120000",
      "--- /dev/null",
      "+++ b/a.sh",
      "@@ -0,0 +1 @@",
      "+target",
      "\\ No newline at end of file",
    ],
    ["old mode 100644", "new mode 120000"],
    ["index 1a..2b 120000", "--- a/a.sh", "+++ b/a.sh", "@@ -1 +1 @@", "-x", "+y"],
    [
      "index 1a..2b 160000",
      "--- a/a.sh",
      "+++ b/a.sh",
      "@@ -1 +1 @@",
      "-Subproject commit 1",
      "+Subproject commit 2",
    ],
  ])("[NDP-62] of a symbolic link or submodule are refused: %s", (...lines) => {
    expect(refused({ "a.sh": "x\n" }, git(...lines)).message).toContain("symbolic link");
  });
});
