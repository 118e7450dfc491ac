// Owns: what a session says of itself where its files can be read and not written: a disk or a mount that is read-only, another
// user's store.
// Must never: say what may be old. Where a WAL holds commits that cannot be read along, nothing is known.

import { statSync } from "node:fs";
import { pathToFileURL } from "node:url";
import type { SessionInfo } from "../journal.ts";
import { journalFile } from "./_layout.ts";
import { JournalReader } from "./_reader.ts";
import { filesSignature } from "./_watch.ts";

/** Throws what SQLite says when that cannot be known. Undefined once the session has been removed. */
export function lookAtSession(id: string, directory: string): SessionInfo | undefined {
  const file = journalFile(directory);
  try {
    return infoIn(file, id);
  } catch (error) {
    const before = filesSignature(directory);
    if (hasWal(file)) throw error;
    // SQLite takes no lock and looks for no WAL then: the file must not have changed meanwhile.
    const info = infoIn(`${pathToFileURL(file).href}?immutable=1`, id);
    if (filesSignature(directory) !== before) throw error;
    return info;
  }
}

function infoIn(file: string, id: string): SessionInfo | undefined {
  const reader = new JournalReader(file);
  try {
    return reader.info(id);
  } finally {
    reader.close();
  }
}

function hasWal(file: string): boolean {
  return (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
}
