// Owns: the keys under which the files slice announces what a change touches and a run has read.

import { foldKey, isUnder, parentOf, ROOT, type WorkspacePath } from "../../path/index.ts";
import type { Key } from "../../store/journal.ts";

const FILE = "file:";
const DIR = "dir:";

/** A file's bytes and encoding. */
export function fileKey(path: WorkspacePath): Key {
  return `${FILE}${path.slice(ROOT.length)}`;
}

/** The path that the key of a file or a directory names; undefined for other keys. */
export function pathNamedBy(key: Key): WorkspacePath | undefined {
  if (!key.startsWith(DIR)) return pathOfFileKey(key);
  return key === `${DIR}/` ? ROOT : (`${ROOT}${key.slice(DIR.length)}` as WorkspacePath);
}

/** The file that a key is about; undefined for a key of something else. */
export function pathOfFileKey(key: Key): WorkspacePath | undefined {
  return key.startsWith(FILE) ? (`${ROOT}${key.slice(FILE.length)}` as WorkspacePath) : undefined;
}

/** Whether a record touches a file at or under a path, of those that count. */
export function touchesUnder(
  { keys }: { readonly keys: readonly Key[] },
  path: WorkspacePath,
  counts: (file: WorkspacePath) => boolean = () => true,
): boolean {
  return keys.some((key) => {
    const file = pathOfFileKey(key);
    return file !== undefined && isUnder(file, path) && counts(file);
  });
}

/** Which names a directory holds. */
export function dirKey(path: WorkspacePath): Key {
  return `${DIR}${path === ROOT ? "/" : path.slice(ROOT.length)}`;
}

export function isDirKey(key: Key): boolean {
  return key.startsWith(DIR);
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
