// Owns: who brought in each line of a file. Bytes are followed back through the splices of the file's records; what an undo
// or a restore brought back is looked up by where it is stored, so that it stays the work of whoever wrote it.

import { HoldfastError, say } from "../errors.ts";
import type { Limits } from "../limits.ts";
import { parsePath, type WorkspacePath } from "../path/index.ts";
import type { Content, Extent, Journal, JournalRecord, Position } from "../store/journal.ts";
import { tokenOf } from "../store/token.ts";
import { EXTENTS, linesOf } from "../text/index.ts";
import { withContentDiff } from "./content-diff.ts";
import type { FileChange } from "./files/file-change.ts";
import { fileKey } from "./files/file-keys.ts";
import { fileAt, type FilesState } from "./files/file-state.ts";
import { Pacer } from "../text/steps.ts";
import { Origins, type Span } from "./origins.ts";
import { changesOf } from "./packed-changes.ts";
import { positionOf, type PositionRef } from "./position-ref.ts";
import type { SessionState } from "./state.ts";
import type { Book } from "./transact.ts";

export interface BlameRequest {
  readonly path: string;
  /** The present when left out. */
  readonly at?: PositionRef;
  /** First line, from 1. */
  readonly offset?: number;
  /** Lines to answer for; all when left out. */
  readonly limit?: number;
  readonly signal?: AbortSignal;
}

/** Lines next to each other that one record brought in. */
export interface BlameRun {
  readonly first: number;
  readonly last: number;
  /** Absent when only pruned records could say. */
  readonly by?: {
    readonly record: number;
    readonly token: string;
    readonly agent: string;
    readonly role: string;
    /** The tool, or the kind of the record when no tool made it. */
    readonly tool: string;
    readonly time: Date;
  };
  /** The lines were there before this record. */
  readonly before?: number;
}

export interface Blame {
  readonly path: WorkspacePath;
  readonly at: Position;
  readonly runs: readonly BlameRun[];
}

const BATCH = 64;
/** Kinds of records that bring back what somebody else wrote. */
const BROUGHT_BACK: ReadonlySet<string> = new Set(["undo", "restore"]);

export async function blame(book: Book, request: BlameRequest): Promise<Blame> {
  const { timeline, names, limits } = book;
  const path = parsePath(request.path, { kind: "file", names, limits });
  const state = request.at === undefined ? timeline.state : await timeline.past(positionOf(request.at));
  return blameState(book, state, path, request);
}

export async function blameState(
  { journal, limits }: Pick<Book, "journal" | "limits">,
  state: SessionState,
  path: WorkspacePath,
  range: Pick<BlameRequest, "offset" | "limit" | "signal">,
): Promise<Blame> {
  const entry = fileAt(state.slices.get("files") as FilesState, path);
  if (entry === undefined)
    throw new HoldfastError("not_found", "no_such_file", say`${path} does not exist there.`);
  if (entry.content.size > limits.blameBytes)
    throw new HoldfastError(
      "invalid_argument",
      "too_large",
      say`${path} has ${entry.content.size} bytes; lines of files up to ${limits.blameBytes} bytes can be blamed.`,
    );
  const pace = new Pacer(range.signal);
  const origins = await originsOf(journal, limits, path, entry.content.size, state.at.seq, pace);
  return { path, at: state.at, runs: await runsOf(journal, entry.content, origins, range, pace) };
}

/** Follows the file's bytes back, record by record, until each has an origin. */
async function originsOf(
  journal: Journal,
  limits: Limits,
  path: WorkspacePath,
  size: number,
  head: number,
  pace: Pacer,
): Promise<Origins> {
  const origins = new Origins(size);
  for (let upTo = head; ;) {
    const records = await journal.records({ key: fileKey(path), upTo, newestFirst: true, limit: BATCH });
    for (const record of records) {
      if (origins.isComplete) return origins;
      if (record.changes === undefined) {
        origins.rest({ before: record.seq + 1 });
        return origins;
      }
      const changes = (await changesOf(journal, record)) as readonly FileChange[];
      for (const change of changes.toReversed())
        if (change.slice === "files" && change.path === path)
          await stepBack(journal, limits, origins, record, change, pace);
      await pace.step();
    }
    const last = records.at(-1);
    if (last === undefined || records.length < BATCH) break;
    upTo = last.seq - 1;
  }
  origins.rest({ before: 1 });
  return origins;
}

async function stepBack(
  journal: Journal,
  limits: Limits,
  origins: Origins,
  record: JournalRecord,
  change: FileChange,
  pace: Pacer,
): Promise<void> {
  if (change.op === "delete" || change.op === "move" || change.op === "rewrite") return;
  const back = BROUGHT_BACK.has(record.kind);
  const whole = (content: Content): Span[] => [{ at: 0, remove: 0, insert: content.size }];
  if (change.op === "splice") {
    const spans = change.splices.map(({ at, remove, insert }) => ({
      at,
      remove,
      insert: EXTENTS.length(insert),
    }));
    const stored = change.splices.map((splice) => splice.insert);
    origins.stepBack(spans, stored, back ? undefined : record);
    return;
  }
  const after = change.op === "create" ? change.body.content : change.after.content;
  if (change.op === "create" || back) {
    origins.stepBack(whole(after), [after.extents], back ? undefined : record);
    return;
  }
  // An overwrite: lines that it left as they were are older.
  const { content } = change.before;
  await withContentDiff(journal, content, after, limits.diffBytes, pace, async ({ splices }) => {
    const spans =
      splices === undefined
        ? [{ at: 0, remove: content.size, insert: after.size }]
        : splices.map(({ at, remove, insert }) => ({ at, remove, insert: insert.length }));
    origins.stepBack(spans, storedIn(after, spans), record);
  });
}

/** The extents of `content` that each span inserted. */
function storedIn(content: Content, spans: readonly Span[]): Extent[][] {
  let shift = 0;
  const ranges = spans.map(({ at, remove, insert }) => {
    const from = at + shift;
    shift += insert - remove;
    return [from, from + insert] as const;
  });
  return ranges.map(([from, to]) => {
    const found: Extent[] = [];
    let at = 0;
    for (const [blob, start, length] of content.extents) {
      const low = Math.max(from, at);
      const high = Math.min(to, at + length);
      if (low < high) found.push([blob, start + low - at, high - low]);
      at += length;
    }
    return found;
  });
}

async function runsOf(
  journal: Journal,
  content: Content,
  origins: Origins,
  { offset = 1, limit = Number.POSITIVE_INFINITY }: Pick<BlameRequest, "offset" | "limit">,
  pace: Pacer,
): Promise<BlameRun[]> {
  const runs: { first: number; last: number; origin: ReturnType<Origins["newestIn"]> }[] = [];
  const source = await journal.source(content);
  try {
    for (const line of linesOf(source)) {
      if (line.number >= offset + limit) break;
      const origin = origins.newestIn(line.start, line.next);
      const last = runs.at(-1);
      if (line.number < offset) continue;
      if (last !== undefined && last.origin === origin) last.last = line.number;
      else runs.push({ first: line.number, last: line.number, origin });
      await pace.step();
    }
  } finally {
    source.close();
  }
  return runs.map(({ first, last, origin }) => ({ first, last, ...shown(origin) }));
}

function shown(origin: ReturnType<Origins["newestIn"]>): Pick<BlameRun, "by" | "before"> {
  if ("before" in origin) return { before: origin.before };
  const { seq, agent, role, tool, kind, time } = origin;
  return { by: { record: seq, token: tokenOf(origin), agent, role, tool: tool ?? kind, time } };
}
