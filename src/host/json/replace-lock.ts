// Owns: whose turn it is to replace a file: edits of one file by several processes replace it one after the other.
// Must never: be held for longer than a look and a rename. Only calls of this room keep to it; other programs cannot be made to.

import { mkdirSync, rmdirSync } from "node:fs";
import type { PinnedDirectory } from "../pinned-directory.ts";
import { fileChanged } from "./host-file.ts";

/** A process that held it for so long has ended without giving it back. */
const STALE_MS = 10_000;

/**
 * Runs `work`, which looks at the file a last time and replaces it. Throws `conflict` / `file_changed` at once when another
 * process is doing that: what it puts there is not what this edit began with.
 */
export function inTurn(directory: PinnedDirectory, name: string, work: () => void): void {
  const lock = `.${name}.holdfast-lock`;
  try {
    mkdirSync(directory.place(lock));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    const held = directory.stat(lock);
    if (held !== undefined && Date.now() - Number(held.mtimeMs) > STALE_MS) release(directory, lock);
    throw fileChanged();
  }
  try {
    work();
  } finally {
    release(directory, lock);
  }
}

function release(directory: PinnedDirectory, lock: string): void {
  try {
    rmdirSync(directory.place(lock));
  } catch {
    // Taken away as stale, or the directory is gone: no caller waits for it.
  }
}
