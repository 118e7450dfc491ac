// Owns: where things are in a store directory.
//
//   <store>/FORMAT               "holdfast store 1"
//   <store>/sessions/<id>/       journal.db, audit.db (and their -wal, -shm), blobs/<id>, staging/<id>
//   <store>/making/<random>/     a session being made; renamed into sessions/ when whole
//   <store>/removed/<random>/    a session being deleted
//
// Must never: be opened by anything but SQLite where a name ends in .db. Closing any other descriptor of such a file drops
// SQLite's locks on it.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { HoldfastError, say } from "../../errors.ts";

const FORMAT = "holdfast store 1\n";

export interface Layout {
  readonly sessions: string;
  readonly making: string;
  readonly removed: string;
}

/** Makes the directories that are missing, readable by their owner only. */
export function openLayout(directory: string): Layout {
  const layout = {
    sessions: join(directory, "sessions"),
    making: join(directory, "making"),
    removed: join(directory, "removed"),
  };
  for (const path of [directory, layout.sessions, layout.making, layout.removed])
    mkdirSync(path, { recursive: true, mode: 0o700 });
  const mark = join(directory, "FORMAT");
  try {
    writeFileSync(mark, FORMAT, { flag: "wx", mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    // Another process may be between creating and writing it.
    const found = readFileSync(mark, "utf8");
    if (found !== FORMAT && found !== "")
      throw new HoldfastError(
        "internal",
        "unknown_format",
        say`The store was made by another version. Use that version, or another store directory.`,
      );
  }
  return layout;
}

export const journalFile = (session: string): string => join(session, "journal.db");
export const auditFile = (session: string): string => join(session, "audit.db");
export const blobFile = (session: string, id: string): string => join(session, "blobs", id);
export const stagingFile = (session: string, id: string): string => join(session, "staging", id);

/** The directories inside a session. */
export function makeSessionDirectories(session: string): void {
  mkdirSync(join(session, "blobs"), { recursive: true, mode: 0o700 });
  mkdirSync(join(session, "staging"), { recursive: true, mode: 0o700 });
}
