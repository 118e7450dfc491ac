// Owns: importing what was changed in a mirror, and what becomes of paths that were changed on both sides.
// Must never: lose a side: the one that is not taken is in the history.

import type { WorkspacePath } from "../path/index.ts";
import { commitAs, type Actor } from "../session/actor.ts";
import { EMPTY_CONTENT } from "../session/content.ts";
import { withContentDiff } from "../session/content-diff.ts";
import type { Draft } from "../session/draft.ts";
import type { FileBody } from "../session/files/file-change.ts";
import { fileAt, obstacle, type FileEntry, type FilesState } from "../session/files/file-state.ts";
import { filesSlice } from "../session/files/files-slice.ts";
import type { DryRun } from "../session/history.ts";
import type { Unplaced } from "../session/outside.ts";
import type { SessionCore } from "../session/transact.ts";
import type { Position } from "../store/journal.ts";
import { hunksOfSteps } from "../text/index.ts";
import { showHunks } from "../text/show-hunks.ts";
import { Pacer } from "../text/steps.ts";
import { filesInTheWay, importInto, type Imported } from "./import-changes.ts";
import { clashesWithin } from "./_name-clashes.ts";
import { stageFile, using, type OutsideBody } from "./_outside-file.ts";
import { filesIn } from "./_past-versions.ts";
import { skipReasonOf } from "./_scan-mount.ts";
import { decisionsOf } from "./_sync-decisions.ts";
import { bringBack, takenSides, type TakenSides } from "./_take-sides.ts";
import type { Mirror, OutsideChange } from "./mirror.ts";
import type { SkippedEntry, SkipReason } from "./mount.ts";

/** What to do with paths that were changed on both sides. */
export interface SyncRequest {
  /** By path: whose text the session has from now on. The other one stays in the history. */
  readonly take?: Readonly<Record<string, "outside" | "session">>;
  /** Leave new files out that `.gitignore` files of the directory name, `.git` and `node_modules`. Files that the session has count always. */
  readonly gitignore?: boolean;
}

/** One side of a path that was changed on both. */
export interface DivergedSide {
  /** False: it was deleted on this side. */
  readonly exists: boolean;
  /** Bytes in it. */
  readonly size: number;
  /** What this side changed since the two were last equal, as hunks; absent for what is not text, or too large to compare. */
  readonly changes?: string;
}

/** A path that was changed in the session and in the directory, or a file of the directory that the session has no place for. */
export interface DivergedPath {
  /** Where. */
  readonly path: WorkspacePath;
  /** What the session has. */
  readonly session: DivergedSide;
  /** What the directory has. It stays there until one side is taken. */
  readonly outside: DivergedSide;
  /** A file of the one side that leaves no place for the other's. A side that is taken for this path is taken for that one too. */
  readonly inTheWay?: WorkspacePath;
}

/** What a `sync` imported, and what it left. */
export interface SyncReport {
  /** The position after it; with `dryRun` the present one. */
  readonly at: Position;
  /** Files that came. */
  readonly created: readonly WorkspacePath[];
  /** Files that have other content, or another executable bit. */
  readonly changed: readonly WorkspacePath[];
  /** Files that went. */
  readonly deleted: readonly WorkspacePath[];
  /** Changed on both sides, or without a place in the session: neither side was touched. Sync again with `take`. */
  readonly diverged: readonly DivergedPath[];
  /** The first 200 entries that cannot be taken in. They stay where they are. */
  readonly skipped: readonly SkippedEntry[];
  /** How many there are. */
  readonly skippedCount: number;
  /** Paths that a live folder does not show yet, because the system did not write them there. They are tried again. */
  readonly unplaced: readonly Unplaced[];
}

interface Found extends OutsideChange {
  readonly body: OutsideBody | undefined;
}

const TRIES = 3;
const SKIPPED_NAMED = 200;
const SHOWN_CHARS = 8_000;

/** Imports as the owner of a mirror. Throws `invalid_argument` for a `take` that cannot be. */
export async function syncMirror(
  core: SessionCore,
  host: Actor,
  mirror: Mirror,
  request: SyncRequest & DryRun,
): Promise<SyncReport> {
  const named = takenSides(core, request.take ?? {});
  mirror.retry();
  await mirror.apply();
  const { changed, skipped } = await mirror.changes(request.gitignore);
  const found = await readAll(core, mirror, changed, skipped);
  const { isOpen, take, passing } = await decisionsOf(core, mirror, found, named);
  // What is undecided stays where it is, though a decision on another may clear its place.
  const wanted = found.filter(({ path }) => !isOpen.has(path) || take.has(path));
  const late = new Set<WorkspacePath>();
  const sidesTaken = new Set(take.values());
  const back = bringBack(host);
  let made: Draft | undefined;
  /** What the session has after all, also in a dry run. */
  let last: Draft | undefined;
  const external: Actor = { agent: "external", role: "external", now: () => host.now() };
  const imports = await commitAs(
    core,
    external,
    "import",
    sidesTaken.has("outside") || passing.size > 0 ? mirror.clearingRequest : mirror.importRequest,
    async (draft) => {
      late.clear();
      made = last = draft;
      const now = wanted.filter(({ path, base }) => {
        if (take.has(path) || isStill(draft, path, base)) return true;
        late.add(path);
        return false;
      });
      const before = draft.state(filesSlice);
      // What is taken has its place: what was in its way goes, or comes back with the session's side.
      const cleared = new Map<WorkspacePath, "outside" | "session">();
      for (const { path, body } of now) {
        const side = body === undefined ? undefined : take.get(path);
        if (side === undefined) continue;
        for (const { path: by } of filesInTheWay(before, path))
          if (cleared.get(by) !== "outside") cleared.set(by, side);
      }
      for (const { path } of now) cleared.delete(path);
      const obstructed = new Set<WorkspacePath>();
      const bring = async (imported: readonly Imported[]): Promise<void> => {
        for (const path of await importInto(core, draft, imported, external.now())) obstructed.add(path);
      };
      await bring([...now.filter(({ body }) => body === undefined), ...goneOf(cleared.keys())]);
      for (const one of now)
        if (passing.has(one.path)) {
          await bring([one]);
          await bring(goneOf([one.path]));
        }
      await bring(now.filter(({ path, body }) => body !== undefined && !passing.has(path)));
      const files = draft.state(filesSlice);
      const imported = now
        .filter(({ path }) => !obstructed.has(path))
        .map((one) => ({ ...one, as: fileAt(files, one.path) }));
      const sides = new Map([...take, ...cleared]);
      const sessionPaths = [...imported.map(({ path }) => path), ...cleared.keys()].filter(
        (path) => sides.get(path) === "session",
      );
      return { imported, obstructed, cleared, sessionPaths, before: draft.base };
    },
    request.dryRun === true,
    sidesTaken.has("session")
      ? {
          ...back,
          async plan(draft, value) {
            await back.plan(draft, value);
            last = draft;
          },
        }
      : undefined,
  );
  const { imported, obstructed, cleared } = imports.value;
  const files = last?.state(filesSlice) ?? filesIn(core.timeline.state);
  // What came from this directory is not in the folders that the session works in.
  const notes =
    imports.written && made !== undefined ? await core.outside.settled(imports.at, made) : undefined;
  let { at } = imports;
  if (request.dryRun !== true) {
    for (const path of late) mirror.diverge(path);
    at = await settle(core, mirror, imported);
  }
  const isImported = new Set(imported.map(({ path }) => path));
  const left = found.filter(
    ({ path }) => (isOpen.has(path) && !isImported.has(path)) || late.has(path) || obstructed.has(path),
  );
  const absent = await obstaclesOfAbsent(left);
  const diverged: DivergedPath[] = [];
  for (const one of left) diverged.push(await showDiverged(core, mirror, files, one, absent));
  const gone = [...cleared].flatMap(([path, side]) => (side === "outside" ? [path] : []));
  const { deleted, ...lists } = listOf(imported, take);
  return {
    at,
    ...lists,
    deleted: [...deleted, ...gone],
    diverged,
    skipped: skipped.slice(0, SKIPPED_NAMED),
    skippedCount: skipped.length,
    unplaced: notes?.unplaced ?? [],
  };
}

function goneOf(paths: Iterable<WorkspacePath>): { path: WorkspacePath; body: undefined }[] {
  return Array.from(paths, (path) => ({ path, body: undefined }));
}

/** What leaves no place in the directory for a file of the session. A directory without files is no obstacle. */
function obstacleIn({ directory }: Mirror, path: WorkspacePath): WorkspacePath | undefined {
  const by = directory.obstacleTo(path);
  return by === path && directory.fileIn(path) === undefined ? undefined : by;
}

/** Has the directory show what the session has. */
async function settle(
  core: SessionCore,
  mirror: Mirror,
  imported: readonly (Found & { readonly as: FileBody | undefined })[],
): Promise<Position> {
  const now = Date.now();
  for (const { path, body, as } of imported) {
    mirror.agree(path);
    mirror.holds(path, body, as, now);
  }
  mirror.retry();
  await mirror.apply();
  return core.timeline.state.at;
}

/** Whether the session still has what was in place. */
function isStill(draft: Draft, path: WorkspacePath, base: FileEntry | undefined): boolean {
  const entry = draft.reader(filesSlice).file(path);
  if (entry === undefined || base === undefined) return entry === base;
  return entry.version === base.version && entry.id === base.id;
}

/** Stages what is there. What cannot be read is skipped; what the session has already is no difference. */
async function readAll(
  core: SessionCore,
  mirror: Mirror,
  changed: readonly OutsideChange[],
  skipped: SkippedEntry[],
): Promise<Found[]> {
  const pace = new Pacer();
  const found: Found[] = [];
  for (const change of changed) {
    const { path, isThere } = change;
    const body = isThere ? await readOutside(core, mirror, path, pace) : undefined;
    if (typeof body === "string") skipped.push({ path: mirror.directory.shownPath(path), reason: body });
    else if (isThere && body === undefined) continue;
    else if (mirror.isDiverged(path) && (await isAgreed(core, path, body, pace))) mirror.agree(path);
    else found.push({ ...change, body });
  }
  return found;
}

/** The file at a path, staged; why it cannot be; or undefined when it is gone. */
export async function readOutside(
  core: SessionCore,
  mirror: Mirror,
  path: WorkspacePath,
  pace: Pacer,
): Promise<OutsideBody | SkipReason | undefined> {
  for (let tries = 0; tries < TRIES; tries++)
    try {
      const body = await mirror.directory.read(path, (directory, name) =>
        using(directory.openFile(name, { maxBytes: core.limits.fileBytes }), async (file) => {
          return (await stageFile(core.journal, file, pace)) ?? "changing";
        }),
      );
      if (body !== "changing") return body;
    } catch (error) {
      return skipReasonOf(error);
    }
  return "changing";
}

async function isAgreed(
  core: SessionCore,
  path: WorkspacePath,
  body: FileBody | undefined,
  pace: Pacer,
): Promise<boolean> {
  const entry = fileAt(filesIn(core.timeline.state), path);
  if (entry === undefined || body === undefined) return entry === body;
  if (entry.executable !== body.executable || entry.content.size !== body.content.size) return false;
  const { diffBytes } = core.limits;
  return withContentDiff(core.journal, entry.content, body.content, diffBytes, pace, async ({ splices }) => {
    return splices?.length === 0;
  });
}

function listOf(
  imported: readonly Found[],
  take: TakenSides,
): Pick<SyncReport, "created" | "changed" | "deleted"> {
  const lists = {
    created: [] as WorkspacePath[],
    changed: [] as WorkspacePath[],
    deleted: [] as WorkspacePath[],
  };
  for (const { path, base, body } of imported) {
    if (take.get(path) === "session") continue;
    lists[body === undefined ? "deleted" : base === undefined ? "created" : "changed"].push(path);
  }
  return lists;
}

/** Of paths that the directory has no file at: a file of it that leaves no place for one there. */
async function obstaclesOfAbsent(left: readonly Found[]): Promise<ReadonlyMap<WorkspacePath, WorkspacePath>> {
  const there = left.filter(({ body }) => body !== undefined);
  const absent = left.filter(({ body }) => body === undefined);
  const paths = [...there, ...absent].map(({ path }) => path);
  const clashes = await new Pacer().run(clashesWithin(paths));
  return new Map(clashes.map(({ path, by }) => [path, by]));
}

async function showDiverged(
  core: SessionCore,
  mirror: Mirror,
  files: FilesState,
  { path, base, body }: Found,
  twins: ReadonlyMap<WorkspacePath, WorkspacePath>,
): Promise<DivergedPath> {
  const entry = fileAt(files, path);
  const by =
    entry === undefined
      ? body && obstacle(files, path)?.by
      : body === undefined
        ? (obstacleIn(mirror, path) ?? twins.get(path))
        : undefined;
  return {
    path,
    session: await sideOf(core, base, entry),
    outside: await sideOf(core, base, body),
    ...(by === undefined ? {} : { inTheWay: by }),
  };
}

async function sideOf(
  core: SessionCore,
  base: FileBody | undefined,
  side: FileBody | undefined,
): Promise<DivergedSide> {
  const [before, after] = [base?.content ?? EMPTY_CONTENT, side?.content ?? EMPTY_CONTENT];
  const is = { exists: side !== undefined, size: after.size };
  if (base?.encoding === "binary" || side?.encoding === "binary") return is;
  const pace = new Pacer();
  const { journal, limits } = core;
  return withContentDiff(
    journal,
    before,
    after,
    limits.diffBytes,
    pace,
    async ({ before: text, splices }) => {
      if (splices === undefined) return is;
      const hunks = await pace.run(hunksOfSteps(text, splices, { budget: SHOWN_CHARS }));
      return { ...is, changes: showHunks(hunks) };
    },
  );
}
