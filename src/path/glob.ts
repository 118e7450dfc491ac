// Owns: Glob, the patterns that agents send, compiled and matched in time linear in the path.
// Must never: build a regular expression from a pattern.

import { DEFAULT_LIMITS, type Limits } from "../limits.ts";
import { say } from "../errors.ts";
import { checkOptionNames, type OptionNames } from "../text/options.ts";
import { matchesPrefix, matchesSegments, type Pattern } from "./_glob-match.ts";
import { parseGlob } from "./_glob-parse.ts";
import { relativePath, segmentsOf, type WorkspacePath } from "./workspace-path.ts";

/** How a glob is compiled. */
export interface GlobOptions {
  /** The bounds to hold; the defaults when left out. */
  readonly limits?: Pick<Limits, "globLength" | "globAlternatives">;
}

const GLOB_OPTIONS: OptionNames<GlobOptions> = { limits: true };

/** A compiled glob. */
export interface Glob {
  /** The pattern as it was sent. */
  readonly text: string;
  /** The leading segments that every match begins with: where a search may start. */
  readonly base: readonly string[];
  /**
   * Whether a path matches. Costs path times glob at worst, never more. Never throws.
   *
   * @example compileGlob("*.md").matches(parsePath("notes.md")) // true
   */
  matches(path: WorkspacePath): boolean;
  /**
   * The same for a path relative to anything; false for an empty one.
   *
   * @example compileGlob("a/*.json").matchesRelative("a/b.json") // true
   */
  matchesRelative(relative: string): boolean;
  /**
   * Can anything inside the directory match? False lets a walk skip it whole; true promises nothing.
   *
   * @example compileGlob("src/*.ts").mayMatchUnder(parsePath("docs", { kind: "directory" })) // false
   */
  mayMatchUnder(directory: WorkspacePath): boolean;
}

/**
 * Compiles a glob. `*` and `?` stay inside a segment, `**` as a whole segment stands for any number of them, `[a-z]`
 * and `[!a-z]` for one character, `{a,b}` for either; a leading dot is nothing special, nor is `!`. A backslash makes
 * one of `[ ] { } ( ) , ! ?` plain. Case counts. The pattern is relative to the workspace; `/workspace/` may lead it.
 *
 * Throws `invalid_argument` with the position for a pattern that could not mean anything. Matching costs at most the
 * length of the expanded pattern times the length of the path, whatever they hold.
 *
 * @example compileGlob("src/**" + "/*.{ts,tsx}").matches(parsePath("src/a/b.ts"))  // true
 */
export function compileGlob(text: string, options: GlobOptions = {}): Glob {
  checkOptionNames(say`compileGlob`, options, GLOB_OPTIONS);
  const patterns = parseGlob(text, options.limits ?? DEFAULT_LIMITS);
  const matchesRelative = (relative: string): boolean => {
    if (relative === "") return false;
    const segments = relative.split("/");
    const meter = { steps: 0 };
    for (const pattern of patterns) if (matchesSegments(pattern, segments, meter)) return true;
    return false;
  };
  return {
    text,
    base: commonBase(patterns),
    matches: (path) => matchesRelative(relativePath(path)),
    matchesRelative,
    mayMatchUnder: (directory) => {
      const segments = segmentsOf(directory);
      return patterns.some((pattern) => matchesPrefix(pattern, segments));
    },
  };
}

/** The literal segments that all patterns share, never the last one: that is the name, not a directory. */
function commonBase(patterns: readonly Pattern[]): readonly string[] {
  let base: string[] | undefined;
  for (const pattern of patterns) {
    const own: string[] = [];
    for (const part of pattern.slice(0, -1)) {
      if (part.kind !== "literal") break;
      own.push(part.text);
    }
    if (base === undefined) base = own;
    let shared = 0;
    while (shared < base.length && base[shared] === own[shared]) shared++;
    base.length = shared;
  }
  return base ?? [];
}
