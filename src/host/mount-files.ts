// Owns: mounting: from what the host asked for to one record of the session.
// Must never: write to a host folder, or leave a mount half done.

import { HoldfastError, echo, say, type Shown } from "../errors.ts";
import type { Limits } from "../limits.ts";
import { commitAs, requestDigest, type Actor } from "../session/actor.ts";
import type { Draft } from "../session/draft.ts";
import { fileKey, isDirKey } from "../session/files/file-keys.ts";
import { fileAt, filesUnder, idForCreation } from "../session/files/file-state.ts";
import { filesSlice } from "../session/files/files-slice.ts";
import { creationOf, deletionOf, replacementOf } from "../session/files/make-change.ts";
import { wholeFile, type FolderFile } from "../session/folders/folder-file.ts";
import { holdChanges } from "../session/folders/folders-slice.ts";
import type { SessionCore } from "../session/transact.ts";
import { ROOT } from "../path/index.ts";
import type { Key } from "../store/journal.ts";
import { showName } from "../text/show.ts";
import { Pacer } from "../text/steps.ts";
import { copyMounts, type CopiedFile } from "./_copy-mounts.ts";
import { checkBounds, layMountsSteps, type MountBounds } from "./_lay-mounts.ts";
import { scanMount, type MountFile, type Scanned } from "./_scan-mount.ts";
import type { MountProgress, MountReport, ResolvedMount, SkipReason } from "./mount.ts";

/** Every mount touches it: of two at once, the second sees the first. */
const KEY = "mounts";
const SKIPPED_NAMED = 200;
/** Characters of a path that an error holds. */
const SHOWN_PATH = 1_000;
const PROGRESS_MS = 100;

export interface MountRun {
  readonly core: SessionCore;
  readonly actor: Actor;
  readonly mounts: readonly ResolvedMount[];
  readonly onProgress?: ((progress: MountProgress) => void) | undefined;
}

/** Files that are staged and wait for their record. */
export interface StagedMounts {
  readonly files: readonly CopiedFile[];
  readonly reports: readonly MountReport[];
}

/**
 * Mounts into a session that was not mounted yet, as one record; undefined when it was. Throws `conflict` / `already_mounted` when
 * it was mounted from elsewhere, and what {@link stageMounts} throws; then nothing is written.
 */
export async function mountFiles(run: MountRun): Promise<readonly MountReport[] | undefined> {
  const { core, actor, mounts } = run;
  const request = mounts.map(({ description }) => description);
  if (await isMounted(core, requestDigest("mount", request))) return undefined;
  const staged = await stageMounts(run);
  const { value } = await commitAs(core, actor, "mount", request, async (draft) => {
    if (await isMounted(core, requestDigest("mount", request))) return undefined;
    await putMounts(draft, staged, actor.now());
    return staged.reports;
  });
  return value;
}

async function isMounted({ journal }: SessionCore, request: string): Promise<boolean> {
  const [mounted] = await journal.records({ kind: "mount", limit: 1 });
  if (mounted === undefined) return false;
  if (mounted.request === request) return true;
  throw new HoldfastError(
    "conflict",
    "already_mounted",
    say`This session was mounted otherwise in record ${mounted.seq}. Open it with the same mounts or without any, or open a fresh session.`,
  );
}

/** Finds the files, checks that there is room beside what the session has (`anew`: without it), and copies them. Writes no record. */
export async function stageMounts(
  run: MountRun,
  onto: "present" | "anew" = "present",
): Promise<StagedMounts> {
  const { core, mounts } = run;
  const { limits, names } = core;
  const pace = new Pacer();
  const tally = new Tally(run.onProgress);
  const scans: Scanned[] = [];
  for (const mount of mounts)
    scans.push(
      await scanMount(mount, { limits, names, pace, progress: ({ size }) => tally.add("scan", size) }),
    );
  tally.end("scan");
  const files = await pace.run(layMountsSteps(scans));
  const room = onto === "present" ? await roomIn(core, files, pace) : roomOf(limits);
  checkBounds(files, mounts, room);
  tally.begin(files);
  await pace.step();
  const skipped = (file: MountFile, reason: SkipReason): void => {
    scans[mounts.indexOf(file.mount)]?.skipped.push({ path: file.shown, reason });
  };
  const copied = await copyMounts(core.journal, files, {
    fileBytes: limits.fileBytes,
    pace,
    copied: (_, size) => tally.add("copy", size),
    skipped,
  });
  tally.end("copy");
  for (const [i, mount] of mounts.entries()) if (mount.strict) refuseSkipped(mount, scans[i] as Scanned);
  checkBounds(await grown(copied, pace), mounts, room);
  await pace.step();
  const reports = await pace.map(mounts.entries(), ([i, mount]) =>
    reportOf(mount, scans[i] as Scanned, copied),
  );
  return { files: copied, reports };
}

function roomOf({ sessionFiles, sessionBytes }: Limits): MountBounds {
  return { files: sessionFiles, bytes: sessionBytes };
}

/** What the session has room for besides what these files replace. */
async function roomIn(
  { timeline, limits }: SessionCore,
  files: readonly MountFile[],
  pace: Pacer,
): Promise<MountBounds> {
  const state = timeline.state.slices.get(filesSlice.name) as ReturnType<typeof filesSlice.empty>;
  let [count, bytes] = [state.files.size, 0];
  for (const [, { content }] of state.files.entries()) {
    bytes += content.size;
    await pace.step();
  }
  for (const { path } of files) {
    await pace.step();
    const old = fileAt(state, path);
    if (old === undefined) continue;
    count--;
    bytes -= old.content.size;
  }
  return { files: limits.sessionFiles - count, bytes: limits.sessionBytes - bytes };
}

/** The files with the sizes that they had when they were read. */
function grown(copied: readonly CopiedFile[], pace: Pacer): Promise<MountFile[]> {
  return pace.map(copied, ({ file, body }) => ({ ...file, size: body.content.size }));
}

function refuseSkipped({ number }: ResolvedMount, { skipped }: Scanned): void {
  const [first] = skipped;
  if (first === undefined) return;
  throw new HoldfastError(
    "conflict",
    "mount_incomplete",
    say`Mount ${number} cannot take in ${skipped.length} entries; the first is ${echo(first.path)} (${shownReason(first.reason)}). Leave them out with exclude, or mount without strict. Nothing was written.`,
    {
      data: {
        skipped: skipped
          .slice(0, SKIPPED_NAMED)
          .map(({ path, reason }) => ({ path: showName(path, SHOWN_PATH), reason: shownReason(reason) })),
      },
    },
  );
}

/** Reasons are words of ours. */
function shownReason(reason: SkipReason): Shown {
  return reason as SkipReason & Shown;
}

function reportOf(mount: ResolvedMount, { skipped }: Scanned, copied: readonly CopiedFile[]): MountReport {
  const own = copied.filter(({ file }) => file.mount === mount);
  return {
    to: mount.to,
    files: own.length,
    bytes: own.reduce((sum, { body }) => sum + body.content.size, 0),
    skipped: skipped.slice(0, SKIPPED_NAMED),
    skippedCount: skipped.length,
  };
}

/** Puts staged files into a draft: created, or in the place of those that are there. */
export async function putMounts(draft: Draft, { files }: StagedMounts, created: Date): Promise<void> {
  const pace = new Pacer();
  const held: FolderFile[] = [];
  const replaced: Key[] = [];
  for (const { file, body } of files) {
    const { path } = file;
    const state = draft.state(filesSlice);
    const old = fileAt(state, path);
    const id = old?.id ?? idForCreation(state, path);
    draft.change(old === undefined ? creationOf({ id, path, ...body, created }) : replacementOf(old, body));
    if (old !== undefined) replaced.push(fileKey(path));
    held.push(wholeFile(folderPlace(file), id, body));
    await pace.step();
  }
  for (const change of holdChanges({ files: held, gone: [] }, true)) {
    draft.change(change);
    await pace.step();
  }
  draft.touched.add(KEY);
  // What others change in the same places meanwhile must be seen first. A name that comes or goes touches its directory.
  draft.depend([...draft.touched].filter((key) => key === KEY || isDirKey(key)));
  draft.depend(replaced);
}

/** Where a file is in the folders. */
export function folderPlace({
  mount,
  path,
  shown,
  way,
  name,
}: MountFile): Pick<FolderFile, "path" | "mount" | "isLinked"> {
  const isLinked = [...mount.way, shown].join("/") !== [...way, name].join("/");
  return { path, mount: mount.number, ...(isLinked ? { isLinked } : {}) };
}

/** Takes the files that a mount does not bring out of a draft: what a reset leaves of the files is the mounts. */
export async function dropOthers(draft: Draft, { files }: StagedMounts): Promise<void> {
  const mounted = new Set(files.map(({ file }) => file.path));
  const pace = new Pacer();
  for (const entry of filesUnder(draft.state(filesSlice), ROOT)) {
    if (!mounted.has(entry.path)) draft.change(deletionOf(entry));
    await pace.step();
  }
  draft.depend(draft.touched);
}

/** Counts and tells, not more often than a person can read. */
class Tally {
  readonly #tell: ((progress: MountProgress) => void) | undefined;
  #files = 0;
  #bytes = 0;
  #total: { readonly totalFiles?: number; readonly totalBytes?: number } = {};
  #told = performance.now();

  constructor(tell: ((progress: MountProgress) => void) | undefined) {
    this.#tell = tell;
  }

  begin(files: readonly MountFile[]): void {
    [this.#files, this.#bytes] = [0, 0];
    this.#total = { totalFiles: files.length, totalBytes: files.reduce((sum, { size }) => sum + size, 0) };
  }

  add(phase: MountProgress["phase"], bytes: number): void {
    this.#files++;
    this.#bytes += bytes;
    if (performance.now() - this.#told >= PROGRESS_MS) this.end(phase);
  }

  end(phase: MountProgress["phase"]): void {
    this.#told = performance.now();
    this.#tell?.({ phase, files: this.#files, bytes: this.#bytes, ...this.#total });
  }
}
