// Owns: which names the `.gitignore` files of a folder leave out, as git itself decides it.
// Must never: build a regular expression from a pattern, or match in more than linear time.
//
// git compares bytes, so names and patterns beyond ASCII are compared as their UTF-8 bytes, each as one character.

import { matchesSegments, type Pattern, type PatternSegment, type GlobPiece } from "./_glob-match.ts";

interface IgnoreRule {
  /** `!pattern`: takes in again what an earlier rule left out. */
  readonly negated: boolean;
  /** `pattern/`: directories only. */
  readonly directoryOnly: boolean;
  /** Without a slash before its end, a pattern is compared with the last segment at any depth. */
  readonly nameOnly: boolean;
  readonly pattern: Pattern;
}

/** One `.gitignore`: how deep its directory lies, and its rules, the last one first. */
interface IgnoreFile {
  readonly depth: number;
  readonly rules: readonly IgnoreRule[];
}

/**
 * The rules of one `.gitignore` and of those in the directories above it. Ask from the top down and do not look into what is left out:
 * nothing below it can be taken in again.
 *
 * @example
 * const rules = IgnoreRules.NONE.with([], "*.log\n!keep.log\n");
 * rules.ignores(["a", "x.log"], false)     // true
 * rules.ignores(["a", "keep.log"], false)  // false
 */
export class IgnoreRules {
  static readonly NONE: IgnoreRules = new IgnoreRules([]);

  /** The deepest first: it decides. */
  readonly #files: readonly IgnoreFile[];

  private constructor(files: readonly IgnoreFile[]) {
    this.#files = files;
  }

  /** These rules with those of the `.gitignore` in a directory, which decide first. */
  with(directory: readonly string[], text: string): IgnoreRules {
    const rules: IgnoreRule[] = [];
    for (const line of text.replace(/^\ufeff/, "").split("\n")) {
      const rule = ruleOf(line.endsWith("\r") ? line.slice(0, -1) : line);
      if (rule !== undefined) rules.push(rule);
    }
    if (rules.length === 0) return this;
    return new IgnoreRules([{ depth: directory.length, rules: rules.reverse() }, ...this.#files]);
  }

  /** Is the entry left out? `path` is below the directory of the first rules; what is above the entry is not left out. */
  ignores(path: readonly string[], isDirectory: boolean): boolean {
    const bytes = path.map(asBytes);
    const meter = { steps: 0 };
    for (const { depth, rules } of this.#files) {
      const below = bytes.slice(depth);
      for (const rule of rules) {
        if (rule.directoryOnly && !isDirectory) continue;
        if (matchesSegments(rule.pattern, rule.nameOnly ? below.slice(-1) : below, meter))
          return !rule.negated;
      }
    }
    return false;
  }
}

const BEYOND_ASCII = /[^\0-\x7f]/;

/** UTF-8 as a text of one character for each byte. */
function asBytes(text: string): string {
  if (!BEYOND_ASCII.test(text)) return text;
  let bytes = "";
  for (const byte of new TextEncoder().encode(text)) bytes += String.fromCharCode(byte);
  return bytes;
}

/** Undefined for a comment, an empty line, and a pattern that matches nothing. */
function ruleOf(line: string): IgnoreRule | undefined {
  let text = asBytes(withoutTrailingBlanks(line));
  if (text.startsWith("#")) return undefined;
  const negated = text.startsWith("!");
  if (negated) text = text.slice(1);
  const directoryOnly = text.endsWith("/");
  if (directoryOnly) text = text.slice(0, -1);
  if (text === "") return undefined;
  const nameOnly = !text.includes("/");
  const pattern = patternOf(text.startsWith("/") ? text.slice(1) : text, nameOnly);
  return pattern === undefined ? undefined : { negated, directoryOnly, nameOnly, pattern };
}

/** A blank after a backslash stays. */
function withoutTrailingBlanks(line: string): string {
  let end = 0;
  for (let at = 0; at < line.length; at++) {
    if (line[at] === "\\") at++;
    else if (line[at] === " ") continue;
    end = Math.min(at + 1, line.length);
  }
  return line.slice(0, end);
}

type Token = GlobPiece | { readonly kind: "slash" };

/** Undefined for a pattern that is cut short or has a class that does not exist: git matches nothing with it. */
function patternOf(text: string, nameOnly: boolean): Pattern | undefined {
  const pattern: PatternSegment[] = [];
  let pieces: GlobPiece[] = [];
  for (let at = 0; at < text.length;) {
    const read = readToken(text, at);
    if (read === undefined) return undefined;
    at = read.end;
    if (read.token.kind !== "slash") {
      pieces.push(read.token);
      continue;
    }
    pattern.push(segmentOf(pieces, nameOnly));
    pieces = [];
  }
  pattern.push(segmentOf(pieces, nameOnly));
  const short = pattern.filter((part, i) => part.kind !== "globstar" || pattern[i - 1]?.kind !== "globstar");
  // At the end `**` is what lies inside: one segment at least.
  if (short.at(-1)?.kind === "globstar") short.push({ kind: "pieces", pieces: [{ kind: "star" }] });
  return short;
}

/** A segment of stars alone, two or more, stands for any number of segments; in a mere name it is one star. */
function segmentOf(pieces: readonly GlobPiece[], nameOnly: boolean): PatternSegment {
  if (!nameOnly && pieces.length > 1 && pieces.every(({ kind }) => kind === "star"))
    return { kind: "globstar" };
  return { kind: "pieces", pieces };
}

interface Read<T> {
  readonly token: T;
  readonly end: number;
}

function readToken(text: string, at: number): Read<Token> | undefined {
  const char = text[at] as string;
  switch (char) {
    case "/":
      return { token: { kind: "slash" }, end: at + 1 };
    case "*":
      return { token: { kind: "star" }, end: at + 1 };
    case "?":
      return { token: { kind: "any" }, end: at + 1 };
    case "[":
      return readClass(text, at);
    case "\\": {
      const next = text[at + 1];
      if (next === undefined) return undefined;
      if (next === "/") return { token: { kind: "slash" }, end: at + 2 };
      return { token: { kind: "char", code: next.charCodeAt(0) }, end: at + 2 };
    }
    default:
      return { token: { kind: "char", code: char.charCodeAt(0) }, end: at + 1 };
  }
}

/** Ranges of the classes of characters that git knows, as pairs. */
const CLASSES: ReadonlyMap<string, readonly number[]> = new Map([
  ["alnum", [0x30, 0x39, 0x41, 0x5a, 0x61, 0x7a]],
  ["alpha", [0x41, 0x5a, 0x61, 0x7a]],
  ["blank", [0x20, 0x20, 0x09, 0x09]],
  ["cntrl", [0x00, 0x1f, 0x7f, 0x7f]],
  ["digit", [0x30, 0x39]],
  ["graph", [0x21, 0x7e]],
  ["lower", [0x61, 0x7a]],
  ["print", [0x20, 0x7e]],
  ["punct", [0x21, 0x2f, 0x3a, 0x40, 0x5b, 0x60, 0x7b, 0x7e]],
  ["space", [0x09, 0x0d, 0x20, 0x20]],
  ["upper", [0x41, 0x5a]],
  ["xdigit", [0x30, 0x39, 0x41, 0x46, 0x61, 0x66]],
]);

/** Reads `[...]` as git does: `]` right after the opening is plain, and a range needs a plain character before its `-`. */
function readClass(text: string, at: number): Read<GlobPiece> | undefined {
  let i = at + 1;
  const negated = text[i] === "!" || text[i] === "^";
  if (negated) i++;
  const ranges: number[] = [];
  let before: number | undefined;
  for (let first = true; first || text[i] !== "]"; first = false) {
    const char = text[i];
    if (char === undefined) return undefined;
    if (char === "-" && before !== undefined && text[i + 1] !== undefined && text[i + 1] !== "]") {
      const end = memberAt(text, i + 1);
      if (end === undefined) return undefined;
      if (before <= end.token) ranges.push(before, end.token);
      before = undefined;
      i = end.end;
      continue;
    }
    const named = char === "[" && text[i + 1] === ":" ? readNamedClass(text, i) : undefined;
    if (named !== undefined) {
      if (named.token === undefined) return undefined;
      ranges.push(...named.token);
      before = undefined;
      i = named.end;
      continue;
    }
    const member = memberAt(text, i);
    if (member === undefined) return undefined;
    ranges.push(member.token, member.token);
    before = member.token;
    i = member.end;
  }
  return { token: { kind: "class", negated, ranges }, end: i + 1 };
}

function memberAt(text: string, at: number): Read<number> | undefined {
  const escaped = text[at] === "\\" ? 1 : 0;
  const char = text[at + escaped];
  return char === undefined ? undefined : { token: char.charCodeAt(0), end: at + escaped + 1 };
}

/** Reads `[:alpha:]`; undefined when it is none, and without a token when there is no such class or no end to it. */
function readNamedClass(text: string, at: number): Read<readonly number[] | undefined> | undefined {
  const close = text.indexOf("]", at + 2);
  if (close < 0) return { token: undefined, end: text.length };
  if (close < at + 3 || text[close - 1] !== ":") return undefined;
  return { token: CLASSES.get(text.slice(at + 2, close - 1)), end: close + 1 };
}
