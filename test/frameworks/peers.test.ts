// Other appliers of edits on the corpus that ours must pass: how many edits each makes as they were meant, refuses, or makes in
// another way without a word.

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { applyDiff } from "@openai/agents";
import { applyPatch as jsdiff } from "diff";
import { corpus, outcome, type CorpusFormat, type EditCase } from "../patch/edit-corpus.ts";

/** What an applier makes of the file; undefined where it refuses. */
type Applier = (one: EditCase) => string | undefined;

function program(name: string, ...args: readonly string[]): Applier {
  return ({ file, before, edit }) => {
    const folder = mkdtempSync(path.join(tmpdir(), "holdfast-peers-"));
    try {
      const target = path.join(folder, file);
      mkdirSync(path.dirname(target), { recursive: true });
      writeFileSync(target, before);
      execFileSync(name, args, { cwd: folder, input: edit, stdio: ["pipe", "ignore", "ignore"] });
      return readFileSync(target, "utf8");
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  };
}

const ours: Applier = (one) => {
  const result = outcome(one);
  return "text" in result ? result.text : undefined;
};

const PROGRAMS = ["git", "patch"];
const LONG = process.env["HOLDFAST_LONG"] === "1";

const PEERS: Readonly<Record<CorpusFormat, Readonly<Record<string, Applier>>>> = {
  // No applier of these blocks on npm loads in Node by itself.
  search_replace: { holdfast: ours },
  v4a: {
    holdfast: ours,
    "@openai/agents 0.20.0 (applyDiff)": ({ before, edit }) =>
      applyDiff(
        before,
        edit
          .split("\n")
          .filter((line) => !/^\*\*\* (?:Begin|End|Update)/.test(line))
          .join("\n"),
      ),
  },
  unified_diff: {
    holdfast: ours,
    "jsdiff 9.0.0": ({ before, edit }) => jsdiff(before, edit) || undefined,
    "jsdiff 9.0.0 (fuzz 2)": ({ before, edit }) => jsdiff(before, edit, { fuzzFactor: 2 }) || undefined,
    "git apply": program("git", "apply", "--unsafe-paths", "-"),
    "patch (GNU)": program("patch", "-p1", "--no-backup-if-mismatch", "--quiet"),
  },
  whole_file: { holdfast: ours },
};

for (const [format, peers] of Object.entries(PEERS) as [CorpusFormat, Record<string, Applier>][])
  test(`${format}: ours and others on the same edits`, () => {
    const cases = corpus(format);
    assert.ok(cases.length >= 150);
    for (const [name, apply] of Object.entries(peers)) {
      const command = PROGRAMS.find((one) => name.startsWith(one));
      if (command !== undefined && spawnSync(command, ["--version"]).error !== undefined) {
        console.log(`${format}, ${name}: not installed`);
        continue;
      }
      // A process for each edit takes long: a quarter of them, unless at full size.
      const tried = command === undefined || LONG ? cases : cases.filter((_, i) => i % 4 === 0);
      const count = { meant: 0, refused: 0, wrong: 0 };
      for (const one of tried) {
        let made: string | undefined;
        try {
          made = apply(one);
        } catch {
          // It could not read the edit.
        }
        if (made === undefined) count.refused++;
        else if (made === one.after) count.meant++;
        else count.wrong++;
      }
      console.log(
        `${format}, ${tried.length} edits, ${name}: ${count.meant} as meant, ${count.refused} refused, ${count.wrong} otherwise than meant`,
      );
      if (name === "holdfast") assert.equal(count.wrong, 0);
    }
  });
