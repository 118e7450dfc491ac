// Owns: a host file as a source of bytes.
// Must never: put a host path into an error.

import { type BigIntStats, closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { randomBytes } from "node:crypto";
import { HoldfastError, say } from "../../errors.ts";
import type { ByteSource } from "../../text/byte-source.ts";

/** A file changed more recently than this may change again without its times showing it. */
const YOUNG_NS = 20_000_000n;

/**
 * Files that were written here with a modification time of our own making (see `splice-file.ts`): any change by
 * others shows in it, so that they need not grow old before they are known again.
 */
const ours = new Set<string>();
const MOST_OURS = 1_000;

export function trust(stat: BigIntStats): void {
  for (const oldest of ours) {
    if (ours.size < MOST_OURS) break;
    ours.delete(oldest);
  }
  ours.add(fileId(stat));
}

/**
 * An open host file. Close it when done: it holds a descriptor. A closed one throws `invalid_argument` / `file_closed` when
 * it is read; closing it again does nothing.
 */
export interface HostFile extends ByteSource {
  /** Its descriptor, ours until `close`. */
  readonly fd: number;
  /** What the system said of it when it was opened. */
  readonly stat: BigIntStats;
  /** True while device, inode, size and modification time are those it was opened with. */
  unchanged(): boolean;
  /** Closes the file. Reads after it throw; closing twice does nothing. */
  close(): void;
}

/**
 * Opens a host file for reading. Its id is made of device, inode, size and times, so that what is known about it is
 * used again as long as they stay; a file changed within the last 20 ms gets an id of its own.
 *
 * Throws `not_found` / `no_such_file`, `invalid_argument` / `not_a_file`, or `forbidden` / `not_readable`. The path is
 * the host's own: nothing is resolved against a workspace, and symbolic links are followed.
 *
 * @example
 * const file = openHostFile("data.json");
 * try {
 *   getJson(file, "$.users[0].name");
 * } finally {
 *   file.close();
 * }
 */
export function openHostFile(path: string): HostFile {
  const fd = openToRead(path);
  const stat = fstatSync(fd, { bigint: true });
  if (!stat.isFile()) {
    closeSync(fd);
    throw new HoldfastError("invalid_argument", "not_a_file", say`This is not a regular file.`);
  }
  return new OpenFile(fd, stat);
}

class OpenFile implements HostFile {
  readonly #fd: number;
  #closed = false;
  readonly stat: BigIntStats;
  readonly size: number;
  readonly #opened = Date.now();
  #id: string | undefined;

  constructor(fd: number, stat: BigIntStats) {
    this.#fd = fd;
    this.stat = stat;
    this.size = Number(stat.size);
  }

  /** A number of the system, which gives it to another file once this one is closed: then it is not handed out any more. */
  get fd(): number {
    if (!this.#closed) return this.#fd;
    throw new HoldfastError("invalid_argument", "file_closed", say`This file was closed. Open it again.`);
  }

  /** Made when asked for: a small document is read and forgotten without it. */
  get id(): string {
    return (this.#id ??= idAt(this.stat, this.#opened));
  }

  read(at: number, into: Uint8Array, offset: number, length: number): number {
    const want = Math.min(length, this.size - at);
    let got = 0;
    while (got < want) {
      const more = readSync(this.fd, into, offset + got, want - got, at + got);
      if (more === 0) throw fileChanged();
      got += more;
    }
    return Math.max(0, got);
  }

  unchanged(): boolean {
    return sameFile(this.stat, fstatSync(this.fd, { bigint: true }));
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    closeSync(this.#fd);
  }
}

function idAt(stat: BigIntStats, opened: number): string {
  const id = fileId(stat);
  const young = BigInt(opened) * 1_000_000n - stat.mtimeNs < YOUNG_NS && !ours.has(id);
  return young ? `${id}:${randomBytes(6).toString("hex")}` : id;
}

function openToRead(path: string): number {
  try {
    // A named pipe must not block the process until another process writes to it.
    return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    const code = (error as { code?: string }).code;
    if (code === "ENOENT" || code === "ENOTDIR")
      throw new HoldfastError("not_found", "no_such_file", say`There is no such file.`, { cause: error });
    throw new HoldfastError("forbidden", "not_readable", say`The file cannot be read.`, { cause: error });
  }
}

export function fileId(stat: BigIntStats): string {
  return `file:${stat.dev}:${stat.ino}:${stat.size}:${stat.mtimeNs}:${stat.ctimeNs}`;
}

export function sameFile(a: BigIntStats, b: BigIntStats): boolean {
  return a.dev === b.dev && a.ino === b.ino && a.size === b.size && a.mtimeNs === b.mtimeNs;
}

export function fileChanged(): HoldfastError {
  return new HoldfastError(
    "conflict",
    "file_changed",
    say`The file was changed by another process meanwhile. Nothing was written: read it again and repeat the edit.`,
  );
}
