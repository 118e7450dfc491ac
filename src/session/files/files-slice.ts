// Owns: files as a slice: how changes apply, invert, rebase, which keys they touch, and what tools read.

import { HoldfastError, say, type Shown } from "../../errors.ts";
import { isUnder, parentOf, ROOT, type WorkspacePath } from "../../path/index.ts";
import type { Key } from "../../store/journal.ts";
import { EXTENTS, spliceDelta } from "../../text/index.ts";
import { spliceContent } from "../content.ts";
import { graft, type EntryChange } from "../sorted-map.ts";
import type { Refusal, Slice, SliceDiff, Stamp } from "../slice.ts";
import {
  blobsOf,
  invertFileChange,
  newFileId,
  type FileBody,
  type FileChange,
  type FileId,
} from "./file-change.ts";
import { dirKey, fileKey, nameKey, upwards } from "./file-keys.ts";
import { decodeFiles, encodeFiles } from "./file-codec.ts";
import {
  closeGrave,
  dropFile,
  fileAt,
  filesUnder,
  idForCreation,
  isDirectory,
  itemsOf,
  leavePath,
  nextVersion,
  NO_FILES,
  obstacle,
  pathOfKey,
  putFile,
  type DirectoryItem,
  type FileEntry,
  type FilesState,
} from "./file-state.ts";
import { confirmFileChange, takesOut } from "./confirm.ts";
import { rebaseFileChange } from "./rebase.ts";

/** What tools see of the files. Each answer reports the keys it depends on. */
export interface FilesReader {
  file(path: WorkspacePath): FileEntry | undefined;
  isDirectory(path: WorkspacePath): boolean;
  /** The id for a file to be created at `path`: that of the file last deleted there, else a fresh one. */
  idFor(path: WorkspacePath): FileId;
  /** Shallow, in order; `after` is the last name already seen. */
  items(directory: WorkspacePath, after?: string): Iterable<DirectoryItem>;
  /** All files below, at any depth, in order. */
  under(directory: WorkspacePath): Iterable<FileEntry>;
  readonly count: number;
}

export const filesSlice: Slice<FilesState, FileChange, FilesReader> = {
  name: "files",
  history: true,
  empty: () => NO_FILES,
  reader: (state, read) => new Reader(state, read),
  apply: applyFileChange,
  parts: () => [],
  invert: invertFileChange,
  rebase: rebaseFileChange,
  between: changesBetween,
  refuse: refuseFileChange,
  confirm: confirmFileChange,
  takesOut,
  keys: touchedKeys,
  blobs: blobsOf,
  weigh: weighFileChange,
  diff: diffFiles,
  graft: graftFiles,
  encode: encodeFiles,
  decode: decodeFiles,
};

class Reader implements FilesReader {
  readonly #state: FilesState;
  readonly #read: (key: Key) => void;

  constructor(state: FilesState, read: (key: Key) => void) {
    this.#state = state;
    this.#read = read;
  }

  get count(): number {
    return this.#state.files.size;
  }

  file(path: WorkspacePath): FileEntry | undefined {
    this.#read(fileKey(path));
    return fileAt(this.#state, path);
  }

  isDirectory(path: WorkspacePath): boolean {
    this.#read(nameKey(path));
    return isDirectory(this.#state, path);
  }

  idFor(path: WorkspacePath): FileId {
    this.#read(fileKey(path));
    return idForCreation(this.#state, path);
  }

  *items(directory: WorkspacePath, after?: string): Generator<DirectoryItem, void, undefined> {
    this.#read(dirKey(directory));
    for (const item of itemsOf(this.#state, directory, after)) {
      if (item.kind === "file") this.#read(fileKey(item.entry.path));
      yield item;
    }
  }

  *under(directory: WorkspacePath): Generator<FileEntry, void, undefined> {
    this.#read(dirKey(directory));
    const seen = new Set<WorkspacePath>([directory]);
    for (const entry of filesUnder(this.#state, directory)) {
      this.#read(fileKey(entry.path));
      for (const above of upwards(parentOf(entry.path) ?? ROOT)) {
        if (seen.has(above)) break;
        seen.add(above);
        this.#read(dirKey(above));
      }
      yield entry;
    }
  }
}

function pathOf(change: FileChange): WorkspacePath {
  return change.path as WorkspacePath;
}

function applyFileChange(state: FilesState, change: FileChange, { at, time }: Stamp): FilesState {
  const path = pathOf(change);
  if (change.op === "create") {
    const { id, body, created, from } = change;
    const free = from === undefined ? state : closeGrave(state, from as WorkspacePath, id);
    const version = nextVersion(state, path);
    const born = new Date(created);
    return putFile(free, { id, path, ...body, version, created: born, updated: time, at, dead: 0 });
  }
  const old = fileAt(state, path);
  if (old === undefined) return missing(path);
  const next = (what: Partial<FileEntry>): FileEntry => ({
    ...old,
    version: nextVersion(state, path),
    updated: time,
    at,
    ...what,
  });
  switch (change.op) {
    case "delete":
      return dropFile(state, old);
    case "move": {
      const to = change.to as WorkspacePath;
      return putFile(leavePath(state, old), next({ path: to, version: nextVersion(state, to, old.version) }));
    }
    case "replace":
      return putFile(state, next({ ...change.after, dead: 0 }));
    case "splice": {
      let { dead } = old;
      for (const { remove } of change.splices) dead += remove;
      return putFile(state, next({ content: spliceContent(old.content, change.splices), dead }));
    }
    case "rewrite":
      return putFile(state, { ...old, content: change.after, dead: 0 });
  }
}

/** A record changes a file that its state does not hold: the history itself is broken. */
function missing(path: WorkspacePath): never {
  throw new HoldfastError(
    "internal",
    "broken_history",
    say`The history changes ${path}, which it never made.`,
  );
}

function refuseFileChange(state: FilesState, change: FileChange): Refusal[] {
  const path = pathOf(change);
  const key = fileKey(path);
  if (change.op === "create") {
    const found = obstacle(state, path);
    return found === undefined ? [] : [{ key, code: "conflict", ...found }];
  }
  const entry = fileAt(state, path);
  if (entry === undefined)
    return [
      isDirectory(state, path)
        ? { key, code: "conflict", reason: "is_directory", message: say`${path} is a directory, not a file` }
        : { key, code: "not_found", reason: "no_such_file", message: say`${path} does not exist` },
    ];
  if (change.op === "move") {
    const found = obstacle(leavePath(state, entry), change.to as WorkspacePath);
    return found === undefined ? [] : [{ key, code: "conflict", ...found }];
  }
  if (change.op === "splice") {
    const last = change.splices.at(-1);
    if (last !== undefined && last.at + last.remove > entry.content.size)
      return [
        {
          key,
          code: "conflict",
          reason: "changed_since",
          message: say`${path} is shorter than this change expects`,
        },
      ];
  }
  return [];
}

function touchedKeys(state: FilesState, change: FileChange): Key[] {
  const path = pathOf(change);
  switch (change.op) {
    case "rewrite":
      return [];
    case "replace":
    case "splice":
      return [fileKey(path)];
    case "create":
      return [
        ...keysOfName(state, path),
        ...(change.from === undefined ? [] : [fileKey(change.from as WorkspacePath)]),
      ];
    case "delete":
    case "move": {
      const entry = fileAt(state, path);
      const without = entry === undefined ? state : leavePath(state, entry);
      const keys = keysOfName(without, path);
      if (change.op === "move") keys.push(...keysOfName(without, change.to as WorkspacePath));
      return [...new Set(keys)];
    }
  }
}

/** What a name that comes or goes touches: itself, and every directory that comes or goes with it. */
function keysOfName(without: FilesState, path: WorkspacePath): Key[] {
  const keys = [fileKey(path), nameKey(path)];
  for (const above of upwards(parentOf(path) ?? ROOT)) {
    keys.push(dirKey(above));
    if (isDirectory(without, above)) return keys;
    keys.push(nameKey(above));
  }
  keys.push(dirKey(ROOT));
  return keys;
}

function weighFileChange(state: FilesState, change: FileChange): { bytes: number; files: number } {
  switch (change.op) {
    case "create":
      return { bytes: change.body.content.size, files: 1 };
    case "delete":
      return { bytes: -(fileAt(state, pathOf(change))?.content.size ?? 0), files: -1 };
    case "replace":
      return {
        bytes: change.after.content.size - (fileAt(state, pathOf(change))?.content.size ?? 0),
        files: 0,
      };
    case "splice":
      return { bytes: spliceDelta(change.splices, EXTENTS), files: 0 };
    case "move":
    case "rewrite":
      return { bytes: 0, files: 0 };
  }
}

/** Files that differ between two states, in order. The cost follows the number of differences. */
export function* fileChangesBetween(
  from: FilesState,
  to: FilesState,
  scope: string = ROOT,
): Generator<EntryChange<FileEntry>, void, undefined> {
  for (const change of from.files.changesTo(to.files)) {
    const { before, after } = change;
    const path = (before ?? after)?.path;
    if (path === undefined || !isUnder(path, scope as WorkspacePath)) continue;
    if (before === undefined || after === undefined || !sameBody(before, after)) yield change;
  }
}

/**
 * Deletions come first, so that a name freed by one can be taken by another. A file that is elsewhere in the two states is
 * deleted and created again under its id; outside `scope` it stays where it is, and a fresh one comes in its place.
 */
function changesBetween(from: FilesState, to: FilesState, scope: string = ROOT): FileChange[] {
  const deletions: FileChange[] = [];
  const others: FileChange[] = [];
  const slice = "files";
  const differing = [...from.files.changesTo(to.files)];
  const elsewhere = new Map<FileId, WorkspacePath>();
  for (const { before, after } of differing)
    if (before !== undefined && before.id !== after?.id) elsewhere.set(before.id, before.path);
  const buried = new Map<FileId, WorkspacePath>();
  for (const { key, before } of from.graves.changesTo(to.graves))
    if (before !== undefined && before.id !== null) buried.set(before.id, pathOfKey(key));
  for (const { before, after } of differing) {
    const path = ((before ?? after) as FileEntry).path;
    if (!isUnder(path, scope as WorkspacePath)) continue;
    if (before !== undefined && before.id === after?.id) {
      if (!sameBody(before, after))
        others.push({
          slice,
          op: "replace",
          id: before.id,
          path,
          before: bodyOf(before),
          after: bodyOf(after),
        });
      continue;
    }
    if (before !== undefined) {
      const created = before.created.toISOString();
      deletions.push({ slice, op: "delete", id: before.id, path, body: bodyOf(before), created });
    }
    if (after !== undefined) {
      const last = elsewhere.get(after.id);
      const isOutside = last !== undefined && !isUnder(last, scope as WorkspacePath);
      const id = isOutside ? newFileId() : after.id;
      const place = last ?? buried.get(after.id);
      const moved = isOutside || place === undefined || place === path ? {} : { from: place };
      const created = after.created.toISOString();
      others.push({ slice, op: "create", id, path, ...moved, body: bodyOf(after), created });
    }
  }
  return [...deletions, ...others];
}

function graftFiles(state: FilesState, onto: FilesState): FilesState {
  return {
    files: graft(state.files, onto.files, isSameEntry),
    folds: graft(state.folds, onto.folds, (a, b) => a === b),
    graves: graft(state.graves, onto.graves, (a, b) => a.version === b.version && a.id === b.id),
  };
}

/** One record made both, and neither has been rewritten since. */
function isSameEntry(a: FileEntry, b: FileEntry): boolean {
  if (a.at.seq !== b.at.seq || a.at.hash !== b.at.hash || a.version !== b.version || a.dead !== b.dead)
    return false;
  const [one, two] = [a.content.extents, b.content.extents];
  return (
    one.length === two.length && one.every(([blob, at], i) => blob === two[i]?.[0] && at === two[i]?.[1])
  );
}

export function bodyOf(entry: FileEntry): FileBody {
  const { content, encoding, executable } = entry;
  return { content, encoding, executable };
}

/** Whether two entries surely hold the same: one record made both, or all is equal and the bytes are stored in one place. */
function sameBody(a: FileEntry, b: FileEntry): boolean {
  if (a.encoding !== b.encoding || a.executable !== b.executable || a.content.size !== b.content.size)
    return false;
  if (a.content === b.content || (a.at.hash === b.at.hash && a.at.seq === b.at.seq)) return true;
  return JSON.stringify(a.content.extents) === JSON.stringify(b.content.extents);
}

function diffFiles(from: FilesState, to: FilesState, scope: string = ROOT): SliceDiff {
  const lists = { added: [] as Shown[], changed: [] as Shown[], removed: [] as Shown[] };
  for (const { before, after } of fileChangesBetween(from, to, scope)) {
    const list = before === undefined ? lists.added : after === undefined ? lists.removed : lists.changed;
    list.push(((before ?? after) as FileEntry).path);
  }
  return lists;
}
