// Owns: putting files into a folder that people work in at the same time: what is there is taken aside, looked at, and put back if
// it is not what was expected.
// Must never: overwrite or remove bytes that were not looked at after they could no longer be reached by their name.
//
// `.holdfast` in the folder: `new` has files on their way, `old` those that were taken, by a random number and a hash of their path,
// so that a process that comes after a crash knows where they belong.

import { createHash, randomBytes } from "node:crypto";
import { closeSync, fchmodSync, fstatSync, writeSync, type BigIntStats } from "node:fs";
import { echo, HoldfastError, say } from "../errors.ts";
import type { WorkspacePath } from "../path/index.ts";
import type { FileBody } from "../session/files/file-change.ts";
import type { Journal } from "../store/journal.ts";
import { found } from "./_directories.ts";
import { asked } from "./_refusal.ts";
import { isSameContent, isSamePrint, printOf, type Print } from "./_stat-index.ts";
import { modeOf, writeContent } from "./_write-content.ts";
import type { InPlace, MirrorPlace } from "./mirror.ts";
import type { PinnedDirectory, PinnedFile } from "./pinned-directory.ts";

export const OWN = ".holdfast";

/** A file that was taken from its place and replaced. */
export interface Taken {
  /** Its name in `old`. */
  readonly name: string;
  /** A hash of where it was, see {@link placeHash}. */
  readonly place: string;
  readonly print: Print;
  /** What it held. */
  readonly body: FileBody;
  readonly time: number;
}

export class LivePlace implements MirrorPlace {
  readonly root: PinnedDirectory;
  /** Files that were replaced and may still be written by a program that has them open. */
  readonly taken: Taken[] = [];
  readonly #journal: Journal;
  readonly #new: PinnedDirectory;
  readonly #old: PinnedDirectory;

  constructor(journal: Journal, root: PinnedDirectory) {
    this.#journal = journal;
    this.root = root;
    const own = ownDirectory(root);
    try {
      this.#new = entering(own, "new");
      this.#old = entering(own, "old");
    } finally {
      own.close();
    }
    this.#checkLinks();
  }

  /** Taking a name exclusively needs hard links. */
  #checkLinks(): void {
    const [name, other] = [newName(), newName()];
    closeSync(this.#new.createFile(name));
    try {
      this.#new.link(name, this.#new, other);
      this.#new.unlink(other);
    } catch (cause) {
      throw new HoldfastError(
        "forbidden",
        "no_hard_links",
        say`The file system of this folder has no hard links, so it cannot be live. Mount it without live.`,
        { cause },
      );
    } finally {
      this.#new.unlink(name);
    }
  }

  async put(
    directory: PinnedDirectory,
    name: string,
    expected: InPlace | undefined,
    body: FileBody,
    path: WorkspacePath,
  ): Promise<Print | undefined> {
    const temporary = newName();
    const fd = this.#new.createFile(temporary, modeOf(body));
    let isLeft = true;
    try {
      await writeContent(this.#journal, fd, body.content);
      const before = expected === undefined ? undefined : this.#take(directory, name, expected, path);
      if (expected !== undefined && before === undefined) return undefined;
      try {
        if (before !== undefined)
          asked(() => fchmodSync(fd, withExecutable(Number(before.mode & 0o7777n), body.executable)));
        this.#new.link(temporary, directory, name);
      } catch (error) {
        // Another program has made a file of that name meanwhile. What was taken is what we had put there.
        if (HoldfastError.is(error) && error.reason === "exists_outside") return undefined;
        if (expected !== undefined) this.#putBackLast(directory, name);
        throw error;
      }
      this.#new.unlink(temporary);
      isLeft = false;
      return printOf(fstatSync(fd, { bigint: true }));
    } finally {
      closeSync(fd);
      if (isLeft) found(() => this.#new.unlink(temporary));
    }
  }

  async remove(
    directory: PinnedDirectory,
    name: string,
    expected: InPlace,
    path: WorkspacePath,
  ): Promise<boolean> {
    return this.#take(directory, name, expected, path) !== undefined;
  }

  /** Takes a file aside if it is the expected one, and returns its stat; another one is put back. */
  #take(
    directory: PinnedDirectory,
    name: string,
    expected: InPlace,
    path: WorkspacePath,
  ): BigIntStats | undefined {
    const place = placeHash(path);
    const aside = `${newName()}-${place}`;
    // What is surely not the expected file is not touched at all. What takes its place from here on is put back.
    const there = directory.stat(name);
    if (there === undefined || !isSamePrint(there, expected.print)) return undefined;
    try {
      directory.rename(name, this.#old, aside);
    } catch (error) {
      if (HoldfastError.is(error) && error.reason === "no_such_file") return undefined;
      throw error;
    }
    const stat = this.#old.stat(aside);
    if (isExpected(stat, expected)) {
      this.taken.push({ name: aside, place, ...expected, time: performance.now() });
      return stat;
    }
    this.putBack(aside, directory, name, expected.body);
    return undefined;
  }

  /** What was taken and cannot be replaced is there again. */
  #putBackLast(directory: PinnedDirectory, name: string): void {
    const last = this.taken.pop() as Taken;
    this.putBack(last.name, directory, name, last.body);
  }

  /** Gives a taken entry its name back; where that is taken, the newer file keeps it. */
  putBack(aside: string, directory: PinnedDirectory, name: string, body?: FileBody): void {
    const isDirectory = this.#old.stat(aside)?.isDirectory() === true;
    if (isDirectory) {
      this.#old.rename(aside, directory, name);
      return;
    }
    try {
      this.#old.link(aside, directory, name);
    } catch (error) {
      // Systems refuse a second name for a file of another user: then it is renamed to a name that is free.
      if (HoldfastError.is(error) && error.reason !== "exists_outside" && directory.stat(name) === undefined)
        return this.#old.rename(aside, directory, name);
      if (!HoldfastError.is(error) || error.reason !== "exists_outside") throw error;
      // It was written over from outside. A program may still write in it: it is looked at later like the others.
      const stat = this.#old.stat(aside);
      if (stat?.isFile() === true && body !== undefined)
        this.taken.push({
          name: aside,
          place: placeNamed(aside),
          print: printOf(stat),
          time: performance.now(),
          body,
        });
      return;
    }
    this.#old.unlink(aside);
  }

  /** Opens a taken file. */
  openTaken(name: string): PinnedFile {
    return this.#old.openFile(name, { manyLinks: true });
  }

  statTaken(name: string): BigIntStats | undefined {
    return this.#old.stat(name);
  }

  /** Removes a taken file for good. */
  drop(name: string): void {
    found(() => this.#old.unlink(name));
  }

  /** The last one taken first: of several files of one place, that is the one which was there. */
  namesTaken(): string[] {
    const taken = Array.from(this.#old.list(), ({ name }) => ({
      name,
      time: this.#old.stat(name)?.ctimeNs ?? 0n,
    }));
    return taken.toSorted((a, b) => (a.time < b.time ? 1 : -1)).map(({ name }) => name);
  }

  /** Removes what a process that died was about to put in place. */
  sweep(): void {
    for (const { name } of this.#new.list()) found(() => this.#new.unlink(name));
  }

  close(): void {
    this.#new.close();
    this.#old.close();
    this.root.close();
  }
}

/** Is it the expected file, under another name? */
function isExpected(stat: BigIntStats | undefined, { print }: InPlace): boolean {
  return stat !== undefined && stat.isFile() && isSameContent(stat, print);
}

/** Names the place of a file in the names of taken ones. */
export function placeHash(path: string): string {
  return createHash("sha256").update(path).digest("hex").slice(0, 24);
}

/** The place in the name of a taken file. */
export function placeNamed(name: string): string {
  return name.slice(name.indexOf("-") + 1);
}

/** `.holdfast` in a folder, made where it is missing, and kept out of git. */
export function ownDirectory(root: PinnedDirectory): PinnedDirectory {
  const own = entering(root, OWN, []);
  try {
    const fd = own.createFile(".gitignore");
    writeSync(fd, "*\n");
    closeSync(fd);
  } catch (error) {
    if (!HoldfastError.is(error) || error.reason !== "exists_outside") {
      own.close();
      throw error;
    }
  }
  return own;
}

/** A directory of ours, made where it is missing. `above` is the way to it in the folder. */
export function entering(
  directory: PinnedDirectory,
  name: string,
  above: readonly string[] = [OWN],
): PinnedDirectory {
  try {
    directory.makeDirectory(name, 0o700);
  } catch (error) {
    if (!HoldfastError.is(error) || error.reason !== "exists_outside") throw error;
  }
  try {
    return directory.enter(name);
  } catch (error) {
    if (!HoldfastError.is(error) || !["symlink", "not_a_directory"].includes(error.reason)) throw error;
    throw new HoldfastError(
      "conflict",
      "not_a_directory",
      say`${echo([...above, name].join("/"))} in this folder is a file or a link, and a live folder needs a directory of that name. Rename it, or mount the folder without live.`,
      { cause: error },
    );
  }
}

/** Mode bits with the executable ones set where the file may be read, or without them. */
function withExecutable(mode: number, executable: boolean): number {
  if (((mode & 0o100) !== 0) === executable) return mode;
  return executable ? mode | ((mode & 0o444) >> 2) : mode & ~0o111;
}

function newName(): string {
  return randomBytes(8).toString("hex");
}
