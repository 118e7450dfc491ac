// Owns: what each file that changed in a folder comes to in the session: taken over, merged, or a conflict of both sides.
// Must never: change a draft, or lose a text of either side.

import type { WorkspacePath } from "../path/index.ts";
import type { Actor } from "../session/actor.ts";
import type { ContentSplice } from "../session/content.ts";
import type { Draft } from "../session/draft.ts";
import { newFileId, type FileBody, type FileChange } from "../session/files/file-change.ts";
import { idForCreation, obstacle, obstacles, type FileEntry } from "../session/files/file-state.ts";
import { filesSlice } from "../session/files/files-slice.ts";
import { bodyChanges, creationOf, deletionOf, moveOf } from "../session/files/make-change.ts";
import {
  runsAfter,
  stepsOfEach,
  wholeWeave,
  type Histories,
  type HistoryOf,
  type WholeWeave,
} from "../session/files/whole-weave.ts";
import { byteAt, keepsLines } from "../session/files/whole-lines.ts";
import { isLanded, landedPairs, wholeFile, type FolderFile } from "../session/folders/folder-file.ts";
import type { SessionCore } from "../session/transact.ts";
import type { Journal } from "../store/journal.ts";
import { EXTENTS, type ByteSource } from "../text/index.ts";
import { firstLineAt } from "../text/line-stretch.ts";
import type { Pacer } from "../text/steps.ts";
import { pieceName, placeHeldSteps, spliceHeld } from "../text/weave-held.ts";
import { contentChanges, hasSameBytes, sideOf, type TextSide } from "./compare-content.ts";
import { filesInTheWay } from "./import-changes.ts";
import type { MatchedFiles, ChangedOutside } from "./_matched-files.ts";
import { folderPlace } from "./mount-files.ts";
import type { RefreshConflict, RefreshedFile } from "./refresh-report.ts";

/** What one file comes to: changes of the session, and what the folder holds from now on. */
export interface RefreshOutcome {
  readonly how: RefreshedFile["how"];
  readonly changes: readonly FileChange[];
  /** Null: nothing is there any more. */
  readonly held: FolderFile | null;
  /** Paths whose files the session keeps: they are brought back after the folder's text is in the history. */
  readonly sessionPaths?: readonly WorkspacePath[];
}

interface OutcomeParts {
  readonly core: SessionCore;
  readonly draft: Draft;
  readonly actor: Actor;
  readonly files: MatchedFiles;
  readonly pace: Pacer;
}

export class RefreshOutcomes {
  readonly #core: SessionCore;
  readonly #draft: Draft;
  readonly #actor: Actor;
  readonly #files: MatchedFiles;
  readonly #pace: Pacer;
  readonly #histories: Histories;

  private constructor({ core, draft, actor, files, pace }: OutcomeParts, histories: Histories) {
    this.#core = core;
    this.#draft = draft;
    this.#actor = actor;
    this.#files = files;
    this.#pace = pace;
    this.#histories = histories;
  }

  /** Reads the histories of all files of the session that something else may be made of. */
  static async of(parts: OutcomeParts, outside: readonly ChangedOutside[]): Promise<RefreshOutcomes> {
    const { core, draft, files, pace } = parts;
    const changed = outside.flatMap((one): HistoryOf[] => {
      const entry = one.now === undefined ? undefined : files.entryOf(one);
      return entry === undefined ? [] : [{ id: entry.id, path: entry.path, entry }];
    });
    const histories = await stepsOfEach(core.journal, changed, draft.base.at.seq, pace);
    return new RefreshOutcomes(parts, histories);
  }

  /** What needs no decision; undefined for a conflict. */
  async clean(one: ChangedOutside, entry: FileEntry | undefined): Promise<RefreshOutcome | undefined> {
    const { known, now, path } = one;
    if (now === undefined) {
      if (entry === undefined) return { how: "same", changes: [], held: null };
      const isAsKnown = entry.path === path && known !== undefined && (await this.#isSame(entry, known));
      return isAsKnown ? { how: "deleted", changes: [deletionOf(entry)], held: null } : undefined;
    }
    if (entry === undefined) {
      const isFree = known === undefined && obstacle(this.#draft.state(filesSlice), path) === undefined;
      return isFree ? this.#created(one, now, "created") : undefined;
    }
    if (await this.#isSame(entry, now.body)) return this.#agreed(one, now, entry, "same");
    if (known === undefined) return undefined;
    if (await this.#isSame(entry, known)) return this.#agreed(one, now, entry, "changed");
    return this.#merged(known, now, entry);
  }

  /** The folder's file comes in whichever side is taken, so that no text is lost; the session's is brought back after it. */
  async taken(
    one: ChangedOutside,
    entry: FileEntry | undefined,
    side: "outside" | "session",
  ): Promise<RefreshOutcome> {
    const { now, path } = one;
    const takesSession = side === "session";
    const how = takesSession ? "kept_session" : "took_outside";
    if (now === undefined)
      return { how, changes: entry === undefined || takesSession ? [] : [deletionOf(entry)], held: null };
    if (entry !== undefined) {
      const agreed = await this.#agreed(one, now, entry, how);
      return takesSession ? { ...agreed, sessionPaths: [entry.path] } : agreed;
    }
    const created = this.#created(one, now, how);
    const inTheWay = filesInTheWay(this.#draft.state(filesSlice), path);
    const away = (there: FileEntry): FileChange =>
      (takesSession ? undefined : this.#moveHome(there)) ?? deletionOf(there);
    const changes = [...inTheWay.map(away), ...created.changes];
    const sessionPaths = takesSession ? [path, ...inTheWay.map((there) => there.path)] : [];
    return { ...created, changes, sessionPaths };
  }

  /** A file that the folders hold elsewhere goes back there, if it can. */
  #moveHome(entry: FileEntry): FileChange | undefined {
    const { id, path } = entry;
    const to = this.#files.heldAs(id)?.path;
    if (to === undefined || to === path) return undefined;
    if (obstacles(this.#draft.state(filesSlice), [to], [path]).length > 0) return undefined;
    return moveOf(entry, to);
  }

  #created(
    { known, path }: ChangedOutside,
    { file, body }: NonNullable<ChangedOutside["now"]>,
    how: RefreshOutcome["how"],
  ): RefreshOutcome {
    const last = idForCreation(this.#draft.state(filesSlice), path);
    const id = known?.id ?? (this.#files.heldAs(last) !== undefined ? newFileId() : last);
    const change = creationOf({ id, path, ...body, created: this.#actor.now() });
    const held = wholeFile(folderPlace(file), id, body);
    // What was done to a file that is made again is over.
    return { how, changes: [change], held: known === undefined ? held : { ...held, landed: [[1, 0]] } };
  }

  /** The session's file becomes the folder's, line by line: all that stands in it then is in the folder too, but for another name. */
  async #agreed(
    { known }: ChangedOutside,
    { file, body }: NonNullable<ChangedOutside["now"]>,
    entry: FileEntry,
    how: RefreshOutcome["how"],
  ): Promise<RefreshOutcome> {
    const splices = await contentChanges(this.#core, entry.content, body.content, this.#pace);
    const changes = bodyChanges(entry, splices, body);
    const whole = await this.#weave(entry);
    const hasName = (seq: number): boolean =>
      entry.path === file.path || (known !== undefined && isLanded(known, seq));
    const landed = landedStanding(whole, hasName);
    const runs = await runsAfter(whole, changes, this.#pace);
    const held = {
      ...folderPlace(file),
      id: entry.id,
      ...body,
      landed,
      ...(runs === undefined ? {} : { runs }),
    };
    return { how, changes, held };
  }

  /** Both changed the file: the folder's lines are placed where what they were changed from is now. */
  async #merged(
    known: FolderFile,
    { file, body }: NonNullable<ChangedOutside["now"]>,
    entry: FileEntry,
  ): Promise<RefreshOutcome | undefined> {
    const isText = [known, body, entry].every(({ encoding }) => encoding !== "binary");
    if (known.runs === undefined || !isText) return undefined;
    const { file: woven, base } = await this.#weave(entry);
    if (base > 0) return undefined;
    const edit = await contentChanges(this.#core, known.content, body.content, this.#pace);
    const placed = await this.#pace.run(placeHeldSteps(woven.weave, known.runs, edit));
    if (placed === undefined || placed.conflicts.length > 0) return undefined;
    if (!(await this.#keepsLines(known, body, entry, edit, placed.splices))) return undefined;
    const executable = entry.executable === known.executable ? body.executable : entry.executable;
    const { encoding } = entry;
    const changes = bodyChanges(entry, placed.splices, { encoding, executable });
    let pieces = 0;
    const held = await this.#pace.map(edit, ({ at, remove, insert }) => {
      const size = EXTENTS.length(insert);
      return { at, remove, insert: size === 0 ? [] : [[pieceName(0, pieces++), 0, size] as const] };
    });
    const runs = spliceHeld(known.runs, held);
    await this.#pace.step();
    const landed = [...known.landed, [0, 0] as const];
    return { how: "merged", changes, held: { ...folderPlace(file), id: entry.id, ...body, runs, landed } };
  }

  /** Whether no line of the folder is glued to one of the session, where each splice of `edit` was placed. */
  async #keepsLines(
    known: FileBody,
    body: FileBody,
    entry: FileEntry,
    edit: readonly ContentSplice[],
    placed: readonly ContentSplice[],
  ): Promise<boolean> {
    const { journal } = this.#core;
    const open: Awaited<ReturnType<Journal["source"]>>[] = [];
    const opened = async ({ content }: FileBody): Promise<ByteSource> => {
      const source = await journal.source(content);
      open.push(source);
      return source;
    };
    try {
      const [then, outside, now] = [await opened(known), await opened(body), await opened(entry)];
      let moved = 0;
      const ends = await this.#pace.map(edit, ({ at, remove, insert }) => {
        const [from, size] = [at + moved, EXTENTS.length(insert)];
        moved += size - remove;
        const inserted =
          size === 0 ? {} : { first: byteAt(outside, from), last: byteAt(outside, from + size - 1) };
        return { at, remove, insert: inserted };
      });
      // A byte order mark that came is the beginning of the text, or nothing.
      const [first] = ends;
      if (
        first?.at === 0 &&
        first.insert.first !== undefined &&
        firstLineAt(outside) > 0 &&
        placed[0]?.at !== 0
      )
        return false;
      const fits = keepsLines(then, now, ends);
      for (const [splice, { at }] of placed.entries()) {
        if (!fits({ splice, at })) return false;
        await this.#pace.step();
      }
      return true;
    } finally {
      for (const source of open) source.close();
    }
  }

  #weave(entry: FileEntry): Promise<WholeWeave> {
    const { id, path } = entry;
    return wholeWeave({ id, path, entry }, this.#histories, this.#core.limits.weaveRuns, this.#pace);
  }

  async #isSame(entry: FileEntry, body: FileBody): Promise<boolean> {
    if (entry.executable !== body.executable) return false;
    return hasSameBytes(this.#core.journal, entry.content, body.content, this.#pace);
  }

  async conflict(
    { path, known, now }: ChangedOutside,
    entry: FileEntry | undefined,
    twins: ReadonlyMap<WorkspacePath, WorkspacePath>,
  ): Promise<RefreshConflict> {
    const side = (body: FileBody | undefined): Promise<TextSide | null> => sideOf(this.#core, body);
    const there =
      entry === undefined
        ? obstacle(this.#draft.state(filesSlice), path)?.by
        : now === undefined
          ? twins.get(entry.path)
          : undefined;
    return {
      path,
      base: await side(known),
      session: await side(entry),
      outside: await side(now?.body),
      ...(there === undefined ? {} : { inTheWay: there }),
    };
  }
}

/** All that stands in a file is landed, and with it this record; of what gave the file a name, only what `hasName` says. */
function landedStanding(
  { file, steps, base, isBroken }: WholeWeave,
  hasName: (seq: number) => boolean,
): FolderFile["landed"] {
  if (isBroken === true) return [[1, 0]];
  const chosen = new Set<number>();
  for (const { seq, against } of file.weave.records) if (against === 0) chosen.add(seq);
  for (const { seq } of file.registers.writers("path")) if (!hasName(seq)) chosen.delete(seq);
  const all = steps.map(({ record }) => record.seq);
  return [...(base > 0 ? [[1, base] as const] : []), ...landedPairs(all, chosen), [0, 0]];
}
