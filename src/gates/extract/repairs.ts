// Owns: what a repair is, and the bounded list of them.

/** What was mended; each kind is a rule of docs/spec/gates.md. */
export type RepairKind =
  | "extra_comma"
  | "missing_comma"
  | "colon"
  | "punctuation"
  | "quotes"
  | "unquoted_key"
  | "comment"
  | "literal"
  | "number"
  | "inner_quote"
  | "control_character"
  | "escape"
  | "ellipsis"
  | "joined_strings"
  | "tuple"
  | "triple_quotes"
  | "double_encoded"
  | "html_escapes"
  | "bare_word"
  | "missing_closer"
  | "missing_opener"
  | "stray_closer"
  | "missing_quote"
  | "missing_value"
  | "dropped_text"
  | "blank"
  | "truncated";

/** One repair: what was mended and where, as an offset in the text. */
export interface Repair {
  /** What was mended. */
  readonly kind: RepairKind;
  /** Where, in characters of the text. */
  readonly at: number;
}

const LISTED = 100;

/** Lists the first hundred repairs and counts all. */
export class RepairLog {
  readonly list: Repair[] = [];
  count = 0;

  add(kind: RepairKind, at: number): void {
    this.count++;
    if (this.list.length < LISTED) this.list.push(Object.freeze({ kind, at }));
  }
}

const SENTENCES: { readonly [K in RepairKind]: string } = {
  extra_comma: "dropped an extra comma",
  missing_comma: "supplied a missing comma",
  colon: "mended a colon",
  punctuation: "read a semicolon or full-width punctuation as its JSON kin",
  quotes: "read other quotes as double quotes",
  unquoted_key: "quoted a key",
  comment: "dropped a comment",
  literal: "read a literal that JSON does not know",
  number: "read a number in a form that JSON does not know",
  inner_quote: "kept an unescaped quote inside a string",
  control_character: "kept a raw line break or control character inside a string",
  escape: "kept the backslash of an unknown escape",
  ellipsis: "dropped an ellipsis",
  joined_strings: "joined adjacent strings",
  tuple: "read a tuple as an array",
  triple_quotes: "read a triple-quoted string",
  double_encoded: "decoded JSON that was encoded twice",
  html_escapes: "decoded quotes that were escaped as HTML",
  bare_word: "quoted a bare word",
  missing_opener: "supplied the missing opening brace",
  missing_closer: "supplied a missing bracket or brace",
  stray_closer: "dropped a stray bracket or brace",
  missing_quote: "supplied a missing quote",
  missing_value: "read a missing value as null",
  dropped_text: "dropped text that is not JSON",
  blank: "read an unusual blank as a space",
  truncated: "closed what was still open where the text broke off",
};

/**
 * A repair as a sentence for a person. Never throws.
 *
 * @example describeRepair({ kind: "quotes", at: 1 }); // "read other quotes as double quotes (at character 2)"
 */
export function describeRepair(repair: Repair): string {
  return `${SENTENCES[repair.kind]} (at character ${repair.at + 1})`;
}
