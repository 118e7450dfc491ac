// Owns: the private directory that a session's files are written to: making it, filling it, replacing files in it, removing it.
// Must never: be open to other users, or follow what code in a container puts there.
//
// `<temporary>/holdfast-XXXXXX` is for us alone; `files` in it is what is shared. Files on their way are made beside `files`, where
// code in a container cannot reach them.

import { randomBytes } from "node:crypto";
import { closeSync, fstatSync, lstatSync, mkdtempSync, realpathSync, rmdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HoldfastError } from "../errors.ts";
import { segmentsOf } from "../path/index.ts";
import type { FileBody } from "../session/files/file-change.ts";
import type { FileEntry } from "../session/files/file-state.ts";
import type { Journal } from "../store/journal.ts";
import { Pacer, runNow, type Steps } from "../text/steps.ts";
import { Directories, found } from "./_directories.ts";
import { isSamePrint, printOf, type Print, type StatIndex } from "./_stat-index.ts";
import { modeOf, writeContent, writeContents } from "./_write-content.ts";
import type { InPlace, MirrorPlace } from "./mirror.ts";
import { PinnedDirectory, type PinOptions } from "./pinned-directory.ts";

const PREFIX = "holdfast-";
/** The name of the directory that is shared. */
export const SHARED = "files";
const PRIVATE = 0o700;
/** So many directories without a file are looked at when a file is to have their place. */
const EMPTY = 1_000;

export class WorkPlace implements MirrorPlace {
  /** The private directory. */
  readonly where: string;
  readonly root: PinnedDirectory;
  readonly #journal: Journal;
  readonly #outer: PinnedDirectory;

  private constructor(journal: Journal, where: string, outer: PinnedDirectory, root: PinnedDirectory) {
    this.#journal = journal;
    this.where = where;
    this.#outer = outer;
    this.root = root;
  }

  /** Makes a directory and fills it. What is there when it gets its name is whole. */
  static async build(
    journal: Journal,
    pin: PinOptions,
    files: Iterable<FileEntry>,
    index: StatIndex,
  ): Promise<WorkPlace> {
    const where = mkdtempSync(join(realpathSync(tmpdir()), PREFIX));
    const outer = PinnedDirectory.open(where, pin);
    const name = newName();
    outer.makeDirectory(name, PRIVATE);
    const root = outer.enter(name);
    const directories = new Directories(root);
    try {
      await writeAll(journal, directories, files, index);
      outer.rename(name, outer, SHARED);
      if (root.isRaceFree) return new WorkPlace(journal, where, outer, root);
      // Held by its path, the directory is not the one it was.
      root.close();
      return new WorkPlace(journal, where, outer, outer.enter(SHARED));
    } catch (error) {
      root.close();
      outer.close();
      await removePlace(where, pin);
      throw error;
    } finally {
      directories.close();
    }
  }

  /** The directory that was made before; undefined when it is lost, or is not ours. */
  static open(journal: Journal, pin: PinOptions, where: string): WorkPlace | undefined {
    if (!isOurs(where)) return undefined;
    const outer = PinnedDirectory.open(where, pin);
    try {
      const root = outer.enter(SHARED);
      return new WorkPlace(journal, where, outer, root);
    } catch (error) {
      outer.close();
      if (HoldfastError.is(error)) return undefined;
      throw error;
    }
  }

  /** The path to give to others. */
  get shared(): string {
    return join(this.where, SHARED);
  }

  /** Whether the directory at the path is still the one that is held. */
  get isThere(): boolean {
    const there = lstatSync(this.shared, { bigint: true, throwIfNoEntry: false });
    if (there === undefined) return false;
    const { dev, ino } = this.root.self();
    return there.dev === dev && there.ino === ino;
  }

  async put(
    directory: PinnedDirectory,
    name: string,
    expected: InPlace | undefined,
    body: FileBody,
  ): Promise<Print | undefined> {
    const temporary = newName();
    const fd = this.#outer.createFile(temporary, modeOf(body));
    let isLeft = true;
    try {
      await writeContent(this.#journal, fd, body.content);
      if (expected === undefined) {
        if (directory.stat(name)?.isDirectory() === true) removeEmpty(directory, name);
        this.#outer.link(temporary, directory, name);
        this.#outer.unlink(temporary);
      } else if (isStill(directory, name, expected)) this.#outer.rename(temporary, directory, name);
      else return undefined;
      isLeft = false;
      // Through its descriptor: another file may have the name by now.
      return printOf(fstatSync(fd, { bigint: true }));
    } finally {
      closeSync(fd);
      if (isLeft) found(() => this.#outer.unlink(temporary));
    }
  }

  async remove(directory: PinnedDirectory, name: string, expected: InPlace): Promise<boolean> {
    if (!isStill(directory, name, expected)) return false;
    directory.unlink(name);
    return true;
  }

  /** Removes what an owner that died was about to put in place. */
  sweep(): void {
    for (const { name } of this.#outer.list())
      if (name !== SHARED) runNow(removeEntrySteps(this.#outer, name));
  }

  close(): void {
    this.root.close();
    this.#outer.close();
  }
}

function isStill(directory: PinnedDirectory, name: string, { print }: InPlace): boolean {
  const stat = directory.stat(name);
  return stat !== undefined && isSamePrint(stat, print);
}

/** Removes a directory that holds no file, nor anything else but such directories: they come and go with their files. */
function removeEmpty(above: PinnedDirectory, name: string): void {
  const directories = new Directories(above);
  const ways: string[][] = [[name]];
  try {
    // The list grows while it is walked.
    for (const way of ways)
      for (const entry of directories.find(way)?.list() ?? []) {
        if (!entry.isDirectory() || ways.length === EMPTY) return;
        ways.push([...way, entry.name]);
      }
    for (const way of ways.reverse()) {
      const last = way.pop() as string;
      directories.find(way)?.removeDirectory(last);
    }
  } finally {
    directories.close();
  }
}

async function writeAll(
  journal: Journal,
  directories: Directories,
  files: Iterable<FileEntry>,
  index: StatIndex,
): Promise<void> {
  await writeContents(journal, files, new Pacer(), async (entry, fill) => {
    const way = segmentsOf(entry.path);
    const name = way.pop() as string;
    const now = Date.now();
    const fd = directories.make(way).createFile(name, modeOf(entry));
    try {
      await fill(fd);
      index.set(entry.path, printOf(fstatSync(fd, { bigint: true })), entry, now);
    } finally {
      closeSync(fd);
    }
  });
}

/** Is it a directory that only this user can enter? Another user may have taken the name of one that is gone. */
function isOurs(where: string): boolean {
  const stat = lstatSync(where, { throwIfNoEntry: false });
  if (stat === undefined || !stat.isDirectory()) return false;
  return process.getuid === undefined || (stat.uid === process.getuid() && (stat.mode & 0o077) === 0);
}

/** Removes the private directory with all that is in it, as far as the system permits. */
export async function removePlace(where: string, pin: PinOptions): Promise<void> {
  if (!isOurs(where)) return;
  const outer = PinnedDirectory.open(where, pin);
  try {
    const pace = new Pacer();
    for (const { name } of outer.list()) await pace.run(removeEntrySteps(outer, name));
  } finally {
    outer.close();
  }
  try {
    rmdirSync(where);
  } catch {
    // Something in it could not be removed: it belongs to another user, and stays.
  }
}

/**
 * Removes an entry with all that is below it. Directories in it are moved up before they are emptied, so that a deep tree needs
 * neither a deep stack nor many descriptors.
 */
function* removeEntrySteps(outer: PinnedDirectory, entry: string): Steps<void> {
  const left = [entry];
  for (let name = left.pop(); name !== undefined; name = left.pop())
    try {
      if (outer.stat(name)?.isDirectory() !== true) {
        outer.unlink(name);
        continue;
      }
      const directory = outer.enter(name);
      try {
        for (const { name: inner } of directory.list()) {
          yield;
          if (directory.stat(inner)?.isDirectory() !== true) {
            directory.unlink(inner);
            continue;
          }
          const moved = newName();
          directory.rename(inner, outer, moved);
          left.push(moved);
        }
      } finally {
        directory.close();
      }
      outer.removeDirectory(name);
    } catch (error) {
      // Gone already, or not permitted: what stays is in a directory that only its user can enter.
      if (!HoldfastError.is(error)) throw error;
    }
}

function newName(): string {
  return `new-${randomBytes(8).toString("hex")}`;
}
