// Owns: which records an undo means: named ones, the last change, an agent's last call, or all an agent did since a position.

import { echo, HoldfastError, say, type Shown } from "../errors.ts";
import { parsePath, type WorkspacePath } from "../path/index.ts";
import type { Journal, JournalRecord } from "../store/journal.ts";
import { badOptions } from "../text/options.ts";
import { Pacer } from "../text/steps.ts";
import type { FilesState } from "./files/file-state.ts";
import { FilesMeant } from "./files/files-meant.ts";
import { kindOf } from "./record-kinds.ts";
import { StandingRecords } from "./standing.ts";
import type { SessionState } from "./state.ts";
import type { SessionCore } from "./transact.ts";

/** How records are taken back. */
export interface UndoOptions {
  /** Only in the file at this path, or in those under it: there the records no longer stand, elsewhere they do. */
  readonly path?: string;
  /** Take back what can be, instead of nothing. */
  readonly partial?: boolean;
}

/** Which records to take back. */
export type UndoRequest = UndoOptions &
  (
    | { readonly record: number | readonly number[] }
    /** The last change that still stands, of any agent, of the host or from a work directory. What came from a folder is none. */
    | { readonly last: true }
    | { readonly lastCallOf: string }
    | { readonly agent: string; readonly since: number }
  );

/** Throws `invalid_argument` / `bad_options` where a request does not say which records it means, or says it twice. */
export function requireNamed(request: object): void {
  const { record, last, lastCallOf, agent, since } = request as Readonly<Partial<Record<string, unknown>>>;
  const ways = [record, last, lastCallOf, agent ?? since].filter((way) => way !== undefined);
  if (ways.length === 1 && last !== false && (agent === undefined) === (since === undefined)) return;
  throw badOptions(say`undo: send either record, or last: true, or lastCallOf, or agent and since`);
}

/** The records that are meant, newest first, and the part of the files if only that is. */
export interface ChosenRecords {
  readonly records: readonly JournalRecord[];
  /** Those of them that are pruned; none unless the request is `partial`. */
  readonly pruned: readonly JournalRecord[];
  readonly scope?: WorkspacePath;
}

const BATCH = 256;

/** Throws `not_found` / `nothing_to_undo` where there is none, `conflict` / `snapshot_expired` where one is pruned. */
export async function chooseRecords(
  core: SessionCore,
  now: SessionState,
  request: UndoRequest,
): Promise<ChosenRecords> {
  const { journal, slices, limits, names } = core;
  const scope =
    request.path === undefined
      ? undefined
      : parsePath(request.path, { kind: "any", allowRoot: true, limits, names });
  const records =
    "record" in request && request.record !== undefined
      ? await namedRecords(journal, now.at.seq, request.record)
      : await standingRecords(
          { journal, slices },
          now,
          request as Exclude<UndoRequest, { readonly record: unknown }>,
          scope,
        );
  const pruned = records.filter(({ changes }) => changes === undefined);
  const [newest] = pruned;
  const isAll = pruned.length === records.length;
  if (newest !== undefined && (request.partial !== true || isAll)) throw prunedRecords(newest.seq, isAll);
  return { records, pruned, ...(scope === undefined ? {} : { scope }) };
}

/** `newest` is the newest of them that is pruned. What is pruned is always the oldest. */
function prunedRecords(newest: number, isAll: boolean): HoldfastError {
  const advice: Shown = isAll ? say`` : say` Name later ones only, or set partial to undo what can be.`;
  return new HoldfastError(
    "conflict",
    "snapshot_expired",
    say`Nothing was undone: record ${newest} and all before it are pruned and cannot be undone.${advice}`,
  );
}

/** Records by their numbers, newest first. Throws `not_found` / `nothing_to_undo` where one cannot be undone. */
export async function namedRecords(
  journal: Journal,
  head: number,
  named: number | readonly number[],
): Promise<JournalRecord[]> {
  const seqs = new Set(typeof named === "number" ? [named] : named);
  if (seqs.size === 0) throw nothing(say`No record is named.`);
  const found: JournalRecord[] = [];
  for (const seq of [...seqs].toSorted((a, b) => b - a)) {
    const [record] = await journal.records({ after: seq - 1, upTo: seq, limit: 1 });
    if (record === undefined || record.seq !== seq || seq > head)
      throw nothing(say`There is no record ${seq}: the newest is ${head}.`);
    if (!kindOf(record).isUndoable) throw nothing(say`Record ${seq} changed nothing that could be undone.`);
    found.push(record);
  }
  return found;
}

/** What counts as the last change: a person takes back what was done in the session, not what a folder brought. */
const LAST_CHANGES: ReadonlySet<string> = new Set(["call", "import", "restore", "reset"]);

/** Changes that still stand, be it in a part: the last one, or all of an agent since a position. */
async function standingRecords(
  { journal, slices }: Pick<SessionCore, "journal" | "slices">,
  now: SessionState,
  request: Exclude<UndoRequest, { readonly record: unknown }>,
  scope: WorkspacePath | undefined,
): Promise<JournalRecord[]> {
  // An option that is there without a value is not given.
  const given = request as { readonly lastCallOf?: string; readonly agent?: string; readonly since?: number };
  const agent = given.agent ?? given.lastCallOf;
  const since = given.since ?? 0;
  const most = given.since === undefined ? 1 : Number.POSITIVE_INFINITY;
  const isWanted = (record: JournalRecord): boolean =>
    record.changes?.length !== 0 &&
    (agent === undefined ? LAST_CHANGES.has(record.kind) : kindOf(record).isWork && record.agent === agent);
  const pace = new Pacer();
  const files = now.slices.get("files") as FilesState;
  const meant = scope === undefined ? undefined : await FilesMeant.by(files, scope, pace);
  const standing = new StandingRecords(journal, slices, pace);
  const found: JournalRecord[] = [];
  for (let upTo = now.at.seq; upTo > since && found.length < most;) {
    const records = await journal.records({ after: since, upTo, newestFirst: true, limit: BATCH });
    for (const record of records) {
      upTo = record.seq - 1;
      if (isWanted(record) && (await standing.of(record, meant)) !== "nowhere") found.push(record);
      if (found.length >= most) break;
      await standing.note(record);
    }
    if (records.length < BATCH) break;
  }
  if (found.length === 0) {
    const where: Shown = scope === undefined ? say`` : say` at ${scope}`;
    const when: Shown = since === 0 ? say`` : say` after record ${since}`;
    const who: Shown = agent === undefined ? say`There is` : say`${echo(agent)} has made`;
    throw nothing(say`${who} no change${where}${when} that could be undone.`);
  }
  return found;
}

function nothing(message: Shown): HoldfastError {
  return new HoldfastError("not_found", "nothing_to_undo", message);
}
