// Owns: the tokens of a glob, and its refusals with a position.

import { echo, HoldfastError, say, type Reason, type Shown } from "../errors.ts";
import type { GlobPiece } from "./_glob-match.ts";

/** `at` counts UTF-16 units from the start of the glob. */
export type Token = (GlobPiece | { readonly kind: "slash" | "open" | "comma" | "close" }) & {
  readonly at: number;
};

const ESCAPABLE = "[]{}(),!?";

/** Makes the errors of one glob. */
export class Refuse {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }

  /** `at` counts UTF-16 units from 0; people count characters from 1. */
  error(reason: Reason, at: number, why: Shown): HoldfastError {
    const position = Array.from(this.text.slice(0, at)).length + 1;
    return new HoldfastError(
      "invalid_argument",
      reason,
      say`Glob ${echo(this.text)}, character ${position}: ${why}`,
      { data: { position } },
    );
  }
}

/** Reads the glob from `start` on. Inside `[...]` nothing else is special. */
export function tokenise(text: string, start: number, refuse: Refuse): Token[] {
  const tokens: Token[] = [];
  for (let at = start; at < text.length;) {
    const code = text.codePointAt(at) ?? 0;
    const char = String.fromCodePoint(code);
    if (text[at + 1] === "(" && "?*+@!".includes(char))
      throw refuse.error(
        "glob_extended",
        at,
        say`${echo(`${char}(`)} begins an extended pattern, which is not supported. Use {a,b}, or \\( for a plain parenthesis.`,
      );
    if (char === "[") {
      const read = readClass(text, at, refuse);
      tokens.push(read.token);
      at = read.end;
      continue;
    }
    if (char === "\\") {
      const next = text[at + 1];
      if (next === undefined || !ESCAPABLE.includes(next))
        throw refuse.error(
          "glob_backslash",
          at,
          say`a backslash can only come before one of [ ] { } ( ) , ! ? here. Separate segments with /; a plain * is [*].`,
        );
      tokens.push({ kind: "char", code: next.charCodeAt(0), at });
      at += 2;
      continue;
    }
    tokens.push(tokenOf(char, code, at));
    at += char.length;
  }
  return tokens;
}

function tokenOf(char: string, code: number, at: number): Token {
  switch (char) {
    case "*":
      return { kind: "star", at };
    case "?":
      return { kind: "any", at };
    case "/":
      return { kind: "slash", at };
    case "{":
      return { kind: "open", at };
    case ",":
      return { kind: "comma", at };
    case "}":
      return { kind: "close", at };
    default:
      return { kind: "char", code, at };
  }
}

/** Reads `[...]` at `at`. A `]` right after the opening is plain, and so is a `-` at either edge. */
function readClass(text: string, at: number, refuse: Refuse): { token: Token; end: number } {
  let i = at + 1;
  const negated = text[i] === "!" || text[i] === "^";
  if (negated) i++;
  const first = i;
  const ranges: number[] = [];
  const member = (): number => {
    if (text[i] === "\\") i++;
    const code = text.codePointAt(i);
    if (code === undefined)
      throw refuse.error(
        "glob_open_class",
        at,
        say`"[" is never closed. Add "]", or write \\[ for a plain bracket.`,
      );
    if (code === 0x2f)
      throw refuse.error(
        "glob_class_slash",
        i,
        say`a slash cannot be in [...]. Use {a/b,c} for choices of paths.`,
      );
    i += code > 0xffff ? 2 : 1;
    return code;
  };
  while (text[i] !== "]" || i === first) {
    if (text[i] === "[" && text[i + 1] === ":")
      throw refuse.error(
        "glob_named_class",
        i,
        say`named classes such as [:alpha:] are not supported. Write the characters: [a-zA-Z].`,
      );
    const from = i;
    const low = member();
    let high = low;
    if (text[i] === "-" && i + 1 < text.length && text[i + 1] !== "]") {
      i++;
      high = member();
    }
    if (high < low)
      throw refuse.error(
        "glob_bad_range",
        from,
        say`the range ${echo(text.slice(from, i))} runs backwards. Put the lower character first.`,
      );
    ranges.push(low, high);
  }
  return { token: { kind: "class", negated, ranges, at }, end: i + 1 };
}
