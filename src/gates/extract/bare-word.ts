// Owns: what a word without quotes means as a value: a number, a literal, half of one, or just a word.

import { DOT, isDigit, MINUS, PLUS } from "./chars.ts";

export interface BareValue {
  readonly value: null | boolean | number;
  /** How JSON would have refused it, if it would. */
  readonly repair: "literal" | "number" | undefined;
}

const NOTHING: BareValue = { value: null, repair: "literal" };

/** Words by their usual spellings; any other spelling is looked for in lower case. */
const LITERALS: ReadonlyMap<string, BareValue> = new Map([
  ["true", { value: true, repair: undefined }],
  ["false", { value: false, repair: undefined }],
  ["null", { value: null, repair: undefined }],
  ["True", { value: true, repair: "literal" }],
  ["False", { value: false, repair: "literal" }],
  ["None", NOTHING],
  ["none", NOTHING],
  ["nan", NOTHING],
  ["infinity", NOTHING],
  ["-infinity", NOTHING],
  ["+infinity", NOTHING],
  ["undefined", NOTHING],
]);
const LONGEST_LITERAL = 9;

/** The number or literal that `word` spells, in any of the forms that are mended. */
export function readBareWord(word: string): BareValue | undefined {
  const first = word.charCodeAt(0);
  if (isDigit(first) || first === DOT || ((first === MINUS || first === PLUS) && word.length > 1)) {
    const number = readNumber(word);
    if (number !== undefined) return number;
  }
  if (word.length > LONGEST_LITERAL) return undefined;
  const known = LITERALS.get(word);
  if (known !== undefined) return known;
  const spelled = LITERALS.get(word.toLowerCase());
  return spelled === undefined ? undefined : { value: spelled.value, repair: "literal" };
}

/** What a word that the end of the text cut short was going to be: `tr` is true, `12.` is 12; undefined if unknown. */
export function completeBareWord(word: string): BareValue | undefined {
  const whole = readBareWord(word);
  if (whole !== undefined) return whole;
  const lower = word.length > LONGEST_LITERAL ? "" : word.toLowerCase();
  if (lower !== "" && lower !== "-" && lower !== "+")
    for (const [literal, { value }] of LITERALS)
      if (literal.startsWith(lower)) return { value, repair: "literal" };
  let end = word.length;
  while (end > 0 && "eE+-.".includes(word.charAt(end - 1))) end--;
  return end === 0 ? undefined : readNumber(word.slice(0, end));
}

/** Sign, digits with an optional point on either side, optional exponent; leading zeros allowed. */
function readNumber(word: string): BareValue | undefined {
  let i = 0;
  let odd = false;
  if (word.charCodeAt(i) === MINUS || word.charCodeAt(i) === PLUS) odd = word.charCodeAt(i++) === PLUS;
  const whole = i;
  while (isDigit(word.charCodeAt(i))) i++;
  let digits = i - whole;
  if (digits === 0 || (digits > 1 && word.charAt(whole) === "0")) odd = true;
  if (word.charCodeAt(i) === DOT) {
    const fraction = ++i;
    while (isDigit(word.charCodeAt(i))) i++;
    if (i === fraction) odd = true;
    digits += i - fraction;
  }
  if (digits === 0) return undefined;
  if (word.charAt(i) === "e" || word.charAt(i) === "E") {
    i++;
    if (word.charAt(i) === "+" || word.charAt(i) === "-") i++;
    const exponent = i;
    while (isDigit(word.charCodeAt(i))) i++;
    if (i === exponent) return undefined;
  }
  if (i !== word.length) return undefined;
  const value = Number(word);
  // JSON has no infinity: 1e999 is what JSON.parse makes of it, so it stays; JSON.stringify writes null.
  return { value, repair: odd ? "number" : undefined };
}
