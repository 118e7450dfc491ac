// Owns: making the state what it was at another position, as changes of a new commit.

import { HoldfastError, say, sayAll } from "../errors.ts";
import { parsePath, type WorkspacePath } from "../path/index.ts";
import type { Change } from "../store/journal.ts";
import { StaleDraft, type Draft } from "./draft.ts";
import { Pacer } from "../text/steps.ts";
import { broughtBack, filesMade, requireNameable } from "./files/nameable.ts";
import { requireTellable, type HistoryCaller } from "./history-caller.ts";
import { positionOf, type PositionRef } from "./position-ref.ts";
import { restoredKey } from "./record-keys.ts";
import type { AnySlice, Refusal } from "./slice.ts";
import { sliceOf, type SessionState } from "./state.ts";
import type { SessionCore } from "./transact.ts";

/** Which part of the state: all of it, the files at or under a path, or one slice, within a scope of its own. */
export interface Part {
  /** A file or directory. */
  readonly path?: string;
  /** One kind of state: `files`, `tree`, `gates`. */
  readonly slice?: string;
  /** A part of the slice: for trees the id of one. */
  readonly scope?: string;
}

/** What to restore, and to which position. */
export interface RestoreRequest extends Part {
  /** The position, or the id of a snapshot. */
  readonly to: PositionRef;
}

/** What a restore changed. */
export interface Restored {
  /** How many changes it took, by slice. */
  readonly changes: Readonly<Record<string, number>>;
}

export interface PartOfSlice {
  readonly slice: AnySlice;
  readonly scope?: string;
}

/** The slices that a part names, each with its scope. Throws `invalid_argument` for a part that makes no sense. */
export function slicesOf(core: SessionCore, part: Part): PartOfSlice[] {
  if (part.path !== undefined) {
    if (part.slice !== undefined && part.slice !== "files") throw badPart();
    const { limits, names } = core;
    const scope: WorkspacePath = parsePath(part.path, { kind: "any", allowRoot: true, limits, names });
    return [{ slice: sliceOf(core.slices, "files"), scope }];
  }
  if (part.slice !== undefined) {
    const slice = core.slices.get(part.slice);
    if (slice === undefined) throw badPart();
    return [part.scope === undefined ? { slice } : { slice, scope: part.scope }];
  }
  if (part.scope !== undefined) throw badPart();
  return [...core.slices.values()].map((slice) => ({ slice }));
}

function badPart(): HoldfastError {
  return new HoldfastError(
    "invalid_argument",
    "bad_part",
    say`Name a path, or a slice of this session and a scope in it, or nothing for all.`,
  );
}

/** Puts into `draft` what makes a part of the state what it was. Throws `conflict` / `restore_refused`, listing all. */
export async function planRestore(
  core: SessionCore,
  draft: Draft,
  request: RestoreRequest,
  caller?: HistoryCaller,
): Promise<Restored> {
  const past = await core.timeline.past(positionOf(request.to));
  return restoreState(core, draft, past, slicesOf(core, request), caller);
}

/** Puts into `draft` what turns its state into `target`, in the parts named. */
export async function restoreState(
  core: SessionCore,
  draft: Draft,
  target: SessionState,
  parts: readonly PartOfSlice[],
  caller?: HistoryCaller,
): Promise<Restored> {
  if ((await core.timeline.catchUp()).at.seq > draft.base.at.seq) throw new StaleDraft();
  const counts: Record<string, number> = {};
  const refusals: Refusal[] = [];
  const pace = new Pacer(caller?.signal);
  for (const { slice, scope } of parts) {
    const from = draft.base.slices.get(slice.name);
    const to = target.slices.get(slice.name);
    const changes: Iterable<Change | undefined> | AsyncIterable<Change | undefined> =
      slice.restore?.(from, to, target.at.seq, scope, core.journal) ?? slice.between(from, to, scope);
    for await (const change of changes) {
      if (change === undefined) {
        await pace.step();
        continue;
      }
      refusals.push(...(await draft.changeAll([await draft.prepare(change)])));
      counts[slice.name] = (counts[slice.name] ?? 0) + 1;
      await pace.step();
    }
    // The changes of files say themselves what they restore.
    if (slice.name !== "files" && counts[slice.name] !== undefined)
      draft.targets.push(restoredKey(target.at.seq, slice.name));
  }
  requireTellable(caller, refusals);
  if (refusals.length > 0) throw refusedRestore(refusals);
  await requireNameable(filesMade(draft, caller), core, broughtBack);
  // What others change in the same places meanwhile must be seen first; their other changes do not matter.
  draft.depend(draft.touched);
  return { changes: counts };
}

function refusedRestore(refusals: readonly Refusal[]): HoldfastError {
  const messages = refusals.map(({ message }) => message);
  return new HoldfastError(
    "conflict",
    "restore_refused",
    say`Nothing was restored: ${sayAll(messages, "; ")}. Move what is in the way, or restore a larger part.`,
    { data: { refusals: messages } },
  );
}
