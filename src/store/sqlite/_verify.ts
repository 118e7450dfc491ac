// Owns: checking what is stored: the chain of records, and the bytes that they use.
// Must never: hold the thread. It goes by windows, and yields between them.

import { Pacer, throwIfAborted } from "../../text/steps.ts";
import { isBlobLost } from "../lost-bytes.ts";
import { digest, inlineBlobId, isInlineBlobId, recordHash } from "../chain.ts";
import type { BlobId, Position, Verified } from "../journal.ts";
import { openBlobFile, type OpenBlob } from "./_blob-files.ts";
import { bytesIn, nextPlaceIn, sqlBytes, sqlWhole, textIn, wholeIn } from "./_cells.ts";
import { Refused } from "./_failure.ts";
import { blobFile } from "./_layout.ts";
import { RECORD_CELL, storedRecord, type StoredRecord } from "./_read-records.ts";
import type { JournalReader } from "./_reader.ts";
import { fileChunks } from "./_streams.ts";

const WINDOW = 64;

export async function verifyFiles(
  directory: string,
  how: { readonly blobs?: boolean; readonly signal?: AbortSignal },
  again: () => Promise<JournalReader>,
): Promise<Verified> {
  throwIfAborted(how.signal);
  const pace = new Pacer(how.signal);
  let reader = await again();
  const head = reader.head() ?? { seq: 0, hash: reader.genesis };
  let at: Position = { seq: 0, hash: reader.genesis };
  let pruned = 0;
  while (at.seq < head.seq) {
    const rows = reader.db.all(
      `SELECT ${RECORD_CELL} FROM record WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ${WINDOW}`,
      [at.seq, head.seq],
    );
    if (rows.length === 0) return { ok: false, seq: at.seq + 1, what: "gap" };
    const first = at.seq + 1;
    for (const [cell] of rows) {
      const seq = at.seq + 1;
      const record = readable(() => storedRecord(cell));
      if (record === undefined) return { ok: false, seq, what: "hash" };
      if (record.seq !== seq) return { ok: false, seq, what: "gap" };
      const what = checkRecord(record, at.hash);
      if (what !== undefined) return { ok: false, seq, what };
      if (record.changes === null) pruned++;
      at = { seq, hash: record.hash };
    }
    if (how.blobs === true) {
      const missing = reader.db.value(MISSING, [first, at.seq]);
      if (typeof missing === "number") return { ok: false, seq: missing, what: "blob" };
    }
    await pace.step();
    reader = await again();
  }
  if (how.blobs === true) {
    const broken =
      (await firstBroken(BODIES, pace, again)) ??
      (await firstBroken(BLOBS, pace, again)) ??
      (await firstBrokenFile(directory, pace, again));
    if (broken !== undefined) return { ok: false, seq: broken, what: "blob" };
  }
  return { ok: true, head: { seq: at.seq, hash: at.hash }, checked: at.seq, pruned };
}

/** The record that brought in the first bytes that are not what their id says. */
async function firstBroken(
  sql: string,
  pace: Pacer,
  again: () => Promise<JournalReader>,
): Promise<number | undefined> {
  for (let place = 0; ;) {
    const rows = (await again()).db.all(sql, [place]);
    for (const [, cell, first, bytes] of rows) {
      const id = readable(() => textIn(cell)) ?? "";
      const isWhole = id !== "" && (!isInlineBlobId(id) || inlineBlobId(bytesIn(bytes)) === id);
      if (!isWhole) return wholeIn(first);
    }
    const last = rows.at(-1);
    if (last === undefined) return undefined;
    place = nextPlaceIn(last[0], place);
    await pace.step();
  }
}

/** The record that brought in the first file that is missing or not as it was written. */
async function firstBrokenFile(
  directory: string,
  pace: Pacer,
  again: () => Promise<JournalReader>,
): Promise<number | undefined> {
  for (let place = 0; ;) {
    const row = (await again()).db.get(FILES, [place]);
    if (row === undefined) return undefined;
    place = nextPlaceIn(row[0], place);
    const found = readable(() => ({ id: textIn(row[1]), size: wholeIn(row[3]) }));
    if (found !== undefined && (await isWholeFile(directory, found.id, found.size, pace))) continue;
    // A prune takes the row away before the file.
    const isThere = (await again()).db.value("SELECT 1 FROM blob WHERE place = ?", [place]) !== undefined;
    if (isThere) return wholeIn(row[2]);
  }
}

/** Bytes in windows, by place: place, id, record that brought them in, bytes. */
const BODIES = `SELECT seq, ${sqlBytes("blobs ->> 0")}, seq AS first, ${sqlBytes("body")} FROM record
  WHERE seq > ? AND body IS NOT NULL ORDER BY seq LIMIT 8`;
const BLOBS = `SELECT place, ${sqlBytes("id")}, ${sqlWhole("first")}, ${sqlBytes("bytes")} FROM blob
  WHERE place > ? AND bytes IS NOT NULL ORDER BY place LIMIT 8`;

const FILES = `SELECT place, ${sqlBytes("id")}, ${sqlWhole("first")}, ${sqlWhole("size")} FROM blob
  WHERE place > ? AND bytes IS NULL AND holder IS NULL ORDER BY place LIMIT 1`;
/** The first of some records that uses a blob which is nowhere. What is pruned uses none. */
const MISSING = `SELECT min(record.seq) FROM record, json_each(record.blobs) AS name
  WHERE record.seq >= ? AND record.seq <= ? AND changes IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM blob WHERE id = name.value)
    AND NOT EXISTS (SELECT 1 FROM record AS other
      WHERE other.seq > (SELECT indexed FROM state) AND other.body IS NOT NULL AND other.blobs ->> 0 = name.value)`;

/** Reads a blob file from end to end, chunk by chunk. */
async function isWholeFile(directory: string, id: BlobId, size: number, pace: Pacer): Promise<boolean> {
  let file: OpenBlob | undefined;
  try {
    file = openBlobFile(blobFile(directory, id), id);
    if (file?.size !== size) return false;
    for (const chunk of fileChunks(file.read)) {
      void chunk;
      await pace.step();
    }
    return true;
  } catch (error) {
    if (isBlobLost(error)) return false;
    throw error;
  } finally {
    file?.close();
  }
}

function checkRecord(record: StoredRecord, previous: string): "hash" | "changes" | undefined {
  if (record.changes !== null && digest(record.changes) !== record.digest) return "changes";
  const expected = recordHash(previous, {
    ...record,
    time: record.time.getTime(),
    changes: record.digest,
  });
  return expected === record.hash ? undefined : "hash";
}

/** Undefined for what is stored but cannot be what was written. */
function readable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof Refused) return undefined;
    throw error;
  }
}
