// Owns: the writing connection of one session, in the writer's thread: groups, durability, WAL checkpoints.
// Must never: report a task as done before the transaction that holds it has committed.

import { accessSync, constants, statSync } from "node:fs";
import { dirname } from "node:path";
import { AuditFold } from "../_audit-fold.ts";
import type { AuditEntry } from "../journal.ts";
import { writeAudit, readAudit } from "./_audit-file.ts";
import { append, hashAt, insertBlob } from "./_append.ts";
import { damagedCell, sqlBytes, sqlWhole, textIn, wholeIn } from "./_cells.ts";
import { Db, sqlFailureOf } from "./_db.ts";
import { openAudit, openJournal } from "./_format.ts";
import { auditFile, journalFile } from "./_layout.ts";
import { Refused, failureIn } from "./_failure.ts";
import { UnindexedRecords } from "./_unindexed-records.ts";
import type { Request, Response, Task } from "./_wire.ts";

/**
 * After about so many bytes there is a WAL checkpoint, in a thread of its own while commits go on, and the next commit writes
 * over its beginning. The file is not truncated: a sync of blocks that exist is about twice as fast as one that makes the file grow.
 * Not for less, also when idle: the first commit after a checkpoint syncs twice.
 */
const CHECKPOINT_BYTES = 2 * 1024 * 1024;
/** What commits may wait for, to finish a checkpoint. */
const REST_BYTES = 4 * 1024 * 1024;
/** When the thread cannot keep up, commits wait for the whole. */
const WAL_MOST_BYTES = 64 * 1024 * 1024;
/** A commit dirties some pages whatever it holds. */
const COMMIT_BYTES = 16 * 1024;

/** Has the WAL of the session in this directory copied into its file, beside the commits. */
export type RequestCheckpoint = (directory: string) => void;

type Sync = "FULL" | "NORMAL";

interface AuditConnection {
  readonly db: Db;
  readonly fold: AuditFold;
  /** The newest row. */
  row: number;
}

export class SessionWriter {
  readonly directory: string;
  #db: Db | undefined;
  #audit: AuditConnection | undefined;
  #genesis = "";
  #unindexed = new UnindexedRecords("");
  #sync: Sync = "FULL";
  /** About how much was written since the last WAL checkpoint began. */
  #written = 0;
  #isCheckpointing = false;
  readonly #requestCheckpoint: RequestCheckpoint;

  constructor(directory: string, requestCheckpoint: RequestCheckpoint) {
    this.directory = directory;
    this.#requestCheckpoint = requestCheckpoint;
  }

  /** Throws with failure `busy` while another process is opening, closing or recovering the file. */
  open(): Db {
    if (this.#db !== undefined) return this.#db;
    // SQLite would create a missing file.
    if (!exists(journalFile(this.directory))) throw new Refused("gone");
    const db = new Db(journalFile(this.directory));
    try {
      openJournal(db);
      const genesis = db.value(`SELECT ${sqlBytes("value")} FROM meta WHERE key = 'genesis'`);
      if (genesis === undefined) throw new Refused("not a session");
      this.#genesis = textIn(genesis);
      this.#unindexed = new UnindexedRecords(this.#genesis);
    } catch (error) {
      db.close();
      throw error;
    }
    this.#sync = "FULL";
    this.#db = db;
    return db;
  }

  get genesis(): string {
    return this.#genesis;
  }

  /**
   * Runs the tasks in one transaction and returns their responses after it has committed. Throws `busy` before anything was done.
   * A task that is refused is undone alone; a failure of the disk undoes them all.
   */
  commit(requests: readonly Request[]): Response[] {
    const db = this.open();
    this.#setSync(db, requests.some(({ task }) => isDurable(task)) ? "FULL" : "NORMAL");
    db.exec("BEGIN IMMEDIATE");
    const responses: Response[] = [];
    let committing = false;
    try {
      this.#unindexed.refresh(db);
      // A task that is alone needs no way back of its own.
      if (requests.length === 1)
        for (const { id, task } of requests) responses.push({ id, value: this.#run(db, task) });
      else for (const request of requests) responses.push(this.#runOne(db, request));
      if (this.#unindexed.isOverdue) this.#unindexed.index(db);
      committing = true;
      db.exec("COMMIT");
    } catch (error) {
      if (!committing && sqlFailureOf(error) === "other" && db.rollback()) {
        // What was taken in inside this transaction never was.
        this.#unindexed = new UnindexedRecords(this.#genesis);
      } else this.#abandon();
      const isUnknown = committing && sqlFailureOf(error) === "io";
      const failure = isUnknown ? "unknown" : failureIn(asDamage(error, journalFile(this.directory)));
      return requests.map(({ id }) => ({ id, failure, detail: String(error) }));
    }
    for (const { task } of requests) this.#written += sizeOf(task);
    return responses;
  }

  #runOne(db: Db, { id, task }: Request): Response {
    db.exec("SAVEPOINT task");
    try {
      const value = this.#run(db, task);
      db.exec("RELEASE task");
      return { id, value };
    } catch (error) {
      // A full or failing disk ends the whole transaction. Should SQLite have ended it by itself, there is no such savepoint.
      if (sqlFailureOf(error) !== "other") throw error;
      db.exec("ROLLBACK TO task");
      db.exec("RELEASE task");
      return { id, failure: failureIn(error), detail: String(error) };
    }
  }

  #run(db: Db, task: Task): unknown {
    switch (task.do) {
      case "append":
        return append(db, this.#genesis, this.#unindexed, task);
      case "remove":
        db.run("INSERT INTO meta (key, value) VALUES ('removed', '1')");
        return null;
      case "save checkpoint":
        if (hashAt(db, this.#genesis, task.at.seq) !== task.at.hash) throw new Refused("wrong position");
        // A prune has gone past it meanwhile: what comes after it is gone.
        if (db.value("SELECT changes IS NULL FROM record WHERE seq = ?", [task.at.seq + 1]) === 1)
          return null;
        insertBlob(db, task.blob, task.at.seq);
        db.run("INSERT OR REPLACE INTO checkpoint (slice, seq, blob) VALUES (?, ?, ?)", [
          task.slice,
          task.at.seq,
          task.blob.id,
        ]);
        return null;
      case "save view": {
        const rev = wholeIn(
          db.value(`SELECT ${sqlWhole("rev")} FROM view WHERE agent = ?`, [task.agent]) ?? 0,
        );
        if (rev !== task.rev) return { moved: rev };
        db.run("INSERT OR REPLACE INTO view (agent, rev, bytes) VALUES (?, ?, ?)", [
          task.agent,
          rev + 1,
          task.bytes,
        ]);
        return { rev: rev + 1 };
      }
      case "set row": {
        const rev = wholeIn(
          db.value(`SELECT ${sqlWhole("rev")} FROM named_row WHERE name = ?`, [task.name]) ?? 0,
        );
        if (rev !== task.rev) return { moved: rev };
        db.run("INSERT OR REPLACE INTO named_row (name, rev, value) VALUES (?, ?, ?)", [
          task.name,
          rev + 1,
          task.value,
        ]);
        return { rev: rev + 1 };
      }
      case "take lease": {
        const now = Date.now();
        return (
          db.run(
            `INSERT INTO lease (name, holder, until) VALUES (?, ?, ?)
             ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until WHERE until <= ?`,
            [task.name, task.holder, now + task.ms, now],
          ) > 0
        );
      }
      case "renew lease":
        return (
          db.run("UPDATE lease SET until = ? WHERE name = ? AND holder = ?", [
            Date.now() + task.ms,
            task.name,
            task.holder,
          ]) > 0
        );
      case "drop lease":
        db.run("DELETE FROM lease WHERE name = ? AND holder = ?", [task.name, task.holder]);
        return null;
      default:
        throw new Refused("failed", `${task.do} is not for a group`);
    }
  }

  /** Runs one step of long work as a transaction of its own. Throws `busy` before anything was done. */
  step<T>(sync: Sync, work: (db: Db) => T): T {
    const db = this.open();
    this.#setSync(db, sync);
    db.exec("BEGIN IMMEDIATE");
    try {
      const value = work(db);
      db.exec("COMMIT");
      this.#written += COMMIT_BYTES;
      return value;
    } catch (error) {
      this.#abandon();
      throw asDamage(error, journalFile(this.directory));
    }
  }

  writeAudit(batch: readonly AuditEntry[], most: number): void {
    const audit = this.#openAudit();
    audit.db.exec("BEGIN IMMEDIATE");
    try {
      audit.row = Number(audit.db.value("SELECT coalesce(max(row), 0) FROM audit"));
      writeAudit(audit.db, audit.fold, () => ++audit.row, batch, most);
      audit.db.exec("COMMIT");
    } catch (error) {
      audit.db.rollback();
      this.#closeAudit();
      throw asDamage(error, auditFile(this.directory));
    }
  }

  readAudit(query: Parameters<typeof readAudit>[1]): AuditEntry[] {
    return readAudit(this.#openAudit().db, query);
  }

  #openAudit(): AuditConnection {
    if (this.#audit !== undefined) return this.#audit;
    this.open();
    const db = new Db(auditFile(this.directory));
    try {
      openAudit(db);
      db.exec("PRAGMA wal_autocheckpoint=1000");
    } catch (error) {
      db.close();
      throw error;
    }
    const audit: AuditConnection = { db, row: 0, fold: new AuditFold(() => ++audit.row) };
    this.#audit = audit;
    return audit;
  }

  /** Indexes the newest records. Throws `busy` before anything was done. */
  index(): void {
    this.step("NORMAL", (db) => this.#unindexed.index(db));
  }

  /** For a step that takes rows away: from here on it sees all that any record uses. */
  beginRemoval(db: Db): void {
    this.#unindexed.index(db);
  }

  /** Indexes records and begins a WAL checkpoint when they are due. The checkpoint runs in a thread of its own, because its syncs can take long. */
  afterWork(): void {
    if (this.#db !== undefined && this.#unindexed.isDue) this.#tryIndex();
    if (this.#db === undefined || this.#written < CHECKPOINT_BYTES) return;
    if (!this.#isCheckpointing) this.#startCheckpointer();
    else if (walSize(this.directory) > WAL_MOST_BYTES) this.#checkpointHere(this.#db, "TRUNCATE");
  }

  #tryIndex(): void {
    try {
      this.index();
    } catch {
      // Another process holds the lock, or the disk fails: nothing is lost, and the next turn tries again.
    }
  }

  #startCheckpointer(): void {
    this.#isCheckpointing = true;
    this.#written = 0;
    this.#requestCheckpoint(this.directory);
  }

  #checkpointHere(db: Db, how: "RESTART" | "TRUNCATE"): void {
    try {
      // A reader or writer of this moment can be in the way; the next look tries again.
      if (db.value(`PRAGMA disk.wal_checkpoint(${how})`) === 0) this.#written = 0;
    } catch {
      // A checkpoint that fails loses nothing: the WAL holds it all, and the next commit reports a failing disk.
    }
  }

  /** True while the checkpointer has the file open. */
  get isCheckpointing(): boolean {
    return this.#isCheckpointing;
  }

  /** The checkpointer is done. What was written meanwhile is little, and copied here: then the WAL starts over. */
  walCheckpointed(): void {
    const wasCheckpointing = this.#isCheckpointing;
    this.#isCheckpointing = false;
    if (!wasCheckpointing || this.#db === undefined) return;
    if (this.#written > REST_BYTES) this.#startCheckpointer();
    else this.#checkpointHere(this.#db, "RESTART");
  }

  get isOpen(): boolean {
    return this.#db !== undefined;
  }

  close(): void {
    this.#closeAudit();
    const db = this.#db;
    this.#db = undefined;
    db?.close();
  }

  #closeAudit(): void {
    const audit = this.#audit;
    this.#audit = undefined;
    audit?.db.close();
  }

  /** After a failure nothing in this connection is trusted: the next task opens a new one. */
  #abandon(): void {
    const db = this.#db;
    this.#db = undefined;
    db?.close();
  }

  #setSync(db: Db, sync: Sync): void {
    if (sync === this.#sync) return;
    db.exec(`PRAGMA disk.synchronous=${sync}`);
    this.#sync = sync;
  }
}

function sizeOf(task: Task): number {
  let size = COMMIT_BYTES;
  if (task.do === "append") {
    for (const { changes, blobs } of task.next === undefined ? [task] : [task, task.next]) {
      size += changes.length;
      for (const blob of blobs) size += blob.bytes?.length ?? 0;
    }
  }
  return size;
}

/** Views and leases ride along: they wait for no disk, and a power cut may take the last ones. */
function isDurable(task: Task): boolean {
  return task.do === "append" || task.do === "remove" || task.do === "set row";
}

/** SQLite only reads a file whose header names a format that it does not know, as it does one that may not be written. */
function asDamage(error: unknown, file: string): unknown {
  const isDamaged = sqlFailureOf(error) === "read-only" && mayWrite(file);
  return isDamaged ? damagedCell(String(error)) : error;
}

function mayWrite(file: string): boolean {
  try {
    for (const path of [file, dirname(file)]) accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function exists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

function walSize(directory: string): number {
  return statSync(`${journalFile(directory)}-wal`, { throwIfNoEntry: false })?.size ?? 0;
}
