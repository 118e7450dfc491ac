// Owns: files as a slice, put together, and what tools read of them.

import { parentOf, ROOT, type WorkspacePath } from "../../path/index.ts";
import type { Key } from "../../store/journal.ts";
import type { Slice } from "../slice.ts";
import {
  applyFileChange,
  refuseFileChange,
  refuseFileChangesSteps,
  touchedKeys,
  weighFileChange,
} from "./apply-file-change.ts";
import { blobsOf, type FileChange, type FileId } from "./file-change.ts";
import { decodeFiles, encodeFiles } from "./file-codec.ts";
import { creationKeys, dirKey, fileKey, nameKey, upwards } from "./file-keys.ts";
import {
  fileAt,
  filesUnder,
  idForCreation,
  isDirectory,
  itemsOf,
  NO_FILES,
  obstacles,
  type DirectoryItem,
  type FileEntry,
  type FilesState,
  type Obstacle,
} from "./file-state.ts";
import { changesBetween, diffFiles, graftFilesSteps, restoringChanges } from "./files-between.ts";
import { undoFiles } from "./undo-files.ts";

export { fileChangesBetween, listFileChanges } from "./files-between.ts";

/** What tools see of the files. Each method reports the keys that its result depends on. */
export interface FilesReader {
  file(path: WorkspacePath): FileEntry | undefined;
  isDirectory(path: WorkspacePath): boolean;
  /** The id for a file to be created at `path`: that of the file last deleted there, else a fresh one. */
  idFor(path: WorkspacePath): FileId;
  /** What is in the way of creating all of `paths`, in this order, once the files at `removed` are gone. */
  obstacles(paths: readonly WorkspacePath[], removed: Iterable<WorkspacePath>): Obstacle[];
  /** Shallow, in order; `after` is the last name already seen. */
  items(directory: WorkspacePath, after?: string): Iterable<DirectoryItem>;
  /** All files below, at any depth, in order; `after` is the last one already seen. */
  under(directory: WorkspacePath, after?: WorkspacePath): Iterable<FileEntry>;
  readonly count: number;
}

export const filesSlice: Slice<FilesState, FileChange, FilesReader> = {
  name: "files",
  empty: () => NO_FILES,
  reader: (state, read) => new FilesView(state, read),
  apply: applyFileChange,
  undo: undoFiles,
  between: (from, to, scope) => changesBetween(from, to, scope),
  restore: restoringChanges,
  refuse: (state, change) => refuseFileChange(state, change),
  refuseAllSteps: refuseFileChangesSteps,
  keys: touchedKeys,
  blobs: blobsOf,
  weigh: weighFileChange,
  diff: diffFiles,
  graftSteps: graftFilesSteps,
  encode: encodeFiles,
  decode: decodeFiles,
};

class FilesView implements FilesReader {
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

  obstacles(paths: readonly WorkspacePath[], removed: Iterable<WorkspacePath>): Obstacle[] {
    for (const path of paths) for (const key of creationKeys(path)) this.#read(key);
    return obstacles(this.#state, paths, removed);
  }

  *items(directory: WorkspacePath, after?: string): Generator<DirectoryItem, void, undefined> {
    this.#read(dirKey(directory));
    for (const item of itemsOf(this.#state, directory, after)) {
      if (item.kind === "file") this.#read(fileKey(item.entry.path));
      yield item;
    }
  }

  *under(directory: WorkspacePath, after?: WorkspacePath): Generator<FileEntry, void, undefined> {
    this.#read(dirKey(directory));
    const seen = new Set<WorkspacePath>([directory]);
    for (const entry of filesUnder(this.#state, directory, after)) {
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
