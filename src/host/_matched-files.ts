// Owns: which file of the session is which of the mounted folders, through moves on both sides.
// Must never: take a file that the folders hold elsewhere for the one that came to its place.

import type { WorkspacePath } from "../path/index.ts";
import type { Draft } from "../session/draft.ts";
import type { FileBody, FileId } from "../session/files/file-change.ts";
import { entriesById, fileAt, type FileEntry } from "../session/files/file-state.ts";
import { filesSlice } from "../session/files/files-slice.ts";
import type { FolderFile } from "../session/folders/folder-file.ts";
import { foldersSlice } from "../session/folders/folders-slice.ts";
import type { Pacer } from "../text/steps.ts";
import type { MountFile } from "./_scan-mount.ts";

/** A path that changed in a folder. `known` is what the folder held before. */
export interface ChangedOutside {
  readonly path: WorkspacePath;
  readonly known: FolderFile | undefined;
  /** What is there now; undefined: nothing. */
  readonly now: { readonly file: MountFile; readonly body: FileBody } | undefined;
}

export class MatchedFiles {
  readonly #draft: Draft;
  readonly #entries: ReadonlyMap<FileId, FileEntry>;
  readonly #held: ReadonlyMap<FileId, FolderFile>;

  private constructor(
    draft: Draft,
    entries: ReadonlyMap<FileId, FileEntry>,
    held: ReadonlyMap<FileId, FolderFile>,
  ) {
    this.#draft = draft;
    this.#entries = entries;
    this.#held = held;
  }

  /** The files as a draft begins with them. What it depends on then is all that the folders hold. */
  static async of(draft: Draft, pace: Pacer): Promise<MatchedFiles> {
    const entries = await entriesById(draft.state(filesSlice), pace);
    draft.reader(foldersSlice);
    const { files } = draft.state(foldersSlice);
    const held = await pace.map(files.entries(), ([, file]) => [file.id, file] as const);
    return new MatchedFiles(draft, entries, new Map(held));
  }

  /** Where the folders hold a file of the session. */
  heldAs(id: FileId): FolderFile | undefined {
    return this.#held.get(id);
  }

  /** A file that folder and session have both moved to one place is the same file there. */
  followed(outside: readonly ChangedOutside[]): readonly ChangedOutside[] {
    const deleted = new Set(outside.filter(({ now }) => now === undefined).map(({ path }) => path));
    const moved = new Set<WorkspacePath>();
    const found = outside.map((one) => {
      const home = one.known === undefined ? this.#homeOf(one.path) : undefined;
      if (home === undefined || !deleted.has(home.path)) return one;
      moved.add(home.path);
      return { ...one, known: home };
    });
    return found.filter(({ path, now }) => now !== undefined || !moved.has(path));
  }

  /** Where the folders hold the session's file of a path, if that is elsewhere. */
  #homeOf(path: WorkspacePath): FolderFile | undefined {
    const entry = fileAt(this.#draft.state(filesSlice), path);
    const home = entry === undefined ? undefined : this.#held.get(entry.id);
    return home?.path === path ? undefined : home;
  }

  /** The file of the session that a folder's file belongs to. One that the folders hold elsewhere is another file, and in its way. */
  entryOf({ known, path }: ChangedOutside): FileEntry | undefined {
    if (known !== undefined) return this.#entries.get(known.id);
    return this.#homeOf(path) === undefined ? fileAt(this.#draft.state(filesSlice), path) : undefined;
  }

  /** A file of the session as this refresh leaves it so far: where it was, or back where the folders hold it. */
  still({ id, path }: FileEntry): FileEntry | undefined {
    const state = this.#draft.state(filesSlice);
    const places = [path, this.#held.get(id)?.path ?? path];
    return places.map((place) => fileAt(state, place)).find((entry) => entry?.id === id);
  }
}
