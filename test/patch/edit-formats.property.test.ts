// What models write, spoilt at random, and texts made to take long: read or refused, never anything else. docs/spec/edit-formats.md.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { HoldfastError } from "../../src/errors.ts";
import { editFormatOf, parseEdits, placeEdits } from "../../src/patch/index.ts";
import { LONG, runs } from "../effort.ts";
import { corpus, outcome, type CorpusFormat } from "./edit-corpus.ts";

const FORMATS: readonly CorpusFormat[] = ["search_replace", "v4a", "unified_diff", "whole_file"];
/** What a line may be replaced by: the marks of every format, and text that looks like one. */
const MARKS = [
  "<<<<<<< SEARCH",
  "=======",
  ">>>>>>> REPLACE",
  "------- SEARCH",
  "+++++++ REPLACE",
  "*** Begin Patch",
  "*** End Patch",
  "*** Update File: a.ts",
  "*** Add File: ./b.ts",
  "*** Delete File: c.ts",
  "*** Move to: d.ts",
  "*** End of File",
  "*** ",
  "@@",
  "@@ -1,2 +3,4 @@",
  "@@ ... @@",
  "--- a/a.ts",
  "+++ b/a.ts",
  "diff --git a/a.ts b/b.ts",
  "rename from a.ts",
  "\\ No newline at end of file",
  "```",
  "````md",
  "~~~",
  "a.ts",
  "// unchanged",
  "[",
  "",
  "\u0000",
  "\ufeff",
  "\ud800",
  "\r",
  "\u2028",
];

describe("texts that went wrong", () => {
  test.each(FORMATS)("[FMT-16] %s, spoilt at random, is applied or refused with a reason", (format) => {
    const cases = corpus(format);
    const change = fc.record({
      at: fc.nat(),
      how: fc.constantFrom("drop", "twice", "swap", "mark", "cut", "blanks"),
      mark: fc.constantFrom(...MARKS),
    });
    fc.assert(
      fc.property(
        fc.nat(),
        fc.array(change, { minLength: 1, maxLength: 6 }),
        fc.integer({ min: 0, max: 20 }),
        (which, changes, cut) => {
          const one = cases[which % cases.length];
          if (one === undefined) return;
          const lines = one.edit.split("\n");
          for (const { at: place, how, mark } of changes) {
            const at = place % (lines.length + 1);
            const line = lines[at] ?? "";
            if (how === "drop") lines.splice(at, 1);
            else if (how === "twice") lines.splice(at, 0, line);
            else if (how === "swap") lines.splice(at, 2, lines[at + 1] ?? "", line);
            else if (how === "mark") lines.splice(at, 1, mark);
            else if (how === "cut") lines[at] = line.slice(0, place % 7);
            else lines[at] = `  ${line}\t `;
          }
          const edit = lines.join("\n");
          // Throws anything but an error of ours.
          const result = outcome({ ...one, edit: cut === 0 ? edit.slice(0, edit.length / 2) : edit });
          if ("reason" in result) expect(result.reason).toMatch(/^[a-z_]+$/);
        },
      ),
      runs(100),
    );
  });
});

describe("texts made to take long", () => {
  const size = LONG ? 5_000_000 : 20_000;
  const fill = (text: string): string => text.repeat(Math.ceil(size / text.length));
  const sr = "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n";

  test.each([
    ["fences that open", fill("```x\n")],
    ["fences that open and close", fill("```\n")],
    ["fences under paths", fill("a.b\n```x\n")],
    ["fences in each other", `${"```x\n".repeat(size / 10)}${"```\n".repeat(size / 10)}`],
    ["edits in fences in each other", `${fill(`\`\`\`x\n${sr}`)}${fill("```\n")}`],
    ["edits in fences that never close", fill(`a.ts\n\`\`\`x\n${sr}`)],
    ["diffs in fences that never close", fill("a.ts\n```x\n--- a/a.ts\n+++ b/a.ts\n@@ -1 +1 @@\n-a\n+b\n")],
    ["examples in a file", `a.md\n\`\`\`\`md\n${fill("b.c\n```\n*** Begin Patch\n```\n")}\`\`\`\`\n`],
    ["one long line", fill("`")],
    ["one long path", `${fill("a/")}\n\`\`\`\nx\n\`\`\`\n`],
    ["blocks that open", `a.ts\n${fill("<<<<<<< SEARCH\n")}`],
    ["empty lines before a block", `${fill("\n")}${sr}`],
    [
      "a block of one line repeated",
      `a.ts\n<<<<<<< SEARCH\n${fill("x\n")}=======\n${fill("y\n")}>>>>>>> REPLACE\n`,
    ],
    ["many blocks", `a.ts\n${fill(sr)}`],
    [
      "empty lines in a chunk",
      `*** Begin Patch\n*** Update File: a.ts\n@@\n${fill("\n")}+x\n*** End Patch\n`,
    ],
    ["anchors", `*** Begin Patch\n*** Update File: a.ts\n${fill("@@ a\n")}+x\n*** End Patch\n`],
    ["patches in a row", fill("*** Begin Patch\n*** Delete File: a.ts\n*** End Patch\n")],
    ["heads of diffs", fill("--- a/x\n+++ b/x\n")],
    ["hunks", `--- a/a.ts\n+++ b/a.ts\n${fill("@@ -1 +1 @@\n-a\n+b\n")}`],
    ["operations in lines of their own", fill('{"file": "a.ts",\n')],
    ["names above edits in a fence", `\`\`\`\n${fill("a.ts\n")}${fill("--- a.ts\n+++ a.ts\n")}\`\`\`\n`],
    ["marked lines under a path", `a.ts\n\`\`\`\n${fill("-a\n+b\n")}\`\`\`\n`],
    ["marks of other words", `a.ts\n\`\`\`\nx\n${fill("<<<<<<< HEAD\n")}${fill("=======\n")}\`\`\`\n`],
    ["one long mark", `${fill("<")}\n${fill("-")} search\n`],
    ["blanks and signs below a hunk", `--- a/a.ts\n+++ b/a.ts\n@@ -1 +1 @@\n-a\n+b\n${fill("\n b\n")}`],
    ["ends of documents", `a.yml\n\`\`\`\n${fill("...\n\n")}\`\`\`\n`],
    ["elisions", `a.ts\n\`\`\`\n${fill("// unchanged\n")}\`\`\`\n`],
  ])("[FMT-17] are read or refused in linear time: %s", (_, text) => {
    expect(() => editFormatOf(text)).not.toThrow();
    try {
      placeEdits(parseEdits(text), { "a.ts": "a\n".repeat(100) });
    } catch (error) {
      if (!HoldfastError.is(error)) throw error;
      expect(error.message.length).toBeLessThan(20_000);
    }
  });
});
