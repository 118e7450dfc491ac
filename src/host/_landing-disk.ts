// Owns: writing files of a landing into the folders, so that each is what it was or what it is to be, and can be put back.
// Must never: write over what is neither, or go below a folder but through the walk.

import { closeSync, fchmodSync, fstatSync, fsyncSync, readSync, writeSync, type BigIntStats } from "node:fs";
import { HoldfastError } from "../errors.ts";
import type { WorkspacePath } from "../path/index.ts";
import type { FolderFile } from "../session/folders/folder-file.ts";
import type { SessionCore } from "../session/transact.ts";
import { digest } from "../store/chain.ts";
import { readBytes } from "../text/index.ts";
import { Pacer } from "../text/steps.ts";
import type { FolderPlace } from "./_folder-place.ts";
import type { FolderReader } from "./_folder-reader.ts";
import { LandingRoom, removeEmpty } from "./_landing-room.ts";
import { asked, refusedAt } from "./_refusal.ts";
import { openTop, openWay } from "./_scan-mount.ts";
import { isSameContent, isSamePrint } from "./_stat-index.ts";
import type { PinnedDirectory } from "./pinned-directory.ts";

/** One path that a landing changes: what is there before and after it; undefined: nothing. */
export interface LandingStep {
  readonly path: WorkspacePath;
  readonly place: FolderPlace;
  readonly before: FolderFile | undefined;
  readonly after: FolderFile | undefined;
  /** Mode bits that a file gets on either side where none is there. */
  readonly modes: { readonly before: number | undefined; readonly after: number | undefined };
}

/** Which of the two is at a path; `stranger`: something else. */
export type FoundSide = "before" | "after" | "stranger";

/** One change of a folder; false when something else is there. */
interface Act {
  readonly step: LandingStep;
  readonly run: () => boolean;
}

const PIECE = 1 << 20;

export class LandingDisk {
  readonly #core: SessionCore;
  readonly #reader: FolderReader;
  readonly #pace = new Pacer();

  constructor(core: SessionCore, reader: FolderReader) {
    this.#core = core;
    this.#reader = reader;
  }

  /** What is at each path. */
  async look(steps: readonly LandingStep[]): Promise<FoundSide[]> {
    const room = await this.#roomOf(steps);
    const found: FoundSide[] = [];
    for (const step of steps) {
      found.push(
        (await this.#is(room, step, step.before))
          ? "before"
          : (await this.#is(room, step, step.after))
            ? "after"
            : "stranger",
      );
      await this.#pace.step();
    }
    return found;
  }

  async #is(room: LandingRoom, { place }: LandingStep, file: FolderFile | undefined): Promise<boolean> {
    if (file !== undefined) return (await this.#reader.look(place, file, this.#pace)) === "same";
    return room.statAt(place) === undefined;
  }

  /** Mode bits of what is there. */
  modeAt(place: FolderPlace): number | undefined {
    const stat = LandingRoom.none.statAt(place);
    return stat === undefined || stat === "unreachable" ? undefined : Number(stat.mode & 0o7777n);
  }

  /**
   * Makes each path what it is on one side, but for those to be left alone. All new content is written beside its place first, then
   * everything is put in place: removals that make room, files, other removals. Returns the first step whose path was neither: then some may
   * be in place, and `carry` to the other side undoes that.
   */
  async carry(
    landing: number,
    all: readonly LandingStep[],
    to: "before" | "after",
    beat: () => Promise<void>,
    leave: ReadonlySet<LandingStep> = new Set(),
  ): Promise<LandingStep | undefined> {
    const from = to === "after" ? "before" : "after";
    const room = await this.#roomOf(all);
    const writes: Act[] = [];
    const removals: Act[] = [];
    const held: { readonly directory: PinnedDirectory; readonly temporary: string }[] = [];
    const directories = new WaitingDirectories();
    try {
      for (const step of all) {
        if (leave.has(step)) continue;
        await beat();
        await this.#pace.step();
        if (await this.#is(room, step, step[to])) continue;
        const seen = room.statAt(step.place);
        if (seen === "unreachable" || !(await this.#is(room, step, step[from]))) return step;
        const target = step[to];
        if (target === undefined) {
          removals.push({ step, run: () => removeFile(step.place, seen) });
          continue;
        }
        const temporary = temporaryFor(landing, step.path);
        const waiting = at(step, () => directories.at(step.place.mount, room.wayToWait(step.place)));
        held.push({ directory: waiting, temporary });
        const mode = modeFor(step.modes[to], target, seen);
        await this.#fill(waiting, temporary, target, mode).catch((error: unknown) => {
          throw refusedAt(step.path, error);
        });
        const isRoom = room.isInTheWay(step.place);
        writes.push({ step, run: () => placeFile(waiting, temporary, step.place, seen, isRoom) });
      }
      const filled = await this.#roomOf(writes.map(({ step }) => step));
      const isFirst = await this.#pace.map(removals, ({ step }) => filled.isInTheWay(step.place));
      const first = removals.filter((_, i) => isFirst[i]);
      const last = removals.filter((_, i) => !isFirst[i]);
      for (const { step, run } of [...first, ...writes, ...last]) {
        await beat();
        if (!at(step, run)) return step;
        await this.#pace.step();
      }
      return undefined;
    } finally {
      // Where the directory is by now; and where a process that died has left one.
      for (const { directory, temporary } of held) {
        drop(directory, temporary);
        await this.#pace.step();
      }
      directories.close();
      for (const step of all) {
        dropTemporary(landing, step, room);
        await this.#pace.step();
      }
    }
  }

  #roomOf(steps: readonly LandingStep[]): Promise<LandingRoom> {
    return LandingRoom.of(
      steps.map(({ place }) => place),
      this.#pace,
    );
  }

  async #fill(
    directory: PinnedDirectory,
    name: string,
    file: FolderFile,
    mode: number | undefined,
  ): Promise<void> {
    if (directory.stat(name) !== undefined) directory.unlink(name);
    const fd = directory.createFile(name);
    const source = await this.#core.journal.source(file.content);
    try {
      for (let at = 0; at < source.size; at += PIECE) {
        const bytes = readBytes(source, at, PIECE);
        for (let done = 0; done < bytes.length;) done += asked(() => writeSync(fd, bytes, done));
        await this.#pace.step();
      }
      if (mode !== undefined) asked(() => fchmodSync(fd, mode));
      asked(() => fsyncSync(fd));
    } finally {
      source.close();
      closeSync(fd);
    }
  }
}

/** The directories in which files wait, each held open once: there may be more files than a process can hold open. */
class WaitingDirectories {
  readonly #open = new Map<string, PinnedDirectory>();

  at(mount: FolderPlace["mount"], way: readonly string[]): PinnedDirectory {
    const key = `${mount.number}:${way.join("/")}`;
    const directory = this.#open.get(key) ?? makeWay(mount, way);
    this.#open.set(key, directory);
    return directory;
  }

  close(): void {
    for (const directory of this.#open.values()) directory.close();
  }
}

/** Runs a part of a step; what the system refuses names its path. */
function at<T>({ path }: LandingStep, run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw refusedAt(path, error);
  }
}

/** The bits that a file gets: those of what it replaces, with the executable bit that it is to have. */
function modeFor(
  mode: number | undefined,
  { executable }: FolderFile,
  seen: BigIntStats | undefined,
): number | undefined {
  const base = seen === undefined ? mode : Number(seen.mode & 0o7777n);
  if (base === undefined && !executable) return undefined;
  const bits = base ?? 0o666 & ~process.umask();
  // Who may read it may run it.
  return executable ? bits | ((bits & 0o444) >> 2) : bits & ~0o111;
}

function temporaryFor(landing: number, path: WorkspacePath): string {
  return `.holdfast-${digest(`${landing} ${path}`).slice(0, 16)}.tmp`;
}

function dropTemporary(landing: number, { path, place }: LandingStep, room: LandingRoom): void {
  try {
    const directory = openWay(place.mount, room.wayToWait(place));
    try {
      drop(directory, temporaryFor(landing, path));
    } finally {
      directory.close();
    }
  } catch {
    // There is no such directory, so that nothing is left in it.
  }
}

function drop(directory: PinnedDirectory, temporary: string): void {
  try {
    directory.unlink(temporary);
  } catch {
    // It is in its place, or was never made.
  }
}

/** Puts a file in place if what is there is still what was seen. */
function placeFile(
  waiting: PinnedDirectory,
  temporary: string,
  { mount, way, name }: FolderPlace,
  seen: BigIntStats | undefined,
  isRoom: boolean,
): boolean {
  const directory = makeWay(mount, way);
  try {
    if (seen !== undefined) {
      const isPlaced = whileUnchanged(directory, name, seen, () =>
        waiting.rename(temporary, directory, name),
      );
      if (!isPlaced) return false;
    } else {
      if (isRoom) removeEmpty(directory, name);
      try {
        waiting.link(temporary, directory, name);
      } catch (error) {
        if (HoldfastError.is(error) && error.reason === "exists_outside") return false;
        throw error;
      }
      waiting.unlink(temporary);
    }
    directory.sync();
    return true;
  } finally {
    directory.close();
  }
}

/**
 * Takes the file of a name away, if it is still what was seen. What a program that had it open wrote to it at that very moment is put back:
 * then, too, it is a stranger.
 */
function whileUnchanged(
  directory: PinnedDirectory,
  name: string,
  seen: BigIntStats,
  take: () => void,
): boolean {
  const now = directory.stat(name);
  if (now === undefined || !isSamePrint(now, seen)) return false;
  const { fd, stat } = directory.openFile(name);
  try {
    if (!isSamePrint(stat, seen)) return false;
    take();
    if (isSameContent(fstatSync(fd, { bigint: true }), seen)) return true;
    directory.replaceFile(name, (into) => copyFile(fd, into), {
      mode: Number(seen.mode & 0o7777n),
      sync: true,
    });
    return false;
  } finally {
    closeSync(fd);
  }
}

function copyFile(from: number, into: number): void {
  const piece = Buffer.allocUnsafe(PIECE);
  for (let at = 0; ;) {
    const got = asked(() => readSync(from, piece, 0, PIECE, at));
    if (got === 0) return;
    for (let done = 0; done < got;) done += asked(() => writeSync(into, piece, done, got - done));
    at += got;
  }
}

/** Removes a file that is still what was seen, and the directories that are empty then, up to the mounted folder. */
function removeFile({ mount, way, name }: FolderPlace, seen: BigIntStats | undefined): boolean {
  const directory = openWay(mount, way);
  try {
    if (seen === undefined || !whileUnchanged(directory, name, seen, () => directory.unlink(name)))
      return false;
    directory.sync();
  } finally {
    directory.close();
  }
  for (let depth = way.length; depth > mount.way.length; depth--)
    try {
      const above = openWay(mount, way.slice(0, depth - 1));
      try {
        above.removeDirectory(way[depth - 1] as string);
      } finally {
        above.close();
      }
    } catch {
      break;
    }
  return true;
}

/** A directory of a mount, made where it does not exist. */
function makeWay(mount: FolderPlace["mount"], way: readonly string[]): PinnedDirectory {
  let here = openTop(mount);
  for (const name of way.slice(mount.way.length)) {
    const above = here;
    try {
      if (above.stat(name) === undefined) above.makeDirectory(name);
      here = above.enter(name);
    } finally {
      above.close();
    }
  }
  return here;
}
