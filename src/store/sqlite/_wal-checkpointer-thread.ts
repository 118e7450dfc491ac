// Owns: WAL checkpoints beside the commits. This file is the entry of a worker.
// Must never: take the write lock. What is written meanwhile is left to the writer, which copies it between two commits.

import { parentPort } from "node:worker_threads";
import { Db } from "./_db.ts";
import { journalFile } from "./_layout.ts";

function checkpoint(directory: string): void {
  const db = new Db(journalFile(directory));
  try {
    db.exec("PRAGMA busy_timeout=0");
    db.exec("PRAGMA disk.synchronous=FULL");
    db.get("PRAGMA disk.wal_checkpoint(PASSIVE)");
  } finally {
    db.close();
  }
}

const port = parentPort;
port?.on("message", (directory: string) => {
  try {
    checkpoint(directory);
  } catch {
    // Nothing is lost: the WAL holds it all, and the next commit reports a failing disk.
  }
  port.postMessage(directory);
});
