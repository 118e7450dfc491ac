// Owns: what differs between two positions of a session, in words and hunks, within bounds.

import { echo, say, type Shown } from "../errors.ts";
import type { Limits } from "../limits.ts";
import type { WorkspacePath } from "../path/index.ts";
import type { Content, Journal, Position } from "../store/journal.ts";
import { isBlobLost } from "../store/lost-bytes.ts";
import { areTextHunks, hunksOfSteps, type HunkList } from "../text/index.ts";
import { EMPTY_CONTENT } from "./content.ts";
import { withContentDiff } from "./content-diff.ts";
import { fileChangesBetween } from "./files/files-slice.ts";
import type { FileEntry, FilesState } from "./files/file-state.ts";
import { Pacer, runPaced, type Steps } from "../text/steps.ts";
import { positionOf, type PositionRef } from "./position-ref.ts";
import { slicesOf, type Part } from "./restore.ts";
import type { SliceDiff } from "./slice.ts";
import type { SessionState } from "./state.ts";
import type { SessionCore } from "./transact.ts";

/** Which two positions to compare, and how much of each difference to show. */
export interface DiffRequest extends Part {
  /** The genesis when left out. */
  readonly from?: PositionRef;
  /** The present when left out. */
  readonly to?: PositionRef;
  /** Bytes of hunks in all; 32,000 unless told. */
  readonly budget?: number;
  /** Files that are listed; 1,000 unless told. */
  readonly limit?: number;
  /** Only files after this one, which differs too: the last one of the page before. */
  readonly after?: string;
  /** Only files that it returns true for; the others are neither listed nor counted. `ids` are those of the files at the path. */
  readonly only?: (path: WorkspacePath, ids: readonly string[]) => boolean;
  /** Ends the work early: it throws `conflict` / `aborted`. */
  readonly signal?: AbortSignal;
}

/** What a diff says of one side of a file. */
export interface FileSide {
  /** How many bytes it has. */
  readonly size_bytes: number;
  /** How often it had been written. */
  readonly version: number;
  /** Its text encoding; null for bytes. */
  readonly encoding: string | null;
  /** Whether it may be run as a program. */
  readonly executable: boolean;
}

/** What happened to one file between two positions. */
export interface FileDiff {
  /** The file. */
  readonly path: WorkspacePath;
  /** Whether the file came, went or changed. */
  readonly change: "added" | "removed" | "changed";
  /** The file at the earlier position; absent when it was not there. */
  readonly before?: FileSide;
  /** The file at the later position; absent when it is not there. */
  readonly after?: FileSide;
  /** The lines that differ; absent where they were not asked for, or are not text. */
  readonly hunks?: HunkList;
  /** Why there are no hunks. */
  readonly withoutHunks?: "binary" | "too_large" | "over_budget" | "damaged";
}

/** What differs between two positions of a session. */
export interface SessionDiff {
  /** The earlier position. */
  readonly from: Position;
  /** The later position. */
  readonly to: Position;
  /** Files that differ, by path. */
  readonly files: readonly FileDiff[];
  /** Files that differ and are not listed. */
  readonly moreFiles: number;
  /** Other slices that differ, by name, in their own words. */
  readonly slices: Readonly<Record<string, SliceDiff>>;
}

const BUDGET = 32_000;
const FILES = 1_000;

/** Cost: what differs, and rebuilding a position that is not at hand. */
export async function diffPositions(core: SessionCore, request: DiffRequest): Promise<SessionDiff> {
  const { timeline, journal } = core;
  const to =
    request.to === undefined ? await timeline.catchUp() : await timeline.past(positionOf(request.to));
  const from = await timeline.past(request.from === undefined ? journal.genesis : positionOf(request.from));
  return diffStates(core, from, to, request);
}

export async function diffStates(
  core: SessionCore,
  from: SessionState,
  to: SessionState,
  request: DiffRequest,
): Promise<SessionDiff> {
  const slices: Record<string, SliceDiff> = {};
  let files: { readonly files: readonly FileDiff[]; readonly moreFiles: number } = {
    files: [],
    moreFiles: 0,
  };
  for (const { slice, scope } of slicesOf(core, request)) {
    const [a, b] = [from.slices.get(slice.name), to.slices.get(slice.name)];
    if (slice.name === "files") {
      files = await diffFiles(core, a as FilesState, b as FilesState, scope, request);
      continue;
    }
    const steps: Steps<SliceDiff> | undefined = slice.diffSteps?.(a, b, scope);
    const diff = steps === undefined ? slice.diff(a, b, scope) : await runPaced(steps, request.signal);
    if (diff.added.length + diff.changed.length + diff.removed.length > 0) slices[slice.name] = diff;
  }
  return { from: from.at, to: to.at, ...files, slices };
}

async function diffFiles(
  { journal, limits }: SessionCore,
  from: FilesState,
  to: FilesState,
  scope: string | undefined,
  request: DiffRequest,
): Promise<{ files: FileDiff[]; moreFiles: number }> {
  const { budget = BUDGET, limit = FILES, signal, after: start, only } = request;
  const pace = new Pacer(signal);
  const files: FileDiff[] = [];
  let moreFiles = 0;
  let room = budget;
  let isBefore = start !== undefined;
  for (const differing of fileChangesBetween(from, to, scope)) {
    await pace.step();
    if (differing === undefined) continue;
    const { before, after } = differing;
    const path = (before ?? after)?.path;
    const ids = [before?.id, after?.id].filter((id) => id !== undefined);
    if (isBefore || path === undefined || only?.(path, ids) === false) {
      if (path === start) isBefore = false;
      continue;
    }
    if (files.length >= limit) {
      moreFiles++;
      continue;
    }
    const file = await diffFile(journal, limits, before, after, room, pace);
    if (file === undefined) continue;
    files.push(file);
    room -= sizeOf(file.hunks);
  }
  return { files, moreFiles };
}

/** Undefined when the two turn out to hold the same. */
async function diffFile(
  journal: Journal,
  limits: Pick<Limits, "diffBytes">,
  before: FileEntry | undefined,
  after: FileEntry | undefined,
  room: number,
  pace: Pacer,
): Promise<FileDiff | undefined> {
  const path = ((before ?? after) as FileEntry).path;
  const change = before === undefined ? "added" : after === undefined ? "removed" : "changed";
  const head: FileDiff = {
    path,
    change,
    ...(before === undefined ? {} : { before: sideOf(before) }),
    ...(after === undefined ? {} : { after: sideOf(after) }),
  };
  if (isBinary(before) || isBinary(after)) return { ...head, withoutHunks: "binary" };
  if (room <= 0) return { ...head, withoutHunks: "over_budget" };
  const [a, b]: Content[] = [before?.content ?? EMPTY_CONTENT, after?.content ?? EMPTY_CONTENT];
  return withContentDiff<FileDiff | undefined>(
    journal,
    a as Content,
    b as Content,
    limits.diffBytes,
    pace,
    async (diff) => {
      if (diff.splices === undefined) return { ...head, withoutHunks: "too_large" };
      if (
        diff.splices.length === 0 &&
        change === "changed" &&
        sideChanges(head.before, head.after).length === 0
      )
        return undefined;
      const hunks = await pace.run(hunksOfSteps(diff.before, diff.splices, { budget: room }));
      return areTextHunks(hunks) ? { ...head, hunks } : { ...head, withoutHunks: "binary" };
    },
  ).catch((error: unknown): FileDiff => {
    if (!isBlobLost(error)) throw error;
    return { ...head, withoutHunks: "damaged" };
  });
}

/** What differs in a file that is there on both sides, apart from its bytes, in words. */
export function sideChanges(before: FileSide | undefined, after: FileSide | undefined): Shown[] {
  if (before === undefined || after === undefined) return [];
  const words: Shown[] = [];
  if (before.executable !== after.executable)
    words.push(after.executable ? say`mode: executable` : say`mode: not executable`);
  if (before.encoding !== after.encoding)
    words.push(say`encoding: ${encodingInWords(before)} -> ${encodingInWords(after)}`);
  return words;
}

function encodingInWords({ encoding }: FileSide): Shown {
  if (encoding === null) return say`unknown`;
  return /^[\w.-]{1,40}$/.test(encoding) ? (encoding as Shown) : echo(encoding);
}

/** Why a file of a diff has no hunks, in words. */
export function withoutHunksWords(why: FileDiff["withoutHunks"]): Shown {
  if (why === "binary") return say`not text`;
  return why === "damaged" ? say`stored bytes missing or damaged` : say`too large to compare`;
}

function sideOf(entry: FileEntry): FileSide {
  const { content, version, encoding, executable } = entry;
  return { size_bytes: content.size, version, encoding, executable };
}

function isBinary(entry: FileEntry | undefined): boolean {
  return entry?.encoding === "binary";
}

function sizeOf(hunks: HunkList | undefined): number {
  let size = 0;
  for (const hunk of hunks?.hunks ?? []) for (const line of hunk.lines) size += line.bytes.length + 1;
  return size;
}
