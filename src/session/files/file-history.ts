// Owns: what was done to one file, record by record, through moves, deletion and re-creation.

import type { Shown } from "../../errors.ts";
import type { WorkspacePath } from "../../path/index.ts";
import type { Change, Journal, JournalRecord } from "../../store/journal.ts";
import { tokenOf } from "../../store/token.ts";
import { Pacer, type Steps } from "../../text/steps.ts";
import { changesOf } from "../packed-changes.ts";
import type { FileChange, FileId } from "./file-change.ts";
import { fileKey } from "./file-keys.ts";

/** What one record did to a file. */
export interface FileStep {
  readonly record: StepRecord;
  readonly changes: readonly FileChange[];
}

/** Who made a record, when and how. A long history has very many of them, so no more of each is held. */
export interface StepRecord extends Pick<JournalRecord, "seq" | "time" | "kind" | "agent" | "role"> {
  readonly token: Shown;
  /** The tool that made it; of what the host did itself, the kind. */
  readonly tool: string;
}

export function stepRecord(record: JournalRecord): StepRecord {
  const { seq, time, kind, agent, role, tool = kind } = record;
  return { seq, token: tokenOf(record), time, kind, agent, role, tool };
}

/** Records are read so many at once. */
export const BATCH = 256;
/** Up to so many files, each one's records are asked for by its key; beyond, all records are gone through once. */
export const FILES_ASKED = 32;

/** The changes of one file among those of a record. */
export function changesOfFile(changes: readonly Change[], id: FileId): FileChange[] {
  return (changes as readonly FileChange[]).filter((change) => change.slice === "files" && change.id === id);
}

/** The changes of each file among those of a record; rewrites are left out. With `isAsked`, only those of files that it names. */
export function* changesByFile(
  changes: readonly Change[],
  isAsked: (id: FileId) => boolean = () => true,
): Steps<ReadonlyMap<FileId, readonly FileChange[]>> {
  const found = new Map<FileId, FileChange[]>();
  for (const change of changes as readonly FileChange[]) {
    if (change.slice === "files" && change.op !== "rewrite" && isAsked(change.id)) {
      const list = found.get(change.id);
      if (list === undefined) found.set(change.id, [change]);
      else list.push(change);
    }
    yield;
  }
  return found;
}

/** Changes that make up reverts in their place: what the state has seen, in order. */
export function plainChanges(changes: readonly FileChange[]): readonly FileChange[] {
  if (!changes.some(({ op }) => op === "revert")) return changes;
  return changes.flatMap((change) => (change.op === "revert" ? plainChanges(change.changes) : change));
}

/** The paths of files that changes of a record touch, each as often as it is. */
export function* pathsChanged(changes: readonly Change[]): Generator<WorkspacePath, void, undefined> {
  const ofFiles = (changes as readonly FileChange[]).filter((change) => change.slice === "files");
  for (const change of plainChanges(ofFiles)) {
    yield change.path as WorkspacePath;
    if (change.op === "move") yield change.to as WorkspacePath;
    if (change.op === "create" && change.from !== undefined) yield change.from as WorkspacePath;
  }
}

/** Where a file is after changes: a deleted one is where it was. */
export function pathAfter(changes: readonly FileChange[], path: string): string {
  let here = path;
  for (const change of plainChanges(changes)) here = change.op === "move" ? change.to : change.path;
  return here;
}

/** Where a file was before changes. */
export function pathBefore(changes: readonly FileChange[], path: string): string {
  const [first] = plainChanges(changes);
  if (first === undefined) return path;
  return first.op === "create" ? (first.from ?? first.path) : first.path;
}

/** A file at a record: the record is the first one asked for, `path` where the file was before it. */
export interface FileAt {
  readonly path: string;
  readonly from: number;
}

/** What was done to each file from a record on, up to `head`, oldest first. */
export async function laterSteps(
  journal: Journal,
  files: ReadonlyMap<FileId, FileAt>,
  head: number,
  pace: Pacer,
): Promise<ReadonlyMap<FileId, FileStep[]>> {
  const found = new Map<FileId, FileStep[]>();
  for (const id of files.keys()) found.set(id, []);
  if (files.size > FILES_ASKED) await goThrough(journal, files, head, pace, found);
  else for (const [id, at] of files) await follow(journal, id, at, head, pace, found.get(id) ?? []);
  return found;
}

/** Where files are last, deleted ones too. */
export async function lastPlaces(
  journal: Journal,
  files: ReadonlyMap<FileId, FileAt>,
): Promise<ReadonlyMap<FileId, WorkspacePath>> {
  const found = new Map<FileId, WorkspacePath>();
  if (files.size === 0) return found;
  const later = await laterSteps(journal, files, Number.MAX_SAFE_INTEGER, new Pacer());
  for (const [id, { path: first }] of files) {
    const steps = later.get(id) ?? [];
    found.set(id, steps.reduce((path, { changes }) => pathAfter(changes, path), first) as WorkspacePath);
  }
  return found;
}

async function goThrough(
  journal: Journal,
  files: ReadonlyMap<FileId, FileAt>,
  head: number,
  pace: Pacer,
  found: ReadonlyMap<FileId, FileStep[]>,
): Promise<void> {
  let after = Number.POSITIVE_INFINITY;
  for (const { from } of files.values()) after = Math.min(after, from - 1);
  while (after < head) {
    const records = await journal.records({ after, upTo: head, limit: BATCH });
    if (records.length === 0) return;
    for (const record of records) {
      after = record.seq;
      const isAsked = (id: FileId): boolean =>
        record.seq >= (files.get(id)?.from ?? Number.POSITIVE_INFINITY);
      const byFile = await pace.run(changesByFile(await changesOf(journal, record), isAsked));
      const told = stepRecord(record);
      for (const [id, changes] of byFile) found.get(id)?.push({ record: told, changes });
    }
  }
}

async function follow(
  journal: Journal,
  id: FileId,
  { path: start, from }: FileAt,
  head: number,
  pace: Pacer,
  steps: FileStep[],
): Promise<void> {
  let path = start;
  for (let after = from - 1; after < head;) {
    const key = fileKey(path as WorkspacePath);
    const records = await journal.records({ key, after, upTo: head, limit: BATCH });
    if (records.length === 0) return;
    for (const record of records) {
      after = record.seq;
      const changes = changesOfFile(await changesOf(journal, record), id);
      await pace.step();
      if (changes.length === 0) continue;
      steps.push({ record: stepRecord(record), changes });
      const next = pathAfter(changes, path);
      if (next === path) continue;
      path = next;
      break;
    }
  }
}

/**
 * What was done to a file up to a record, newest first; `path` is where the file is after it. Ends with a record without
 * changes where older ones are pruned.
 */
export async function* earlierSteps(
  journal: Journal,
  id: FileId,
  path: string,
  upTo: number,
): AsyncGenerator<{ readonly record: JournalRecord; readonly changes?: readonly FileChange[] }, void> {
  let here = path;
  for (let last = upTo; last > 0;) {
    const key = fileKey(here as WorkspacePath);
    const records = await journal.records({ key, upTo: last, newestFirst: true, limit: BATCH });
    if (records.length === 0) return;
    for (const record of records) {
      last = record.seq - 1;
      if (record.changes === undefined) {
        yield { record };
        return;
      }
      const changes = changesOfFile(await changesOf(journal, record), id);
      if (changes.length === 0) continue;
      yield { record, changes };
      const before = pathBefore(changes, here);
      if (before === here) continue;
      here = before;
      break;
    }
  }
}
