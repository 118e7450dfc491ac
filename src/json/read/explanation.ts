// Owns: what an explanation of a broken document is made from, and what it says.

import type { Shown } from "../../errors.ts";
import type { Inside } from "../scan/js-validation.ts";
import type { Mode, Scanner } from "../scan/scanner.ts";
import type { Levels } from "./levels.ts";

/** What is wrong at the first place where a document is not JSON. */
export type FaultReason =
  | "empty"
  | "wrong_encoding"
  | "byte_order_mark"
  | "truncated"
  | "unclosed_string"
  | "unclosed_comment"
  | "extra_data"
  | "several_documents"
  | "comment"
  | "single_quotes"
  | "smart_quotes"
  | "strange_blank"
  | "unquoted_key"
  | "missing_comma"
  | "trailing_comma"
  | "extra_comma"
  | "missing_colon"
  | "missing_value"
  | "wrong_bracket"
  | "wrong_separator"
  | "bad_number"
  | "bad_word"
  | "bad_escape"
  | "control_character"
  | "invalid_utf8"
  | "too_deep"
  | "unexpected";

/** What the explainer knows about the place. */
export interface Broken {
  readonly scanner: Scanner;
  readonly mode: Mode;
  readonly at: number;
  readonly state: number;
  readonly inside: Inside;
  readonly tokenAt: number;
  readonly tooDeep: boolean;
  readonly levels: Levels;
}

export interface Explanation {
  readonly reason: FaultReason;
  /** What could be there. */
  readonly expected: Shown;
  /** What is. */
  readonly found: Shown;
  readonly hint?: Shown;
  /** Another place that belongs to the mistake, and what is there: `%` stands for its line and column. */
  readonly related?: { readonly at: number; readonly what: Shown };
}
