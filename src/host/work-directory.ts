// Owns: the work directory of a session: a real directory that shows its files, for containers and programs to work in.
// Must never: be made unasked, or overwrite what was changed in it.

import { HoldfastError, say, sayAll } from "../errors.ts";
import { ROOT, type WorkspacePath } from "../path/index.ts";
import type { Actor } from "../session/actor.ts";
import { filesUnder } from "../session/files/file-state.ts";
import { isGone } from "../session/follow.ts";
import type { DryRun } from "../session/history.ts";
import { positionOf, type PositionRef } from "../session/position-ref.ts";
import type { SessionCore } from "../session/transact.ts";
import { Ownership, type Owned } from "./_ownership.ts";
import { loadMirror, saveMirror, type MirrorState } from "./_mirror-row.ts";
import { filesIn } from "./_past-versions.ts";
import { StatIndex } from "./_stat-index.ts";
import { removePlace, SHARED, WorkPlace } from "./_work-place.ts";
import { Mirror, type MirrorParts } from "./mirror.ts";
import type { ResolvedMount } from "./mount.ts";
import type { PinOptions } from "./pinned-directory.ts";
import { syncMirror, type SyncReport, type SyncRequest } from "./sync-mirror.ts";

/** How a directory may be handed out. */
export interface DirectoryOptions {
  /**
   * Hand out a directory where this system cannot keep a process in it from leading Holdfast astray with swapped links: where
   * there is no `/proc/self/fd`. Then share it only with programs that you trust.
   */
  readonly acceptRaces?: boolean;
}

export interface WorkDirectoryParts {
  readonly core: SessionCore;
  readonly host: Actor;
  /** The session is lost with the process: its directory goes when it is closed. */
  readonly isVolatile: boolean;
  readonly pin?: PinOptions;
  readonly report: (what: string, cause: unknown) => void;
}

/** Paths that an error names. */
const NAMED = 5;
const ROW = "directory";
const NOT_UP_TO_DATE = "the directory of a session could not be brought up to date";

interface Opened {
  readonly place: WorkPlace;
  readonly mirror: Mirror;
}

export class WorkDirectory {
  readonly #parts: WorkDirectoryParts;
  readonly #own: Ownership;
  #opened: Opened | undefined;
  /** What the row holds. */
  #saved = "";
  #catchingUp: Promise<void> | undefined;
  #isLagging = false;
  #isListening = false;
  #isFollowing = false;
  #isClosed = false;

  constructor(parts: WorkDirectoryParts) {
    this.#parts = parts;
    this.#own = new Ownership({
      journal: parts.core.journal,
      name: ROW,
      release: () => this.#save(),
    });
  }

  /** The path of the directory, which shows the newest state that this process knows. */
  async directory({ acceptRaces = false }: DirectoryOptions = {}): Promise<string> {
    const path = await this.#run(true, async ({ place, mirror }) => {
      if (!place.root.isRaceFree && !acceptRaces) throw racesNotGuarded();
      await this.#apply(mirror);
      await this.#save();
      return place.shared;
    });
    this.#follow();
    return path;
  }

  /** Resolves when the directory shows the session at a position, but for what has diverged. Throws what the system did not write. */
  async settled(at?: PositionRef): Promise<void> {
    const { timeline } = this.#parts.core;
    const wanted =
      at === undefined ? (await timeline.catchUp()).at : (await timeline.past(positionOf(at))).at;
    for (;;) {
      const mark = await this.#run(false, async ({ mirror }) => {
        const failure = await this.#apply(mirror, wanted.seq);
        if (failure !== undefined) throw failure;
        // What is changed there from now on was made of this state, also after a crash.
        await this.#save();
        return mirror.mark;
      });
      if (mark.seq >= wanted.seq) return;
      await timeline.catchUp();
    }
  }

  /** Imports what was changed in the directory. */
  async sync(request: SyncRequest & DryRun = {}): Promise<SyncReport> {
    const { core, host } = this.#parts;
    await core.timeline.catchUp();
    return this.#run(false, async ({ mirror }) => {
      const report = await syncMirror(core, host, mirror, request);
      await this.#save();
      return report;
    });
  }

  /** Ends the present directory: the next one is new. Nothing happens where there is none. */
  async renew(): Promise<void> {
    const { journal } = this.#parts.core;
    this.#isFollowing = false;
    const hadOne = this.#opened !== undefined || (await loadMirror(journal, ROW)) !== undefined;
    if (hadOne) await this.#own.run(() => this.#discard());
  }

  /** Stops following. The directory stays, unless the session goes. */
  async close({ isDeleted }: { readonly isDeleted: boolean }): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#catchingUp;
    try {
      if (isDeleted || this.#parts.isVolatile) await this.renew();
      await this.#own.release();
    } catch (error) {
      // Another process has removed the session.
      if (!isGone(error)) throw error;
    } finally {
      this.#opened?.place.close();
      this.#opened = undefined;
    }
  }

  async #discard(): Promise<void> {
    const { journal } = this.#parts.core;
    const where = this.#opened?.place.where ?? (await loadMirror(journal, ROW))?.where;
    this.#opened?.place.close();
    this.#opened = undefined;
    await saveMirror(journal, ROW, undefined);
    if (where !== undefined) await removePlace(where, this.#pin);
  }

  get #pin(): PinOptions {
    return this.#parts.pin ?? {};
  }

  /** Works on the directory as its owner, once it is there. */
  #run<T>(isMade: boolean, work: (opened: Opened) => Promise<T>): Promise<T> {
    return this.#own.run(async (owned) => {
      return work(await this.#open(isMade, owned));
    });
  }

  async #open(isMade: boolean, { isFresh, check }: Owned): Promise<Opened> {
    const { journal } = this.#parts.core;
    if (!isFresh && this.#opened?.place.isThere === true) return this.#opened;
    const row = await loadMirror(journal, ROW);
    if (row === undefined && !isMade) throw noDirectory();
    const known = this.#opened;
    if (known !== undefined && row?.where === known.place.where && known.place.isThere) {
      this.#saved = describe(row);
      await known.mirror.adopt(row);
      return known;
    }
    known?.place.close();
    this.#opened = undefined;
    this.#opened =
      (row === undefined ? undefined : await this.#reopen(row, check)) ?? (await this.#build(check));
    return this.#opened;
  }

  /** The directory of an earlier owner; undefined when it is lost, or what it should show is not known. */
  async #reopen(row: MirrorState, check: () => void): Promise<Opened | undefined> {
    const place = WorkPlace.open(this.#parts.core.journal, this.#pin, row.where);
    if (place === undefined) return undefined;
    try {
      place.sweep();
      const mirror = await Mirror.open(this.#mirrorParts(place, check, new StatIndex()), row);
      this.#saved = describe(row);
      return { place, mirror };
    } catch (error) {
      place.close();
      if (HoldfastError.is(error) && error.code === "conflict") return undefined;
      throw error;
    }
  }

  async #build(check: () => void): Promise<Opened> {
    const { core } = this.#parts;
    const { state } = core.timeline;
    const index = new StatIndex();
    const files = filesUnder(filesIn(state), ROOT);
    const place = await WorkPlace.build(core.journal, this.#pin, files, index);
    const row = { where: place.where, mark: state.at, diverged: new Map() };
    const mirror = await Mirror.open(this.#mirrorParts(place, check, index), row);
    await saveMirror(core.journal, ROW, row);
    this.#saved = describe(row);
    return { place, mirror };
  }

  #mirrorParts(place: WorkPlace, check: () => void, index: StatIndex): MirrorParts {
    const scope: ResolvedMount = {
      number: 0,
      root: place.where,
      way: [SHARED],
      to: ROOT,
      include: [],
      exclude: [],
      maxBytes: Number.MAX_SAFE_INTEGER,
      followSymlinks: false,
      strict: false,
      gitignore: false,
      live: false,
      pin: this.#pin,
      description: null,
    };
    return { core: this.#parts.core, row: ROW, to: ROOT, scope, place, index, check };
  }

  async #save(): Promise<void> {
    const state = this.#opened?.mirror.state;
    if (state === undefined || describe(state) === this.#saved) return;
    await saveMirror(this.#parts.core.journal, ROW, state);
    this.#saved = describe(state);
  }

  /** From now on the directory is brought up to date after every record. */
  #follow(): void {
    this.#isFollowing = true;
    if (!this.#isListening) this.#parts.core.timeline.onAdvance(() => this.#wake());
    this.#isListening = true;
  }

  #wake(): void {
    this.#isLagging = true;
    if (this.#isClosed || !this.#isFollowing || this.#catchingUp !== undefined) return;
    this.#catchingUp = this.#catchUp().finally(() => {
      this.#catchingUp = undefined;
      if (this.#isLagging) this.#wake();
    });
  }

  /** Brings the directory up to a position, or the newest. Returns what the system did not write of it, and tells the host. */
  async #apply(mirror: Mirror, seq = Number.POSITIVE_INFINITY): Promise<HoldfastError | undefined> {
    if (mirror.mark.seq < seq || mirror.waiting.length > 0) await mirror.apply();
    const failed = mirror.waiting.filter((path) => mirror.failureAt(path) !== undefined);
    const [first] = failed;
    if (first === undefined) return undefined;
    const failure = notWritten(failed, mirror.failureAt(first));
    this.#parts.report(NOT_UP_TO_DATE, failure);
    return failure;
  }

  async #catchUp(): Promise<void> {
    this.#isLagging = false;
    try {
      await this.#run(false, async ({ mirror }) => {
        await this.#apply(mirror, this.#parts.core.timeline.state.at.seq);
      });
    } catch (cause) {
      // Another process has ended this directory.
      if (HoldfastError.is(cause) && cause.reason === "no_directory") this.#isFollowing = false;
      else if (!this.#isClosed) this.#parts.report(NOT_UP_TO_DATE, cause);
    }
  }
}

function describe({ where, mark, diverged }: MirrorState): string {
  return JSON.stringify([where, mark.seq, mark.hash, [...diverged]]);
}

function notWritten(paths: readonly WorkspacePath[], cause: HoldfastError | undefined): HoldfastError {
  const more = paths.length > NAMED ? say` and ${paths.length - NAMED} more` : say``;
  return new HoldfastError(
    "conflict",
    "not_written",
    say`The system did not write ${sayAll(paths.slice(0, NAMED))}${more} in the directory of the session: it is full, or read-only there. Nothing is lost: mend that, and call settled() again.`,
    { cause },
  );
}

function noDirectory(): HoldfastError {
  return new HoldfastError(
    "invalid_argument",
    "no_directory",
    say`The session has no directory yet. Call directory() first.`,
  );
}

function racesNotGuarded(): HoldfastError {
  return new HoldfastError(
    "forbidden",
    "races_not_guarded",
    say`This system has no /proc/self/fd, so a process in the directory could lead Holdfast astray with swapped links. Share it only with programs you trust, and call directory({ acceptRaces: true }).`,
  );
}
