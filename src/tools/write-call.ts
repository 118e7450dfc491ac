// Owns: steps 4 to 7, which only writes take: idempotency, versions, run, commit.

import { HoldfastError, say } from "../errors.ts";
import type { Limits } from "../limits.ts";
import type { Draft } from "../session/draft.ts";
import type { OutsideNotes } from "../session/outside.ts";
import { policySlice } from "../session/policy.ts";
import { transact, type SessionCore, type Intent, type Outcome } from "../session/transact.ts";
import type { Journal, Position } from "../store/journal.ts";
import { throwIfAborted } from "../text/steps.ts";
import type { Json } from "../value.ts";
import type { WriteCall } from "./call.ts";
import {
  filesChangedBelow,
  pinned,
  reach,
  refuseMovedNames,
  requireFileVersions,
  stalePinned,
  tokenWriter,
} from "./call-versions.ts";
import { Context } from "./context.ts";
import { PolicyChanged } from "./policy-in-force.ts";
import { RebasedFiles } from "./rebased-files.ts";
import { rendered, tokenIn, withFields, type Known } from "./render.ts";
import { requestHash } from "./request-hash.ts";
import type { CallDone, CallResult } from "./result.ts";
import { takeOutput } from "./take-output.ts";
import { pinnedKeys, staleBelow, type Pin } from "./versions.ts";
import { pathOfTarget } from "./tool.ts";
import type { ViewChange } from "./view-rows.ts";

/** Takes a write through its steps. Throws what stops it. */
export async function writeCall(core: SessionCore, write: WriteCall): Promise<CallResult> {
  const { call, tool, input, resolved, common, frame, begin } = write;
  const { limits } = frame;
  const dryRun = common.dryRun === true;
  const once = dryRun ? undefined : onceOf(common.idempotencyKey, limits);
  const request = requestHash(tool.name, input);
  const stored = once === undefined ? undefined : await replayOf(core.journal, write, begin, once, request);
  if (stored !== undefined) return replayed(core, write, stored.result, stored.at);

  if (!dryRun) await write.beforeWrite?.(call.targets.map(pathOfTarget).filter((path) => path !== undefined));
  throwIfAborted(frame.signal);
  const { pins, bases } = await pinned(core, write, begin);
  const intent: Intent = {
    kind: tool.kind,
    agent: call.agent.id,
    role: call.agent.role,
    tool: tool.name,
    ...(once === undefined ? {} : { once }),
    request,
    targets: call.targets.map((target) => target.key),
    // Those of directories are checked in the plan.
    pins: pins.filter((pin) => pin.pinned).map(({ key, seq, hash }) => ({ key, seq, hash, pinned: true })),
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
    // A policy that is settled before the commit binds it, and so does a gate that is open by then.
    draft.reader(policySlice);
    if (!frame.holdsIn(draft.base)) throw new PolicyChanged();
    frame.passGates(draft);
    await refuseMovedNames(core, write, draft, pins);
    const run = async (stale?: RebasedFiles): Promise<{ readonly ctx: Context; readonly done: unknown }> => {
      const ctx = new Context(frame, draft, call.time, "state", keys, stale);
      const done = takeOutput(tool, await ctx.during(() => tool.run(ctx, resolved)));
      throwIfAborted(frame.signal);
      return { ctx, done };
    };
    const rebased =
      bases.length === 0
        ? undefined
        : await RebasedFiles.of(core, draft, bases, tokenWriter(write), frame.rules);
    const { ctx, done } = rebased === undefined ? await run() : await rebased.settle(draft, run);
    for (const stale of staleBelow(draft, named)) throw await filesChangedBelow(core, write, stale);
    await requireFileVersions(core, write, draft, named, keys);
    const placed = (await rebased?.prove(tool, ctx, resolved)) ?? [];
    const value = placed.length === 0 ? done : withFields(done, { rebased: placed });
    viewChange = ctx.viewChange;
    made = !draft.isEmpty;
    return value;
  };
  // A result that is stored with its token has changed nothing: the token is still that of what was there.
  const toStore = (value: unknown): Json => (made ? withoutToken(value) : value) as Json;
  const outcome = await transact(core, intent, plan, toStore);
  if (viewChange !== undefined && (outcome.kind === "committed" || (outcome.kind === "unwritten" && !dryRun)))
    await saveView(write, viewChange);
  return resultOf(core, write, outcome, pins, dryRun, made);
}

/** A view that others of the same agent have changed meanwhile is changed as it is now. */
async function saveView({ call, frame }: WriteCall, change: ViewChange): Promise<void> {
  for (;;) {
    const row = await frame.views.load(call.agent.id);
    if ((await frame.views.save(call.agent.id, row, change)) !== undefined) return;
  }
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

async function resultOf(
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
      return replayed(core, write, outcome.result, outcome.at);
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
      if (!dryRun) return doneOf(write, await withPresentView(write, outcome.value));
      return dryRunOf(write, outcome.value);
    }
    case "committed": {
      call.at = outcome.at;
      const { value, outside } = outcome;
      if (!made) return doneOf(write, await withPresentView(write, value), { ...outside });
      return stamped(write, value, outcome.at, outside);
    }
  }
}

/** A call that changed the agent's view returns the token of that view, not of the one that it found. */
async function withPresentView(write: WriteCall, value: unknown): Promise<unknown> {
  const token = tokenIn(value);
  const read = token === undefined ? undefined : write.tool.tokens?.read(token);
  return read === undefined ? value : withFields(value, { token: await tokenWriter(write)(read.at) });
}

/** The result with what only the record could tell: the token, and what the tool adds itself. */
async function stamped(
  write: WriteCall,
  value: unknown,
  at: Position,
  outside: OutsideNotes | undefined,
): Promise<CallDone> {
  const token = await tokenWriter(write)(at);
  return { ...doneOf(write, value, { ...outside, token, ...write.tool.stamp?.(at, value) }), token };
}

/** What a call returns for a value. `known` is what the call path adds: to the value if it is an object, to the text in any case. */
export function doneOf({ tool, input, frame }: WriteCall, value: unknown, known?: Known): CallDone {
  return rendered(tool, withFields(value, known ?? {}), input, frame, known);
}

export function dryRunOf(write: WriteCall, value: unknown): CallResult {
  write.call.outcome = "dry_run";
  const { text } = doneOf(write, value);
  return { ok: true, text: `[Dry run] ${text}`, value: withFields(value, { dryRun: true }) };
}

/** The same result again. A value that the tool has given a token keeps it; a call that changed nothing had none. */
export async function replayed(
  { journal }: SessionCore,
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
  const isDone = at === undefined || tokenIn(result) !== undefined || !(await hasChanged(journal, at));
  const done = isDone ? doneOf(write, result) : await stamped(write, result, at, undefined);
  return { ...done, replayed: true };
}

/** Whether a record changed something. Of one that is pruned the keys are left. */
async function hasChanged(journal: Journal, { seq }: Position): Promise<boolean> {
  const [record] = await journal.records({ after: seq - 1, upTo: seq, limit: 1 });
  return record === undefined || record.keys.length > 0 || (record.changes?.length ?? 0) > 0;
}

function withoutToken(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const { token: _, ...rest } = value as Record<string, unknown>;
  return rest;
}
