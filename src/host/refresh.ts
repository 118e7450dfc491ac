// Owns: bringing what changed in the mounted folders into the session, as one record, together with a second one where the session's side is taken.
// Must never: write to a folder, or lose a text of either side.

import { HoldfastError, say } from "../errors.ts";
import { comparePaths, type WorkspacePath } from "../path/index.ts";
import { commitAs, type Actor } from "../session/actor.ts";
import type { Draft } from "../session/draft.ts";
import { newFileId, type FileBody, type FileChange } from "../session/files/file-change.ts";
import { fileKey } from "../session/files/file-keys.ts";
import {
  entriesById,
  fileAt,
  idForCreation,
  obstacle,
  obstacles,
  type FileEntry,
} from "../session/files/file-state.ts";
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
import { wholeFile, type FolderFile } from "../session/folders/folder-file.ts";
import { holdChanges, folderFileAt, foldersIn, foldersSlice } from "../session/folders/folders-slice.ts";
import type { SessionCore } from "../session/transact.ts";
import type { Position } from "../store/journal.ts";
import { EXTENTS } from "../text/index.ts";
import { Pacer } from "../text/steps.ts";
import { pieceName, placeHeldSteps, spliceHeld } from "../text/weave-held.ts";
import { contentChanges, hasSameBytes, sideOf, type TextSide } from "./compare-content.ts";
import { copyMounts } from "./_copy-mounts.ts";
import type { FolderReader, OutsideScan } from "./_folder-reader.ts";
import type { CompareProgress } from "./landing-plan.ts";
import { filesInTheWay } from "./import-changes.ts";
import { clashesWithin } from "./_name-clashes.ts";
import type { MountFile } from "./_scan-mount.ts";
import { bringBack, takenSides, type ToBringBack, type TakenSides } from "./_take-sides.ts";
import { folderPlace } from "./mount-files.ts";
import type { SkippedEntry } from "./mount.ts";

/** How a refresh settles what both sides changed. */
export interface RefreshRequest {
  /** By path: `outside` takes the folder's file, `session` keeps the session's. */
  readonly take?: Readonly<Record<string, "outside" | "session">>;
  /** True: nothing is written, and the report says what would be. */
  readonly dryRun?: boolean;
  /** Hears how far comparing with the folders is. */
  readonly onProgress?: (progress: CompareProgress) => void;
}

/** A file that changed in a folder, and what came of it. */
export interface RefreshedFile {
  /** Its path. */
  readonly path: WorkspacePath;
  /** `merged`: the session had changed it too, and has both now. `same`: both had made the same of it. */
  readonly how: "created" | "changed" | "deleted" | "merged" | "same" | "took_outside" | "kept_session";
}

/** A file that the session and the folder changed in ways that do not fit together. */
export interface RefreshConflict {
  /** Its path. */
  readonly path: WorkspacePath;
  /** What the folder held before; null where there was no file. */
  readonly base: TextSide | null;
  /** What the session holds; null where it holds none. */
  readonly session: TextSide | null;
  /** What the folder holds now; null where it holds none. */
  readonly outside: TextSide | null;
  /** A file of the one side that leaves no place for the other's: above it, below it, or of a name that differs only in case. */
  readonly inTheWay?: WorkspacePath;
}

/** What a refresh did. */
export interface RefreshReport {
  /** What came in, in path order. */
  readonly changed: readonly RefreshedFile[];
  /** What did not, and waits for `take`. Neither side was changed. */
  readonly conflicts: readonly RefreshConflict[];
  /** Files that are there and cannot be read, or whose names clash; the session keeps what it has of them. */
  readonly unreadable: readonly SkippedEntry[];
  /** Where the session is after it. */
  readonly position: Position;
}

/** What one file comes to: changes of the session, and what the folder holds from now on. */
interface Outcome {
  readonly how: RefreshedFile["how"];
  readonly changes: readonly FileChange[];
  /** Null: nothing is there any more. */
  readonly held: FolderFile | null;
  /** Paths whose files the session keeps: they are brought back after the folder's text is in the history. */
  readonly sessionPaths?: readonly WorkspacePath[];
}

/** A file that both sides changed. */
interface Open {
  readonly one: Outside;
  readonly entry: FileEntry | undefined;
}

interface Outside {
  readonly path: WorkspacePath;
  readonly known: FolderFile | undefined;
  /** What is there now; undefined: nothing. */
  readonly now: { readonly file: MountFile; readonly body: FileBody } | undefined;
}

/**
 * Compares the folders with what they held, and commits what changed there. Throws `invalid_argument` / `not_in_conflict` for a path
 * of `take` that needs no decision.
 */
export async function refresh(
  core: SessionCore,
  actor: Actor,
  reader: FolderReader,
  request: RefreshRequest,
): Promise<RefreshReport> {
  const take = takenSides(core, request.take ?? {});
  const state = await core.timeline.catchUp();
  const scan = await reader.scan(foldersIn(state), { onProgress: request.onProgress });
  const unreadable: SkippedEntry[] = scan.unreadable.map(({ path, reason }) => ({ path, reason }));
  const outside = await copied(core, scan, unreadable);
  const asked = [...take].map(([path, side]) => [path as string, side]);
  const { value, at } = await commitAs(
    core,
    actor,
    "refresh",
    asked,
    (draft) => new Refresh(core, draft, actor, take).run(outside),
    request.dryRun === true,
    bringBack(actor),
  );
  const { changed, conflicts } = value;
  return { changed, conflicts, unreadable, position: at };
}

/** The files that changed, with their bytes taken in. One that cannot be read is added to `unreadable` and waits for the next refresh. */
async function copied(core: SessionCore, scan: OutsideScan, unreadable: SkippedEntry[]): Promise<Outside[]> {
  const folders = foldersIn(core.timeline.state);
  const files = await copyMounts(core.journal, [...scan.changed, ...scan.created], {
    fileBytes: core.limits.fileBytes,
    pace: new Pacer(),
    copied: () => {},
    skipped: ({ path }, reason) => void unreadable.push({ path, reason }),
  });
  const deleted = scan.deleted.map((known) => ({ path: known.path, known, now: undefined }));
  const there = files.map((now) => ({
    path: now.file.path,
    known: folderFileAt(folders, now.file.path),
    now,
  }));
  // Names that go make room for those that come.
  return [...deleted, ...there];
}

class Refresh {
  readonly #core: SessionCore;
  readonly #draft: Draft;
  readonly #actor: Actor;
  readonly #take: TakenSides;
  readonly #pace = new Pacer();
  #entries: ReadonlyMap<string, FileEntry> = new Map();
  /** Where the folders hold each file of the session. */
  #held: ReadonlyMap<string, FolderFile> = new Map();
  #histories: Histories = new Map();

  constructor(core: SessionCore, draft: Draft, actor: Actor, take: TakenSides) {
    this.#core = core;
    this.#draft = draft;
    this.#actor = actor;
    this.#take = take;
  }

  async run(
    outside: readonly Outside[],
  ): Promise<Pick<RefreshReport, "changed" | "conflicts"> & ToBringBack> {
    const sessionPaths: WorkspacePath[] = [];
    const changed: RefreshedFile[] = [];
    const files: FolderFile[] = [];
    const gone: WorkspacePath[] = [];
    const make = (one: Outside, outcome: Outcome): void => {
      for (const change of outcome.changes) this.#draft.change(change);
      if (outcome.held === null) gone.push(one.path);
      else files.push(outcome.held);
      if (one.known !== undefined && one.known.path !== one.path) gone.push(one.known.path);
      sessionPaths.push(...(outcome.sessionPaths ?? []));
      changed.push({ path: one.path, how: outcome.how });
    };
    this.#entries = await entriesById(this.#draft.state(filesSlice), this.#pace);
    this.#draft.reader(foldersSlice);
    const { files: held } = this.#draft.state(foldersSlice);
    this.#held = new Map(await this.#pace.map(held.entries(), ([, file]) => [file.id, file] as const));
    const found = this.#followed(outside);
    this.#histories = await this.#historiesOf(found);
    const open: Open[] = [];
    for (const one of found) {
      const entry = this.#entryOf(one);
      this.#draft.depend([one.path, ...(entry === undefined ? [] : [entry.path])].map(fileKey));
      const clean = await this.#clean(one, entry);
      if (clean === undefined) open.push({ one, entry });
      else make(one, clean);
      await this.#pace.step();
    }
    const left = new Set(this.#take.keys());
    for (const { one } of open) left.delete(one.path);
    const [unknown] = left;
    if (unknown !== undefined) throw notInConflict(unknown);
    const conflicts: RefreshConflict[] = [];
    const take = async (side: "outside" | "session"): Promise<void> => {
      for (const { one, entry } of open) {
        if (this.#take.get(one.path) === side) make(one, await this.#taken(one, entry, side));
        await this.#pace.step();
      }
    };
    const own = open
      .filter(({ one }) => this.#take.get(one.path) === "session")
      .flatMap(({ one, entry }) => {
        const files =
          entry !== undefined || one.now === undefined
            ? [entry]
            : filesInTheWay(this.#draft.state(filesSlice), one.path);
        return files.map((file) => ({ path: one.path, file }));
      });
    await take("outside");
    for (const { path, file } of own)
      if (file !== undefined && this.#still(file)?.path !== file.path) throw noPlaceForBoth(path, file.path);
    const undecided = open.filter(({ one }) => !this.#take.has(one.path));
    const twins = await this.#twinsOf(undecided);
    for (const { one, entry: found } of undecided) {
      // What was in its way may be gone now, and so may the session's file.
      const entry = found === undefined ? undefined : this.#still(found);
      const clean = this.#take.size === 0 ? undefined : await this.#clean(one, entry);
      if (clean === undefined) conflicts.push(await this.#conflict(one, entry, twins));
      // A side that is taken for another was taken for this one too.
      else make(one, entry === undefined ? { ...clean, how: "took_outside" } : clean);
      await this.#pace.step();
    }
    // Last, since nothing else can have the place of the session's file, though it is free until that is brought back.
    await take("session");
    changed.sort((a, b) => comparePaths(a.path, b.path));
    if (changed.length > 0) {
      for (const change of holdChanges({ files, gone }, false)) {
        this.#draft.change(change);
        await this.#pace.step();
      }
      this.#draft.depend(this.#draft.touched);
    }
    return { changed, conflicts, sessionPaths, before: this.#draft.base };
  }

  /** A file that folder and session have both moved to one place is the same file there. */
  #followed(outside: readonly Outside[]): readonly Outside[] {
    const deleted = new Set(outside.filter(({ now }) => now === undefined).map(({ path }) => path));
    const moved = new Set<WorkspacePath>();
    const found = outside.map((one) => {
      const home = one.known === undefined ? this.#homeOf(one.path) : undefined;
      if (home === undefined || !deleted.has(home.path)) return one;
      moved.add(home.path);
      return { ...one, known: home };
    });
    return found.filter(({ path, now }) => now !== undefined || !moved.has(path));
  }

  /** Where the folders hold the session's file of a path, if that is elsewhere. */
  #homeOf(path: WorkspacePath): FolderFile | undefined {
    const entry = fileAt(this.#draft.state(filesSlice), path);
    const home = entry === undefined ? undefined : this.#held.get(entry.id);
    return home?.path === path ? undefined : home;
  }

  /** The file of the session that a folder's file belongs to. One that the folders hold elsewhere is another file, and in its way. */
  #entryOf({ known, path }: Outside): FileEntry | undefined {
    if (known !== undefined) return this.#entries.get(known.id);
    return this.#homeOf(path) === undefined ? fileAt(this.#draft.state(filesSlice), path) : undefined;
  }

  /** A file of the session as this refresh leaves it so far: where it was, or back where the folders hold it. */
  #still({ id, path }: FileEntry): FileEntry | undefined {
    const state = this.#draft.state(filesSlice);
    const places = [path, this.#held.get(id)?.path ?? path];
    return places.map((place) => fileAt(state, place)).find((entry) => entry?.id === id);
  }

  /** Of files of the session that the folder has none at: one of the folder that leaves no place for it. */
  async #twinsOf(undecided: readonly Open[]): Promise<ReadonlyMap<WorkspacePath, WorkspacePath>> {
    const there = undecided.flatMap(({ one }) => (one.now === undefined ? [] : [one.path]));
    const own = undecided.flatMap(({ one, entry }) =>
      one.now !== undefined || entry === undefined ? [] : [entry.path],
    );
    const clashes = await this.#pace.run(clashesWithin([...there, ...own]));
    return new Map(clashes.map(({ path, by }) => [path, by]));
  }

  /** What needs no decision; undefined for a conflict. */
  async #clean(one: Outside, entry: FileEntry | undefined): Promise<Outcome | undefined> {
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
    if (await this.#isSame(entry, now.body)) return this.#agreed(now, entry, "same");
    if (known === undefined) return undefined;
    if (await this.#isSame(entry, known)) return this.#agreed(now, entry, "changed");
    return this.#merged(known, now, entry);
  }

  /** The folder's file comes in whichever side is taken, so that no text is lost; the session's is brought back after it. */
  async #taken(one: Outside, entry: FileEntry | undefined, side: "outside" | "session"): Promise<Outcome> {
    const { now, path } = one;
    const takesSession = side === "session";
    const how = takesSession ? "kept_session" : "took_outside";
    if (now === undefined)
      return { how, changes: entry === undefined || takesSession ? [] : [deletionOf(entry)], held: null };
    if (entry !== undefined) {
      const agreed = await this.#agreed(now, entry, how);
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
    const to = this.#held.get(id)?.path;
    if (to === undefined || to === path) return undefined;
    if (obstacles(this.#draft.state(filesSlice), [to], [path]).length > 0) return undefined;
    return moveOf(entry, to);
  }

  #created(
    { known, path }: Outside,
    { file, body }: NonNullable<Outside["now"]>,
    how: Outcome["how"],
  ): Outcome {
    const last = idForCreation(this.#draft.state(filesSlice), path);
    const id = known?.id ?? (this.#held.has(last) ? newFileId() : last);
    const change = creationOf({ id, path, ...body, created: this.#actor.now() });
    const held = wholeFile(folderPlace(file), id, body);
    // What was done to a file that is made again is over.
    return { how, changes: [change], held: known === undefined ? held : { ...held, landed: [[1, 0]] } };
  }

  /** The session's file becomes the folder's, line by line: all that is in it then is in the folder too. */
  async #agreed(
    { file, body }: NonNullable<Outside["now"]>,
    entry: FileEntry,
    how: Outcome["how"],
  ): Promise<Outcome> {
    const splices = await contentChanges(this.#core, entry.content, body.content, this.#pace);
    const changes = bodyChanges(entry, splices, body);
    const runs = await runsAfter(await this.#weave(entry), changes, this.#pace);
    const landed = [[1, 0]] as const;
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
    { file, body }: NonNullable<Outside["now"]>,
    entry: FileEntry,
  ): Promise<Outcome | undefined> {
    const isText = [known, body, entry].every(({ encoding }) => encoding !== "binary");
    if (known.runs === undefined || !isText) return undefined;
    const { file: woven, base } = await this.#weave(entry);
    if (base > 0) return undefined;
    const edit = await contentChanges(this.#core, known.content, body.content, this.#pace);
    const placed = await this.#pace.run(placeHeldSteps(woven.weave, known.runs, edit));
    if (placed === undefined || placed.conflicts.length > 0) return undefined;
    const executable = entry.executable === known.executable ? body.executable : entry.executable;
    const { encoding } = entry;
    const changes = bodyChanges(entry, placed.splices, { encoding, executable });
    let pieces = 0;
    const held = edit.map(({ at, remove, insert }) => {
      const size = EXTENTS.length(insert);
      return { at, remove, insert: size === 0 ? [] : [[pieceName(0, pieces++), 0, size] as const] };
    });
    const runs = spliceHeld(known.runs, held);
    const landed = [...known.landed, [0, 0] as const];
    return { how: "merged", changes, held: { ...folderPlace(file), id: entry.id, ...body, runs, landed } };
  }

  /** Of all files of the session that something else may be made of. */
  #historiesOf(outside: readonly Outside[]): Promise<Histories> {
    const files = outside.flatMap((one): HistoryOf[] => {
      const entry = one.now === undefined ? undefined : this.#entryOf(one);
      return entry === undefined ? [] : [{ id: entry.id, path: entry.path, entry }];
    });
    return stepsOfEach(this.#core.journal, files, this.#draft.base.at.seq, this.#pace);
  }

  #weave(entry: FileEntry): Promise<WholeWeave> {
    const { id, path } = entry;
    return wholeWeave({ id, path, entry }, this.#histories, this.#core.limits.weaveRuns, this.#pace);
  }

  async #isSame(entry: FileEntry, body: FileBody): Promise<boolean> {
    if (entry.executable !== body.executable) return false;
    return hasSameBytes(this.#core.journal, entry.content, body.content, this.#pace);
  }

  async #conflict(
    { path, known, now }: Outside,
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

function noPlaceForBoth(path: WorkspacePath, file: WorkspacePath): HoldfastError {
  return new HoldfastError(
    "invalid_argument",
    "bad_take",
    say`take: ${path} keeps ${file} in the session, which leaves no place for what is taken from outside. Take the same side for both.`,
  );
}

function notInConflict(path: WorkspacePath): HoldfastError {
  return new HoldfastError(
    "invalid_argument",
    "not_in_conflict",
    say`take: ${path} needs no decision. Leave it out; a dry run of the refresh lists the conflicts.`,
  );
}
