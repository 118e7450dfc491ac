// Owns: keeping a directory of the host equal to the session: what to write where, and what was changed there by others.
// Must never: overwrite or remove what others have changed. The bytes decide; stats only save reading them.

import type { BigIntStats } from "node:fs";
import { HoldfastError, say } from "../errors.ts";
import type { WorkspacePath } from "../path/index.ts";
import type { FileBody } from "../session/files/file-change.ts";
import {
  fileAt,
  filesUnder,
  NO_FILES,
  type FileEntry,
  type FilesState,
} from "../session/files/file-state.ts";
import { fileChangesBetween } from "../session/files/files-slice.ts";
import type { SessionCore } from "../session/transact.ts";
import type { Content, Position } from "../store/journal.ts";
import { Pacer } from "../text/steps.ts";
import type { Directories } from "./_directories.ts";
import { isInTheWay, MirroredDirectory } from "./_mirrored-directory.ts";
import { fitsRow, type MirrorState } from "./_mirror-row.ts";
import { holdsContent, isExecutable, using } from "./_outside-file.ts";
import { filesIn, versionsAt } from "./_past-versions.ts";
import { scanMount, skipReasonOf } from "./_scan-mount.ts";
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
  /** The part of the workspace that is mirrored. */
  readonly to: WorkspacePath;
  /** What of the directory counts. */
  readonly scope: ResolvedMount;
  readonly place: MirrorPlace;
  /** What is known of the files there already. */
  readonly index: StatIndex;
  /** Called between files: throws when another process may have taken over. */
  readonly check: () => void;
  /** Told of directories of ours in it, by their way from the root. */
  readonly own?: (way: readonly string[]) => void;
}

/** A path that others changed: `base` is what was in place. */
export interface OutsideChange {
  readonly path: WorkspacePath;
  readonly base: FileEntry | undefined;
  readonly isThere: boolean;
}

/** What is at a path. `other`: bytes that are none of those looked for, or no file. `unreadable`: nobody can say. */
type Look = { readonly is: InPlace | "absent" | "other" | "unreadable" };

/** Versions that are compared with what is at a path. */
const VERSIONS = 1_000;

export class Mirror {
  readonly index: StatIndex;
  readonly directory: MirroredDirectory;
  readonly #parts: MirrorParts;
  #where: string;
  #mark: { readonly at: Position; readonly files: FilesState };
  #diverged: Map<WorkspacePath, number>;
  /** What diverged paths hold that was imported already, and merged into something else. */
  readonly #held = new Map<WorkspacePath, FileBody | undefined>();

  private constructor(parts: MirrorParts, state: MirrorState, files: FilesState) {
    this.#parts = parts;
    this.index = parts.index;
    this.directory = new MirroredDirectory(parts.place.root, parts.to);
    this.#where = state.where;
    this.#mark = { at: state.mark, files };
    this.#diverged = new Map(state.diverged);
  }

  /** A mirror that was left in this state. Throws `conflict` when its mark is not in the history, or pruned. */
  static async open(parts: MirrorParts, state: MirrorState): Promise<Mirror> {
    const files = state.mark.seq === 0 ? NO_FILES : filesIn(await parts.core.timeline.past(state.mark));
    return new Mirror(parts, state, files);
  }

  /** What has to be kept of it. */
  get state(): MirrorState {
    return { where: this.#where, mark: this.#mark.at, diverged: this.#diverged };
  }

  get mark(): Position {
    return this.#mark.at;
  }

  /** Takes what another owner left. */
  async adopt(state: MirrorState): Promise<void> {
    this.#where = state.where;
    this.#diverged = new Map(state.diverged);
    if (state.mark.seq === this.#mark.at.seq && state.mark.hash === this.#mark.at.hash) return;
    const files = state.mark.seq === 0 ? NO_FILES : filesIn(await this.#parts.core.timeline.past(state.mark));
    this.#mark = { at: state.mark, files };
  }

  /**
   * Makes the directory show the newest state that is known here, and moves the mark there. Returns the paths that others have
   * changed since the mark: they are left as they are, and count as diverged from now on.
   */
  async apply(): Promise<WorkspacePath[]> {
    const { core, to, check } = this.#parts;
    const head = core.timeline.state;
    const files = filesIn(head);
    const pace = new Pacer();
    const found: WorkspacePath[] = [];
    const changes = [...fileChangesBetween(this.#mark.files, files, to)];
    await this.directory.within(async (directories) => {
      // A name that a deletion frees can be taken by another file.
      for (const isDeletion of [true, false])
        for (const { before, after } of changes) {
          if ((after === undefined) !== isDeletion) continue;
          const { path } = (before ?? after) as FileEntry;
          check();
          if (this.#diverged.has(path)) continue;
          if (!(await this.#bring(directories, path, before, after, head.at, pace))) found.push(path);
          await pace.step();
        }
    });
    const { seq } = this.#mark.at;
    for (const path of found) this.#diverged.set(path, seq);
    if (!fitsRow({ ...this.state, mark: head.at })) {
      for (const path of found) this.#diverged.delete(path);
      throw tooManyDiverged();
    }
    this.#mark = { at: head.at, files };
    return found;
  }

  /** Puts `after` in place of `before`, of itself, or of what the session had in between; false: something else is there. */
  async #bring(
    directories: Directories,
    path: WorkspacePath,
    before: FileEntry | undefined,
    after: FileEntry | undefined,
    head: Position,
    pace: Pacer,
  ): Promise<boolean> {
    let look = await this.#look(directories, path, [before, after], pace);
    if (look.is === "other")
      // An owner that died may have put there what the session had since the mark.
      look = await this.#look(directories, path, await this.#since(path, head), pace);
    return this.#replace(directories, path, look, after);
  }

  /** Puts `after` at a path that still has what was seen of it. */
  async #replace(
    directories: Directories,
    path: WorkspacePath,
    look: Look,
    after: FileBody | undefined,
  ): Promise<boolean> {
    if (look.is === "other" || look.is === "unreadable") return false;
    const there = look.is === "absent" ? undefined : look.is;
    if (there === undefined ? after === undefined : after !== undefined && isSameBody(there.body, after))
      return true;
    const { place } = this.#parts;
    const { way, name } = this.directory.placeOf(path);
    try {
      if (after === undefined) {
        const directory = this.directory.find(directories, way);
        if (directory === undefined || there === undefined) return true;
        if (!(await place.remove(directory, name, there, path))) return false;
        this.index.delete(path);
        directories.prune(way);
        return true;
      }
      const now = Date.now();
      const print = await place.put(directories.make(way), name, there, after, path);
      if (print === undefined) return false;
      this.index.set(path, print, after, now);
      return true;
    } catch (error) {
      if (isInTheWay(error)) return false;
      throw error;
    }
  }

  /** Puts what the session has at a path in place of `outside`, which has been imported. */
  async settle(path: WorkspacePath, outside: FileBody | undefined): Promise<boolean> {
    const after = fileAt(this.#mark.files, path);
    return this.directory.within(async (directories) => {
      const look = await this.#look(directories, path, [outside, after], new Pacer());
      return this.#replace(directories, path, look, after);
    });
  }

  #since(path: WorkspacePath, head: Position): Promise<(FileEntry | undefined)[]> {
    return versionsAt(this.#parts.core, path, { after: this.#mark.at.seq, upTo: head.seq, limit: VERSIONS });
  }

  /** Which of some versions is at a path. Throws only what is no refusal. */
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
      const known = stat.isFile() ? this.index.bodyOf(path, printOf(stat)) : undefined;
      const same = known === undefined ? undefined : wanted.find((one) => one && isSameBody(one, known));
      if (same !== undefined) return { is: { body: same, print: printOf(stat) } };
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
      if (!isInTheWay(error)) throw error;
      const isUnreadable = HoldfastError.is(error) && skipReasonOf(error) === "unreadable";
      return { is: isUnreadable ? "unreadable" : "other" };
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
        const base = await this.baseOf(path);
        const print = printOf(there.get(path) as BigIntStats);
        const known = base === undefined ? undefined : this.index.bodyOf(path, print);
        const isSame = base !== undefined && known !== undefined && isSameBody(base, known);
        if (isSame) continue;
        check();
        const look = await this.#look(directories, path, [base], pace);
        if (look.is === "other") changed.push({ path, base, isThere: true });
        await pace.step();
      }
    });
    // What the scope leaves out is looked at nevertheless once it is tracked.
    const missed = Array.from(this.#tracked(to)).filter(
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
        const [base, held] = [await this.baseOf(path), await this.inPlace(path)];
        const look = await this.#look(directories, path, [held], pace);
        if (look.is !== "other") continue;
        const stat = this.directory.statOf(path);
        changed.push({ path, base, isThere: stat !== undefined && !stat.isDirectory() });
        await pace.step();
      }
    });
    return changed;
  }

  /** Whether a path surely holds what it should: told by its stat alone. */
  isUnchanged(path: WorkspacePath): boolean {
    if (this.#diverged.has(path)) return false;
    const entry = fileAt(this.#mark.files, path);
    const stat = this.directory.statOf(path);
    if (stat === undefined || entry === undefined) return (stat === undefined) === (entry === undefined);
    const known = stat.isFile() ? this.index.bodyOf(path, printOf(stat)) : undefined;
    return known !== undefined && isSameBody(entry, known);
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

  /** Notes what a path holds that has been imported: nothing else may be overwritten there. */
  holds(path: WorkspacePath, body: FileBody | undefined): void {
    this.diverge(path);
    this.#held.set(path, body);
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
  }
}

function isSameBody(a: FileBody, b: FileBody): boolean {
  return a.executable === b.executable && isSameStored(a.content, b.content);
}

/** The same bytes in the same blobs. */
function isSameStored(a: Content, b: Content): boolean {
  if (a === b) return true;
  return a.size === b.size && JSON.stringify(a.extents) === JSON.stringify(b.extents);
}

function tooManyDiverged(): HoldfastError {
  return new HoldfastError(
    "conflict",
    "too_many_diverged",
    say`Too many files were changed both in the session and in its directory. Call sync() with \`take\` first.`,
  );
}
