// Owns: writing files of a landing into the folders, so that each is what it was or what it is to be, and can be put back.
// Must never: write over what is neither, or go below a folder but through the walk.

import { fchmodSync, fsyncSync, closeSync, writeSync, type BigIntStats } from "node:fs";
import { HoldfastError } from "../errors.ts";
import type { WorkspacePath } from "../path/index.ts";
import type { FolderFile } from "../session/folders/folder-file.ts";
import type { SessionCore } from "../session/transact.ts";
import { digest } from "../store/chain.ts";
import { readBytes } from "../text/index.ts";
import { Pacer } from "../text/steps.ts";
import type { FolderPlace } from "./_folder-place.ts";
import { statStamp, type FolderReader } from "./_folder-reader.ts";
import { asked } from "./_refusal.ts";
import { openWay } from "./_scan-mount.ts";
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
    const found: FoundSide[] = [];
    for (const step of steps)
      found.push(
        (await this.#is(step, step.before))
          ? "before"
          : (await this.#is(step, step.after))
            ? "after"
            : "stranger",
      );
    return found;
  }

  async #is({ place }: LandingStep, file: FolderFile | undefined): Promise<boolean> {
    if (file !== undefined) return (await this.#reader.look(place, file, this.#pace, "read")) === "same";
    return statAt(place) === undefined;
  }

  /** Mode bits of what is there. */
  modeAt(place: FolderPlace): number | undefined {
    const stat = statAt(place);
    return stat === undefined || stat === "unreachable" ? undefined : Number(stat.mode & 0o7777n);
  }

  /**
   * Makes each path what it is on one side. All new content is written beside its place first, then everything is put in place, files
   * before removals. Returns the first path that was neither: then some may be in place, and `carry` to the other side undoes that.
   */
  async carry(
    landing: number,
    steps: readonly LandingStep[],
    to: "before" | "after",
    beat: () => Promise<void>,
  ): Promise<WorkspacePath | undefined> {
    const from = to === "after" ? "before" : "after";
    const writes: (() => boolean)[] = [];
    const removals: (() => boolean)[] = [];
    const at: WorkspacePath[] = [];
    const gone: WorkspacePath[] = [];
    const held: PinnedDirectory[] = [];
    try {
      for (const step of steps) {
        await beat();
        if (await this.#is(step, step[to])) continue;
        const seen = statAt(step.place);
        if (seen === "unreachable" || !(await this.#is(step, step[from]))) return step.path;
        const target = step[to];
        if (target === undefined) {
          gone.push(step.path);
          removals.push(() => removeFile(step.place, seen));
          continue;
        }
        const directory = makeWay(step.place);
        held.push(directory);
        const temporary = temporaryFor(landing, step.path);
        await this.#fill(directory, temporary, target, modeFor(step.modes[to], target, seen));
        at.push(step.path);
        writes.push(() => placeFile(directory, temporary, step.place.name, seen));
      }
      for (const [i, write] of writes.entries()) {
        await beat();
        if (!write()) return at[i];
      }
      for (const [i, remove] of removals.entries()) {
        await beat();
        if (!remove()) return gone[i];
      }
      return undefined;
    } finally {
      for (const directory of held) directory.close();
      for (const step of steps) dropTemporary(landing, step);
    }
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

function dropTemporary(landing: number, { path, place }: LandingStep): void {
  try {
    const directory = openWay(place.mount, place.way);
    try {
      directory.unlink(temporaryFor(landing, path));
    } finally {
      directory.close();
    }
  } catch {
    // It is in its place, or was never made.
  }
}

/** The entry at a place; undefined: nothing is there; `unreachable`: the way to it is no way of real directories. */
function statAt({ mount, way, name }: FolderPlace): BigIntStats | "unreachable" | undefined {
  try {
    const directory = openWay(mount, way);
    try {
      return directory.stat(name);
    } finally {
      directory.close();
    }
  } catch (error) {
    if (HoldfastError.is(error) && error.reason === "no_such_file") return undefined;
    if (HoldfastError.is(error)) return "unreachable";
    throw error;
  }
}

/** Puts a file in place if what is there is still what was seen. */
function placeFile(
  directory: PinnedDirectory,
  temporary: string,
  name: string,
  seen: BigIntStats | undefined,
): boolean {
  if (seen !== undefined) {
    const now = directory.stat(name);
    if (now === undefined || statStamp(now) !== statStamp(seen)) return false;
    directory.rename(temporary, directory, name);
  } else {
    try {
      directory.link(temporary, directory, name);
    } catch (error) {
      if (HoldfastError.is(error) && error.reason === "exists_outside") return false;
      throw error;
    }
    directory.unlink(temporary);
  }
  directory.sync();
  return true;
}

/** Removes a file that is still what was seen, and the directories that are empty then, up to the mounted folder. */
function removeFile({ mount, way, name }: FolderPlace, seen: BigIntStats | undefined): boolean {
  const directory = openWay(mount, way);
  try {
    const now = directory.stat(name);
    if (now === undefined || seen === undefined || statStamp(now) !== statStamp(seen)) return false;
    directory.unlink(name);
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

/** The directory of a place, made where it does not exist. */
function makeWay({ mount, way }: FolderPlace): PinnedDirectory {
  let here = openWay(mount, mount.way);
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
