// Owns: keeping a directory of the host equal to the session: what to write where, and what was changed there by others.
// Must never: overwrite or remove what others have changed, or write back what was imported from there. The bytes decide; stats only
// save reading them.

import type { BigIntStats } from "node:fs";
import { HoldfastError, say } from "../errors.ts";
import { isUnder, type WorkspacePath } from "../path/index.ts";
import type { FileBody } from "../session/files/file-change.ts";
import { fileKey, pathOfFileKey } from "../session/files/file-keys.ts";
import {
  fileAt,
  filesUnder,
  NO_FILES,
  type FileEntry,
  type FilesState,
} from "../session/files/file-state.ts";
import { listFileChanges } from "../session/files/files-slice.ts";
import { requestDigest } from "../session/actor.ts";
import type { SessionCore } from "../session/transact.ts";
import type { JournalRecord, Position } from "../store/journal.ts";
import { Pacer } from "../text/steps.ts";
import type { Json } from "../value.ts";
import type { Directories } from "./_directories.ts";
import { isFailure, isInTheWay, MirroredDirectory } from "./_mirrored-directory.ts";
import { fitsRow, type MirrorState } from "./_mirror-row.ts";
import { holdsContent, isExecutable, using, type OutsideBody } from "./_outside-file.ts";
import { filesIn, isSameVersion, versionsAt } from "./_past-versions.ts";
import { scanMount } from "./_scan-mount.ts";
import { printOf, type Print, type StatIndex } from "./_stat-index.ts";
import type { ResolvedMount, SkippedEntry } from "./mount.ts";
import type { PinnedDirectory } from "./pinned-directory.ts";

/** A file as it was seen. */
export interface InPlace {
  readonly print: Print;
  readonly body: FileBody;
}

/** How files get into a mirrored directory. Undefined or false: another process was there first, and nothing was changed. */
export interface MirrorPlace {
  readonly root: PinnedDirectory;
  /** Puts `body` at a name where `expected` is, or nothing when that is undefined. */
  put(
    directory: PinnedDirectory,
    name: string,
    expected: InPlace | undefined,
    body: FileBody,
    path: WorkspacePath,
  ): Promise<Print | undefined>;
  remove(directory: PinnedDirectory, name: string, expected: InPlace, path: WorkspacePath): Promise<boolean>;
}

export interface MirrorParts {
  readonly core: SessionCore;
  /** The row that it is stored in. */
  readonly row: string;
  /** The part of the workspace that is mirrored. */
  readonly to: WorkspacePath;
  /** What of the directory counts. */
  readonly scope: ResolvedMount;
  readonly place: MirrorPlace;
  /** What is known of the files there already. */
  readonly index: StatIndex;
  /** Called between files: throws when another process may have taken over. */
  readonly check: () => void;
  /** Told of directories that may have one of ours in them, by their way from the root: also of those that the scope leaves out. */
  readonly own?: (way: readonly string[]) => void;
}

/** A path that others changed: `base` is what was in place. */
export interface OutsideChange {
  readonly path: WorkspacePath;
  readonly base: FileEntry | undefined;
  readonly isThere: boolean;
}

/** What is at a path. `other`: bytes that are none of those looked for, or no file. An error: that cannot be told. */
type Look = { readonly is: InPlace | "absent" | "other" | HoldfastError };

/** What became of a path that was to show something. `met`: others have changed it. An error: the system did not do it. */
type Brought = "placed" | "met" | HoldfastError;

/** What a path should show, and what it showed. */
interface Planned {
  readonly path: WorkspacePath;
  readonly before: FileBody | undefined;
  readonly after: FileBody | undefined;
}

/** Versions that are compared with what is at a path. */
const VERSIONS = 1_000;

export class Mirror {
  readonly index: StatIndex;
  readonly directory: MirroredDirectory;
  readonly #parts: MirrorParts;
  #where: string;
  #mark: { readonly at: Position; readonly files: FilesState };
  #diverged: Map<WorkspacePath, number>;
  /** What diverged paths held when they were imported: as it is in the session then, or merged into something else. */
  readonly #held = new Map<WorkspacePath, FileBody | undefined>();
  /** Diverged paths that no other process has changed, as far as is known: the next `apply` tries again. With what failed before. */
  readonly #waiting = new Map<WorkspacePath, HoldfastError | undefined>();
  /** Another process may have been the owner, and have died, since the mark. */
  #isInherited = true;
  /** Paths at which such a one may have put what the session had since the mark. */
  readonly #doubtful = new Set<WorkspacePath>();

  private constructor(parts: MirrorParts, state: MirrorState, files: FilesState) {
    this.#parts = parts;
    this.index = parts.index;
    this.directory = new MirroredDirectory(parts.place.root, parts.to);
    this.#where = state.where;
    this.#mark = { at: state.mark, files };
    this.#diverged = new Map(state.diverged);
    this.retry();
  }

  /** A mirror that was left in this state. Throws `conflict` when its mark is not in the history, or pruned. */
  static async open(parts: MirrorParts, state: MirrorState): Promise<Mirror> {
    const files = state.mark.seq === 0 ? NO_FILES : filesIn(await parts.core.timeline.past(state.mark));
    return new Mirror(parts, state, files);
  }

  /** What is stored of it. */
  get state(): MirrorState {
    return { where: this.#where, mark: this.#mark.at, diverged: this.#diverged };
  }

  get mark(): Position {
    return this.#mark.at;
  }

  /** Takes what another owner left. */
  async adopt(state: MirrorState): Promise<void> {
    this.#isInherited = true;
    this.#where = state.where;
    this.#diverged = new Map(state.diverged);
    this.retry();
    if (state.mark.seq === this.#mark.at.seq && state.mark.hash === this.#mark.at.hash) return;
    const files = state.mark.seq === 0 ? NO_FILES : filesIn(await this.#parts.core.timeline.past(state.mark));
    this.#mark = { at: state.mark, files };
  }

  /** The next `apply` tries all that has diverged: what was in the way of a path, or made the system refuse it, may be gone. */
  retry(): void {
    for (const path of this.#diverged.keys()) this.#waiting.set(path, undefined);
  }

  /**
   * Makes the directory show the newest state that is known here, and moves the mark there. Returns the paths that others have
   * changed since the mark: they are left as they are, and count as diverged from now on. So do those that the system did not
   * write, see {@link failureAt}: each `apply` tries them again.
   */
  async apply(): Promise<WorkspacePath[]> {
    const { core, check } = this.#parts;
    const head = core.timeline.state;
    const files = filesIn(head);
    const pace = new Pacer();
    const placed: WorkspacePath[] = [];
    const found: WorkspacePath[] = [];
    const failed = new Map<WorkspacePath, HoldfastError>();
    const changes = await this.#changesTo(files, head.at, pace);
    await this.directory.within(async (directories) => {
      // A name that a deletion frees can be taken by another file.
      for (const isDeletion of [true, false])
        for (const { path, before, after } of changes) {
          if ((after === undefined) !== isDeletion) continue;
          check();
          const brought = await this.#bring(directories, path, before, after, head.at, pace);
          if (brought === "placed") placed.push(path);
          else if (brought === "met") found.push(path);
          else failed.set(path, brought);
          await pace.step();
        }
    });
    const fresh = [...found, ...failed.keys()].filter((path) => !this.#diverged.has(path));
    for (const path of fresh) this.diverge(path);
    if (!fitsRow({ ...this.state, mark: head.at })) {
      for (const path of fresh) this.agree(path);
      throw [...failed.values()][0] ?? tooManyDiverged();
    }
    for (const path of placed) this.agree(path);
    for (const path of found) {
      this.#waiting.delete(path);
      this.#doubtful.delete(path);
    }
    for (const [path, error] of failed) this.#waiting.set(path, error);
    this.#mark = { at: head.at, files };
    return found;
  }

  /** What has to be put in place: what changed since the mark, and what waits. */
  async #changesTo(files: FilesState, head: Position, pace: Pacer): Promise<Planned[]> {
    const planned: Planned[] = [];
    for (const { before, after } of await listFileChanges(this.#mark.files, files, this.#parts.to, pace)) {
      const { path } = (before ?? after) as FileEntry;
      if (!this.#diverged.has(path)) planned.push({ path, before, after });
    }
    const others = new Set(this.#waiting.keys());
    if (this.#isInherited) for (const path of await this.#importedPaths(head)) others.add(path);
    for (const { path } of planned) others.delete(path);
    for (const path of others)
      planned.push({ path, before: await this.inPlace(path), after: fileAt(files, path) });
    if (this.#isInherited) for (const { path } of planned) this.#doubtful.add(path);
    this.#isInherited = false;
    return planned;
  }

  /**
   * Paths that were imported from here since the mark. An owner that died may have left there what it found, though the session has
   * again what it had at the mark.
   */
  async #importedPaths(head: Position): Promise<Set<WorkspacePath>> {
    const { core, to } = this.#parts;
    const paths = new Set<WorkspacePath>();
    for (let after = this.#mark.at.seq; after < head.seq;) {
      const query = { kind: "import", after, upTo: head.seq, limit: VERSIONS };
      const records = await core.journal.records(query);
      for (const { keys } of records.filter((record) => this.#isOwn(record)))
        for (const key of keys) {
          const path = pathOfFileKey(key);
          if (path !== undefined && isUnder(path, to)) paths.add(path);
        }
      after = records.length < VERSIONS ? head.seq : (records.at(-1) as JournalRecord).seq;
    }
    return paths;
  }

  /** Puts `after` in place of `before`, or of what an owner that died may have put there. */
  async #bring(
    directories: Directories,
    path: WorkspacePath,
    before: FileBody | undefined,
    after: FileBody | undefined,
    head: Position,
    pace: Pacer,
  ): Promise<Brought> {
    // What was imported from here is no reason to write: whatever is here by now came later.
    if (this.#held.has(path) && isSameVersion(this.#held.get(path), after)) return "placed";
    const isGone = after === undefined;
    const since = this.#doubtful.has(path) ? await this.#importedSince(path, isGone, head) : undefined;
    if (since?.isNewest === true) return "placed";
    // The newest first: what has its bytes already is not written.
    let look = await this.#look(directories, path, since === undefined ? [after, before] : [after], pace);
    if (look.is === "other" && this.#doubtful.has(path)) {
      // An owner that died may have put there what the session had since.
      const after = since === undefined ? this.#baseSeq(path) : since.seq - 1;
      const versions = await versionsAt(this.#parts.core, path, { after, upTo: head.seq, limit: VERSIONS });
      look = await this.#look(directories, path, versions, pace);
    }
    const brought = await this.#replace(directories, path, look, after);
    if (brought === "met" && since !== undefined) this.#diverged.set(path, since.seq);
    return brought;
  }

  /** The last record since the mark that says what was read at a path. What the session had before it, others have replaced. */
  async #importedSince(
    path: WorkspacePath,
    isGone: boolean,
    head: Position,
  ): Promise<{ readonly seq: number; readonly isNewest: boolean } | undefined> {
    const records = await this.#parts.core.journal.records({
      key: fileKey(path),
      after: this.#baseSeq(path),
      upTo: head.seq,
      newestFirst: true,
      limit: VERSIONS,
    });
    const at = records.findIndex((record) => this.#isOwn(record));
    const record = records[at];
    // What the record took away to make room may be here still.
    const isCleared = at === 0 && isGone && record?.request === requestDigest("import", this.clearingRequest);
    return record === undefined || isCleared ? undefined : { seq: record.seq, isNewest: at === 0 };
  }

  #baseSeq(path: WorkspacePath): number {
    return this.#diverged.get(path) ?? this.#mark.at.seq;
  }

  /** The request of records of what was read here, and is in the session as it was read. */
  get importRequest(): Json {
    return { from: this.#parts.row };
  }

  /** The same where files of the session that were in the way were deleted, too. */
  get clearingRequest(): Json {
    return { from: this.#parts.row, clears: true };
  }

  #isOwn({ request }: JournalRecord): boolean {
    return [this.importRequest, this.clearingRequest].some((own) => request === requestDigest("import", own));
  }

  /** Puts `after` at a path that still has what was seen of it. */
  async #replace(
    directories: Directories,
    path: WorkspacePath,
    look: Look,
    after: FileBody | undefined,
  ): Promise<Brought> {
    if (look.is === "other") return "met";
    if (HoldfastError.is(look.is)) return look.is;
    const there = look.is === "absent" ? undefined : look.is;
    if (isSameVersion(there?.body, after)) return "placed";
    const { place } = this.#parts;
    const { way, name } = this.directory.placeOf(path);
    try {
      if (after === undefined) {
        const directory = this.directory.find(directories, way);
        if (directory === undefined || there === undefined) return "placed";
        if (!(await place.remove(directory, name, there, path))) return "met";
        this.index.delete(path);
        directories.prune(way);
        return "placed";
      }
      const now = Date.now();
      const print = await place.put(directories.make(way), name, there, after, path);
      if (print === undefined) return "met";
      this.index.set(path, print, after, now);
      return "placed";
    } catch (error) {
      if (isFailure(error)) return error;
      if (isInTheWay(error)) return "met";
      throw error;
    }
  }

  /** Which of some versions is at a path: the first that has its bytes. Throws only what is no refusal. */
  async #look(
    directories: Directories,
    path: WorkspacePath,
    wanted: readonly (FileBody | undefined)[],
    pace: Pacer,
  ): Promise<Look> {
    const { way, name } = this.directory.placeOf(path);
    try {
      const directory = this.directory.find(directories, way);
      const stat = directory?.stat(name);
      // A directory is no file: it is in the way of one, and never ours to take.
      if (directory === undefined || stat === undefined || stat.isDirectory())
        return wanted.includes(undefined) ? { is: "absent" } : { is: "other" };
      const known = stat.isFile() ? this.index.bodyOf(path, stat) : undefined;
      // The same text may be in other blobs: those of its size are compared first.
      const same =
        known === undefined ? undefined : wanted.find((one) => one?.content.size === known.content.size);
      if (known !== undefined && isSameVersion(same, known))
        return { is: { body: known, print: printOf(stat) } };
      const now = Date.now();
      return await using(directory.openFile(name), async (file) => {
        for (const body of wanted) {
          if (body === undefined || body.executable !== isExecutable(file.stat)) continue;
          if (!(await holdsContent(this.#parts.core.journal, file, body.content, pace))) continue;
          const print = printOf(file.stat);
          this.index.set(path, print, body, now);
          return { is: { body, print } };
        }
        return { is: "other" };
      });
    } catch (error) {
      if (isFailure(error)) return { is: error };
      if (!isInTheWay(error)) throw error;
      return { is: "other" };
    }
  }

  /**
   * What the directory holds otherwise than it should, without new files that `.gitignore` files leave out if so told. Reads the files
   * whose stats say nothing.
   */
  async changes(isIgnoring = false): Promise<{ changed: OutsideChange[]; skipped: SkippedEntry[] }> {
    const { core, to, check, own } = this.#parts;
    const scope = isIgnoring ? { ...this.#parts.scope, gitignore: true } : this.#parts.scope;
    const { limits, names } = core;
    const pace = new Pacer();
    const there = new Map<WorkspacePath, BigIntStats>();
    const { files, skipped } = await scanMount(scope, {
      limits,
      names,
      pace,
      progress: (file, stat) => void there.set(file.path, stat),
      ...(own === undefined ? {} : { own }),
    });
    const changed: OutsideChange[] = [];
    const blocked = new Set(skipped.map(({ path }) => path));
    await this.directory.within(async (directories) => {
      for (const { path } of files) {
        await pace.step();
        // Told by its stat, or compared below.
        if (this.isUnchanged(path, there.get(path))) continue;
        check();
        if (await this.#isOther(directories, path, pace))
          changed.push({ path, base: await this.baseOf(path), isThere: true });
      }
    });
    // What the scope leaves out is looked at nevertheless once it is tracked.
    const missed = (await pace.map(this.#tracked(to), (path) => path)).filter(
      (path) => !there.has(path) && !blocked.has(this.directory.shownPath(path)),
    );
    changed.push(...(await this.changesAt(missed)));
    return { changed, skipped };
  }

  /** Which of these paths hold otherwise than they should. */
  async changesAt(paths: readonly WorkspacePath[]): Promise<OutsideChange[]> {
    const pace = new Pacer();
    const changed: OutsideChange[] = [];
    await this.directory.within(async (directories) => {
      for (const path of paths) {
        this.#parts.check();
        if (!(await this.#isOther(directories, path, pace))) continue;
        const base = await this.baseOf(path);
        const stat = this.directory.statOf(path);
        changed.push({ path, base, isThere: stat !== undefined && !stat.isDirectory() });
        await pace.step();
      }
    });
    return changed;
  }

  /** Does a path hold something else than it should? One that has diverged and does not only waits for what the session has. */
  async #isOther(directories: Directories, path: WorkspacePath, pace: Pacer): Promise<boolean> {
    const { is } = await this.#look(directories, path, [await this.inPlace(path)], pace);
    if (is === "other") return true;
    if (HoldfastError.is(is) || !this.#diverged.has(path)) return false;
    // Nothing was in place, and the session's file has no place there: others have taken it.
    if (is === "absent" && this.hasFile(path) && this.directory.obstacleTo(path) !== undefined) return true;
    if (!this.#waiting.has(path)) this.#waiting.set(path, undefined);
    return false;
  }

  /** Whether a path surely holds what it should: told by its stat alone. */
  isUnchanged(path: WorkspacePath, stat: BigIntStats | undefined = this.directory.statOf(path)): boolean {
    if (this.#diverged.has(path)) return false;
    const entry = fileAt(this.#mark.files, path);
    if (stat === undefined || entry === undefined) return (stat === undefined) === (entry === undefined);
    const known = stat.isFile() ? this.index.bodyOf(path, stat) : undefined;
    return known !== undefined && isSameVersion(entry, known);
  }

  get files(): FilesState {
    return this.#mark.files;
  }

  get diverged(): WorkspacePath[] {
    return [...this.#diverged.keys()];
  }

  /** Has the session a file at a path, as far as the directory shows it? */
  hasFile(path: WorkspacePath): boolean {
    return fileAt(this.#mark.files, path) !== undefined;
  }

  /** What a path should hold: what was imported from it last, or what the session had there. */
  async inPlace(path: WorkspacePath): Promise<FileBody | undefined> {
    return this.#held.has(path) ? this.#held.get(path) : this.baseOf(path);
  }

  /**
   * Notes what a path held when it was imported: the next `apply` overwrites that, and nothing else, once the session has something
   * else there. `as` is what the session has of it, if it has it as it was read.
   */
  holds(path: WorkspacePath, read: OutsideBody | undefined, as: FileBody | undefined, now: number): void {
    this.diverge(path);
    this.#held.set(path, as ?? read);
    this.#waiting.set(path, undefined);
    this.#doubtful.delete(path);
    if (read !== undefined) this.index.set(path, read.print, as ?? read, now);
  }

  /** Why the system did not write a path that waits for it. */
  failureAt(path: WorkspacePath): HoldfastError | undefined {
    return this.#waiting.get(path);
  }

  /** Paths that the next `apply` tries again. */
  get waiting(): WorkspacePath[] {
    return [...this.#waiting.keys()];
  }

  *#tracked(to: WorkspacePath): Generator<WorkspacePath, void, undefined> {
    for (const { path } of filesUnder(this.#mark.files, to)) yield path;
    for (const path of this.#diverged.keys()) if (fileAt(this.#mark.files, path) === undefined) yield path;
  }

  /** What was last in place at a path. */
  async baseOf(path: WorkspacePath): Promise<FileEntry | undefined> {
    const seq = this.#diverged.get(path);
    if (seq === undefined) return fileAt(this.#mark.files, path);
    try {
      return seq === 0
        ? undefined
        : fileAt(filesIn(await this.#parts.core.timeline.past({ seq, hash: "" })), path);
    } catch (error) {
      if (HoldfastError.is(error) && error.code === "conflict") return undefined;
      throw error;
    }
  }

  isDiverged(path: WorkspacePath): boolean {
    return this.#diverged.has(path);
  }

  diverge(path: WorkspacePath): void {
    if (!this.#diverged.has(path)) this.#diverged.set(path, this.#mark.at.seq);
  }

  agree(path: WorkspacePath): void {
    this.#diverged.delete(path);
    this.#held.delete(path);
    this.#waiting.delete(path);
    this.#doubtful.delete(path);
  }
}

function tooManyDiverged(): HoldfastError {
  return new HoldfastError(
    "conflict",
    "too_many_diverged",
    say`Too many files were changed both in the session and in its directory. Sync, saying for each path which side to take, first.`,
  );
}
