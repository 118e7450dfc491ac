// Owns: how a directory of the host is held, so that a name in it means an entry of that very directory.
// Must never: resolve more than one component at a time, or follow a symbolic link.
//
// With descriptors (Linux): `/proc/self/fd/<n>` is the directory itself, wherever it has been moved, so that
// `/proc/self/fd/<n>/<name>` leaves one component to the system, and O_NOFOLLOW (or a call that never follows) deals with that one.
// With paths (elsewhere): each component is looked at before a call, so that a symbolic link that is there is refused; one that is
// put there between the look and the call is not.

import { closeSync, constants, fstatSync, lstatSync, openSync, statSync, type BigIntStats } from "node:fs";
import { join } from "node:path";
import { HoldfastError, say } from "../errors.ts";
import { asked, specialFile, systemCode } from "./_refusal.ts";

export interface Hold {
  readonly isRaceFree: boolean;
  /** What calls of `node:fs` take for an entry of this directory; `.` for the directory itself. Valid until the next call. */
  place(name: string): string;
  enter(name: string): Hold;
  /** Opens a file to read once `check` has passed its stat. */
  openFile(
    name: string,
    check: (stat: BigIntStats) => void,
  ): { readonly fd: number; readonly stat: BigIntStats };
  close(): void;
}

/** Opens nothing: names an entry, whatever it is. The value is that of Linux, the only system that has it. */
const O_PATH = 0o10000000;
// Windows lacks these; there a hold by paths does without them.
const O_NOFOLLOW = constants.O_NOFOLLOW ?? 0;
const O_READ = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);

/** By descriptors where the system can, else by paths. `path` is the host's own: links in it are followed. */
export function holdDirectory(path: string, by: "descriptors" | "paths"): Hold {
  return asked(() => (by === "descriptors" ? DescriptorHold.at(path) : PathHold.at(path)));
}

let probed: boolean | undefined;

/** Does `/proc/self/fd` lead to the directories that this process has open? */
export function hasDescriptorPaths(): boolean {
  return (probed ??= probe());
}

function probe(): boolean {
  if (process.platform !== "linux") return false;
  let fd: number | undefined;
  try {
    fd = openSync("/", constants.O_RDONLY | constants.O_DIRECTORY | O_PATH);
    const through = statSync(`/proc/self/fd/${fd}/.`, { bigint: true });
    return isSame(through, statSync("/", { bigint: true }));
  } catch {
    return false;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

function isSame(a: BigIntStats, b: BigIntStats): boolean {
  return a.dev === b.dev && a.ino === b.ino;
}

class DescriptorHold implements Hold {
  readonly isRaceFree = true;
  #fd: number | undefined;

  private constructor(fd: number) {
    this.#fd = fd;
  }

  static at(path: string): DescriptorHold {
    return new DescriptorHold(openSync(path, constants.O_RDONLY | constants.O_DIRECTORY | O_PATH));
  }

  place(name: string): string {
    if (this.#fd === undefined) throw closedDirectory();
    return `/proc/self/fd/${this.#fd}/${name}`;
  }

  enter(name: string): Hold {
    const place = this.place(name);
    try {
      return new DescriptorHold(
        openSync(place, constants.O_RDONLY | constants.O_DIRECTORY | O_NOFOLLOW | O_PATH),
      );
    } catch (error) {
      // The system says the same of a link as of a file.
      if (systemCode(error) === "ENOTDIR" && lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink())
        throw followedLink(error);
      throw error;
    }
  }

  openFile(name: string, check: (stat: BigIntStats) => void): { fd: number; stat: BigIntStats } {
    const named = openSync(this.place(name), constants.O_RDONLY | O_NOFOLLOW | O_PATH);
    try {
      const stat = fstatSync(named, { bigint: true });
      refuseLink(stat);
      check(stat);
      // Through its own descriptor: what is opened is what was looked at.
      return { fd: openSync(`/proc/self/fd/${named}`, O_READ), stat };
    } finally {
      closeSync(named);
    }
  }

  close(): void {
    if (this.#fd === undefined) return;
    closeSync(this.#fd);
    this.#fd = undefined;
  }
}

interface Component {
  readonly path: string;
  readonly stat: BigIntStats;
}

class PathHold implements Hold {
  readonly isRaceFree = false;
  /** From the directory that the host named down to this one. */
  readonly #way: readonly Component[];
  readonly #path: string;
  #isClosed = false;

  private constructor(above: readonly Component[], path: string, stat: BigIntStats) {
    this.#way = [...above, { path, stat }];
    this.#path = path;
  }

  static at(path: string): PathHold {
    const stat = statSync(path, { bigint: true });
    if (!stat.isDirectory()) throw notDirectory();
    return new PathHold([], path, stat);
  }

  place(name: string): string {
    if (this.#isClosed) throw closedDirectory();
    this.#look();
    return join(this.#path, name);
  }

  /** Is every component still the directory that was entered? */
  #look(): void {
    for (const [depth, { path, stat }] of this.#way.entries()) {
      const now = depth === 0 ? statSync(path, { bigint: true }) : entryAt(path);
      refuseLink(now);
      if (!isSame(now, stat)) throw notDirectory();
    }
  }

  enter(name: string): Hold {
    const path = this.place(name);
    const stat = entryAt(path);
    refuseLink(stat);
    if (!stat.isDirectory()) throw notDirectory();
    return new PathHold(this.#way, path, stat);
  }

  openFile(name: string, check: (stat: BigIntStats) => void): { fd: number; stat: BigIntStats } {
    const place = this.place(name);
    const stat = entryAt(place);
    refuseLink(stat);
    check(stat);
    const fd = openSync(place, O_READ | O_NOFOLLOW);
    try {
      this.#look();
      if (!isSame(fstatSync(fd, { bigint: true }), stat)) throw specialFile();
      return { fd, stat };
    } catch (error) {
      closeSync(fd);
      throw error;
    }
  }

  close(): void {
    this.#isClosed = true;
  }
}

function entryAt(path: string): BigIntStats {
  return lstatSync(path, { bigint: true });
}

function refuseLink(stat: BigIntStats): void {
  if (stat.isSymbolicLink()) throw followedLink();
}

function followedLink(cause?: unknown): HoldfastError {
  return new HoldfastError("forbidden", "symlink", say`A symbolic link is not followed.`, { cause });
}

function notDirectory(): HoldfastError {
  return new HoldfastError("conflict", "not_a_directory", say`This is not the directory it was.`);
}

function closedDirectory(): HoldfastError {
  return new HoldfastError(
    "invalid_argument",
    "directory_closed",
    say`This directory was closed. Open it again.`,
  );
}
