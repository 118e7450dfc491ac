import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  applyPatch,
  createPatch,
  fromUnifiedDiff,
  patchedFiles,
  toUnifiedDiff,
} from "../../src/patch/index.ts";
import { textOfLines } from "./_model.ts";

const env = { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null", LC_ALL: "C" };
const has = (program: string): boolean => spawnSync(program, ["--version"]).status === 0;
const hasGit = has("git");
const hasPatch = has("patch") && spawnSync("patch", ["--version"]).stdout.toString().includes("GNU");
const RUNS = process.env["HOLDFAST_LONG"] === "1" ? 300 : 12;

type Tree = Record<string, string>;

const NAMES = ["plain.txt", "dir/deep/file", "with blank.txt", 'quo"te', "ä.txt", "-dash", "a b/c d"];

/** Pairs of texts under many names, so that one run of a program checks many of them. */
const trees: fc.Arbitrary<[Tree, Tree]> = fc
  .array(
    fc.tuple(
      textOfLines(12),
      textOfLines(12),
      fc.constantFrom("both", "both", "both", "copy", "new", "gone"),
    ),
    {
      minLength: 20,
      maxLength: 20,
      size: "max",
    },
  )
  .map((pairs) => {
    const before: Tree = {};
    const after: Tree = {};
    for (const [i, [a, b, kind]] of pairs.entries()) {
      const name = `${i}/${NAMES[i % NAMES.length] ?? ""}`;
      if (kind !== "new") before[name] = a;
      // A mark that goes cannot be said in lines; keep it.
      const kept = a.startsWith("\ufeff") && !b.startsWith("\ufeff") ? `\ufeff${b}` : b;
      if (kind === "both") after[name] = kept;
      if (kind === "copy") after[name] = a.replaceAll("a", "A");
      if (kind === "new") after[name] = b;
    }
    return [before, after];
  });

function inDirectory<T>(tree: Tree, work: (directory: string) => T): T {
  const directory = mkdtempSync(join(tmpdir(), "holdfast-patch-"));
  try {
    for (const [name, text] of Object.entries(tree)) {
      mkdirSync(dirname(join(directory, name)), { recursive: true });
      writeFileSync(join(directory, name), text);
    }
    return work(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function readTree(directory: string): Tree {
  const tree: Tree = {};
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) {
      const path = join(entry.parentPath, entry.name);
      tree[relative(directory, path)] = readFileSync(path, "utf8");
    }
  return tree;
}

function runTool(before: Tree, diff: string, command: string, args: readonly string[]): Tree {
  return inDirectory(before, (directory) => {
    if (diff === "") return readTree(directory);
    const result = spawnSync(command, args, { cwd: directory, input: diff, env });
    expect(result.stderr.toString() + (result.status === 0 ? "" : result.stdout.toString())).toBe("");
    expect(result.status).toBe(0);
    return readTree(directory);
  });
}

const options = { names: "unicode" as const };
const sorted = (tree: Tree): [string, string][] => Object.entries(tree).sort(byName);
const byName = ([a]: [string, string], [b]: [string, string]): number => (a < b ? -1 : 1);

describe("through unified diff and back", { timeout: 600_000 }, () => {
  test.skipIf(!hasGit)(
    `[NDP-59] git apply makes the same bytes${hasGit ? "" : " (git is missing)"}`,
    () => {
      fc.assert(
        fc.property(trees, fc.constantFrom(0, 1, 3), ([before, after], context) => {
          const diff = toUnifiedDiff(before, createPatch(before, after, options), { ...options, context });
          const zero = context === 0 ? ["--unidiff-zero"] : [];
          expect(sorted(runTool(before, diff, "git", ["apply", "--whitespace=nowarn", ...zero]))).toEqual(
            sorted(after),
          );
        }),
        { numRuns: RUNS },
      );
    },
    600_000,
  );

  test.skipIf(!hasPatch)(
    `[NDP-59] GNU patch makes the same bytes${hasPatch ? "" : " (GNU patch is missing)"}`,
    () => {
      fc.assert(
        fc.property(trees, ([before, after]) => {
          const diff = toUnifiedDiff(before, createPatch(before, after, options), options);
          expect(sorted(runTool(before, diff, "patch", ["-p1", "-s", "--binary"]))).toEqual(sorted(after));
        }),
        { numRuns: RUNS },
      );
    },
  );

  test("[NDP-60] what was written is read back and makes the same bytes", () => {
    fc.assert(
      fc.property(
        trees,
        fc.constantFrom(1, 3),
        fc.constantFrom("check" as const, "drop" as const),
        ([before, after], context, keep) => {
          const diff = toUnifiedDiff(before, createPatch(before, after, options), { ...options, context });
          if (diff === "") return;
          const report = applyPatch(before, fromUnifiedDiff(diff, { ...options, context: keep }), options);
          expect(report.conflicts).toEqual([]);
          const got = [...patchedFiles(before, report)].map(([name, bytes]): [string, string] => [
            name,
            new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes),
          ]);
          expect(got.sort(byName)).toEqual(sorted(after));
        },
      ),
      { numRuns: RUNS * 4 },
    );
  });

  test.skipIf(!hasGit)(
    `[NDP-60] what git diff writes makes the same bytes${hasGit ? "" : " (git is missing)"}`,
    () => {
      fc.assert(
        fc.property(trees, fc.constantFrom(1, 3), ([before, after], context) => {
          const diff = inDirectory({}, (directory) => {
            for (const [side, tree] of [
              ["a", before],
              ["b", after],
            ] as const) {
              mkdirSync(join(directory, side));
              for (const [name, text] of Object.entries(tree)) {
                mkdirSync(dirname(join(directory, side, name)), { recursive: true });
                writeFileSync(join(directory, side, name), text);
              }
            }
            const args = ["diff", "--no-index", "--no-renames", "--text", `-U${context}`, "a", "b"];
            return spawnSync("git", args, { cwd: directory, env, maxBuffer: 1 << 28 }).stdout.toString();
          });
          if (diff === "") return;
          // Files that git calls a/a/x and b/b/x with --no-index lose one directory more.
          const patch = fromUnifiedDiff(
            diff
              .replaceAll(/^(---|\+\+\+) ("?)[ab]\/[ab]\//gm, "$1 $2x/")
              .replaceAll(/^diff --git .*$/gm, stripTwice),
            options,
          );
          const report = applyPatch(prefixed(before), patch, options);
          expect(report.conflicts).toEqual([]);
          const got = [...patchedFiles(prefixed(before), report)].map(([name, bytes]): [string, string] => [
            name,
            new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes),
          ]);
          expect(got.sort(byName)).toEqual(sorted(prefixed(after)));
        }),
        { numRuns: RUNS },
      );
    },
  );
});

describe.skipIf(!hasGit)("prefixes that git writes", () => {
  const git = (directory: string, ...args: string[]): string =>
    spawnSync("git", ["-c", "user.name=n", "-c", "user.email=e@x", ...args], {
      cwd: directory,
      env,
    }).stdout.toString();
  const PREFIXES = [[], ["-c", "diff.mnemonicPrefix=true"], ["-c", "diff.noprefix=true"]];

  test.each(["b/x.txt", "a/x.txt", "x.txt", "w/i/x y.txt"])(
    "[NDP-67] of %s name that file, however they are set",
    (name) => {
      inDirectory({ [name]: "one\ntwo\n", "b/gone": "1\n" }, (directory) => {
        git(directory, "init", "-q");
        git(directory, "add", ".");
        git(directory, "commit", "-qm", "x");
        const before = { [name]: "one\ntwo\n", "b/gone": "1\n" };
        writeFileSync(join(directory, name), "one\n2\n");
        rmSync(join(directory, "b/gone"));
        mkdirSync(join(directory, "b"), { recursive: true });
        writeFileSync(join(directory, "b/new"), "n\n");
        git(directory, "add", "-N", "b/new");
        for (const prefix of PREFIXES)
          for (const reversed of [false, true]) {
            const diff = git(directory, ...prefix, "diff", "--no-renames", ...(reversed ? ["-R"] : []));
            const after = { [name]: "one\n2\n", "b/new": "n\n" };
            const from = reversed ? after : before;
            const report = applyPatch(from, fromUnifiedDiff(diff));
            expect(report.conflicts).toEqual([]);
            const got = [...patchedFiles(from, report)].map(([file, bytes]): [string, string] => [
              file,
              new TextDecoder().decode(bytes),
            ]);
            expect(got.sort(byName)).toEqual(sorted(reversed ? before : after));
          }
      });
    },
  );
});

const prefixed = (tree: Tree): Tree =>
  Object.fromEntries(Object.entries(tree).map(([name, text]) => [`x/${name}`, text]));

/** `diff --git a/a/n b/b/n` becomes `diff --git a/x/n b/x/n`. */
function stripTwice(line: string): string {
  return line.replace(/^diff --git ("?)a\/[ab]\//, "diff --git $1a/x/").replace(/ ("?)b\/[ab]\//, " $1b/x/");
}
