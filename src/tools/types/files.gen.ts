// Written by `npm run tool-types:update` from the schemas of the tools: do not edit.

import type { CommonArguments } from "../call-types.ts";

/** The tools of the toolset `files`. */
export interface FilesTools {
  /** {@link ListDirectoryInput} to {@link ListDirectoryOutput}. */
  readonly list_directory: { readonly input: ListDirectoryInput; readonly output: ListDirectoryOutput };
  /** {@link ReadFileInput} to {@link ReadFileOutput}. */
  readonly read_file: { readonly input: ReadFileInput; readonly output: ReadFileOutput };
  /** {@link StatFileInput} to {@link StatFileOutput}. */
  readonly stat_file: { readonly input: StatFileInput; readonly output: StatFileOutput };
  /** {@link FindFilesInput} to {@link FindFilesOutput}. */
  readonly find_files: { readonly input: FindFilesInput; readonly output: FindFilesOutput };
  /** {@link SearchFilesInput} to {@link SearchFilesOutput}. */
  readonly search_files: { readonly input: SearchFilesInput; readonly output: SearchFilesOutput };
  /** {@link WriteFileInput} to {@link WriteFileOutput}. */
  readonly write_file: { readonly input: WriteFileInput; readonly output: WriteFileOutput };
  /** {@link EditFileInput} to {@link EditFileOutput}. */
  readonly edit_file: { readonly input: EditFileInput; readonly output: EditFileOutput };
  /** {@link ReplaceInFilesInput} to {@link ReplaceInFilesOutput}. */
  readonly replace_in_files: { readonly input: ReplaceInFilesInput; readonly output: ReplaceInFilesOutput };
  /** {@link MoveFileInput} to {@link MoveFileOutput}. */
  readonly move_file: { readonly input: MoveFileInput; readonly output: MoveFileOutput };
  /** {@link CopyFileInput} to {@link CopyFileOutput}. */
  readonly copy_file: { readonly input: CopyFileInput; readonly output: CopyFileOutput };
  /** {@link DeleteFileInput} to {@link DeleteFileOutput}. */
  readonly delete_file: { readonly input: DeleteFileInput; readonly output: DeleteFileOutput };
}

/** What `list_directory` takes. Lists files and directories below a directory, with size and version. */
export interface ListDirectoryInput {
  /** The whole workspace when left out */
  readonly path?: string | undefined;
  /** Levels to show, 1 when left out */
  readonly depth?: number | undefined;
  /** Characters */
  readonly budget?: number | undefined;
  /** From the last result */
  readonly cursor?: string | undefined;
}

/** What `list_directory` returns as `value`. */
export interface ListDirectoryOutput {
  /** The path */
  readonly path: string;
  /** Names of the directories */
  readonly directories: readonly string[];
  /** The files */
  readonly files: readonly {
    /** Its name */
    readonly name: string;
    /** How many bytes it has */
    readonly size_bytes: number;
    /** How often it has been written */
    readonly version: number;
    /** The text encoding; null for bytes */
    readonly encoding: string | null;
    /** When it last changed */
    readonly updated_at: string;
    /** The version; send it as expectedVersion */
    readonly token: string;
  }[];
  /** How many are not shown */
  readonly more?: number | undefined;
  /** Send this to go on; absent at the end */
  readonly cursor?: string | undefined;
}

/** What `read_file` takes. Reads text by lines (images as images, other bytes as base64), after a line with token, version and size. Long files come in pages, with a cursor. */
export interface ReadFileInput {
  /** The path */
  readonly path?: string | undefined;
  /** Up to 20 files instead of path */
  readonly paths?: readonly string[] | undefined;
  /** First line, from 1 */
  readonly offset?: number | undefined;
  /** Lines to read */
  readonly limit?: number | undefined;
  /** Numbers before the lines of the text */
  readonly line_numbers?: boolean | undefined;
  /** Characters */
  readonly budget?: number | undefined;
  /** From the last result */
  readonly cursor?: string | undefined;
}

/** What `read_file` returns as `value`. */
export interface ReadFileOutput {
  /** The path */
  readonly path?: string | undefined;
  /** The text encoding; null for bytes */
  readonly encoding?: string | null | undefined;
  /** How many bytes it has */
  readonly size_bytes?: number | undefined;
  /** How often it has been written */
  readonly version?: number | undefined;
  /** When it was created */
  readonly created_at?: string | undefined;
  /** When it last changed */
  readonly updated_at?: string | undefined;
  /** The version; send it as expectedVersion */
  readonly token?: string | undefined;
  /** The text */
  readonly content?: string | undefined;
  /** The bytes as base64, where they are no text */
  readonly content_base64?: string | undefined;
  /** What kind of image it is; absent for anything else */
  readonly mime_type?: string | undefined;
  /** The first line shown, from 1 */
  readonly first_line?: number | undefined;
  /** The last line shown */
  readonly last_line?: number | undefined;
  /** Lines of the whole file */
  readonly lines?: number | undefined;
  /** Which line endings it has */
  readonly endings?: "crlf" | "mixed" | undefined;
  /** Whether it begins with a byte order mark */
  readonly bom?: boolean | undefined;
  /** Bytes after what is shown */
  readonly bytes_left?: number | undefined;
  /** Lines after what is shown */
  readonly lines_left?: number | undefined;
  /** Send this to go on; absent at the end */
  readonly cursor?: string | undefined;
  /** The files */
  readonly files?: readonly {
    /** The path */
    readonly path: string;
    /** The text encoding; null for bytes */
    readonly encoding: string | null;
    /** How many bytes it has */
    readonly size_bytes: number;
    /** How often it has been written */
    readonly version: number;
    /** When it was created */
    readonly created_at: string;
    /** When it last changed */
    readonly updated_at: string;
    /** The version; send it as expectedVersion */
    readonly token: string;
    /** The text */
    readonly content?: string | undefined;
    /** The bytes as base64, where they are no text */
    readonly content_base64?: string | undefined;
    /** What kind of image it is; absent for anything else */
    readonly mime_type?: string | undefined;
    /** The first line shown, from 1 */
    readonly first_line?: number | undefined;
    /** The last line shown */
    readonly last_line?: number | undefined;
    /** Lines of the whole file */
    readonly lines?: number | undefined;
    /** Which line endings it has */
    readonly endings?: "crlf" | "mixed" | undefined;
    /** Whether it begins with a byte order mark */
    readonly bom?: boolean | undefined;
    /** Bytes after what is shown */
    readonly bytes_left: number;
    /** Lines after what is shown */
    readonly lines_left?: number | undefined;
    /** Send this to go on; absent at the end */
    readonly cursor?: string | undefined;
  }[] | undefined;
  /** Files that did not fit */
  readonly left_out?: readonly {
    /** The path */
    readonly path: string;
    /** How many bytes it has */
    readonly size_bytes: number;
  }[] | undefined;
  /** What could not be done, and why */
  readonly refused?: readonly {
    /** The path */
    readonly path: string;
    readonly message: string;
  }[] | undefined;
}

/** What `stat_file` takes. Size, lines, line endings, encoding, version, times, SHA-256 and token of a file; files and bytes of a directory. */
export interface StatFileInput {
  /** The path */
  readonly path: string;
}

/** What `stat_file` returns as `value`. */
export interface StatFileOutput {
  /** The path */
  readonly path: string;
  /** What it is */
  readonly kind: "file" | "directory";
  /** How many bytes it has */
  readonly size_bytes: number;
  /** The files */
  readonly files?: number | undefined;
  /** The text encoding; null for bytes */
  readonly encoding?: string | null | undefined;
  /** Whether it is marked as a program */
  readonly executable?: boolean | undefined;
  /** How often it has been written */
  readonly version?: number | undefined;
  /** When it was created */
  readonly created_at?: string | undefined;
  /** When it last changed */
  readonly updated_at?: string | undefined;
  /** The SHA-256 of its bytes */
  readonly sha256?: string | undefined;
  /** Lines of the whole file */
  readonly lines?: number | undefined;
  /** Which line endings it has */
  readonly endings?: "lf" | "crlf" | "mixed" | "none" | undefined;
  /** Whether the last line has an ending */
  readonly final_newline?: boolean | undefined;
  /** Whether it begins with a byte order mark */
  readonly bom?: boolean | undefined;
  /** The version; send it as expectedVersion */
  readonly token?: string | undefined;
}

/** What `find_files` takes. Lists files whose path matches a glob (* ? ** [a-z] {a,b}), with sizes. */
export interface FindFilesInput {
  /** *.ts: names in any directory; src/**: paths from the workspace */
  readonly glob: string;
  /** Characters */
  readonly budget?: number | undefined;
  /** From the last result */
  readonly cursor?: string | undefined;
}

/** What `find_files` returns as `value`. */
export interface FindFilesOutput {
  /** The files */
  readonly files: readonly {
    /** The path */
    readonly path: string;
    /** How many bytes it has */
    readonly size_bytes: number;
    /** How often it has been written */
    readonly version: number;
    /** The version; send it as expectedVersion */
    readonly token: string;
  }[];
  /** How many there are in all */
  readonly total: number;
  /** How many are not shown */
  readonly more?: number | undefined;
  /** Send this to go on; absent at the end */
  readonly cursor?: string | undefined;
}

/** What `search_files` takes. Finds lines that hold a text or match a regex, as path:line: text. */
export interface SearchFilesInput {
  /** The text or pattern to look for */
  readonly pattern: string;
  /** pattern is RE2, matched line by line; else literal */
  readonly regex?: boolean | undefined;
  /** Whether letters match in either case */
  readonly ignore_case?: boolean | undefined;
  /** Whether only whole words match */
  readonly whole_word?: boolean | undefined;
  /** File or directory to look in */
  readonly path?: string | undefined;
  /** Globs, such as *.ts or src/** */
  readonly include?: string | readonly string[] | undefined;
  /** Globs of files to leave out */
  readonly exclude?: string | readonly string[] | undefined;
  /** Lines to show around each hit */
  readonly context?: number | undefined;
  /** Characters */
  readonly budget?: number | undefined;
  /** From the last result */
  readonly cursor?: string | undefined;
}

/** What `search_files` returns as `value`. */
export interface SearchFilesOutput {
  /** The lines that match */
  readonly hits: readonly {
    /** The path */
    readonly path: string;
    readonly line: number;
    readonly column: number;
    readonly text: string;
    /** Send this to get older ones */
    readonly before?: readonly string[] | undefined;
    readonly after?: readonly string[] | undefined;
  }[];
  /** How many files were looked at */
  readonly searched: number;
  /** The files */
  readonly files: number;
  /** How many files are no text and were not searched */
  readonly binary: number;
  /** Files whose stored bytes are missing or damaged and which were not searched: the first twenty */
  readonly damaged?: readonly string[] | undefined;
  /** Why the search ended before all was looked at */
  readonly partial?: "time" | "budget" | undefined;
  /** Send this to go on; absent at the end */
  readonly cursor?: string | undefined;
}

/** What `write_file` takes. Creates a file with its directories, overwrites one, or appends to one. For changes in a file use edit_file. */
export interface WriteFileInput extends CommonArguments {
  /** Such as /workspace/src/a.txt */
  readonly path: string;
  /** Text */
  readonly content?: string | undefined;
  /** Bytes, instead of content */
  readonly content_base64?: string | undefined;
  /** create refuses an existing file; upsert creates or overwrites */
  readonly mode?: "create" | "overwrite" | "append" | "upsert" | undefined;
  /** A hint: utf-8, binary, ... */
  readonly encoding?: string | undefined;
}

/** What `write_file` returns as `value`. */
export interface WriteFileOutput {
  /** The path */
  readonly path: string;
  /** How it is done */
  readonly mode: "create" | "overwrite" | "append" | "upsert";
  /** What was made */
  readonly created: boolean;
  /** How often it has been written */
  readonly version: number;
  /** How many bytes it has */
  readonly size_bytes: number;
  /** The text encoding; null for bytes */
  readonly encoding: string | null;
  /** The change as a unified diff; empty when nothing changed */
  readonly hunk?: string | undefined;
  /** The version; send it as expectedVersion */
  readonly token?: string | undefined;
}

/** What `edit_file` takes. Replaces exact text that occurs once in a file (or all, with replace_all), all edits or none. Line endings are kept; a line break matches LF or CRLF. */
export interface EditFileInput extends CommonArguments {
  /** The path */
  readonly path: string;
  /** In order, each on the result of the one before */
  readonly edits: readonly {
    /** Exact text of the file, without line numbers */
    readonly old_text: string;
    readonly new_text: string;
    /** Every match, not exactly one */
    readonly replace_all?: boolean | undefined;
  }[];
  /** Apply beside what others changed since */
  readonly onConflict?: "rebase" | undefined;
}

/** What `edit_file` returns as `value`. */
export interface EditFileOutput {
  /** The path */
  readonly path: string;
  /** How often it has been written */
  readonly version: number;
  /** How many bytes it has */
  readonly size_bytes: number;
  /** How many places were replaced */
  readonly replaced: number;
  /** The change as a unified diff; empty when nothing changed */
  readonly hunk: string;
  /** The version; send it as expectedVersion */
  readonly token?: string | undefined;
}

/** What `replace_in_files` takes. Replaces a text or regex in every file that include and exclude let pass, as one commit. Send dryRun first to see the hunks. */
export interface ReplaceInFilesInput extends CommonArguments {
  /** The text or pattern to look for */
  readonly pattern: string;
  /** pattern is RE2, matched line by line; else literal */
  readonly regex?: boolean | undefined;
  /** Whether letters match in either case */
  readonly ignore_case?: boolean | undefined;
  /** Whether only whole words match */
  readonly whole_word?: boolean | undefined;
  /** With regex: $1, ${name} and $0 stand for groups, $$ for $ */
  readonly replacement: string;
  /** File or directory to look in */
  readonly path?: string | undefined;
  /** Globs, such as *.ts or src/** */
  readonly include?: string | readonly string[] | undefined;
  /** Globs of files to leave out */
  readonly exclude?: string | readonly string[] | undefined;
}

/** What `replace_in_files` returns as `value`. */
export interface ReplaceInFilesOutput {
  /** The files */
  readonly files: readonly {
    /** The path */
    readonly path: string;
    /** How many places were replaced */
    readonly replaced: number;
    /** How often it has been written */
    readonly version: number;
    /** The change as a unified diff; empty when nothing changed */
    readonly hunk: string;
  }[];
  /** How many places were replaced */
  readonly replaced: number;
  /** The version; send it as expectedVersion */
  readonly token?: string | undefined;
}

/** What `move_file` takes. Moves or renames a file or directory. Never overwrites; history and blame follow it. */
export interface MoveFileInput extends CommonArguments {
  /** Where it was */
  readonly source: string;
  /** Its whole new path */
  readonly destination: string;
}

/** What `move_file` returns as `value`. */
export interface MoveFileOutput {
  /** Where it was */
  readonly source: string;
  /** Where it is now */
  readonly destination: string;
  /** The files */
  readonly files: number;
  /** Whether it is a directory with all it holds */
  readonly is_directory: boolean;
  /** How often it has been written */
  readonly version?: number | undefined;
  /** How many bytes it has */
  readonly size_bytes?: number | undefined;
  /** The version; send it as expectedVersion */
  readonly token?: string | undefined;
}

/** What `copy_file` takes. Copies a file or directory. Never overwrites. */
export interface CopyFileInput extends CommonArguments {
  /** Where it was */
  readonly source: string;
  /** Its whole new path */
  readonly destination: string;
}

/** What `copy_file` returns as `value`. */
export interface CopyFileOutput {
  /** Where it was */
  readonly source: string;
  /** Where it is now */
  readonly destination: string;
  /** The files */
  readonly files: number;
  /** Whether it is a directory with all it holds */
  readonly is_directory: boolean;
  /** How often it has been written */
  readonly version?: number | undefined;
  /** How many bytes it has */
  readonly size_bytes?: number | undefined;
  /** The version; send it as expectedVersion */
  readonly token?: string | undefined;
}

/** What `delete_file` takes. Deletes a file, or a directory with all its files. Can be undone. */
export interface DeleteFileInput extends CommonArguments {
  /** The path */
  readonly path: string;
  /** Do nothing when it does not exist */
  readonly allow_missing?: boolean | undefined;
}

/** What `delete_file` returns as `value`. */
export interface DeleteFileOutput {
  /** The path */
  readonly path: string;
  /** How many files were deleted */
  readonly deleted: number;
  /** Whether it is a directory with all it holds */
  readonly is_directory: boolean;
  /** How often it has been written */
  readonly version?: number | undefined;
  /** The version; send it as expectedVersion */
  readonly token?: string | undefined;
}
