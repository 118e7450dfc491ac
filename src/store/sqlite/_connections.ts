// Owns: one session's connections in this process, shared by every journal that has it open: a reader here, a writer in
// the writer's thread. They come with the first use and go when the store has too many open.
// Must never: be the last to close the file from this thread; SQLite would copy the WAL back here. The writer closes last.

import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { LRUCache } from "lru-cache";
import { HoldfastError } from "../../errors.ts";
import { sessionNotFound } from "../_checks.ts";
import { blobLost } from "../lost-bytes.ts";
import { inlineBlobId, isInlineBlobId } from "../chain.ts";
import type { BlobId, Position } from "../journal.ts";
import { ask, errorOf } from "./_writer-client.ts";
import { JournalReader, isTransient } from "./_reader.ts";
import { failureIn } from "./_failure.ts";
import { journalFile } from "./_layout.ts";
import { filesSignature } from "./_watch.ts";
import type { TaskResults, Task } from "./_wire.ts";

const READ_TRIES = 200;

export class Connections {
  readonly id: string;
  readonly directory: string;
  /** How many journals, and store methods at work, need it. */
  users: number = 0;
  /** Told that something may have happened, and where the head is if that is known. */
  readonly watchers: Set<(head?: Position) => void> = new Set();
  readonly #connected: LRUCache<Connections, true>;
  readonly #blobs: LRUCache<string, Uint8Array>;
  #reader: JournalReader | undefined;
  #connecting: Promise<JournalReader> | undefined;
  #removed = false;
  #hasBlobs = false;
  /** What the files looked like when this process had closed them; undefined while it has them open. */
  #atRest: string | undefined;
  #isClosing = false;
  #lastSeen = -1;

  constructor(
    id: string,
    directory: string,
    connected: LRUCache<Connections, true>,
    blobs: LRUCache<string, Uint8Array>,
  ) {
    this.id = id;
    this.directory = directory;
    this.#connected = connected;
    this.#blobs = blobs;
  }

  get isRemoved(): boolean {
    return this.#removed;
  }

  markRemoved(): void {
    this.#removed = true;
    this.wake();
  }

  wake(head?: Position): void {
    if (head !== undefined && head.seq > this.#lastSeen) this.#lastSeen = head.seq;
    for (const wake of this.watchers) wake(head);
  }

  /** Hands a task to the writer. */
  async ask<T extends Task>(task: T): Promise<TaskResults[T["do"]]> {
    if (this.#removed) throw sessionNotFound(this.id);
    this.#connected.set(this, true);
    try {
      return await ask(this.directory, task);
    } catch (error) {
      throw this.#named(error);
    }
  }

  /** Runs a short query. Another process that opens or recovers the file at this moment costs a short wait. */
  async read<T>(query: (reader: JournalReader) => T | Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await query(await this.reader());
      } catch (error) {
        if (!isTransient(error)) throw this.#named(error);
        if (tries >= READ_TRIES) throw errorOf("busy", String(error));
        await sleep(1 + Math.random() * 10);
      }
    }
  }

  async reader(): Promise<JournalReader> {
    if (this.#removed) throw sessionNotFound(this.id);
    // Counts as a use.
    this.#connected.get(this);
    if (this.#reader !== undefined) return this.#reader;
    this.#connecting ??= this.#connect();
    try {
      return await this.#connecting;
    } finally {
      this.#connecting = undefined;
    }
  }

  async #connect(): Promise<JournalReader> {
    this.#atRest = undefined;
    await this.ask({ do: "open" });
    this.#reader = new JournalReader(journalFile(this.directory));
    if (this.#reader.head() === undefined) {
      this.markRemoved();
      throw sessionNotFound(this.id);
    }
    return this.#reader;
  }

  /** The bytes of an inline blob that a record brought in; undefined when they are a file or unknown. */
  async inlineBlob(id: BlobId): Promise<Uint8Array | undefined> {
    if (!isInlineBlobId(id)) return undefined;
    const key = `${this.id}/${id}`;
    const cached = this.#blobs.get(key);
    if (cached !== undefined) return cached;
    const bytes = await this.read((reader) => reader.blob(id));
    if (!(bytes instanceof Uint8Array)) return undefined;
    if (inlineBlobId(bytes) !== id) throw blobLost();
    this.cacheBlob(id, bytes);
    return bytes;
  }

  /** Nobody may change these bytes any more. */
  cacheBlob(id: BlobId, bytes: Uint8Array): void {
    this.#blobs.set(`${this.id}/${id}`, bytes);
    this.#hasBlobs = true;
  }

  /** After blobs have been dropped. */
  forgetBlobs(): void {
    if (!this.#hasBlobs) return;
    this.#hasBlobs = false;
    for (const key of this.#blobs.keys()) if (key.startsWith(`${this.id}/`)) this.#blobs.delete(key);
  }

  /** Gives every descriptor back, the reader's first. The next use connects again. */
  async disconnect(): Promise<void> {
    if (this.#connecting !== undefined) await this.#connecting.catch(() => {});
    this.#reader?.close();
    this.#reader = undefined;
    this.#isClosing = true;
    try {
      await ask(this.directory, { do: "close" });
    } finally {
      this.#isClosing = false;
    }
    // Used again meanwhile: then it is open again.
    if (this.#reader === undefined && this.#connecting === undefined)
      this.#atRest = filesSignature(this.directory);
  }

  /** Undefined once the session has been removed. */
  async head(): Promise<Position | undefined> {
    const head = await this.read((reader) => reader.head());
    if (head === undefined) this.markRemoved();
    else this.#lastSeen = head.seq;
    return head;
  }

  /** Throws `not_found` / `session_not_found` when the session was removed, or its files were deleted. */
  async assertThere(): Promise<void> {
    if (existsSync(journalFile(this.directory)) && (await this.head()) !== undefined) return;
    this.markRemoved();
    throw sessionNotFound(this.id);
  }

  /**
   * For a watch, at once: true when the head is another than {@link head} last returned, or may be. A session at rest is judged by its files, so that a
   * watch opens no connection and takes none away from another session.
   */
  mayHaveMoved(): boolean {
    if (this.#isClosing || this.#connecting !== undefined) return false;
    if (this.#reader === undefined) return this.#atRest !== filesSignature(this.directory);
    try {
      return this.#reader.head()?.seq !== this.#lastSeen;
    } catch (error) {
      return !isTransient(error);
    }
  }

  #named(error: unknown): unknown {
    if (!HoldfastError.is(error)) return errorOf(failureIn(error), String(error));
    if (error.reason !== "session_not_found") return error;
    this.markRemoved();
    return sessionNotFound(this.id);
  }
}
