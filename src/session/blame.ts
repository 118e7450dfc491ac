// Owns: who brought in each line of a file: the records that inserted its visible runs.

import { HoldfastError, say } from "../errors.ts";
import { parsePath, type WorkspacePath } from "../path/index.ts";
import type { Content, Journal, Position } from "../store/journal.ts";
import { linesOf } from "../text/index.ts";
import { Pacer } from "../text/steps.ts";
import { blameSteps, type BlamedRun } from "../text/weave-text.ts";
import { isTooManyRuns } from "../text/weave.ts";
import { factsOf, type FileFacts } from "./files/file-facts.ts";
import type { FileStep, StepRecord } from "./files/file-history.ts";
import { fileAt, type FilesState } from "./files/file-state.ts";
import { FileWeave } from "./files/file-weave.ts";
import { allSteps } from "./files/whole-weave.ts";
import { positionOf, type PositionRef } from "./position-ref.ts";
import type { SessionState } from "./state.ts";
import type { SessionCore } from "./transact.ts";

/** Which file to blame, and as of when. */
export interface BlameRequest {
  /** The file. */
  readonly path: string;
  /** The present when left out. */
  readonly at?: PositionRef;
  /** First line, from 1. */
  readonly offset?: number;
  /** How many lines; all when left out. */
  readonly limit?: number;
  /** Ends the work early: it throws `conflict` / `aborted`. */
  readonly signal?: AbortSignal;
}

/** Lines next to each other that one record brought in. */
export interface BlameRun {
  /** Its first line, counted from 1. */
  readonly first: number;
  /** Its last line. */
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

/** Who brought in each line of a file, as of a position. */
export interface Blame {
  /** The file. */
  readonly path: WorkspacePath;
  /** The position that was asked about. */
  readonly at: Position;
  /** Runs of lines with one origin, in the file's order. */
  readonly runs: readonly BlameRun[];
}

/** Cost: all records of the file are read. */
export async function blame(core: SessionCore, request: BlameRequest): Promise<Blame> {
  const { timeline, names, limits } = core;
  const path = parsePath(request.path, { kind: "file", names, limits });
  const state = await (request.at === undefined ? timeline.catchUp() : timeline.past(positionOf(request.at)));
  return blameState(core, state, path, request);
}

async function blameState(
  { journal, limits }: Pick<SessionCore, "journal" | "limits">,
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
  const { steps, base } = await allSteps(journal, entry, state.at.seq, pace);
  const now = factsOf(entry);
  const file = await weaveOf(now, steps, limits.weaveRuns, pace);
  const origins = new Origins(await pace.run(blameSteps(file.weave)), steps, base + 1);
  return { path, at: state.at, runs: await runsOf(journal, entry.content, origins, range, pace) };
}

async function weaveOf(
  now: FileFacts,
  steps: readonly FileStep[],
  maxRuns: number,
  pace: Pacer,
): Promise<FileWeave> {
  try {
    return await pace.run(FileWeave.buildSteps(now, steps, maxRuns));
  } catch (cause) {
    if (!isTooManyRuns(cause)) throw cause;
    throw new HoldfastError(
      "invalid_argument",
      "too_many_runs",
      say`${now.path as WorkspacePath} was changed in more than ${maxRuns} pieces: its lines cannot be blamed. Ask for an earlier position, or list its changes instead.`,
      { data: { limit: maxRuns }, cause },
    );
  }
}

/** A record, or the place before which bytes were there. */
type Origin = StepRecord | { readonly before: number };

/** Who the bytes of a content are from, asked for from its start to its end. */
class Origins {
  readonly #runs: readonly BlamedRun[];
  readonly #records: ReadonlyMap<number, StepRecord>;
  readonly #base: Origin;
  #next = 0;
  /** Where the next run begins. */
  #at = 0;

  constructor(runs: readonly BlamedRun[], steps: readonly FileStep[], before: number) {
    this.#runs = runs;
    this.#records = new Map(steps.map(({ record }) => [record.seq, record]));
    this.#base = { before };
  }

  /** The newest origin of bytes up to `to`, from where the last question ended. */
  newestUpTo(to: number): Origin {
    let newest: number | undefined;
    for (; this.#next < this.#runs.length; this.#next++) {
      const { by, length } = this.#runs[this.#next] as BlamedRun;
      if (this.#at >= to) break;
      newest = Math.max(newest ?? 0, by ?? 0);
      if (this.#at + length > to) break;
      this.#at += length;
    }
    return (newest === undefined ? undefined : this.#records.get(newest)) ?? this.#base;
  }
}

async function runsOf(
  journal: Journal,
  content: Content,
  origins: Origins,
  { offset = 1, limit = Number.POSITIVE_INFINITY }: Pick<BlameRequest, "offset" | "limit">,
  pace: Pacer,
): Promise<BlameRun[]> {
  const runs: { first: number; last: number; origin: Origin }[] = [];
  const source = await journal.source(content);
  try {
    for (const line of linesOf(source)) {
      if (line.number >= offset + limit) break;
      const origin = origins.newestUpTo(line.next);
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

function shown(origin: Origin): Pick<BlameRun, "by" | "before"> {
  if ("before" in origin) return { before: origin.before };
  const { seq, token, agent, role, tool, time } = origin;
  return { by: { record: seq, token, agent, role, tool, time } };
}
