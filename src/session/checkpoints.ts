// Owns: saving the state of slices beside the records, and building a state from what was saved and the records since.
// Must never: be waited for by a call.

import type { Change, Journal, Position } from "../store/journal.ts";
import { Pacer } from "../text/steps.ts";
import { changesOf, isExpired, lengthOf } from "./packed-changes.ts";
import { prunedUpTo } from "./pruned-records.ts";
import { stampOf, type Stamp } from "./slice.ts";
import { applyChanges, emptyState, sliceOf, type SessionState, type SliceSet } from "./state.ts";
import { ReplayCosts, type ReplayCost } from "./replay-costs.ts";

/**
 * Saved with every checkpoint, under a name no slice has: for each slice the first record after its own checkpoint that
 * changed it. A slice that has rested since then need not be replayed from its old checkpoint on.
 */
const STARTS = "~starts";
const BATCH = 256;
const LEASE = "checkpoint";
const LEASE_MS = 60_000;

export interface Rebuilt {
  readonly state: SessionState;
  readonly costs: ReplayCosts;
}

/**
 * The state at `seq`: each slice from its nearest checkpoint, then the records since. With `checkpointsUpTo`, newer
 * checkpoints are left aside. Throws `conflict` / `snapshot_expired` when retention has dropped what it is made of.
 */
export async function rebuild(
  journal: Journal,
  slices: SliceSet,
  seq: number,
  checkpointsUpTo: number = seq,
): Promise<Rebuilt> {
  for (let pruned = 0; ;)
    try {
      return await rebuildOnce(journal, slices, seq, checkpointsUpTo);
    } catch (error) {
      if (!isExpired(error)) throw error;
      // Another process prunes: it has saved checkpoints from which this state can still be made, unless it is older than those.
      const oldest = await prunedUpTo(journal);
      if (oldest <= pruned || oldest > seq) throw error;
      pruned = oldest;
    }
}

async function rebuildOnce(
  journal: Journal,
  slices: SliceSet,
  seq: number,
  checkpointsUpTo: number,
): Promise<Rebuilt> {
  const costs = new ReplayCosts(slices.keys());
  const loaded = new Map(emptyState(slices, journal.genesis).slices);
  const starts = await loadStarts(journal, checkpointsUpTo);
  let first = Number.POSITIVE_INFINITY;
  for (const [name, slice] of slices) {
    const checkpoint = await journal.checkpoint.load(name, checkpointsUpTo);
    const since = checkpoint?.at.seq ?? 0;
    let size = 0;
    if (checkpoint !== undefined)
      loaded.set(name, await slice.decode(counted(checkpoint.chunks, (length) => (size += length))));
    costs.restart(name, since);
    costs.of(name).size = size;
    first = Math.min(first, startOf(starts, name, since));
  }
  const replayed = await replay(journal, slices, loaded, costs, Math.min(first, seq), seq);
  return { state: { at: await positionAt(journal, seq), slices: replayed }, costs };
}

/** Applies what each slice has not seen yet of the records after `first`. */
async function replay(
  journal: Journal,
  slices: SliceSet,
  loaded: ReadonlyMap<string, unknown>,
  costs: ReplayCosts,
  first: number,
  seq: number,
): Promise<ReadonlyMap<string, unknown>> {
  const since = new Map([...slices.keys()].map((name) => [name, costs.of(name).since]));
  const pace = new Pacer();
  let state: SessionState = { at: journal.genesis, slices: loaded };
  for (let after = first; after < seq;) {
    const records = await journal.records({ after, upTo: seq, limit: BATCH });
    if (records.length === 0) break;
    for (const record of records) {
      after = record.seq;
      const changes = (await changesOf(journal, record)).filter(
        (change) => record.seq > (since.get(change.slice) ?? 0),
      );
      state = await applyPaced(slices, state, changes, stampOf(record), costs, pace);
    }
  }
  return state.slices;
}

/** The state after `changes`, at `stamp`; what a replay of them costs is noted in `costs`. Yields in a long list. */
export async function applyPaced(
  slices: SliceSet,
  from: SessionState,
  changes: readonly Change[],
  stamp: Stamp,
  costs: ReplayCosts,
  pace: Pacer,
): Promise<SessionState> {
  let state = applyChanges(slices, from, [], stamp);
  for (const change of changes) {
    const slice = sliceOf(slices, change.slice);
    const work = slice.prepare?.(state.slices.get(slice.name), change);
    if (work !== undefined) await pace.run(work);
    state = applyChanges(slices, state, [change], stamp);
    costs.note(stamp.at.seq, change.slice, lengthOf(change));
    const rest = pace.step();
    if (rest !== undefined) await rest;
  }
  return state;
}

async function positionAt(journal: Journal, seq: number): Promise<Position> {
  if (seq === 0) return journal.genesis;
  const [record] = await journal.records({ after: seq - 1, upTo: seq, limit: 1 });
  return record === undefined ? journal.genesis : { seq: record.seq, hash: record.hash };
}

type Starts = { readonly at: number; readonly starts: Readonly<Record<string, number>> };

async function loadStarts(journal: Journal, seq: number): Promise<Starts | undefined> {
  const saved = await journal.checkpoint.load(STARTS, seq);
  if (saved === undefined) return undefined;
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of saved.chunks) text += decoder.decode(chunk, { stream: true });
  return { at: saved.at.seq, starts: JSON.parse(text) as Record<string, number> };
}

/** The record after which a slice must be replayed, given that its state is that of `since`. */
function startOf(saved: Starts | undefined, name: string, since: number): number {
  if (saved === undefined || saved.at <= since) return since;
  const first = Object.hasOwn(saved.starts, name) ? (saved.starts[name] ?? 0) : since + 1;
  return first === 0 ? saved.at : Math.max(since, first - 1);
}

async function* counted(
  chunks: AsyncIterable<Uint8Array>,
  count: (length: number) => void,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    count(chunk.length);
    yield chunk;
  }
}

/**
 * Saves the slices that are due. `now` returns the current state, which `costs` is about. Does nothing while
 * another process is saving, or when it has just done so.
 */
export async function saveDue(
  journal: Journal,
  slices: SliceSet,
  now: () => SessionState,
  costs: ReplayCosts,
  least: number,
): Promise<void> {
  if (costs.due(least, now().at.seq).length === 0) return;
  const lease = await journal.lease(LEASE, LEASE_MS);
  if (lease === undefined) return;
  try {
    for (const name of costs.due(least, now().at.seq)) {
      const newest = await newestBelow(journal, name, now().at.seq);
      if (newest > costs.of(name).since) costs.adopt(name, newest);
    }
    const due = costs.due(least, now().at.seq);
    if (due.length > 0) await saveNow(journal, slices, now(), costs, due);
  } finally {
    await lease.release();
  }
}

async function saveNow(
  journal: Journal,
  slices: SliceSet,
  state: SessionState,
  costs: ReplayCosts,
  names: readonly string[],
): Promise<void> {
  // Taken before the first wait: what is committed while we save belongs to the cost of the new checkpoint.
  const before = names.map((name) => costs.restart(name, state.at.seq));
  const starts = costs.starts();
  try {
    for (const name of names) costs.of(name).size = await saveSlice(journal, slices, state, name);
    await saveStarts(journal, state.at, starts);
  } catch (error) {
    for (const [i, name] of names.entries()) costs.putBack(name, before[i] as ReplayCost);
    throw error;
  }
}

/** Saves every slice at `state`, so that nothing before it is needed any more. */
export async function saveAll(journal: Journal, slices: SliceSet, state: SessionState): Promise<void> {
  for (const name of slices.keys()) await saveSlice(journal, slices, state, name);
  await saveStarts(journal, state.at, Object.fromEntries([...slices.keys()].map((name) => [name, 0])));
}

/** Returns the encoded size. */
async function saveSlice(
  journal: Journal,
  slices: SliceSet,
  state: SessionState,
  name: string,
): Promise<number> {
  let size = 0;
  const encoded = sliceOf(slices, name).encode(state.slices.get(name));
  const chunks = (function* (): Generator<Uint8Array> {
    for (const chunk of encoded) {
      size += chunk.length;
      yield chunk;
    }
  })();
  await journal.checkpoint.save(state.at, name, chunks);
  return size;
}

function saveStarts(journal: Journal, at: Position, starts: Readonly<Record<string, number>>): Promise<void> {
  return journal.checkpoint.save(at, STARTS, [new TextEncoder().encode(JSON.stringify(starts))]);
}

async function newestBelow(journal: Journal, name: string, seq: number): Promise<number> {
  const saved = await journal.checkpoint.load(name, seq);
  if (saved === undefined) return 0;
  // Reading it releases what holds the checkpoint.
  for await (const _ of saved.chunks) break;
  return saved.at.seq;
}
