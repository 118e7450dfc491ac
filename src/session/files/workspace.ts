// Owns: the one way to a session's files, for tools and for the host: reading and changing them over a draft. It knows
// staging, size limits and encodings; who may see and reach what is `visible-files.ts`.
// Must never: show a caller extents, blobs or keys, or reach a path without asking the rules.

import { HoldfastError, say } from "../../errors.ts";
import type { Limits } from "../../limits.ts";
import type { WorkspacePath } from "../../path/index.ts";
import type { Change, Content, Extent, Journal } from "../../store/journal.ts";
import { blobLost, isBlobLost } from "../../store/lost-bytes.ts";
import {
  areTextHunks,
  encodingName,
  hunksOfSteps,
  joinBytes,
  readBytesSteps,
  spliceDelta,
  validateSplices,
  type ByteSource,
  type HunkList,
  type Splice,
} from "../../text/index.ts";
import { Pacer, runPaced } from "../../text/steps.ts";
import { blobContent, EMPTY_CONTENT, joinContents, type ContentSplice } from "../content.ts";
import type { Differs } from "../../text/splice.ts";
import { withContentDiff, type ContentDiff } from "../content-diff.ts";
import { refusalError, type Draft } from "../draft.ts";
import type { FileContent } from "../../text/encoding.ts";
import { bytesOf, encodingFor, refuseBadUtf8, refuseOtherText, type WriteOptions } from "./file-bytes.ts";
import type { FileBody, FileChange, FileId } from "./file-change.ts";
import { creationKeys } from "./file-keys.ts";
import { fileAt, type FileEntry, type FilesState, type Obstacle } from "./file-state.ts";
import type { DirectoryEntry, FileInfo, FileMove, Files, HunkBounds, StaleFiles } from "./files.ts";
import { filesSlice } from "./files-slice.ts";
import { COMPARED_BYTES, isComparable, lineSplicesSteps, mayLeaveLines } from "./line-splices.ts";
import { bodyOf, creationOf, deletionOf, moveOf, replacementOf, spliceOf } from "./make-change.ts";
import type { PathPermission, PathRules } from "./path-rules.ts";
import { fileInfo, VisibleFiles } from "./visible-files.ts";

export { contentIn, PIECE_KINDS, WRITE_OPTIONS, type WriteOptions } from "./file-bytes.ts";
export { pathNamedBy } from "./file-keys.ts";
export type { Obstacle } from "./file-state.ts";
export type {
  DirectoryEntry,
  FileInfo,
  FileMove,
  Files,
  HunkBounds,
  ReadonlyFiles,
  StaleFiles,
} from "./files.ts";
export { pathDenied, PathRules, type PathPermission, type PathRule } from "./path-rules.ts";
export { allFiles, fileInfo, versionWanted } from "./visible-files.ts";

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
  readonly stale?: StaleFiles | undefined;
}

/** The files of a draft. */
export class Workspace implements Files {
  readonly #parts: WorkspaceParts;
  readonly #visible: VisibleFiles;
  /** Contents that are open until the draft ends. */
  readonly #opened = new Map<Content, ByteSource>();

  constructor(parts: WorkspaceParts) {
    this.#parts = parts;
    this.#visible = new VisibleFiles(parts.draft, parts.rules);
  }

  permission(path: WorkspacePath): PathPermission {
    return this.#visible.permission(path);
  }

  /** Throws `forbidden` / `path_denied` for a path that the caller may not see, whether or not a file is there. */
  refuseHidden(path: WorkspacePath): void {
    this.#visible.refuseHidden(path);
  }

  async stat(path: WorkspacePath): Promise<FileInfo | undefined> {
    const entry = this.#visible.reach(path, "read").file(path);
    return entry === undefined ? undefined : fileInfo(this.#seen(path) ?? entry);
  }

  async isDirectory(path: WorkspacePath): Promise<boolean> {
    return this.#visible.isDirectory(path);
  }

  async obstacles(paths: readonly WorkspacePath[], removed: readonly WorkspacePath[]): Promise<Obstacle[]> {
    return this.#visible.obstacles(paths, removed);
  }

  async list(directory: WorkspacePath, after?: string): Promise<Iterable<DirectoryEntry>> {
    this.#visible.reach(directory, "read");
    return this.#visible.list(directory, after);
  }

  async under(directory: WorkspacePath, after?: WorkspacePath): Promise<Iterable<FileInfo>> {
    this.#visible.reach(directory, "read");
    return this.#visible.under(directory, after);
  }

  async subtree(directory: WorkspacePath, access: "read" | "write"): Promise<FileInfo[]> {
    return new Pacer().map(this.#visible.subtree(directory, access), (file) => file);
  }

  async open(path: WorkspacePath, access: "read" | "write" = "read"): Promise<ByteSource> {
    if (access === "write") this.#visible.reach(path, "write");
    const entry = this.#visible.entry(path, "read");
    const { content } = this.#seen(path) ?? entry;
    const source = await this.#source(path, content);
    this.#parts.opened.push(source);
    this.#opened.set(content, source);
    return source;
  }

  async openFor<T>(path: WorkspacePath, use: (source: ByteSource) => Promise<T>): Promise<T> {
    const source = await this.#source(path, this.#visible.entry(path, "read").content);
    return use(source).finally(() => source.close());
  }

  /** Whether {@link under} has returned this very file. */
  hasListed(file: FileInfo): boolean {
    return this.#visible.hasListed(file);
  }

  async openTogether<T>(files: readonly FileInfo[], use: (source: ByteSource) => T | Promise<T>): Promise<T> {
    const contents = files.map((file) => this.#visible.listed(file).content);
    const source = await this.#parts.journal.source(joinContents(contents));
    try {
      return await use(source);
    } finally {
      source.close();
    }
  }

  async read(path: WorkspacePath): Promise<Uint8Array> {
    const source = await this.open(path);
    return runPaced(readBytesSteps(source, 0, source.size));
  }

  async create(path: WorkspacePath, content: FileContent, options: WriteOptions = {}): Promise<FileInfo> {
    const bytes = bytesOf(content);
    const encoding = encodingFor(content, bytes, options, null);
    if (typeof content === "string") refuseOtherText(path, encoding, bytes);
    const body = {
      content: await this.#stage(path, bytes),
      encoding,
      executable: options.executable ?? false,
    };
    return this.#create(path, body);
  }

  async replace(path: WorkspacePath, content: FileContent, options: WriteOptions = {}): Promise<FileInfo> {
    await this.#requireFresh(path);
    const entry = this.#visible.entry(path, "write");
    const bytes = bytesOf(content);
    const encoding = encodingFor(content, bytes, options, entry.encoding);
    if (typeof content === "string") refuseOtherText(path, encoding, bytes);
    const { executable = entry.executable } = options;
    return this.#overwrite(entry, { content: await this.#stage(path, bytes), encoding, executable }, bytes);
  }

  async splice(path: WorkspacePath, made: readonly Splice[], options: WriteOptions = {}): Promise<FileInfo> {
    const entry = this.#visible.entry(path, "write");
    const seen = this.#seen(path);
    validateSplices(made, (seen ?? entry).content.size);
    const lines = await this.#lineSplices(seen ?? entry, made);
    const splices = seen === undefined ? lines : await this.#place(path, lines);
    this.#checkSize(path, entry.content.size + spliceDelta(splices));
    const encoding = encodingName(options.encoding) ?? entry.encoding;
    const { executable = entry.executable } = options;
    for (const { insert } of splices)
      if (encoding === "utf-8") refuseBadUtf8(path, insert);
      else if (options.encoding === undefined) refuseOtherText(path, encoding, insert);
    const stored = await this.#stageSplices(splices);
    return this.#change(path, spliceOf(entry, stored, { encoding, executable }));
  }

  async append(path: WorkspacePath, content: FileContent, options: WriteOptions = {}): Promise<FileInfo> {
    const entry = this.#visible.entry(path, "write");
    const at = (this.#seen(path) ?? entry).content.size;
    const insert = bytesOf(content);
    const encoding = encodingName(options.encoding) ?? entry.encoding;
    if (typeof content === "string") refuseOtherText(path, encoding, insert);
    return this.splice(path, [{ at, remove: 0, insert }], { ...options, encoding: encoding ?? undefined });
  }

  async move(from: WorkspacePath, to: WorkspacePath): Promise<FileInfo> {
    await this.moveAll([{ from, to }]);
    return this.#info(to);
  }

  async moveAll(moves: readonly FileMove[]): Promise<void> {
    const { draft } = this.#parts;
    const pace = new Pacer();
    const changes: FileChange[] = [];
    for (const { from, to } of moves) {
      await this.#requireFresh(from);
      const entry = this.#visible.entry(from, "write");
      this.#visible.reach(to, "write");
      if (from !== to) changes.push(moveOf(entry, to));
      draft.depend(creationKeys(to));
      await pace.step();
    }
    const refusals = await draft.changeAll(changes);
    if (refusals.length === 0) return;
    this.#visible.refuseHiddenObstacles(
      moves.map(({ to }) => to),
      moves.map(({ from }) => from),
    );
    throw refusalError(refusals);
  }

  async copy(from: WorkspacePath, to: WorkspacePath): Promise<FileInfo> {
    await this.#requireFresh(from);
    return this.#create(to, bodyOf(this.#visible.entry(from, "read")));
  }

  async remove(path: WorkspacePath): Promise<void> {
    await this.#requireFresh(path);
    this.#parts.draft.change(deletionOf(this.#visible.entry(path, "write")));
  }

  /** Puts stored content at a path, whether a file is there or not. */
  async put(
    path: WorkspacePath,
    content: Content,
    { encoding, executable }: WriteOptions & { readonly encoding: string },
  ): Promise<FileInfo> {
    this.#checkSize(path, content.size);
    const entry = this.#visible.reach(path, "write").file(path);
    const body = { content, encoding, executable: executable ?? entry?.executable ?? false };
    if (entry === undefined) return this.#create(path, body);
    if (content.size > COMPARED_BYTES) return this.#overwrite(entry, body);
    const source = await this.#parts.journal.source(content);
    const bytes = await runPaced(readBytesSteps(source, 0, source.size)).finally(() => source.close());
    return this.#overwrite(entry, body, bytes);
  }

  async hunks(path: WorkspacePath, bounds: HunkBounds = {}): Promise<HunkList | undefined> {
    const { draft, journal, limits } = this.#parts;
    const after = this.#visible.entry(path, "read");
    const before = fileAt(draft.base.slices.get(filesSlice.name) as FilesState, path);
    if (after.encoding === "binary" || before?.encoding === "binary") return undefined;
    const [old, now] = [before?.content ?? EMPTY_CONTENT, after.content];
    const pace = new Pacer();
    const use = async ({ before: text, splices }: ContentDiff): Promise<HunkList | undefined> => {
      const hunks = splices && (await pace.run(hunksOfSteps(text, splices, bounds)));
      return hunks && areTextHunks(hunks) ? hunks : undefined;
    };
    const known = differsBy(draft.changes, after.id);
    return withContentDiff(journal, old, now, limits.diffBytes, pace, use, known).catch(undefinedIfLost);
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

  #create(path: WorkspacePath, body: FileBody): FileInfo {
    const files = this.#visible.reach(path, "write");
    this.#visible.refuseHiddenObstacles([path], []);
    const id = files.idFor(path);
    return this.#change(path, creationOf({ id, path, ...body, created: this.#parts.time }));
  }

  /** Gives a file another body, with `insert` for its content. All of it is new where the old text is too large or cannot be read. */
  async #overwrite(entry: FileEntry, after: FileBody, insert?: Uint8Array): Promise<FileInfo> {
    const whole = insert && { at: 0, remove: entry.content.size, insert };
    const splices =
      whole && isComparable(whole)
        ? await this.#lineSplices(entry, [whole]).catch(undefinedIfLost)
        : undefined;
    const differs = splices?.map(({ at, remove, insert }) => [at, remove, insert.length] as const);
    return this.#change(entry.path, replacementOf(entry, after, differs));
  }

  #change(path: WorkspacePath, change: FileChange): FileInfo {
    this.#parts.draft.change(change);
    return this.#info(path);
  }

  /** A file as this call has made it. */
  #info(path: WorkspacePath): FileInfo {
    return fileInfo(this.#parts.draft.reader(filesSlice).file(path) as FileEntry);
  }

  async #stage(path: WorkspacePath, bytes: Uint8Array): Promise<Content> {
    this.#checkSize(path, bytes.length);
    return blobContent(bytes.length === 0 ? "" : await this.#parts.journal.stage(bytes), bytes.length);
  }

  /** The same change of a file, as the lines that it changes. */
  async #lineSplices({ path, content }: FileEntry, splices: readonly Splice[]): Promise<readonly Splice[]> {
    // Lines put at the end leave all others anyway.
    if (!splices.some((splice) => splice.at < content.size && mayLeaveLines(splice))) return splices;
    const open = this.#opened.get(content);
    if (open !== undefined) return runPaced(lineSplicesSteps(open, splices));
    const source = await this.#source(path, content);
    return runPaced(lineSplicesSteps(source, splices)).finally(() => source.close());
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

/** What differs of a file by the only change of a call, where that is an overwrite of it. */
function differsBy(changes: readonly Change[], id: FileId): Differs | undefined {
  const [change] = changes as readonly FileChange[];
  return changes.length === 1 && change?.op === "replace" && change.id === id ? change.differs : undefined;
}

function undefinedIfLost(error: unknown): undefined {
  if (!isBlobLost(error)) throw error;
}
