// Owns: what the mounted folders hold, and the landing that is under way. It only goes forward: undo and restore never touch it.

import { HoldfastError, say } from "../../errors.ts";
import type { WorkspacePath } from "../../path/index.ts";
import type { BlobId, Change } from "../../store/journal.ts";
import { runNow, type Steps } from "../../text/steps.ts";
import { entryKey } from "../files/file-state.ts";
import { forwardSlice } from "../fixed-slice.ts";
import type { Slice } from "../slice.ts";
import { SortedMap } from "../sorted-map.ts";
import type { SessionState } from "../state.ts";
import { blobsOfFolderFile, withNumber, type FolderFile } from "./folder-file.ts";

/** What becomes of a folder's files: `files` are there from now on, those at `gone` are not. */
export interface FolderUpdate {
  readonly files: readonly FolderFile[];
  readonly gone: readonly WorkspacePath[];
}

/** A landing that was begun: what the folders held before and are to hold after it. */
export interface LandingIntent extends FolderUpdate {
  /** What is there before, at every path that it changes and that has a file. */
  readonly before: readonly FolderFile[];
  /** Landing requests that it settles. */
  readonly requests: readonly number[];
  /** The landing that this one takes back. */
  readonly reverts?: number;
}

export type FoldersChange = Change & { readonly slice: "folders" } & (
    | ({ readonly op: "hold"; /** All other files are forgotten. */ readonly anew: boolean } & FolderUpdate)
    | ({ readonly op: "intend" } & LandingIntent)
    /** The landing under way is over: the folders hold what it wrote, or again what they held before. */
    | { readonly op: "end"; readonly landing: number; readonly isLanded: boolean }
  );

/** Files in one change: applying it, and writing and reading it, holds nobody up. */
const FILES_PER_HOLD = 1_000;

/** What the folders hold from now on, as changes that are to be made one after another. `anew`: all other files are forgotten. */
export function* holdChanges(
  { files, gone }: FolderUpdate,
  anew: boolean,
): Generator<FoldersChange, void, undefined> {
  for (let at = 0; at === 0 || at < files.length; at += FILES_PER_HOLD) {
    const isFirst = at === 0;
    const part = files.slice(at, at + FILES_PER_HOLD);
    yield {
      slice: "folders",
      op: "hold",
      anew: anew && isFirst,
      files: part,
      gone: isFirst ? gone : [],
    };
  }
}

export interface FoldersState {
  /** By the keys of `FilesState.files`. */
  readonly files: SortedMap<FolderFile>;
  readonly pending?: LandingIntent & { readonly landing: number };
}

const EMPTY: FoldersState = Object.freeze({ files: SortedMap.empty<FolderFile>() });

export const foldersSlice: Slice<FoldersState, FoldersChange, FoldersState> = {
  ...forwardSlice<FoldersState, FoldersChange>({
    name: "folders",
    empty: EMPTY,
    apply(state, change, { at }) {
      switch (change.op) {
        case "hold":
          return { ...state, files: updated(change.anew ? EMPTY.files : state.files, change, at.seq) };
        case "intend": {
          const { before, files, gone, requests, reverts } = change;
          const taken = reverts === undefined ? {} : { reverts };
          return { ...state, pending: { landing: at.seq, before, files, gone, requests, ...taken } };
        }
        case "end": {
          const { pending } = state;
          if (pending?.landing !== change.landing) return state;
          return { files: change.isLanded ? landedFiles(state.files, pending) : state.files };
        }
      }
    },
    refuse(state, change) {
      const { pending } = state;
      const isFree = change.op === "end" ? pending?.landing === change.landing : pending === undefined;
      if (isFree) return [];
      const message = say`A landing is under way in this session: wait for it, or resume it`;
      return [{ key: "folders", code: "conflict", reason: "landing_pending", message }];
    },
  }),
  prepare: ({ files, pending }, change) =>
    change.op === "end" && change.isLanded && pending !== undefined && pending.landing === change.landing
      ? prepareLanded(files, pending)
      : undefined,
  *encode({ files, pending }) {
    yield lineOf(pending === undefined ? null : { ...pending, ...NO_LISTS });
    if (pending !== undefined) yield* listLines(pending);
    let batch: FolderFile[] = [];
    for (const [, file] of files.entries())
      if (batch.push(file) === FILES_PER_LINE) {
        yield lineOf(batch);
        batch = [];
      }
    if (batch.length > 0) yield lineOf(batch);
  },
  async decode(chunks) {
    const files: FolderFile[] = [];
    let pending: Pending | null | undefined;
    for await (const line of jsonLines(chunks))
      if (pending === undefined) pending = line as Pending | null;
      else if (pending !== null && isListLine(line))
        for (const item of line[1]) pending[line[0]].push(item as never);
      else files.push(...(line as FolderFile[]));
    const map = SortedMap.from(
      files.map(({ path }) => entryKey(path)),
      files,
    );
    return { files: map, ...(pending ? { pending } : {}) };
  },
  blobs: (change) => (change.op === "end" ? [] : blobsIn(change)),
  *held({ files, pending }) {
    for (const [, file] of files.entries()) yield* blobsOfFolderFile(file);
    if (pending !== undefined) yield* blobsIn(pending);
  },
};

/** So many files are a line of JSON in a checkpoint. */
const FILES_PER_LINE = 256;

const LISTS = ["before", "files", "gone"] as const;
const NO_LISTS = { before: [], files: [], gone: [] };

/** A landing under way while it is read: the items of its lists follow in lines of their own, each a pair [name, items]. */
type Pending = Omit<NonNullable<FoldersState["pending"]>, (typeof LISTS)[number]> & {
  readonly before: FolderFile[];
  readonly files: FolderFile[];
  readonly gone: WorkspacePath[];
};

function* listLines(pending: LandingIntent): Generator<Uint8Array, void, undefined> {
  for (const name of LISTS)
    for (let at = 0; at < pending[name].length; at += FILES_PER_LINE)
      yield lineOf([name, pending[name].slice(at, at + FILES_PER_LINE)]);
}

function isListLine(line: unknown): line is readonly [(typeof LISTS)[number], readonly unknown[]] {
  return Array.isArray(line) && typeof line[0] === "string";
}

function lineOf(value: unknown): Uint8Array {
  return new TextEncoder().encode(`${JSON.stringify(value)}\n`);
}

async function* jsonLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<unknown, void, undefined> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of chunks) {
    text += decoder.decode(chunk, { stream: true });
    const lines = text.split("\n");
    text = lines.pop() ?? "";
    for (const line of lines) yield JSON.parse(line);
  }
}

function updated(files: SortedMap<FolderFile>, update: FolderUpdate, seq: number): SortedMap<FolderFile> {
  if (files.size === 0) return allOf(update.files, seq);
  const numbered = { files: update.files.map((file) => withNumber(file, seq)), gone: update.gone };
  return runNow(updateSteps(files, numbered));
}

/** What the folders hold after an update. */
export function* updateSteps(
  files: SortedMap<FolderFile>,
  update: FolderUpdate,
): Steps<SortedMap<FolderFile>> {
  let next = files;
  for (const path of update.gone) {
    next = next.delete(entryKey(path));
    yield;
  }
  for (const file of update.files) {
    next = next.set(entryKey(file.path), file);
    yield;
  }
  return next;
}

/** What landings come to that were prepared, by the files before them. */
const prepared = new WeakMap<LandingIntent, { from: SortedMap<FolderFile>; to: SortedMap<FolderFile> }>();

function* prepareLanded(from: SortedMap<FolderFile>, pending: LandingIntent): Steps<void> {
  if (prepared.get(pending)?.from !== from)
    prepared.set(pending, { from, to: yield* updateSteps(from, pending) });
}

/** A landing's files have the numbers of older records only. */
function landedFiles(from: SortedMap<FolderFile>, pending: LandingIntent): SortedMap<FolderFile> {
  const ready = prepared.get(pending);
  return ready?.from === from ? ready.to : runNow(updateSteps(from, pending));
}

/** The same in one go, where nothing was held before. */
function allOf(files: readonly FolderFile[], seq: number): SortedMap<FolderFile> {
  const entries = files.map((file) => [entryKey(file.path), withNumber(file, seq)] as const);
  entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return SortedMap.from(
    entries.map(([key]) => key),
    entries.map(([, file]) => file),
  );
}

function blobsIn(change: FolderUpdate & { readonly before?: readonly FolderFile[] }): BlobId[] {
  return [...new Set([...change.files, ...(change.before ?? [])].flatMap(blobsOfFolderFile))];
}

/** What the folders hold, in a state. */
export function foldersIn(state: SessionState): FoldersState {
  const folders = state.slices.get(foldersSlice.name);
  if (folders === undefined)
    throw new HoldfastError("internal", "unexpected", say`A session without folders was asked for them.`);
  return folders as FoldersState;
}

export function folderFileAt({ files }: FoldersState, path: WorkspacePath): FolderFile | undefined {
  return files.get(entryKey(path));
}
