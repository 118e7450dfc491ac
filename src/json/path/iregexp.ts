// Owns: I-Regexp (RFC 9485), the patterns of match() and search(): checked by its own grammar, then run by RE2.
// Must never: hand a pattern to an engine that backtracks, or let a construct outside I-Regexp through.

import { RE2JS } from "re2js";
import { echo, say, type Shown } from "../../errors.ts";

/** A pattern ready to run in time linear in the text. */
export interface CompiledRegexp {
  matches(text: string): boolean;
  searches(text: string): boolean;
}

const CACHED = 64;
const cache = new Map<string, CompiledRegexp | Shown>();

/** The compiled pattern, or what is wrong with it. RFC 9535 then returns false. */
export function compilePattern(source: string, maxLength: number): CompiledRegexp | Shown {
  if (source.length > maxLength) return say`it is longer than ${maxLength} characters`;
  const known = cache.get(source);
  if (known !== undefined) return known;
  const made = compile(source);
  if (cache.size >= CACHED) for (const oldest of cache.keys()) return remember(source, made, oldest);
  return remember(source, made, undefined);
}

function remember(
  source: string,
  made: CompiledRegexp | Shown,
  drop: string | undefined,
): CompiledRegexp | Shown {
  if (drop !== undefined) cache.delete(drop);
  cache.set(source, made);
  return made;
}

/** Why the pattern can never match; undefined when it is fine. */
export function patternProblem(source: string, maxLength: number): Shown | undefined {
  const made = compilePattern(source, maxLength);
  return typeof made === "string" ? made : undefined;
}

function compile(source: string): CompiledRegexp | Shown {
  const reader = new PatternReader(source);
  const translated = reader.translate();
  if (translated === undefined) return reader.problem;
  let program: RE2JS;
  try {
    program = RE2JS.compile(translated);
  } catch {
    return say`its repetitions are too large`;
  }
  return { matches: (text) => program.testExact(text), searches: (text) => program.test(text) };
}

const CATEGORIES = /^(?:L[lmotu]?|M[cen]?|N[dlo]?|P[cdefios]?|Z[lps]?|S[ckmo]?|C[cfno]?)$/;
const ESCAPABLE = "()*+-.?[\\]^nrt{|}$";

// Writes the RE2 form while it reads. Literals become \x{..}, so nothing that RE2 knows and I-Regexp does not can slip
// in. `^` and `$` outside a class are anchors, as the compliance suite of RFC 9535 reads them; hence `\$` is let in.
class PatternReader {
  problem: Shown = say``;
  private readonly source: string;
  private at = 0;

  constructor(source: string) {
    this.source = source;
  }

  translate(): string | undefined {
    let out = "";
    let groups = 0;
    // Can a quantifier follow?
    let atom = false;
    while (this.at < this.source.length) {
      const sign = this.source[this.at] ?? "";
      switch (sign) {
        case "(":
          groups++;
          this.at++;
          out += "(?:";
          atom = false;
          break;
        case ")":
          if (groups-- === 0) return this.fail(say`) closes nothing`);
          this.at++;
          out += ")";
          atom = true;
          break;
        case "|":
          this.at++;
          out += "|";
          atom = false;
          break;
        case "*":
        case "+":
        case "?":
        case "{": {
          if (!atom) return this.fail(say`${sign as Shown} repeats nothing`);
          const quantifier = this.quantifier(sign);
          if (quantifier === undefined) return undefined;
          out += quantifier;
          atom = false;
          break;
        }
        default: {
          const piece = this.atom(sign);
          if (piece === undefined) return undefined;
          out += piece;
          atom = true;
        }
      }
    }
    return groups === 0 ? out : this.fail(say`( is never closed`);
  }

  private fail(problem: Shown): undefined {
    this.problem = problem;
    return undefined;
  }

  private quantifier(sign: string): string | undefined {
    if (sign !== "{") {
      this.at++;
      return sign;
    }
    const range = /^\{([0-9]{1,9})(,([0-9]{1,9})?)?\}/.exec(this.source.slice(this.at, this.at + 24));
    if (range === null) return this.fail(say`{ starts a repetition such as {2} or {1,3}`);
    if (range[3] !== undefined && Number(range[1]) > Number(range[3]))
      return this.fail(say`${range[0] as Shown} counts down`);
    this.at += range[0].length;
    return range[0];
  }

  private atom(sign: string): string | undefined {
    switch (sign) {
      case ".":
        this.at++;
        return "[^\\n\\r]";
      case "^":
        this.at++;
        return "\\A";
      case "$":
        this.at++;
        return "\\z";
      case "[":
        return this.charClass();
      case "\\":
        return this.escape();
      case "]":
      case "}":
        return this.fail(say`${sign as Shown} must be escaped`);
      default:
        return this.literal();
    }
  }

  private literal(): string | undefined {
    const point = this.source.codePointAt(this.at) ?? 0;
    if (point >= 0xd800 && point < 0xe000) return this.fail(say`half of a surrogate pair`);
    this.at += point > 0xffff ? 2 : 1;
    return `\\x{${point.toString(16)}}`;
  }

  private escape(): string | undefined {
    const letter = this.source[this.at + 1];
    if (letter === "p" || letter === "P") {
      const end = this.source.indexOf("}", this.at);
      const name = this.source[this.at + 2] === "{" && end > 0 ? this.source.slice(this.at + 3, end) : "";
      if (!CATEGORIES.test(name)) return this.fail(say`${echo(`\\${letter}{${name}}`)} is not a category`);
      this.at = end + 1;
      return `\\${letter}{${name}}`;
    }
    if (letter === undefined) return this.fail(say`it ends with a backslash`);
    if (!ESCAPABLE.includes(letter)) return this.fail(escapeProblem(letter));
    this.at += 2;
    if (letter === "n" || letter === "r" || letter === "t") return `\\${letter}`;
    return `\\x{${letter.charCodeAt(0).toString(16)}}`;
  }

  private charClass(): string | undefined {
    this.at++;
    let out = "[";
    if (this.source[this.at] === "^") {
      this.at++;
      out += "^";
    }
    // A minus stands for itself only first or last; elsewhere it makes a range of single characters.
    let first = true;
    for (;;) {
      const sign = this.source[this.at];
      if (sign === undefined) return this.fail(say`[ is never closed`);
      if (sign === "]") {
        if (first) return this.fail(say`[] holds nothing`);
        this.at++;
        return `${out}]`;
      }
      if (sign === "-") {
        if (!first && this.source[this.at + 1] !== "]")
          return this.fail(say`- must be between two characters`);
        this.at++;
        out += "\\x{2d}";
      } else {
        const part = this.classPart(sign);
        if (part === undefined) return undefined;
        out += part;
      }
      first = false;
    }
  }

  private classPart(sign: string): string | undefined {
    const low = this.classChar(sign);
    if (low === undefined || low.startsWith("\\p") || low.startsWith("\\P")) return low;
    const next = this.source[this.at + 1];
    if (this.source[this.at] !== "-" || next === "]" || next === undefined) return low;
    this.at++;
    const high = this.classChar(next);
    if (high === undefined) return undefined;
    if (high.startsWith("\\p") || high.startsWith("\\P"))
      return this.fail(say`a category cannot end a range`);
    if (pointOf(low) > pointOf(high)) return this.fail(say`a range in [] counts down`);
    return `${low}-${high}`;
  }

  private classChar(sign: string): string | undefined {
    if (sign === "\\") return this.escape();
    if (sign === "[" || sign === "-") return this.fail(say`${sign as Shown} must be escaped inside []`);
    return this.literal();
  }
}

function pointOf(written: string): number {
  const hex = /^\\x\{([0-9a-f]+)\}$/.exec(written);
  if (hex !== null) return Number.parseInt(hex[1] ?? "", 16);
  return written === "\\n" ? 10 : written === "\\r" ? 13 : 9;
}

function escapeProblem(letter: string): Shown {
  if (letter === "d") return say`\\d is not in I-Regexp, write [0-9]`;
  if (letter === "w") return say`\\w is not in I-Regexp, write [A-Za-z0-9_]`;
  if (letter === "s") return say`\\s is not in I-Regexp, write [ \\t\\n\\r]`;
  if (letter === "b") return say`\\b is not in I-Regexp`;
  return say`${echo(`\\${letter}`)} is not in I-Regexp`;
}
