// Owns: turning splices over a file's bytes into a change of the session: every tool that edits answers with splices.

import { HoldfastError, say } from "../../errors.ts";
import type { WorkspacePath } from "../../path/index.ts";
import { blobContent, type ContentSplice } from "../../session/content.ts";
import type { FileEntry } from "../../session/files/file-state.ts";
import { filesSlice } from "../../session/files/files-slice.ts";
import type { Content, Extent } from "../../store/journal.ts";
import { EXTENTS, joinBytes, removedBy, spliceDelta, type Splice } from "../../text/index.ts";
import type { WriteCtx } from "../tool.ts";

/** Makes the edit of one file. All new bytes go into one blob. Throws when the file would grow beyond its limit. */
export async function editContent(
  ctx: WriteCtx,
  entry: FileEntry,
  splices: readonly Splice[],
): Promise<void> {
  checkFileSize(ctx, entry.path, entry.content.size + spliceDelta(splices));
  const bytes = joinBytes(splices.map((splice) => splice.insert));
  const blob = bytes.length === 0 ? "" : await ctx.stage(bytes);
  let from = 0;
  const stored = splices.map(({ at, remove, insert }): ContentSplice => {
    const extents: Extent[] = insert.length === 0 ? [] : [[blob, from, insert.length]];
    from += insert.length;
    return { at, remove, insert: extents };
  });
  ctx.change(filesSlice, {
    slice: "files",
    op: "splice",
    id: entry.id,
    path: entry.path,
    splices: stored,
    removed: removedBy(entry.content.extents, stored, EXTENTS),
  });
}

/** Stores the bytes of a whole file. */
export async function stageContent(ctx: WriteCtx, path: WorkspacePath, bytes: Uint8Array): Promise<Content> {
  checkFileSize(ctx, path, bytes.length);
  return bytes.length === 0 ? blobContent("", 0) : blobContent(await ctx.stage(bytes), bytes.length);
}

function checkFileSize(ctx: WriteCtx, path: WorkspacePath, size: number): void {
  const limit = ctx.limits.fileBytes;
  if (size <= limit) return;
  throw new HoldfastError(
    "invalid_argument",
    "file_too_large",
    say`${path} would have ${size} bytes; a file may have ${limit}. Split it into several files.`,
    { data: { size, limit } },
  );
}
