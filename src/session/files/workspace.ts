// Owns: the one way to a session's files, for tools and for the host: reading and changing them over a draft. It knows keys,
// staging, size limits and encodings.
// Must never: show a caller extents, blobs or keys, or reach a path without asking the rules.

import { HoldfastError, say, type Shown } from "../../errors.ts";
import type { Limits } from "../../limits.ts";
import { ROOT, type WorkspacePath } from "../../path/index.ts";
import type { Content, Extent, Journal, Key } from "../../store/journal.ts";
import { blobLost, isBlobLost } from "../../store/lost-bytes.ts";
import { tokenOf } from "../../store/token.ts";
import {
  areTextHunks,
  encodingName,
  hunksOfSteps,
  joinBytes,
  EXTENTS,
  readBytes,
  removedBy,
  spliceDelta,
  validateSplices,
  type ByteSource,
  type HunkList,
  type Splice,
} from "../../text/index.ts";
import { nearestPath } from "../../text/nearest-path.ts";
import { Pacer, runPaced } from "../../text/steps.ts";
import { blobContent, EMPTY_CONTENT, spliceContent, type ContentSplice } from "../content.ts";
import { withContentDiff } from "../content-diff.ts";
import type { Draft } from "../draft.ts";
import type { FileContent } from "../../text/encoding.ts";
import { bytesOf, encodingFor, refuseBadUtf8, type WriteOptions } from "./file-bytes.ts";
import type { FileChange, ReplaceChange } from "./file-change.ts";
import { fileKey } from "./file-keys.ts";
import {
  fileAt,
  filesUnder,
  type DirectoryItem,
  type FileEntry,
  type FilesState,
  type Obstacle,
} from "./file-state.ts";
import { bodyOf, filesSlice, type FilesReader } from "./files-slice.ts";
import { differsSteps } from "./overwrite.ts";
import { pathDenied, type PathPermission, type PathRules } from "./path-rules.ts";

export type { WriteOptions } from "./file-bytes.ts";
export { pathNamedBy } from "./file-keys.ts";
export type { Obstacle } from "./file-state.ts";
export { pathDenied, PathRules, type PathPermission, type PathRule } from "./path-rules.ts";

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

/** Reading the files of one state. What is read is noted, so that a commit can tell whether it has changed since. */
export interface ReadonlyFiles {
  /** What the caller may do at a path: the one decision of the host's rules. A hidden file is not listed, found or opened. */
  permission(path: WorkspacePath): PathPermission;
  /** The file at a path; undefined where there is none. */
  stat(path: WorkspacePath): Promise<FileInfo | undefined>;
  /** Whether there are files below the path. The workspace itself is one always. */
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
  /**
   * The same for a call on a whole directory. Throws `forbidden` / `path_denied` when a rule keeps the caller from one of
   * them, without naming a hidden one.
   */
  subtree(directory: WorkspacePath, access: "read" | "write"): Promise<FileInfo[]>;
  /** A file's bytes, readable until the call ends. Throws `not_found` / `no_such_file`, or `is_directory`. */
  open(path: WorkspacePath): Promise<ByteSource>;
  /** The same for the time that `use` takes: for calls that look at many files. */
  openFor<T>(path: WorkspacePath, use: (source: ByteSource) => Promise<T>): Promise<T>;
  /** A whole file in memory. Use {@link open} for files that may be large. */
  read(path: WorkspacePath): Promise<Uint8Array>;
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
  /**
   * What this call has changed of a file's text so far, against the text that it was committed with before: the hunk to show a
   * caller. Undefined for what is not text, too large to compare or damaged. Costs what was changed, plus counting the lines before it
   * unless `lines` knows them.
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

export interface WorkspaceParts {
  readonly draft: Draft;
  readonly journal: Journal;
  readonly limits: Pick<Limits, "fileBytes" | "diffBytes">;
  /** When created files were created. */
  readonly time: Date;
  /** Takes every source that is opened: the one who runs the draft closes them at its end. */
  readonly opened: (ByteSource & { close(): void })[];
  /** The host's rules for agents; left out, nothing is refused. */
  readonly rules?: PathRules;
  /** Keys whose version the caller named. */
  readonly pinned?: ReadonlySet<Key>;
  readonly stale?: StaleFiles | undefined;
}

/** The files of a draft. */
export class Workspace implements Files {
  readonly #parts: WorkspaceParts;

  constructor(parts: WorkspaceParts) {
    this.#parts = parts;
  }

  async stat(path: WorkspacePath): Promise<FileInfo | undefined> {
    const entry = this.#reader(path).file(path);
    return entry === undefined ? undefined : fileInfo(this.#seen(path) ?? entry);
  }

  async isDirectory(path: WorkspacePath): Promise<boolean> {
    return this.#reader(path).isDirectory(path) && this.#holdsVisible(path);
  }

  async obstacles(paths: readonly WorkspacePath[], removed: readonly WorkspacePath[]): Promise<Obstacle[]> {
    for (const path of removed) this.#reach(path, "read");
    for (const path of paths) this.#reach(path, "read");
    const found = this.#parts.draft.reader(filesSlice).obstacles(paths, removed);
    return found.map((one) => (this.permission(one.by).read ? one : hiddenObstacle(one)));
  }

  async list(directory: WorkspacePath, after?: string): Promise<Iterable<DirectoryEntry>> {
    return this.#visibleEntries(this.#reader(directory).items(directory, after), directory);
  }

  async under(directory: WorkspacePath): Promise<Iterable<FileInfo>> {
    return this.#visibleInfos(this.#reader(directory).under(directory));
  }

  async subtree(directory: WorkspacePath, access: "read" | "write"): Promise<FileInfo[]> {
    const found: FileInfo[] = [];
    for (const entry of this.#reader(directory).under(directory)) {
      const { path } = entry;
      const permission = this.permission(path);
      if (!permission.read) throw partlyDenied(directory);
      if (!permission[access]) throw pathDenied(path, permission);
      if (access === "write") this.#requireVersion(entry);
      found.push(fileInfo(entry));
    }
    return found;
  }

  async open(path: WorkspacePath): Promise<ByteSource> {
    const entry = this.#entry(path, "read");
    const source = await this.#source(path, (this.#seen(path) ?? entry).content);
    this.#parts.opened.push(source);
    return source;
  }

  async openFor<T>(path: WorkspacePath, use: (source: ByteSource) => Promise<T>): Promise<T> {
    const source = await this.#source(path, this.#entry(path, "read").content);
    return use(source).finally(() => source.close());
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
    await this.#requireFresh(path);
    const entry = this.#entry(path, "write");
    const bytes = bytesOf(content);
    const encoding = encodingFor(content, bytes, options, entry.encoding);
    const { executable = entry.executable } = options;
    const after = { content: await this.#stage(path, bytes), encoding, executable };
    const differs = await this.#differs(entry, bytes);
    const before = bodyOf(entry);
    return this.#change(path, { slice: "files", op: "replace", id: entry.id, path, before, after, differs });
  }

  async splice(path: WorkspacePath, made: readonly Splice[], options: WriteOptions = {}): Promise<FileInfo> {
    const entry = this.#entry(path, "write");
    const splices = this.#seen(path) === undefined ? made : await this.#place(path, made);
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
    const entry = this.#entry(path, "write");
    const at = (this.#seen(path) ?? entry).content.size;
    return this.splice(path, [{ at, remove: 0, insert: bytesOf(content) }], options);
  }

  async move(from: WorkspacePath, to: WorkspacePath): Promise<FileInfo> {
    await this.#requireFresh(from);
    const entry = this.#entry(from, "write");
    this.#reach(to, "write");
    if (from === to) return fileInfo(entry);
    this.#refuseHidden(to, [from]);
    const { id } = entry;
    return this.#change(to, { slice: "files", op: "move", id, path: from, to });
  }

  async copy(from: WorkspacePath, to: WorkspacePath): Promise<FileInfo> {
    await this.#requireFresh(from);
    return this.#create(to, bodyOf(this.#entry(from, "read")));
  }

  async remove(path: WorkspacePath): Promise<void> {
    await this.#requireFresh(path);
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

  permission(path: WorkspacePath): PathPermission {
    return this.#parts.rules?.of(path) ?? UNBOUND;
  }

  /** Puts stored content at a path, whether a file is there or not. */
  async put(
    path: WorkspacePath,
    content: Content,
    { encoding, executable }: WriteOptions & { readonly encoding: string },
  ): Promise<FileInfo> {
    this.#checkSize(path, content.size);
    const entry = this.#reach(path, "write").reader(filesSlice).file(path);
    const body = { content, encoding, executable: executable ?? entry?.executable ?? false };
    if (entry === undefined) return this.#create(path, body);
    const before = bodyOf(entry);
    return this.#change(path, { slice: "files", op: "replace", id: entry.id, path, before, after: body });
  }

  async hunks(path: WorkspacePath, bounds: HunkBounds = {}): Promise<HunkList | undefined> {
    const { draft, journal, limits } = this.#parts;
    const after = this.#entry(path, "read");
    const before = fileAt(draft.base.slices.get(filesSlice.name) as FilesState, path);
    if (after.encoding === "binary" || before?.encoding === "binary") return undefined;
    const [old, now] = [before?.content ?? EMPTY_CONTENT, after.content];
    const pace = new Pacer();
    return withContentDiff(journal, old, now, limits.diffBytes, pace, async ({ before: text, splices }) => {
      const hunks = splices && (await pace.run(hunksOfSteps(text, splices, bounds)));
      return hunks && areTextHunks(hunks) ? hunks : undefined;
    }).catch(undefinedIfLost);
  }

  /** The file as the caller saw it, where that is not what it is now. */
  #seen(path: WorkspacePath): FileEntry | undefined {
    return this.#parts.stale?.seen(path);
  }

  async #place(path: WorkspacePath, splices: readonly Splice[]): Promise<readonly Splice[]> {
    return (await this.#parts.stale?.place(path, splices)) ?? splices;
  }

  /** Throws where the caller would change, as a whole, a file that it saw an older version of. */
  async #requireFresh(path: WorkspacePath): Promise<void> {
    const { stale } = this.#parts;
    if (stale?.seen(path) !== undefined) throw await stale.refuse(path);
  }

  /** The one place through which every path goes. */
  #reach(path: WorkspacePath, access: "read" | "write"): Draft {
    const permission = this.permission(path);
    if (!permission[access]) throw pathDenied(path, permission);
    return this.#parts.draft;
  }

  /** A file that the call itself has made or changed has had its version checked. */
  #requireVersion({ path, at }: FileEntry): void {
    if (at.hash === "" || !this.permission(path).version) return;
    if (this.#parts.pinned?.has(fileKey(path)) === true) return;
    const token = tokenOf(at);
    throw new HoldfastError(
      "conflict",
      "version_required",
      say`A rule of the host wants the version of ${path} named. The latest token is ${token}: send it as expectedVersion.`,
      { data: { target: path, token } },
    );
  }

  /** Refuses a creation that a hidden file is in the way of, without naming that; what else is in the way is said later. */
  #refuseHidden(path: WorkspacePath, removed: readonly WorkspacePath[]): void {
    const [found] = this.#parts.draft.reader(filesSlice).obstacles([path], removed);
    if (found === undefined || this.permission(found.by).read) return;
    throw new HoldfastError("forbidden", "path_denied", say`${hiddenObstacle(found).message}.`);
  }

  /** Does a directory hold a file that may be seen? */
  #holdsVisible(directory: WorkspacePath): boolean {
    const { rules, draft } = this.#parts;
    if (rules === undefined || !rules.mayHide) return this.permission(directory).read;
    for (const { path } of filesUnder(draft.state(filesSlice), directory))
      if (this.permission(path).read) return true;
    return directory === ROOT;
  }

  *#visibleEntries(
    items: Iterable<DirectoryItem>,
    directory: WorkspacePath,
  ): Generator<DirectoryEntry, void, undefined> {
    for (const item of items) {
      const { name } = item;
      if (item.kind === "file") {
        if (this.permission(item.entry.path).read) yield { name, file: fileInfo(item.entry) };
      } else if (this.#holdsVisible(`${directory}/${name}` as WorkspacePath)) yield { name };
    }
  }

  *#visibleInfos(entries: Iterable<FileEntry>): Generator<FileInfo, void, undefined> {
    for (const entry of entries) if (this.permission(entry.path).read) yield fileInfo(entry);
  }

  /** What the caller probably meant, for a path that does not exist. */
  #meant(path: WorkspacePath): Shown {
    const near = nearestPath(path, this.#visiblePaths());
    return near === undefined ? say`List its directory to see what there is.` : say`Did you mean ${near}?`;
  }

  *#visiblePaths(): Generator<WorkspacePath, void, undefined> {
    for (const { path } of filesUnder(this.#parts.draft.state(filesSlice), ROOT))
      if (this.permission(path).read) yield path;
  }

  #reader(path: WorkspacePath): FilesReader {
    return this.#reach(path, "read").reader(filesSlice);
  }

  #entry(path: WorkspacePath, access: "read" | "write"): FileEntry {
    const files = this.#reach(path, access).reader(filesSlice);
    const entry = files.file(path);
    if (entry !== undefined) {
      if (access === "write") this.#requireVersion(entry);
      return entry;
    }
    if (files.isDirectory(path) && this.#holdsVisible(path))
      throw new HoldfastError(
        access === "read" ? "invalid_argument" : "conflict",
        "is_directory",
        say`${path} is a directory. Name a file in it.`,
      );
    throw new HoldfastError("not_found", "no_such_file", say`${path} does not exist. ${this.#meant(path)}`);
  }

  #create(path: WorkspacePath, body: ReturnType<typeof bodyOf>): FileInfo {
    const draft = this.#reach(path, "write");
    this.#refuseHidden(path, []);
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

  /** What an overwrite changes of a file's text; of one that cannot be read, all. */
  async #differs({ path, content }: FileEntry, bytes: Uint8Array): Promise<ReplaceChange["differs"]> {
    const differs = (source: ByteSource): Promise<ReplaceChange["differs"]> =>
      runPaced(differsSteps(source, bytes));
    return this.#source(path, content)
      .then((source) => differs(source).finally(() => source.close()))
      .catch(undefinedIfLost);
  }

  /** A file's content, which names the file when its bytes are gone. */
  async #source(path: WorkspacePath, content: Content): Promise<ByteSource & { close(): void }> {
    const named = (error: unknown): unknown => (isBlobLost(error) ? blobLost(path) : error);
    const source = await this.#parts.journal.source(content).catch((error: unknown) => {
      throw named(error);
    });
    return {
      size: source.size,
      id: source.id,
      read(at, into, offset, length) {
        try {
          return source.read(at, into, offset, length);
        } catch (error) {
          throw named(error);
        }
      },
      close: () => source.close(),
    };
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

function undefinedIfLost(error: unknown): undefined {
  if (!isBlobLost(error)) throw error;
}

const UNBOUND: PathPermission = Object.freeze({ read: true, write: true, version: false });

/** What is in the way when agents may not know what it is. */
function hiddenObstacle({ path, by }: Obstacle): Obstacle {
  return {
    path,
    by,
    reason: "path_denied",
    message: say`${path} would meet what a rule of the host closes to agents: choose another name`,
  };
}

function partlyDenied(directory: WorkspacePath): HoldfastError {
  return new HoldfastError(
    "forbidden",
    "path_denied",
    say`${directory} holds what a rule of the host closes to agents, so it cannot be taken as a whole. Name single files in it.`,
  );
}
