import fc from "fast-check";
import picomatch from "picomatch";
import { describe, expect, test } from "vitest";

import { HoldfastError } from "../../src/errors.ts";
import { DEFAULT_LIMITS } from "../../src/limits.ts";
import { matchesSegments } from "../../src/path/_glob-match.ts";
import { parseGlob } from "../../src/path/_glob-parse.ts";
import { compileGlob, parsePath, ROOT, type WorkspacePath } from "../../src/path/index.ts";
import { runs } from "../effort.ts";

const matches = (glob: string, path: string): boolean => compileGlob(glob).matchesRelative(path);

function refusal(glob: unknown, limits?: { globLength: number; globAlternatives: number }): HoldfastError {
  try {
    compileGlob(glob as string, limits === undefined ? {} : { limits });
  } catch (error) {
    if (HoldfastError.is(error)) return error;
  }
  throw new Error(`${String(glob)} was accepted`);
}

describe("a glob", () => {
  test.each<[glob: string, yes: string[], no: string[]]>([
    ["*.ts", ["a.ts", ".ts", ".hidden.ts"], ["a/b.ts", "a.tsx", "a.TS"]],
    ["src/*", ["src/a", "src/.env"], ["src", "src/a/b"]],
    ["**", ["a", "a/b/c", ".git/x"], []],
    ["**/*.md", ["a.md", "x/a.md", "x/y/z/a.md"], ["a.mdx", "a.md/b"]],
    ["src/**", ["src/a", "src/a/b", "src"], ["src2/a", "a/src/b"]],
    ["*/**", ["a/b", "a/b/c"], ["a"]],
    ["{a,b/**}", ["a", "b/c", "b/c/d"], ["c"]],
    ["a/{b,**/c}/d", ["a/b/d", "a/c/d", "a/x/y/c/d"], ["a/d"]],
    ["src/**/test/*.ts", ["src/test/a.ts", "src/a/b/test/c.ts"], ["test/a.ts", "src/test/a/b.ts"]],
    ["**/a/**/b", ["a/b", "x/a/b", "a/y/b", "x/y/a/z/w/b"], ["b", "a", "b/a"]],
    ["a?c", ["abc", "a.c", "a\u{1f600}c"], ["ac", "abbc", "a/c"]],
    ["a**b", ["ab", "axxb"], ["a/b", "ax/b"]],
    ["data-[0-9].csv", ["data-0.csv", "data-9.csv"], ["data-10.csv", "data-x.csv"]],
    ["[!a-c]x", ["dx", "-x"], ["ax", "bx", "cx", "/x", "x"]],
    ["[^a-c]x", ["dx"], ["ax"]],
    ["[]]", ["]"], ["[", "a"]],
    ["[a-]", ["a", "-"], ["b"]],
    ["[*?]", ["*", "?"], ["a"]],
    ["*.{ts,tsx}", ["a.ts", "a.tsx"], ["a.js", "a.{ts,tsx}"]],
    ["{src,test}/**/*.{js,ts}", ["src/a.js", "test/x/y.ts"], ["lib/a.js"]],
    ["{a,b/{c,d}}/x", ["a/x", "b/c/x", "b/d/x"], ["b/x", "c/x"]],
    ["a{,b}c", ["ac", "abc"], ["a,bc"]],
    ["{a,**}/z", ["a/z", "z", "q/r/z"], ["a"]],
    ["{a}", ["{a}"], ["a"]],
    ["a,b", ["a,b"], ["a", "b"]],
    ["a}", ["a}"], ["a"]],
    ["!a", ["!a"], ["a", "b"]],
    ["app/(auth)/page", ["app/(auth)/page"], ["app/auth/page"]],
    ["\\[id\\].tsx", ["[id].tsx"], ["i.tsx", "d.tsx"]],
    ["\\{a,b\\}", ["{a,b}"], ["a"]],
    ["a//b", ["a/b"], ["a//b"]],
    ["***", ["a", "a/b"], []],
    ["/workspace/src/*.ts", ["src/a.ts"], ["workspace/src/a.ts"]],
    ["~/x", ["~/x"], ["x"]],
    ["\u00e9*", ["\u00e9t\u00e9"], ["e"]],
  ])("[PATH-20] %s matches what it says", (glob, yes, no) => {
    for (const path of yes) expect(matches(glob, path), `${glob} should match ${path}`).toBe(true);
    for (const path of no) expect(matches(glob, path), `${glob} should not match ${path}`).toBe(false);
  });

  test("[PATH-20] never matches the workspace itself", () => {
    expect(compileGlob("**").matches(ROOT)).toBe(false);
    expect(compileGlob("**").matches(parsePath("a"))).toBe(true);
  });

  const letter = fc.constantFrom("a", "b", ".", "-");
  const name = fc.string({ unit: letter, minLength: 1, maxLength: 4 }).filter((text) => !text.endsWith("."));
  const path = fc.array(name, { minLength: 1, maxLength: 5 }).map((segments) => segments.join("/"));
  const plain = fc.oneof(
    { weight: 5, arbitrary: letter },
    { weight: 3, arbitrary: fc.constant("*") },
    { weight: 2, arbitrary: fc.constant("?") },
    { weight: 1, arbitrary: fc.constantFrom("[ab]", "[a-b]", "[^b]", "[^a-b.]", "[.-]") },
  );
  const segment = fc.oneof(
    { weight: 1, arbitrary: fc.constant("**") },
    { weight: 4, arbitrary: fc.array(plain, { minLength: 1, maxLength: 4 }).map((parts) => parts.join("")) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(
          fc.array(letter, { maxLength: 2 }),
          fc.array(
            name.filter((text) => !text.includes("..")),
            { minLength: 2, maxLength: 3 },
          ),
        )
        .map(([head, names]) => `${head.join("")}{${names.join(",")}}`),
    },
  );
  // Left out: `..` in braces (a range for picomatch, refused here), `**` beside other characters, and slashes in
  // braces, where picomatch does not follow its own rule for `**`. These have their own cases above.
  const pattern = fc
    .array(segment, { minLength: 1, maxLength: 4 })
    .filter((segments) => segments.every((text) => text === "**" || !text.includes("**")))
    .filter((segments) => segments.every((text) => text !== "." && text !== ".."))
    .map((segments) => segments.join("/"));

  test("[PATH-21] matches exactly what picomatch with dot matches", { timeout: 600_000 }, () => {
    let matched = 0;
    fc.assert(
      fc.property(pattern, fc.array(path, { minLength: 8, maxLength: 8 }), (glob, paths) => {
        const theirs = picomatch(glob, { dot: true });
        for (const candidate of paths) {
          const ours = matches(glob, candidate);
          if (ours) matched++;
          expect(ours, `${glob} on ${candidate}`).toBe(theirs(candidate));
        }
      }),
      runs(1_500),
    );
    expect(matched).toBeGreaterThan(300);
  });

  test.each<[glob: unknown, reason: string, position: number]>([
    [7, "glob_wrong_type", 0],
    ["", "glob_empty", 1],
    ["/workspace/", "glob_empty", 12],
    ["/etc/*", "glob_absolute", 1],
    ["{a,/b}", "glob_absolute", 4],
    ["src/", "glob_trailing_slash", 4],
    ["a/../b", "glob_dot_segment", 3],
    ["./a", "glob_dot_segment", 1],
    ["src\\*.ts", "glob_backslash", 4],
    ["src\\main.ts", "glob_backslash", 4],
    ["a\\", "glob_backslash", 2],
    ["\u{1f600}[ab", "glob_open_class", 2],
    ["[]", "glob_open_class", 1],
    ["[a/b]", "glob_class_slash", 3],
    ["[z-a]", "glob_bad_range", 2],
    ["[[:alpha:]]", "glob_named_class", 2],
    ["a{b,c", "glob_open_brace", 2],
    ["a{1..3}", "glob_brace_range", 2],
    ["@(a|b)", "glob_extended", 1],
    ["a/!(b)", "glob_extended", 3],
    ["{a,{a,{a,{a,{a,{a,{a,{a,{a,b}}}}}}}}}", "glob_too_nested", 25],
  ])("[PATH-22] %j is refused with a reason and a position", (glob, reason, position) => {
    const error = refusal(glob);
    expect([error.code, error.reason]).toEqual(["invalid_argument", reason]);
    if (position > 0) {
      expect(error.data).toEqual({ position });
      expect(error.message).toContain(`character ${position}:`);
    }
  });

  test("[PATH-23] is bounded in length and in the patterns its braces stand for", () => {
    expect(refusal("a".repeat(1_001)).reason).toBe("glob_too_long");
    expect(refusal("{a,b}".repeat(9)).reason).toBe("glob_too_many_alternatives");
    expect(refusal("{a,b}".repeat(200)).reason).toBe("glob_too_many_alternatives");
    expect(matches("{a,b}".repeat(8), "abababab")).toBe(true);
    const limits = { globLength: 10, globAlternatives: 2 };
    expect(refusal("a".repeat(11), limits).reason).toBe("glob_too_long");
    expect(refusal("{a,b,c}", limits).reason).toBe("glob_too_many_alternatives");
  });

  test.each([
    ["*a*a*a*a*a*a*b", "a".repeat(5_000)],
    ["*a".repeat(400) + "b", "a".repeat(5_000)],
    ["**/a/".repeat(150) + "b", "a/".repeat(2_000) + "a"],
    ["**/*a*a*a*/".repeat(60) + "b", "aaaaaaaa/".repeat(500) + "a"],
    ["[ab]*[ab]*[ab]*[ab]*c", "ab".repeat(3_000)],
  ])("[PATH-24] %.20s takes steps linear in the path, however hostile", (glob, path) => {
    const patterns = parseGlob(glob, DEFAULT_LIMITS);
    const steps = (text: string): number => {
      const meter = { steps: 0 };
      const segments = text.split("/");
      expect(patterns.some((pattern) => matchesSegments(pattern, segments, meter))).toBe(false);
      expect(matches(glob, text)).toBe(false);
      return meter.steps;
    };
    const bound = 3 * (glob.length + 1) * (path.length + 1);
    expect(steps(path)).toBeLessThan(bound);
    // Four times the path costs about four times the steps.
    const longer = Array.from({ length: 4 }, () => path).join(path.includes("/") ? "/" : "");
    expect(steps(longer)).toBeLessThan(5 * steps(path));
  });

  test("[PATH-25] knows where a search can start and which directories it can skip", () => {
    expect(compileGlob("src/lib/**/*.ts").base).toEqual(["src", "lib"]);
    expect(compileGlob("src/{a,b}/x/*.ts").base).toEqual(["src"]);
    expect(compileGlob("src/main.ts").base).toEqual(["src"]);
    expect(compileGlob("*.ts").base).toEqual([]);
    const glob = compileGlob("src/*/test/**");
    expect(
      ["src", "src/a", "src/a/test", "src/a/test/x"].map((text) => glob.mayMatchUnder(parsePath(text))),
    ).toEqual([true, true, true, true]);
    expect(["lib", "src/a/lib", "src/a/b/test"].map((text) => glob.mayMatchUnder(parsePath(text)))).toEqual([
      false,
      false,
      false,
    ]);
    expect(compileGlob("*.ts").mayMatchUnder(ROOT)).toBe(true);
    expect(compileGlob("*.ts").mayMatchUnder(parsePath("src"))).toBe(false);
  });

  test("[PATH-25] never skips a directory that holds a match", () => {
    fc.assert(
      fc.property(pattern, fc.array(path, { minLength: 4, maxLength: 4 }), (glob, paths) => {
        const compiled = compileGlob(glob);
        for (const text of paths.filter((candidate) => compiled.matchesRelative(candidate))) {
          const segments = text.split("/");
          expect(segments.slice(0, compiled.base.length)).toEqual(compiled.base);
          for (let i = 0; i < segments.length; i++) {
            const directory = ["/workspace", ...segments.slice(0, i)].join("/") as WorkspacePath;
            expect(compiled.mayMatchUnder(directory), `${glob} under ${directory}`).toBe(true);
          }
        }
      }),
      runs(500),
    );
  });
});
