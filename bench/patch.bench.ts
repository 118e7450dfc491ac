// Owns: how long a line patch on a large file takes, from files on disk to a file on disk, against the tools people use.

import { spawnSync } from "node:child_process";
import {
  closeSync,
  copyFileSync,
  mkdirSync,
  openSync,
  readFileSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import path from "node:path";
import { applyPatch as jsdiff } from "diff";
import { applyPatch, toUnifiedDiff, type Operation } from "../src/patch/index.ts";
import { asSource, splicedSource, windowsOf } from "../src/text/index.ts";
import { defineBench, defineCase, type AnyCase, type Subject } from "./harness.ts";

const LINES = 1_000_000;
const FILE = "f.txt";

interface Env {
  readonly dir: string;
  readonly original: string;
  readonly ndpatch: string;
  readonly diff: string;
}

/** A line of about 43 bytes, different for each number. */
function lineAt(i: number): string {
  return `line ${i} ${(Math.imul(i, 2654435761) >>> 0).toString(16)} some filler text here`;
}

/** Edits at random places: 60 % replace, 20 % insert, 20 % delete, in random order of lines. */
function operations(count: number): Operation[] {
  let state = 3;
  const random = (): number => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
  const used = new Set<number>();
  while (used.size < count) used.add(1 + Math.floor(random() * LINES));
  return [...used].map((line, i): Operation => {
    const old = lineAt(line - 1);
    if (i % 5 === 3) return { file: FILE, line, op: "insert", new: `INS ${line}` };
    if (i % 5 === 4) return { file: FILE, line, op: "delete", old };
    return { file: FILE, line, op: "replace", old, new: `NEW ${line}` };
  });
}

const holdfast: Subject<Env> = {
  name: "holdfast",
  start: ({ dir, original, ndpatch }) => {
    const out = path.join(dir, "holdfast.txt");
    return {
      run: () => {
        const bytes = readFileSync(original);
        const report = applyPatch({ [FILE]: bytes }, readFileSync(ndpatch, "utf8"));
        if (!report.ok) throw new Error("the patch does not apply");
        // In windows, as a store or a host folder is written: the whole result is never in memory.
        const result = splicedSource(asSource(bytes), report.files[0]?.splices ?? [], "");
        const file = openSync(out, "w");
        for (const window of windowsOf(result, 0)) writeSync(file, window.bytes);
        closeSync(file);
        return out;
      },
    };
  },
};

function program(name: string, ...args: readonly string[]): string {
  const result = spawnSync(name, args, { encoding: "utf8" });
  if (result.status !== 0) throw new Error(`${name} failed: ${result.stderr}`);
  return result.stdout;
}

const gnuPatch: Subject<Env> = {
  name: "GNU patch",
  missing: () => {
    const { stdout } = spawnSync("patch", ["--version"], { encoding: "utf8" });
    return stdout.includes("GNU patch") ? undefined : "GNU patch is not installed";
  },
  start: ({ dir, original, diff }) => {
    const out = path.join(dir, "gnu.txt");
    return {
      run: () => {
        program("patch", "-s", "-o", out, original, diff);
        return out;
      },
    };
  },
};

const gitApply: Subject<Env> = {
  name: "git apply",
  missing: () => (spawnSync("git", ["--version"]).status === 0 ? undefined : "git is not installed"),
  start: ({ dir, original, diff }) => {
    const work = path.join(dir, "git");
    mkdirSync(work, { recursive: true });
    const out = path.join(work, FILE);
    return {
      before: () => copyFileSync(original, out),
      run: () => {
        program("git", "-C", work, "apply", "--whitespace=nowarn", diff);
        return out;
      },
    };
  },
};

const jsDiff: Subject<Env> = {
  name: "jsdiff",
  start: ({ dir, original, diff }) => {
    const out = path.join(dir, "jsdiff.txt");
    return {
      run: () => {
        const text = jsdiff(readFileSync(original, "utf8"), readFileSync(diff, "utf8"));
        if (text === false) throw new Error("jsdiff could not apply the diff");
        writeFileSync(out, text);
        return out;
      },
    };
  },
};

function editsCase(
  name: string,
  count: number,
  peers: readonly Subject<Env>[],
  rounds: number,
  warmups = 1,
): AnyCase {
  return defineCase<Env>({
    name,
    rounds,
    warmups,
    setup: async (context) => {
      const original = await context.cached("patch-1m-lines.txt", (file) => {
        writeFileSync(file, Array.from({ length: LINES }, (_, i) => `${lineAt(i)}\n`).join(""));
      });
      const list = operations(count);
      const ndpatch = path.join(context.dir, "edits.ndpatch.json");
      writeFileSync(ndpatch, JSON.stringify(list));
      const diff = path.join(context.dir, "edits.diff");
      writeFileSync(diff, toUnifiedDiff({ [FILE]: readFileSync(original) }, list));
      return { dir: context.dir, original, ndpatch, diff };
    },
    ours: holdfast,
    peers,
    bytes: () => 43_000_000,
    agree: (ours, theirs) => readFileSync(String(ours)).equals(readFileSync(String(theirs))),
  });
}

// git apply needs 23 ms for each hunk on a file of this size: 20 s for 1,000, over half an hour for 100,000. It stands
// where it ends within a run.
export default defineBench({
  name: "patch",
  title: "10 to 100,000 line edits on a file of a million lines, with reading and writing",
  goals: ["patch-gnu", "patch-edits"],
  cases: [
    editsCase("10 edits on 1M lines", 10, [gnuPatch, gitApply, jsDiff], 9),
    editsCase("1k edits on 1M lines", 1_000, [gnuPatch, jsDiff], 9),
    editsCase("100k edits on 1M lines", 100_000, [gnuPatch, jsDiff], 7),
    editsCase("1M lines, 1k edits by git apply", 1_000, [gitApply], 1, 0),
  ],
});
