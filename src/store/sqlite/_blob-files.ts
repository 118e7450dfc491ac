// Owns: blobs that are files: written under staging/, synced and renamed into blobs/ before the commit that names them.
// Must never: let a record refer to a file whose bytes or name could still be lost.

import { closeSync, openSync, rmSync } from "node:fs";
import { open, rename, type FileHandle } from "node:fs/promises";
import { dirname } from "node:path";
import { HoldfastError } from "../../errors.ts";
import type { BlobRead } from "../_extents.ts";
import { unknownBlob } from "../_checks.ts";
import { blobLost } from "../lost-bytes.ts";
import { STAGED_MS } from "../_staging.ts";
import { fileBlobId, isFileBlobId } from "../chain.ts";
import type { BlobId } from "../journal.ts";
import { BlockSums, openBlob } from "./_blob-format.ts";
import { blobFile, stagingFile } from "./_layout.ts";
import { errorOf } from "./_writer-client.ts";

export interface OpenBlob {
  readonly size: number;
  readonly read: BlobRead;
  close(): void;
}

interface Staged {
  readonly size: number;
  readonly since: number;
  /** Set once syncing has begun; appends that carry the same blob share it. */
  settled: Promise<void> | undefined;
  /** A record may name it: only a sweep that has looked may delete it. */
  isInDoubt: boolean;
}

export class BlobFiles {
  readonly #session: string;
  /** In order of `since`. */
  readonly #staged = new Map<BlobId, Staged>();
  readonly #open = new Map<BlobId, { readonly file: OpenBlob; readers: number }>();

  constructor(session: string) {
    this.#session = session;
  }

  /** Writes `head` and what follows. Nothing is synced yet: a call that fails or is dry pays for no disk. */
  async stage(
    head: readonly Uint8Array[],
    rest: AsyncIterator<Uint8Array>,
    now: number = performance.now(),
  ): Promise<BlobId> {
    for (const [id, { since }] of this.#staged) if (now - since >= STAGED_MS) this.forget(id);
    const id = fileBlobId();
    const path = stagingFile(this.#session, id);
    const file = await open(path, "wx", 0o600).catch(throwDiskFailure);
    const sums = new BlockSums(id);
    try {
      for (const chunk of head) await writeContent(file, chunk, sums);
      for (let next = await rest.next(); next.done !== true; next = await rest.next())
        await writeContent(file, next.value, sums);
      await writeAll(file, sums.end());
    } catch (error) {
      await file.close().catch(() => {});
      rmSync(path, { force: true });
      throw error;
    }
    await file.close().catch(throwDiskFailure);
    this.#staged.set(id, { size: sums.size, since: now, settled: undefined, isInDoubt: false });
    return id;
  }

  sizeOf(id: BlobId): number | undefined {
    return this.#staged.get(id)?.size;
  }

  /** Makes the staged ones among these durable, names included: one sync each, and one of their directory. */
  async settle(ids: readonly BlobId[]): Promise<void> {
    const waiting: Promise<void>[] = [];
    const fresh: [BlobId, Staged][] = [];
    for (const id of ids) {
      const staged = this.#staged.get(id);
      if (staged === undefined) continue;
      if (staged.settled === undefined) fresh.push([id, staged]);
      else waiting.push(staged.settled);
    }
    if (fresh.length > 0) {
      const settling = this.#move(fresh.map(([id]) => id));
      for (const [, staged] of fresh) staged.settled = settling;
      waiting.push(settling);
    }
    try {
      await Promise.all(waiting);
    } catch (error) {
      // After a failed sync the bytes are not to be trusted: they are gone, and must be staged again.
      for (const [id] of fresh) this.forget(id);
      // Another process has swept them: this one has slept for very long.
      if ((error as NodeJS.ErrnoException).code === "ENOENT") throw unknownBlob();
      throwDiskFailure(error);
    }
  }

  async #move(ids: readonly BlobId[]): Promise<void> {
    for (const id of ids) {
      const file = await open(stagingFile(this.#session, id), "r+");
      try {
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(stagingFile(this.#session, id), blobFile(this.#session, id));
    }
    await syncFolder(dirname(blobFile(this.#session, "x")));
  }

  /** The session's records own it now. */
  carried(id: BlobId): void {
    this.#staged.delete(id);
  }

  /** A commit that names it failed, and may have been written all the same. */
  doubt(id: BlobId): void {
    const staged = this.#staged.get(id);
    if (staged !== undefined) staged.isInDoubt = true;
  }

  /** Deletes a staged file that no record names. */
  forget(id: BlobId): void {
    const staged = this.#staged.get(id);
    this.#staged.delete(id);
    if (staged === undefined || staged.isInDoubt) return;
    rmSync(stagingFile(this.#session, id), { force: true });
    rmSync(blobFile(this.#session, id), { force: true });
  }

  forgetAll(): void {
    for (const id of this.#staged.keys()) this.forget(id);
  }

  /**
   * Opens a blob for reading, once for all who read it at a time. Throws `internal` / `blob_lost` when its file is missing or
   * damaged.
   */
  open(id: BlobId): OpenBlob {
    const shared = this.#open.get(id) ?? { file: this.#openFile(id), readers: 0 };
    this.#open.set(id, shared);
    shared.readers++;
    let isClosed = false;
    const close = (): void => {
      if (isClosed) return;
      isClosed = true;
      if (--shared.readers > 0) return;
      this.#open.delete(id);
      shared.file.close();
    };
    return { ...shared.file, close };
  }

  #openFile(id: BlobId): OpenBlob {
    if (!isFileBlobId(id)) throw blobLost();
    const places = [blobFile(this.#session, id)];
    if (this.#staged.has(id)) places.unshift(stagingFile(this.#session, id));
    for (const path of places) {
      const file = openBlobFile(path, id);
      if (file !== undefined) return file;
    }
    throw blobLost();
  }
}

/** Undefined when there is no such file. */
export function openBlobFile(path: string, id: BlobId): OpenBlob | undefined {
  let fd: number | undefined;
  try {
    fd = openSync(path, "r");
    const file = fd;
    return { ...openBlob(file, id), close: () => closeSync(file) };
  } catch (error) {
    if (fd !== undefined) closeSync(fd);
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    if (HoldfastError.is(error)) throw error;
    return throwDiskFailure(error);
  }
}

async function writeContent(file: FileHandle, chunk: Uint8Array, sums: BlockSums): Promise<void> {
  sums.add(chunk);
  await writeAll(file, chunk);
}

async function writeAll(file: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let at = 0; at < chunk.length;)
    at += (await file.write(chunk, at, chunk.length - at).catch(throwDiskFailure)).bytesWritten;
}

/** No record refers to these bytes yet, so whatever failed, nothing was written. */
function throwDiskFailure(error: unknown): never {
  const { code } = error as NodeJS.ErrnoException;
  throw errorOf(code === "ENOSPC" || code === "EDQUOT" ? "full" : "failed", String(error));
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
