// Owns: the files of a draft as one caller may see and reach them: the host's rules asked of every path, and what is said where
// they, or the state, refuse it.
// Must never: name a hidden file, or let a path through without asking the rules.

import { HoldfastError, say, type Shown } from "../../errors.ts";
import { parentOf, ROOT, type WorkspacePath } from "../../path/index.ts";
import { tokenOf } from "../../store/token.ts";
import { nearestPath } from "../../path/nearest-path.ts";
import type { Draft } from "../draft.ts";
import type { SessionState } from "../state.ts";
import { filesUnder, type FileEntry, type FilesState, type Obstacle } from "./file-state.ts";
import type { DirectoryEntry, FileInfo } from "./files.ts";
import { filesSlice, type FilesReader } from "./files-slice.ts";
import { pathDenied, type PathPermission, type PathRules } from "./path-rules.ts";

export class VisibleFiles {
  readonly #draft: Draft;
  readonly #rules: PathRules | undefined;
  /** The entries of files that {@link under} has shown. */
  readonly #listed: Map<FileInfo, FileEntry> = new Map();

  /** Without rules nothing is refused. */
  constructor(draft: Draft, rules: PathRules | undefined) {
    this.#draft = draft;
    this.#rules = rules;
  }

  permission(path: WorkspacePath): PathPermission {
    return this.#rules?.of(path) ?? UNBOUND;
  }

  /** Every path goes through here. */
  reach(path: WorkspacePath, access: "read" | "write"): FilesReader {
    if (access === "read") this.refuseHidden(path);
    else this.#refuseReadOnly(path);
    return this.#draft.reader(filesSlice);
  }

  /** A closed directory that holds something open is not hidden. */
  refuseHidden(path: WorkspacePath): void {
    const permission = this.permission(path);
    if (!permission.read && !this.#holdsVisible(path)) throw pathDenied(path, permission);
  }

  #refuseReadOnly(path: WorkspacePath): void {
    const permission = this.permission(path);
    if (!permission.write) throw pathDenied(path, permission);
  }

  /** A file that must be there. */
  entry(path: WorkspacePath, access: "read" | "write"): FileEntry {
    const files = this.reach(path, access);
    const entry = files.file(path);
    if (entry !== undefined) return entry;
    if (files.isDirectory(path) && this.#holdsVisible(path))
      throw new HoldfastError(
        access === "read" ? "invalid_argument" : "conflict",
        "is_directory",
        say`${path} is a directory. Name a file in it.`,
      );
    throw new HoldfastError("not_found", "no_such_file", say`${path} does not exist. ${this.#meant(path)}`);
  }

  /** Whether {@link under} has shown this very file. */
  hasListed(file: FileInfo): boolean {
    return this.#listed.has(file);
  }

  /** The entry of a file that was listed, without looking it up again unless this draft has changed something since. */
  listed(file: FileInfo): FileEntry {
    const entry = this.#draft.changes.length === 0 ? this.#listed.get(file) : undefined;
    return entry ?? this.entry(file.path, "read");
  }

  isDirectory(path: WorkspacePath): boolean {
    return this.reach(path, "read").isDirectory(path) && this.#holdsVisible(path);
  }

  obstacles(paths: readonly WorkspacePath[], removed: readonly WorkspacePath[]): Obstacle[] {
    for (const path of removed) this.reach(path, "read");
    for (const path of paths) this.reach(path, "read");
    const found = this.#draft.reader(filesSlice).obstacles(paths, removed);
    return found.map((one) => (this.permission(one.by).read ? one : hiddenObstacle(one)));
  }

  *list(directory: WorkspacePath, after?: string): Generator<DirectoryEntry, void, undefined> {
    for (const item of this.reach(directory, "read").items(directory, after)) {
      const { name } = item;
      if (item.kind === "file") {
        if (this.permission(item.entry.path).read) yield { name, file: fileInfo(item.entry) };
      } else if (this.#holdsVisible(`${directory}/${name}` as WorkspacePath)) yield { name };
    }
  }

  *under(directory: WorkspacePath, after?: WorkspacePath): Generator<FileInfo, void, undefined> {
    for (const entry of this.reach(directory, "read").under(directory, after)) {
      if (!this.permission(entry.path).read) continue;
      const info = fileInfo(entry);
      this.#listed.set(info, entry);
      yield info;
    }
  }

  *subtree(directory: WorkspacePath, access: "read" | "write"): Generator<FileInfo, void, undefined> {
    for (const entry of this.reach(directory, "read").under(directory)) {
      const permission = this.permission(entry.path);
      if (!permission.read) throw partlyDenied(directory);
      if (!permission[access]) throw pathDenied(entry.path, permission);
      yield fileInfo(entry);
    }
  }

  /** Refuses creations that a hidden file is in the way of, without naming that; what else is in the way is said later. */
  refuseHiddenObstacles(paths: readonly WorkspacePath[], removed: readonly WorkspacePath[]): void {
    const all = this.#draft.reader(filesSlice).obstacles(paths, removed);
    const found = all.find(({ by }) => !this.permission(by).read);
    if (found === undefined) return;
    throw new HoldfastError("forbidden", "path_denied", say`${hiddenObstacle(found).message}.`);
  }

  /** Does a directory hold a file that may be seen? */
  #holdsVisible(directory: WorkspacePath): boolean {
    if (this.#rules === undefined || !this.#rules.mayDiffer) return this.permission(directory).read;
    for (const { path } of filesUnder(this.#draft.state(filesSlice), directory))
      if (this.permission(path).read) return true;
    return directory === ROOT;
  }

  /** What the caller probably meant, for a path that does not exist. */
  #meant(path: WorkspacePath): Shown {
    const near = nearestPath(path, this.#visiblePaths());
    if (near !== undefined) return say`Did you mean ${near}?`;
    const directory = this.#nearestDirectory(path);
    return directory === parentOf(path)
      ? say`List its directory to see what there is.`
      : say`Nor does its directory: list ${directory} to see what there is.`;
  }

  /** The directory nearest to a path that the caller can list. */
  #nearestDirectory(path: WorkspacePath): WorkspacePath {
    const files = this.#draft.reader(filesSlice);
    const canList = (at: WorkspacePath): boolean => files.isDirectory(at) && this.#holdsVisible(at);
    let at = parentOf(path);
    while (at !== undefined && !canList(at)) at = parentOf(at);
    return at ?? ROOT;
  }

  *#visiblePaths(): Generator<WorkspacePath, void, undefined> {
    for (const { path } of filesUnder(this.#draft.state(filesSlice), ROOT))
      if (this.permission(path).read) yield path;
  }
}

/** A file's entry as callers see it. The hash of a record that is not committed yet is empty, so there is no token. */
export function fileInfo(entry: FileEntry): FileInfo {
  const { path, encoding, executable, content, version, created, updated, at } = entry;
  return {
    path,
    encoding,
    executable,
    size_bytes: content.size,
    version,
    created_at: created,
    updated_at: updated,
    ...(at.hash === "" ? {} : { token: tokenOf(at) }),
  };
}

/** Every file of a state, in order, as the host sees them. */
export function allFiles({ slices }: SessionState): FileInfo[] {
  const { files } = slices.get(filesSlice.name) as FilesState;
  return Array.from(files.entries(), ([, entry]) => fileInfo(entry));
}

const UNBOUND: PathPermission = Object.freeze({ read: true, write: true, version: false });

/** The refusal of a change of a file whose version a rule of the host wants named. */
export function versionWanted(path: WorkspacePath, token: Shown): HoldfastError {
  return new HoldfastError(
    "conflict",
    "version_required",
    say`A rule of the host wants the version of ${path} named. The latest token is ${token}: send it as expectedVersion.`,
    { data: { target: path, token } },
  );
}

/** What is in the way when agents may not know what it is. */
function hiddenObstacle({ path, by }: Obstacle): Obstacle {
  return {
    path,
    by,
    reason: "path_denied",
    message: say`${path} would meet what a rule of the host closes to agents: choose another name`,
  };
}

function partlyDenied(directory: WorkspacePath): HoldfastError {
  return new HoldfastError(
    "forbidden",
    "path_denied",
    say`${directory} holds what a rule of the host closes to agents, so it cannot be taken as a whole. Name single files in it.`,
  );
}
