// Owns: writing a file's content again as one blob, once it has become many pieces or mostly history.
// Must never: change a byte, a version or a token.

import { HoldfastError } from "../../errors.ts";
import type { WorkspacePath } from "../../path/index.ts";
import type { Change } from "../../store/journal.ts";
import { blobContent } from "../content.ts";
import { transact, type Book } from "../transact.ts";
import type { FileChange } from "./file-change.ts";
import { fileAt, type FileEntry, type FilesState } from "./file-state.ts";
import { filesSlice } from "./files-slice.ts";

/** Fewer dead bytes than this are not worth a rewrite. */
const LEAST_DEAD = 64 * 1024;
const LEASE = "rewrite";
const LEASE_MS = 60_000;

/** Files that `changes` have left in need of a rewrite. */
export function* wornFiles(book: Book, changes: readonly Change[]): Generator<string, void, undefined> {
  for (const change of changes) {
    if (change.slice !== "files") continue;
    const { op, path } = change as FileChange;
    if (op !== "delete" && op !== "rewrite" && needsRewrite(book, path)) yield path;
  }
}

export function needsRewrite(book: Book, path: string): boolean {
  const entry = entryOf(book, path);
  if (entry === undefined) return false;
  const { content, dead } = entry;
  return content.extents.length > book.limits.contentExtents || (dead >= LEAST_DEAD && dead > content.size);
}

function entryOf(book: Book, path: string): FileEntry | undefined {
  const state = book.timeline.state.slices.get("files") as FilesState | undefined;
  return state === undefined ? undefined : fileAt(state, path as WorkspacePath);
}

/** Does nothing while another process rewrites, or when somebody changes the file meanwhile: then that wakes us again. */
export async function rewriteFile(book: Book, path: string): Promise<void> {
  const lease = await book.journal.lease(LEASE, LEASE_MS);
  if (lease === undefined) return;
  try {
    const entry = entryOf(book, path);
    if (entry === undefined) return;
    const source = await book.journal.source(entry.content);
    const blob = await book.journal.stage(source).finally(() => source.close());
    const after = blobContent(blob, entry.content.size);
    await commit(
      book,
      { slice: "files", op: "rewrite", id: entry.id, path, before: entry.content, after },
      entry,
    );
  } catch (cause) {
    if (!(HoldfastError.is(cause) && cause.reason === "contended")) throw cause;
  } finally {
    await lease.release();
  }
}

async function commit(book: Book, change: FileChange, entry: FileEntry): Promise<void> {
  await transact(
    book,
    {
      kind: "rewrite",
      agent: "host",
      role: "host",
      request: "rewrite",
      targets: [],
      pins: [],
      time: new Date(),
      quota: { bytes: Number.MAX_SAFE_INTEGER, files: Number.MAX_SAFE_INTEGER },
      tries: 1,
      dryRun: false,
    },
    async (draft) => {
      const now = draft.reader(filesSlice).file(entry.path);
      if (now?.content === entry.content) draft.change(change);
    },
    () => undefined,
  );
}
