// Owns: a call whose edits are placed beside what others changed since the versions that it names.

import { HoldfastError, say, type Shown } from "../errors.ts";
import type { WorkspacePath } from "../path/index.ts";
import type { Draft } from "../session/draft.ts";
import { pathOfFileKey } from "../session/files/file-keys.ts";
import { fileAt, type FileEntry, type FilesState } from "../session/files/file-state.ts";
import { rebaseEdit } from "../session/files/rebase-edit.ts";
import type { PathRules, StaleFiles } from "../session/files/workspace.ts";
import { oldestFirst, recordsInWords } from "../session/record-words.ts";
import type { SessionCore } from "../session/transact.ts";
import { areTextHunks, hunksOfSteps, lineIndexSteps, type Splice } from "../text/index.ts";
import { LF } from "../text/lines.ts";
import { showHunks } from "../text/show-hunks.ts";
import { Pacer, runPaced } from "../text/steps.ts";
import { fileThen, SHOWN_DIFF, staleVersion, type Explained } from "./stale-version.ts";
import type { ReadCtx, Tool } from "./tool.ts";
import type { Pin, StalePin, WriteToken } from "./versions.ts";

/** A file whose edit was placed beside the changes of others. */
export interface RebasedFile {
  readonly path: WorkspacePath;
  /** Those changes, newest first; the first few. */
  readonly onto: readonly { readonly record: number; readonly agent: string }[];
  /** The records that put text where the edit puts its own: it comes after theirs, unless `before` has them too. */
  readonly met?: readonly number[];
  /** Those of them whose text it comes before, as it would share a line with it after it. */
  readonly before?: readonly number[];
}

interface Seen {
  readonly stale: StalePin;
  readonly was: FileEntry;
  readonly now: FileEntry;
}

/** The caller's own edit of a file, and the records whose inserts it met, or comes before. */
interface Placed {
  readonly seen: Seen;
  readonly splices: readonly Splice[];
  readonly met: readonly number[];
  readonly before: readonly number[];
}

const SHOWN_RECORDS = 5;

/** The stale files of one run of a call. */
export class RebasedFiles implements StaleFiles {
  readonly #core: SessionCore;
  readonly #head: number;
  readonly #write: WriteToken;
  readonly #seen = new Map<WorkspacePath, Seen>();
  readonly #placed = new Map<WorkspacePath, Placed>();

  private constructor(core: SessionCore, head: number, write: WriteToken) {
    this.#core = core;
    this.#head = head;
    this.#write = write;
  }

  /** Throws `conflict` / `stale_version` where one of them does not exist now, or did not then. */
  static async of(
    core: SessionCore,
    draft: Draft,
    pins: readonly Pin[],
    write: WriteToken,
    rules: PathRules,
  ): Promise<RebasedFiles> {
    const files = new RebasedFiles(core, draft.base.at.seq, write);
    const state = draft.base.slices.get("files") as FilesState;
    for (const pin of pins) {
      const path = pathOfFileKey(pin.key);
      const now = path === undefined ? undefined : fileAt(state, path);
      const latest = now?.at ?? (await core.journal.last([pin.key]))[0] ?? core.journal.genesis;
      if (latest.seq === pin.seq && latest.hash.startsWith(pin.hash)) continue;
      const was = path === undefined ? undefined : await fileThen(core.timeline, pin, path);
      const stale = { pin, latest };
      if (path === undefined || now === undefined || was === undefined)
        throw await staleVersion(core, [stale], write, { rules });
      files.#seen.set(path, { stale, was, now });
    }
    return files;
  }

  seen(path: WorkspacePath): FileEntry | undefined {
    return this.#seen.get(path)?.was;
  }

  async place(path: WorkspacePath, splices: readonly Splice[]): Promise<readonly Splice[]> {
    const seen = this.#seen.get(path);
    if (seen === undefined) return splices;
    const { stale, was, now } = seen;
    const since = { was, at: stale.pin.seq, now, head: this.#head };
    const edit = await rebaseEdit(this.#core, since, splices, new Pacer());
    if (edit === undefined) throw await this.#conflict(seen, splices, say`has changed where your edit is`);
    if (edit.conflicts.length > 0) {
      const inTheWay = recordsOf(edit.conflicts);
      const whose: Shown = inTheWay.length === 0 ? say`` : say`, by ${recordsInWords(inTheWay)}`;
      throw await this.#conflict(seen, splices, say`has changed where your edit is${whose}`, inTheWay);
    }
    const hasLines = splices.some(({ insert }) => insert.includes(LF));
    const [then, today] = hasLines ? [await this.#ending(was), await this.#ending(now)] : [];
    if (then !== undefined && today !== undefined && then !== today)
      throw await this.#conflict(
        seen,
        splices,
        say`has other line endings now than in the version you named`,
      );
    this.#seen.delete(path);
    const before = recordsOf(edit.met.filter(({ isBefore }) => isBefore));
    this.#placed.set(path, { seen, splices, met: recordsOf(edit.met), before });
    return edit.splices;
  }

  /** The ending that all lines of a text have; undefined where they differ, or there are too many bytes to look at. */
  async #ending({ content }: FileEntry): Promise<"lf" | "crlf" | undefined> {
    const { journal, limits } = this.#core;
    if (content.size > limits.diffBytes) return undefined;
    const source = await journal.source(content);
    try {
      const { lf, crlf } = await runPaced(lineIndexSteps(source));
      return (lf === 0) === (crlf === 0) ? undefined : lf > 0 ? "lf" : "crlf";
    } finally {
      source.close();
    }
  }

  async refuse(path: WorkspacePath): Promise<HoldfastError> {
    const { stale } = this.#seen.get(path) as Seen;
    const happened = say`has changed since the version you named, and only edits of a part can be rebased`;
    return staleVersion(this.#core, [stale], this.#write, { happened });
  }

  /**
   * Runs the call. Files that it left as they were for the caller, who saw an older version, it is run on once more as they are
   * now: throws `conflict` / `stale_version` unless it leaves them so as well.
   */
  async settle<T>(draft: Draft, run: (stale: RebasedFiles) => Promise<T>): Promise<T> {
    const first = await run(this);
    if (this.#seen.size === 0) return first;
    const left = [...this.#seen.values()].map(({ stale }) => stale);
    this.#seen.clear();
    for (const [path, { seen }] of this.#placed) this.#seen.set(path, seen);
    this.#placed.clear();
    draft.clear();
    let again: T;
    try {
      again = await run(this);
    } catch (error) {
      if (!HoldfastError.is(error)) throw error;
      const happened = say`has changed, and your edit cannot be made now: ${asClause(error)}`;
      throw await staleVersion(this.#core, left, this.#write, { happened });
    }
    const changed = left.filter(({ pin }) => draft.touched.has(pin.key));
    if (changed.length === 0) return again;
    const happened = say`was as you ask in the version you named, but has changed since`;
    throw await staleVersion(this.#core, changed, this.#write, { happened });
  }

  /** Has the tool prove its results, and says what was placed where. */
  async prove({ rebase }: Tool, ctx: ReadCtx, resolved: unknown): Promise<RebasedFile[]> {
    const rebased: RebasedFile[] = [];
    for (const [path, { seen, splices, met, before }] of this.#placed) {
      try {
        await rebase?.prove?.(ctx, path, resolved);
      } catch (error) {
        if (!HoldfastError.is(error)) throw error;
        const happened = say`has changed, and your edit beside the change cannot be: ${asClause(error)}`;
        throw await this.#conflict(seen, splices, happened);
      }
      const onto = await this.#changes(seen.stale.pin);
      rebased.push({
        path,
        onto,
        ...(met.length > 0 ? { met } : {}),
        ...(before.length > 0 ? { before } : {}),
      });
    }
    return rebased;
  }

  async #changes({ key, seq }: Pin): Promise<RebasedFile["onto"]> {
    const { journal } = this.#core;
    const upTo = this.#head;
    const records = await journal.records({ key, after: seq, upTo, newestFirst: true, limit: SHOWN_RECORDS });
    return records.map((record) => ({ record: record.seq, agent: record.agent }));
  }

  async #conflict(
    { stale, was }: Seen,
    splices: readonly Splice[],
    happened: Shown,
    inTheWay: readonly number[] = [],
  ): Promise<HoldfastError> {
    const source = await this.#core.journal.source(was.content);
    const explained: Explained = { happened, inTheWay };
    try {
      const hunks = await new Pacer().run(hunksOfSteps(source, splices, { budget: SHOWN_DIFF }));
      const mine = areTextHunks(hunks) ? { mine: showHunks(hunks) as Shown } : {};
      return await staleVersion(this.#core, [stale], this.#write, { ...explained, ...mine });
    } finally {
      source.close();
    }
  }
}

function recordsOf(found: readonly { readonly by: readonly number[] }[]): number[] {
  return oldestFirst(found.flatMap(({ by }) => by));
}

function asClause({ message }: HoldfastError): Shown {
  return (message as Shown).replace(/\.$/, "") as Shown;
}

/** Whether an edit of the version that a pin names can be placed beside what changed since: the file was there, and is. */
export async function canRebase(core: SessionCore, pin: Pin): Promise<boolean> {
  const path = pathOfFileKey(pin.key);
  if (path === undefined) return false;
  const now = fileAt(core.timeline.state.slices.get("files") as FilesState, path);
  return now !== undefined && (await fileThen(core.timeline, pin, path)) !== undefined;
}

/** `[Rebased /workspace/a.txt onto changes by bob (record 5), after what record 5 put in the same place]`, one line for each file. */
export function rebaseNotices(rebased: readonly RebasedFile[]): string[] {
  return rebased.map(({ path, onto, met = [], before = [] }) => {
    const agents = [...new Set(onto.map(({ agent }) => agent))].join(", ");
    const records = onto.map(({ record }) => record).toReversed();
    const sides = { after: met.filter((record) => !before.includes(record)), before };
    const beside = Object.entries(sides)
      .filter(([, theirs]) => theirs.length > 0)
      .map(([side, theirs]) => `, ${side} what ${recordsInWords(theirs)} put in the same place`)
      .join("");
    return `[Rebased ${path} onto changes by ${agents} (${records.length === 1 ? "record" : "records"} ${records.join(", ")})${beside}]`;
  });
}
