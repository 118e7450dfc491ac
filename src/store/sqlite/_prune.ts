// Owns: retention inside one session, in steps short enough for commits to go between them.

import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { nextPlaceIn, sqlBytes, sqlWhole, textIn } from "./_cells.ts";
import type { Db } from "./_db.ts";
import type { SqlRow } from "./_driver.ts";
import type { TaskSteps } from "./_group-commit.ts";
import { blobFile } from "./_layout.ts";
import type { SessionWriter } from "./_session-writer.ts";
import type { Task } from "./_wire.ts";

const RECORDS_A_STEP = 200;
const BLOBS_A_STEP = 200;
/** A file that no row names may belong to a commit that is on its way; after an hour it does not. */
const ORPHAN_MS = 60 * 60 * 1000;

export function* pruneSession(
  writer: SessionWriter,
  task: Extract<Task, { do: "prune" }>,
): TaskSteps<{ bytes: number }> {
  const { before } = task;
  const live = new Set(task.live);
  let bytes = 0;
  /** Where steps begin in which a record has lost something. */
  const thinned = new Set<number>();
  const newest = (yield () =>
    Number(writer.open().value("SELECT coalesce(max(seq), 0) FROM record"))) as number;
  for (let seq = 0; seq < Math.min(before - 1, newest); seq += RECORDS_A_STEP) {
    const range = [seq, Math.min(before - 1, seq + RECORDS_A_STEP)];
    const dropped = (yield () =>
      writer.step("NORMAL", (db) => {
        const found = db.value(
          "SELECT coalesce(sum(length(changes)), 0) FROM record WHERE seq > ? AND seq <= ?",
          range,
        );
        db.run("UPDATE record SET changes = NULL WHERE seq > ? AND seq <= ? AND changes IS NOT NULL", range);
        return Number(found);
      })) as number;
    if (dropped > 0) thinned.add(seq);
    bytes += dropped;
  }
  yield () =>
    writer.step("NORMAL", (db) => {
      writer.beginRemoval(db);
      db.run(
        `DELETE FROM checkpoint WHERE seq <
           (SELECT max(newer.seq) FROM checkpoint AS newer WHERE newer.slice = checkpoint.slice AND newer.seq < ?)`,
        [before],
      );
      db.run("DELETE FROM result WHERE time < ?", [task.resultsBefore]);
    });

  for (let place = 0; ;) {
    const rows = (yield () =>
      writer.open().all(
        `SELECT place, ${sqlBytes("id")}, ${sqlWhole("size")}, ${sqlWhole("holder")}, bytes IS NULL AND holder IS NULL
           FROM blob WHERE place > ? AND last < ?
             AND id NOT IN (SELECT blob FROM checkpoint)
             AND id NOT IN (SELECT blob FROM result WHERE blob IS NOT NULL)
           ORDER BY place LIMIT ?`,
        [place, before, BLOBS_A_STEP],
      )) as SqlRow[];
    const last = rows.at(-1);
    if (last === undefined) break;
    place = nextPlaceIn(last[0], place);
    const dead = rows.filter(([, id]) => !live.has(textIn(id)));
    const files = dead.filter(([, , , , isFile]) => isFile === 1);
    const gone = (yield () =>
      // A file is unlinked only after its row is gone for good.
      writer.step(files.length > 0 ? "FULL" : "NORMAL", (db) => {
        writer.beginRemoval(db);
        return dead.filter(([blob, , , holder]) => {
          // Looked at again: a commit may have brought the same bytes in meanwhile.
          const isGone = db.run("DELETE FROM blob WHERE place = ? AND last < ?", [Number(blob), before]) > 0;
          if (isGone && holder !== null)
            db.run("UPDATE record SET body = NULL WHERE seq = ?", [Number(holder)]);
          return isGone;
        });
      })) as SqlRow[];
    for (const [, id, size, holder, isFile] of gone) {
      bytes += Number(size);
      if (holder !== null) thinned.add(Number(holder) - 1 - ((Number(holder) - 1) % RECORDS_A_STEP));
      if (isFile === 1) rmSync(blobFile(writer.directory, textIn(id)), { force: true });
    }
  }
  for (const seq of thinned)
    yield () => writer.step("NORMAL", (db) => writeAnew(db, [seq, seq + RECORDS_A_STEP]));
  yield () => sweep(writer);
  return { bytes };
}

/** A row that shrinks leaves its page as empty as it has become. Rows that are taken out and put back share theirs again. */
function writeAnew(db: Db, range: readonly [after: number, upTo: number]): void {
  db.exec("CREATE TEMP TABLE IF NOT EXISTS slim AS SELECT * FROM record WHERE false");
  db.run("INSERT INTO temp.slim SELECT * FROM record WHERE seq > ? AND seq <= ?", range);
  db.run("DELETE FROM record WHERE seq > ? AND seq <= ?", range);
  db.run("INSERT INTO record SELECT * FROM temp.slim");
  db.run("DELETE FROM temp.slim");
}

/** Takes away files that a crash left: staged ones, and blobs whose commit never came. */
function sweep(writer: SessionWriter): void {
  const db = writer.open();
  const old = Date.now() - ORPHAN_MS;
  for (const folder of ["staging", "blobs"])
    for (const name of readdirSync(join(writer.directory, folder))) {
      const path = join(writer.directory, folder, name);
      if ((statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? old) >= old) continue;
      if (folder === "staging" || db.value("SELECT 1 FROM blob WHERE id = ?", [name]) === undefined)
        rmSync(path, { force: true });
    }
}
