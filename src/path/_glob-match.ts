// Owns: matching a compiled pattern against segments, without recursion.

/** One character position of a segment pattern. */
export type GlobPiece =
  | { readonly kind: "char"; readonly code: number }
  | { readonly kind: "any" }
  | { readonly kind: "star" }
  | { readonly kind: "class"; readonly negated: boolean; readonly ranges: readonly number[] };

/**
 * A segment: `**` for any number of whole ones, literal text, text around one star (the most common kind: `*.ts`), or
 * pieces.
 */
export type PatternSegment =
  | { readonly kind: "globstar" }
  | { readonly kind: "literal"; readonly text: string }
  | { readonly kind: "affixes"; readonly prefix: string; readonly suffix: string }
  | { readonly kind: "pieces"; readonly pieces: readonly GlobPiece[] };

export type Pattern = readonly PatternSegment[];

/** Counts comparisons, so that a test can hold the bound without a clock. */
export interface Meter {
  steps: number;
}

/**
 * Matches whole segments. After a mismatch only the last `**` is asked to take one segment more: an earlier one could
 * only give up what the last one can take as well. So no pair of pattern segment and path segment is compared twice.
 */
export function matchesSegments(pattern: Pattern, segments: readonly string[], meter: Meter): boolean {
  let p = 0;
  let s = 0;
  let afterStar = -1;
  let taken = 0;
  for (;;) {
    const part = pattern[p];
    if (part?.kind === "globstar") {
      afterStar = ++p;
      taken = s;
      continue;
    }
    const text = segments[s];
    if (part === undefined && text === undefined) return true;
    if (part !== undefined && text !== undefined && matchesSegment(part, text, meter)) {
      p++;
      s++;
      continue;
    }
    if (afterStar < 0 || taken >= segments.length) return false;
    p = afterStar;
    s = ++taken;
  }
}

/** Could segments be the leading ones of a longer match? */
export function matchesPrefix(pattern: Pattern, segments: readonly string[]): boolean {
  const meter: Meter = { steps: 0 };
  for (const [i, text] of segments.entries()) {
    const part = pattern[i];
    if (part?.kind === "globstar") return true;
    if (part === undefined || !matchesSegment(part, text, meter)) return false;
  }
  return pattern.length > segments.length;
}

function matchesSegment(part: PatternSegment, text: string, meter: Meter): boolean {
  meter.steps++;
  switch (part.kind) {
    case "globstar":
      return true;
    case "literal":
      return part.text === text;
    case "affixes": {
      const { prefix, suffix } = part;
      return text.length >= prefix.length + suffix.length && text.endsWith(suffix) && text.startsWith(prefix);
    }
    case "pieces":
      return matchesPieces(part.pieces, text, meter);
  }
}

/** The same game inside one segment, with `*` in the place of `**` and code points in the place of segments. */
function matchesPieces(pieces: readonly GlobPiece[], text: string, meter: Meter): boolean {
  let p = 0;
  let at = 0;
  let afterStar = -1;
  let taken = 0;
  for (;;) {
    meter.steps++;
    const piece = pieces[p];
    if (piece?.kind === "star") {
      afterStar = ++p;
      taken = at;
      continue;
    }
    if (at === text.length && p === pieces.length) return true;
    const code = text.codePointAt(at);
    if (code !== undefined && piece !== undefined && accepts(piece, code, meter)) {
      p++;
      at += code > 0xffff ? 2 : 1;
      continue;
    }
    if (afterStar < 0 || taken >= text.length) return false;
    p = afterStar;
    taken += (text.codePointAt(taken) ?? 0) > 0xffff ? 2 : 1;
    at = taken;
  }
}

function accepts(piece: GlobPiece, code: number, meter: Meter): boolean {
  if (piece.kind === "char") return piece.code === code;
  if (piece.kind !== "class") return true;
  const { ranges } = piece;
  for (let i = 0; i < ranges.length; i += 2) {
    meter.steps++;
    if (code >= (ranges[i] ?? 0) && code <= (ranges[i + 1] ?? 0)) return !piece.negated;
  }
  return piece.negated;
}
