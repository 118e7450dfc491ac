// Owns: the keys under which the files slice announces what a change touches and a run has read.

import { foldKey, isUnder, parentOf, ROOT, type WorkspacePath } from "../../path/index.ts";
import type { Key } from "../../store/journal.ts";

const FILE = "file:";

/** A file's bytes and encoding. */
export function fileKey(path: WorkspacePath): Key {
  return `${FILE}${path.slice(ROOT.length)}`;
}

/** Whether a record touches a file at or under a path. */
export function touchesUnder({ keys }: { readonly keys: readonly Key[] }, path: WorkspacePath): boolean {
  return keys.some(
    (key) => key.startsWith(FILE) && isUnder(`${ROOT}${key.slice(FILE.length)}` as WorkspacePath, path),
  );
}

/** Which names a directory holds. */
export function dirKey(path: WorkspacePath): Key {
  return `dir:${path === ROOT ? "/" : path.slice(ROOT.length)}`;
}

/** Whether there is something of a name, in any case of letters. */
export function nameKey(path: WorkspacePath): Key {
  return `fold:/${foldKey(path)}`;
}

/** What decides whether a file may be created at `path`. */
export function creationKeys(path: WorkspacePath): Key[] {
  const keys: Key[] = [];
  for (const here of upwards(path)) keys.push(fileKey(here), nameKey(here));
  return keys;
}

/** A path and all directories above it but the root. */
export function* upwards(path: WorkspacePath): Generator<WorkspacePath, void, undefined> {
  for (let here: WorkspacePath | undefined = path; here !== undefined && here !== ROOT; here = parentOf(here))
    yield here;
}
