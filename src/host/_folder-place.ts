// Owns: where in the mounted folders a path of the workspace lies, and whether a new file may be put there.

import { isUnder, relativePath, ROOT, segmentsOf, type WorkspacePath } from "../path/index.ts";
import type { FolderFile } from "../session/folders/folder-file.ts";
import type { ResolvedMount } from "./mount.ts";

/** An entry of a mounted folder: the directories from the allowed root to it, and its name. */
export interface FolderPlace {
  readonly mount: ResolvedMount;
  readonly way: readonly string[];
  readonly name: string;
}

/** Where a path lies in one mount; undefined where it lies in another. */
export function placeInMount(mount: ResolvedMount, path: WorkspacePath): FolderPlace | undefined {
  const { way, file, to } = mount;
  if (file !== undefined) return path === to ? { mount, way, name: file } : undefined;
  const below = segmentsBelow(to, path);
  const name = below?.at(-1);
  return below === undefined || name === undefined
    ? undefined
    : { mount, way: [...way, ...below.slice(0, -1)], name };
}

/** Where a file that a folder holds is; undefined when its mount is not there in this opening of the session, or a link leads to it. */
export function placeOfFile(
  mounts: readonly ResolvedMount[],
  { path, mount: number, isLinked }: FolderFile,
): FolderPlace | undefined {
  const mount = mounts.find((one) => one.number === number);
  return mount === undefined || isLinked === true ? undefined : placeInMount(mount, path);
}

/** Where a new file at a path would go: into the last mount that has its place and does not leave such names out. */
export function placeForNew(mounts: readonly ResolvedMount[], path: WorkspacePath): FolderPlace | undefined {
  for (const mount of mounts.toReversed()) {
    const place = placeInMount(mount, path);
    if (place !== undefined) return mayHold(mount, path) ? place : undefined;
  }
  return undefined;
}

function mayHold({ to, file, include, exclude, gitignore }: ResolvedMount, path: WorkspacePath): boolean {
  if (file !== undefined) return true;
  const below = segmentsBelow(to, path) ?? [];
  if (gitignore && below.some((name) => name === ".git" || name === "node_modules")) return false;
  for (let depth = 1; depth <= below.length; depth++) {
    const text = below.slice(0, depth).join("/");
    if (exclude.some((glob) => glob.matchesRelative(text))) return false;
  }
  return include.length === 0 || include.some((glob) => glob.matchesRelative(below.join("/")));
}

function segmentsBelow(directory: WorkspacePath, path: WorkspacePath): readonly string[] | undefined {
  if (directory !== ROOT && !isUnder(path, directory)) return undefined;
  if (relativePath(path) === "") return undefined;
  return segmentsOf(path).slice(segmentsOf(directory).length);
}
