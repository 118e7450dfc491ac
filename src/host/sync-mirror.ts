// Owns: importing what was changed in a mirror, and what becomes of paths that were changed on both sides.
// Must never: lose a side: the one that is not taken is in the history.

import { HoldfastError, say } from "../errors.ts";
import type { WorkspacePath } from "../path/index.ts";
import { commitAs, type Actor } from "../session/actor.ts";
import { EMPTY_CONTENT } from "../session/content.ts";
import { withContentDiff } from "../session/content-diff.ts";
import type { Draft } from "../session/draft.ts";
import type { FileBody } from "../session/files/file-change.ts";
import { fileAt, type FileEntry } from "../session/files/file-state.ts";
import { filesSlice } from "../session/files/files-slice.ts";
import type { DryRun } from "../session/history.ts";
import type { Unplaced } from "../session/outside.ts";
import type { SessionCore } from "../session/transact.ts";
import type { Position } from "../store/journal.ts";
import { hunksOfSteps } from "../text/index.ts";
import { showHunks } from "../text/show-hunks.ts";
import { Pacer } from "../text/steps.ts";
import { importInto } from "./import-changes.ts";
import { stageFile, using, type OutsideBody } from "./_outside-file.ts";
import { filesIn } from "./_past-versions.ts";
import { skipReasonOf } from "./_scan-mount.ts";
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

/** A path that was changed in the session and in the directory. */
export interface DivergedPath {
  /** Where. */
  readonly path: WorkspacePath;
  /** What the session has. */
  readonly session: DivergedSide;
  /** What the directory has. It stays there until one side is taken. */
  readonly outside: DivergedSide;
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
  /** Changed on both sides: neither was touched. Sync again with `take`. */
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
  const take = takenSides(core, request.take ?? {});
  await mirror.apply();
  const { changed, skipped } = await mirror.changes(request.gitignore);
  const found = await readAll(core, mirror, changed, skipped);
  for (const path of take.keys())
    if (!found.some((one) => one.path === path && mirror.isDiverged(path))) throw notDiverged(path);
  const wanted = found.filter(({ path }) => !mirror.isDiverged(path) || take.has(path));
  const late = new Set<WorkspacePath>();
  let made: Draft | undefined;
  const external: Actor = { agent: "external", role: "external", now: () => host.now() };
  const imports = await commitAs(
    core,
    external,
    "import",
    mirror.importRequest,
    async (draft) => {
      late.clear();
      made = draft;
      const now = wanted.filter(({ path, base }) => {
        if (take.has(path) || isStill(draft, path, base)) return true;
        late.add(path);
        return false;
      });
      const obstructed = await importInto(core, draft, now, external.now());
      const files = draft.state(filesSlice);
      return { now: now.map((one) => ({ ...one, as: fileAt(files, one.path) })), obstructed };
    },
    request.dryRun === true,
  );
  const { now, obstructed } = imports.value;
  for (const { path, reason } of obstructed) skipped.push({ path: mirror.directory.shownPath(path), reason });
  const isLeft = new Set(obstructed.map(({ path }) => path));
  const imported = now.filter(({ path }) => !isLeft.has(path));
  // What came from this directory is not in the folders that the session works in.
  const notes =
    imports.written && made !== undefined ? await core.outside.settled(imports.at, made) : undefined;
  let { at } = imports;
  if (request.dryRun !== true) {
    for (const path of late) mirror.diverge(path);
    at = await settle(core, host, mirror, imported, take, imports.written ? imports.at : undefined);
  }
  const left = found.filter(
    ({ path }) => (mirror.isDiverged(path) && !imported.some((one) => one.path === path)) || late.has(path),
  );
  const diverged: DivergedPath[] = [];
  for (const one of left) diverged.push(await showDiverged(core, one));
  return {
    at,
    ...listOf(imported, take),
    diverged,
    skipped: skipped.slice(0, SKIPPED_NAMED),
    skippedCount: skipped.length,
    unplaced: notes?.unplaced ?? [],
  };
}

/** Takes back what the session keeps of its own, and has the directory show all of it. */
async function settle(
  core: SessionCore,
  host: Actor,
  mirror: Mirror,
  imported: readonly (Found & { readonly as: FileBody | undefined })[],
  take: TakenSides,
  written: Position | undefined,
): Promise<Position> {
  const own = imported.filter(({ path }) => take.get(path) === "session");
  if (own.length > 0 && written !== undefined)
    await bringBack(
      core,
      host,
      own.map(({ path }) => path),
      written,
    );
  const now = Date.now();
  for (const { path, body, as } of imported) {
    mirror.agree(path);
    mirror.holds(path, body, as, now);
  }
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

async function showDiverged(core: SessionCore, { path, base, body }: Found): Promise<DivergedPath> {
  const entry = fileAt(filesIn(core.timeline.state), path);
  return {
    path,
    session: await sideOf(core, base, entry),
    outside: await sideOf(core, base, body),
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

function notDiverged(path: WorkspacePath): HoldfastError {
  return new HoldfastError(
    "invalid_argument",
    "not_diverged",
    say`take: ${path} was not changed on both sides. Sync without it first to see which paths were.`,
  );
}
