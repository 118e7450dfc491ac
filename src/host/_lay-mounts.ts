// Owns: which file of several mounts is taken where they overlap, and what is too large to be copied.

import { HoldfastError, echo, say, sayAll, type Shown } from "../errors.ts";
import { comparePaths, foldText, segmentsOf } from "../path/index.ts";
import { sortedSteps } from "../text/sort-steps.ts";
import type { Steps } from "../text/steps.ts";
import type { MountFile, Scanned } from "./_scan-mount.ts";
import type { ResolvedMount, SkipReason } from "./mount.ts";

/** A name that is taken: as it is spelt, and whether it is a file. */
interface Taken {
  readonly name: string;
  readonly isFile: boolean;
}

/**
 * Lays mounts one over another, the last on top. Returns what is seen from above, in path order; what clashes is skipped: in one
 * mount a file that is known has its name before one that is not, else the first has.
 */
export function* layMountsSteps(
  scans: readonly Scanned[],
  isKnown: (file: MountFile) => boolean = () => true,
): Steps<MountFile[]> {
  const taken = new Map<string, Taken>();
  const seen: MountFile[] = [];
  for (const { files, skipped } of scans.toReversed()) {
    const others: MountFile[] = [];
    const lay = (file: MountFile): void => {
      const clash = clashOf(taken, file);
      if (clash === undefined) {
        take(taken, file);
        seen.push(file);
      } else if (clash !== "covered") skipped.push({ path: file.shown, reason: clash });
    };
    for (const file of files) {
      if (isKnown(file)) lay(file);
      else others.push(file);
      yield;
    }
    for (const file of others) {
      lay(file);
      yield;
    }
  }
  return yield* sortedSteps(seen, (a, b) => comparePaths(a.path, b.path));
}

function clashOf(taken: ReadonlyMap<string, Taken>, { path }: MountFile): SkipReason | "covered" | undefined {
  const segments = segmentsOf(path);
  let folded = "";
  for (const [i, name] of segments.entries()) {
    folded += `/${foldText(name)}`;
    const there = taken.get(folded);
    if (there === undefined) return undefined;
    if (there.name !== name) return "case_clash";
    const isLast = i === segments.length - 1;
    if (there.isFile !== isLast) return "path_clash";
  }
  return "covered";
}

function take(taken: Map<string, Taken>, { path }: MountFile): void {
  const segments = segmentsOf(path);
  let folded = "";
  for (const [i, name] of segments.entries()) {
    folded += `/${foldText(name)}`;
    taken.set(folded, { name, isFile: i === segments.length - 1 });
  }
}

export interface MountBounds {
  /** Files and bytes that the session has room for. */
  readonly files: number;
  readonly bytes: number;
}

/** Throws `invalid_argument` / `mount_too_large` when files are too many or too large, naming the largest folders. */
export function checkBounds(
  files: readonly MountFile[],
  mounts: readonly ResolvedMount[],
  bounds: MountBounds,
): void {
  for (const mount of mounts) {
    const own = files.filter((file) => file.mount === mount);
    const size = bytesOf(own);
    if (size > mount.maxBytes)
      throw tooLarge(
        say`Mount ${mount.number} has ${size} bytes; at most ${mount.maxBytes} are allowed.`,
        own,
      );
  }
  if (files.length > bounds.files)
    throw tooLarge(
      say`The mounts have ${files.length} files; the session has room for ${bounds.files}.`,
      files,
    );
  const size = bytesOf(files);
  if (size > bounds.bytes)
    throw tooLarge(say`The mounts have ${size} bytes; the session has room for ${bounds.bytes}.`, files);
}

function bytesOf(files: readonly MountFile[]): number {
  return files.reduce((sum, { size }) => sum + size, 0);
}

function tooLarge(what: Shown, files: readonly MountFile[]): HoldfastError {
  const folders = largestFolders(files);
  const named = folders.map(({ name, files, bytes }) => say`${echo(name)} (${files} files, ${bytes} bytes)`);
  const where = named.length === 0 ? say`` : say` The largest folders: ${sayAll(named)}.`;
  return new HoldfastError(
    "invalid_argument",
    "mount_too_large",
    say`${what}${where} Leave folders out (exclude, or a .gitignore where that is obeyed), or raise the limit. Nothing was copied.`,
    {
      data: { folders: folders.map(({ name, files, bytes }) => ({ name: echo(name), files, bytes })) },
    },
  );
}

const NAMED = 5;

interface FolderSize {
  readonly name: string;
  files: number;
  bytes: number;
}

/** The folders that hold most, each as deep as most of it lies in one folder. */
function largestFolders(files: readonly MountFile[]): FolderSize[] {
  const sizes = new Map<string, FolderSize>();
  for (const { shown, size } of files)
    for (let at = shown.indexOf("/"); at >= 0; at = shown.indexOf("/", at + 1)) {
      const name = shown.slice(0, at);
      const folder = sizes.get(name) ?? { name, files: 0, bytes: 0 };
      folder.files++;
      folder.bytes += size;
      sizes.set(name, folder);
    }
  const heavier = (a: FolderSize, b: FolderSize): number => b.bytes - a.bytes || b.files - a.files;
  const deepest = (top: FolderSize): FolderSize => {
    for (let here = top; ;) {
      const inside = [...sizes.values()].filter(({ name }) => isChild(here.name, name)).sort(heavier)[0];
      if (inside === undefined || inside.bytes * 2 <= here.bytes || inside.files * 2 <= here.files)
        return here;
      here = inside;
    }
  };
  const tops = [...sizes.values()].filter(({ name }) => !name.includes("/"));
  return tops.sort(heavier).slice(0, NAMED).map(deepest);
}

function isChild(folder: string, name: string): boolean {
  return name.startsWith(`${folder}/`) && !name.includes("/", folder.length + 1);
}
