import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { IgnoreRules } from "../../src/path/ignore-rules.ts";
import { runs } from "../effort.ts";

/** What a walk from the top down finds: the rules of each directory on the way, and nothing below what is left out. */
function isIgnored(
  files: ReadonlyMap<string, string>,
  path: readonly string[],
  isDirectory: boolean,
): boolean {
  let rules = IgnoreRules.NONE;
  for (let depth = 0; depth < path.length; depth++) {
    const directory = path.slice(0, depth);
    const text = files.get([...directory, ".gitignore"].join("/"));
    if (text !== undefined) rules = rules.with(directory, text);
    if (rules.ignores(path.slice(0, depth + 1), depth < path.length - 1 || isDirectory)) return true;
  }
  return false;
}

function lineIgnores(line: string, path: string, isDirectory = false): boolean {
  return isIgnored(new Map([[".gitignore", line]]), path.split("/"), isDirectory);
}

describe("the rules of .gitignore", () => {
  test("[HOST-41] reads the forms that git documents", () => {
    expect(lineIgnores("# x", "# x")).toBe(false);
    expect(lineIgnores("\\# x", "# x")).toBe(true);
    expect(lineIgnores("a  ", "a")).toBe(true);
    expect(lineIgnores("a\\ ", "a ")).toBe(true);
    expect(lineIgnores("\ufeffa\r\nb", "a")).toBe(true);
    expect(lineIgnores("foo/", "foo")).toBe(false);
    expect(lineIgnores("foo/", "foo", true)).toBe(true);
    expect(lineIgnores("foo/", "foo/bar")).toBe(true);
    expect(lineIgnores("/a", "x/a")).toBe(false);
    expect(lineIgnores("a/b", "x/a/b")).toBe(false);
    expect(lineIgnores("**/a/b", "x/a/b")).toBe(true);
    expect(lineIgnores("a/**", "a", true)).toBe(false);
    expect(lineIgnores("a/**", "a/b")).toBe(true);
    expect(lineIgnores("a/**/b", "a/b")).toBe(true);
    expect(lineIgnores("*.o\n!b.o", "b.o")).toBe(false);
    expect(lineIgnores("d/\n!d/b.o", "d/b.o")).toBe(true);
    expect(lineIgnores("[[:digit:]]x", "7x")).toBe(true);
    expect(lineIgnores("[[:nothing:]]", "n")).toBe(false);
    expect(lineIgnores("a[", "a[")).toBe(false);
    expect(lineIgnores("*".repeat(500) + "b", "a".repeat(80))).toBe(false);
  });

  const hasGit = spawnSync("git", ["--version"]).status === 0;
  test.skipIf(!hasGit)("[HOST-41] decides as git check-ignore does, in nested files of random rules", () => {
    const folder = mkdtempSync(join(tmpdir(), "holdfast-ignore-"));
    try {
      spawnSync("git", ["init", "-q", folder]);
      let cases = 0;
      fc.assert(
        fc.property(
          texts(),
          texts(),
          fc.array(paths(), { minLength: 20, maxLength: 60 }),
          (top, inner, asked) => {
            cases++;
            const root = join(folder, `case${cases}`);
            const files = new Map([
              [".gitignore", top],
              ["a/.gitignore", inner],
            ]);
            for (const [name, text] of files) {
              mkdirSync(join(root, dirname(name)), { recursive: true });
              writeFileSync(join(root, name), text);
            }
            // A directory that exists is one for git; what does not exist is a file.
            const made = new Set<string>(["a"]);
            for (const path of asked) {
              mkdirSync(join(root, dirname(path)), { recursive: true });
              for (let up = dirname(path); up !== "."; up = dirname(up)) made.add(up);
            }
            const all = [...new Set(asked)];
            const { stdout } = spawnSync("git", ["check-ignore", "--no-index", "-z", "--stdin"], {
              cwd: root,
              input: all.join("\0"),
            });
            const git = new Set(stdout.toString().split("\0"));
            for (const path of all) {
              const ours = isIgnored(files, path.split("/"), made.has(path));
              if (ours !== git.has(path))
                throw new Error(`${path}: git ${String(git.has(path))}, ours ${String(ours)}`);
            }
            rmSync(root, { recursive: true, force: true });
          },
        ),
        runs(30),
      );
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

const NAMES = [
  "a",
  "b",
  "ab",
  "a.o",
  "b.o",
  "x-y",
  "A",
  "a b",
  "a ",
  "#a",
  "!a",
  "a\\b",
  "[a]",
  "é",
  "-",
  "]",
];

function paths(): fc.Arbitrary<string> {
  return fc
    .array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 4 })
    .map((segments) => segments.join("/"));
}

/** Lines made of the pieces that mean something. */
function texts(): fc.Arbitrary<string> {
  const piece = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom("a", "b", ".o", "A", "ab", "x-y", "é") },
    { weight: 3, arbitrary: fc.constantFrom("*", "**", "?", "/", "/**/", "**/", "/**", "***") },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        "[ab]",
        "[!a]",
        "[^b]",
        "[a-c]",
        "[]-]",
        "[a/b]",
        "[[:alpha:]]",
        "[[:punct:]x]",
        "[[:no:]]",
        "[[:al]",
        "[\\]a]",
        "[a",
        "[z-a]",
        "[--0]",
        "\\a",
        "\\*",
        "\\[",
        "\\\\",
        "\\ ",
        " ",
        "#",
        "!",
        "\r",
      ),
    },
  );
  const line = fc
    .tuple(
      fc.constantFrom("", "", "", "!", "/", "!/", "#", "\\#", "\\!"),
      fc.array(piece, { minLength: 1, maxLength: 5 }),
      fc.constantFrom("", "", "/", " ", "\\", "  ", "\r"),
    )
    .map(([head, pieces, tail]) => head + pieces.join("") + tail)
    // An escaped slash is no part of any real file, and git itself treats it in two ways. Stars after other text in one segment are
    // "regular asterisks" in git's documentation, and cross slashes in its code.
    .filter((text) => !text.includes("\\/") && !/[^/*]\*\*/.test(text.replace(/^!/, "")));
  return fc.array(line, { minLength: 0, maxLength: 6 }).map((lines) => lines.join("\n"));
}
