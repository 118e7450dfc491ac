// Owns: copying a large WAL back into its file while others go on writing. This file is the entry of a worker.
// Must never: hold the write lock for long. Most is copied without any lock; only the rest, with the lock, to cut the WAL.

import { parentPort } from "node:worker_threads";
import { Db } from "./_driver.ts";
import { journalFile } from "./_layout.ts";

export interface Keep {
  readonly directory: string;
  /** Cut the WAL to nothing, too. */
  readonly cut: boolean;
}

const TRIES = 200;

function keep({ directory, cut }: Keep): void {
  const db = new Db(journalFile(directory));
  try {
    db.exec("PRAGMA busy_timeout=0");
    db.exec("PRAGMA disk.synchronous=FULL");
    db.get("PRAGMA disk.wal_checkpoint(PASSIVE)");
    if (!cut) return;
    const bell = new Int32Array(new SharedArrayBuffer(4));
    // While somebody writes or reads, SQLite answers busy and does what it can without the lock: a little, each time.
    for (let tries = 0; tries < TRIES; tries++) {
      if (db.value("PRAGMA disk.wal_checkpoint(TRUNCATE)") === 0) return;
      Atomics.wait(bell, 0, 0, 0.2 + Math.random());
    }
  } finally {
    db.close();
  }
}

const port = parentPort;
port?.on("message", (request: Keep) => {
  try {
    keep(request);
  } catch {
    // Nothing is lost: the WAL holds it all, and the next commit reports a sick disk.
  }
  port.postMessage(request.directory);
});
