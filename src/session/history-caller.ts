// Owns: for whom an undo or a restore is made when that is not the host, and what such a caller may not be told.

import { echo, HoldfastError, say } from "../errors.ts";
import type { WorkspacePath } from "../path/index.ts";
import type { JournalRecord } from "../store/journal.ts";
import { pathNamedBy } from "./files/file-keys.ts";
import type { Refusal } from "./slice.ts";
import type { TextJudge } from "./text-judge.ts";

/** An agent that changes history, and what the host lets it do. */
export interface HistoryCaller {
  readonly agent: string;
  /** It may take back the work of others too. */
  readonly mayUndoAll: boolean;
  /** Ends the work early. */
  readonly signal: AbortSignal;
  /** Judges what an undo leaves. */
  readonly judge: TextJudge;
  permission(path: WorkspacePath): { readonly read: boolean; readonly write: boolean };
}

/** Whether a record is of another than the caller, and not the caller's to take back. */
export function isOthers(caller: HistoryCaller | undefined, { agent }: JournalRecord): boolean {
  return caller !== undefined && !caller.mayUndoAll && agent !== caller.agent;
}

/** Throws `forbidden` / `others_work` for the first record that is not the caller's. */
export function requireOwnRecords(
  caller: HistoryCaller | undefined,
  records: readonly JournalRecord[],
): void {
  const other = records.find((record) => isOthers(caller, record));
  if (other === undefined) return;
  throw new HoldfastError(
    "forbidden",
    "others_work",
    say`Record ${other.seq} is the work of ${echo(other.agent)}. You can undo your own; ask the host to undo others'.`,
  );
}

/** Throws `forbidden` / `path_denied` where a refusal is about a file that is closed to the caller: it would name the file. */
export function requireTellable(caller: HistoryCaller | undefined, refusals: readonly Refusal[]): void {
  if (!refusals.every((refusal) => isTellable(caller, refusal))) throw closedToAgents();
}

/** Whether a refusal names no file that is closed to the caller. */
export function isTellable(caller: HistoryCaller | undefined, { key, by }: Refusal): boolean {
  if (caller === undefined) return true;
  const path = pathNamedBy(key);
  if (path !== undefined && !caller.permission(path).write) return false;
  return by === undefined || caller.permission(by).read;
}

/** The refusal of a change of files that are closed, without naming them. */
export function closedToAgents(): HoldfastError {
  return new HoldfastError(
    "forbidden",
    "path_denied",
    say`This would change files that a rule of the host closes to agents. Name a path without them, or ask the host.`,
  );
}
