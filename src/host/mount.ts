// Owns: what a host may ask to be mounted, and what it means: which folder, allowed or not, to which place.
// Must never: put a host path into an error. A mount is named by its number.

import { readFileSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, sep } from "node:path";
import { HoldfastError, say } from "../errors.ts";
import type { Limits } from "../limits.ts";
import {
  compileGlob,
  isUnder,
  joinPath,
  parsePath,
  ROOT,
  type Glob,
  type NameAlphabet,
  type WorkspacePath,
} from "../path/index.ts";
import { isStoreMark, STORE_MARK, STORE_MARK_BYTES } from "../store/mark.ts";
import type { Json } from "../value.ts";
import { asked } from "./_refusal.ts";
import type { PinOptions } from "./pinned-directory.ts";

/** A folder or file of the host to copy into the session when it is opened. */
export interface Mount {
  /** A folder or a file. Symbolic links in this path are resolved before it is compared with the allowed roots. */
  readonly from: string;
  /** Where its files go; left out: the path below the allowed root, or the folder's name where it is the root. */
  readonly to?: string;
  /** Globs of files to take, relative to `from`; all when left out. */
  readonly include?: readonly string[];
  /** Globs of files and directories to leave out. Wins over `include`. */
  readonly exclude?: readonly string[];
  /** The most bytes all files may have together. Above it the mount is refused before anything is copied. */
  readonly maxBytes?: number;
  /** Follow symbolic links that stay in the allowed root. */
  readonly followSymlinks?: boolean;
  /** Refuse the mount when an entry cannot be taken in, instead of listing it. */
  readonly strict?: boolean;
  /** Leave out `.git`, `node_modules` and what `.gitignore` files name. */
  readonly gitignore?: boolean;
  /**
   * Work in the folder itself: a write is in the folder when its call returns, and what people change there is imported before the
   * next call looks. Replaced files lose their owner, ACLs and extended attributes; mode bits stay.
   */
  readonly live?: boolean;
}

/** Why an entry was not taken in (HOST-24). */
export type SkipReason =
  | "symlink"
  | "special_file"
  | "multiple_links"
  | "too_large"
  | "bad_name"
  | "case_clash"
  | "path_clash"
  | "unreadable"
  | "changing"
  | "store";

/** An entry that was wanted and could not be taken in. */
export interface SkippedEntry {
  /** Below the mounted folder. */
  readonly path: string;
  /** Why it was left out. */
  readonly reason: SkipReason;
}

/** What became of one mount. */
export interface MountReport {
  /** Where its files are, or the file itself. */
  readonly to: WorkspacePath;
  /** Files taken in; those that a later mount covers are not counted. */
  readonly files: number;
  /** Bytes of these files. */
  readonly bytes: number;
  /** The first 200 entries that could not be taken in. */
  readonly skipped: readonly SkippedEntry[];
  /** How many there are. */
  readonly skippedCount: number;
}

/** How far mounting is: first all folders are scanned, then all files are copied. */
export interface MountProgress {
  /** Which of the two is under way. */
  readonly phase: "scan" | "copy";
  /** Files found, or copied, so far. */
  readonly files: number;
  /** Bytes of these files. */
  readonly bytes: number;
  /** How many files there are: known while copying. */
  readonly totalFiles?: number;
  /** How many bytes there are: known while copying. */
  readonly totalBytes?: number;
}

/** A mount that is allowed. */
export interface ResolvedMount {
  readonly number: number;
  /** The allowed root, without symbolic links. */
  readonly root: string;
  /** From the root to the folder, or to the folder that the file is in. */
  readonly way: readonly string[];
  /** The single file that is mounted. */
  readonly file?: string;
  /** Where the folder, or the file, goes. */
  readonly to: WorkspacePath;
  readonly include: readonly Glob[];
  readonly exclude: readonly Glob[];
  readonly maxBytes: number;
  readonly followSymlinks: boolean;
  readonly strict: boolean;
  readonly gitignore: boolean;
  readonly live: boolean;
  /** How its directories are held. */
  readonly pin: PinOptions;
  /** What tells this mount from another, to compare with those the session has. */
  readonly description: Json;
}

export interface ResolveOptions {
  /** Folders that mounts may come from; each mount's own folder when left out. */
  readonly mountRoots?: readonly string[] | undefined;
  readonly limits: Limits;
  readonly names: NameAlphabet;
  readonly pin?: PinOptions;
}

/**
 * Reads mounts and checks that they are allowed. Touches the disk only to resolve their paths. Throws `forbidden` / `mount_not_allowed`,
 * `not_found` / `no_such_folder`, or `invalid_argument` for globs and paths.
 */
export function resolveMounts(mounts: readonly Mount[], options: ResolveOptions): ResolvedMount[] {
  const roots = options.mountRoots?.map((root) => realPath(root) ?? root);
  const resolved = mounts.map((mount, index) => resolveMount(mount, index + 1, roots, options));
  for (const { number, to, live } of resolved)
    if (live && resolved.some((other) => other.number !== number && isOver(other.to, to)))
      throw badMount(
        number,
        say`a live folder shares its place with no other mount. Give them places apart with \`to\`.`,
      );
  return resolved;
}

function isOver(a: WorkspacePath, b: WorkspacePath): boolean {
  return isUnder(a, b) || isUnder(b, a);
}

function resolveMount(
  mount: Mount,
  number: number,
  roots: readonly string[] | undefined,
  { limits, names, pin = {} }: ResolveOptions,
): ResolvedMount {
  const { from, include = [], exclude = [], maxBytes = Number.MAX_SAFE_INTEGER } = mount;
  if (typeof from !== "string" || from === "" || from.includes("\0"))
    throw badMount(number, say`\`from\` must be the path of a folder or file.`);
  if (!Number.isSafeInteger(maxBytes) || maxBytes < 0)
    throw badMount(number, say`maxBytes must be a whole number of bytes.`);
  const real = realPath(from);
  const allowed =
    roots === undefined ? real : roots.find((root) => real !== undefined && isBelow(root, real));
  // A folder outside the roots is refused alike whether it exists or not.
  if (allowed === undefined && roots !== undefined) throw notAllowed(number);
  if (real === undefined || allowed === undefined) throw noFolder(number);
  if (isInStore(real)) throw storeMounted(number);
  const isFile = isFileAt(real, number);
  const root = isFile && allowed === real ? dirname(real) : allowed;
  const segments = relative(root, real)
    .split(sep)
    .filter((segment) => segment !== "");
  const file = isFile ? segments.pop() : undefined;
  const home = segments.length === 0 && file === undefined ? [basename(real)] : segments;
  const live = mount.live ?? false;
  if (live && (isFile || mount.followSymlinks === true))
    throw badMount(number, say`only a folder can be live, and no symbolic link in it is followed.`);
  const at = { limits, names };
  const to =
    mount.to === undefined
      ? placeFor(number, [...home, ...(file === undefined ? [] : [file])], at)
      : placeAt(mount.to, file, at);
  return {
    number,
    root,
    way: segments,
    ...(file === undefined ? {} : { file }),
    to,
    include: include.map((glob) => compileGlob(glob, { limits })),
    exclude: (live ? [...exclude, ...OURS] : exclude).map((glob) => compileGlob(glob, { limits })),
    maxBytes,
    followSymlinks: mount.followSymlinks ?? false,
    strict: mount.strict ?? false,
    gitignore: mount.gitignore ?? false,
    live,
    pin,
    description: { ...(JSON.parse(JSON.stringify(mount)) as { [name: string]: Json }), from: real, to },
  };
}

/** What a live folder holds of ours. */
const OURS = [".holdfast", "**/.holdfast"];

type PathParsing = Pick<ResolveOptions, "limits" | "names">;

function isFileAt(path: string, number: number): boolean {
  const stat = asked(() => statSync(path));
  if (!stat.isFile() && !stat.isDirectory())
    throw new HoldfastError(
      "forbidden",
      "special_file",
      say`Mount ${number}: this is a pipe, device or socket. Only folders and regular files are mounted.`,
    );
  return stat.isFile();
}

/** Whether sessions are kept in a directory at or above this path. */
function isInStore(path: string): boolean {
  for (let here = path; ; here = dirname(here)) {
    if (hasStoreMark(here)) return true;
    if (here === dirname(here)) return false;
  }
}

/** False also where it cannot be told. */
function hasStoreMark(directory: string): boolean {
  const mark = join(directory, STORE_MARK);
  try {
    const stat = statSync(mark);
    return stat.isFile() && stat.size <= STORE_MARK_BYTES && isStoreMark(readFileSync(mark, "utf8"));
  } catch {
    return false;
  }
}

/** The refusal of a directory in which sessions are kept. */
export function storeMounted(number: number): HoldfastError {
  return new HoldfastError(
    "forbidden",
    "store",
    say`Mount ${number} is, or lies in, a directory in which sessions are kept. Mount another folder.`,
  );
}

function placeFor(number: number, segments: readonly string[], rules: PathParsing): WorkspacePath {
  try {
    return joinPath(ROOT, segments, rules);
  } catch {
    throw badMount(
      number,
      say`the folder's own name cannot be a workspace path. Say where it goes with \`to\`.`,
    );
  }
}

function placeAt(to: string, file: string | undefined, rules: PathParsing): WorkspacePath {
  const place = parsePath(to, { kind: "any", allowRoot: true, ...rules });
  const isDirectory = file !== undefined && (place === ROOT || to.endsWith("/"));
  return isDirectory ? joinPath(place, file, rules) : place;
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

/** Is the path the root or in it? Whole components count. */
export function isBelow(root: string, path: string): boolean {
  const way = relative(root, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

function badMount(number: number, why: ReturnType<typeof say>): HoldfastError {
  return new HoldfastError("invalid_argument", "bad_mount", say`Mount ${number}: ${why}`);
}

function notAllowed(number: number): HoldfastError {
  return new HoldfastError(
    "forbidden",
    "mount_not_allowed",
    say`Mount ${number} does not lie in a folder that mounts may come from. Add its folder to mountRoots, or mount another one.`,
  );
}

function noFolder(number: number): HoldfastError {
  return new HoldfastError(
    "not_found",
    "no_such_folder",
    say`Mount ${number}: there is no such folder or file. Check \`from\`.`,
  );
}
