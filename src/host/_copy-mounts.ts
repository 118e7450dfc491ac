// Owns: the bytes of mounted files on their way into blobs of the session.
// Must never: hold more than one buffer of them, or take a mixture of two states of a file for its content.

import { closeSync, fstatSync, readSync, type BigIntStats } from "node:fs";
import { EMPTY_CONTENT } from "../session/content.ts";
import type { FileBody } from "../session/files/file-change.ts";
import type { Journal } from "../store/journal.ts";
import { Utf8Validator } from "../text/utf8.ts";
import type { Pacer } from "../text/steps.ts";
import { openWay, skipReasonOf, type MountFile } from "./_scan-mount.ts";
import type { ResolvedMount, SkipReason } from "./mount.ts";
import type { PinnedDirectory, PinnedFile } from "./pinned-directory.ts";

/** A file that has been copied. */
export interface CopiedFile {
  readonly file: MountFile;
  readonly body: FileBody;
}

export interface CopyRules {
  readonly fileBytes: number;
  readonly pace: Pacer;
  readonly copied: (file: MountFile, size: number) => void;
  readonly skipped: (file: MountFile, reason: SkipReason) => void;
}

/** Files share blobs of about this many bytes. */
const PACK_BYTES = 64 << 20;
const BUFFER_BYTES = 1 << 20;
const TRIES = 3;

/** Copies files, given in path order, into staged blobs. What cannot be read is skipped. */
export async function copyMounts(
  journal: Journal,
  files: readonly MountFile[],
  rules: CopyRules,
): Promise<CopiedFile[]> {
  const copy = new MountCopy(files, rules);
  const copied: CopiedFile[] = [];
  try {
    while (!copy.isDone) {
      const placed: Placed[] = [];
      const blob = await journal.stage(copy.pack(placed));
      for (const { file, at, size, encoding, executable } of placed) {
        const content = size === 0 ? EMPTY_CONTENT : { size, extents: [[blob, at, size] as const] };
        copied.push({ file, body: { content, encoding, executable } });
        await rules.pace.step();
      }
    }
    return copied;
  } finally {
    copy.close();
  }
}

/** Where in its pack a file's bytes are. */
interface Placed {
  readonly file: MountFile;
  readonly at: number;
  readonly size: number;
  readonly encoding: "utf-8" | "binary";
  readonly executable: boolean;
}

class MountCopy {
  readonly #files: readonly MountFile[];
  readonly #rules: CopyRules;
  readonly #buffer = new Uint8Array(BUFFER_BYTES);
  readonly #way = new Way();
  #next = 0;
  /** Bytes of the pack so far, and those of them that are still in the buffer. */
  #packed = 0;
  #filled = 0;

  constructor(files: readonly MountFile[], rules: CopyRules) {
    this.#files = files;
    this.#rules = rules;
  }

  get isDone(): boolean {
    return this.#next === this.#files.length;
  }

  close(): void {
    this.#way.close();
  }

  /** The bytes of the next pack. Each chunk is good until the next one is asked for. */
  async *pack(placed: Placed[]): AsyncGenerator<Uint8Array, void, undefined> {
    this.#packed = 0;
    while (!this.isDone && this.#packed < PACK_BYTES) {
      const file = this.#files[this.#next] as MountFile;
      for (const chunk of this.#take(file, placed)) {
        yield chunk;
        await this.#rules.pace.step();
      }
      this.#next++;
      await this.#rules.pace.step();
    }
    if (this.#filled > 0) yield this.#flush();
  }

  #flush(): Uint8Array {
    const chunk = this.#buffer.subarray(0, this.#filled);
    this.#filled = 0;
    return chunk;
  }

  /** Reads a file into the pack, or says why not. */
  *#take(file: MountFile, placed: Placed[]): Generator<Uint8Array, void, undefined> {
    const found = yield* this.#read(file);
    if (typeof found === "object") {
      placed.push(found);
      this.#rules.copied(file, found.size);
    } else if (found !== undefined) this.#rules.skipped(file, found);
  }

  /** Reads a file until it has stayed the same from its first to its last byte. */
  *#read(file: MountFile): Generator<Uint8Array, Placed | SkipReason | undefined, undefined> {
    for (let tries = 0; tries < TRIES; tries++) {
      let opened: PinnedFile;
      try {
        opened = this.#way.to(file).openFile(file.name, { maxBytes: this.#rules.fileBytes });
      } catch (error) {
        return skipReasonOf(error);
      }
      try {
        const placed = yield* this.#readOnce(file, opened);
        if (placed !== undefined) return placed;
      } finally {
        closeSync(opened.fd);
      }
    }
    return "changing";
  }

  /** Undefined when the file changed meanwhile: its bytes stay in the pack, and no file refers to them. */
  *#readOnce(
    file: MountFile,
    { fd, stat }: PinnedFile,
  ): Generator<Uint8Array, Placed | undefined, undefined> {
    const size = Number(stat.size);
    const at = this.#packed;
    const check = new Utf8Validator();
    for (let done = 0; done < size;) {
      if (this.#filled === BUFFER_BYTES) yield this.#flush();
      const want = Math.min(size - done, BUFFER_BYTES - this.#filled);
      const got = readSync(fd, this.#buffer, this.#filled, want, done);
      if (got === 0) return undefined;
      check.push(this.#buffer.subarray(this.#filled, this.#filled + got));
      this.#filled += got;
      this.#packed += got;
      done += got;
    }
    if (!isUnchanged(stat, fstatSync(fd, { bigint: true }))) return undefined;
    const encoding = check.end() === undefined ? "utf-8" : "binary";
    return { file, at, size, encoding, executable: (stat.mode & 0o100n) !== 0n };
  }
}

function isUnchanged(before: BigIntStats, after: BigIntStats): boolean {
  return before.size === after.size && before.mtimeNs === after.mtimeNs && before.ctimeNs === after.ctimeNs;
}

/** The directory of the file that is read, held open for the next one in it. */
class Way {
  #mount: ResolvedMount | undefined;
  #way: readonly string[] = [];
  #directory: PinnedDirectory | undefined;

  to({ mount, way }: MountFile): PinnedDirectory {
    const isHere =
      this.#mount === mount &&
      way.length === this.#way.length &&
      way.every((name, i) => name === this.#way[i]);
    if (isHere && this.#directory !== undefined) return this.#directory;
    this.close();
    this.#directory = openWay(mount, way);
    [this.#mount, this.#way] = [mount, way];
    return this.#directory;
  }

  close(): void {
    this.#directory?.close();
    this.#directory = undefined;
  }
}
