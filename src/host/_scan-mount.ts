// Owns: finding the files of one mount, and why others are not taken.
// Must never: open a file's content, hold more descriptors than the folder is deep, or look at entries without end.

import { closeSync, readFileSync, type BigIntStats } from "node:fs";
import { HoldfastError, say } from "../errors.ts";
import type { Limits } from "../limits.ts";
import { joinPath, ROOT, type NameAlphabet, type WorkspacePath, type Glob } from "../path/index.ts";
import { IgnoreRules } from "../path/ignore-rules.ts";
import { isStoreMark, STORE_MARK, STORE_MARK_BYTES } from "../store/mark.ts";
import type { Pacer } from "../text/steps.ts";
import { followLinks } from "./_follow-link.ts";
import { refusedAt } from "./_refusal.ts";
import { storeMounted, type ResolvedMount, type SkippedEntry, type SkipReason } from "./mount.ts";
import { isTemporaryName, PinnedDirectory } from "./pinned-directory.ts";

/** A file that is to be copied. */
export interface MountFile {
  readonly mount: ResolvedMount;
  readonly path: WorkspacePath;
  /** Below the mounted folder, for reports. */
  readonly shown: string;
  /** From the allowed root, links resolved. */
  readonly way: readonly string[];
  readonly name: string;
  readonly size: number;
}

export interface Scanned {
  readonly files: MountFile[];
  readonly skipped: SkippedEntry[];
}

export interface ScanRules {
  readonly limits: Limits;
  readonly names: NameAlphabet;
  readonly pace: Pacer;
  readonly progress: (file: MountFile, stat: BigIntStats) => void;
  /** Told of directories with one of ours in them, and of those that are not looked into; left out, ours are skipped entries. */
  readonly own?: (way: readonly string[]) => void;
  /** Told of entries that the rules of the mount leave out. */
  readonly leftOut?: (shown: readonly string[], isDirectory: boolean) => void;
}

/** A directory that is being looked at. */
interface Level {
  readonly directory: PinnedDirectory;
  /** Device and inode, to find loops. */
  readonly id: string;
  /** Sorted; those still to be looked at are from `next` on. */
  readonly names: readonly string[];
  next: number;
  /** Below the mounted folder, as the workspace will have it. */
  readonly shown: readonly string[];
  /** From the allowed root. */
  readonly way: readonly string[];
  readonly ignore: IgnoreRules;
}

const GITIGNORE_BYTES = 1 << 20;
const NEVER_TAKEN = ".holdfast";
const NOT_UTF8 = "\ufffd";

/** Files in path order. */
export async function scanMount(mount: ResolvedMount, rules: ScanRules): Promise<Scanned> {
  const scan = new Scan(mount, rules);
  try {
    return await scan.run();
  } finally {
    scan.close();
  }
}

class Scan {
  readonly #mount: ResolvedMount;
  readonly #rules: ScanRules;
  readonly #levels: Level[] = [];
  readonly #found: Scanned = { files: [], skipped: [] };
  #looked = 0;

  constructor(mount: ResolvedMount, rules: ScanRules) {
    this.#mount = mount;
    this.#rules = rules;
  }

  async run(): Promise<Scanned> {
    const { way, file } = this.#mount;
    const top = openTop(this.#mount);
    if (file === undefined) this.#push(top, [], way, IgnoreRules.NONE);
    else this.#levels.push({ ...levelOf(top, [], way), names: [file] });
    for (let level = this.#levels.at(-1); level !== undefined; level = this.#levels.at(-1)) {
      const name = level.names[level.next++];
      if (name === undefined) this.#levels.pop()?.directory.close();
      else {
        const shown = [...level.shown, name];
        this.#attempt(level, shown, () => this.#look(level, name, shown));
      }
      await this.#rules.pace.step();
    }
    return this.#found;
  }

  close(): void {
    for (const { directory } of this.#levels.splice(0)) directory.close();
  }

  #look(level: Level, name: string, shown: readonly string[]): void {
    const { limits } = this.#rules;
    if (++this.#looked > limits.mountEntries) throw tooManyEntries(this.#mount, limits.mountEntries);
    const stat = level.directory.stat(name);
    // Bytes that are not UTF-8 are not the name that the system knows.
    const isOdd = name.includes(NOT_UTF8) || name === NEVER_TAKEN;
    if ((stat === undefined && !isOdd) || isTemporaryName(name)) return;
    if (name === NEVER_TAKEN && this.#rules.own !== undefined) return this.#rules.own(level.way);
    const isDirectory = stat?.isDirectory() ?? false;
    if (this.#isLeftOut(level, shown, name, isDirectory)) {
      if (isDirectory) this.#rules.own?.([...level.way, name]);
      return this.#rules.leftOut?.(shown, isDirectory);
    }
    if (stat === undefined || isOdd) this.#skipOdd(shown, isDirectory);
    else if (stat.isSymbolicLink()) this.#followLink(level, name, shown);
    else if (stat.isDirectory()) this.#enter(level, name, shown);
    else this.#take(stat, shown, level.way, name);
  }

  #skipOdd(shown: readonly string[], isDirectory: boolean): void {
    if (isDirectory ? this.#mayHold(shown) : this.#isWanted(shown)) this.#skip(shown, "bad_name");
  }

  #isLeftOut(level: Level, shown: readonly string[], name: string, isDirectory: boolean): boolean {
    const { exclude } = this.#mount;
    const text = exclude.length === 0 ? "" : shown.join("/");
    if (exclude.some((glob) => glob.matchesRelative(text))) return true;
    if (!this.#mount.gitignore) return false;
    return name === ".git" || name === "node_modules" || level.ignore.ignores(shown, isDirectory);
  }

  /** Could the directory hold something that is wanted? */
  #mayHold(shown: readonly string[]): boolean {
    const { include } = this.#mount;
    const path = pathOf(ROOT, shown, this.#rules);
    return include.length === 0 || path === undefined || include.some((glob) => glob.mayMatchUnder(path));
  }

  #isWanted(shown: readonly string[]): boolean {
    const { include } = this.#mount;
    return include.length === 0 || include.some((glob) => glob.matchesRelative(shown.join("/")));
  }

  #enter(level: Level, name: string, shown: readonly string[]): void {
    const way = [...level.way, name];
    const isNamed = pathOf(this.#mount.to, shown, this.#rules) !== undefined;
    if (!isNamed || !this.#mayHold(shown)) this.#rules.own?.(way);
    if (!this.#mayHold(shown)) return;
    if (!isNamed) return this.#skip(shown, "bad_name");
    this.#push(level.directory.enter(name), shown, way, level.ignore);
  }

  /** A symbolic link: what it leads to, if that is wanted and allowed. */
  #followLink(level: Level, name: string, shown: readonly string[]): void {
    if (!this.#isWanted(shown) && !this.#mayHold(shown)) return;
    if (!this.#mount.followSymlinks) return this.#skip(shown, "symlink");
    const target = followLinks(this.#mount, [...level.way, name]);
    if (target === undefined) return this.#skip(shown, "symlink");
    const { directory, way } = target;
    if (target.name === undefined) return this.#enterTarget(level, directory, shown, way);
    const stat = directory.stat(target.name);
    directory.close();
    if (stat !== undefined) this.#take(stat, shown, way.slice(0, -1), target.name);
  }

  #enterTarget(
    level: Level,
    directory: PinnedDirectory,
    shown: readonly string[],
    way: readonly string[],
  ): void {
    const id = idOf(directory);
    const isLoop = this.#levels.some((above) => above.id === id);
    if (isLoop) this.#skip(shown, "symlink");
    if (isLoop || !this.#mayHold(shown)) directory.close();
    else this.#push(directory, shown, way, level.ignore);
  }

  #take(stat: BigIntStats, shown: readonly string[], way: readonly string[], name: string): void {
    if (!this.#isWanted(shown)) return;
    if (!stat.isFile()) return this.#skip(shown, "special_file");
    if (stat.nlink > 1n) return this.#skip(shown, "multiple_links");
    if (stat.size > BigInt(this.#rules.limits.fileBytes)) return this.#skip(shown, "too_large");
    const { to, file } = this.#mount;
    const path = file === undefined ? pathOf(to, shown, this.#rules) : to;
    if (path === undefined || path === ROOT) return this.#skip(shown, "bad_name");
    const found = { mount: this.#mount, path, shown: shown.join("/"), way, name, size: Number(stat.size) };
    this.#found.files.push(found);
    this.#rules.progress(found, stat);
  }

  #push(
    directory: PinnedDirectory,
    shown: readonly string[],
    way: readonly string[],
    above: IgnoreRules,
  ): void {
    try {
      const names = sortedNames(directory);
      if (isStore(directory, names)) throw storeMounted(this.#mount.number);
      const ignore = this.#mount.gitignore ? above.with(shown, readGitignore(directory)) : above;
      this.#levels.push({ ...levelOf(directory, shown, way), names, ignore });
    } catch (error) {
      directory.close();
      throw error;
    }
  }

  /** What the walk refuses is skipped with its reason; what is gone by now is not there. */
  #attempt({ way }: Level, shown: readonly string[], call: () => void): void {
    try {
      call();
    } catch (error) {
      const reason = skipReasonOf(error);
      if (reason !== undefined) this.#skip(shown, reason);
      if (reason === "store") this.#rules.own?.([...way, ...shown.slice(-1)]);
    }
  }

  #skip(shown: readonly string[], reason: SkipReason): void {
    this.#found.skipped.push({ path: shown.join("/"), reason });
  }
}

/**
 * Whether the rules of a mount leave a path out: its globs, and what `.gitignore` files name: those in the folder, or what `rulesIn`
 * gives for a directory instead.
 */
export function isLeftOut(
  mount: ResolvedMount,
  way: readonly string[],
  rulesIn: (directory: readonly string[]) => string | undefined = () => undefined,
): boolean {
  const text = way.join("/");
  const isMatched = (glob: Glob): boolean => glob.matchesRelative(text);
  if (mount.exclude.some(isMatched)) return true;
  if (mount.include.length > 0 && !mount.include.some(isMatched)) return true;
  if (!mount.gitignore) return false;
  let ignore = IgnoreRules.NONE;
  for (const [depth, name] of way.entries()) {
    const directory = way.slice(0, depth);
    ignore = ignore.with(directory, rulesIn(directory) ?? gitignoreIn(mount, directory));
    if (name === ".git" || name === "node_modules") return true;
    if (ignore.ignores(way.slice(0, depth + 1), depth < way.length - 1)) return true;
  }
  return false;
}

/** Empty where there is no such directory. */
function gitignoreIn(mount: ResolvedMount, way: readonly string[]): string {
  let directory: PinnedDirectory;
  try {
    directory = openWay(mount, [...mount.way, ...way]);
  } catch (error) {
    if (HoldfastError.is(error)) return "";
    throw error;
  }
  try {
    return readGitignore(directory);
  } finally {
    directory.close();
  }
}

/** Why a file or directory that was there could not be opened; undefined when it is gone. Throws what is no refusal. */
export function skipReasonOf(error: unknown): SkipReason | undefined {
  if (!HoldfastError.is(error)) throw error;
  switch (error.reason) {
    case "no_such_file":
      return undefined;
    case "symlink":
    case "special_file":
    case "multiple_links":
    case "too_large":
    case "bad_name":
    case "store":
      return error.reason;
    case "not_a_directory":
      return "changing";
    case "not_permitted":
    case "host_failed":
      return "unreadable";
    default:
      throw error;
  }
}

/** The mounted folder itself, or the one that the mounted file is in. */
export function openTop(mount: ResolvedMount): PinnedDirectory {
  try {
    return openWay(mount, mount.way);
  } catch (error) {
    if (!HoldfastError.is(error) || error.reason !== "no_such_file") throw refusedAt(mount.to, error);
    throw noSuchFolder(mount, error.cause);
  }
}

/** The folder of a mount is not at its place. */
export function noSuchFolder({ to }: ResolvedMount, cause?: unknown): HoldfastError {
  return new HoldfastError(
    "not_found",
    "no_such_folder",
    say`The folder that is mounted at ${to} does not exist any more. Put it back; opened without any mounts, the session can still be read and its files written elsewhere.`,
    { cause },
  );
}

/** The directory at the end of a way of real directories below the root of a mount. */
export function openWay({ root, pin }: ResolvedMount, way: readonly string[]): PinnedDirectory {
  return PinnedDirectory.openResolved(root, pin).into(way);
}

function levelOf(directory: PinnedDirectory, shown: readonly string[], way: readonly string[]): Level {
  return { directory, id: idOf(directory), names: [], next: 0, shown, way, ignore: IgnoreRules.NONE };
}

function idOf(directory: PinnedDirectory): string {
  const { dev, ino } = directory.self();
  return `${dev}:${ino}`;
}

function sortedNames(directory: PinnedDirectory): string[] {
  const names = Array.from(directory.list(), (entry) => entry.name);
  return names.sort((a, b) => (a < b ? -1 : 1));
}

/** git does without a .gitignore that it cannot read, too. */
function readGitignore(directory: PinnedDirectory): string {
  return smallText(directory, ".gitignore", GITIGNORE_BYTES);
}

/** Whether sessions are kept in a directory: their files are no part of a project, and hold what rules hide from agents. */
function isStore(directory: PinnedDirectory, names: readonly string[]): boolean {
  return names.includes(STORE_MARK) && isStoreMark(smallText(directory, STORE_MARK, STORE_MARK_BYTES));
}

/** Empty where it is no file, too large, or cannot be read. */
function smallText(directory: PinnedDirectory, name: string, maxBytes: number): string {
  if (directory.stat(name)?.isFile() !== true) return "";
  try {
    const { fd } = directory.openFile(name, { maxBytes, manyLinks: true });
    try {
      return readFileSync(fd, "utf8");
    } finally {
      closeSync(fd);
    }
  } catch {
    return "";
  }
}

function pathOf(
  directory: WorkspacePath,
  segments: readonly string[],
  { limits, names }: Pick<ScanRules, "limits" | "names">,
): WorkspacePath | undefined {
  try {
    return joinPath(directory, segments, { limits, names });
  } catch {
    return undefined;
  }
}

/** The directory of a session is mount 0. */
function tooManyEntries({ number }: ResolvedMount, most: number): HoldfastError {
  return new HoldfastError(
    "invalid_argument",
    "mount_too_large",
    number === 0
      ? say`The directory has more than ${most} entries. Remove some, or raise the limit mountEntries.`
      : say`Mount ${number} has more than ${most} entries. Mount a smaller folder, or leave folders out with exclude.`,
  );
}
