// Owns: what a hunk is. Holds types only.

/** One line of a hunk. */
export interface HunkLine {
  /** Unchanged, removed or added. */
  readonly kind: " " | "-" | "+";
  /** The line with its ending, or the part of it that is shown. */
  readonly bytes: Uint8Array;
  /** Is the line longer than what is shown, on either side? */
  readonly cutBefore: boolean;
  /** The line is longer than what is shown. */
  readonly cutAfter: boolean;
}

/** Lines next to each other that changed, with the unchanged lines around them. */
export interface Hunk {
  /** The first line shown, from 1; where a side has no lines, the line before which they would be. */
  readonly oldStart: number;
  /** Lines of the old text it covers. */
  readonly oldLines: number;
  /** Its first line in the new text, counted from 1. */
  readonly newStart: number;
  /** Lines of the new text it covers. */
  readonly newLines: number;
  /** Its lines: context, removed, added. */
  readonly lines: readonly HunkLine[];
  /** Lines of the hunk that the budget left out. */
  readonly leftOut: number;
}

/** The hunks of an edit, and what was left out of them. */
export interface HunkList {
  /** The hunks, in order. */
  readonly hunks: readonly Hunk[];
  /** All removed and added lines, those left out included. */
  readonly removed: number;
  /** Lines added in all. */
  readonly added: number;
  /** Hunks that the budget left out as a whole. */
  readonly leftOut: number;
  /** True when nothing is cut or left out: applying the hunks gives the result. */
  readonly exact: boolean;
}
