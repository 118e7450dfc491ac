// Owns: the only way to files below a directory of the host: one name at a time, below a directory that is held open.
// Must never: take a path, follow a symbolic link, open what is not a regular file, or wait for a pipe.

import { randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  fchmodSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  opendirSync,
  openSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  statSync,
  unlinkSync,
  type BigIntStats,
  type Dirent,
} from "node:fs";
import { parse, relative, sep } from "node:path";
import { echo, HoldfastError, say } from "../errors.ts";
import { hasDescriptorPaths, holdDirectory, type Hold } from "./_hold.ts";
import { asked, specialFile } from "./_refusal.ts";

export interface PinOptions {
  /** `paths` does without descriptors, as on systems that have no `/proc/self/fd`: then races are not guarded against. */
  readonly by?: "descriptors" | "paths";
}

/** A regular file, open to be read. Close its descriptor. */
export interface PinnedFile {
  readonly fd: number;
  readonly stat: BigIntStats;
}

export interface OpenFileOptions {
  /** A larger file is refused. */
  readonly maxBytes?: number;
  /** Accept a file that has other names too: for bytes that are only read and whose other names do not matter. */
  readonly manyLinks?: boolean;
}

export interface ReplaceOptions {
  /** Mode bits of the new file; those of the old one when left out, else 0666 as the umask allows. */
  readonly mode?: number;
  /** Wait until bytes and name are on disk. */
  readonly sync?: boolean;
}

const WRITE_NEW = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);
const NEW_FILE = 0o666;
const NEW_DIRECTORY = 0o777;
const TEMPORARY = /^\.holdfast-[0-9a-f]{16}\.tmp$/;
/** Entries that the system is asked for at once. */
const LISTED_AT_ONCE = 256;

/** A name of a file that was being written when its process died. */
export function isTemporaryName(name: string): boolean {
  return TEMPORARY.test(name);
}

export class PinnedDirectory {
  readonly #hold: Hold;

  private constructor(hold: Hold) {
    this.#hold = hold;
  }

  /**
   * Holds a directory by the host's own path, in which links are followed. Close it: it is a descriptor.
   * Throws `not_found` / `no_such_file`, `conflict` / `not_a_directory` or `forbidden` / `not_permitted`.
   */
  static open(path: string, options: PinOptions = {}): PinnedDirectory {
    const { by = hasDescriptorPaths() ? "descriptors" : "paths" } = options;
    return new PinnedDirectory(holdDirectory(path, by));
  }

  /**
   * Holds a directory by a path of the host that was resolved before: a symbolic link that is found in it was put there since, and is
   * `forbidden` / `symlink`.
   */
  static openResolved(path: string, options: PinOptions = {}): PinnedDirectory {
    const top = parse(path).root;
    const names = relative(top, path).split(sep);
    return PinnedDirectory.open(top, options).into(names.filter((name) => name !== ""));
  }

  /** The directory at the end of a way below this one, which is closed. */
  into(way: readonly string[]): PinnedDirectory {
    let here: PinnedDirectory | undefined;
    for (const name of way) {
      const above: PinnedDirectory = here ?? this;
      try {
        here = above.enter(name);
      } finally {
        above.close();
      }
    }
    return here ?? this;
  }

  /** False: another process that swaps directories and links at the right moment can lead a call astray. */
  get isRaceFree(): boolean {
    return this.#hold.isRaceFree;
  }

  /** The directory `name` in this one. Close it too. */
  enter(name: string): PinnedDirectory {
    checkName(name);
    return asked(() => new PinnedDirectory(this.#hold.enter(name)));
  }

  /** What is in the directory, in no order. A name that is not UTF-8 holds U+FFFD. */
  *list(): Generator<Dirent, void, undefined> {
    const directory = asked(() =>
      opendirSync(this.#hold.place("."), { encoding: "utf8", bufferSize: LISTED_AT_ONCE }),
    );
    try {
      for (
        let next = asked(() => directory.readSync());
        next !== null;
        next = asked(() => directory.readSync())
      )
        yield next;
    } finally {
      directory.closeSync();
    }
  }

  /** The entry itself, not what a link points to; undefined when there is none. */
  stat(name: string): BigIntStats | undefined {
    checkName(name);
    return asked(() => lstatSync(this.#hold.place(name), { bigint: true, throwIfNoEntry: false }));
  }

  /** The directory itself. */
  self(): BigIntStats {
    return asked(() => statSync(this.#hold.place("."), { bigint: true }));
  }

  /** Where a symbolic link points to, as it is written. */
  readLink(name: string): string {
    checkName(name);
    return asked(() => readlinkSync(this.#hold.place(name)));
  }

  /** Opens a regular file with one link. See HOST-4 for what it throws. */
  openFile(name: string, options: OpenFileOptions = {}): PinnedFile {
    checkName(name);
    return asked(() => this.#hold.openFile(name, (stat) => checkFile(stat, options)));
  }

  /** Makes a file that did not exist and returns its descriptor, open to be written. */
  createFile(name: string, mode: number = NEW_FILE): number {
    checkName(name);
    return asked(() => openSync(this.#hold.place(name), WRITE_NEW, mode));
  }

  /**
   * Gives `name` the content that `fill` writes, in one step. What was there is gone, be it a symbolic link; a directory stays, and
   * this throws. When `fill` throws, nothing has changed.
   */
  replaceFile(name: string, fill: (fd: number) => void, options: ReplaceOptions = {}): void {
    const old = this.stat(name);
    const mode = options.mode ?? (old?.isFile() === true ? Number(old.mode & 0o7777n) : undefined);
    const temporary = this.newTemporaryName();
    const fd = this.createFile(temporary, mode === undefined ? NEW_FILE : 0o600);
    try {
      try {
        fill(fd);
        if (mode !== undefined) asked(() => fchmodSync(fd, mode));
        if (options.sync === true) asked(() => fsyncSync(fd));
      } finally {
        closeSync(fd);
      }
      this.rename(temporary, this, name);
    } catch (error) {
      this.#drop(temporary);
      throw error;
    }
    if (options.sync === true) this.sync();
  }

  /** A name for a file on its way to another name, recognised by {@link isTemporaryName}. */
  newTemporaryName(): string {
    return `.holdfast-${randomBytes(8).toString("hex")}.tmp`;
  }

  makeDirectory(name: string, mode: number = NEW_DIRECTORY): void {
    checkName(name);
    asked(() => mkdirSync(this.#hold.place(name), { mode }));
  }

  /** Replaces what is at the new name, unless only one of the two is a directory. */
  rename(name: string, into: PinnedDirectory, as: string): void {
    checkName(name);
    checkName(as);
    asked(() => renameSync(this.#hold.place(name), into.#hold.place(as)));
  }

  /** Gives a file a second name, where there is none. */
  link(name: string, into: PinnedDirectory, as: string): void {
    checkName(name);
    checkName(as);
    asked(() => linkSync(this.#hold.place(name), into.#hold.place(as)));
  }

  unlink(name: string): void {
    checkName(name);
    asked(() => unlinkSync(this.#hold.place(name)));
  }

  removeDirectory(name: string): void {
    checkName(name);
    asked(() => rmdirSync(this.#hold.place(name)));
  }

  /** What calls of `node:fs` take for an entry of this directory; good for one call that does not follow links at its end. */
  place(name: string): string {
    checkName(name);
    return asked(() => this.#hold.place(name));
  }

  /** The same for the directory itself. */
  get here(): string {
    return asked(() => this.#hold.place("."));
  }

  /** Waits until the names in the directory are on disk, where its file system can. */
  sync(): void {
    const fd = asked(() => openSync(this.#hold.place("."), constants.O_RDONLY));
    try {
      fsyncSync(fd);
    } catch {
      // Some file systems cannot sync a directory; its names are then as durable as they make them.
    } finally {
      closeSync(fd);
    }
  }

  /** Nothing works any more; closing again does nothing. */
  close(): void {
    this.#hold.close();
  }

  #drop(temporary: string): void {
    try {
      this.unlink(temporary);
    } catch {
      // It is gone already.
    }
  }
}

/** Windows takes two more characters for separators. */
const NOT_IN_NAMES = process.platform === "win32" ? /[/\0\\:]/ : /[/\0]/;

function checkName(name: string): void {
  if (name !== "" && name !== "." && name !== ".." && !NOT_IN_NAMES.test(name)) return;
  throw new HoldfastError("invalid_argument", "bad_name", say`${echo(name)} is not the name of an entry.`);
}

function checkFile(stat: BigIntStats, options: OpenFileOptions): void {
  if (!stat.isFile()) throw specialFile();
  if (stat.nlink > 1n && options.manyLinks !== true)
    throw new HoldfastError(
      "forbidden",
      "multiple_links",
      say`The file has ${Number(stat.nlink)} hard links, and the others may lie outside. Copy it first.`,
    );
  const { maxBytes } = options;
  if (maxBytes !== undefined && stat.size > BigInt(maxBytes))
    throw new HoldfastError(
      "invalid_argument",
      "too_large",
      say`The file has ${Number(stat.size)} bytes; at most ${maxBytes} are read.`,
    );
}
