// Owns: what search_files and replace_in_files look for: a literal text or a regular expression, matched line by line in time
// linear in the line.
// Must never: run a pattern on an engine that backtracks.

import { RE2JS } from "re2js";
import { z } from "zod";
import { echo, HoldfastError, say, type Shown } from "../../errors.ts";
import type { Limits } from "../../limits.ts";
import { Needle } from "./_needle.ts";

export const patternInput: {
  readonly pattern: z.ZodString;
  readonly regex: z.ZodOptional<z.ZodBoolean>;
  readonly ignore_case: z.ZodOptional<z.ZodBoolean>;
  readonly whole_word: z.ZodOptional<z.ZodBoolean>;
} = {
  pattern: z.string(),
  regex: z.boolean().optional().describe("pattern is RE2, matched line by line; else literal"),
  ignore_case: z.boolean().optional(),
  whole_word: z.boolean().optional(),
};

export interface PatternRequest {
  readonly pattern: string;
  readonly regex?: boolean | undefined;
  readonly ignore_case?: boolean | undefined;
  readonly whole_word?: boolean | undefined;
}

/** A match in a line, in UTF-16 units; `groups[0]` is all of it. */
export interface LineMatch {
  readonly start: number;
  readonly end: number;
  readonly groups: readonly (string | undefined)[];
}

/** A compiled pattern. */
export interface LinePattern {
  /** A text that every line with a match holds, byte for byte; undefined when there is none to go by. */
  readonly required: Needle | undefined;
  /** The first match at or after `from`. It may be empty. */
  match(line: string, from: number): LineMatch | undefined;
  /** The number of the group that has this name. */
  group(name: string): number | undefined;
}

/** Where the search for the next match goes on: one character later after an empty one, as in JavaScript with the flags `gu`. */
export function after({ start, end }: LineMatch, line: string): number {
  return end > start ? end : end + ((line.codePointAt(end) ?? 0) > 0xffff ? 2 : 1);
}

/** Throws `invalid_argument` / `bad_pattern` for a pattern that cannot be. */
export function compilePatternOf(
  request: PatternRequest,
  limits: Pick<Limits, "rulePatternLength">,
): LinePattern {
  const { pattern, regex = false, ignore_case: folds = false, whole_word: isWord = false } = request;
  if (pattern === "") throw badPattern(pattern, say`it is empty. Send the text to look for`);
  if (pattern.includes("\n"))
    throw badPattern(
      pattern,
      say`it holds a line break, and lines are looked at one by one. Use one line of it`,
    );
  if (!regex) return new Literal(pattern, folds, isWord);
  if (pattern.length > limits.rulePatternLength * 2)
    throw badPattern(
      pattern,
      say`it has ${pattern.length} characters; at most ${limits.rulePatternLength * 2} are allowed`,
    );
  let program: RE2JS;
  try {
    program = RE2JS.compile(isWord ? `\\b(?:${pattern})\\b` : pattern, folds ? RE2JS.CASE_INSENSITIVE : 0);
  } catch (error) {
    const why = error instanceof Error ? error.message.replace(/^error parsing regexp: /, "") : "";
    throw badPattern(
      pattern,
      say`it is not RE2: ${echo(why)}. Escape special characters, or leave regex out for literal text`,
    );
  }
  return new Regex(program, folds ? "" : requiredLiteral(pattern));
}

function badPattern(pattern: string, why: Shown): HoldfastError {
  return new HoldfastError(
    "invalid_argument",
    "bad_pattern",
    say`The pattern ${echo(pattern)} cannot be used: ${why}.`,
  );
}

class Literal implements LinePattern {
  readonly required: Needle | undefined;
  readonly #text: string;
  readonly #folds: boolean;
  readonly #isWord: boolean;

  constructor(text: string, folds: boolean, isWord: boolean) {
    this.#text = folds ? foldCase(text) : text;
    this.#folds = folds;
    this.#isWord = isWord;
    this.required = folds ? undefined : new Needle(text);
  }

  match(line: string, from: number): LineMatch | undefined {
    const text = this.#folds ? foldCase(line) : line;
    for (
      let start = text.indexOf(this.#text, from);
      start >= 0;
      start = text.indexOf(this.#text, start + 1)
    ) {
      const end = start + this.#text.length;
      if (!this.#isWord || (isBorder(line, start) && isBorder(line, end)))
        return { start, end, groups: [line.slice(start, end)] };
    }
    return undefined;
  }

  group(): undefined {
    return undefined;
  }
}

/** Lower case, of the same length: a letter whose lower case is longer stays. */
function foldCase(text: string): string {
  const folded = text.toLowerCase();
  if (folded.length === text.length) return folded;
  return Array.from(text, (letter) =>
    letter.toLowerCase().length === letter.length ? letter.toLowerCase() : letter,
  ).join("");
}

const WORD = /[\p{L}\p{N}_]/u;

/** Is one side of the place inside a word and the other not? */
function isBorder(line: string, at: number): boolean {
  return WORD.test(line[at - 1] ?? "") !== WORD.test(line[at] ?? "");
}

class Regex implements LinePattern {
  readonly required: Needle | undefined;
  readonly #program: RE2JS;
  readonly #names: Readonly<Record<string, number>>;

  constructor(program: RE2JS, required: string) {
    this.#program = program;
    this.required = required === "" ? undefined : new Needle(required);
    this.#names = program.namedGroups();
  }

  match(line: string, from: number): LineMatch | undefined {
    const matcher = this.#program.matcher(line);
    if (!matcher.find(from)) return undefined;
    const groups: (string | undefined)[] = [];
    for (let i = 0; i <= matcher.groupCount(); i++) groups.push(matcher.group(i) ?? undefined);
    return { start: matcher.start(), end: matcher.end(), groups };
  }

  group(name: string): number | undefined {
    return Object.hasOwn(this.#names, name) ? this.#names[name] : undefined;
  }
}

const PUNCTUATION = /[^A-Za-z0-9\s]/;

/**
 * The longest text that every match of a regular expression must hold, or nothing. Groups, classes and anything unsure end a
 * run; alternatives at the top, or flags, give nothing.
 */
export function requiredLiteral(source: string): string {
  let [best, run] = ["", ""];
  const endRun = (): void => {
    if (run.length > best.length) best = run;
    run = "";
  };
  for (let i = 0; i < source.length; i++) {
    const sign = source[i] as string;
    if (sign === "|" || source.startsWith("(?i", i) || source.startsWith("\\Q", i)) return "";
    if (sign === "(" || sign === "[") {
      endRun();
      const end = closing(source, i);
      if (end === undefined || /\(\?[a-zA-Z-]*[:)]/.test(source.slice(i, end).replaceAll("(?:", "")))
        return "";
      i = end;
    } else if (sign === "?" || sign === "*" || sign === "{") {
      // What is repeated may be missing.
      run = Array.from(run).slice(0, -1).join("");
      endRun();
      if (sign === "{") i = Math.max(i, source.indexOf("}", i));
    } else if (sign === "\\") {
      const next = source[++i] ?? "";
      if (PUNCTUATION.test(next)) run += next;
      else endRun();
      if (next === "p" || next === "P" || next === "x") return "";
    } else if (".^$+".includes(sign)) endRun();
    else run += sign;
  }
  endRun();
  return best;
}

/** Where a group or class that begins at `from` ends. */
function closing(source: string, from: number): number | undefined {
  let depth = 0;
  let inClass = false;
  for (let i = from; i < source.length; i++) {
    const sign = source[i];
    if (sign === "\\") i++;
    else if (inClass) inClass = sign !== "]" || source[i - 1] === "[" || source.startsWith("[^]", i - 2);
    else if (sign === "[") inClass = true;
    else if (sign === "(") depth++;
    else if (sign === ")") depth--;
    if (!inClass && depth === 0) return i;
  }
  return undefined;
}
