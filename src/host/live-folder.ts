// Owns: a folder of the user's that is part of a session: what agents commit is in the folder when their call returns, and what
// people change there is in the session before the next call looks.
// Must never: lose a text. What is overwritten or removed here is in the history.

import { statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { HoldfastError } from "../errors.ts";
import { isUnder, segmentsOf, type WorkspacePath } from "../path/index.ts";
import { commitAs, type Actor } from "../session/actor.ts";
import type { Draft } from "../session/draft.ts";
import type { FileChange } from "../session/files/file-change.ts";
import { pathNamedBy, pathOfFileKey } from "../session/files/file-keys.ts";
import { fileAt, filesUnder } from "../session/files/file-state.ts";
import { filesSlice } from "../session/files/files-slice.ts";
import type { OutsideFolder, OutsideNotes, Unplaced } from "../session/outside.ts";
import type { SessionCore } from "../session/transact.ts";
import type { Change, Position } from "../store/journal.ts";
import { Pacer } from "../text/steps.ts";
import { createdBy, refuseOutside } from "./_live-guard.ts";
import { refuseOther } from "./_live-lock.ts";
import { LivePlace, OWN, placeHash } from "./_live-place.ts";
import { busyOutside, liveFolder } from "./_live-refusal.ts";
import { LiveWatch } from "./_live-watch.ts";
import { loadMirror, saveMirror } from "./_mirror-row.ts";
import { planImport, type FoundOutside } from "./_plan-import.ts";
import { Ownership, type Owned } from "./_ownership.ts";
import type { OutsideBody } from "./_outside-file.ts";
import { filesIn, isSameVersion } from "./_past-versions.ts";
import { isLeftOut, noSuchFolder, openWay } from "./_scan-mount.ts";
import { GRAIN_MS, StatIndex } from "./_stat-index.ts";
import { TakenFiles } from "./_taken-files.ts";
import { Mirror, type OutsideChange } from "./mirror.ts";
import type { ResolvedMount, SkipReason } from "./mount.ts";
import { readOutside } from "./sync-mirror.ts";

export interface LiveFolderParts {
  readonly core: SessionCore;
  readonly host: Actor;
  readonly mount: ResolvedMount;
  /** The record that mounted it. */
  readonly mounted: Position;
  readonly report: (what: string, cause: unknown) => void;
}

/** A file that still changes after so long is busy. Files that a call is not about are not waited for so long. */
const BUSY_MS = 2_000;
const PASSING_MS = 2 * GRAIN_MS;
const LAG_MS = 100;
/** After so long, what the system did not write is tried again. */
const RETRY_MS = 2_000;
const NO_NOTES: OutsideNotes = { diverged: [], ignored: [], unplaced: [] };
const ROUNDS = 20;
const REMEMBERED = 1_000;

/** A path that both sides changed: in records after `from`, seen by the import `to`. */
interface Met {
  readonly path: WorkspacePath;
  readonly from: number;
  readonly to: number;
}

export class LiveFolder implements OutsideFolder {
  readonly #parts: LiveFolderParts;
  readonly #place: LivePlace;
  readonly #own: Ownership;
  readonly #row: string;
  readonly #external: Actor;
  readonly #watch: LiveWatch;
  #met: Met[] = [];
  /** The last record that may have brought in something. */
  #imported = 0;
  /** Entries that the watch has named and that are still to be looked at. */
  readonly #hints: (readonly string[])[] = [];
  #mirror!: Mirror;
  #taken!: TakenFiles;
  #check: () => void = () => {};
  #later: NodeJS.Timeout | undefined;
  #isClosed = false;

  private constructor(parts: LiveFolderParts, place: LivePlace) {
    const { core, host, mount } = parts;
    this.#parts = parts;
    this.#place = place;
    this.#row = liveRow(mount.to);
    this.#external = { agent: "external", role: "external", now: () => host.now() };
    this.#own = new Ownership({ journal: core.journal, name: this.#row, release: () => this.#save() });
    this.#watch = new LiveWatch({
      open: (way) => openWay(mount, [...mount.way, ...way]),
      changed: (ways) => void this.#hinted(ways),
    });
  }

  /** Takes part in a folder: finishes what a process that died left, and imports what was changed meanwhile. */
  static async open(parts: LiveFolderParts): Promise<LiveFolder> {
    const { core, mount, mounted } = parts;
    const place = new LivePlace(core.journal, openWay(mount, mount.way));
    const folder = new LiveFolder(parts, place);
    try {
      const row = await loadMirror(core.journal, folder.#row);
      const begin = row ?? { where: "", mark: mounted, diverged: new Map() };
      folder.#mirror = await Mirror.open(
        {
          core,
          row: folder.#row,
          to: mount.to,
          scope: mount,
          place,
          index: new StatIndex(),
          check: () => folder.#check(),
          // Another session may be live in a folder below.
          own: (way) => refuseOther(join(mount.root, ...way), core.journal.id, mount.pin),
        },
        begin.mark.seq < mounted.seq ? { ...begin, mark: mounted } : begin,
      );
      const [external, mirror] = [folder.#external, folder.#mirror];
      folder.#taken = new TakenFiles({ core, external, to: mount.to, place, mirror });
      await folder.#run(async () => {
        await folder.#taken.recover();
        await folder.#reconcile(undefined, []);
      });
      // What is imported from elsewhere is put in place without a call that waits for it.
      core.timeline.onAdvance(() => folder.#lookLater(LAG_MS));
      folder.#watchDirectories();
      return folder;
    } catch (error) {
      await folder.close();
      throw error;
    }
  }

  async refresh(draft: Draft): Promise<boolean> {
    const paths = this.#pathsOf([...draft.reads, ...draft.touched]);
    const isWide = [...draft.reads].some((key) => {
      const path = key.startsWith("dir:") ? pathNamedBy(key) : undefined;
      return path !== undefined && isUnder(path, this.#parts.mount.to);
    });
    if (paths.length > 0 || isWide) this.#refuseMoved();
    const left = paths.filter((path) => !this.#mirror.isUnchanged(path));
    const touched = this.#pathsOf(draft.touched);
    // A search is not refused for one file that it passes by.
    const asked = isWide ? left.filter((path) => touched.includes(path)) : left;
    const then = filesIn(draft.base);
    if (left.length > 0 || isWide) {
      const isNew = left.some((path) => fileAt(then, path) === undefined);
      await this.#run(() => this.#reconcile(isWide || isNew ? undefined : left, asked));
    }
    const { core, mount } = this.#parts;
    // The watch or another process may have imported since the draft was begun: nothing is left to import then, but to look again.
    const now = filesIn(core.timeline.state);
    const isOld = isWide || paths.some((path) => !isSameVersion(fileAt(then, path), fileAt(now, path)));
    if (isOld && this.#imported > draft.base.at.seq) return true;
    refuseOutside({ core, mount, directory: this.#mirror.directory }, draft, { touched, left, asked });
    return false;
  }

  /** What is held is the folder that was mounted, wherever it is now: calls mean the one at its place. */
  #refuseMoved(): void {
    const { mount } = this.#parts;
    const there = statSync(join(mount.root, ...mount.way), { bigint: true, throwIfNoEntry: false });
    const { dev, ino } = this.#place.root.self();
    if (there === undefined || there.dev !== dev || there.ino !== ino) throw noSuchFolder(mount);
  }

  refuseUndo(records: readonly number[], scope: string | undefined): void {
    const { mount, mounted } = this.#parts;
    const part = scope as WorkspacePath | undefined;
    const isMeant = part === undefined || isUnder(part, mount.to) || isUnder(mount.to, part);
    if (isMeant && records.includes(mounted.seq)) throw liveFolder(mount.to);
  }

  refuse(draft: Draft): void {
    const { mount, mounted } = this.#parts;
    for (const change of draft.changes.filter(isOfFiles)) {
      if (change.op !== "revert") continue;
      if (!isUnder(change.path as WorkspacePath, mount.to)) continue;
      const { undoes = [], restores = Number.POSITIVE_INFINITY } = change;
      if (undoes.includes(mounted.seq) || restores < mounted.seq) throw liveFolder(mount.to);
    }
  }

  async settled(at: Position, draft: Draft): Promise<OutsideNotes> {
    const paths = this.#pathsOf(draft.touched);
    if (paths.length === 0) return NO_NOTES;
    try {
      await this.#run(async () => {
        if (this.#mirror.mark.seq >= at.seq) return;
        const met = await this.#mirror.apply();
        if (met.length > 0) await this.#reconcile(met, met);
      });
    } catch (cause) {
      return { ...NO_NOTES, unplaced: this.#unplaced(paths, cause) };
    }
    const failed = paths.filter((path) => this.#mirror.failureAt(path) !== undefined);
    const unplaced = this.#unplaced(failed, this.#mirror.failureAt(failed[0] as WorkspacePath));
    const isMet = (path: WorkspacePath): boolean =>
      this.#mirror.isDiverged(path) ||
      this.#met.some((met) => met.path === path && met.from < at.seq && at.seq < met.to);
    const { mount } = this.#parts;
    const below = segmentsOf(mount.to).length;
    const ignored = createdBy(draft, paths).filter((path) => isLeftOut(mount, segmentsOf(path).slice(below)));
    return { diverged: paths.filter((path) => !failed.includes(path) && isMet(path)), ignored, unplaced };
  }

  /** Notes that the folder does not show these paths, for the host too. They are tried again without a call that asks for it. */
  #unplaced(paths: readonly WorkspacePath[], cause: unknown): Unplaced[] {
    if (paths.length === 0) return [];
    this.#parts.report("a live folder could not be brought up to date", cause);
    this.#lookLater(RETRY_MS);
    const reasonOf = (path: WorkspacePath): string => {
      const error = this.#mirror.failureAt(path) ?? cause;
      return HoldfastError.is(error) ? error.reason : "host_failed";
    };
    return paths.map((path) => ({ path, reason: reasonOf(path) }));
  }

  /** Looks at entries that may have changed, together with those that others name meanwhile. */
  async #hinted(ways: readonly (readonly string[])[]): Promise<void> {
    const isLooking = this.#hints.length > 0;
    this.#hints.push(...ways);
    if (isLooking || ways.length === 0) return;
    try {
      await this.#run(() => this.#lookAtHints());
    } catch (cause) {
      if (!this.#isClosed) this.#parts.report("a live folder could not be looked at", cause);
    }
  }

  async #lookAtHints(): Promise<void> {
    const { mount } = this.#parts;
    const ways = this.#hints.splice(0);
    const pathOf = (way: readonly string[]): WorkspacePath => `${mount.to}/${way.join("/")}` as WorkspacePath;
    const isNews = (way: readonly string[]): boolean => {
      const path = pathOf(way);
      if (this.#mirror.isUnchanged(path)) return false;
      return this.#mirror.hasFile(path) || (way[0] !== OWN && !isLeftOut(mount, way));
    };
    if (this.#isClosed) return;
    const news = ways.filter(isNews).map(pathOf);
    if (news.length === 0) return;
    const isTracked = news.every((path) => this.#mirror.hasFile(path));
    // One that is being written gives another hint when it is done.
    if (await this.#reconcile(isTracked ? news : undefined, [])) this.#watchDirectories();
  }

  #watchDirectories(): void {
    const ways = new Map<string, readonly string[]>([["", []]]);
    for (const { path } of filesUnder(this.#mirror.files, this.#parts.mount.to)) {
      const { way } = this.#mirror.directory.placeOf(path);
      for (let depth = 1; depth <= way.length; depth++)
        ways.set(way.slice(0, depth).join("/"), way.slice(0, depth));
    }
    this.#watch.follow(ways.values());
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearTimeout(this.#later);
    this.#watch.close();
    try {
      await this.#own.release();
    } finally {
      this.#place.close();
    }
  }

  #pathsOf(keys: Iterable<string>): WorkspacePath[] {
    const paths = new Set<WorkspacePath>();
    for (const key of keys) {
      const path = pathOfFileKey(key);
      if (path !== undefined && path !== this.#parts.mount.to && isUnder(path, this.#parts.mount.to))
        paths.add(path);
    }
    return [...paths];
  }

  #run<T>(work: () => Promise<T>): Promise<T> {
    return this.#own.run(async ({ isFresh, check }: Owned) => {
      this.#check = check;
      if (isFresh) {
        const row = await loadMirror(this.#parts.core.journal, this.#row);
        if (row !== undefined) {
          await this.#mirror.adopt(row);
          this.#imported = Math.max(this.#imported, row.mark.seq);
        }
      }
      return work();
    });
  }

  async #save(): Promise<void> {
    const { state } = this.#mirror;
    await saveMirror(this.#parts.core.journal, this.#row, state);
  }

  /**
   * Makes folder and session equal at these paths, or at all: true when something was imported. Throws `conflict` / `busy_outside` for
   * those that are `asked` for; others that are being written are left for later.
   */
  async #reconcile(
    paths: readonly WorkspacePath[] | undefined,
    asked: readonly WorkspacePath[],
  ): Promise<boolean> {
    const wait = new Patience(asked);
    let hasImported = false;
    let left = paths;
    for (let round = 0; round < ROUNDS; round++) {
      if (await this.#taken.importDue()) hasImported = this.#noteImport();
      const { due } = this.#taken;
      if (due !== undefined) this.#lookLater(due);
      await this.#mirror.apply();
      // A directory in the place of a file has files of its own.
      if (left?.some((path) => this.#mirror.directory.statOf(path)?.isDirectory() === true)) left = undefined;
      const { changed, skipped } =
        left === undefined ? await this.#mirror.changes() : { changed: [], skipped: [] };
      const looked = new Set(changed.map(({ path }) => path));
      // What was a file of the session, and can be none any more.
      const barred = skipped
        .map(({ path }) => `${this.#parts.mount.to}/${path}` as WorkspacePath)
        .filter((path) => this.#mirror.hasFile(path));
      const others = [...(left ?? []), ...barred, ...this.#mirror.diverged].filter(
        (path) => !looked.has(path),
      );
      changed.push(...(await this.#mirror.changesAt([...new Set(others)])));
      if (changed.length === 0) {
        if (this.#mirror.waiting.length > 0) await this.#mirror.apply();
        return hasImported;
      }
      const imported = await this.#import(changed, wait);
      if (imported.length === 0) return hasImported;
      hasImported = this.#noteImport();
      left = imported;
    }
    const busy = asked.filter((path) => left?.includes(path));
    if (busy.length > 0) throw busyOutside(busy);
    return hasImported;
  }

  #noteImport(): true {
    this.#imported = this.#parts.core.timeline.state.at.seq;
    return true;
  }

  /** Takes changes in, merged with what the session has changed meanwhile, and puts what that makes in place. */
  async #import(changed: readonly OutsideChange[], wait: Patience): Promise<WorkspacePath[]> {
    const { core } = this.#parts;
    const pace = new Pacer();
    const found: FoundOutside[] = [];
    // A program that saves may take a file away for a moment.
    if (changed.some(({ isThere }) => !isThere)) await sleep(GRAIN_MS);
    for (const { path } of changed) {
      const body = await this.#stable(path, wait.until(path), pace);
      if (body === "busy" && wait.isAsked(path)) throw busyOutside([path]);
      if (body === "busy" || body === "unreadable") continue;
      const isBarred = typeof body === "string";
      if (isBarred && !this.#isTracked(path)) this.#mirror.agree(path);
      // The session has nothing at a barred path from now on, and it stays as it is.
      else found.push({ path, base: await this.#mirror.inPlace(path), body: isBarred ? undefined : body });
    }
    if (found.length === 0) return [];
    const from = this.#mirror.mark.seq;
    const files = filesIn(core.timeline.state);
    const isMerge = found.some(({ path, base }) => !isSameVersion(base, fileAt(files, path)));
    const paths = found.map(({ path }) => path);
    const { at, value } = await commitAs(
      core,
      this.#external,
      "import",
      isMerge ? paths : this.#mirror.importRequest,
      (draft) => planImport(core, draft, found, { isMerge, time: this.#external.now() }),
    );
    for (const path of value.both) this.#met.push({ path, from: from - 1, to: at.seq + 1 });
    this.#met = this.#met.slice(-REMEMBERED);
    const now = Date.now() - GRAIN_MS;
    for (const { path, read, as } of value.taken) this.#mirror.holds(path, read, as, now);
    await this.#mirror.apply();
    return [...value.taken.map(({ path }) => path), ...value.late];
  }

  #isTracked(path: WorkspacePath): boolean {
    return this.#mirror.hasFile(path) || fileAt(filesIn(this.#parts.core.timeline.state), path) !== undefined;
  }

  /** A file that has rested; why it cannot be taken in; undefined when it is gone; `busy` when it has not rested in time. */
  async #stable(
    path: WorkspacePath,
    until: number,
    pace: Pacer,
  ): Promise<OutsideBody | SkipReason | "busy" | undefined> {
    let isLast: boolean;
    do {
      // Where the thread or the machine is slow, a file may have rested all the while: it is looked at once more.
      isLast = performance.now() >= until;
      const stat = this.#mirror.directory.statOf(path);
      if (stat === undefined || stat.isDirectory()) return undefined;
      if (await hasSlept(stat.mtimeNs)) continue;
      const body = await readOutside(this.#parts.core, this.#mirror, path, pace);
      // A program that saves may give a file a second name, or a link its name, for a moment.
      const isBarred = typeof body === "string" && body !== "changing";
      if (body !== "changing" && !(isBarred && (await hasSlept(stat.ctimeNs)))) return body;
    } while (!isLast);
    return "busy";
  }

  #lookLater(ms: number): void {
    if (this.#isClosed || this.#later !== undefined) return;
    this.#later = setTimeout(() => {
      this.#later = undefined;
      if (this.#isClosed) return;
      const isLagging =
        this.#mirror.mark.seq < this.#parts.core.timeline.state.at.seq || this.#mirror.waiting.length > 0;
      const { due } = this.#taken;
      if (!isLagging && due !== 0) {
        if (due !== undefined) this.#lookLater(due);
        return;
      }
      this.#run(() => this.#reconcile([], [])).then(
        () => this.#mirror.waiting.length > 0 && this.#lookLater(RETRY_MS),
        (cause: unknown) => {
          if (this.#isClosed) return;
          this.#parts.report("a live folder could not be looked at", cause);
          this.#lookLater(RETRY_MS);
        },
      );
    }, ms);
    this.#later.unref();
  }
}

/** How long files that are being written are waited for. */
class Patience {
  readonly #begun = performance.now();
  readonly #asked: ReadonlySet<WorkspacePath>;

  constructor(asked: Iterable<WorkspacePath>) {
    this.#asked = new Set(asked);
  }

  isAsked(path: WorkspacePath): boolean {
    return this.#asked.has(path);
  }

  until(path: WorkspacePath): number {
    return this.isAsked(path) ? performance.now() + BUSY_MS : this.#begun + PASSING_MS;
  }
}

/** Waits until a moment of a file's is long enough ago; false when it is already. */
async function hasSlept(ns: bigint): Promise<boolean> {
  const age = Date.now() - Number(ns / 1_000_000n);
  if (age < 0 || age >= GRAIN_MS) return false;
  await sleep(GRAIN_MS - age + 1);
  return true;
}

function isOfFiles(change: Change): change is FileChange {
  return change.slice === filesSlice.name;
}

/** The row beside the history that a live folder has. */
export function liveRow(to: WorkspacePath): string {
  return `live:${placeHash(to)}`;
}
