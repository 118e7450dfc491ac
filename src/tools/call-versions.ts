// Owns: step 5 of a writing call: the versions that it names, those that it must name, and what it is told of them.

import { HoldfastError, say, type Shown } from "../errors.ts";
import { ROOT, type WorkspacePath } from "../path/index.ts";
import { Draft } from "../session/draft.ts";
import { pathsChanged } from "../session/files/file-history.ts";
import { fileKey, pathOfFileKey } from "../session/files/file-keys.ts";
import { fileAt, type FilesState } from "../session/files/file-state.ts";
import { versionWanted } from "../session/files/workspace.ts";
import type { SessionCore } from "../session/transact.ts";
import { plural } from "../text/plural.ts";
import type { WriteCall } from "./call.ts";
import { Context } from "./context.ts";
import { canRebase } from "./rebased-files.ts";
import { staleVersion } from "./stale-version.ts";
import { fileTarget, type Target } from "./tool.ts";
import {
  basedPins,
  movedNames,
  newest,
  pinsOf,
  PLAIN_TOKENS,
  stalePins,
  versionRequired,
  type Pin,
  type PinnedKeys,
  type StaleBelow,
  type StalePin,
  type WriteToken,
} from "./versions.ts";

/** Waits until the state here is at least as new as a record that the caller is going to hear of. */
export async function reach({ frame }: WriteCall, seq: number): Promise<void> {
  const { timeline } = frame.core;
  if (seq > timeline.state.at.seq) await timeline.catchUp();
}

/** Writes tokens as this tool does, for the calling agent's view as it is now, once the state here is as new as they are. */
export function tokenWriter(write: WriteCall): WriteToken {
  const { tool, call, frame } = write;
  return async (at) => {
    await reach(write, at.seq);
    if (tool.tokens === undefined) return PLAIN_TOKENS.write(at, 0);
    const { rev } = await frame.views.load(call.agent.id);
    return tool.tokens.write(at, rev);
  };
}

/** The versions that the caller named, as they were sent. Throws when the tool requires one and there is none. */
export async function namedPins(core: SessionCore, write: WriteCall, ctx: Context): Promise<Pin[]> {
  const { call, tool, resolved, common, frame } = write;
  const form = tool.tokens ?? PLAIN_TOKENS;
  const pinnable = { targets: call.targets, mayChange: tool.mayChange?.(resolved) ?? [] };
  const pathOf = (name: string): WorkspacePath => {
    const path = ctx.path(name, "any");
    ctx.refuseHidden(path);
    return path;
  };
  const pins = pinsOf(common.expectedVersion, pinnable, pathOf, form);
  if (tool.version !== "required" || !frame.requireVersions) return pins;
  const required = call.targets.filter((one) => one.pin === "required");
  const first = call.targets.find((one) => one.pin === undefined);
  const isMissing = required.some(({ key }) => !pins.some((pin) => pin.key === key));
  const wanted = isMissing ? required : pins.length === 0 && first !== undefined ? [first] : [];
  if (wanted.length === 0) return pins;
  await throwIfForbidden(core, write);
  throw await versionRequired(core, wanted, write.frame.rules, tokenWriter(write));
}

const ALL_PINNED: PinnedKeys = { has: () => true };

/**
 * Throws the `forbidden` that the call meets whatever versions it names: nobody is told to send a version in vain. Which paths a tool
 * reaches, to read or to write, shows only when it runs: this is the one run of a call that is going to be refused.
 */
async function throwIfForbidden({ slices, timeline }: SessionCore, write: WriteCall): Promise<void> {
  const { call, tool, resolved, frame } = write;
  const draft = new Draft(slices, timeline.state, call.time, call.agent.id);
  const ctx = new Context(frame, draft, call.time, "state", ALL_PINNED);
  try {
    await ctx.during(() => tool.run(ctx, resolved));
  } catch (error) {
    if (HoldfastError.is(error) && error.code === "forbidden") throw error;
  }
}

/** Throws where a rule wants the versions of files that a call has changed and not named: all that it must name are told. */
export async function requireFileVersions(
  core: SessionCore,
  write: WriteCall,
  draft: Draft,
  pins: readonly Pin[],
  named: PinnedKeys,
): Promise<void> {
  const { call, tool, frame } = write;
  const before = draft.base.slices.get("files") as FilesState;
  const isUnnamed = (path: WorkspacePath): boolean =>
    frame.rules.of(path).version && fileAt(before, path) !== undefined && !named.has(fileKey(path));
  const unnamed = [...new Set(pathsChanged(draft.changes))].filter(isUnnamed);
  const [first] = unnamed;
  if (first === undefined) return;
  const targets = call.targets.filter(({ pin }) => pin !== "optional" && pin !== "read");
  // Of a call whose files show only when it has run, those; else the targets among which they are.
  const wanted =
    tool.mayChange === undefined
      ? targets.filter((target) => isPinnedOrUnnamed(target, pins, isUnnamed))
      : [...pins.map(({ target }) => target), ...unnamed.map(fileTarget)];
  const isMap = tool.mayChange !== undefined || targets.length > 1;
  const at = fileAt(before, first)?.at;
  if (at !== undefined && (wanted.length === 0 || (!isMap && wanted[0]?.below === undefined)))
    throw versionWanted(first, await tokenWriter(write)(at));
  const given = new Map(pins.map(({ key, seq, hash }) => [key, { seq, hash }]));
  throw await versionRequired(core, wanted, frame.rules, tokenWriter(write), { given, isMap });
}

function isPinnedOrUnnamed(
  { key, below }: Target,
  pins: readonly Pin[],
  isUnnamed: (path: WorkspacePath) => boolean,
): boolean {
  if (below !== undefined || pins.some((pin) => pin.key === key)) return true;
  const path = pathOfFileKey(key);
  return path !== undefined && isUnnamed(path);
}

/** Versions that the caller named: those that must be current, and those of files whose edits may be rebased. */
interface Named {
  readonly pins: readonly Pin[];
  readonly bases: readonly Pin[];
}

/** The versions that the caller named, still current where they must be; the state is at least as new as they are. */
export async function pinned(core: SessionCore, write: WriteCall, ctx: Context): Promise<Named> {
  const named = [...(await namedPins(core, write, ctx))];
  const isRebase = write.common.onConflict === "rebase";
  for (const pin of isRebase ? basedPins(write.tool.based?.(write.resolved) ?? [], PLAIN_TOKENS) : [])
    if (!named.some(({ key }) => key === pin.key)) named.push(pin);
  if (named.length === 0) return { pins: [], bases: [] };
  const mayMove = (pin: Pin): boolean => isRebase && pathOfFileKey(pin.key) !== undefined;
  const { rules } = write.frame;
  const stale = await stalePins(core, named, rules, tokenWriter(write));
  const refused = [...stale.filter(({ pin }) => !mayMove(pin)), ...(await movedNames(core, named, rules))];
  if (refused.length > 0) {
    await throwIfForbidden(core, write);
    throw await stalePinned(core, write, refused);
  }
  await reach(write, Math.max(...named.map((pin) => pin.seq)));
  return { pins: named.filter((pin) => !mayMove(pin)), bases: named.filter(mayMove) };
}

/** The same once more for directories, of the state that the call is planned on: throws where names came or went there. */
export async function refuseMovedNames(
  core: SessionCore,
  write: WriteCall,
  draft: Draft,
  pins: readonly Pin[],
): Promise<void> {
  draft.depend(pins.flatMap(({ key, target }) => (target.below === undefined ? [] : [key])));
  const moved = await movedNames(core, pins, write.frame.rules, draft.base.at.seq);
  if (moved.length > 0) throw await stalePinned(core, write, moved);
}

export async function stalePinned(
  core: SessionCore,
  write: WriteCall,
  stale: readonly StalePin[],
): Promise<HoldfastError> {
  const may = write.tool.rebase === undefined ? [] : stale.map(({ pin }) => canRebase(core, pin));
  const advice = may.length > 0 && (await Promise.all(may)).every(Boolean) ? { advice: REBASE_ADVICE } : {};
  return staleVersion(core, stale, tokenWriter(write), { ...advice, rules: write.frame.rules });
}

/** The refusal of a directory's version below which the call would change files that have changed since. */
export async function filesChangedBelow(
  core: SessionCore,
  write: WriteCall,
  { pin, paths }: StaleBelow,
): Promise<HoldfastError> {
  const [first = ROOT, ...others] = paths;
  const more = others.length === 0 ? say`` : say` and ${plural(others.length, "more file") as Shown}`;
  const happened = say`has changed since the version you named, in ${first}${more}`;
  const { rules } = write.frame;
  const latest = await newest(core, pin.target, core.journal.genesis, rules);
  // Of one file it can be shown what changed.
  const shown = others.length === 0 ? { ...pin, key: fileKey(first) } : pin;
  return staleVersion(core, [{ pin: shown, latest }], tokenWriter(write), { happened, rules });
}

const REBASE_ADVICE = say`, or with your token and onConflict "rebase"`;
