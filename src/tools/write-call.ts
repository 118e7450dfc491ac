// Owns: steps 4 to 7, which only writes take: idempotency, versions, run, commit.

import { HoldfastError, say, type Shown } from "../errors.ts";
import type { Limits } from "../limits.ts";
import { ROOT } from "../path/index.ts";
import { Draft } from "../session/draft.ts";
import { fileKey, pathOfFileKey } from "../session/files/file-keys.ts";
import { fileAt, type FilesState } from "../session/files/file-state.ts";
import { policySlice } from "../session/policy.ts";
import { transact, type SessionCore, type Intent, type Outcome } from "../session/transact.ts";
import type { Journal, Position } from "../store/journal.ts";
import type { Json } from "../value.ts";
import type { Call, Input } from "./call.ts";
import { plural } from "../text/plural.ts";
import { throwIfAborted } from "../text/steps.ts";
import { Context, type CallFrame } from "./context.ts";
import type { WriteArguments } from "./input.ts";
import { PolicyChanged } from "./policy-in-force.ts";
import { RebasedFiles } from "./rebased-files.ts";
import { rendered, tokenIn, withFields } from "./render.ts";
import { requestHash } from "./request-hash.ts";
import type { CallDone, CallResult } from "./result.ts";
import { staleVersion } from "./stale-version.ts";
import type { Target, Tool } from "./tool.ts";
import {
  newest,
  pinnedKeys,
  pinsOf,
  PLAIN_TOKENS,
  staleBelow,
  stalePins,
  versionRequired,
  type Pin,
  type StaleBelow,
  type StalePin,
  type WriteToken,
} from "./versions.ts";
import type { ViewChange } from "./view-rows.ts";

/** One writing call: the tool, what was sent, and where it runs. */
export interface WriteCall {
  readonly call: Call;
  readonly tool: Tool;
  readonly input: Input;
  /** What the tool made of the input. */
  readonly resolved: unknown;
  readonly common: WriteArguments;
  readonly frame: CallFrame;
  /** The state that the call began with. */
  readonly begin: Context;
}

/** Takes a write through its steps. Throws what stops it. */
export async function writeCall(core: SessionCore, write: WriteCall): Promise<CallResult> {
  const { call, tool, input, resolved, common, frame, begin } = write;
  const { limits } = frame;
  const dryRun = common.dryRun === true;
  const once = dryRun ? undefined : onceOf(common.idempotencyKey, limits);
  const request = requestHash(tool.name, input);
  const stored = once === undefined ? undefined : await replayOf(core.journal, write, begin, once, request);
  if (stored !== undefined) return replayed(write, stored.result, stored.at);

  const { pins, bases } = await pinned(core, write, begin);
  const intent: Intent = {
    kind: tool.kind,
    agent: call.agent.id,
    role: call.agent.role,
    tool: tool.name,
    ...(once === undefined ? {} : { once }),
    request,
    targets: call.targets.map((target) => target.key),
    pins: pins.map(({ key, seq, hash, pinned: isPinned }) => ({ key, seq, hash, pinned: isPinned })),
    time: call.time,
    quota: { bytes: limits.sessionBytes, files: limits.sessionFiles },
    tries: limits.contentionTries,
    dryRun,
  };
  const named = [...pins, ...bases];
  const keys = pinnedKeys(named, tool.based?.(resolved));
  let viewChange: ViewChange | undefined;
  let made = false;
  const plan = async (draft: Draft): Promise<unknown> => {
    // A policy that is settled before the commit binds it.
    draft.reader(policySlice);
    if (!frame.holdsIn(draft.base)) throw new PolicyChanged();
    const run = async (stale?: RebasedFiles): Promise<{ readonly ctx: Context; readonly done: unknown }> => {
      const ctx = new Context(frame, draft, call.time, keys, stale);
      const done = await tool.run(ctx, resolved).catch(async (error: unknown) => {
        throw await allVersionsRequired(core, write, named, error);
      });
      throwIfAborted(frame.signal);
      return { ctx, done };
    };
    const rebased =
      bases.length === 0 ? undefined : await RebasedFiles.of(core, draft, bases, tokenWriter(write));
    const { ctx, done } = rebased === undefined ? await run() : await rebased.settle(draft, run);
    for (const stale of staleBelow(draft, named)) throw await filesChangedBelow(core, write, stale);
    const placed = (await rebased?.prove(tool, ctx)) ?? [];
    const value = placed.length === 0 ? done : withFields(done, { rebased: placed });
    viewChange = ctx.viewChange;
    made = !draft.isEmpty;
    return value;
  };
  // A result that is kept with its token has changed nothing: the token is still that of what was there.
  const kept = (value: unknown): Json => (made ? withoutToken(value) : value) as Json;
  const outcome = await transact(core, intent, plan, kept);
  if (viewChange !== undefined && (outcome.kind === "committed" || (outcome.kind === "unwritten" && !dryRun)))
    await saveView(write, viewChange);
  return answer(core, write, outcome, pins, dryRun, made);
}

/** A view that others of the same agent have changed meanwhile is changed as it is now. */
async function saveView({ call, frame }: WriteCall, change: ViewChange): Promise<void> {
  for (;;) {
    const row = await frame.views.load(call.agent.id);
    if ((await frame.views.save(call.agent.id, row, change)) !== undefined) return;
  }
}

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

export function onceOf(key: string | undefined, limits: Limits): string | undefined {
  if (key === undefined || key.length <= limits.idempotencyKeyLength) return key;
  throw new HoldfastError(
    "invalid_argument",
    "idempotency_key_too_long",
    say`An idempotency key has at most ${limits.idempotencyKeyLength} characters.`,
  );
}

/** What the call with this key returned before; `at` is absent for a call that changed only the agent's view. */
export async function replayOf(
  journal: Journal,
  { call }: WriteCall,
  ctx: Context,
  once: string,
  request: string,
): Promise<{ readonly result: Json; readonly at?: Position } | undefined> {
  const stored = (await journal.replayOf(call.agent.id, once)) ?? (await ctx.row()).resultOf(once);
  if (stored !== undefined && stored.request !== request) throw keyReused();
  return stored;
}

function keyReused(): HoldfastError {
  return new HoldfastError(
    "invalid_argument",
    "idempotency_key_reused",
    say`This idempotency key was used for another request. Take a new key for a new request.`,
  );
}

/** The versions that the caller named, as they were sent. Throws when the tool requires one and there is none. */
export async function namedPins(core: SessionCore, write: WriteCall, ctx: Context): Promise<Pin[]> {
  const { call, tool, common, frame } = write;
  const form = tool.tokens ?? PLAIN_TOKENS;
  const pins = pinsOf(common.expectedVersion, call.targets, (name) => ctx.path(name, "any"), form);
  if (tool.version !== "required" || !frame.requireVersions) return pins;
  const required = call.targets.filter((one) => one.pin === "required");
  if (required.some(({ key }) => !pins.some((pin) => pin.key === key)))
    throw await versionRequired(core, required, tokenWriter(write));
  const first = call.targets.find((one) => one.pin === undefined);
  if (pins.length === 0 && first !== undefined)
    throw await versionRequired(core, [first], tokenWriter(write));
  return pins;
}

/** A file whose version a rule wants named is refused alone: of a call with more targets, all that it must name are told. */
async function allVersionsRequired(
  core: SessionCore,
  write: WriteCall,
  pins: readonly Pin[],
  error: unknown,
): Promise<unknown> {
  if (!HoldfastError.is(error) || error.reason !== "version_required") return error;
  const { call, frame } = write;
  const targets = call.targets.filter((one) => one.pin !== "optional");
  const isWanted = (target: Target): boolean => {
    if (target.below !== undefined || pins.some(({ key }) => key === target.key)) return true;
    const path = pathOfFileKey(target.key);
    const state = core.timeline.state.slices.get("files") as FilesState;
    return path !== undefined && frame.rules.of(path).version && fileAt(state, path) !== undefined;
  };
  const wanted = targets.filter(isWanted);
  if (wanted.length === 0 || (targets.length === 1 && targets[0]?.below === undefined)) return error;
  const given = new Map(pins.map(({ key, seq, hash }) => [key, { seq, hash }]));
  return versionRequired(core, wanted, tokenWriter(write), { given, isMap: targets.length > 1 });
}

/** Versions that the caller named: those that must be current, and those of files whose edits may be rebased. */
interface Named {
  readonly pins: readonly Pin[];
  readonly bases: readonly Pin[];
}

/** The versions that the caller named, still current where they must be; the state is at least as new as they are. */
async function pinned(core: SessionCore, write: WriteCall, ctx: Context): Promise<Named> {
  const named = await namedPins(core, write, ctx);
  if (named.length === 0) return { pins: [], bases: [] };
  const mayMove = (pin: Pin): boolean =>
    write.common.onConflict === "rebase" && pathOfFileKey(pin.key) !== undefined;
  const stale = await stalePins(core, named, tokenWriter(write));
  const refused = stale.filter(({ pin }) => !mayMove(pin));
  if (refused.length > 0) throw await stalePinned(core, write, refused);
  await reach(write, Math.max(...named.map((pin) => pin.seq)));
  return { pins: named.filter((pin) => !mayMove(pin)), bases: named.filter(mayMove) };
}

async function stalePinned(
  core: SessionCore,
  write: WriteCall,
  moved: readonly StalePin[],
): Promise<HoldfastError> {
  const advice = write.tool.rebase === undefined ? {} : { advice: REBASE_ADVICE };
  const stale: StalePin[] = [];
  for (const { pin, latest } of moved) stale.push({ pin, latest: await newest(core, pin.target, latest) });
  return staleVersion(core, stale, tokenWriter(write), advice);
}

/** The refusal of a directory's version below which the call would change files that have changed since. */
async function filesChangedBelow(
  core: SessionCore,
  write: WriteCall,
  { pin, paths }: StaleBelow,
): Promise<HoldfastError> {
  const [first = ROOT, ...others] = paths;
  const more = others.length === 0 ? say`` : say` and ${plural(others.length, "more file") as Shown}`;
  const happened = say`has changed since the version you named, in ${first}${more}`;
  const latest = await newest(core, pin.target, core.journal.genesis);
  // Of one file it can be shown what changed.
  const shown = others.length === 0 ? { ...pin, key: fileKey(first) } : pin;
  return staleVersion(core, [{ pin: shown, latest }], tokenWriter(write), { happened });
}

const REBASE_ADVICE = say`, or with your token and onConflict "rebase"`;

async function answer(
  core: SessionCore,
  write: WriteCall,
  outcome: Outcome<unknown>,
  pins: readonly Pin[],
  dryRun: boolean,
  made: boolean,
): Promise<CallResult> {
  const { call } = write;
  switch (outcome.kind) {
    case "replayed":
      return replayed(write, outcome.result, outcome.at);
    case "key_reused":
      throw keyReused();
    case "moved": {
      const stale = outcome.moved.flatMap(({ key, at }) =>
        pins.filter((pin) => pin.key === key).map((pin) => ({ pin, latest: at })),
      );
      if (stale.length === 0) throw new RangeError("a key moved that nobody pinned");
      throw await stalePinned(core, write, stale);
    }
    case "unwritten": {
      if (!dryRun) return answered(write, await withPresentView(write, outcome.value));
      return dryRunOf(write, outcome.value);
    }
    case "committed": {
      call.at = outcome.at;
      const value = withFields(outcome.value, { ...outcome.outside });
      if (!made) return answered(write, await withPresentView(write, value));
      const token = await tokenWriter(write)(outcome.at);
      return { ...answered(write, stamped(write, value, outcome.at, token)), token };
    }
  }
}

/** A call that changed the agent's view returns the token of that view, not of the one that it found. */
async function withPresentView(write: WriteCall, value: unknown): Promise<unknown> {
  const token = tokenIn(value);
  const read = token === undefined ? undefined : write.tool.tokens?.read(token);
  return read === undefined ? value : withFields(value, { token: await tokenWriter(write)(read.at) });
}

/** The value with what only the record could tell: the token, and what the tool adds itself. */
function stamped(write: WriteCall, value: unknown, at: Position, token: Shown): unknown {
  return withFields(value, { token, ...write.tool.stamp?.(at, value) });
}

export function answered({ tool, input, frame }: WriteCall, value: unknown): CallDone {
  return rendered(tool, value, input, frame);
}

export function dryRunOf(write: WriteCall, value: unknown): CallResult {
  write.call.outcome = "dry_run";
  const { text } = answered(write, value);
  return { ok: true, text: `[Dry run] ${text}`, value: withFields(value, { dryRun: true }) };
}

/** A value that the tool has given a token keeps it. */
export async function replayed(
  write: WriteCall,
  result: Json,
  at: Position | undefined,
): Promise<CallResult> {
  const { call } = write;
  call.outcome = "replayed";
  if (at !== undefined) {
    call.at = at;
    await reach(write, at.seq);
  }
  if (tokenIn(result) !== undefined || at === undefined)
    return { ...answered(write, result), replayed: true };
  const token = await tokenWriter(write)(at);
  return { ...answered(write, stamped(write, result, at, token)), token, replayed: true };
}

function withoutToken(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const { token: _, ...rest } = value as Record<string, unknown>;
  return rest;
}
