// Owns: blobs that are files: written under staging/, synced and renamed into blobs/ before the commit that names them.
// Must never: let a record refer to a file whose bytes or name could still be lost.

import { closeSync, openSync, readSync, rmSync } from "node:fs";
import { open, rename, type FileHandle } from "node:fs/promises";
import { dirname } from "node:path";
import type { BlobRead } from "../_extents.ts";
import { KEEP_MS } from "../_staging.ts";
import { fileBlobId } from "../chain.ts";
import type { BlobId } from "../journal.ts";
import { blobFile, stagingFile } from "./_layout.ts";
import { errorOf } from "./_link.ts";

interface Staged {
  readonly size: number;
  readonly since: number;
  /** Set once syncing has begun; appends that carry the same blob share it. */
  settled: Promise<void> | undefined;
}

export class BlobFiles {
  readonly #session: string;
  /** In order of `since`. */
  readonly #staged = new Map<BlobId, Staged>();

  constructor(session: string) {
    this.#session = session;
  }

  /** Writes `head` and what follows. Nothing is synced yet: a call that fails or is dry pays for no disk. */
  async stage(
    head: readonly Uint8Array[],
    rest: AsyncIterator<Uint8Array>,
    now: number = Date.now(),
  ): Promise<BlobId> {
    for (const [id, { since }] of this.#staged) if (now - since >= KEEP_MS) this.forget(id);
    const id = fileBlobId();
    const path = stagingFile(this.#session, id);
    const file = await open(path, "wx", 0o600).catch(diskTrouble);
    let size = 0;
    try {
      for (const chunk of head) size += await writeAll(file, chunk);
      for (let next = await rest.next(); next.done !== true; next = await rest.next())
        size += await writeAll(file, next.value);
    } catch (error) {
      await file.close().catch(() => {});
      rmSync(path, { force: true });
      throw error;
    }
    await file.close().catch(diskTrouble);
    this.#staged.set(id, { size, since: now, settled: undefined });
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
      diskTrouble(error);
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

  /** Deletes a staged file that no record names. */
  forget(id: BlobId): void {
    if (!this.#staged.delete(id)) return;
    rmSync(stagingFile(this.#session, id), { force: true });
    rmSync(blobFile(this.#session, id), { force: true });
  }

  forgetAll(): void {
    for (const id of this.#staged.keys()) this.forget(id);
  }

  /** Opens a blob for reading; undefined when there is no such file. */
  open(id: BlobId): { read: BlobRead; close(): void } | undefined {
    const places = [blobFile(this.#session, id)];
    if (this.#staged.has(id)) places.unshift(stagingFile(this.#session, id));
    for (const path of places) {
      let fd: number;
      try {
        fd = openSync(path, "r");
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "ENOENT") continue;
        throw error;
      }
      return {
        read: (at, into, offset, length) => readFully(fd, at, into, offset, length),
        close: () => closeSync(fd),
      };
    }
    return undefined;
  }
}

async function writeAll(file: FileHandle, chunk: Uint8Array): Promise<number> {
  for (let at = 0; at < chunk.length;)
    at += (await file.write(chunk, at, chunk.length - at).catch(diskTrouble)).bytesWritten;
  return chunk.length;
}

/** No record refers to these bytes yet, so whatever failed, nothing was written. */
function diskTrouble(error: unknown): never {
  const { code } = error as NodeJS.ErrnoException;
  throw errorOf(code === "ENOSPC" || code === "EDQUOT" ? "full" : "failed", String(error));
}

function readFully(fd: number, at: number, into: Uint8Array, offset: number, length: number): number {
  let done = 0;
  while (done < length) {
    const got = readSync(fd, into, offset + done, length - done, at + done);
    if (got === 0) break;
    done += got;
  }
  return done;
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
