// Owns: writing an edited host file: a new file beside it, then one rename.
// Must never: leave the old file half changed, or leave a new one after a failure.
//
// A read pass that is needed anyway (a validation) can carry the copy: every window it reads in order is
// written at once, so the bytes are read one time. What it leaves is copied afterwards.

import type { Steps } from "../../text/steps.ts";
import {
  type BigIntStats,
  closeSync,
  constants,
  copyFileSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  ftruncateSync,
  futimesSync,
  lstatSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { randomBytes } from "node:crypto";
import { basename, dirname } from "node:path";
import { HoldfastError, say } from "../../errors.ts";
import type { ByteSource } from "../../text/byte-source.ts";
import type { Splice } from "../../text/splice.ts";
import { PinnedDirectory } from "../pinned-directory.ts";
import { fileChanged, type HostFile, sameFile, trust } from "./host-file.ts";
import { inTurn } from "./replace-lock.ts";

/** How a file on the host is written. */
export interface SpliceFileOptions {
  /** Write the result to this path and leave the file alone. What is there is replaced. Default: the file itself is replaced. */
  readonly to?: string;
  /** Wait until the new bytes and the rename are on disk. Default true; false: a power failure may bring the old file back, or an empty one. */
  readonly sync?: boolean;
  /** `refuse` (default) a file with several hard links, since the others would keep the old bytes, or `break` them. */
  readonly hardLinks?: "refuse" | "break";
  /**
   * A pass over the document that carries the copy: it is given a source to read in order. False: nothing is written
   * and the result is false. Default: the file is copied without one.
   */
  readonly through?: (source: ByteSource) => Steps<boolean>;
}

/** Bytes copied at once, and between two yields of the caller's turn. */
const HOP = 1 << 20;
const HOPS_PER_STEP = 8;

/** Devices that have refused to share blocks between files. */
const noReflink = new Set<bigint>();

/**
 * Replaces the file by itself with `splices` (sorted, not overlapping, over the bytes of `file`). Yields every 8 MB.
 * Returns false when `through` did. Throws `conflict` / `file_changed` when the file is not what `file` was opened on,
 * `conflict` / `hard_links` when it has several, and `not_found`, `forbidden` or `internal` when the system does not write it;
 * then nothing was changed.
 *
 * @example
 * const file = openHostFile("app.json");
 * const steps = spliceFileSteps("app.json", file, [{ at: 0, remove: 0, insert: new TextEncoder().encode("\n") }]);
 * while (steps.next().done !== true) await new Promise(setImmediate);
 * file.close();
 */
export function* spliceFileSteps(
  path: string,
  file: HostFile,
  splices: readonly Splice[],
  options: SpliceFileOptions = {},
): Steps<boolean> {
  const original = stillThere(() => realpathSync(path));
  const directory = pinTarget(dirname(options.to ?? original));
  try {
    return yield* spliceIn(directory, original, file, splices, options);
  } finally {
    directory.close();
  }
}

/** Writes in the directory as it was pinned: whatever takes its place meanwhile is left alone. */
function* spliceIn(
  directory: PinnedDirectory,
  original: string,
  file: HostFile,
  splices: readonly Splice[],
  options: SpliceFileOptions,
): Steps<boolean> {
  const name = basename(options.to ?? original);
  const now = (): BigIntStats =>
    options.to === undefined
      ? lstatSync(directory.place(name), { bigint: true })
      : statSync(original, { bigint: true });
  const same = (): boolean => sameFile(file.stat, stillThere(now));
  if (!same()) throw fileChanged();
  if (options.to === undefined && file.stat.nlink > 1n && options.hardLinks !== "break")
    throw new HoldfastError(
      "conflict",
      "hard_links",
      say`The file has ${Number(file.stat.nlink)} hard links; an edit would part them. Copy the file, or allow hard links to be broken.`,
    );
  if (options.to !== undefined) refuseSpecial(directory, name);
  const temporary = `.${name}.${randomBytes(8).toString("hex")}.tmp`;
  let done = false;
  try {
    const source = options.to === undefined ? directory.place(name) : original;
    done = yield* fill(directory.place(temporary), source, file, splices, options);
    if (!done) return false;
    const replace = (): void => {
      if (!file.unchanged() || !same()) throw fileChanged();
      renameSync(directory.place(temporary), directory.place(name));
    };
    if (options.to === undefined) inTurn(directory, name, replace);
    else replace();
  } catch (error) {
    done = false;
    throw HoldfastError.is(error) ? error : notWritten(error);
  } finally {
    if (!done) rmSync(directory.place(temporary), { force: true });
  }
  trust(statSync(directory.place(name), { bigint: true }));
  if (options.sync !== false) directory.sync();
  return true;
}

/** A device or pipe would be replaced by a file, for every process that uses it. */
function refuseSpecial(directory: PinnedDirectory, name: string): void {
  const stat = directory.stat(name);
  if (stat !== undefined && !stat.isFile() && !stat.isSymbolicLink()) throw notWritten({ code: "EISDIR" });
}

function pinTarget(path: string): PinnedDirectory {
  try {
    return PinnedDirectory.open(path);
  } catch (error) {
    throw notWritten((error as Error).cause);
  }
}

/** The error for a file that was opened; one that is gone by now was changed by another process. */
function stillThere<T>(ask: () => T): T {
  try {
    return ask();
  } catch {
    throw fileChanged();
  }
}

/** Nothing was changed, whatever the system said; its own words hold host paths. */
function notWritten(cause: unknown): HoldfastError {
  const unchanged = say`Nothing was changed.`;
  switch ((cause as { code?: string }).code) {
    case "ENOENT":
    case "ENOTDIR":
      return new HoldfastError(
        "not_found",
        "no_such_directory",
        say`There is no such directory to write to. ${unchanged}`,
        { cause },
      );
    case "EISDIR":
      return new HoldfastError(
        "invalid_argument",
        "not_a_file",
        say`This is not a regular file. ${unchanged}`,
        {
          cause,
        },
      );
    case "ENOSPC":
    case "EDQUOT":
      return new HoldfastError("internal", "no_space", say`There is no room left on the disk. ${unchanged}`, {
        cause,
      });
    case "EACCES":
    case "EPERM":
    case "EROFS":
      return new HoldfastError(
        "forbidden",
        "not_writable",
        say`The file cannot be written here. ${unchanged}`,
        {
          cause,
        },
      );
    default:
      return new HoldfastError("internal", "not_written", say`The file could not be written. ${unchanged}`, {
        cause,
      });
  }
}

function* fill(
  temporary: string,
  original: string,
  file: HostFile,
  splices: readonly Splice[],
  options: SpliceFileOptions,
): Steps<boolean> {
  const cloned = clone(original, temporary, file);
  const fd = openSync(temporary, cloned ? "r+" : "wx", 0o600);
  try {
    const copy = new FileCopy(file, fd, splices, cloned);
    if (options.through !== undefined && !(yield* options.through(copy.carrier()))) return false;
    yield* copy.rest();
    keepOwner(fd, file);
    stamp(fd);
    if (options.sync !== false) fsyncSync(fd);
    return true;
  } finally {
    closeSync(fd);
  }
}

/** Shares the blocks of the old file where the file system can: then only what follows the edit is written. */
function clone(original: string, temporary: string, file: HostFile): boolean {
  if (noReflink.has(file.stat.dev)) return false;
  try {
    copyFileSync(original, temporary, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE_FORCE);
    return true;
  } catch {
    noReflink.add(file.stat.dev);
    rmSync(temporary, { force: true });
    return false;
  }
}

function keepOwner(fd: number, { stat }: HostFile): void {
  try {
    fchownSync(fd, Number(stat.uid), Number(stat.gid));
  } catch {
    // Only the owner's own files can be given away; the mode below is what readers need.
  }
  fchmodSync(fd, Number(stat.mode & 0o7777n));
}

/**
 * Gives the file a modification time with microseconds of chance. The system's own stamps are coarser, so a write by
 * another process, however soon, leaves another time.
 */
function stamp(fd: number): void {
  const now = Date.now() / 1000;
  futimesSync(fd, now, now + (randomBytes(2).readUInt16LE() % 1000) / 1_000_000);
}

/** The copy on its way: old bytes up to `#read` have been dealt with, new ones up to `#written`. */
class FileCopy {
  readonly #file: HostFile;
  readonly #fd: number;
  readonly #splices: readonly Splice[];
  #next = 0;
  #read = 0;
  #written = 0;

  constructor(file: HostFile, fd: number, splices: readonly Splice[], cloned: boolean) {
    this.#file = file;
    this.#fd = fd;
    this.#splices = splices;
    if (!cloned) return;
    // A clone already holds everything before the first change of length.
    let sameUntil = file.size;
    for (const splice of splices) {
      if (splice.insert.length === splice.remove) continue;
      sameUntil = splice.at;
      break;
    }
    for (const splice of splices) {
      if (splice.at >= sameUntil) break;
      this.#write(splice.insert, 0, splice.insert.length, splice.at);
      this.#next++;
    }
    this.#read = this.#written = sameUntil;
  }

  /** A source that writes what is read from it in order. */
  carrier(): ByteSource {
    const { size, id } = this.#file;
    return {
      size,
      id,
      read: (at, into, offset, length) => {
        const got = this.#file.read(at, into, offset, length);
        if (at <= this.#read && this.#read < at + got)
          this.#take(into, offset + this.#read - at, at + got - this.#read);
        return got;
      },
    };
  }

  /** Copies what has not been read yet. */
  *rest(): Steps<void> {
    const hop = new Uint8Array(Math.min(HOP, Math.max(1, this.#file.size - this.#read)));
    for (let hops = 1; this.#read < this.#file.size; hops++) {
      // Bytes that a splice removes are not read at all.
      const splice = this.#splices[this.#next];
      if (splice !== undefined && splice.at === this.#read) {
        this.#insert(splice);
        continue;
      }
      const got = this.#file.read(this.#read, hop, 0, Math.min(hop.length, this.#file.size - this.#read));
      this.#take(hop, 0, got);
      if (hops % HOPS_PER_STEP === 0) yield;
    }
    for (let last = this.#splices[this.#next]; last !== undefined; last = this.#splices[this.#next])
      this.#insert(last);
    ftruncateSync(this.#fd, this.#written);
  }

  #insert(splice: Splice): void {
    this.#write(splice.insert, 0, splice.insert.length, this.#written);
    this.#written += splice.insert.length;
    this.#read = splice.at + splice.remove;
    this.#next++;
  }

  /** Deals with `length` old bytes that are at `#read`. */
  #take(bytes: Uint8Array, offset: number, length: number): void {
    const end = this.#read + length;
    const start = this.#read;
    while (this.#read < end) {
      const splice = this.#splices[this.#next];
      const upTo = splice === undefined ? end : Math.min(end, splice.at);
      if (upTo > this.#read) {
        this.#write(bytes, offset + this.#read - start, upTo - this.#read, this.#written);
        this.#written += upTo - this.#read;
        this.#read = upTo;
      }
      if (splice !== undefined && splice.at === this.#read) this.#insert(splice);
    }
  }

  #write(bytes: Uint8Array, offset: number, length: number, at: number): void {
    let done = 0;
    while (done < length) done += writeSync(this.#fd, bytes, offset + done, length - done, at + done);
  }
}
