// Owns: turning a plan into one commit. The plan runs again on a newer state when something it read has moved.

import { HoldfastError, say } from "../errors.ts";
import type { Limits } from "../limits.ts";
import type { NameAlphabet } from "../path/index.ts";
import type { Append, Appended, Expectation, Journal, Key, NextRecord, Position } from "../store/journal.ts";
import type { Json } from "../value.ts";
import { Draft, StaleDraft } from "./draft.ts";
import type { Outside, OutsideNotes } from "./outside.ts";
import { ENCODING, packChanges, type RecordBody } from "./packed-changes.ts";
import type { RecordKind } from "./record-kinds.ts";
import type { SliceSet } from "./state.ts";
import type { Committed, Timeline } from "./timeline.ts";
import { backoff, type Turn, type Turns } from "./turns.ts";

/** Runs that a call may lose to others before it asks for a turn. */
const FREE_TRIES = 2;
const TURN_WAIT_MS = 10_000;

export interface SessionCore {
  readonly journal: Journal;
  readonly slices: SliceSet;
  readonly timeline: Timeline;
  readonly turns: Turns;
  readonly limits: Limits;
  /** Letters that file names may have. */
  readonly names: NameAlphabet;
  /** Folders that the session is kept equal to. */
  readonly outside: Outside;
}

/** Who commits, as what, and under which conditions. */
export interface Intent {
  readonly kind: RecordKind;
  readonly agent: string;
  readonly role: string;
  readonly tool?: string;
  readonly once?: string;
  readonly request: string;
  readonly targets: readonly Key[];
  readonly pins: readonly Expectation[];
  readonly time: Date;
  readonly quota: { readonly bytes: number; readonly files: number };
  readonly tries: number;
  readonly dryRun: boolean;
}

/** A second record, which is committed together with the first, or not at all. */
export interface NextPlan<T> extends Pick<Intent, "kind" | "agent" | "role"> {
  readonly request: (value: T) => string;
  /** Puts into a draft on what the first record makes what the second changes. None is written where that is nothing. */
  readonly plan: (draft: Draft, value: T) => Promise<void>;
}

export type Outcome<T> =
  | {
      readonly kind: "committed";
      readonly value: T;
      /** Where the last record is that it wrote. */
      readonly at: Position;
      /** What was met in folders outside. */
      readonly outside?: OutsideNotes;
    }
  /** Nothing had to be written, or the caller only wanted to see. */
  | { readonly kind: "unwritten"; readonly value: T; readonly at: Position }
  | { readonly kind: "replayed"; readonly result: Json; readonly at: Position }
  | { readonly kind: "key_reused" }
  | { readonly kind: "moved"; readonly moved: readonly { readonly key: Key; readonly at: Position }[] };

/**
 * Runs `plan` on the current state and commits what it changed as one record, and what `next` changes as another. `plan` must have no effect outside its
 * draft: it may run several times. Throws `conflict` / `contended` when others are always faster, with nothing written.
 */
export async function transact<T>(
  core: SessionCore,
  intent: Intent,
  plan: (draft: Draft) => Promise<T>,
  resultOf: (value: T) => Json | undefined,
  next?: NextPlan<T>,
): Promise<Outcome<T>> {
  let failure: Error | undefined;
  for (let tries = 1; tries <= intent.tries; tries++) {
    const turn = tries > FREE_TRIES ? await core.turns.take() : undefined;
    try {
      if (tries > 1) await core.timeline.catchUp();
      const outcome = await attempt(core, intent, plan, resultOf, turn, next);
      if (outcome.kind === "stale") {
        failure = outcome.cause;
        continue;
      }
      failure = undefined;
      if (outcome.kind !== "moved" || outcome.moved.some(({ key }) => isPinned(intent, key))) return outcome;
    } finally {
      await turn?.end();
    }
  }
  if (failure !== undefined && !(failure instanceof StaleDraft)) throw failure;
  throw new HoldfastError(
    "conflict",
    "contended",
    say`Others changed the same place again and again: ${intent.tries} tries failed. Nothing was written; send the call again.`,
  );
}

/**
 * The plan has to run again: it failed on a state that is no longer the newest, so what it says against the call may no longer be true,
 * or what it staged is gone.
 */
interface Stale {
  readonly kind: "stale";
  readonly cause: Error;
}

async function attempt<T>(
  core: SessionCore,
  intent: Intent,
  plan: (draft: Draft) => Promise<T>,
  resultOf: (value: T) => Json | undefined,
  turn: Turn | undefined,
  nextPlan: NextPlan<T> | undefined,
): Promise<Outcome<T> | Stale> {
  const base = core.timeline.state;
  const draft = new Draft(core.slices, base, intent.time, intent.agent);
  // What comes from a folder is in it already.
  const isImport = intent.kind === "import";
  const isBound = !core.outside.isEmpty && (!isImport || nextPlan !== undefined);
  let value: T;
  let next: Draft | undefined;
  try {
    value = await plan(draft);
    next = nextPlan && (await draftNext(draft, intent, nextPlan, value));
  } catch (error) {
    if (error instanceof Error && (error instanceof StaleDraft || (await hasMoved(core, draft))))
      return { kind: "stale", cause: error };
    if (error instanceof Error && isBound && (await core.outside.refresh(draft)))
      return { kind: "stale", cause: error };
    throw error;
  }
  if (isBound && (await core.outside.refresh(draft))) return { kind: "stale", cause: new StaleDraft() };
  if (isBound) for (const one of next === undefined ? [draft] : [draft, next]) core.outside.refuse(one);
  // Nothing is appended that would check what it read.
  if (draft.isEmpty && intent.once === undefined && (await hasMoved(core, draft)))
    return { kind: "stale", cause: new StaleDraft() };
  if (intent.dryRun || (draft.isEmpty && intent.once === undefined)) {
    // What was pinned may have been made what the caller wants by others meanwhile.
    const moved = await movedPins(core, intent);
    return moved.length > 0 ? { kind: "moved", moved } : { kind: "unwritten", value, at: base.at };
  }
  const body = await packChanges(core.journal, draft.changes, core.limits.packedBytes);
  if (turn === undefined && !isImport) await core.turns.free();
  const holder = turn?.holder ?? (isImport ? core.turns.holder : undefined);
  const nextBody = next && (await packChanges(core.journal, next.changes, core.limits.packedBytes));
  const append: Append = {
    ...appendOf(intent, draft, body, resultOf(value), holder),
    ...(nextPlan && next && nextBody && { next: nextOf(nextPlan, value, next, nextBody) }),
  };
  let appended: Awaited<ReturnType<typeof appendInTurn>>;
  try {
    appended = await appendInTurn(core.journal, append);
  } catch (error) {
    // This process has slept so long that what the plan had staged was swept: it stages it again.
    if (HoldfastError.is(error) && error.reason === "unknown_blob") return { kind: "stale", cause: error };
    throw error;
  }
  if ("replay" in appended) return { kind: "replayed", result: appended.replay, at: appended.at };
  if ("keyReused" in appended) return { kind: "key_reused" };
  if ("moved" in appended) return { kind: "moved", moved: appended.moved };
  if ("overQuota" in appended) throw overQuota(appended.overQuota, intent);
  const { time, agent } = intent;
  const { at: first, next: last = first } = appended;
  const written: Committed[] = [{ draft, lengths: body.lengths, stamp: { at: first, time, agent } }];
  if (nextPlan && next && nextBody)
    written.push({
      draft: next,
      lengths: nextBody.lengths,
      stamp: { at: last, time, agent: nextPlan.agent },
    });
  await core.timeline.advance(written);
  const notes = isBound ? await core.outside.settled(last, draft) : undefined;
  return { kind: "committed", value, at: last, ...(notes === undefined ? {} : { outside: notes }) };
}

/** What a second record changes, on what the first makes; undefined: nothing. What it read must not have moved either. */
async function draftNext<T>(
  draft: Draft,
  { time }: Intent,
  { agent, plan }: NextPlan<T>,
  value: T,
): Promise<Draft | undefined> {
  const next = draft.after(time, agent);
  await plan(next, value);
  draft.depend(next.reads);
  return next.isEmpty ? undefined : next;
}

function nextOf<T>(
  { kind, agent, role, request }: NextPlan<T>,
  value: T,
  draft: Draft,
  body: RecordBody,
): NextRecord {
  return {
    ...partsOf(draft, body),
    targets: [...draft.targets],
    request: request(value),
    kind,
    agent,
    role,
  };
}

/** What a record has of its draft. */
function partsOf(
  draft: Draft,
  body: RecordBody,
): Pick<NextRecord, "touch" | "encoding" | "changes" | "delta" | "blobs"> {
  return {
    touch: [...draft.touched],
    encoding: ENCODING,
    changes: body.changes,
    delta: { bytes: draft.bytes, files: draft.files },
    blobs: body.blob === undefined ? [...draft.blobs] : [...draft.blobs, body.blob],
  };
}

/** Appends as soon as no other process has the turn. Throws `conflict` / `contended` when that never comes, with nothing written. */
async function appendInTurn(
  journal: Journal,
  append: Append,
): Promise<Exclude<Appended, { readonly turnTaken: true }>> {
  for (const until = performance.now() + TURN_WAIT_MS; performance.now() < until;) {
    const appended = await journal.append(append);
    if (!("turnTaken" in appended)) return appended;
    await backoff();
  }
  throw new HoldfastError(
    "conflict",
    "contended",
    say`Other processes have had the turn to write all the time. Nothing was written; send the call again.`,
  );
}

/** What the caller pinned and others have touched since. */
async function movedPins(
  { journal }: SessionCore,
  { pins }: Intent,
): Promise<{ readonly key: Key; readonly at: Position }[]> {
  if (pins.length === 0) return [];
  const last = await journal.last(pins.map(({ key }) => key));
  return pins.flatMap(({ key, seq }, i) => {
    const at = last[i];
    return at !== undefined && at.seq > seq ? [{ key, at }] : [];
  });
}

/** Has something that the plan read been touched since? */
async function hasMoved(core: SessionCore, draft: Draft): Promise<boolean> {
  const { seq } = draft.base.at;
  if (draft.reads.size === 0 || (await core.journal.head()).seq === seq) return false;
  const last = await core.journal.last([...draft.reads]);
  return last.some((at) => at !== undefined && at.seq > seq);
}

function isPinned(intent: Intent, key: Key): boolean {
  return intent.pins.some((pin) => pin.key === key);
}

function appendOf(
  intent: Intent,
  draft: Draft,
  body: RecordBody,
  result: Json | undefined,
  turn: string | undefined,
): Append {
  const { kind, agent, role, tool, once, request, targets, pins, time, quota } = intent;
  return {
    ...partsOf(draft, body),
    expect: draft.expectations(pins),
    targets: [...targets, ...draft.targets],
    time,
    request,
    kind,
    agent,
    role,
    ...(tool === undefined ? {} : { tool }),
    ...(once === undefined ? {} : { once }),
    ...(turn === undefined ? {} : { turn }),
    ...(once === undefined || result === undefined ? {} : { result }),
    quota,
  };
}

function overQuota(what: "bytes" | "files", intent: Intent): HoldfastError {
  const message =
    what === "bytes"
      ? say`The session may hold ${intent.quota.bytes} bytes and this change exceeds that. Delete files or write less.`
      : say`The session may hold ${intent.quota.files} files and this change exceeds that. Delete some first.`;
  return new HoldfastError("invalid_argument", "over_quota", message, {
    data: { limit: intent.quota[what] },
  });
}
