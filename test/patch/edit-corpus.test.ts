// Several hundred real changes in every edit format, spoilt in the ways models spoil them: each is made exactly as it was
// meant, or refused. docs/spec/edit-formats.md.

import { applyPatch as applyWithPeer } from "diff";
import { describe, expect, test } from "vitest";
import { corpus, outcome, type CorpusFormat } from "./edit-corpus.ts";

describe.each(["search_replace", "v4a", "unified_diff", "whole_file"] satisfies CorpusFormat[])(
  "%s",
  (format) => {
    const cases = corpus(format);

    test("[FMT-9] [FMT-10] [FMT-16] every edit is made as it was meant, or refused", () => {
      expect(cases.length).toBeGreaterThanOrEqual(150);
      const wrong: string[] = [];
      let applied = 0;
      for (const one of cases) {
        const result = outcome(one);
        if ("text" in result) applied++;
        const isMeant = "text" in result && result.text === one.after;
        // What a place that is not the only one leaves to guess is refused, even where nothing was spoilt.
        const isDoubt = "reason" in result && result.reason === "ambiguous";
        if (
          ("text" in result && !isMeant) ||
          (one.must === "refuse" && "text" in result) ||
          (one.must === "apply" && !(isMeant || isDoubt))
        )
          wrong.push(`${one.name}: ${one.file}: ${"reason" in result ? result.reason : "another text"}`);
      }
      expect(wrong).toEqual([]);
      console.log(
        `${format}: ${cases.length} edits, ${applied} applied as meant, ${cases.length - applied} refused`,
      );
    });
  },
);

test("a peer on the same diffs", () => {
  let wrong = 0;
  let applied = 0;
  for (const one of corpus("unified_diff")) {
    let text: string | false = false;
    try {
      text = applyWithPeer(one.before, one.edit, { fuzzFactor: 2 });
    } catch {
      // It could not read the diff.
    }
    if (text === false) continue;
    applied++;
    if (text !== one.after) wrong++;
  }
  console.log(`jsdiff with a fuzz of 2: ${applied} applied, ${wrong} of them not as meant`);
  expect(applied).toBeGreaterThan(0);
});
