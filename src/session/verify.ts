// Owns: proving that a session's history holds together: the chain, and the states that were saved along it.

import { createHash } from "node:crypto";
import type { BlobId, Extent, Journal, JournalRecord, Verified } from "../store/journal.ts";
import { isBlobLost } from "../store/lost-bytes.ts";
import { Pacer, throwIfAborted } from "../text/steps.ts";
import { rebuild } from "./checkpoints.ts";
import { extentsOf, type FileChange } from "./files/file-change.ts";
import { fileAt, NO_FILES, type FilesState } from "./files/file-state.ts";
import { filesSlice } from "./files/files-slice.ts";
import { changesOf, isExpired } from "./packed-changes.ts";
import { isPruned, prunedUpTo } from "./pruned-records.ts";
import type { AnySlice } from "./slice.ts";
import type { SessionCore } from "./transact.ts";

const BATCH = 256;

/** How thorough a check is. */
export interface VerifyOptions {
  /** Also the stored bytes: none is damaged, missing, or shorter than what files and records use of it. */
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
  if (!chain.ok) return chain;
  if (how.blobs === true) {
    const seq = await firstWithoutBytes(core, how.signal);
    if (seq !== undefined) return { ok: false, seq, what: "blob" };
  }
  if (states !== true) return chain;
  for (const [name, slice] of core.slices) {
    const wrong = await wrongCheckpoint(core, slice, how.signal);
    if (wrong !== undefined) return { ok: false, seq: wrong, what: "state", slice: name };
  }
  return chain;
}

/** The first record, or file of the present, that uses bytes which its blobs do not have. */
async function firstWithoutBytes(
  { journal, timeline }: SessionCore,
  signal: AbortSignal | undefined,
): Promise<number | undefined> {
  /** Up to where each blob is known to have bytes. */
  const known = new Map<BlobId, number>();
  const pace = new Pacer(signal);
  const areThere = async (extents: readonly Extent[]): Promise<boolean> => {
    for (const [blob, at, length] of extents) {
      if (length === 0 || at + length <= (known.get(blob) ?? 0)) continue;
      if (!(await hasByte(journal, blob, at + length - 1))) return false;
      known.set(blob, at + length);
    }
    return true;
  };
  const usesLost = async (record: JournalRecord): Promise<boolean> => {
    for (const change of await changesOf(journal, record)) {
      if (change.slice === filesSlice.name && !(await areThere(extentsOf(change as FileChange))))
        return !(await isPruned(journal, record.seq));
      await pace.step();
    }
    return false;
  };
  for (let after = await prunedUpTo(journal); ;) {
    const records = await journal.records({ after, limit: BATCH });
    for (const record of records) {
      after = record.seq;
      if (await usesLost(record).catch(falseIfExpired)) return record.seq;
    }
    if (records.length < BATCH) break;
  }
  const filesNow = async (): Promise<FilesState> =>
    ((await timeline.catchUp()).slices.get(filesSlice.name) as FilesState | undefined) ?? NO_FILES;
  for (const [, { path, content }] of (await filesNow()).files.entries()) {
    await pace.step();
    if (await areThere(content.extents)) continue;
    // What another process has rewritten and pruned meanwhile is somewhere else now.
    const now = fileAt(await filesNow(), path);
    if (now !== undefined && !(await areThere(now.content.extents))) return now.at.seq;
  }
  return undefined;
}

/** A record that is pruned while it is looked at uses nothing any more. */
function falseIfExpired(error: unknown): false {
  if (!isExpired(error)) throw error;
  return false;
}

async function hasByte(journal: Journal, blob: BlobId, at: number): Promise<boolean> {
  try {
    const source = await journal.source({ size: 1, extents: [[blob, at, 1]] });
    try {
      return source.read(0, new Uint8Array(1), 0, 1) === 1;
    } finally {
      source.close();
    }
  } catch (error) {
    if (isBlobLost(error)) return false;
    throw error;
  }
}

/** The newest checkpoint of a slice that is not what it should be. */
async function wrongCheckpoint(
  core: SessionCore,
  slice: AnySlice,
  signal: AbortSignal | undefined,
): Promise<number | undefined> {
  const { journal, slices, timeline } = core;
  const pruned = await prunedUpTo(journal);
  const pace = new Pacer(signal);
  for (let upTo = timeline.state.at.seq; ;) {
    throwIfAborted(signal);
    const saved = await journal.checkpoint.load(slice.name, upTo);
    if (saved === undefined) return undefined;
    const { seq } = saved.at;
    const found = await digestOf(slice.encode(await slice.decode(saved.chunks)), pace);
    // The oldest one that is left was made of records that are gone.
    if (seq <= pruned) return undefined;
    const rebuilt = await rebuild(journal, slices, seq, seq - 1).catch(falseIfExpired);
    // Pruned meanwhile: so is everything before.
    if (rebuilt === false) return undefined;
    if ((await digestOf(slice.encode(rebuilt.state.slices.get(slice.name)), pace)) !== found) return seq;
    upTo = seq - 1;
  }
}

async function digestOf(chunks: Iterable<Uint8Array>, pace: Pacer): Promise<string> {
  const hash = createHash("sha256");
  for (const chunk of chunks) {
    hash.update(chunk);
    await pace.step();
  }
  return hash.digest("hex");
}
