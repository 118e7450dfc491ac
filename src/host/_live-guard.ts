// Owns: what a live folder has against a call before anything is committed: what is in its way there, and what the system forbids.
// Must never: write, or read what files hold.

import { join } from "node:path";
import type { WorkspacePath } from "../path/index.ts";
import type { Draft } from "../session/draft.ts";
import { fileAt, filesUnder } from "../session/files/file-state.ts";
import type { SessionCore } from "../session/transact.ts";
import { otherLiveIn } from "./_live-lock.ts";
import { existsOutside, liveThere, notPermitted, notTracked, whyUntracked } from "./_live-refusal.ts";
import type { MirroredDirectory } from "./_mirrored-directory.ts";
import { filesIn } from "./_past-versions.ts";
import type { ResolvedMount } from "./mount.ts";

export interface Guarded {
  readonly core: SessionCore;
  readonly mount: ResolvedMount;
  readonly directory: MirroredDirectory;
}

/** The paths of a draft in the folder. */
export interface GuardedPaths {
  /** Those that it changes. */
  readonly touched: readonly WorkspacePath[];
  /** Those whose stats do not say that they hold what they should. */
  readonly left: readonly WorkspacePath[];
  /** Those of them that the call is about. */
  readonly asked: readonly WorkspacePath[];
}

/** Throws what keeps a draft from being committed, once all that could be imported was. */
export function refuseOutside(guarded: Guarded, draft: Draft, { touched, left, asked }: GuardedPaths): void {
  const { directory } = guarded;
  refuseUntracked(guarded, draft, touched, left);
  for (const path of touched) refuseElsewhere(guarded, path);
  for (const path of touched) if (!directory.permits(path, "write")) throw notPermitted(path, "write");
  for (const path of asked) if (!directory.permits(path, "read")) throw notPermitted(path, "read");
}

/** What is in the folder where the session has nothing could not be taken in: it is in the way. */
function refuseUntracked(
  { core, directory }: Guarded,
  draft: Draft,
  touched: readonly WorkspacePath[],
  left: readonly WorkspacePath[],
): void {
  for (const path of createdBy(draft, touched))
    if (
      directory.statOf(path) !== undefined ||
      directory.isTaken(path, (twin) => isLeaving(directory, draft, twin))
    )
      throw existsOutside(path);
  for (const path of left) {
    if (fileAt(filesIn(draft.base), path) !== undefined) continue;
    const stat = directory.statOf(path);
    if (stat !== undefined && !stat.isDirectory()) throw notTracked(path, whyUntracked(stat, core.limits));
  }
}

/** Does a draft take away what is at a path: a file, or a directory with nothing in it but files that go? */
function isLeaving(directory: MirroredDirectory, draft: Draft, path: WorkspacePath): boolean {
  const [base, made] = [filesIn(draft.base), filesIn(draft.made)];
  const goes = (one: WorkspacePath): boolean =>
    fileAt(base, one) !== undefined && fileAt(made, one) === undefined;
  const hasFiles = filesUnder(base, path)[Symbol.iterator]().next().done !== true;
  return goes(path) || (hasFiles && directory.fileIn(path, goes) === undefined);
}

/** A session may have become live in a directory that this folder leaves out. */
function refuseElsewhere({ core, mount, directory }: Guarded, path: WorkspacePath): void {
  const { way } = directory.placeOf(path);
  for (const depth of way.keys()) {
    const folder = join(mount.root, ...mount.way, ...way.slice(0, depth + 1));
    const other = otherLiveIn(folder, core.journal.id, mount.pin);
    if (other !== undefined) throw liveThere(path, other);
  }
}

/** Paths at which a draft makes files. */
export function createdBy(draft: Draft, paths: readonly WorkspacePath[]): WorkspacePath[] {
  const [base, made] = [filesIn(draft.base), filesIn(draft.made)];
  return paths.filter((path) => fileAt(base, path) === undefined && fileAt(made, path) !== undefined);
}
