// What must not be written, dropped or put into another file, whatever a model sends. docs/spec/edit-formats.md.

import { describe, expect, test } from "vitest";
import { editFormatOf, parseEdits } from "../../src/patch/index.ts";
import { block, edited, refused, v4a } from "./_edits.ts";

const CODE = "function a() {\n  one();\n  two();\n}\n\nfunction b() {\n  three();\n  four();\n}\n";
const FILES = { "a.js": CODE };
const FIVE = /JSON .* V4A .* SEARCH\/REPLACE .* unified diff .* fences/;
const HUNK = "@@ -2,2 +2,2 @@\n   one();\n-  two();\n+  2();\n";
const operations = '[\n  {"file": "a.js", "line": 3, "op": "replace", "new": "2"}\n]\n';

describe("a fence that begins with an edit that cannot be read", () => {
  test.each([
    ["a hunk", HUNK],
    ["a hunk below one name", `--- a/a.js\n${HUNK}`],
    ["a hunk below the other name", `+++ b/a.js\n${HUNK}`],
    ["a hunk below an index", `index 1a2b..3c4d 100644\n${HUNK}`],
    ["a hunk without numbers", "@@ ... @@\n-  two();\n+  2();\n"],
    ["marked lines", "-  two();\n+  2();\n"],
    ["lines that come", "+  2();\n"],
    ["a chunk of V4A", "@@ function a() {\n-  two();\n+  2();\n"],
    ["V4A without its first word", "*** Update a.js\n@@\n-  two();\n+  2();\n"],
    [
      "a context diff",
      "*** a.js\t2026\n--- a.js\t2026\n***************\n*** 2,3 ****\n    one();\n!   two();\n--- 2,3 ----\n    one();\n!   2();\n",
    ],
    ["a normal diff", "3c3\n<   two();\n---\n>   2();\n"],
    ["a block of other words", "<<<<<<< ORIGINAL\n  two();\n=======\n  2();\n>>>>>>> UPDATED\n"],
    ["a conflict", "<<<<<<< HEAD\n  two();\n=======\n  2();\n>>>>>>> main\n"],
    ["marks without words", "<<<<<<<\n  two();\n=======\n  2();\n>>>>>>>\n"],
    ["a block in lower case", "<<<<<<< search\n  two();\n=======\n  2();\n>>>>>>> replace\n"],
    ["three signs", "<<< SEARCH\n  two();\n===\n  2();\n>>> REPLACE\n"],
    ["ten signs", "<<<<<<<<<< SEARCH\n  two();\n==========\n  2();\n>>>>>>>>>> REPLACE\n"],
    ["dashes in lower case", "------- search\n  two();\n=======\n  2();\n+++++++ replace\n"],
    ["operations", operations],
    ["an envelope of operations", `{"operations": ${operations}}\n`],
  ])("[FMT-1] is refused, never written: %s", (_, content) => {
    for (const language of ["", "js", "diff", "patch", "json"])
      for (const above of ["a.js\n", "`a.js`:\n\n", "\n", "Here:\n"]) {
        // Lines with marks are the text of a fence, unless it has a path or calls itself a diff.
        const isText = !above.includes("a.js") && !/diff|patch/.test(language);
        if (isText && /^(?:[-+] |\*\*\* U|3c3)/.test(content)) continue;
        const text = `${above}\`\`\`${language}\n${content}\`\`\`\n`;
        const { reason, message } = refused(FILES, text);
        expect([text, reason]).toEqual([text, "invalid_patch"]);
        if (!content.includes('"file"') || above.includes("a.js")) expect(message).toMatch(FIVE);
      }
  });

  test("[FMT-1] one that calls itself a diff is no file, whatever it holds", () => {
    for (const content of ["  two();\n", "", `so:\n${v4a("*** Delete File: b.js")}`, "1 file changed\n"])
      expect(refused(FILES, `a.js\n\`\`\`diff\n${content}\`\`\`\n`).reason).toBe("invalid_patch");
    for (const name of ["fix.diff", "fix.patch"])
      expect(edited({}, `${name}\n\`\`\`diff\n${HUNK}\`\`\`\n`).files[name]).toBe(HUNK);
  });

  test.each([
    ["a conflict", "one\n<<<<<<< HEAD\n  two();\n=======\n  2();\n>>>>>>> main\n"],
    ["a block with four signs", "// a.js\n<<<< SEARCH\n  two();\n====\n  2();\n>>>> REPLACE\n"],
    ["a numbered hunk", `// a.js\n${HUNK}`],
    ["lines that go and come", "function a() {\n  one();\n-  two();\n+  2();\n}\n"],
  ])("[FMT-1] one that holds a part of an edit below other text is refused: %s", (_, content) => {
    expect(refused(FILES, `a.js\n\`\`\`js\n${content}\`\`\`\n`).message).toContain("cannot be told");
    // In a fence inside it is an example.
    const example = `\`\`\`\n${content}\`\`\`\n`;
    expect(edited({}, `a.md\n\`\`\`\`md\n# A\n${example}\`\`\`\`\n`).files["a.md"]).toBe(`# A\n${example}`);
  });

  test.each([
    ["a.yml", "---\n- a\n- b: 1\n  c: 2\n"],
    ["a.md", "- one\n- two\n"],
    ["a.md", "+ one\n+ two\n"],
    ["a.toml", "+++\ntitle = 1\n+++\n"],
    ["a.lua", "--- A module.\n-- It does nothing.\nlocal a = 1\n"],
    ["a.php", "<<<EOT\nx\nEOT;\n"],
    ["a.json", '{\n  "file": "x",\n  "name": 1\n}\n'],
    ["fix.ndpatch.json", operations],
    ["a.rb", "@@count = 0\n"],
    ["a.ts", "const a =\n  b\n  - c\n  + d;\n"],
    ["filter.rules", "- *.tmp\nx\n"],
    ["a.py", ">>> x\n1\n"],
    ["a.css", "@media print {\n}\n"],
    ["a.txt", "*** important ***\n"],
  ])("[FMT-1] what only resembles one is a file: %s %j", (name, content) => {
    expect(edited({}, `${name}\n\`\`\`\n${content}\`\`\`\n`).files[name]).toBe(content);
  });

  test("[FMT-1] operations for the file of JSON that the fence is under are refused", () => {
    const own = operations.replace("a.js", "a.json");
    expect(refused({}, `a.json\n\`\`\`json\n${own}\`\`\`\n`).message).toContain("Send the JSON");
  });

  test("[FMT-1] edits in a fence under words are read", () => {
    const text = `Edit a.js\n\`\`\`diff\n--- a/a.js\n+++ b/a.js\n${HUNK}\`\`\`\n`;
    expect(edited(FILES, text).files["a.js"]).toBe(CODE.replace("two", "2"));
  });

  test.each(["hello", "<<<<<<< ORIGINAL\na\n=======\nb\n>>>>>>> UPDATED\n", "```\nx\n```\n", HUNK])(
    "[FMT-1] text in no known format names the five: %j",
    (text) => {
      expect(editFormatOf(text)).toBeUndefined();
      expect(refused({}, text)).toMatchObject({
        reason: "invalid_patch",
        message: expect.stringMatching(FIVE),
      });
    },
  );
});

describe("a hunk without its file", () => {
  const files = { "a.js": "// License\ncode a\n", "z.js": "// License\ncode z\n" };
  const first = "--- a/a.js\n+++ b/a.js\n@@ -2,1 +2,1 @@\n-code a\n+code A\n";
  const second = "@@ -1,1 +1,1 @@\n-// License\n+// MIT\n";

  test.each([
    "\n+++ b/z.js\n",
    "+++ b/z.js\n",
    "\n--- a/z.js\n",
    "--- a/z.js\n",
    "\nz.js:\n",
    "z.js:\n",
    "\nAnd z.js:\n\n",
    "Index: z.js\n",
    "index 1..2 100644\n",
  ])("[FMT-7] is refused below %j, with numbers or without", (between) => {
    for (const [one, two] of [
      [first, second],
      [first.replace(/@@.*@@/, "@@ @@"), second.replace(/@@.*@@/, "@@ @@")],
      [first, second.replace(/@@.*@@/, "@@ @@")],
    ] as const)
      expect(refused(files, `${one}${between}${two}`).reason).toBe("invalid_patch");
  });

  test("[FMT-7] is refused in another fence", () => {
    for (const between of ["And z.js:\n", "\n", ""]) {
      const text = `\`\`\`diff\n${first}\`\`\`\n${between}\`\`\`diff\n${second}\`\`\`\n`;
      expect(refused(files, text).reason).toBe("invalid_patch");
    }
    const named = `\`\`\`diff\n${first}\`\`\`\nAnd z.js:\n\`\`\`diff\n--- a/z.js\n+++ b/z.js\n${second}\`\`\`\n`;
    expect(edited(files, named).files).toEqual({
      "a.js": "// License\ncode A\n",
      "z.js": "// MIT\ncode z\n",
    });
  });

  test("[FMT-7] blank lines between hunks are nothing", () => {
    const text = `--- a/a.js\n+++ b/a.js\n\n@@ -1 +1 @@\n-// License\n+// MIT\n\n@@ -2 +2 @@\n-code a\n+code A\n`;
    expect(edited(files, text).files["a.js"]).toBe("// MIT\ncode A\n");
  });
});

describe("parts that would be lost", () => {
  const files = { "a.txt": "a\nb\nc\n" };
  const diff = "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-a\n+A\n";
  const blocks = `a.txt\n${block("a\n", "A\n")}`;
  const patch = v4a("*** Update File: a.txt", "@@", "-a", "+A");
  const whole = "a.txt\n```\nA\nb\nc\n```\n";

  test.each([
    ["operations", '[{"file":"a.txt","line":2,"op":"delete"}]\n'],
    ["operations in a fence", 'Also:\n```json\n[{"file":"a.txt","line":2,"op":"delete"}]\n```\n'],
    ["operations below words", 'Also:\n[{"file":"a.txt","line":2,"op":"delete"}]\n'],
    ["marked lines that are called a diff", "```diff\n-b\n+B\n```\n"],
    ["a block with four signs", "<<<< SEARCH\nb\n====\nB\n>>>> REPLACE\n"],
    ["a block of other words", "Then:\n\n<<<<<<< ORIGINAL\nb\n=======\nB\n>>>>>>> UPDATED\n"],
    ["a hunk in a fence", "```\n@@ -2 +2 @@\n-b\n+B\n```\n"],
    ["a hunk below words", "And\n@@ -2 +2 @@\n-b\n+B\n"],
    ["marked lines", "-b\n+B\n"],
    ["marked lines below words", "And then:\n\n-b\n+B\n"],
    ["an indented block", `1. a.txt\n\n   ${block("b\n", "B\n").replaceAll("\n", "\n   ")}\n`],
    ["an indented patch", `   ${patch.replaceAll("\n", "\n   ")}\n`],
    ["a context diff", "*** a.txt\n--- a.txt\n***************\n*** 2 ****\n! b\n--- 2 ----\n! B\n"],
  ])("[FMT-20] are refused beside edits of every format: %s", (_, part) => {
    for (const one of [diff, blocks, patch, whole, `\`\`\`diff\n${diff}\`\`\`\n`])
      for (const text of [`${one}\n${part}`, `Words.\n${part}\n${one}`])
        expect([text, refused(files, text).reason]).toEqual([text, "invalid_patch"]);
  });

  test.each(["\n-b\n+B\n", "\n b\n-c\n", "\n\n+d\n", "\n- b\n"])(
    "[NDP-62] lines that go or come below a hunk with all its lines are refused: %j",
    (rest) => {
      expect(refused(files, diff + rest).message).toMatch(/Correct the counts|looks like an edit/);
      expect(edited(files, `${diff}\nDone:\n- one thing\n-- \n2.39\n`).files["a.txt"]).toBe("A\nb\nc\n");
    },
  );

  test.each(["@@ @@\n a\n b\n", "@@ -1,2 +1,2 @@\n a\n b\n", "@@ @@\n"])(
    "[FMT-7] a hunk that changes nothing is refused: %j",
    (hunk) => {
      for (const text of [`--- a/a.txt\n+++ b/a.txt\n${hunk}`, `${diff}${hunk}`])
        expect(refused(files, text).message).toContain("so it changes nothing");
    },
  );

  test.each([
    "--- a/a.txt\n+++ b/a.txt\n",
    "diff --git a/a.txt b/a.txt\nindex 1..2 100644\n",
    "--- /dev/null\n+++ b/n\n",
  ])("[NDP-62] names without hunks are refused: %j", (text) => {
    expect(refused(files, text).message).toContain("no hunk follows");
  });

  test("[NDP-41] a removal shows what goes, or the file is empty", () => {
    expect(refused(files, "--- a/a.txt\n+++ /dev/null\n").message).toContain("no hunk follows");
    const git = "diff --git a/a.txt b/a.txt\ndeleted file mode 100644\nindex 1..0\n";
    expect(edited({ "a.txt": "" }, git).files).toEqual({});
    expect(() => edited(files, git)).toThrow();
  });
});

describe("names", () => {
  test.each(['"n.js"', "`n.js`", "**n.js**", "'n.js'", "**`n.js`**", "./n.js", "n.js"])(
    "[FMT-2] of V4A are bare: %s",
    (name) => {
      expect(edited({}, v4a(`*** Add File: ${name}`, "+x")).files).toEqual({ "n.js": "x\n" });
      const moved = v4a("*** Update File: a", `*** Move to: ${name}`);
      expect(edited({ a: "x\n" }, moved).files).toEqual({ "n.js": "x\n" });
    },
  );

  test.each([
    "Create n.js",
    "Edit a.js",
    "Here's a.js",
    "1) a.js",
    "### Edit a.js",
    "**Create n.js**",
    "src/n.js (new file)",
    "a.js (lines 1-3)",
    "=== a.js ===",
  ])("[FMT-2] words with blanks are no new file: %s", (line) => {
    for (const content of [`\`\`\`js\nx\n\`\`\`\n`, block("", "x\n"), block("  two();\n", "x\n")])
      expect(refused(FILES, `${line}\n${content}`).message).toMatch(/path alone on|no path/i);
  });

  test("[FMT-2] a name with blanks counts where there is such a file, or in backticks or quotes", () => {
    const files = { "my notes.md": "a\n" };
    expect(edited(files, "my notes.md\n```\nb\n```\n").files["my notes.md"]).toBe("b\n");
    expect(edited(files, `my notes.md\n${block("a\n", "b\n")}`).files["my notes.md"]).toBe("b\n");
    for (const name of ["`new notes.md`", '"new notes.md"', "**`new notes.md`**", "File: new notes.md"])
      for (const content of ["```\nb\n```\n", block("", "b\n")])
        expect(edited(files, `${name}\n${content}`).files["new notes.md"]).toBe("b\n");
  });

  test.each([
    ["end", "@@ -1 +1,2 @@\n let a\n+let b\n"],
    ["end, two lines", "@@ -1 +1,3 @@\n let a\n+let b\n+let c\n"],
    ["beginning", "@@ -1 +1,2 @@\n+let z\n let a\n"],
  ])("[FMT-24] lines that come at the %s of a file come once", (_, hunk) => {
    const diff = `--- a/app.ts\n+++ b/app.ts\n${hunk}`;
    const { files } = edited({ "app.ts": "let a\n" }, diff);
    const again = refused(files as Record<string, string>, diff);
    expect(again).toMatchObject({ reason: "ambiguous" });
    expect(again.message).toContain("the hunk seems to be applied already. Leave it out");
  });

  test("[FMT-24] with lines on both sides the same lines can come once more", () => {
    const diff = "--- a/x\n+++ b/x\n@@ -1,2 +1,3 @@\n let a\n+let b\n let b\n";
    expect(edited({ x: "let a\nlet b\n" }, diff).files).toEqual({ x: "let a\nlet b\nlet b\n" });
  });

  test("[FMT-22] of the two names of a diff, the new one counts if it is there, else the old one", () => {
    const change = "@@ -1 +1 @@\n-x\n+y\n";
    for (const old of ["a.js.orig", "old/a.js"]) {
      const text = `--- ${old}\n+++ a.js\n${change}`;
      expect(parseEdits(text).sources).toEqual(["a.js", old]);
      expect(edited({ "a.js": "x\n" }, text).files).toEqual({ "a.js": "y\n" });
      expect(edited({ [old]: "x\n" }, text).files).toEqual({ [old]: "y\n" });
      expect(edited({ "a.js": "x\n", [old]: "x\n" }, text).files).toEqual({ "a.js": "y\n", [old]: "x\n" });
      expect(refused({}, text)).toMatchObject({
        reason: "not_found",
        message: expect.stringContaining('"a.js"'),
      });
      const unnumbered = text.replace(/@@.*@@/, "@@ @@");
      expect(edited({ [old]: "x\n" }, unnumbered).files).toEqual({ [old]: "y\n" });
    }
  });
});
