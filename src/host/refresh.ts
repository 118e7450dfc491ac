// Owns: bringing what changed in the mounted folders into the session, as one record, together with a second one where the session's side is taken.
// Must never: write to a folder, or lose a text of either side.

import { HoldfastError, say } from "../errors.ts";
import { comparePaths, type WorkspacePath } from "../path/index.ts";
import { commitAs, type Actor } from "../session/actor.ts";
import type { Draft } from "../session/draft.ts";
import { fileKey } from "../session/files/file-keys.ts";
import type { FileEntry } from "../session/files/file-state.ts";
import { filesSlice } from "../session/files/files-slice.ts";
import type { FolderFile } from "../session/folders/folder-file.ts";
import { holdChanges, folderFileAt, foldersIn } from "../session/folders/folders-slice.ts";
import type { SessionCore } from "../session/transact.ts";
import { Pacer } from "../text/steps.ts";
import { copyMounts } from "./_copy-mounts.ts";
import type { FolderReader, OutsideScan } from "./_folder-reader.ts";
import { filesInTheWay } from "./import-changes.ts";
import { MatchedFiles, type ChangedOutside } from "./_matched-files.ts";
import { clashesWithin } from "./_name-clashes.ts";
import { RefreshOutcomes, type RefreshOutcome } from "./_refresh-outcomes.ts";
import { bringBack, takenSides, type ToBringBack, type TakenSides } from "./_take-sides.ts";
import type { SkippedEntry } from "./mount.ts";
import type { RefreshConflict, RefreshedFile, RefreshReport, RefreshRequest } from "./refresh-report.ts";

export type { RefreshConflict, RefreshedFile, RefreshReport, RefreshRequest } from "./refresh-report.ts";

/** A file that both sides changed. */
interface Open {
  readonly one: ChangedOutside;
  readonly entry: FileEntry | undefined;
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
async function copied(
  core: SessionCore,
  scan: OutsideScan,
  unreadable: SkippedEntry[],
): Promise<ChangedOutside[]> {
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

  constructor(core: SessionCore, draft: Draft, actor: Actor, take: TakenSides) {
    this.#core = core;
    this.#draft = draft;
    this.#actor = actor;
    this.#take = take;
  }

  async run(
    outside: readonly ChangedOutside[],
  ): Promise<Pick<RefreshReport, "changed" | "conflicts"> & ToBringBack> {
    const sessionPaths: WorkspacePath[] = [];
    const changed: RefreshedFile[] = [];
    const files: FolderFile[] = [];
    const gone: WorkspacePath[] = [];
    const make = (one: ChangedOutside, outcome: RefreshOutcome): void => {
      for (const change of outcome.changes) this.#draft.change(change);
      if (outcome.held === null) gone.push(one.path);
      else files.push(outcome.held);
      if (one.known !== undefined && one.known.path !== one.path) gone.push(one.known.path);
      sessionPaths.push(...(outcome.sessionPaths ?? []));
      changed.push({ path: one.path, how: outcome.how });
    };
    const [core, draft, actor, pace] = [this.#core, this.#draft, this.#actor, this.#pace];
    const matched = await MatchedFiles.of(draft, pace);
    const found = matched.followed(outside);
    const outcomes = await RefreshOutcomes.of({ core, draft, actor, files: matched, pace }, found);
    const open: Open[] = [];
    for (const one of found) {
      const entry = matched.entryOf(one);
      this.#draft.depend([one.path, ...(entry === undefined ? [] : [entry.path])].map(fileKey));
      const clean = await outcomes.clean(one, entry);
      await this.#pace.step();
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
        if (this.#take.get(one.path) === side) make(one, await outcomes.taken(one, entry, side));
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
      if (file !== undefined && matched.still(file)?.path !== file.path)
        throw noPlaceForBoth(path, file.path);
    const undecided = open.filter(({ one }) => !this.#take.has(one.path));
    const twins = await this.#twinsOf(undecided);
    for (const { one, entry: found } of undecided) {
      // What was in its way may be gone now, and so may the session's file.
      const entry = found === undefined ? undefined : matched.still(found);
      const clean = this.#take.size === 0 ? undefined : await outcomes.clean(one, entry);
      if (clean === undefined) conflicts.push(await outcomes.conflict(one, entry, twins));
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

  /** Of files of the session that the folder has none at: one of the folder that leaves no place for it. */
  async #twinsOf(undecided: readonly Open[]): Promise<ReadonlyMap<WorkspacePath, WorkspacePath>> {
    const there = undecided.flatMap(({ one }) => (one.now === undefined ? [] : [one.path]));
    const own = undecided.flatMap(({ one, entry }) =>
      one.now !== undefined || entry === undefined ? [] : [entry.path],
    );
    const clashes = await this.#pace.run(clashesWithin([...there, ...own]));
    return new Map(clashes.map(({ path, by }) => [path, by]));
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
