// Owns: writing a file's content again as one blob, once it has become many pieces or mostly history.
// Must never: change a byte, a version or a token.

import { HoldfastError } from "../../errors.ts";
import type { WorkspacePath } from "../../path/index.ts";
import type { BlobId, Change, Content, Extent } from "../../store/journal.ts";
import { isBlobLost } from "../../store/lost-bytes.ts";
import { bisect } from "../../text/bisect.ts";
import { EXTENTS } from "../../text/index.ts";
import { transact, type SessionCore } from "../transact.ts";
import type { FileChange } from "./file-change.ts";
import { fileAt, type FileEntry, type FilesState } from "./file-state.ts";
import { filesSlice } from "./files-slice.ts";

/** Fewer dead bytes than this are not worth a rewrite. */
const LEAST_DEAD = 64 * 1024;
const LEASE = "rewrite";
const LEASE_MS = 60_000;

/** The file that a change has left in need of a rewrite. */
export function wornFile(core: SessionCore, change: Change): string | undefined {
  if (change.slice !== "files") return undefined;
  const { op, path } = change as FileChange;
  return op !== "delete" && op !== "rewrite" && needsRewrite(core, path) ? path : undefined;
}

export function needsRewrite(core: SessionCore, path: string): boolean {
  const entry = entryOf(core, path);
  if (entry === undefined) return false;
  const { content, dead } = entry;
  return content.extents.length > core.limits.contentExtents || (dead >= LEAST_DEAD && dead > content.size);
}

function entryOf(core: SessionCore, path: string): FileEntry | undefined {
  const state = core.timeline.state.slices.get("files") as FilesState | undefined;
  return state === undefined ? undefined : fileAt(state, path as WorkspacePath);
}

/** Does nothing while another process rewrites. What is changed meanwhile stays, in its own blobs. */
export async function rewriteFile(core: SessionCore, path: string): Promise<void> {
  const lease = await core.journal.lease(LEASE, LEASE_MS);
  if (lease === undefined) return;
  const entry = entryOf(core, path);
  try {
    if (entry === undefined) return;
    const source = await core.journal.source(entry.content);
    const blob = await core.journal.stage(source).finally(() => source.close());
    await commit(core, entry, blob);
  } catch (cause) {
    if (HoldfastError.is(cause) && cause.reason === "contended") return;
    if (isBlobLost(cause)) await core.timeline.catchUp();
    // Another process has written the file meanwhile, and pruned what it was.
    if (entryOf(core, path) !== entry) return;
    throw cause;
  } finally {
    await lease.release();
  }
}

async function commit(core: SessionCore, entry: FileEntry, blob: BlobId): Promise<void> {
  const { id, path } = entry;
  await transact(
    core,
    {
      kind: "rewrite",
      agent: "host",
      role: "host",
      request: "rewrite",
      targets: [],
      pins: [],
      time: new Date(),
      quota: { bytes: Number.MAX_SAFE_INTEGER, files: Number.MAX_SAFE_INTEGER },
      tries: core.limits.contentionTries,
      dryRun: false,
    },
    async (draft) => {
      const now = draft.reader(filesSlice).file(path);
      if (now?.id !== id) return;
      const after = movedInto(blob, entry.content, now.content);
      const change: FileChange = { slice: "files", op: "rewrite", id, path, before: now.content, after };
      draft.change(change);
    },
    () => undefined,
  );
}

/** A stretch of a blob, and where it is in the copy. */
interface Copied {
  readonly index: number;
  readonly id: BlobId;
  readonly from: number;
  readonly to: number;
  readonly at: number;
}

/** `content` with the bytes that `copied` holds taken from `blob`, which is a copy of that. The rest stays where it is. */
export function movedInto(blob: BlobId, copied: Content, content: Content): Content {
  const stretches: Copied[] = [];
  let at = 0;
  for (const [id, from, length] of copied.extents) {
    stretches.push({ index: stretches.length, id, from, to: from + length, at });
    at += length;
  }
  const byBlob = new Map<BlobId, Copied[]>();
  for (const one of stretches.toSorted((a, b) => a.from - b.from)) {
    const list = byBlob.get(one.id) ?? [];
    byBlob.set(one.id, list);
    list.push(one);
  }
  const moved: Extent[] = [];
  let next = 0;
  for (const [id, from, length] of content.extents) {
    const list = byBlob.get(id) ?? [];
    for (let here = from; here < from + length;) {
      // Equal bytes may have been copied twice: what follows on what was moved last comes first, so that extents melt.
      const expected = stretches[next];
      const i = lastUpTo(list, here);
      const one = expected !== undefined && holds(expected, id, here) ? expected : list[i];
      const isCopied = one !== undefined && holds(one, id, here);
      const end = Math.min(
        from + length,
        isCopied ? one.to : (list[i + 1]?.from ?? Number.POSITIVE_INFINITY),
      );
      moved.push(isCopied ? [blob, one.at + here - one.from, end - here] : [id, here, end - here]);
      if (isCopied) next = one.index + 1;
      here = end;
    }
  }
  return { size: content.size, extents: EXTENTS.join([moved]) };
}

function holds({ id, from, to }: Copied, blob: BlobId, at: number): boolean {
  return id === blob && from <= at && at < to;
}

/** The index of the last stretch that begins at or before a place; -1 when none does. */
function lastUpTo(list: readonly Copied[], at: number): number {
  return bisect(list.length, (i) => (list[i] as Copied).from <= at) - 1;
}
