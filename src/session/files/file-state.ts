// Owns: the immutable state of all files: entries in path order, their folded names, what was deleted where.

import { echo, say, type Shown } from "../../errors.ts";
import { foldText, ROOT, relativePath, segmentsOf, type WorkspacePath } from "../../path/index.ts";
import type { Position } from "../../store/journal.ts";
import { runNow, type Pacer, type Steps } from "../../text/steps.ts";
import { SortedMap } from "../sorted-map.ts";
import { newFileId, type FileBody, type FileId } from "./file-change.ts";

/** One file. `at` is the record that last changed it: its version token. */
export interface FileEntry extends FileBody {
  readonly id: FileId;
  readonly path: WorkspacePath;
  readonly version: number;
  readonly created: Date;
  readonly updated: Date;
  readonly at: Position;
  /** Bytes that splices have taken out since the content was last written as a whole. */
  readonly dead: number;
}

/** What is remembered of a path at which there was a file. */
export interface Grave {
  /** The last version: counters never restart. */
  readonly version: number;
  /** The file last deleted there, which the next creation continues; null when it is back elsewhere or none was. */
  readonly id: FileId | null;
}

/**
 * `files` is keyed by segments joined with U+0001, so that order is by segments and everything under a directory is
 * one range. `folds` has the same keys with case folded, `graves` the same keys. A grave that names a file stays while
 * another lives at its path.
 */
export interface FilesState {
  readonly files: SortedMap<FileEntry>;
  readonly folds: SortedMap<WorkspacePath>;
  readonly graves: SortedMap<Grave>;
}

const JOINT = "\u0001";
const AFTER_JOINT = "\u0002";
const NOT_ASCII = /[\u0080-\uffff]/;

export const NO_FILES: FilesState = Object.freeze({
  files: SortedMap.empty<FileEntry>(),
  folds: SortedMap.empty<WorkspacePath>(),
  graves: SortedMap.empty<Grave>(),
});

export function entryKey(path: WorkspacePath): string {
  return relativePath(path).replaceAll("/", JOINT);
}

/** The same with case folded: segment by segment, since beyond ASCII a fold could reach over a joint. */
function foldedKey(segments: readonly string[]): string {
  return segments.map(foldText).join(JOINT);
}

function foldedPath(path: WorkspacePath, key: string = entryKey(path)): string {
  return NOT_ASCII.test(key) ? foldedKey(segmentsOf(path)) : key.toLowerCase();
}

export function fileAt(state: FilesState, path: WorkspacePath): FileEntry | undefined {
  return state.files.get(entryKey(path));
}

/** Files under a directory, in order, at any depth; those after `after`, a path under it, when that is given. */
export function* filesUnder(
  state: FilesState,
  directory: WorkspacePath,
  after?: WorkspacePath,
): Generator<FileEntry, void, undefined> {
  const [from, to] = rangeUnder(directory);
  const start = after === undefined ? from : `${entryKey(after)}\u0000`;
  for (const [, entry] of state.files.entries(start, to)) yield entry;
}

/** The files at or under a path, and those that were deleted there last, where no other is now. */
export function* idsAtOrUnder(state: FilesState, path: WorkspacePath): Generator<FileId, void, undefined> {
  const key = entryKey(path);
  const own = state.files.get(key)?.id ?? state.graves.get(key)?.id;
  if (own != null) yield own;
  const [from, to] = rangeUnder(path);
  for (const [, { id }] of state.files.entries(from, to)) yield id;
  for (const [grave, { id }] of state.graves.entries(from, to))
    if (id !== null && state.files.get(grave) === undefined) yield id;
}

function rangeUnder(directory: WorkspacePath): [from: string, to: string | undefined] {
  const key = entryKey(directory);
  return key === "" ? ["", undefined] : [key + JOINT, key + AFTER_JOINT];
}

export function isDirectory(state: FilesState, path: WorkspacePath): boolean {
  if (path === ROOT) return true;
  const [from, to] = rangeUnder(path);
  const next = state.files.first(from);
  return next !== undefined && (to === undefined || next[0] < to);
}

/** One thing in a directory. */
export type DirectoryItem =
  | { readonly kind: "file"; readonly name: string; readonly entry: FileEntry }
  | { readonly kind: "directory"; readonly name: string };

/** The shallow listing: each file and each directory right below, in order, from the name `after` on. */
export function* itemsOf(
  state: FilesState,
  directory: WorkspacePath,
  after?: string,
): Generator<DirectoryItem, void, undefined> {
  const depth = segmentsOf(directory).length;
  const [start, to] = rangeUnder(directory);
  const prefix = entryKey(directory) === "" ? "" : start;
  for (let from = after === undefined ? start : prefix + after + AFTER_JOINT; ;) {
    const next = state.files.first(from);
    if (next === undefined || (to !== undefined && next[0] >= to)) return;
    const [key, entry] = next;
    const segments = segmentsOf(entry.path);
    const name = segments[depth] as string;
    if (segments.length === depth + 1) {
      yield { kind: "file", name, entry };
      from = `${key}\u0000`;
    } else {
      yield { kind: "directory", name };
      from = prefix + name + AFTER_JOINT;
    }
  }
}

/** Why no file can be created at `path`: a file or a directory is there, a file is above, or only case differs. */
export function obstacle(
  state: Pick<FilesState, "folds">,
  path: WorkspacePath,
): Omit<Obstacle, "path"> | undefined {
  const segments = segmentsOf(path);
  for (let depth = 1; depth <= segments.length; depth++) {
    const here = segments.slice(0, depth);
    const folded = foldedKey(here);
    const found = state.folds.first(folded);
    if (found === undefined || !(found[0] === folded || found[0].startsWith(folded + JOINT)))
      return undefined;
    const by = found[1];
    const other = segmentsOf(by);
    const twin = other.slice(0, depth);
    if (here.some((segment, i) => segment !== twin[i]))
      return {
        by,
        reason: "case_clash",
        message: say`${pathTo(here)} differs only in case from ${pathTo(twin)}: use that spelling or another name`,
      };
    if (depth < segments.length && other.length === depth)
      return {
        by,
        reason: "file_above",
        message: say`${by} is a file, so nothing can lie under it: choose another directory`,
      };
    if (depth === segments.length && other.length > depth)
      return {
        by,
        reason: "is_directory",
        message: say`${path} is a directory: name a file in it, such as ${echo(`${path}/${other[depth] ?? ""}`)}`,
      };
    if (depth === segments.length)
      return {
        by,
        reason: "file_exists",
        message: say`${path} exists already: use mode "overwrite" or "append" to change it`,
      };
  }
  return undefined;
}

function pathTo(segments: readonly string[]): WorkspacePath {
  return `${ROOT}/${segments.join("/")}` as WorkspacePath;
}

/** The same while names are changing hands: what else is in the way may be gone at the end, but a file at the path itself must be now. */
export function occupant(state: FilesState, path: WorkspacePath): ReturnType<typeof obstacle> {
  return state.folds.get(foldedPath(path)) === undefined ? undefined : obstacle(state, path);
}

/** Something in the way of a file to be created. */
export interface Obstacle {
  /** Where. */
  readonly path: WorkspacePath;
  /** The file that is in the way. */
  readonly by: WorkspacePath;
  /** Why, as a word to compare with. */
  readonly reason: Lowercase<string>;
  /** What is in the way, and what to do. */
  readonly message: Shown;
}

/** What is in the way of creating all of `paths`, in this order, once the files at `removed` are gone. */
export function obstacles(
  state: FilesState,
  paths: Iterable<WorkspacePath>,
  removed: Iterable<WorkspacePath>,
): Obstacle[] {
  return runNow(obstaclesSteps(state, paths, removed));
}

/** The same, for very many. */
export function* obstaclesSteps(
  state: FilesState,
  paths: Iterable<WorkspacePath>,
  removed: Iterable<WorkspacePath>,
): Steps<Obstacle[]> {
  let { folds } = state;
  for (const path of removed) {
    folds = folds.delete(foldedPath(path));
    yield;
  }
  const found: Obstacle[] = [];
  for (const path of paths) {
    const here = obstacle({ folds }, path);
    if (here === undefined) folds = folds.set(foldedPath(path), path);
    else found.push({ path, ...here });
    yield;
  }
  return found;
}

/** Makes the state that holds files, added in order of their paths, and graves, in order of keys. */
export class FilesBuilder {
  readonly #files: FileEntry[] = [];
  readonly #keys: string[] = [];
  readonly #folds: string[] = [];
  readonly #graveKeys: string[] = [];
  readonly #graves: Grave[] = [];
  #isFolded = true;

  add(entry: FileEntry): void {
    const key = entryKey(entry.path);
    const fold = foldedPath(entry.path, key);
    this.#isFolded &&= fold === key;
    this.#files.push(entry);
    this.#keys.push(key);
    this.#folds.push(fold);
  }

  addGrave(key: string, grave: Grave): void {
    this.#graveKeys.push(key);
    this.#graves.push(grave);
  }

  build(): FilesState {
    return {
      files: SortedMap.from(this.#keys, this.#files),
      folds: this.#sortedFolds(),
      graves: SortedMap.from(this.#graveKeys, this.#graves),
    };
  }

  #sortedFolds(): SortedMap<WorkspacePath> {
    const paths = this.#files.map(({ path }) => path);
    // Names without capitals, which most are, are in order already.
    if (this.#isFolded) return SortedMap.from(this.#keys, paths);
    const folds = this.#folds.map((fold, i) => [fold, paths[i] as WorkspacePath] as const);
    folds.sort(([a], [b]) => (a < b ? -1 : 1));
    return SortedMap.from(
      folds.map(([fold]) => fold),
      folds.map(([, path]) => path),
    );
  }
}

/** The path of a key of `files` and `graves`. */
export function pathOfKey(key: string): WorkspacePath {
  return `${ROOT}/${key.replaceAll(JOINT, "/")}` as WorkspacePath;
}

/** Every file by its id. */
export async function entriesById({ files }: FilesState, pace: Pacer): Promise<Map<FileId, FileEntry>> {
  return new Map(await pace.map(files.entries(), ([, entry]) => [entry.id, entry] as const));
}

export function putFile(state: FilesState, entry: FileEntry): FilesState {
  const key = entryKey(entry.path);
  const grave = state.graves.get(key);
  const isOver = grave !== undefined && (grave.id === null || grave.id === entry.id);
  return {
    files: state.files.set(key, entry),
    folds: state.folds.set(foldedPath(entry.path), entry.path),
    graves: isOver ? state.graves.delete(key) : state.graves,
  };
}

export function dropFile(state: FilesState, entry: FileEntry): FilesState {
  return without(state, entry, entry.id);
}

/** The state in which a file has left its path for another one. */
export function leavePath(state: FilesState, entry: FileEntry): FilesState {
  return without(state, entry, state.graves.get(entryKey(entry.path))?.id ?? null);
}

function without(state: FilesState, entry: FileEntry, id: FileId | null): FilesState {
  const key = entryKey(entry.path);
  return {
    files: state.files.delete(key),
    folds: state.folds.delete(foldedPath(entry.path)),
    graves: state.graves.set(key, { version: entry.version, id }),
  };
}

/** The state in which the file last deleted at `path` is no longer continued there: it comes back elsewhere. */
export function closeGrave(state: FilesState, path: WorkspacePath, id: FileId): FilesState {
  const key = entryKey(path);
  const grave = state.graves.get(key);
  if (grave?.id !== id) return state;
  return { ...state, graves: state.graves.set(key, { version: grave.version, id: null }) };
}

/** The id that a file created at `path` takes: that of the one last deleted there, else a fresh one. */
export function idForCreation(state: FilesState, path: WorkspacePath): FileId {
  return state.graves.get(entryKey(path))?.id ?? newFileId();
}

/** The version the next change of what is at `path` makes. */
export function nextVersion(state: FilesState, path: WorkspacePath, before = 0): number {
  const key = entryKey(path);
  return Math.max(before, state.files.get(key)?.version ?? state.graves.get(key)?.version ?? 0) + 1;
}
