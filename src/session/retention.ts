// Owns: forgetting old history: what is saved first, what must stay, and what goes.

import { HoldfastError, say } from "../errors.ts";
import type { BlobId, Change } from "../store/journal.ts";
import { saveAll } from "./checkpoints.ts";
import { Pacer } from "../text/steps.ts";
import { changesOf } from "./packed-changes.ts";
import type { SessionState } from "./state.ts";
import type { SessionCore } from "./transact.ts";

/** Keeps what happened from `before` on: a seq, or a time. */
export interface PruneRequest {
  /** Records before this one, or before this time, lose their changes. */
  readonly before: number | Date;
}

/** What was forgotten. */
export interface Pruned {
  /** The first record that is still whole. */
  readonly before: number;
  /** Bytes that were freed, roughly. */
  readonly bytes: number;
}

const BATCH = 256;

/**
 * Drops the changes of records before a border, and the bytes that only they and the states there referred to. Each keeps
 * its head, keys and hash. Cost: the state at the border, encoded once, and a pass over the records that stay.
 */
export async function prune(core: SessionCore, request: PruneRequest): Promise<Pruned> {
  const { journal, slices, timeline } = core;
  const head = await timeline.catchUp();
  const before = await borderOf(core, request.before, head.at.seq);
  if (before <= 1) return { before: 1, bytes: 0 };
  const border = await timeline.past({ seq: before - 1, hash: "" });
  await saveAll(journal, slices, border);
  const live = await liveBlobs(core, border, before);
  const { bytes } = await journal.prune(before, live);
  timeline.forget(before - 1);
  return { before, bytes };
}

async function borderOf({ journal }: SessionCore, before: number | Date, head: number): Promise<number> {
  if (typeof before === "number") {
    if (Number.isSafeInteger(before) && before >= 0 && before <= head + 1) return before;
    throw new HoldfastError(
      "invalid_argument",
      "bad_border",
      say`The border must be a record from 1 to ${head + 1}.`,
    );
  }
  const [first] = await journal.records({ since: before, limit: 1 });
  return first?.seq ?? head + 1;
}

/** Every blob that the state at the border and the changes since refer to. */
async function liveBlobs(core: SessionCore, border: SessionState, before: number): Promise<Set<BlobId>> {
  const { journal, slices } = core;
  const live = new Set<BlobId>();
  const pace = new Pacer();
  const keep = (change: Change): void => {
    for (const blob of slices.get(change.slice)?.blobs(change) ?? []) live.add(blob);
  };
  for (const [name, slice] of slices) {
    const state: unknown = border.slices.get(name);
    for (const blob of slice.held?.(state) ?? []) live.add(blob);
    for (const change of slice.between(slice.empty(), state) as Iterable<Change | undefined>) {
      if (change !== undefined) keep(change);
      await pace.step();
    }
  }
  for (let after = before - 1; ;) {
    const records = await journal.records({ after, limit: BATCH });
    const last = records.at(-1);
    if (last === undefined) return live;
    after = last.seq;
    for (const record of records)
      for (const change of await changesOf(journal, record)) {
        keep(change);
        await pace.step();
      }
  }
}
