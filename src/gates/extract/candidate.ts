// Owns: what was found in a text and may be the answer.

import type { Mended } from "./mended.ts";

/** An object (or, if anything is wanted, an array or scalar) found in the text. */
export interface JsonCandidate {
  readonly start: number;
  readonly end: number;
  readonly fenced: boolean;
  /** Undefined for a strict one, whose value is parsed only when it is asked for. */
  readonly mended: Mended | undefined;
  /** It comes after the place where an object around it was cut off. */
  readonly contained: boolean;
  /** Its closers were seen after the place where it was cut off: the text is whole, but cannot be read. */
  unreadable: boolean;
  /** A string that holds JSON: still to be decoded. */
  readonly encoded: boolean;
}
