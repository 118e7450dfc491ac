// Owns: how an expected text differs from the one that was found, in words that help to correct it.

import type { Shown } from "../errors.ts";

/** What is different, when it is one thing only; `text` when it is more than that. */
export type Difference =
  | "trailing blanks"
  | "no-break spaces"
  | "blanks"
  | "look-alike characters"
  | "letter case"
  | "line number"
  | "diff marker"
  | "text";

/** How two texts that are not equal differ. Cost: linear. */
export function differenceOf(expected: string, found: string): Difference {
  if (plainSpaces(expected) === plainSpaces(found)) return "no-break spaces";
  if (expected.trimEnd() === found.trimEnd()) return "trailing blanks";
  if (hasLineNumber(expected, found)) return "line number";
  if (/^[-+ ]/.test(expected) && expected.slice(1) === found) return "diff marker";
  const a = collapse(expected);
  const b = collapse(found);
  if (a === b) return "blanks";
  const plainA = collapse(plain(expected));
  const plainB = collapse(plain(found));
  if (plainA === plainB) return "look-alike characters";
  return plainA.toLowerCase() === plainB.toLowerCase() ? "letter case" : "text";
}

/** Spaces that look like the plain one but are not. */
const ODD_SPACES = /[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/g;

function plainSpaces(text: string): string {
  return text.replace(ODD_SPACES, " ");
}

/** Quoted text in which a space that is not the plain one can be seen. */
export function showOddSpaces(quoted: Shown): Shown {
  return quoted.replace(ODD_SPACES, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`) as Shown;
}

/** Runs of blanks become one, blanks at both ends none. */
function collapse(text: string): string {
  return text.trim().replace(/\s+/g, " ");
}

/** Typographic characters that models and word processors put in the place of plain ones. */
const LOOK_ALIKES: ReadonlyMap<string, string> = new Map(
  [
    ["'", "\u2018\u2019\u201a\u201b\u2032\u00b4"],
    ['"', "\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb"],
    ["-", "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u00ad"],
    ["", "\u200b\u200c\u200d\u2060\ufeff"],
  ].flatMap(([simple = "", fancy = ""]) => Array.from(fancy, (c) => [c, simple] as const)),
);

function plain(text: string): string {
  return text.normalize("NFKC").replace(/[^\u0020-\u007e]/g, (c) => LOOK_ALIKES.get(c) ?? c);
}

/** Listings show `12: text`, `12| text`, `12\ttext`; a copy of that is not the text. */
function hasLineNumber(expected: string, found: string): boolean {
  const head = /^[ \t]{0,10}[0-9]{1,10}[ ]{0,4}(?:[:|]|\t|\u2192)/.exec(expected.slice(0, 40));
  if (head === null) return false;
  const rest = expected.slice(head[0].length);
  return rest === found || rest === ` ${found}`;
}
