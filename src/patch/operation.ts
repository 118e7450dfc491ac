// Owns: what a patch is once it has been read: operations, and the files named beside them. Types and their names only.

import type { Shown } from "../errors.ts";
import type { WorkspacePath } from "../path/index.ts";

/** What a patch can do with a line. */
export type OperationName = "replace" | "insert" | "delete";

/** The line ending an operation asks for: LF, CRLF, or none at the end of the file. */
export type Eol = "lf" | "crlf" | "none";

/** One change of one file. The same shape is read from JSON and written to it. */
export interface Operation {
  /** The file as the patch spells it. */
  readonly file: string;
  /** A line of the original file, from 1. */
  readonly line: number;
  /** What to do with the line. */
  readonly op: OperationName;
  /** The text that the line must hold. */
  readonly old?: string;
  /** The line to write, without its ending; absent in a delete. */
  readonly new?: string;
  /** The line ending of what is written; the file's own when left out. */
  readonly eol?: Eol;
}

/** A patch that has been read and found well formed. Plain frozen data; the paths have passed the path rules. */
export interface Patch {
  /** What to do, in any order: lines are counted in the file before the patch. */
  readonly operations: readonly Operation[];
  /** Files to be created empty. */
  readonly created: readonly string[];
  /** Files to be removed; the operations leave them empty. */
  readonly removed: readonly string[];
  /** File to the version token its line numbers were read from. */
  readonly base: ReadonlyMap<string, string>;
}

/** Something odd that changes nothing, such as an unknown field. */
export interface PatchWarning {
  /** Index of the operation; absent for the envelope. */
  readonly index?: number;
  /** Where in the patch. */
  readonly field: Shown;
  /** What is odd. */
  readonly message: Shown;
}

/** A patch as read, with the canonical path of every file it names. */
export interface ParsedPatch extends Patch {
  /** Spelling to path. Two spellings of one path are one file. */
  readonly paths: ReadonlyMap<string, WorkspacePath>;
  /** What is odd but does no harm. */
  readonly warnings: readonly PatchWarning[];
  /** Warnings beyond the listed ones. */
  readonly moreWarnings: number;
}

/** Why a patch cannot be read, or an operation cannot be applied. Reasons of the path rules come on top. */
export type PatchReason =
  | "invalid_patch"
  | "missing_field"
  | "invalid_operation"
  | "invalid_line"
  | "too_large"
  | "old_mismatch"
  | "out_of_range"
  | "line_already_deleted"
  | "binary"
  | "stale_base"
  | "case_clash"
  | "file_above"
  | "is_directory"
  | "file_exists";
