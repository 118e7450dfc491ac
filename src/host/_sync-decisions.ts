// Owns: which files of a directory need a decision, and what the decisions that a sync is given mean for each of them.
// Must never: decide on a file because of one beside it, but on those that leave no place for a file that is decided on.

import { HoldfastError, say } from "../errors.ts";
import { foldText, parsePath, segmentsOf, type WorkspacePath } from "../path/index.ts";
import { fileAt, obstaclesSteps } from "../session/files/file-state.ts";
import type { SessionCore } from "../session/transact.ts";
import { Pacer } from "../text/steps.ts";
import { clashesWithin } from "./_name-clashes.ts";
import type { OutsideBody } from "./_outside-file.ts";
import { filesIn } from "./_past-versions.ts";
import type { TakenSides } from "./_take-sides.ts";
import type { Mirror } from "./mirror.ts";

/** A path that was changed in the directory, and what is there now. */
interface Found {
  readonly path: WorkspacePath;
  readonly body: OutsideBody | undefined;
}

export interface SyncDecisions {
  /** The paths that need one: changed on both sides, or without a place in the session. */
  readonly isOpen: ReadonlySet<WorkspacePath>;
  /** The side of each path that is decided on. */
  readonly take: TakenSides;
  /** Files that the directory is to lose, and that come and go so that each is in the history. */
  readonly passing: ReadonlySet<WorkspacePath>;
}

/** Throws `invalid_argument` for decisions that are not asked for or exclude one another, and `conflict` / `in_the_way`. */
export async function decisionsOf(
  core: SessionCore,
  mirror: Mirror,
  found: readonly Found[],
  named: TakenSides,
): Promise<SyncDecisions> {
  const blocked = await blockedIn(core, mirror, found);
  const open = found.filter(({ path }) => mirror.isDiverged(path) || blocked.has(path));
  const isOpen = new Set(open.map(({ path }) => path));
  for (const path of named.keys()) if (!isOpen.has(path)) throw notDiverged(path);
  refuseTwins(core, named, found, isOpen);
  const twins = await twinsAmong(found);
  const take = withOthers(core, named, open, twins);
  refuseSessionSides(core, mirror, found, take);
  return { isOpen, take, passing: passingIn(core, take, twins) };
}

/** Files of the directory that the session has no place for, though it never had one there: an import without `take` leaves them. */
async function blockedIn(
  core: SessionCore,
  mirror: Mirror,
  found: readonly Found[],
): Promise<ReadonlySet<WorkspacePath>> {
  const files = filesIn(core.timeline.state);
  const coming: WorkspacePath[] = [];
  const going: WorkspacePath[] = [];
  for (const { path, body } of found) {
    if (mirror.isDiverged(path)) continue;
    if (body === undefined) going.push(path);
    else if (fileAt(files, path) === undefined) coming.push(path);
  }
  const clashes = await new Pacer().run(obstaclesSteps(files, coming, going));
  return new Set(clashes.map(({ path }) => path));
}

/**
 * Throws `bad_take` where a file of the directory that the session has none at is decided on beside a twin that the session has, or
 * that the same import would bring in, or where two of them are to come.
 */
function refuseTwins(
  core: SessionCore,
  named: TakenSides,
  found: readonly Found[],
  isOpen: ReadonlySet<WorkspacePath>,
): void {
  const files = filesIn(core.timeline.state);
  const there = found.filter(({ body }) => body !== undefined);
  for (const { path } of there) {
    const side = named.get(path);
    if (side === undefined || fileAt(files, path) !== undefined) continue;
    for (const { path: other } of there) {
      if (!leavesNoPlace(other, path)) continue;
      if (!isOpen.has(other) || fileAt(files, other) !== undefined) throw oneAfterTheOther(path, other);
      if (side === "outside" && named.get(other) === "outside") throw onlyOneOf(path, other);
    }
  }
}

/** A side that is taken for a path is taken for all of the other side that cannot be files beside it. */
function withOthers(
  core: SessionCore,
  named: TakenSides,
  open: readonly Found[],
  twins: ReadonlySet<WorkspacePath>,
): TakenSides {
  const files = filesIn(core.timeline.state);
  const there = new Set(open.flatMap(({ path, body }) => (body === undefined ? [] : [path])));
  // What comes decides on what is in its way, whatever else goes.
  const take = new Map([...named].sort(([, a], [, b]) => Number(a === "session") - Number(b === "session")));
  /** Of two files of the directory each is decided on for itself, and only one can come. */
  const isForItself = (path: WorkspacePath): boolean =>
    twins.has(path) &&
    [...take].some(
      ([twin, side]) =>
        twins.has(twin) && leavesNoPlace(twin, path) && (named.has(twin) || side === "outside"),
    );
  // The map grows while it is walked.
  for (const [path, side] of take)
    for (const { path: other } of open) {
      if (!leavesNoPlace(other, path) || (there.has(path) && there.has(other))) continue;
      const taken = take.get(other);
      if (taken === undefined) {
        if (!isForItself(other)) take.set(other, side);
        continue;
      }
      const [stays, comes] = side === "session" ? [path, other] : [other, path];
      if (taken !== side && fileAt(files, stays) !== undefined && there.has(comes))
        throw noPlaceForBoth(path, other);
    }
  return take;
}

/** The files of the directory where some of them leave no place for others; none where all have theirs. */
async function twinsAmong(found: readonly Found[]): Promise<ReadonlySet<WorkspacePath>> {
  const there = found.flatMap(({ path, body }) => (body === undefined ? [] : [path]));
  const clashes = await new Pacer().run(clashesWithin(there));
  return new Set(clashes.length === 0 ? [] : there);
}

/**
 * Files that the directory is to lose and that leave no place for another which is decided on: each is in the history, and gone
 * before the next comes.
 */
function passingIn(
  core: SessionCore,
  take: TakenSides,
  twins: ReadonlySet<WorkspacePath>,
): ReadonlySet<WorkspacePath> {
  const files = filesIn(core.timeline.state);
  const decided = [...take.keys()].filter((path) => twins.has(path));
  const passing = decided.filter(
    (path) =>
      take.get(path) === "session" &&
      fileAt(files, path) === undefined &&
      decided.some((other) => leavesNoPlace(other, path)),
  );
  return new Set(passing);
}

/** Whether one of two paths can be a file only where the other is none: it is above or below it, or a name of it differs only in case. */
function leavesNoPlace(path: WorkspacePath, other: WorkspacePath): boolean {
  if (path === other) return false;
  const [names, others] = [segmentsOf(path), segmentsOf(other)];
  const at = names.findIndex((name, i) => name !== others[i]);
  const [name, twin] = [names[at], others[at]];
  return name === undefined || twin === undefined || foldText(name) === foldText(twin);
}

/** Throws `conflict` / `in_the_way` where the session's file is to have a place that only what no session can hold would free. */
function refuseSessionSides(
  core: SessionCore,
  mirror: Mirror,
  found: readonly Found[],
  take: TakenSides,
): void {
  const files = filesIn(core.timeline.state);
  const read = new Set(found.flatMap(({ path, body }) => (body === undefined ? [] : [path])));
  for (const [path, side] of take) {
    if (side !== "session" || fileAt(files, path) === undefined) continue;
    const by = mirror.directory.obstacleTo(path);
    if (by === undefined) continue;
    const left = by === path ? mirror.directory.fileIn(path, (one) => read.has(one)) : by;
    if (left !== undefined && !read.has(left)) throw inTheWay(path, nameable(core, left) ?? by);
  }
}

/** Undefined for a path that has a name which no session could have. */
function nameable({ limits, names }: SessionCore, path: WorkspacePath): WorkspacePath | undefined {
  try {
    return parsePath(path, { kind: "file", limits, names });
  } catch {
    return undefined;
  }
}

function noPlaceForBoth(path: WorkspacePath, other: WorkspacePath): HoldfastError {
  return new HoldfastError(
    "invalid_argument",
    "bad_take",
    say`take: ${path} and ${other} cannot both be files. Take the same side for both.`,
  );
}

function oneAfterTheOther(path: WorkspacePath, other: WorkspacePath): HoldfastError {
  return new HoldfastError(
    "invalid_argument",
    "bad_take",
    say`take: ${path} and ${other} are both in the directory, and cannot both be files of the session. Settle ${other} first, in a sync without ${path}.`,
  );
}

function onlyOneOf(path: WorkspacePath, other: WorkspacePath): HoldfastError {
  return new HoldfastError(
    "invalid_argument",
    "bad_take",
    say`take: ${path} and ${other} are both in the directory, and cannot both be files of the session. Take "outside" for one of them, and leave the other out or take "session" for it, which removes it from the directory.`,
  );
}

function inTheWay(path: WorkspacePath, by: WorkspacePath): HoldfastError {
  return new HoldfastError(
    "conflict",
    "in_the_way",
    say`take: ${path} has no place in the directory: what is at ${by} there cannot be taken into the session. Move it away and sync again, or take "outside".`,
  );
}

function notDiverged(path: WorkspacePath): HoldfastError {
  return new HoldfastError(
    "invalid_argument",
    "not_diverged",
    say`take: ${path} needs no decision. Sync without it first to see which paths do.`,
  );
}
