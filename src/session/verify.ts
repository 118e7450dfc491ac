// Owns: proving that a session's history holds together: the chain, and the states that were saved along it.

import type { Verified } from "../store/journal.ts";
import { throwIfAborted } from "../text/steps.ts";
import { rebuild } from "./checkpoints.ts";
import { prunedUpTo } from "./retention.ts";
import type { AnySlice } from "./slice.ts";
import type { SessionCore } from "./transact.ts";

/** How thorough a check is. */
export interface VerifyOptions {
  /** Also the bytes of small blobs. */
  readonly blobs?: boolean;
  /** Also that every checkpoint holds what the one before and the records since make. Replays the whole history. */
  readonly states?: boolean;
  /** Ends the work early: it throws `conflict` / `aborted`. */
  readonly signal?: AbortSignal;
}

/** What a check of the whole session found. */
export type SessionVerified =
  | Verified
  | { readonly ok: false; readonly seq: number; readonly what: "state"; readonly slice: string };

export async function verifySession(core: SessionCore, how: VerifyOptions): Promise<SessionVerified> {
  const { states, ...rest } = how;
  const chain = await core.journal.verify(rest);
  if (!chain.ok || states !== true) return chain;
  for (const [name, slice] of core.slices) {
    const wrong = await wrongCheckpoint(core, slice, how.signal);
    if (wrong !== undefined) return { ok: false, seq: wrong, what: "state", slice: name };
  }
  return chain;
}

/** The newest checkpoint of a slice that is not what it should be. */
async function wrongCheckpoint(
  core: SessionCore,
  slice: AnySlice,
  signal: AbortSignal | undefined,
): Promise<number | undefined> {
  const { journal, slices, timeline } = core;
  const pruned = await prunedUpTo(journal);
  for (let upTo = timeline.state.at.seq; ;) {
    throwIfAborted(signal);
    const saved = await journal.checkpoint.load(slice.name, upTo);
    if (saved === undefined) return undefined;
    const { seq } = saved.at;
    const found = textOf(slice.encode(await slice.decode(saved.chunks)));
    // The oldest one that is left was made of records that are gone.
    if (seq <= pruned) return undefined;
    const { state } = await rebuild(journal, slices, seq, seq - 1);
    if (textOf(slice.encode(state.slices.get(slice.name))) !== found) return seq;
    upTo = seq - 1;
  }
}

function textOf(chunks: Iterable<Uint8Array>): string {
  let text = "";
  for (const chunk of chunks) text += Buffer.from(chunk).toString("latin1");
  return text;
}
