// Owns: stored bytes that are gone: what is said then, and how others tell it from other failures.

import { HoldfastError, say } from "../errors.ts";
import type { WorkspacePath } from "../path/index.ts";

/** The error of content whose stored bytes are gone; with `path`, of the file that holds it. */
export function blobLost(path?: WorkspacePath): HoldfastError {
  const whose = path === undefined ? say`Stored bytes` : say`Stored bytes of ${path}`;
  return new HoldfastError(
    "internal",
    "blob_lost",
    say`${whose} are missing or damaged, so this content cannot be read. Write it anew, restore an older version of it, or put the session's files back from a backup; verifying the session names the record that brought it in.`,
    path === undefined ? {} : { data: { path } },
  );
}

export function isBlobLost(error: unknown): boolean {
  return HoldfastError.is(error) && error.reason === "blob_lost";
}
