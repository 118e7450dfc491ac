// Owns: checking what is stored: the chain of records, and the bytes that they use.
// Must never: hold the thread. It goes by windows, and yields between them.

import { setImmediate as nextTurn } from "node:timers/promises";
import { isBlobLost } from "../lost-bytes.ts";
import { digest, inlineBlobId, isInlineBlobId, recordHash } from "../chain.ts";
import type { BlobId, Key, Position, Verified } from "../journal.ts";
import { openBlobFile, type OpenBlob } from "./_blob-files.ts";
import { hex } from "./_bytes.ts";
import type { SqlRow } from "./_driver.ts";
import { blobFile } from "./_layout.ts";
import { RECORD_COLUMNS } from "./_read-records.ts";
import type { Reader } from "./_reader.ts";
import { fileChunks } from "./_streams.ts";

const WINDOW = 64;

export async function verifyFiles(
  directory: string,
  how: { readonly blobs?: boolean; readonly signal?: AbortSignal },
  again: () => Promise<Reader>,
): Promise<Verified> {
  let reader = await again();
  const head = reader.head() ?? { seq: 0, hash: reader.genesis };
  let at: Position = { seq: 0, hash: reader.genesis };
  let pruned = 0;
  while (at.seq < head.seq) {
    how.signal?.throwIfAborted();
    const rows = reader.db.all(
      `SELECT ${RECORD_COLUMNS} FROM record WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ${WINDOW}`,
      [at.seq, head.seq],
    );
    if (rows.length === 0) return { ok: false, seq: at.seq + 1, what: "gap" };
    for (const row of rows) {
      const seq = Number(row[0]);
      if (seq !== at.seq + 1) return { ok: false, seq: at.seq + 1, what: "gap" };
      const what = checkRow(row, at.hash);
      if (what !== undefined) return { ok: false, seq, what };
      if (row[12] === null) pruned++;
      at = { seq, hash: hex(row[1]) };
    }
    if (how.blobs === true) {
      const missing = reader.db.value(MISSING, [Number(rows[0]?.[0]), at.seq]);
      if (typeof missing === "number") return { ok: false, seq: missing, what: "blob" };
    }
    await nextTurn();
    reader = await again();
  }
  if (how.blobs === true) {
    const broken =
      (await firstBroken(BODIES, how.signal, again)) ??
      (await firstBroken(BLOBS, how.signal, again)) ??
      (await firstBrokenFile(directory, how.signal, again));
    if (broken !== undefined) return { ok: false, seq: broken, what: "blob" };
  }
  return { ok: true, head: { seq: at.seq, hash: at.hash }, checked: at.seq, pruned };
}

/** The record that brought in the first bytes that are not what their id says. */
async function firstBroken(
  sql: string,
  signal: AbortSignal | undefined,
  again: () => Promise<Reader>,
): Promise<number | undefined> {
  for (let place = 0; ;) {
    signal?.throwIfAborted();
    const rows = (await again()).db.all(sql, [place]);
    for (const [, id, first, bytes] of rows)
      if (isInlineBlobId(String(id)) && inlineBlobId(bytes as Uint8Array) !== id) return Number(first);
    const last = rows.at(-1);
    if (last === undefined) return undefined;
    place = Number(last[0]);
    await nextTurn();
  }
}

/** The record that brought in the first file that is missing or not as it was written. */
async function firstBrokenFile(
  directory: string,
  signal: AbortSignal | undefined,
  again: () => Promise<Reader>,
): Promise<number | undefined> {
  for (let place = 0; ;) {
    const row = (await again()).db.get(FILES, [place]);
    if (row === undefined) return undefined;
    place = Number(row[0]);
    if (!(await isWholeFile(directory, String(row[1]), Number(row[3]), signal))) return Number(row[2]);
  }
}

/** Bytes in windows, by place: place, id, record that brought them in, bytes. */
const BODIES =
  "SELECT seq, blobs ->> 0, seq AS first, body FROM record WHERE seq > ? AND body IS NOT NULL ORDER BY seq LIMIT 8";
const BLOBS =
  "SELECT place, id, first, bytes FROM blob WHERE place > ? AND bytes IS NOT NULL ORDER BY place LIMIT 8";

const FILES =
  "SELECT place, id, first, size FROM blob WHERE place > ? AND bytes IS NULL AND holder IS NULL ORDER BY place LIMIT 1";
/** The first of some records that uses a blob which is nowhere. What is pruned uses none. */
const MISSING = `SELECT min(record.seq) FROM record, json_each(record.blobs) AS name
  WHERE record.seq >= ? AND record.seq <= ? AND changes IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM blob WHERE id = name.value)
    AND NOT EXISTS (SELECT 1 FROM record AS other
      WHERE other.seq > (SELECT indexed FROM state) AND other.body IS NOT NULL AND other.blobs ->> 0 = name.value)`;

/** Reads a blob file from end to end, chunk by chunk. */
async function isWholeFile(
  directory: string,
  id: BlobId,
  size: number,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  let file: OpenBlob | undefined;
  try {
    file = openBlobFile(blobFile(directory, id), id);
    if (file?.size !== size) return false;
    for (const chunk of fileChunks(file.read)) {
      void chunk;
      signal?.throwIfAborted();
      await nextTurn();
    }
    return true;
  } catch (error) {
    if (isBlobLost(error)) return false;
    throw error;
  } finally {
    file?.close();
  }
}

function checkRow(row: SqlRow, previous: string): "hash" | "changes" | undefined {
  const [seq, hash, time, kind, agent, role, tool, request, encoding, sum, targets, keys, changes] = row;
  if (changes !== null && digest(String(changes)) !== hex(sum)) return "changes";
  const expected = recordHash(previous, {
    seq: Number(seq),
    time: Number(time),
    kind: String(kind),
    agent: String(agent),
    role: String(role),
    tool: tool === null ? null : String(tool),
    request: String(request),
    encoding: Number(encoding),
    targets: JSON.parse(String(targets)) as Key[],
    keys: JSON.parse(String(keys)) as Key[],
    changes: hex(sum),
  });
  return expected === hex(hash) ? undefined : "hash";
}
