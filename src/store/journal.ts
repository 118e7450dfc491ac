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
  /** The number of the newest record; 0 at the beginning. */
  readonly seq: number;
  /** Hash of that record and of the chain before it. */
  readonly hash: string;
}

/** Plain JSON that one slice can apply, invert, rebase and refuse. Large parts are blobs. */
export interface Change {
  /** The kind of state that the change belongs to. */
  readonly slice: string;
  /** What kind of change, within its slice. */
  readonly op: string;
}

/** A file's bytes: pieces of immutable blobs, one after another. */
export interface Content {
  /** Bytes in all. */
  readonly size: number;
  /** Where its bytes are, in order. */
  readonly extents: readonly Extent[];
  /** Hash of the whole content, where it is known. */
  readonly sha256?: string;
}

export type { Extent };

/** What a run saw of a key. `pinned`: the caller named it; otherwise the run only read it. */
export interface Expectation {
  /** The key. */
  readonly key: Key;
  /** Pinned: the seq of the last record that touched the key, 0 when none ever did. Read: the seq of the state it was read from. */
  readonly seq: number;
  /** Leading digits of that record's chain hash, when the caller's token carried them. */
  readonly hash?: string;
  /** The caller named the version; otherwise the call only read it, and may run again. */
  readonly pinned: boolean;
}

/** A commit that is requested. */
export interface Append {
  /**
   * Keys whose newest record must be the one named. Otherwise nothing is written, and the result names those that
   * moved.
   */
  readonly expect: readonly Expectation[];
  /** Keys whose newest record this one becomes. */
  readonly touch: readonly Key[];
  /** What the call worked on, for the log and the audit. */
  readonly targets: readonly Key[];
  /** When it was made, as the caller's clock says. */
  readonly time: Date;
  /** Hash of the tool and its input, without version and idempotency key. */
  readonly request: string;
  /** What kind of record this is: `call`, `undo`, `restore`, ... */
  readonly kind: string;
  /** Who commits. */
  readonly agent: string;
  /** In what role the agent commits. */
  readonly role: string;
  /** The tool that was called; absent in the host's own commits. */
  readonly tool?: string;
  /** The idempotency key. */
  readonly once?: string;
  /** The holder of the lease {@link TURN}, if this commit has the turn. While another has it, nothing is committed. */
  readonly turn?: string;
  /** The version of the changes' encoding, 1 or above. The store keeps it and the chain covers it; it never reads the changes. */
  readonly encoding: number;
  /** What changes, in order. They are opaque to the store. */
  readonly changes: readonly Change[];
  /** What a repeated call with the same idempotency key gets again. */
  readonly result?: Json;
  /** By how much the session grows or shrinks: checked against the quota, and added up. */
  readonly delta: { readonly bytes: number; readonly files: number };
  /** Staged blobs that the changes refer to: made durable with the record. */
  readonly blobs: readonly BlobId[];
  /** The most the session may hold after this commit. */
  readonly quota: { readonly bytes: number; readonly files: number };
  /** A second record, right after this one: both are written in one transaction, or neither is. */
  readonly next?: NextRecord;
}

/** The second record of a commit: what the first is checked for goes for both, and they have one time. */
export type NextRecord = Pick<
  Append,
  "touch" | "targets" | "request" | "kind" | "agent" | "role" | "encoding" | "changes" | "delta" | "blobs"
>;

/** How a commit ended: written, a repeated one, or refused without effect. */
export type Appended =
  /** Committed, at this place; `next` is that of the second record, where there is one. */
  | { readonly at: Position; readonly next?: Position }
  /** The same request with the same key was committed before: its result, and where it is. */
  | { readonly replay: Json; readonly at: Position }
  /** The idempotency key belongs to another request. */
  | { readonly keyReused: true }
  /** Another holder has the turn: try again when it is over. */
  | { readonly turnTaken: true }
  /** Keys that are no longer where they were expected, and where they are. */
  | { readonly moved: readonly { readonly key: Key; readonly at: Position }[] }
  /** It would exceed this quota. */
  | { readonly overQuota: "bytes" | "files" };

/** A commit that was made. */
export interface JournalRecord {
  /** Its number in the session, from 1. */
  readonly seq: number;
  /** Hash of this record and the one before it: the chain. */
  readonly hash: string;
  /** When it was committed, as the caller's clock said. */
  readonly time: Date;
  /** What kind of record it is. */
  readonly kind: string;
  /** Who committed it. */
  readonly agent: string;
  /** In what role. */
  readonly role: string;
  /** The tool that made it; absent in the host's own. */
  readonly tool?: string;
  /** Hash of the request, so that a reused idempotency key is noticed. */
  readonly request: string;
  /** What the call worked on. */
  readonly targets: readonly Key[];
  /** The keys that it touched. */
  readonly keys: readonly Key[];
  /** The version of the changes' encoding. Records from before there was one have 1. */
  readonly encoding: number;
  /** Absent when retention has pruned them. */
  readonly changes?: readonly Change[];
}

/** Which records to list, oldest first unless said otherwise. */
export interface RecordQuery {
  /** Only records after this number. */
  readonly after?: number;
  /** Only records up to this number. */
  readonly upTo?: number;
  /** Only records that touched this key. */
  readonly key?: Key;
  /** Only records of this agent. */
  readonly agent?: string;
  /** Only records of this tool. */
  readonly tool?: string;
  /** Only records of this kind. */
  readonly kind?: string;
  /** Only records at or after this time. */
  readonly since?: Date;
  /** Only records at or before this time. */
  readonly until?: Date;
  /** Newest first. */
  readonly newestFirst?: boolean;
  /** At most so many. */
  readonly limit: number;
}

/** A session as its store lists it. */
export interface SessionInfo {
  /** Its id. */
  readonly id: string;
  /** Its name, where it was given one. */
  readonly name?: string;
  /** When it was created. */
  readonly created: Date;
  /** The time of the last record; `created` when there is none. */
  readonly updated: Date;
  /** Its newest record. */
  readonly head: Position;
  /** Its files are not what was written, and how; then dates and head say nothing. */
  readonly damaged?: string;
  /** It cannot be looked at from here, and why: nothing is known of it, and dates and head say nothing. */
  readonly unreadable?: string;
}

/** What {@link Journal.verify} found. `checked` counts records; those whose changes are pruned are checked by digest. */
export type Verified =
  /** Every record fits the one before: how many were checked, and how many of them were pruned. */
  | { readonly ok: true; readonly head: Position; readonly checked: number; readonly pruned: number }
  /** The first record that is wrong: it is missing, its hash differs, its changes do, or a blob is missing or damaged. */
  | { readonly ok: false; readonly seq: number; readonly what: "gap" | "hash" | "changes" | "blob" };

/** Which audit entries to list, newest first. */
export interface AuditQuery {
  /** Only calls of this agent. */
  readonly agent?: string;
  /** Only calls of this tool. */
  readonly tool?: string;
  /** Only calls that ended so. */
  readonly outcome?: string;
  /** Only calls at or after this time. */
  readonly since?: Date;
  /** Only calls at or before this time. */
  readonly until?: Date;
  /** At most so many. */
  readonly limit: number;
}

/**
 * Where sessions are stored. `memoryStore` and `sqliteStore` make one; another backend implements this and {@link Journal}. Every method
 * throws `invalid_argument` / `bad_session_id` for an id that is not 1 to 64 lower-case letters, digits and hyphens.
 *
 * @example
 * const store = sqliteStore({ directory: "/var/lib/holdfast" });
 * const session = await openSession({ store, id: "nightly" });
 * await session.close();
 * const [first] = await store.list({ limit: 1 });
 * await store.remove("nightly");
 * await store.close();
 */
export interface Store {
  /** True: what it holds is lost with the process. */
  readonly isVolatile?: boolean;
  /**
   * Opens the history of a session, any number of times. Throws `not_found` / `session_not_found` unless it exists or `create` is set, and
   * `invalid_argument` / `bad_session_name`. Costs nothing that grows with the history.
   */
  open(id: string, how?: { readonly create?: boolean; readonly name?: string }): Promise<Journal>;
  /**
   * Sorted by id: all, or at most `limit` of those after an id. Costs a look at each one listed. One that is damaged is listed as such,
   * and nothing is thrown for it.
   */
  list(query?: { readonly after?: string; readonly limit?: number }): Promise<SessionInfo[]>;
  /**
   * Removes a session with its history and content; that cannot be undone. Those who have it open get `not_found` / `session_not_found`
   * from then on, as does this where there is none.
   */
  remove(id: string): Promise<void>;
  /**
   * An independent copy of history, blobs, checkpoints and stored results up to `at`; views, named rows, leases and
   * audit are not copied.
   * Throws `conflict` / `wrong_position` when `at` is not a place of this history, and `conflict` / `session_exists`. Costs the records;
   * content is shared where the backend can.
   */
  fork(id: string, at: Position, into: string, how?: { readonly name?: string }): Promise<Journal>;
  /** Ends the use of its journals. Calls under way are finished or refused; nothing that was acknowledged is lost. */
  close(): Promise<void>;
}

/** The name of the lease that lets one caller commit alone, across processes: see {@link Append.turn}. */
export const TURN = "turn";

/** A right to act alone on something, for a while; released when its journal is closed. */
export interface Lease {
  /** What is leased. */
  readonly name: string;
  /** Tells this lease from later ones of the same name. */
  readonly holder: string;
  /** False when it was lost meanwhile. */
  renew(ms: number): Promise<boolean>;
  /** Gives it back. Doing so twice, or late, does no harm. */
  release(): Promise<void>;
}

/** How one call ended. Under flood one entry counts `count` refusals from `time` to `last`. */
export interface AuditEntry {
  /** When the call ended; the first of several. */
  readonly time: Date;
  /** Who called. */
  readonly agent: string;
  /** In what role. */
  readonly role: string;
  /** The tool that was called. */
  readonly tool: string;
  /** What the call named. */
  readonly targets: readonly Key[];
  /** `ok`, `replayed`, `dry_run`, or an error code. */
  readonly outcome: string;
  /** Why it was refused; absent when it was not. */
  readonly reason?: string;
  /** Reference id of an internal error, as shown to the agent and written to the log. */
  readonly reference?: string;
  /** How long the call took, in milliseconds. */
  readonly ms: number;
  /** The record that the call made; absent when it made none. */
  readonly seq?: number;
  /** How many refusals alike this entry covers; 1 for a call that did something. */
  readonly count: number;
  /** When the last of them was. */
  readonly last: Date;
}

/**
 * The history of one session. Every method is asynchronous; `append` resolves when the record is durable. After `close` all throw
 * `internal` / `journal_closed`, and once the session is removed `not_found` / `session_not_found`.
 *
 * @example
 * const journal = await memoryStore().open("demo", { create: true });
 * const blob = await journal.stage(new TextEncoder().encode("hello"));
 * const done = await journal.append({
 *   expect: [{ key: "file:/a", seq: 0, pinned: true }],
 *   touch: ["file:/a"], targets: ["file:/a"], blobs: [blob], changes: [], encoding: 1,
 *   kind: "call", agent: "host", role: "host", request: "create a", time: new Date(),
 *   delta: { bytes: 5, files: 1 }, quota: { bytes: 1_000_000, files: 1_000 },
 * });
 * if (!("at" in done)) throw new Error("refused"); // or moved, keyReused, turnTaken, overQuota
 * const [record] = await journal.records({ newestFirst: true, limit: 1 });
 */
export interface Journal {
  /** The id of the session. */
  readonly id: string;
  /** The place before the first record. */
  readonly genesis: Position;
  /** What the store knows of the session as a whole, without reading its records. */
  info(): Promise<SessionInfo>;
  /** The newest record, by any process; the genesis where there is none. Cheap: asked before most calls. */
  head(): Promise<Position>;
  /**
   * Checks in this order, in one transaction: idempotency key, turn, expectations, quota; then writes the record. All results
   * but the first leave everything as it was. Throws `internal` / `outcome_unknown` when the disk failed in the middle:
   * the same append with the same `once` is then safe to send again. Throws `invalid_argument` / `bad_record` for what cannot be stored
   * as it is, and `internal` / `unknown_blob` for a blob that was not staged here; then nothing is written.
   */
  append(commit: Append): Promise<Appended>;
  /** What an earlier commit with this idempotency key stored; undefined when there is none, or it was pruned. */
  replayOf(
    agent: string,
    once: string,
  ): Promise<{ readonly request: string; readonly result: Json; readonly at: Position } | undefined>;
  /** Where each key was last touched, in the order asked; undefined when it never was. One look-up for each key. */
  last(keys: readonly Key[]): Promise<(Position | undefined)[]>;
  /** Oldest first unless `newestFirst`. Costs what is listed where a `key` or a range names it, otherwise what is looked through. */
  records(query: RecordQuery): Promise<JournalRecord[]>;
  /** Yields the head whenever it has moved past `after`, by any process, until the signal or `close` ends it. May skip heads between. */
  watch(after: number, signal: AbortSignal): AsyncIterable<Position>;
  /**
   * Takes bytes in, a stream piece by piece. They stay readable at once; `append` makes them durable; unused ones are swept when the
   * journal is closed. Throws what the stream throws.
   */
  stage(bytes: Uint8Array | ByteSource | AsyncIterable<Uint8Array>): Promise<BlobId>;
  /**
   * Opens content for reading, which the caller closes. The bytes must stay live (not pruned) as long as the source is open. Throws
   * `internal` / `blob_lost` for bytes that are missing or damaged, here or when they are read.
   */
  source(content: Content): Promise<ByteSource & { close(): void }>;
  /**
   * Checkpoints of the state: written beside the records, and lost without harm. `save` throws `conflict` / `wrong_position` for a place
   * that is not in the history.
   */
  readonly checkpoint: {
    save(at: Position, slice: string, chunks: Iterable<Uint8Array>): Promise<void>;
    load(
      slice: string,
      atOrBefore: number,
    ): Promise<{ readonly at: Position; readonly chunks: AsyncIterable<Uint8Array> } | undefined>;
  };
  /** One row per agent, compared and set: no record, no fsync, so a crash may lose the newest. `moved` says which `rev` it has now. */
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
   * JSON text each, beyond which `set` throws `invalid_argument` / `row_too_large`; names up to 200 characters. A fork begins without any.
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
  /** A right to act alone, for `ms` milliseconds unless it is renewed; across processes. Undefined while another holder has it. */
  lease(name: string, ms: number): Promise<Lease | undefined>;
  /**
   * Forgets the changes of records below `before` (they keep head, keys and hash), checkpoints that only served those,
   * results older than the host's limit, and blobs that are neither in `live` nor brought in at or after `before`.
   * `live` is every blob that states and changes from `before` on refer to. Save a checkpoint of every slice at
   * `before - 1` first: without one, no state can be rebuilt. Returns about how many bytes were freed. Cannot be undone.
   */
  prune(before: number, live: Iterable<BlobId>): Promise<{ readonly bytes: number }>;
  /**
   * Recomputes the chain from stored bytes; with `blobs`, also that every blob is there and fits its hash or checksums. Reads all of it.
   * Damage is a result, and not thrown.
   */
  verify(how?: { readonly blobs?: boolean; readonly signal?: AbortSignal }): Promise<Verified>;
  /** Writes audit entries; the oldest beyond the store's `auditEntries` go. A loss of the newest in a crash is allowed; of records it is not. */
  audit(batch: readonly AuditEntry[]): Promise<void>;
  /** Audit entries that match, newest first. */
  audited(query: AuditQuery): Promise<AuditEntry[]>;
  /** Drops staged blobs that no append carried, and every descriptor. Closing twice does nothing. */
  close(): Promise<void>;
}
