// Owns: the one way to a session's files, for tools and for the host: reading and changing them over a draft. It knows keys,
// staging, size limits and encodings.
// Must never: show a caller extents, blobs or keys, or reach a path without asking the rule.

import { HoldfastError, say, type Shown } from "../../errors.ts";
import type { Limits } from "../../limits.ts";
import type { WorkspacePath } from "../../path/index.ts";
import type { Content, Extent, Journal } from "../../store/journal.ts";
import { tokenOf } from "../../store/token.ts";
import {
  encodeText,
  encodingName,
  firstBadUtf8,
  joinBytes,
  EXTENTS,
  readBytes,
  removedBy,
  spliceDelta,
  validateSplices,
  type ByteSource,
  type Splice,
} from "../../text/index.ts";
import { runPaced } from "../../text/steps.ts";
import { blobContent, spliceContent, type ContentSplice } from "../content.ts";
import type { Draft } from "../draft.ts";
import type { FileChange, ReplaceChange } from "./file-change.ts";
import { creationKeys } from "./file-keys.ts";
import type { FileEntry, Obstacle } from "./file-state.ts";
import { bodyOf, filesSlice, type FilesReader } from "./files-slice.ts";
import { differsSteps } from "./overwrite.ts";

export type { Obstacle } from "./file-state.ts";

/** A file as one state has it. */
export interface FileInfo {
  readonly path: WorkspacePath;
  /** `utf-8`, `binary`, another hint, or null when unknown. */
  readonly encoding: string | null;
  readonly executable: boolean;
  readonly size_bytes: number;
  /** Counts the changes at this path, from 1. */
  readonly version: number;
  readonly created_at: Date;
  readonly updated_at: Date;
  /** What `expectedVersion` takes. Absent for a file that the running call itself has changed: its token comes with the commit. */
  readonly token?: Shown;
}

/** One name in a directory: a file, or a directory when it has none. */
export interface DirectoryEntry {
  readonly name: string;
  readonly file?: FileInfo;
}

/** What a file is to hold: text becomes UTF-8. */
export type FileContent = string | Uint8Array;

export interface WriteOptions {
  /** Left out: the file keeps the encoding it has if the bytes allow it; a new one gets what its bytes are. */
  readonly encoding?: string | undefined;
  /** Left out: as it was; false for a new file. */
  readonly executable?: boolean | undefined;
}

/** Reading the files of one state. What is read is noted, so that a commit can tell whether it has changed since. */
export interface ReadonlyFiles {
  /** The file at a path; undefined where there is none. */
  stat(path: WorkspacePath): Promise<FileInfo | undefined>;
  isDirectory(path: WorkspacePath): Promise<boolean>;
  /**
   * What is in the way of creating all of `paths`, in this order, once the files at `removed` are gone: a file or a directory
   * at the path, a file above it, or a name that differs only in case. Where nothing is, {@link Files.create} succeeds.
   */
  obstacles(paths: readonly WorkspacePath[], removed: readonly WorkspacePath[]): Promise<Obstacle[]>;
  /** What lies right below a directory, in order, after the name `after`. Nothing for a path that is no directory. */
  list(directory: WorkspacePath, after?: string): Promise<Iterable<DirectoryEntry>>;
  /** All files below a directory, at any depth, in order. */
  under(directory: WorkspacePath): Promise<Iterable<FileInfo>>;
  /** A file's bytes, readable until the call ends. Throws `not_found` / `no_such_file`, or `is_directory`. */
  open(path: WorkspacePath): Promise<ByteSource>;
  /** A whole file in memory. Use {@link open} for files that may be large. */
  read(path: WorkspacePath): Promise<Uint8Array>;
}

/**
 * Changing files: later reads of the same call see it, everybody else when the call is committed. Nothing is written when the
 * call fails.
 */
export interface Files extends ReadonlyFiles {
  /** Makes a file, with the directories above it. Throws `conflict` when something is there, or a name differs only in case. */
  create(path: WorkspacePath, content: FileContent, options?: WriteOptions): Promise<FileInfo>;
  /** Gives a file other content. Throws `not_found` / `no_such_file`. */
  replace(path: WorkspacePath, content: FileContent, options?: WriteOptions): Promise<FileInfo>;
  /**
   * Changes parts of a file: the splices are sorted, do not overlap and count the bytes it has now. Costs what is inserted,
   * whatever the size of the file. Throws `invalid_argument` / `not_utf8` when bytes that are not UTF-8 would go into a file
   * that is, unless `encoding` says what it becomes; and `RangeError` for splices out of order or bounds.
   */
  splice(path: WorkspacePath, splices: readonly Splice[], options?: WriteOptions): Promise<FileInfo>;
  /** Adds to the end of a file, otherwise like {@link splice}. */
  append(path: WorkspacePath, content: FileContent, options?: WriteOptions): Promise<FileInfo>;
  /** The file gets another path and stays the same file: history, undo and blame follow it. */
  move(from: WorkspacePath, to: WorkspacePath): Promise<FileInfo>;
  /** A new file with the same content. No byte is copied. */
  copy(from: WorkspacePath, to: WorkspacePath): Promise<FileInfo>;
  /** Throws `not_found` / `no_such_file`. */
  remove(path: WorkspacePath): Promise<void>;
}

/** Throws what speaks against reaching a path. Asked once for every path of every access. */
export type PathRule = (path: WorkspacePath, access: "read" | "write") => void;

export interface WorkspaceParts {
  readonly draft: Draft;
  readonly journal: Journal;
  readonly limits: Pick<Limits, "fileBytes">;
  /** When created files were created. */
  readonly time: Date;
  /** Takes every source that is opened: whoever runs the draft closes them at its end. */
  readonly opened: (ByteSource & { close(): void })[];
  readonly rule?: PathRule;
}

/** The files of a draft. */
export class Workspace implements Files {
  readonly #parts: WorkspaceParts;

  constructor(parts: WorkspaceParts) {
    this.#parts = parts;
  }

  async stat(path: WorkspacePath): Promise<FileInfo | undefined> {
    const entry = this.#reader(path).file(path);
    return entry === undefined ? undefined : fileInfo(entry);
  }

  async isDirectory(path: WorkspacePath): Promise<boolean> {
    return this.#reader(path).isDirectory(path);
  }

  async obstacles(paths: readonly WorkspacePath[], removed: readonly WorkspacePath[]): Promise<Obstacle[]> {
    for (const path of removed) this.#reach(path, "read");
    for (const path of paths) this.#reach(path, "read");
    return this.#parts.draft.reader(filesSlice).obstacles(paths, removed);
  }

  async list(directory: WorkspacePath, after?: string): Promise<Iterable<DirectoryEntry>> {
    return entriesOf(this.#reader(directory), directory, after);
  }

  async under(directory: WorkspacePath): Promise<Iterable<FileInfo>> {
    return infosOf(this.#reader(directory).under(directory));
  }

  async open(path: WorkspacePath): Promise<ByteSource> {
    const source = await this.#parts.journal.source(this.#entry(path, "read").content);
    this.#parts.opened.push(source);
    return source;
  }

  async read(path: WorkspacePath): Promise<Uint8Array> {
    const source = await this.open(path);
    return readBytes(source, 0, source.size);
  }

  async create(path: WorkspacePath, content: FileContent, options: WriteOptions = {}): Promise<FileInfo> {
    const bytes = bytesOf(content);
    const encoding = encodingFor(content, bytes, options, null);
    const body = {
      content: await this.#stage(path, bytes),
      encoding,
      executable: options.executable ?? false,
    };
    return this.#create(path, body);
  }

  async replace(path: WorkspacePath, content: FileContent, options: WriteOptions = {}): Promise<FileInfo> {
    const entry = this.#entry(path, "write");
    const bytes = bytesOf(content);
    const encoding = encodingFor(content, bytes, options, entry.encoding);
    const { executable = entry.executable } = options;
    const after = { content: await this.#stage(path, bytes), encoding, executable };
    const differs = await this.#differs(entry, bytes);
    const before = bodyOf(entry);
    return this.#change(path, { slice: "files", op: "replace", id: entry.id, path, before, after, differs });
  }

  async splice(
    path: WorkspacePath,
    splices: readonly Splice[],
    options: WriteOptions = {},
  ): Promise<FileInfo> {
    const entry = this.#entry(path, "write");
    validateSplices(splices, entry.content.size);
    this.#checkSize(path, entry.content.size + spliceDelta(splices));
    const encoding = encodingName(options.encoding) ?? entry.encoding;
    const { executable = entry.executable } = options;
    if (encoding === "utf-8") for (const { insert } of splices) refuseBadUtf8(path, insert);
    const stored = await this.#stageSplices(splices);
    const on = { slice: "files", id: entry.id, path } as const;
    if (encoding === entry.encoding && executable === entry.executable)
      return this.#change(path, {
        ...on,
        op: "splice",
        splices: stored,
        removed: removedBy(entry.content.extents, stored, EXTENTS),
      });
    const after = { content: spliceContent(entry.content, stored), encoding, executable };
    const differs = splices.map(({ at, remove, insert }) => [at, remove, insert.length] as const);
    return this.#change(path, { ...on, op: "replace", before: bodyOf(entry), after, differs });
  }

  async append(path: WorkspacePath, content: FileContent, options?: WriteOptions): Promise<FileInfo> {
    const at = this.#entry(path, "write").content.size;
    return this.splice(path, [{ at, remove: 0, insert: bytesOf(content) }], options);
  }

  async move(from: WorkspacePath, to: WorkspacePath): Promise<FileInfo> {
    const entry = this.#entry(from, "write");
    this.#reach(to, "write").depend(creationKeys(to));
    if (from === to) return fileInfo(entry);
    const { id } = entry;
    return this.#change(to, { slice: "files", op: "move", id, path: from, to });
  }

  async copy(from: WorkspacePath, to: WorkspacePath): Promise<FileInfo> {
    return this.#create(to, bodyOf(this.#entry(from, "read")));
  }

  async remove(path: WorkspacePath): Promise<void> {
    const entry = this.#entry(path, "write");
    const created = entry.created.toISOString();
    const change: FileChange = {
      slice: "files",
      op: "delete",
      id: entry.id,
      path,
      body: bodyOf(entry),
      created,
    };
    this.#parts.draft.change(change);
  }

  /** The one place through which every path goes. */
  #reach(path: WorkspacePath, access: "read" | "write"): Draft {
    this.#parts.rule?.(path, access);
    return this.#parts.draft;
  }

  #reader(path: WorkspacePath): FilesReader {
    return this.#reach(path, "read").reader(filesSlice);
  }

  #entry(path: WorkspacePath, access: "read" | "write"): FileEntry {
    const files = this.#reach(path, access).reader(filesSlice);
    const entry = files.file(path);
    if (entry !== undefined) return entry;
    if (files.isDirectory(path))
      throw new HoldfastError(
        access === "read" ? "invalid_argument" : "conflict",
        "is_directory",
        say`${path} is a directory. Name a file in it.`,
      );
    throw new HoldfastError(
      "not_found",
      "no_such_file",
      say`${path} does not exist. List its directory to see what there is.`,
    );
  }

  #create(path: WorkspacePath, body: ReturnType<typeof bodyOf>): FileInfo {
    const draft = this.#reach(path, "write");
    draft.depend(creationKeys(path));
    const id = draft.reader(filesSlice).idFor(path);
    const created = this.#parts.time.toISOString();
    return this.#change(path, { slice: "files", op: "create", id, path, body, created });
  }

  #change(path: WorkspacePath, change: FileChange): FileInfo {
    const { draft } = this.#parts;
    draft.change(change);
    const { token: _, ...info } = fileInfo(draft.reader(filesSlice).file(path) as FileEntry);
    return info;
  }

  async #stage(path: WorkspacePath, bytes: Uint8Array): Promise<Content> {
    this.#checkSize(path, bytes.length);
    return blobContent(bytes.length === 0 ? "" : await this.#parts.journal.stage(bytes), bytes.length);
  }

  /** What an overwrite changes of a file's text. */
  async #differs({ content }: FileEntry, bytes: Uint8Array): Promise<ReplaceChange["differs"]> {
    const source = await this.#parts.journal.source(content);
    return runPaced(differsSteps(source, bytes)).finally(() => source.close());
  }

  /** All new bytes go into one blob. */
  async #stageSplices(splices: readonly Splice[]): Promise<ContentSplice[]> {
    const bytes = joinBytes(splices.map((splice) => splice.insert));
    const blob = bytes.length === 0 ? "" : await this.#parts.journal.stage(bytes);
    let from = 0;
    return splices.map(({ at, remove, insert }) => {
      const extents: Extent[] = insert.length === 0 ? [] : [[blob, from, insert.length]];
      from += insert.length;
      return { at, remove, insert: extents };
    });
  }

  #checkSize(path: WorkspacePath, size: number): void {
    const limit = this.#parts.limits.fileBytes;
    if (size <= limit) return;
    throw new HoldfastError(
      "invalid_argument",
      "file_too_large",
      say`${path} would have ${size} bytes; a file may have ${limit}. Split it into several files.`,
      { data: { size, limit } },
    );
  }
}

/** A file's entry as callers see it. The hash of a record that is not committed yet is empty, so there is no token. */
export function fileInfo(entry: FileEntry): FileInfo {
  const { path, encoding, executable, content, version, created, updated, at } = entry;
  return {
    path,
    encoding,
    executable,
    size_bytes: content.size,
    version,
    created_at: created,
    updated_at: updated,
    ...(at.hash === "" ? {} : { token: tokenOf(at) }),
  };
}

function* infosOf(entries: Iterable<FileEntry>): Generator<FileInfo, void, undefined> {
  for (const entry of entries) yield fileInfo(entry);
}

function* entriesOf(
  files: FilesReader,
  directory: WorkspacePath,
  after: string | undefined,
): Generator<DirectoryEntry, void, undefined> {
  for (const item of files.items(directory, after))
    yield item.kind === "directory" ? { name: item.name } : { name: item.name, file: fileInfo(item.entry) };
}

function bytesOf(content: FileContent): Uint8Array {
  if (typeof content !== "string") return content;
  // A lone surrogate would silently become another character.
  if (content.isWellFormed()) return encodeText(content);
  throw new HoldfastError(
    "invalid_argument",
    "not_unicode",
    say`The content holds half a surrogate pair, which no encoding can keep. Send whole characters.`,
  );
}

/** What the caller said, else what text is, else what the file had, else what the bytes are; never "utf-8" for others. */
function encodingFor(
  content: FileContent,
  bytes: Uint8Array,
  options: WriteOptions,
  old: string | null,
): string {
  const said = encodingName(options.encoding);
  if (typeof content === "string") return said ?? "utf-8";
  const badAt = firstBadUtf8(bytes);
  if (said === "utf-8" && badAt !== undefined)
    throw new HoldfastError(
      "invalid_argument",
      "not_utf8",
      say`The bytes are not UTF-8: byte ${badAt} is wrong. Leave encoding out, or send "binary".`,
    );
  if (said !== undefined) return said;
  if (old !== null && (old !== "utf-8" || badAt === undefined)) return old;
  return badAt === undefined ? "utf-8" : "binary";
}

function refuseBadUtf8(path: WorkspacePath, bytes: Uint8Array): void {
  const badAt = firstBadUtf8(bytes);
  if (badAt === undefined) return;
  throw new HoldfastError(
    "invalid_argument",
    "not_utf8",
    say`${path} is UTF-8 text and byte ${badAt} of what is to go in is not. Send whole characters, or encoding "binary" to make the file binary.`,
  );
}
