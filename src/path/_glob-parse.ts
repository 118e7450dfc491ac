// Owns: what a glob stands for: its braces expanded, its segments compiled.
// Must never: accept a pattern that its writer would misread, when an error can say so.

import { echo, HoldfastError, say } from "../errors.ts";
import type { Limits } from "../limits.ts";
import type { Pattern, PatternSegment, GlobPiece } from "./_glob-match.ts";
import { Refuse, tokenise, type Token } from "./_glob-tokens.ts";

const NESTING = 8;
const PREFIX = "/workspace/";

/** The plain patterns that a glob stands for: one, or one for every choice its braces offer. */
export function parseGlob(text: string, limits: Pick<Limits, "globLength" | "globAlternatives">): Pattern[] {
  if (typeof text !== "string")
    throw new HoldfastError(
      "invalid_argument",
      "glob_wrong_type",
      say`A glob is a text such as "src/**/*.ts". Send a string.`,
    );
  const refuse = new Refuse(text);
  if (text.length > limits.globLength)
    throw refuse.error(
      "glob_too_long",
      limits.globLength,
      say`the glob has ${text.length} characters; at most ${limits.globLength} are allowed. Send several shorter ones.`,
    );
  const start = text.startsWith(PREFIX) ? PREFIX.length : 0;
  if (start === text.length)
    throw refuse.error("glob_empty", start, say`the glob is empty. "**" stands for every file.`);
  const tokens = pairBraces(tokenise(text, start, refuse), refuse);
  return expand(tokens, limits.globAlternatives, refuse).map((flat) => toPattern(flat, refuse));
}

/** Makes braces and commas plain where they offer no choice: `{a}`, `a,b`, a lone `}`. */
function pairBraces(tokens: readonly Token[], refuse: Refuse): Token[] {
  const paired = [...tokens];
  const plain = (index: number, char: string): void => {
    const token = paired[index];
    if (token !== undefined) paired[index] = { kind: "char", code: char.charCodeAt(0), at: token.at };
  };
  const open: { at: number; commas: number }[] = [];
  for (const [i, token] of tokens.entries()) {
    const group = open.at(-1);
    if (token.kind === "open") {
      open.push({ at: i, commas: 0 });
      if (open.length > NESTING)
        throw refuse.error(
          "glob_too_nested",
          token.at,
          say`braces are nested more than ${NESTING} deep. Send several globs.`,
        );
    } else if (token.kind === "comma") {
      if (group === undefined) plain(i, ",");
      else group.commas++;
    } else if (token.kind === "close") {
      open.pop();
      if (group === undefined) plain(i, "}");
      else if (group.commas === 0) {
        refuseRange(tokens.slice(group.at + 1, i), tokens[group.at]?.at ?? 0, refuse);
        plain(group.at, "{");
        plain(i, "}");
      }
    }
  }
  const [unclosed] = open;
  if (unclosed !== undefined)
    throw refuse.error(
      "glob_open_brace",
      tokens[unclosed.at]?.at ?? 0,
      say`"{" is never closed. Add "}", or write \\{ for a plain brace.`,
    );
  return paired;
}

function refuseRange(inside: readonly Token[], at: number, refuse: Refuse): void {
  const text = inside
    .map((token) => (token.kind === "char" ? String.fromCodePoint(token.code) : " "))
    .join("");
  const dots = text.indexOf("..");
  if (dots > 0 && dots + 2 < text.length)
    throw refuse.error(
      "glob_brace_range",
      at,
      say`ranges in braces are not supported. List the choices, {1,2,3}, or use a class, [1-3].`,
    );
}

/** Takes the first group of a list and puts each of its choices in its place, until no group is left. */
function expand(tokens: readonly Token[], most: number, refuse: Refuse): (readonly Token[])[] {
  const done: (readonly Token[])[] = [];
  const todo: (readonly Token[])[] = [tokens];
  for (let list = todo.pop(); list !== undefined; list = todo.pop()) {
    const start = list.findIndex((token) => token.kind === "open");
    if (start < 0) {
      done.push(list);
      continue;
    }
    const choices: (readonly Token[])[] = [];
    let depth = 0;
    let from = start + 1;
    let i = start;
    for (; i < list.length; i++) {
      const kind = list[i]?.kind;
      if (kind === "open") depth++;
      else if (kind === "close") depth--;
      if (depth === 0 || (depth === 1 && kind === "comma")) {
        choices.push(list.slice(from, i));
        from = i + 1;
      }
      if (depth === 0) break;
    }
    if (done.length + todo.length + choices.length > most)
      throw refuse.error(
        "glob_too_many_alternatives",
        list[start]?.at ?? 0,
        say`the braces stand for more than ${most} patterns. Send several globs with fewer choices.`,
      );
    const head = list.slice(0, start);
    const tail = list.slice(i + 1);
    for (const choice of choices.reverse()) todo.push([...head, ...choice, ...tail]);
  }
  return done;
}

/** Splits tokens at slashes; duplicate slashes collapse as they do in a path. */
function toPattern(tokens: readonly Token[], refuse: Refuse): Pattern {
  const pattern: PatternSegment[] = [];
  const first = tokens[0];
  if (first?.kind === "slash")
    throw refuse.error(
      "glob_absolute",
      first.at,
      say`globs are relative: remove the leading slash. Those of agents and rules may begin with /workspace/.`,
    );
  let segment: Token[] = [];
  for (const token of tokens) {
    if (token.kind !== "slash") segment.push(token);
    else if (segment.length > 0) {
      pattern.push(toSegment(segment, refuse));
      segment = [];
    }
  }
  const last = tokens.at(-1);
  if (last?.kind === "slash")
    throw refuse.error(
      "glob_trailing_slash",
      last.at,
      say`a glob names files, so it cannot end with a slash. Add ** for everything inside.`,
    );
  if (segment.length > 0) pattern.push(toSegment(segment, refuse));
  // Two `**` in a row take what one takes.
  const short = pattern.filter((part, i) => part.kind !== "globstar" || pattern[i - 1]?.kind !== "globstar");
  // `a/**` matches `a` too, but `*/**` means "below some directory": there the last `**` takes at least one segment.
  if (short.at(-1)?.kind === "globstar" && endsWithStar(short.at(-2)))
    short.splice(-1, 0, { kind: "affixes", prefix: "", suffix: "" });
  return short;
}

function endsWithStar(part: PatternSegment | undefined): boolean {
  if (part?.kind === "affixes") return part.suffix === "";
  return part?.kind === "pieces" && part.pieces.at(-1)?.kind === "star";
}

function toSegment(tokens: readonly Token[], refuse: Refuse): PatternSegment {
  if (tokens.length > 1 && tokens.every((token) => token.kind === "star")) return { kind: "globstar" };
  // Two stars in a row take what one takes.
  const pieces = tokens.filter(
    (token, i) => token.kind !== "star" || tokens[i - 1]?.kind !== "star",
  ) as GlobPiece[];
  const first = pieces.findIndex((piece) => piece.kind !== "char");
  if (first < 0) {
    const literal = literalOf(pieces);
    if (literal === "." || literal === "..")
      throw refuse.error(
        "glob_dot_segment",
        tokens[0]?.at ?? 0,
        say`no path holds the segment ${echo(literal)}. Write the glob without it.`,
      );
    return { kind: "literal", text: literal };
  }
  const tail = pieces.slice(first + 1);
  if (pieces[first]?.kind === "star" && tail.every((piece) => piece.kind === "char"))
    return { kind: "affixes", prefix: literalOf(pieces.slice(0, first)), suffix: literalOf(tail) };
  return { kind: "pieces", pieces };
}

function literalOf(pieces: readonly GlobPiece[]): string {
  return pieces.map((piece) => (piece.kind === "char" ? String.fromCodePoint(piece.code) : "")).join("");
}
