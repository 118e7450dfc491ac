// Owns: the contract between a session and its store: memory, SQLite, PostgreSQL.
// Must never: run a callback while a store holds its lock; what a commit checks, any SQL store can check.

import type { ByteSource } from "../text/byte-source.ts";
import type { Extent } from "../text/spliceable.ts";
import type { Json } from "../value.ts";

/** A resource that changes name: `file:/a/b`, `dir:/a`, `fold:/a/b`, `tree:t1`, `gate:main`. */
export type Key = string;

/** Names immutable bytes inside one session. */
export type BlobId = string;

/** A place in a session's history. The chain hash keeps a place of a lost timeline from matching. */
export interface Position {
  readonly seq: number;
  readonly hash: string;
}

/** Plain JSON that one slice can apply, invert, rebase and refuse. Large parts are blobs. */
export interface Change {
  readonly slice: string;
  readonly op: string;
}

/** A file's bytes: pieces of immutable blobs, one after another. */
export interface Content {
  readonly size: number;
  readonly extents: readonly Extent[];
  readonly sha256?: string;
}

export type { Extent };

/** What a run saw of a key. `pinned`: the caller named it; otherwise the run only read it. */
export interface Expectation {
  readonly key: Key;
  /** Pinned: the seq of the last record that touched the key, 0 when none ever did. Read: the seq of the state it was read from. */
  readonly seq: number;
  /** Leading digits of that record's chain hash, when the caller's token carried them. */
  readonly hash?: string;
  readonly pinned: boolean;
}

/** A commit that is requested. */
export interface Append {
  readonly expect: readonly Expectation[];
  readonly touch: readonly Key[];
  readonly targets: readonly Key[];
  readonly time: Date;
  /** Hash of the tool and its input, without version and idempotency key. */
  readonly request: string;
  readonly kind: string;
  readonly agent: string;
  readonly role: string;
  readonly tool?: string;
  /** The idempotency key. */
  readonly once?: string;
  /** The holder of the lease {@link TURN}, if this commit has the turn. While another has it, nothing is committed. */
  readonly turn?: string;
  /** The version of the changes' encoding, 1 or above. The store keeps it and the chain covers it; it never reads the changes. */
  readonly encoding: number;
  readonly changes: readonly Change[];
  readonly result?: Json;
  readonly delta: { readonly bytes: number; readonly files: number };
  /** Staged blobs that the changes refer to: made durable with the record. */
  readonly blobs: readonly BlobId[];
  /** The most the session may hold after this commit. */
  readonly quota: { readonly bytes: number; readonly files: number };
}

export type Appended =
  | { readonly at: Position }
  | { readonly replay: Json; readonly at: Position }
  | { readonly keyReused: true }
  /** Another holder has the turn: try again when it is over. */
  | { readonly turnTaken: true }
  | { readonly moved: readonly { readonly key: Key; readonly at: Position }[] }
  | { readonly overQuota: "bytes" | "files" };

/** A commit that was made. */
export interface JournalRecord {
  readonly seq: number;
  readonly hash: string;
  readonly time: Date;
  readonly kind: string;
  readonly agent: string;
  readonly role: string;
  readonly tool?: string;
  readonly request: string;
  readonly targets: readonly Key[];
  readonly keys: readonly Key[];
  /** The version of the changes' encoding. Records from before there was one have 1. */
  readonly encoding: number;
  /** Absent when retention has pruned them. */
  readonly changes?: readonly Change[];
}

export interface RecordQuery {
  readonly after?: number;
  readonly upTo?: number;
  readonly key?: Key;
  readonly agent?: string;
  readonly tool?: string;
  readonly kind?: string;
  readonly since?: Date;
  readonly until?: Date;
  readonly newestFirst?: boolean;
  readonly limit: number;
}

export interface SessionInfo {
  readonly id: string;
  readonly name?: string;
  readonly created: Date;
  /** The time of the last record; `created` when there is none. */
  readonly updated: Date;
  readonly head: Position;
  /** Its files cannot be read, and why; then dates and head say nothing. */
  readonly damaged?: string;
}

/** What {@link Journal.verify} found. `checked` counts records; those whose changes are pruned are checked by digest. */
export type Verified =
  | { readonly ok: true; readonly head: Position; readonly checked: number; readonly pruned: number }
  | { readonly ok: false; readonly seq: number; readonly what: "gap" | "hash" | "changes" | "blob" };

export interface AuditQuery {
  readonly agent?: string;
  readonly tool?: string;
  readonly outcome?: string;
  readonly since?: Date;
  readonly until?: Date;
  readonly limit: number;
}

export interface Store {
  /** Throws `not_found` / `session_not_found` unless it exists or `create` is set. */
  open(id: string, how?: { readonly create?: boolean; readonly name?: string }): Promise<Journal>;
  /** Sorted by id. */
  list(query: { readonly after?: string; readonly limit: number }): Promise<SessionInfo[]>;
  /** Those who have it open get `not_found` / `session_not_found` from then on. */
  remove(id: string): Promise<void>;
  /**
   * An independent copy of history, blobs, checkpoints and stored results up to `at`; views, named rows, leases and
   * audit are not copied.
   * Throws `conflict` / `wrong_position` when `at` is not a place of this history, and `conflict` / `session_exists`.
   */
  fork(id: string, at: Position, into: string, how?: { readonly name?: string }): Promise<Journal>;
  close(): Promise<void>;
}

/** The name of the lease that lets one caller commit alone, across processes: see {@link Append.turn}. */
export const TURN = "turn";

/** A right to act alone on something, for a while; released when its journal is closed. */
export interface Lease {
  readonly name: string;
  /** Tells this lease from later ones of the same name. */
  readonly holder: string;
  /** False when it was lost meanwhile. */
  renew(ms: number): Promise<boolean>;
  release(): Promise<void>;
}

/** How one call ended. Under flood one entry counts `count` refusals from `time` to `last`. */
export interface AuditEntry {
  readonly time: Date;
  readonly agent: string;
  readonly role: string;
  readonly tool: string;
  readonly targets: readonly Key[];
  /** `ok`, `replayed`, `dry_run`, or an error code. */
  readonly outcome: string;
  readonly reason?: string;
  /** Reference id of an internal error, as shown to the agent and written to the log. */
  readonly reference?: string;
  readonly ms: number;
  readonly seq?: number;
  readonly count: number;
  readonly last: Date;
}

/** The history of one session. Every method is asynchronous; `append` resolves when the record is durable. */
export interface Journal {
  readonly id: string;
  /** The place before the first record. */
  readonly genesis: Position;
  info(): Promise<SessionInfo>;
  head(): Promise<Position>;
  /**
   * Checks in this order, in one transaction: idempotency key, turn, expectations, quota; then writes the record. All results
   * but the first leave everything as it was. Throws `internal` / `outcome_unknown` when the disk failed in the middle:
   * the same append with the same `once` is then safe to send again.
   */
  append(commit: Append): Promise<Appended>;
  replayOf(
    agent: string,
    once: string,
  ): Promise<{ readonly request: string; readonly result: Json; readonly at: Position } | undefined>;
  /** Where each key was last touched; undefined when it never was. */
  last(keys: readonly Key[]): Promise<(Position | undefined)[]>;
  /** Oldest first unless `newestFirst`. */
  records(query: RecordQuery): Promise<JournalRecord[]>;
  /** Yields the head whenever it has moved past `after`, until the signal ends it. */
  watch(after: number, signal: AbortSignal): AsyncIterable<Position>;
  /** Takes bytes in. They stay readable at once; `append` makes them durable; unused ones are swept. */
  stage(bytes: Uint8Array | ByteSource | AsyncIterable<Uint8Array>): Promise<BlobId>;
  /** The bytes must stay live (not pruned) as long as the source is open. */
  source(content: Content): Promise<ByteSource & { close(): void }>;
  readonly checkpoint: {
    save(at: Position, slice: string, chunks: Iterable<Uint8Array>): Promise<void>;
    load(
      slice: string,
      atOrBefore: number,
    ): Promise<{ readonly at: Position; readonly chunks: AsyncIterable<Uint8Array> } | undefined>;
  };
  /** One row per agent: no record, no fsync. */
  readonly views: {
    load(agent: string): Promise<{ readonly rev: number; readonly bytes: Uint8Array } | undefined>;
    save(
      agent: string,
      rev: number,
      bytes: Uint8Array,
    ): Promise<{ readonly rev: number } | { readonly moved: number }>;
  };
  /**
   * Small values beside the history, by name: compared and set, and durable as an append is when `set` resolves. At most 64 KiB of
   * JSON text each, names up to 200 characters. A fork begins without any.
   */
  readonly rows: {
    get(name: string): Promise<{ readonly rev: number; readonly value: Json } | undefined>;
    /** `rev` is the revision that the caller saw, 0 for none; `moved` says which one it is now, and then nothing is written. */
    set(
      name: string,
      rev: number,
      value: Json,
    ): Promise<{ readonly rev: number } | { readonly moved: number }>;
  };
  /** Undefined while another holder has it. */
  lease(name: string, ms: number): Promise<Lease | undefined>;
  /**
   * Forgets the changes of records below `before` (they keep head, keys and hash), checkpoints that only served those,
   * results older than the host's limit, and blobs that are neither in `live` nor brought in at or after `before`.
   * `live` is every blob that states and changes from `before` on refer to. Save a checkpoint of every slice at
   * `before - 1` first: without one, no state can be rebuilt.
   */
  prune(before: number, live: Iterable<BlobId>): Promise<{ readonly bytes: number }>;
  /** Recomputes the chain from stored bytes; with `blobs`, also that every blob is there and fits its hash or checksums. */
  verify(how?: { readonly blobs?: boolean; readonly signal?: AbortSignal }): Promise<Verified>;
  audit(batch: readonly AuditEntry[]): Promise<void>;
  /** Newest first. */
  audited(query: AuditQuery): Promise<AuditEntry[]>;
  /** Drops staged blobs that no append carried, and every descriptor. */
  close(): Promise<void>;
}
