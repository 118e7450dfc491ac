// Owns: the tables of a session and of its audit, their version, and how an older file becomes a current one.
// Must never: change a migration that has been released. A new format is a new entry at the end.

import type { Db } from "./_db.ts";

/** One step of the format. `from` is the version before it; after it, the version is `from + 1`. */
export type Migration = string;

/** "Hold" in ASCII: tells our files from any other SQLite file. */
const JOURNAL_MARK = 0x486f6c64;
const AUDIT_MARK = 0x486f6c61;

/**
 * A new session runs all of these, so the way from the first format is walked every day.
 *
 * record    one row per commit; `hash` and `digest` are 32 raw bytes, `targets` and `keys` JSON arrays of text, `changes` the
 *           JSON text whose SHA-256 is `digest` (null once pruned), `bytes` and `files` what the session holds after it,
 *           `blobs` a JSON array of the ids that it uses, `body` the bytes of the first of them if they came with it,
 *           `encoding` the version of the changes' encoding
 * state     one row: records up to `indexed` are in `touch` and `blob`
 * touch     which indexed records touched a key: the last one is the key's version, all of them its history
 * touched   the same of all records
 * blob      immutable bytes; in `bytes`, or in the body of record `holder`; both null when they are the file blobs/<id>;
 *           `first` and `last` are the first and the last indexed record that brought them in
 * result    what a call with an idempotency key returned: JSON text, or the blob that holds it
 * named_row  small values beside the history, as JSON text
 * checkpoint, view, lease   as named; no history
 */
const JOURNAL: readonly Migration[] = [
  `CREATE TABLE disk.meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID, STRICT;
   CREATE TABLE disk.record (
     seq INTEGER PRIMARY KEY, hash BLOB NOT NULL, time INTEGER NOT NULL, kind TEXT NOT NULL, agent TEXT NOT NULL,
     role TEXT NOT NULL, tool TEXT, request TEXT NOT NULL, bytes INTEGER NOT NULL, files INTEGER NOT NULL,
     digest BLOB NOT NULL, targets TEXT NOT NULL, keys TEXT NOT NULL, changes TEXT) STRICT;
   CREATE TABLE disk.touch (key TEXT NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (key, seq)) WITHOUT ROWID, STRICT;
   CREATE TABLE disk.blob (
     place INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, first INTEGER NOT NULL, last INTEGER NOT NULL,
     size INTEGER NOT NULL, bytes BLOB) STRICT;
   CREATE TABLE disk.result (
     agent TEXT NOT NULL, once TEXT NOT NULL, request TEXT NOT NULL, seq INTEGER NOT NULL, time INTEGER NOT NULL,
     value TEXT, blob TEXT, PRIMARY KEY (agent, once)) STRICT;
   CREATE TABLE disk.checkpoint (
     slice TEXT NOT NULL, seq INTEGER NOT NULL, blob TEXT NOT NULL, PRIMARY KEY (slice, seq)) WITHOUT ROWID, STRICT;
   CREATE TABLE disk.view (agent TEXT PRIMARY KEY, rev INTEGER NOT NULL, bytes BLOB NOT NULL) STRICT;
   CREATE TABLE disk.lease (
     name TEXT PRIMARY KEY, holder TEXT NOT NULL, until INTEGER NOT NULL) WITHOUT ROWID, STRICT;`,

  // A commit is one row: it carries its bytes, and `touch` and `blob` learn of it later.
  `ALTER TABLE disk.record ADD COLUMN blobs TEXT NOT NULL DEFAULT '[]';
   ALTER TABLE disk.record ADD COLUMN body BLOB;
   ALTER TABLE disk.blob ADD COLUMN holder INTEGER;
   CREATE TABLE disk.state (filed INTEGER NOT NULL, epoch INTEGER NOT NULL) STRICT;
   INSERT INTO disk.state SELECT coalesce(max(seq), 0), 0 FROM disk.record;
   CREATE VIEW disk.touched AS
     SELECT key, seq FROM touch
     UNION ALL
     SELECT key.value, record.seq FROM record, json_each(record.keys) AS key
     WHERE record.seq > (SELECT filed FROM state);`,

  // Changes name the version of their encoding. Every commit is a transaction, so nothing has to be counted.
  `ALTER TABLE disk.record ADD COLUMN encoding INTEGER NOT NULL DEFAULT 1;
   ALTER TABLE disk.state DROP COLUMN epoch;
   ALTER TABLE disk.state RENAME COLUMN filed TO indexed;
   CREATE TABLE disk.named_row (name TEXT PRIMARY KEY, rev INTEGER NOT NULL, value TEXT NOT NULL) STRICT;`,
];

const AUDIT: readonly Migration[] = [
  `CREATE TABLE disk.audit (
     row INTEGER PRIMARY KEY, time INTEGER NOT NULL, last INTEGER NOT NULL, count INTEGER NOT NULL, agent TEXT NOT NULL,
     role TEXT NOT NULL, tool TEXT NOT NULL, outcome TEXT NOT NULL, reason TEXT, reference TEXT, ms REAL NOT NULL,
     seq INTEGER, targets TEXT NOT NULL) STRICT;`,
];

/** The file is of a version that this code does not know, or not ours at all. */
export class WrongFormat extends Error {
  readonly newer: boolean;
  constructor(newer: boolean) {
    super(newer ? "made by a newer version" : "not a file of this kind");
    this.newer = newer;
  }
}

/** `OFF` is for a file that nobody else can see yet and that is synced as a whole when it is done. */
export function openJournal(db: Db, sync: "FULL" | "OFF" = "FULL"): void {
  db.exec(`PRAGMA disk.synchronous=${sync}`);
  settle(db);
  migrate(db, JOURNAL_MARK, JOURNAL);
}

/** The audit may lose its last second in a power cut; it never waits for the disk. */
export function openAudit(db: Db): void {
  db.exec("PRAGMA disk.synchronous=NORMAL");
  settle(db);
  migrate(db, AUDIT_MARK, AUDIT);
}

/** For a connection that only reads, and only a file that exists: checked, never migrated. */
export function openReader(db: Db): void {
  db.exec("PRAGMA busy_timeout=0");
  db.exec("PRAGMA query_only=ON");
  const [mark, version] = formatOf(db);
  if (mark !== JOURNAL_MARK) throw new WrongFormat(false);
  if (version > JOURNAL.length) throw new WrongFormat(true);
}

function settle(db: Db): void {
  db.exec("PRAGMA busy_timeout=0");
  if (db.value("PRAGMA disk.journal_mode=WAL") !== "wal")
    throw new Error("the file system cannot keep a WAL");
  // We checkpoint ourselves, between commits; a WAL that was big once does not stay big.
  db.exec("PRAGMA wal_autocheckpoint=0");
  db.exec("PRAGMA disk.journal_size_limit=4194304");
  db.exec("PRAGMA temp_store=MEMORY");
}

/** Brings a file to the newest format in one transaction per step. Several processes may do it at once. */
export function migrate(db: Db, mark: number, steps: readonly Migration[]): void {
  for (;;) {
    const [found, version] = formatOf(db);
    const empty = version === 0 && found === 0 && db.value("SELECT count(*) FROM disk.sqlite_schema") === 0;
    if (found !== mark && !empty) throw new WrongFormat(false);
    if (version > steps.length) throw new WrongFormat(true);
    if (version === steps.length) return;
    // A damaged number: from there it would be a long way up.
    if (version < 0) throw new WrongFormat(false);
    db.exec("BEGIN IMMEDIATE");
    try {
      if (formatOf(db)[1] === version) {
        db.exec(steps[version] ?? "");
        db.exec(`PRAGMA disk.application_id=${mark}; PRAGMA disk.user_version=${version + 1}`);
      }
      db.exec("COMMIT");
    } catch (error) {
      db.rollback();
      throw error;
    }
  }
}

function formatOf(db: Db): [mark: number, version: number] {
  return [Number(db.value("PRAGMA disk.application_id")), Number(db.value("PRAGMA disk.user_version"))];
}
