// Owns: what can be done with the files of one state, by tools and by the host: the words, no work.
// Must never: show a caller extents, blobs or keys.

import type { HoldfastError, Shown } from "../../errors.ts";
import type { WorkspacePath } from "../../path/index.ts";
import type { FileContent } from "../../text/encoding.ts";
import type { ByteSource, HunkList, Splice } from "../../text/index.ts";
import type { WriteOptions } from "./file-bytes.ts";
import type { FileEntry, Obstacle } from "./file-state.ts";
import type { PathPermission } from "./path-rules.ts";

/** A file as one state has it. */
export interface FileInfo {
  /** Where it is. */
  readonly path: WorkspacePath;
  /** `utf-8`, `binary`, another hint, or null when unknown. */
  readonly encoding: string | null;
  /** Whether it may be run. */
  readonly executable: boolean;
  /** How many bytes it has. */
  readonly size_bytes: number;
  /** Counts the changes at this path, from 1. */
  readonly version: number;
  /** When it was created. */
  readonly created_at: Date;
  /** When it last changed. */
  readonly updated_at: Date;
  /** What `expectedVersion` takes. Absent for a file that the running call itself has changed: its token comes with the commit. */
  readonly token?: Shown;
}

/** One name in a directory: a file, or a directory when it has none. */
export interface DirectoryEntry {
  /** Its name in the directory. */
  readonly name: string;
  /** The file; absent for a directory. */
  readonly file?: FileInfo;
}

/**
 * Reading the files of one state. What is read is noted, so that a commit can tell whether it has changed since. Every method throws
 * `invalid_argument` for a text that is not a path in canonical form, as `ctx.path` makes it, and for an argument or option of the
 * wrong kind; every one but {@link ReadonlyFiles.permission} throws `forbidden` / `path_denied` for a path that a rule of the host hides,
 * whether or not a file is there.
 */
export interface ReadonlyFiles {
  /**
   * What the caller may do at a path: the one decision of the host's rules. A hidden file is not listed, found or opened.
   *
   * @example if (!files.permission(path).write) return undefined;
   */
  permission(path: WorkspacePath): PathPermission;
  /**
   * The file at a path; undefined where there is none, or a directory. Reads no content.
   *
   * @example const isNew = (await files.stat(path)) === undefined;
   */
  stat(path: WorkspacePath): Promise<FileInfo | undefined>;
  /**
   * Whether there are files below the path. The workspace itself is one always.
   *
   * @example await files.isDirectory(ctx.path("src", "any"))
   */
  isDirectory(path: WorkspacePath): Promise<boolean>;
  /**
   * What is in the way of creating all of `paths`, in this order, once the files at `removed` are gone: a file or a directory
   * at the path, a file above it, or a name that differs only in case. Where nothing is, {@link Files.create} succeeds. A hidden file
   * that is in the way is not named.
   *
   * @example const [first] = await files.obstacles([to], [from]); // first?.message says what is in the way
   */
  obstacles(paths: readonly WorkspacePath[], removed: readonly WorkspacePath[]): Promise<Obstacle[]>;
  /**
   * What lies right below a directory, in order, after the name `after`. Nothing for a path that is no directory. Costs what is taken
   * from it.
   *
   * @example for (const { name, file } of await files.list(directory)) names.push(file === undefined ? `${name}/` : name);
   */
  list(directory: WorkspacePath, after?: string): Promise<Iterable<DirectoryEntry>>;
  /**
   * All files below a directory that the caller may see, at any depth, in order; `after` is the last one already seen. Nothing for a
   * path that is no directory. Costs what is taken from it.
   *
   * @example for (const { path, size_bytes } of await files.under(directory)) total += size_bytes;
   */
  under(directory: WorkspacePath, after?: WorkspacePath): Promise<Iterable<FileInfo>>;
  /**
   * The same for a call on a whole directory, as a list. Throws `forbidden` / `path_denied` when a rule keeps the caller from one of
   * them, without naming a hidden one.
   *
   * @example for (const { path } of await files.subtree(directory, "write")) await files.remove(path);
   */
  subtree(directory: WorkspacePath, access: "read" | "write"): Promise<FileInfo[]>;
  /**
   * A file's bytes, readable until the call ends; only what is read of them is loaded. Throws `not_found` / `no_such_file`,
   * `invalid_argument` / `is_directory`, and `internal` / `blob_lost` where stored bytes are damaged. With `write`, for a caller that
   * will change the file, also `forbidden` / `path_denied` before anything is said of its content.
   *
   * @example const { lines } = lineIndex(await files.open(path));
   */
  open(path: WorkspacePath, access?: "read" | "write"): Promise<ByteSource>;
  /**
   * The same for the time that `use` takes: for calls that look at many files.
   *
   * @example const size = await files.openFor(path, async (source) => source.size);
   */
  openFor<T>(path: WorkspacePath, use: (source: ByteSource) => Promise<T>): Promise<T>;
  /**
   * The bytes of several files, one after the other, for the time that `use` takes: small files that lie together are then read
   * together. Throws `internal` / `blob_lost`, without saying which, when one of them is damaged.
   *
   * @example const total = await files.openTogether([...(await files.under(directory))], (source) => source.size);
   */
  openTogether<T>(files: readonly FileInfo[], use: (source: ByteSource) => T | Promise<T>): Promise<T>;
  /**
   * A whole file in memory. Use {@link open} for files that may be large. Throws as {@link open} does.
   *
   * @example const text = new TextDecoder().decode(await files.read(path));
   */
  read(path: WorkspacePath): Promise<Uint8Array>;
}

/** From where to where a file goes. */
export interface FileMove {
  /** Where it is. */
  readonly from: WorkspacePath;
  /** Its whole new path. */
  readonly to: WorkspacePath;
}

/** How much {@link Files.hunks} shows. */
export interface HunkBounds {
  /** Unchanged lines on each side: 3 unless said. */
  readonly context?: number;
  /** Bytes in all: 8,000 unless said. */
  readonly budget?: number;
  /** Bytes of one line: 1,000 unless said. */
  readonly lineLength?: number;
  /** Knows the lines of the text before the change; without it they are counted. */
  readonly lines?: { lineAt(offset: number): number };
}

/**
 * Changing files: later reads of the same call see it, everybody else when the call is committed. Nothing is written when the
 * call fails. Every method but {@link Files.hunks} throws `forbidden` / `path_denied` for a path that a rule of the host closes to
 * the caller, and those that make a file larger throw `invalid_argument` / `file_too_large` beyond the limit `fileBytes`.
 */
export interface Files extends ReadonlyFiles {
  /**
   * Makes a file, with the directories above it. Throws `conflict` / `file_exists` or `is_directory` when something is there, `file_above`
   * when a file is above it, `case_clash` when a name differs only in case; and `invalid_argument` / `not_unicode` for text with half a
   * surrogate pair.
   *
   * @example await files.create(ctx.path("docs/notes.md", "file"), "# Notes\n");
   */
  create(path: WorkspacePath, content: FileContent, options?: WriteOptions): Promise<FileInfo>;
  /**
   * Gives a file other content; in texts of moderate size, lines that stay keep their origin for undo and blame. Throws `not_found` / `no_such_file`, and
   * `invalid_argument` / `not_utf8` for bytes that are not in the `encoding` named.
   *
   * @example await files.replace(path, text.toUpperCase());
   */
  replace(path: WorkspacePath, content: FileContent, options?: WriteOptions): Promise<FileInfo>;
  /**
   * Changes parts of a file: the splices are sorted, do not overlap and count the bytes it has now. Costs what is inserted,
   * whatever the size of the file. Throws `invalid_argument` / `not_utf8` when bytes that are not UTF-8 would go into a file
   * that is, unless `encoding` says what it becomes, or when others than ASCII would go into a file of another encoding, unless
   * `encoding` says that they are in it; `not_found` / `no_such_file`; and `RangeError` for splices out of order or bounds.
   *
   * @example await files.splice(path, [{ at: 0, remove: 3, insert: new TextEncoder().encode("ONE") }]);
   */
  splice(path: WorkspacePath, splices: readonly Splice[], options?: WriteOptions): Promise<FileInfo>;
  /**
   * Adds to the end of a file, otherwise like {@link splice}: it costs what is added, and throws `not_found` / `no_such_file`.
   *
   * @example await files.append(path, "- [ ] one more\n");
   */
  append(path: WorkspacePath, content: FileContent, options?: WriteOptions): Promise<FileInfo>;
  /**
   * The file gets another path and stays the same file: history, undo and blame follow it. No byte is copied. Throws `not_found` /
   * `no_such_file` for `from`, and as {@link create} does for `to`.
   *
   * @example await files.move(path, ctx.path("archive/notes.md", "file"));
   */
  move(from: WorkspacePath, to: WorkspacePath): Promise<FileInfo>;
  /**
   * The same for several files at once, in this order: a path that an earlier one leaves is free, and names that differ in case only
   * are compared at the end. So a directory can get a name that differs in case only; two files cannot change places. Throws `conflict` /
   * `file_exists` when a path that a file comes to is still another's; then none is moved.
   *
   * @example await files.moveAll([{ from: last, to: free }, { from: first, to: last }]);
   */
  moveAll(moves: readonly FileMove[]): Promise<void>;
  /**
   * A new file with the same content, and a history of its own. No byte is copied. Throws `not_found` / `no_such_file` for `from`, and as
   * {@link create} does for `to`.
   *
   * @example await files.copy(path, ctx.path("notes.bak.md", "file"));
   */
  copy(from: WorkspacePath, to: WorkspacePath): Promise<FileInfo>;
  /**
   * Removes a file; its history stays, so that it can be undone and restored. Throws `not_found` / `no_such_file`, and `conflict` /
   * `is_directory`: use {@link subtree} for all files below one.
   *
   * @example await files.remove(path);
   */
  remove(path: WorkspacePath): Promise<void>;
  /**
   * What this call has changed of a file's text so far, against the text that it was committed with before: the hunk to show a
   * caller. Undefined for what is not text, too large to compare or damaged. Costs what was changed, plus counting the lines before it
   * unless `lines` knows them. Throws `not_found` / `no_such_file`.
   *
   * @example const changed = await files.hunks(path); // renderHunks of holdfast/text writes it as text
   */
  hunks(path: WorkspacePath, bounds?: HunkBounds): Promise<HunkList | undefined>;
}

/**
 * Files of which the caller saw an older version. Its edit is made for that text, which is what reading shows until then, and
 * placed on the present one.
 */
export interface StaleFiles {
  /** The file as the caller saw it; undefined for one that it saw as it is, and for one whose edit is placed. */
  seen(path: WorkspacePath): FileEntry | undefined;
  /** The caller's splices over the present text. Throws `conflict` where they have no place. */
  place(path: WorkspacePath, splices: readonly Splice[]): Promise<readonly Splice[]>;
  /** The `conflict` of a change that cannot be carried over, such as an overwrite. */
  refuse(path: WorkspacePath): Promise<HoldfastError>;
}
