// Owns: the newest records, before they are indexed. A commit is one row of `record`; the rows of `touch` and `blob` that say
// what it touched and used are written later, for many records in one go. Until then this is where they are looked up.
// Must never: be believed by a writer that has not refreshed it inside its transaction.

import type { BlobId, Key, Position } from "../journal.ts";
import { damagedCell, listIn, sqlHash, sqlTexts, sqlWhole, textsIn, wholeIn } from "./_cells.ts";
import type { Db } from "./_db.ts";
import type { SqlRow } from "./_driver.ts";
import { Refused } from "./_failure.ts";

/** So many records are indexed together: a page of `touch` or `blob` is written once for all of them. */
const INDEX_RECORDS = 256;
/** And not more than about so many keys and blobs: looking through them would take long. */
const INDEX_NAMES = 2048;

/** The last record, or the place before the first, and what the session holds there. */
export interface Head extends Position {
  readonly bytes: number;
  readonly files: number;
}

/** What a record is, as far as others must know before it is indexed. */
export interface Newest {
  readonly head: Head;
  readonly keys: readonly Key[];
  readonly blobs: readonly BlobId[];
  /** The first of `blobs` came with it. */
  readonly hasBody: boolean;
}

const STATE = `SELECT ${sqlWhole("indexed")}, (SELECT max(seq) FROM record), (SELECT 1 FROM meta WHERE key = 'removed')
  FROM state`;
const NEWEST_CELL = sqlTexts("seq", sqlHash("hash"), "bytes", "files", "keys", "blobs", "body IS NOT NULL");
const NEWEST = `SELECT ${NEWEST_CELL} FROM record WHERE seq > ? ORDER BY seq`;
const NEWEST_ONE = `SELECT ${NEWEST_CELL} FROM record WHERE seq = ?`;

export class UnindexedRecords {
  readonly #touches = new Map<Key, Position[]>();
  readonly #bodies = new Map<BlobId, number>();
  #head: Head;
  /** Undefined before the first look. */
  #indexed: number | undefined;
  #names = 0;

  constructor(genesis: string) {
    this.#head = { seq: 0, hash: genesis, bytes: 0, files: 0 };
  }

  get head(): Head {
    return this.#head;
  }

  /** Where a key was last touched, if by one of these records. */
  last(key: Key): Position | undefined {
    return this.#touches.get(key)?.at(-1);
  }

  /** Which of these records touched a key, oldest first. */
  touches(key: Key): number[] {
    return (this.#touches.get(key) ?? []).map(({ seq }) => seq);
  }

  /** Up to here records are indexed, as of the last look. */
  get indexed(): number {
    return this.#indexed ?? 0;
  }

  /** Which of these records holds the bytes. */
  holder(blob: BlobId): number | undefined {
    return this.#bodies.get(blob);
  }

  /** Takes in what has been committed since the last look. Throws when the session was removed. */
  refresh(db: Db): void {
    const row = db.get(STATE);
    if (row === undefined) throw new Refused("not a session");
    if (row[2] === 1) throw new Refused("gone");
    const indexed = wholeIn(row[0]);
    const newest = wholeIn(row[1] ?? 0);
    if (indexed > newest) throw damagedCell("records that were indexed are gone");
    const isMoved = newest !== this.#head.seq;
    if (!isMoved && indexed === this.#indexed) return;
    const from = indexed === this.#indexed ? this.#head.seq : indexed;
    if (indexed !== this.#indexed) this.#forget(indexed);
    const found = db.all(NEWEST, [from]);
    if (found.length < newest - from) throw damagedCell("records are missing");
    for (const record of found) this.add(newestOf(record));
    if (isMoved && found.length === 0) this.#head = newestOf(db.get(NEWEST_ONE, [newest]) ?? []).head;
  }

  #forget(indexed: number): void {
    this.#touches.clear();
    this.#bodies.clear();
    this.#names = 0;
    this.#indexed = indexed;
  }

  /** A record that this writer has just committed, or found. */
  add({ head, keys, blobs, hasBody }: Newest): void {
    this.#head = head;
    const at: Position = { seq: head.seq, hash: head.hash };
    for (const key of keys) {
      const touches = this.#touches.get(key);
      if (touches === undefined) this.#touches.set(key, [at]);
      else touches.push(at);
    }
    const [body] = blobs;
    if (hasBody && body !== undefined && !this.#bodies.has(body)) this.#bodies.set(body, head.seq);
    this.#names += keys.length + blobs.length;
  }

  /** They are indexed when there is time. */
  get isDue(): boolean {
    return this.isOverdue || this.#head.seq - this.indexed >= INDEX_RECORDS;
  }

  /** They are indexed with the commit that made it so. */
  get isOverdue(): boolean {
    return this.#names >= INDEX_NAMES;
  }

  /** Files all records of `db`, inside a transaction. */
  index(db: Db): void {
    this.refresh(db);
    const range = [this.indexed, this.#head.seq];
    if (range[0] === range[1]) return;
    db.run(
      `INSERT OR IGNORE INTO touch SELECT key.value, record.seq FROM record, json_each(record.keys) AS key
       WHERE record.seq > ? AND record.seq <= ?`,
      range,
    );
    db.run(
      `INSERT INTO blob (id, first, last, size, holder)
       SELECT blobs ->> 0, seq, seq, length(body), seq FROM record WHERE seq > ? AND seq <= ? AND body IS NOT NULL
       ON CONFLICT (id) DO UPDATE SET first = min(first, excluded.first), last = max(last, excluded.last)`,
      range,
    );
    db.run(
      `UPDATE blob SET last = max(last, used.seq) FROM
         (SELECT name.value AS id, max(record.seq) AS seq FROM record, json_each(record.blobs) AS name
          WHERE record.seq > ? AND record.seq <= ? GROUP BY name.value) AS used
       WHERE blob.id = used.id`,
      range,
    );
    // Equal bytes are stored once: by the record that brought them in first.
    db.run(
      `UPDATE record SET body = NULL WHERE seq > ? AND seq <= ? AND body IS NOT NULL
         AND (SELECT holder FROM blob WHERE id = record.blobs ->> 0) IS NOT seq`,
      range,
    );
    db.run("UPDATE state SET indexed = ?", [this.#head.seq]);
    this.#forget(this.#head.seq);
  }
}

function newestOf(row: SqlRow): Newest {
  const [seq, hash = "", bytes, files, keys = "", blobs = "", hasBody] = textsIn(row[0], 7);
  return {
    head: { seq: wholeIn(seq), hash, bytes: wholeIn(bytes), files: wholeIn(files) },
    keys: listIn(keys),
    blobs: listIn(blobs),
    hasBody: hasBody === "1",
  };
}
