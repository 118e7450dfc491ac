// Owns: `ctx.files`: the files of a call as a tool gets them. Whatever a tool hands over is checked here, once, since a tool in plain
// JavaScript has no compiler that would; so is whether it may write.
// Must never: decide who may see or reach what: the rules are asked below, of paths that are in canonical form by then.

import { say, type Shown } from "../errors.ts";
import { ROOT, type WorkspacePath } from "../path/index.ts";
import {
  contentIn,
  PIECE_KINDS,
  WRITE_OPTIONS,
  type DirectoryEntry,
  type FileInfo,
  type FileMove,
  type Files,
  type HunkBounds,
  type Obstacle,
  type PathPermission,
  type Workspace,
  type WriteOptions,
} from "../session/files/workspace.ts";
import type { ByteSource, FileContent, HunkList, Splice } from "../text/index.ts";
import {
  badOptions,
  checkArgument,
  checkNames,
  checkOptions,
  isOfKind,
  type OptionKinds,
} from "../text/options.ts";
import { Pacer } from "../text/steps.ts";
import { requirePath, type PathSettings } from "./known-path.ts";
import type { ToolWrites } from "./tool-writes.ts";

const ACCESS = ["read", "write"];
const HUNK_BOUNDS: OptionKinds<HunkBounds> = {
  context: "number",
  budget: "number",
  lineLength: "number",
  lines: "methods",
};

/** The files of one context. */
export class ToolFiles implements Files {
  readonly #files: Workspace;
  readonly #settings: PathSettings;
  readonly #writes: ToolWrites;
  /** The path that was checked last: most tools name one again and again. */
  #last = ROOT;

  constructor(files: Workspace, settings: PathSettings, writes: ToolWrites) {
    this.#files = files;
    this.#settings = settings;
    this.#writes = writes;
  }

  permission(path: WorkspacePath): PathPermission {
    this.#require(path);
    return this.#files.permission(path);
  }

  async stat(path: WorkspacePath): Promise<FileInfo | undefined> {
    this.#require(path);
    return this.#files.stat(path);
  }

  async isDirectory(path: WorkspacePath): Promise<boolean> {
    this.#require(path);
    return this.#files.isDirectory(path);
  }

  async obstacles(paths: readonly WorkspacePath[], removed: readonly WorkspacePath[]): Promise<Obstacle[]> {
    const pace = new Pacer();
    for (const list of [paths, removed]) {
      checkArgument(say`files.obstacles: what takes paths`, list, "array");
      for (const path of list) {
        this.#require(path);
        await pace.step();
      }
    }
    return this.#files.obstacles(paths, removed);
  }

  async list(directory: WorkspacePath, after?: string): Promise<Iterable<DirectoryEntry>> {
    this.#require(directory);
    if (after !== undefined) checkArgument(say`files.list: after`, after, "string");
    return this.#files.list(directory, after);
  }

  async under(directory: WorkspacePath, after?: WorkspacePath): Promise<Iterable<FileInfo>> {
    this.#require(directory);
    if (after !== undefined) requirePath(after);
    return this.#files.under(directory, after);
  }

  async subtree(directory: WorkspacePath, access: "read" | "write"): Promise<FileInfo[]> {
    this.#require(directory);
    checkNames(say`files.subtree: access`, [access], ACCESS);
    return this.#files.subtree(directory, access);
  }

  async open(path: WorkspacePath, access: "read" | "write" = "read"): Promise<ByteSource> {
    this.#require(path);
    checkNames(say`files.open: access`, [access], ACCESS);
    return this.#files.open(path, access);
  }

  async openFor<T>(path: WorkspacePath, use: (source: ByteSource) => Promise<T>): Promise<T> {
    this.#require(path);
    checkArgument(say`files.openFor: use`, use, "function");
    return this.#files.openFor(path, use);
  }

  async openTogether<T>(files: readonly FileInfo[], use: (source: ByteSource) => T | Promise<T>): Promise<T> {
    checkArgument(say`files.openTogether: files`, files, "array");
    checkArgument(say`files.openTogether: use`, use, "function");
    for (const file of files) {
      if (this.#files.hasListed(file)) continue;
      checkItem(say`files.openTogether: every item of files`, file);
      this.#require(file.path);
    }
    return this.#files.openTogether(files, use);
  }

  async read(path: WorkspacePath): Promise<Uint8Array> {
    this.#require(path);
    return this.#files.read(path);
  }

  async hunks(path: WorkspacePath, bounds?: HunkBounds): Promise<HunkList | undefined> {
    this.#require(path);
    checkOptions(say`files.hunks`, bounds, HUNK_BOUNDS);
    return this.#files.hunks(path, bounds);
  }

  create(path: WorkspacePath, content: FileContent, options?: WriteOptions): Promise<FileInfo> {
    return this.#writes.write("ctx.files.create", async () => {
      this.#requireNew(path);
      checkOptions(say`files.create`, options, WRITE_OPTIONS);
      return this.#files.create(path, contentFor(path, content), options);
    });
  }

  replace(path: WorkspacePath, content: FileContent, options?: WriteOptions): Promise<FileInfo> {
    return this.#writes.write("ctx.files.replace", async () => {
      this.#require(path);
      checkOptions(say`files.replace`, options, WRITE_OPTIONS);
      return this.#files.replace(path, contentFor(path, content), options);
    });
  }

  splice(path: WorkspacePath, splices: readonly Splice[], options?: WriteOptions): Promise<FileInfo> {
    return this.#writes.write("ctx.files.splice", async () => {
      this.#require(path);
      checkSplices(splices);
      checkOptions(say`files.splice`, options, WRITE_OPTIONS);
      return this.#files.splice(path, splices, options);
    });
  }

  append(path: WorkspacePath, content: FileContent, options?: WriteOptions): Promise<FileInfo> {
    return this.#writes.write("ctx.files.append", async () => {
      this.#require(path);
      checkOptions(say`files.append`, options, WRITE_OPTIONS);
      return this.#files.append(path, contentFor(path, content), options);
    });
  }

  move(from: WorkspacePath, to: WorkspacePath): Promise<FileInfo> {
    return this.#writes.write("ctx.files.move", async () => {
      this.#require(from);
      this.#requireNew(to);
      return this.#files.move(from, to);
    });
  }

  moveAll(moves: readonly FileMove[]): Promise<void> {
    return this.#writes.write("ctx.files.moveAll", async () => {
      checkArgument(say`files.moveAll: moves`, moves, "array");
      const pace = new Pacer();
      for (const move of moves) {
        checkItem(say`files.moveAll: every move`, move);
        this.#require(move.from);
        this.#requireNew(move.to);
        await pace.step();
      }
      return this.#files.moveAll(moves);
    });
  }

  copy(from: WorkspacePath, to: WorkspacePath): Promise<FileInfo> {
    return this.#writes.write("ctx.files.copy", async () => {
      this.#require(from);
      this.#requireNew(to);
      return this.#files.copy(from, to);
    });
  }

  remove(path: WorkspacePath): Promise<void> {
    return this.#writes.write("ctx.files.remove", async () => {
      this.#require(path);
      return this.#files.remove(path);
    });
  }

  #require(path: WorkspacePath): void {
    if (path === this.#last) return;
    requirePath(path);
    this.#last = path;
  }

  /** Where a file comes into being, what the host has settled for names holds too. */
  #requireNew(path: WorkspacePath): void {
    requirePath(path, this.#settings);
  }
}

function contentFor(path: WorkspacePath, content: unknown): FileContent {
  const taken = contentIn(content);
  if (taken === undefined) throw badOptions(say`${path}: the content must be ${PIECE_KINDS}`);
  return taken;
}

function checkItem(what: Shown, item: unknown): void {
  if (typeof item !== "object" || item === null) throw badOptions(say`${what} must be an object`);
}

function checkSplices(splices: readonly Splice[]): void {
  checkArgument(say`files.splice: splices`, splices, "array");
  const wrong = splices.findIndex((splice) => !isSplice(splice));
  if (wrong >= 0)
    throw badOptions(
      say`files.splice: splice ${wrong + 1} must have at and remove, whole numbers from 0 on, and insert, a Uint8Array`,
    );
}

function isSplice(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const { at, remove, insert } = value as Partial<Splice>;
  return isOfKind("number", at) && isOfKind("number", remove) && insert instanceof Uint8Array;
}
