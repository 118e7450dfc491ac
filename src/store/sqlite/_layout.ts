// Owns: where things are in a store directory.
//
//   <store>/FORMAT               "holdfast store 1"
//   <store>/sessions/<id>/       journal.db, audit.db (and their -wal, -shm), blobs/<id>, staging/<id>
//   <store>/making/<random>/     a session being made; renamed into sessions/ when whole
//   <store>/removed/<random>/    a session being deleted
//
// Must never: be opened by anything but SQLite where a name ends in .db. Closing any other descriptor of such a file drops
// SQLite's locks on it.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { echo, HoldfastError, say } from "../../errors.ts";
import { STORE_FORMAT, STORE_MARK } from "../mark.ts";

export interface Layout {
  readonly sessions: string;
  readonly making: string;
  readonly removed: string;
}

/**
 * Makes the directories that are missing, readable by their owner only. Throws `invalid_argument` / `bad_store_directory`
 * where that cannot be, with the system's word for it and without the path.
 */
export function openLayout(directory: string): Layout {
  try {
    return makeLayout(directory);
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code;
    if (HoldfastError.is(cause) || code === undefined) throw cause;
    throw new HoldfastError(
      "invalid_argument",
      "bad_store_directory",
      say`The store directory cannot be made or written (${echo(code)}). Name a directory that this user may write.`,
      { cause },
    );
  }
}

function makeLayout(directory: string): Layout {
  const layout = {
    sessions: join(directory, "sessions"),
    making: join(directory, "making"),
    removed: join(directory, "removed"),
  };
  for (const path of [directory, layout.sessions, layout.making, layout.removed]) makeDirectory(path);
  const mark = join(directory, STORE_MARK);
  try {
    writeFileSync(mark, STORE_FORMAT, { flag: "wx", mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    // Another process may be between creating and writing it.
    const found = readFileSync(mark, "utf8");
    if (found !== STORE_FORMAT && found !== "")
      throw new HoldfastError(
        "internal",
        "unknown_format",
        say`The store was made by another version. Use that version, or another store directory.`,
      );
  }
  return layout;
}

/** Step by step: on some file systems Node's recursive form never ends. */
function makeDirectory(path: string): void {
  const missing: string[] = [];
  for (let here = resolve(path); !existsSync(here); here = dirname(here)) missing.push(here);
  for (const here of missing.toReversed())
    try {
      mkdirSync(here, { mode: 0o700 });
    } catch (error) {
      // Another process may have been faster.
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
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
