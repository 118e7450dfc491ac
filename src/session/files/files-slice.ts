// Owns: files as a slice: how changes apply, invert, rebase, which keys they touch, and what tools read.

import { HoldfastError, say } from "../../errors.ts";
import { isUnder, parentOf, ROOT, type WorkspacePath } from "../../path/index.ts";
import type { Key } from "../../store/journal.ts";
import { EXTENTS, spliceDelta } from "../../text/index.ts";
import { spliceContent } from "../content.ts";
import { graft, type EntryChange } from "../sorted-map.ts";
import type { Refusal, Slice, SliceDiff, Stamp } from "../slice.ts";
import { blobsOf, invertFileChange, type FileBody, type FileChange } from "./file-change.ts";
import { dirKey, fileKey, nameKey, upwards } from "./file-keys.ts";
import { decodeFiles, encodeFiles } from "./file-codec.ts";
import {
  dropFile,
  fileAt,
  filesUnder,
  isDirectory,
  itemsOf,
  nextVersion,
  NO_FILES,
  obstacle,
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
  const old = fileAt(state, path);
  const make = (body: FileBody, created: Date, dead = 0): FilesState =>
    putFile(state, {
      path,
      content: body.content,
      encoding: body.encoding,
      version: nextVersion(state, path),
      created,
      updated: time,
      at,
      dead,
    });
  switch (change.op) {
    case "create":
      return make(change.body, new Date(change.created));
    case "delete":
      return old === undefined ? missing(path) : dropFile(state, old);
    case "replace":
      return old === undefined ? missing(path) : make(change.after, old.created);
    case "splice": {
      if (old === undefined) return missing(path);
      const content = spliceContent(old.content, change.splices);
      let dead = old.dead;
      for (const { remove } of change.splices) dead += remove;
      return make({ content, encoding: old.encoding }, old.created, dead);
    }
    case "rewrite":
      return old === undefined ? missing(path) : putFile(state, { ...old, content: change.after, dead: 0 });
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
  if (change.op === "rewrite") return [];
  const path = pathOf(change);
  const keys = [fileKey(path)];
  if (change.op !== "create" && change.op !== "delete") return keys;
  keys.push(nameKey(path));
  const without = change.op === "create" ? state : applyFileChange(state, change, NOWHERE);
  for (const above of upwards(parentOf(path) ?? ROOT)) {
    keys.push(dirKey(above));
    if (isDirectory(without, above)) return keys;
    keys.push(nameKey(above));
  }
  keys.push(dirKey(ROOT));
  return keys;
}

const NOWHERE: Stamp = { at: { seq: 0, hash: "" }, time: new Date(0), agent: "" };

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

/** Deletions come first, so that a name freed by one can be taken by another. */
function changesBetween(from: FilesState, to: FilesState, scope: string = ROOT): FileChange[] {
  const deletions: FileChange[] = [];
  const others: FileChange[] = [];
  const slice = "files";
  for (const { before, after } of fileChangesBetween(from, to, scope)) {
    if (after === undefined && before !== undefined) {
      const { path, created } = before;
      deletions.push({ slice, op: "delete", path, body: bodyOf(before), created: created.toISOString() });
    } else if (before === undefined && after !== undefined) {
      const { path, created } = after;
      others.push({ slice, op: "create", path, body: bodyOf(after), created: created.toISOString() });
    } else if (before !== undefined && after !== undefined)
      others.push({
        slice,
        op: "replace",
        path: after.path,
        before: bodyOf(before),
        after: bodyOf(after),
      });
  }
  return [...deletions, ...others];
}

function graftFiles(state: FilesState, onto: FilesState): FilesState {
  return {
    files: graft(state.files, onto.files, isSameEntry),
    folds: graft(state.folds, onto.folds, (a, b) => a === b),
    gone: graft(state.gone, onto.gone, (a, b) => a === b),
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
  return { content: entry.content, encoding: entry.encoding };
}

/** Whether two entries surely hold the same bytes under the same encoding: one record made both, or the extents are equal. */
function sameBody(a: FileEntry, b: FileEntry): boolean {
  if (a.encoding !== b.encoding || a.content.size !== b.content.size) return false;
  if (a.content === b.content || (a.at.hash === b.at.hash && a.at.seq === b.at.seq)) return true;
  return JSON.stringify(a.content.extents) === JSON.stringify(b.content.extents);
}

function diffFiles(from: FilesState, to: FilesState, scope: string = ROOT): SliceDiff {
  const added: WorkspacePath[] = [];
  const changed: WorkspacePath[] = [];
  const removed: WorkspacePath[] = [];
  for (const change of changesBetween(from, to, scope)) {
    const list = change.op === "create" ? added : change.op === "delete" ? removed : changed;
    list.push(pathOf(change));
  }
  return { added, changed, removed };
}
