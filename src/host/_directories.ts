// Owns: the directories below a pinned one, held open along the way that is in use.
// Must never: hold more of them than the way is deep.

import { HoldfastError } from "../errors.ts";
import type { FolderPlace } from "./_folder-place.ts";
import type { ResolvedMount } from "./mount.ts";
import { PinnedDirectory } from "./pinned-directory.ts";

interface Level {
  readonly name: string;
  readonly directory: PinnedDirectory;
}

export class Directories {
  readonly #root: PinnedDirectory;
  readonly #levels: Level[] = [];

  /** `root` stays the caller's to close. */
  constructor(root: PinnedDirectory) {
    this.#root = root;
  }

  /** The directory at the end of a way; undefined when there is none. Throws what the walk refuses. */
  find(way: readonly string[]): PinnedDirectory | undefined {
    return this.#walk(way, false);
  }

  /** The same; what is missing is made. */
  make(way: readonly string[]): PinnedDirectory {
    return this.#walk(way, true) as PinnedDirectory;
  }

  #walk(way: readonly string[], isMade: boolean): PinnedDirectory | undefined {
    let depth = 0;
    while (depth < way.length && this.#levels[depth]?.name === way[depth]) depth++;
    this.#leave(depth);
    let here = this.#levels.at(-1)?.directory ?? this.#root;
    for (const name of way.slice(depth)) {
      const next = isMade ? entered(here, name) : found(() => here.enter(name));
      if (next === undefined) return undefined;
      this.#levels.push({ name, directory: next });
      here = next;
    }
    return here;
  }

  #leave(depth: number): void {
    for (const { directory } of this.#levels.splice(depth)) directory.close();
  }

  /** Removes the last directory of a way, and those above it, as far as they are empty. */
  prune(way: readonly string[]): void {
    for (let depth = way.length; depth > 0; depth--) {
      const above = this.find(way.slice(0, depth - 1));
      const name = way[depth - 1] as string;
      try {
        above?.removeDirectory(name);
      } catch (error) {
        // Not empty, gone, or no directory any more: whatever it is, it is not ours to remove.
        if (HoldfastError.is(error)) return;
        throw error;
      }
    }
  }

  close(): void {
    this.#leave(0);
  }
}

/** Directories of mounted folders on the way to many files: those of the last file stay open for the next. */
export class OpenWays {
  readonly #folders = new Map<ResolvedMount, { root: PinnedDirectory; directories: Directories }>();

  /** The directory that a place lies in; undefined when there is none. Throws what the walk refuses. */
  find({ mount, way }: FolderPlace): PinnedDirectory | undefined {
    let folder = this.#folders.get(mount);
    if (folder === undefined) {
      const root = PinnedDirectory.openResolved(mount.root, mount.pin);
      folder = { root, directories: new Directories(root) };
      this.#folders.set(mount, folder);
    }
    return folder.directories.find(way);
  }

  close(): void {
    for (const { root, directories } of this.#folders.values()) {
      directories.close();
      root.close();
    }
    this.#folders.clear();
  }
}

/** What a call returns; undefined when there is nothing of that name. */
export function found<T>(call: () => T): T | undefined {
  try {
    return call();
  } catch (error) {
    if (HoldfastError.is(error) && error.reason === "no_such_file") return undefined;
    throw error;
  }
}

function entered(directory: PinnedDirectory, name: string): PinnedDirectory {
  const there = found(() => directory.enter(name));
  if (there !== undefined) return there;
  try {
    directory.makeDirectory(name);
  } catch (error) {
    // Another process made it first: then it is entered, if it is a directory.
    if (!HoldfastError.is(error) || error.reason !== "exists_outside") throw error;
  }
  return directory.enter(name);
}
