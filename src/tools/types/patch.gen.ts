// Written by `npm run tool-types:update` from the schemas of the tools: do not edit.

import type { CommonArguments } from "../call-types.ts";

/** The tools of the toolset `patch`. */
export interface PatchTools {
  /** {@link CheckPatchInput} to {@link CheckPatchOutput}. */
  readonly check_patch: { readonly input: CheckPatchInput; readonly output: CheckPatchOutput };
  /** {@link ApplyPatchInput} to {@link ApplyPatchOutput}. */
  readonly apply_patch: { readonly input: ApplyPatchInput; readonly output: ApplyPatchOutput };
  /** {@link CreatePatchInput} to {@link CreatePatchOutput}. */
  readonly create_patch: { readonly input: CreatePatchInput; readonly output: CreatePatchOutput };
}

/** What `check_patch` takes. Shows what apply_patch would change, as hunks, or every operation that does not fit and what to send instead. */
export interface CheckPatchInput {
  /** Operations; or as text: their JSON, a unified diff, V4A, SEARCH/REPLACE blocks, or whole files in fences under their paths; or {operations, created, removed, base} with files to create empty, to remove, and tokens */
  readonly patch: readonly {
    readonly file: string;
    /** Line of the original file, from 1; insert puts text before it */
    readonly line: number;
    readonly op: "replace" | "insert" | "delete";
    /** replace, delete: the exact text of the line, as a check */
    readonly old?: string | undefined;
    /** replace, insert: the new text, one line or several */
    readonly new?: string | undefined;
  }[] | string | object;
  /** offset: lines are counted as the operations shift them */
  readonly numbering?: "original" | "offset" | undefined;
  /** Characters */
  readonly budget?: number | undefined;
}

/** What `check_patch` returns as `value`. */
export interface CheckPatchOutput {
  /** Whether the patch applies as it is */
  readonly applies: boolean;
  /** The files */
  readonly files: readonly {
    /** The path */
    readonly path: string;
    readonly status: string;
    /** What came */
    readonly added: number;
    /** What went */
    readonly removed: number;
    /** How often it has been written */
    readonly version?: number | undefined;
  }[];
  /** Why it does not apply; bounded */
  readonly conflicts: readonly {
    readonly index?: number | undefined;
    /** The path */
    readonly path: string;
    readonly line?: number | undefined;
    /** Why */
    readonly reason: string;
    readonly message: string;
  }[];
  /** How many conflicts there are */
  readonly conflict_count: number;
  /** How many are shown */
  readonly shown: string;
}

/** What `apply_patch` takes. Applies line changes to files, all or nothing. old must equal the line; a conflict says which operations to resend and with what. */
export interface ApplyPatchInput extends CommonArguments {
  /** Operations; or as text: their JSON, a unified diff, V4A, SEARCH/REPLACE blocks, or whole files in fences under their paths; or {operations, created, removed, base} with files to create empty, to remove, and tokens */
  readonly patch: readonly {
    readonly file: string;
    /** Line of the original file, from 1; insert puts text before it */
    readonly line: number;
    readonly op: "replace" | "insert" | "delete";
    /** replace, delete: the exact text of the line, as a check */
    readonly old?: string | undefined;
    /** replace, insert: the new text, one line or several */
    readonly new?: string | undefined;
  }[] | string | object;
  /** offset: lines are counted as the operations shift them */
  readonly numbering?: "original" | "offset" | undefined;
  /** Apply beside what others changed since */
  readonly onConflict?: "rebase" | undefined;
}

/** What `apply_patch` returns as `value`. */
export interface ApplyPatchOutput {
  /** The files */
  readonly files: readonly {
    /** The path */
    readonly path: string;
    readonly status: string;
    /** What came */
    readonly added: number;
    /** What went */
    readonly removed: number;
    /** How often it has been written */
    readonly version?: number | undefined;
  }[];
  /** What was done, in a line */
  readonly summary: string;
  /** The version; send it as expectedVersion */
  readonly token?: string | undefined;
}

/** What `create_patch` takes. Makes the patch between two places in history: minimal line changes that apply_patch takes, or a unified diff. */
export interface CreatePatchInput {
  /** Where to begin: a token, a snapshot's id or a record's number */
  readonly from: string | number;
  /** Where to end; now when left out */
  readonly to?: string | number | undefined;
  /** Only this file or directory */
  readonly path?: string | undefined;
  /** The form of the content */
  readonly format?: "ndpatch" | "unified" | undefined;
  /** Characters */
  readonly budget?: number | undefined;
  /** From the last result */
  readonly cursor?: string | undefined;
}

/** What `create_patch` returns as `value`. */
export interface CreatePatchOutput {
  /** The form of the content */
  readonly format: "ndpatch" | "unified";
  /** The patch */
  readonly patch: string;
  /** The files */
  readonly files: readonly string[];
  /** How many operations it has */
  readonly operations: number;
  /** What was left as it is */
  readonly skipped: readonly {
    /** The path */
    readonly path: string;
    /** Why */
    readonly reason: string;
  }[];
  /** How many are not shown */
  readonly more?: number | undefined;
  /** Send this to go on; absent at the end */
  readonly cursor?: string | undefined;
}
