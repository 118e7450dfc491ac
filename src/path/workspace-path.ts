// Owns: WorkspacePath, the only form in which the rooms pass a path around, and the one way to make it from text.
// Must never: touch a file system, expand anything (`~`, `$HOME`, `%2e`), or compare paths by string prefix.

import { echo, HoldfastError, say, type Reason, type Shown } from "../errors.ts";
import { DEFAULT_LIMITS, type Limits } from "../limits.ts";
import { checkOptionNames, type OptionNames } from "../text/options.ts";
import { foldText } from "./fold-text.ts";
import { checkSegment, type NameAlphabet, type SegmentRules } from "./_segment.ts";

declare const workspacePath: unique symbol;

/** A path in canonical form, `/workspace/a/b.json`. Safe to show and to compare with `===`. */
export type WorkspacePath = Shown & { readonly [workspacePath]: true };

/** The workspace itself: `/workspace`. */
export const ROOT: WorkspacePath = "/workspace" as WorkspacePath;

const ROOT_NAME = "workspace";
const PREFIX = "/workspace/";

/** Which paths are allowed. */
export interface PathOptions {
  /** The bounds to hold; the defaults when left out. */
  readonly limits?: Pick<Limits, "pathSegmentLength" | "pathDepth">;
  /** Printable ASCII unless the host allows printable Unicode in normal form C. */
  readonly names?: NameAlphabet;
  /** May the path be the workspace itself (`/workspace`, or an empty text)? No unless said. */
  readonly allowRoot?: boolean;
}

/** How a path is read. */
export interface ParseOptions extends PathOptions {
  /** What the path is for. With `"file"` it must not end with a slash. */
  readonly kind?: "file" | "directory" | "any";
}

const PATH_OPTIONS: OptionNames<PathOptions> = {
  limits: true,
  names: ["ascii", "unicode"],
  allowRoot: true,
};
const PARSE_OPTIONS: OptionNames<ParseOptions> = { ...PATH_OPTIONS, kind: ["file", "directory", "any"] };

/**
 * Reads a path that a caller sent: `/workspace/a/b.json` or, meaning the same, `a/b.json`. Duplicate slashes collapse;
 * nothing else is repaired. Throws `invalid_argument` with a reason of its own for every kind of refusal, naming the
 * segment. Cost: linear in the text.
 *
 * @example parsePath("src//main.ts")   // "/workspace/src/main.ts"
 * @example parsePath("../etc/passwd")  // throws invalid_argument / path_dot_segment
 */
export function parsePath(text: string, options: ParseOptions = {}): WorkspacePath {
  checkOptionNames(say`parsePath`, options, PARSE_OPTIONS);
  if (typeof text !== "string")
    throw refusal("path_wrong_type", say`A path is a text such as "/workspace/a/b.json". Send a string.`);
  const rules = rulesOf(options);
  if (text === "") {
    if (options.allowRoot === true) return ROOT;
    throw refusal("path_empty", say`The path is empty. Name a file, such as "/workspace/a/b.json".`);
  }
  refuseForeign(text);
  const segments: string[] = [];
  let skipped = text.startsWith("/") ? 1 : 0;
  for (let at = 0; at <= text.length;) {
    const slash = text.indexOf("/", at);
    const end = slash < 0 ? text.length : slash;
    if (end > at) {
      // The leading `workspace` of an absolute path is the root, and no segment of the path.
      if (skipped > 0) skipped--;
      else addSegment(segments, text.slice(at, end), rules);
    }
    at = end + 1;
  }
  if (segments.length === 0) return rootOr(options);
  if (options.kind === "file" && text.endsWith("/"))
    throw refusal(
      "path_trailing_slash",
      say`The path ${echo(text)} ends with a slash, so it names a directory; a file is wanted. Remove the slash.`,
    );
  return (PREFIX + segments.join("/")) as WorkspacePath;
}

/**
 * Makes a path of segments, as structured callers send it. Nothing is split or collapsed: an empty segment, or one
 * with a slash, is refused. No segments at all is the root.
 *
 * @example pathFromSegments(["src", "a.ts"]) // the path of src/a.ts
 */
export function pathFromSegments(segments: readonly string[], options: PathOptions = {}): WorkspacePath {
  checkOptionNames(say`pathFromSegments`, options, PATH_OPTIONS);
  if (!Array.isArray(segments))
    throw refusal("path_wrong_type", say`Path segments are a list of texts. Send an array of strings.`);
  const rules = rulesOf(options);
  const checked: string[] = [];
  for (const segment of segments as readonly unknown[]) {
    if (typeof segment !== "string")
      throw refusal(
        "path_wrong_type",
        say`Path segment ${checked.length + 1} is not a text. Send strings only.`,
      );
    addSegment(checked, segment, rules);
  }
  return checked.length === 0 ? rootOr(options) : ((PREFIX + checked.join("/")) as WorkspacePath);
}

/**
 * The path of a name, or of several below one another, inside `directory`; checked as a whole, its depth included. A name
 * with a slash is refused: {@link parsePath} reads those.
 *
 * @example joinPath(parsePath("src"), ["lib", "a.ts"]) // the path of src/lib/a.ts
 */
export function joinPath(
  directory: WorkspacePath,
  names: string | readonly string[],
  options: PathOptions = {},
): WorkspacePath {
  checkOptionNames(say`joinPath`, options, PATH_OPTIONS);
  const added = typeof names === "string" ? [names] : names;
  return pathFromSegments([...segmentsOf(directory), ...added], { ...options, allowRoot: true });
}

/**
 * The segments below the root: `["a", "b.json"]`; none for the root.
 *
 * @example segmentsOf(parsePath("src/a.ts")) // ["src", "a.ts"]
 */
export function segmentsOf(path: WorkspacePath): Shown[] {
  return path === ROOT ? [] : (path.slice(PREFIX.length).split("/") as Shown[]);
}

/**
 * The path without `/workspace/`: `a/b.json`, and empty for the root. The form that keys and globs use.
 *
 * @example relativePath(parsePath("/workspace/src/a.ts")) // "src/a.ts"
 */
export function relativePath(path: WorkspacePath): Shown {
  return path.slice(PREFIX.length) as Shown;
}

/**
 * The shortest text that {@link parsePath} reads back as the same path: `a/b.json`, and `/workspace` for the root.
 *
 * @example displayPath(parsePath("/workspace/a/b.txt")) // "a/b.txt"
 */
export function displayPath(path: WorkspacePath): Shown {
  return path === ROOT ? ROOT : relativePath(path);
}

/**
 * One key for all paths that some file system takes for the same. Two files of a workspace must not share it: a second
 * spelling is a `conflict`.
 *
 * @example foldKey(parsePath("Docs/README.md")) === foldKey(parsePath("docs/readme.md"))  // true
 */
export function foldKey(path: WorkspacePath): string {
  return foldText(relativePath(path));
}

/**
 * The directory that holds the path; undefined for the root, so that going up ends, whatever text it begins with.
 *
 * @example parentOf(parsePath("src/a.ts")) // the path of src
 */
export function parentOf(path: WorkspacePath): WorkspacePath | undefined {
  const slash = path.lastIndexOf("/");
  return slash > 0 ? (path.slice(0, slash) as WorkspacePath) : undefined;
}

/**
 * The last segment; empty for the root.
 *
 * @example nameOf(parsePath("src/a.ts")) // "a.ts"
 */
export function nameOf(path: WorkspacePath): Shown {
  return path === ROOT ? ("" as Shown) : (path.slice(path.lastIndexOf("/") + 1) as Shown);
}

/**
 * How many segments lie below the root.
 *
 * @example depthOf(parsePath("a/b.txt")) // 2
 */
export function depthOf(path: WorkspacePath): number {
  let depth = -1;
  for (let at = 0; at >= 0; at = path.indexOf("/", at + 1)) depth++;
  return depth;
}

/**
 * Is `path` the directory itself or anything in it? Whole segments count: `a` holds `a/b`, never `ab`.
 *
 * @example isUnder(parsePath("src/a.ts"), parsePath("src")) // true
 */
export function isUnder(path: WorkspacePath, directory: WorkspacePath): boolean {
  return path.startsWith(directory) && (path.length === directory.length || path[directory.length] === "/");
}

/**
 * Orders paths by their segments, each by code points, so that a directory is followed by all it holds: `a`, `a/z`,
 * `a-b`. (Comparing the texts would put `a-b` between `a` and `a/z`.)
 *
 * @example paths.toSorted(comparePaths)
 */
export function comparePaths(a: WorkspacePath, b: WorkspacePath): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return rank(x) - rank(y);
  }
  return a.length - b.length;
}

/** A slash ranks below every character of a name; surrogates above the rest, as their code points do. */
function rank(unit: number): number {
  if (unit === 0x2f) return -1;
  return unit >= 0xd800 && unit < 0xe000 ? unit + 0x10000 : unit;
}

function rulesOf(options: PathOptions): SegmentRules {
  return { limits: options.limits ?? DEFAULT_LIMITS, names: options.names ?? "ascii" };
}

function addSegment(segments: string[], segment: string, rules: SegmentRules): void {
  const { pathDepth } = rules.limits;
  if (segments.length === pathDepth)
    throw refusal(
      "path_too_deep",
      say`The path has more than ${pathDepth} segments; the first one too many is ${echo(segment)}. Use fewer directories.`,
    );
  checkSegment(segment, segments.length + 1, rules);
  segments.push(segment);
}

/** Refuses what is a path, but of another world: a drive, a URL, an absolute path that is not ours. */
function refuseForeign(text: string): void {
  if (/^[A-Za-z][A-Za-z0-9+.-]*:\/\//.test(text.slice(0, 32)))
    throw refusal("path_url", say`${echo(text)} is a URL. Write the path from /workspace.`);
  if (/^\/*[A-Za-z]:/.test(text.slice(0, 8)))
    throw refusal(
      "path_drive",
      say`${echo(text)} begins with a drive letter. Write the path from /workspace, with / between segments.`,
    );
  if (!text.startsWith("/")) return;
  const start = text.search(/[^/]/);
  if (start < 0)
    throw refusal(
      "path_absolute",
      say`${echo(text)} is not in the workspace. The workspace itself is "/workspace".`,
    );
  const slash = text.indexOf("/", start);
  if (text.slice(start, slash < 0 ? text.length : slash) !== ROOT_NAME)
    throw refusal(
      "path_absolute",
      say`${echo(text)} lies outside the workspace. Write a path that begins with /workspace/, or one without a leading slash.`,
    );
}

function rootOr(options: PathOptions): WorkspacePath {
  if (options.allowRoot === true) return ROOT;
  throw refusal("path_root", say`The path names the workspace itself. Name a file or directory in it.`);
}

function refusal(reason: Reason, message: Shown): HoldfastError {
  return new HoldfastError("invalid_argument", reason, message);
}
