// Owns: what one durable commit of some bytes costs in the SQLite that the store uses, without anything around it.

import { Db } from "../src/store/sqlite/_db.ts";

export interface BareCommits {
  /** Returns when the bytes are on the disk. */
  write(path: string, bytes: Uint8Array): void;
  close(): void;
}

export function bareCommits(file: string): BareCommits {
  const db = new Db(file);
  db.value("PRAGMA disk.journal_mode=WAL");
  db.exec("PRAGMA disk.synchronous=FULL; CREATE TABLE disk.file (path TEXT PRIMARY KEY, bytes BLOB)");
  return {
    write: (path, bytes) => {
      db.run("INSERT OR REPLACE INTO file VALUES (?, ?)", [path, bytes]);
    },
    close: () => db.close(),
  };
}
