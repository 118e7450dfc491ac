// Owns: how a session comes to be: built whole in a directory of its own, then renamed into place, so that a crash leaves
// either no session or a whole one.

import { closeSync, fsyncSync, linkSync, copyFileSync, openSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { hashAt } from "./_append.ts";
import { damagedCell, sqlBytes, textIn } from "./_cells.ts";
import { Db } from "./_db.ts";
import type { SqlRow } from "./_driver.ts";
import { openJournal } from "./_format.ts";
import type { TaskSteps } from "./_group-commit.ts";
import { blobFile, journalFile, makeSessionDirectories } from "./_layout.ts";
import { Refused } from "./_failure.ts";
import type { SessionWriter } from "./_session-writer.ts";
import type { Task } from "./_wire.ts";

type CreateTask = Extract<Task, { do: "make" }>;
type ForkTask = Extract<Task, { do: "fork" }>;

const RECORDS_A_STEP = 200;
const BLOBS_A_STEP = 32;

export function* createSession(writer: SessionWriter, task: CreateTask): TaskSteps<boolean> {
  return (yield () => {
    const db = startSession(task.making, {
      genesis: task.genesis,
      name: task.name,
      created: String(task.created),
    });
    finishSession(db);
    return place(task.making, writer.directory);
  }) as boolean;
}

/** Copies history up to a position. Only immutable rows are read, so the steps need no common snapshot; a lease excludes prune. */
export function* forkSession(writer: SessionWriter, task: ForkTask): TaskSteps<boolean> {
  const { at, making, into } = task;
  yield () => {
    // So that all it needs is in rows that do not change. Refused when the session has been removed.
    writer.index();
    if (hashAt(writer.open(), writer.genesis, at.seq) !== at.hash) throw new Refused("wrong position");
  };
  const db = (yield () =>
    startSession(making, {
      genesis: writer.genesis,
      created: String(task.created),
      parent: JSON.stringify({ at }),
      name: task.name,
    })) as Db;
  try {
    yield () => {
      db.run("ATTACH DATABASE ? AS source", [journalFile(writer.directory)]);
    };
    for (let seq = 0; seq < at.seq; seq += RECORDS_A_STEP) {
      const range: [number, number] = [seq, Math.min(at.seq, seq + RECORDS_A_STEP)];
      yield () => {
        db.run(
          "INSERT OR IGNORE INTO disk.record SELECT * FROM source.record WHERE seq > ? AND seq <= ?",
          range,
        );
        const copied = db.value("SELECT count(*) FROM disk.record WHERE seq > ? AND seq <= ?", range);
        if (copied !== range[1] - range[0]) throw damagedCell("records are missing");
        db.run(
          `INSERT OR IGNORE INTO disk.touch SELECT key.value, record.seq FROM disk.record, json_each(record.keys) AS key
           WHERE record.seq > ? AND record.seq <= ?`,
          range,
        );
      };
    }
    yield () => {
      db.run("INSERT OR IGNORE INTO disk.result SELECT * FROM source.result WHERE seq <= ?", [at.seq]);
      db.run("INSERT OR IGNORE INTO disk.checkpoint SELECT * FROM source.checkpoint WHERE seq <= ?", [
        at.seq,
      ]);
    };
    const last = (yield () => Number(db.value("SELECT coalesce(max(place), 0) FROM source.blob"))) as number;
    for (let place = 0; place < last; place += BLOBS_A_STEP)
      yield () =>
        db.run(
          `INSERT OR IGNORE INTO disk.blob (place, id, first, last, size, bytes, holder)
           SELECT place, id, first, min(last, ?), size, bytes, holder FROM source.blob
           WHERE place > ? AND place <= ? AND first <= ?`,
          [at.seq, place, place + BLOBS_A_STEP, at.seq],
        );
    const files = (yield () =>
      db.all(`SELECT ${sqlBytes("id")} FROM disk.blob WHERE bytes IS NULL AND holder IS NULL`)) as SqlRow[];
    for (const id of files.map((row) => textIn(row[0])))
      yield () => share(blobFile(writer.directory, id), blobFile(making, id));
    return (yield () => {
      db.rollback();
      db.run("UPDATE disk.state SET indexed = ?", [at.seq]);
      db.exec("DETACH DATABASE source");
      finishSession(db);
      syncDirectory(join(making, "blobs"));
      return place(making, into);
    }) as boolean;
  } catch (error) {
    db.close();
    rmSync(making, { recursive: true, force: true });
    throw error;
  }
}

function startSession(directory: string, meta: Readonly<Record<string, string | null>>): Db {
  makeSessionDirectories(directory);
  const db = new Db(journalFile(directory));
  // Nobody sees it before it is whole and synced at the end, so nothing on the way waits for the disk.
  openJournal(db, "OFF");
  for (const [key, value] of Object.entries(meta))
    if (value !== null) db.run("INSERT INTO meta (key, value) VALUES (?, ?)", [key, value]);
  return db;
}

/** Leaves one file. */
function finishSession(db: Db): void {
  db.get("PRAGMA disk.wal_checkpoint(TRUNCATE)");
  db.close();
}

/** False when the place is taken; what was made is thrown away then. */
function place(making: string, into: string): boolean {
  syncFile(journalFile(making));
  syncDirectory(making);
  try {
    renameSync(making, into);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ENOTEMPTY" && code !== "EEXIST") throw error;
    rmSync(making, { recursive: true, force: true });
    return false;
  }
  syncDirectory(dirname(into));
  return true;
}

/** Blob files never change, so two sessions may hold one of them. */
function share(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") return;
    if (code !== "EPERM" && code !== "EMLINK" && code !== "ENOTSUP" && code !== "EXDEV") throw error;
    copyFileSync(from, to);
    syncFile(to);
  }
}

/** For a file that no connection of this process has open. */
function syncFile(path: string): void {
  const fd = openSync(path, "r+");
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Makes names in a directory durable. Some systems cannot open one; they sync names with the file. */
export function syncDirectory(path: string): void {
  let fd: number;
  try {
    fd = openSync(path, "r");
  } catch (error) {
    if (["EISDIR", "EPERM", "EACCES"].includes((error as NodeJS.ErrnoException).code ?? "")) return;
    throw error;
  }
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
