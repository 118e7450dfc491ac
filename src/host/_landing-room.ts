// Owns: where the files of a landing take the place of one another: a file where a directory of them was, or below one that goes.

import type { BigIntStats } from "node:fs";
import { HoldfastError } from "../errors.ts";
import type { Pacer } from "../text/steps.ts";
import type { FolderPlace } from "./_folder-place.ts";
import type { PinnedDirectory } from "./pinned-directory.ts";
import { openTop } from "./_scan-mount.ts";

/** The places that one landing changes. */
export class LandingRoom {
  readonly #own: ReadonlySet<string>;
  /** Directories above them. */
  readonly #above: ReadonlySet<string>;

  private constructor(own: ReadonlySet<string>, above: ReadonlySet<string>) {
    this.#own = own;
    this.#above = above;
  }

  static readonly none: LandingRoom = new LandingRoom(new Set(), new Set());

  static async of(places: Iterable<FolderPlace>, pace: Pacer): Promise<LandingRoom> {
    const [own, above] = [new Set<string>(), new Set<string>()];
    for (const place of places) {
      own.add(keyOf(place));
      for (const key of keysAbove(place)) above.add(key);
      await pace.step();
    }
    return new LandingRoom(own, above);
  }

  /** Whether a place must be empty before one of these can be filled: it is above or below it. */
  isInTheWay(place: FolderPlace): boolean {
    return this.#above.has(keyOf(place)) || keysAbove(place).some((key) => this.#own.has(key));
  }

  /**
   * The entry at a place; undefined: nothing is there but files of the landing, above it or below it; `unreachable`: the way to it is no
   * way of real directories.
   */
  statAt({ mount, way, name }: FolderPlace): BigIntStats | "unreachable" | undefined {
    let here = openTop(mount);
    try {
      for (let depth = mount.way.length; depth < way.length; depth++) {
        const next = way[depth] as string;
        const key = keyAt(mount.number, way.slice(0, depth + 1));
        if (this.#own.has(key) && here.stat(next)?.isFile() === true) return undefined;
        const above = here;
        here = above.enter(next);
        above.close();
      }
      const stat = here.stat(name);
      const at = [...way, name];
      const isRoom =
        stat?.isDirectory() === true &&
        this.#above.has(keyAt(mount.number, at)) &&
        this.#holdsOwn(mount.number, here, at);
      return isRoom ? undefined : stat;
    } catch (error) {
      if (HoldfastError.is(error) && error.reason === "no_such_file") return undefined;
      if (HoldfastError.is(error)) return "unreachable";
      throw error;
    } finally {
      here.close();
    }
  }

  /** Is there nothing in a directory but directories and files of the landing? */
  #holdsOwn(mount: number, above: PinnedDirectory, way: readonly string[]): boolean {
    const directory = above.enter(way.at(-1) as string);
    try {
      for (const entry of directory.list()) {
        const at = [...way, entry.name];
        const isOwn = entry.isDirectory()
          ? this.#holdsOwn(mount, directory, at)
          : this.#own.has(keyAt(mount, at));
        if (!isOwn) return false;
      }
      return true;
    } finally {
      directory.close();
    }
  }

  /** The directories in which a file waits to be put in place: none of them is removed or made by the landing in between. */
  wayToWait({ mount, way }: FolderPlace): readonly string[] {
    const depth = way.findIndex((_, i) => this.#own.has(keyAt(mount.number, way.slice(0, i + 1))));
    return depth === -1 ? way : way.slice(0, depth);
  }
}

/** Removes a directory that holds nothing but directories. What is not empty stays. */
export function removeEmpty(above: PinnedDirectory, name: string): void {
  if (above.stat(name)?.isDirectory() !== true) return;
  const directory = above.enter(name);
  try {
    const below = Array.from(directory.list());
    for (const entry of below) if (entry.isDirectory()) removeEmpty(directory, entry.name);
  } finally {
    directory.close();
  }
  try {
    above.removeDirectory(name);
  } catch (error) {
    if (!HoldfastError.is(error) || error.reason !== "not_empty") throw error;
  }
}

function keyAt(mount: number, way: readonly string[]): string {
  return `${mount}:${way.join("/")}`;
}

function keyOf({ mount, way, name }: FolderPlace): string {
  return keyAt(mount.number, [...way, name]);
}

function keysAbove({ mount, way }: FolderPlace): string[] {
  return way.map((_, i) => keyAt(mount.number, way.slice(0, i + 1)));
}
