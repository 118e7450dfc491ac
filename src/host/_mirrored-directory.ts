// Owns: where the paths of the session lie in a mirrored directory, and what is there.
// Must never: write.

import { accessSync, constants, type BigIntStats } from "node:fs";
import { HoldfastError } from "../errors.ts";
import { foldText, segmentsOf, type WorkspacePath } from "../path/index.ts";
import { Directories } from "./_directories.ts";
import { systemCode } from "./_refusal.ts";
import { skipReasonOf } from "./_scan-mount.ts";
import type { PinnedDirectory } from "./pinned-directory.ts";

const NO_WAY: readonly string[] = [];

export class MirroredDirectory {
  readonly #root: PinnedDirectory;
  readonly #depth: number;

  /** `to` is the part of the workspace that is mirrored in `root`. */
  constructor(root: PinnedDirectory, to: WorkspacePath) {
    this.#root = root;
    this.#depth = segmentsOf(to).length;
  }

  /** Where a path lies below the directory. */
  placeOf(path: WorkspacePath): { readonly way: readonly string[]; readonly name: string } {
    const segments = segmentsOf(path).slice(this.#depth);
    const name = segments.pop() ?? "";
    return { way: segments.length === 0 ? NO_WAY : segments, name };
  }

  /** The same as one text, for reports. */
  shownPath(path: WorkspacePath): string {
    const { way, name } = this.placeOf(path);
    return [...way, name].join("/");
  }

  /** A directory of the mirror; undefined when there is none: nothing, a link or a file is in its place. */
  find(directories: Directories, way: readonly string[]): PinnedDirectory | undefined {
    try {
      return directories.find(way);
    } catch (error) {
      if (HoldfastError.is(error) && ["symlink", "not_a_directory"].includes(error.reason)) return undefined;
      throw error;
    }
  }

  /** What is at a path: undefined when there is nothing, or no way to it. */
  statOf(path: WorkspacePath): BigIntStats | undefined {
    const { way, name } = this.placeOf(path);
    const directories = new Directories(this.#root);
    try {
      return directories.find(way)?.stat(name);
    } catch (error) {
      if (isInTheWay(error)) return undefined;
      throw error;
    } finally {
      directories.close();
    }
  }

  /** What leaves no place for a file: something above it that is no directory, or a directory at its name. */
  obstacleTo(path: WorkspacePath): WorkspacePath | undefined {
    const { way, name } = this.placeOf(path);
    const segments = [...way, name];
    const directories = new Directories(this.#root);
    try {
      for (const [depth, segment] of segments.entries()) {
        const stat = directories.find(segments.slice(0, depth))?.stat(segment);
        if (stat === undefined) return undefined;
        const isLast = depth === way.length;
        if (stat.isDirectory() === isLast) return this.#pathAt(path, depth, segment);
      }
      return undefined;
    } catch (error) {
      if (isInTheWay(error)) return undefined;
      throw error;
    } finally {
      directories.close();
    }
  }

  /** The path of a name that is so deep below the directory on the way to `path`. */
  #pathAt(path: WorkspacePath, depth: number, name: string): WorkspacePath {
    return `/workspace/${[...segmentsOf(path).slice(0, this.#depth + depth), name].join("/")}` as WorkspacePath;
  }

  /**
   * Whether something else is in the way of a new file: a link or a file above it, or a name at or above it that differs in case or
   * Unicode form only, unless `isLeaving`.
   */
  isTaken(path: WorkspacePath, isLeaving: (twin: WorkspacePath) => boolean): boolean {
    const { way, name } = this.placeOf(path);
    const segments = [...way, name];
    const directories = new Directories(this.#root);
    try {
      for (const [depth, segment] of segments.entries()) {
        const directory = directories.find(segments.slice(0, depth));
        if (directory === undefined) return false;
        for (const { name: other } of directory.list()) {
          if (other === segment || formOf(other) !== formOf(segment)) continue;
          if (!isLeaving(this.#pathAt(path, depth, other))) return true;
        }
      }
      return false;
    } catch (error) {
      if (isInTheWay(error)) return true;
      throw error;
    } finally {
      directories.close();
    }
  }

  /** A file or link in the directory at a path, at any depth, that is no such one; the path itself where that cannot be told. */
  fileIn(
    path: WorkspacePath,
    isSuch: (path: WorkspacePath) => boolean = () => false,
  ): WorkspacePath | undefined {
    const directories = new Directories(this.#root);
    try {
      const left = [path];
      for (let at = left.pop(); at !== undefined; at = left.pop()) {
        const { way, name } = this.placeOf(at);
        const directory = directories.find([...way, name]);
        if (directory === undefined) return path;
        for (const entry of directory.list()) {
          const inner = `${at}/${entry.name}` as WorkspacePath;
          if (entry.isDirectory()) left.push(inner);
          else if (!isSuch(inner)) return inner;
        }
      }
      return undefined;
    } catch (error) {
      if (isInTheWay(error)) return path;
      throw error;
    } finally {
      directories.close();
    }
  }

  /**
   * Whether the system lets this process replace or remove a path, or read it, as far as it says before: a read-only file system or
   * directory, or a file that may not be changed. What is not there may be written where its directory may.
   */
  permits(path: WorkspacePath, what: "read" | "write"): boolean {
    const { way, name } = this.placeOf(path);
    const directories = new Directories(this.#root);
    try {
      for (let depth = way.length; depth >= 0; depth--) {
        const directory = directories.find(way.slice(0, depth));
        if (directory === undefined) continue;
        const isThere = depth === way.length && directory.stat(name)?.isFile() === true;
        if (what === "read") return !isThere || codeOf(directory.place(name), constants.R_OK) === undefined;
        if (codeOf(directory.here, constants.W_OK | constants.X_OK) !== undefined) return false;
        // A file is replaced, not written: its own mode bits do not matter, that it is immutable does.
        return !isThere || codeOf(directory.place(name), constants.W_OK) !== "EPERM";
      }
      return true;
    } catch (error) {
      if (isFailure(error)) return false;
      if (isInTheWay(error)) return true;
      throw error;
    } finally {
      directories.close();
    }
  }

  /** Uses the directory that a path lies in; undefined when there is none. Throws what the walk refuses. */
  async read<T>(
    path: WorkspacePath,
    use: (directory: PinnedDirectory, name: string) => Promise<T>,
  ): Promise<T | undefined> {
    const { way, name } = this.placeOf(path);
    return this.within(async (directories) => {
      const directory = this.find(directories, way);
      return directory === undefined ? undefined : use(directory, name);
    });
  }

  async within<T>(work: (directories: Directories) => Promise<T>): Promise<T> {
    const directories = new Directories(this.#root);
    try {
      return await work(directories);
    } finally {
      directories.close();
    }
  }
}

/** The system did not do it, whatever is there: it may another time. */
export function isFailure(error: unknown): error is HoldfastError {
  return HoldfastError.is(error) && ["not_permitted", "no_space", "host_failed"].includes(error.reason);
}

/** A refusal that says what is there, not that the system failed. */
export function isInTheWay(error: unknown): boolean {
  if (!HoldfastError.is(error)) return false;
  if (["exists_outside", "is_directory", "not_empty", "no_such_file"].includes(error.reason)) return true;
  try {
    skipReasonOf(error);
    return true;
  } catch {
    return false;
  }
}

/** What the system says against using a place so; undefined: nothing. */
function codeOf(place: string, mode: number): string | undefined {
  try {
    accessSync(place, mode);
    return undefined;
  } catch (error) {
    return systemCode(error);
  }
}

/** Names that some systems take for one have one form. */
function formOf(name: string): string {
  return foldText(name.normalize("NFC"));
}
