// Owns: a diff between two places in history as agents see it: file by file, within the budget, with a cursor for the rest.

import { z } from "zod";
import {
  sideChanges,
  withoutHunksWords,
  type DiffRequest,
  type FileDiff,
  type SessionDiff,
} from "../../session/diff.ts";
import { showHunks } from "../../text/show-hunks.ts";
import { plural } from "../../text/plural.ts";
import type { Json } from "../../value.ts";
import type { ReadCtx } from "../tool.ts";

/** What a result shows of one file that differs. */
export interface ShownFile {
  path: string;
  change: "added" | "removed" | "changed";
  version?: number | undefined;
  added?: number | undefined;
  removed?: number | undefined;
  diff: string;
}

export const shownFile: z.ZodType<ShownFile> = z.object({
  path: z.string(),
  change: z.enum(["added", "removed", "changed"]),
  version: z.int().optional().describe("The one after the change; the last one for a removed file"),
  added: z.int().optional().describe("Lines"),
  removed: z.int().optional(),
  diff: z.string().describe("Hunks of a unified diff; a line in brackets where there are none"),
});

/** Files of one page; `after` is where the next one begins. */
export interface DiffPage {
  readonly files: readonly ShownFile[];
  readonly after?: string;
}

/** Characters beside the hunks of a page: headings, the cursor, and what trees add. */
const RESERVE = 600;
const PAGE_FILES = 200;

/** One page of files that differ. At least one, however small the budget. */
export async function diffPage(ctx: ReadCtx, request: DiffRequest, budget: number): Promise<DiffPage> {
  const room = Math.max(200, budget - RESERVE);
  const diff = await ctx.diff({ ...request, slice: "files", budget: room, limit: PAGE_FILES });
  return fittingFiles(diff, room);
}

/** As many files of a diff as have room. */
function fittingFiles({ files, moreFiles }: SessionDiff, room: number): DiffPage {
  const shown: ShownFile[] = [];
  let used = 0;
  for (const file of files) {
    const one = showFile(file);
    used += headingOf(one).length + one.diff.length + 2;
    if (shown.length > 0 && (used > room || file.withoutHunks === "over_budget")) break;
    shown.push(one);
  }
  const last = shown.at(-1);
  return last === undefined || (shown.length === files.length && moreFiles === 0)
    ? { files: shown }
    : { files: shown, after: last.path };
}

function showFile({ path, change, before, after, hunks, withoutHunks }: FileDiff): ShownFile {
  const version = (after ?? before)?.version;
  const head = { path, change, ...(version === undefined ? {} : { version }) };
  const body = sideChanges(before, after).map((one) => `[${one}]`);
  if (hunks !== undefined) {
    const diff = [...body, showHunks(hunks)].filter((part) => part !== "").join("\n");
    return { ...head, added: hunks.added, removed: hunks.removed, diff };
  }
  const why = withoutHunksWords(withoutHunks);
  const sizes = [before, after].map((side) =>
    side === undefined ? "none" : plural(side.size_bytes, "byte"),
  );
  return { ...head, diff: [...body, `[${why}: ${sizes.join(" before, ")} after]`].join("\n") };
}

function headingOf({ path, change, added, removed }: ShownFile): string {
  const counts = added === undefined || removed === undefined ? "" : ` (+${added} -${removed})`;
  return `${change} ${path}${counts}`;
}

/** The files as text. */
export function filesText(files: readonly ShownFile[]): string[] {
  return files.flatMap((file) => (file.diff === "" ? [headingOf(file)] : [headingOf(file), file.diff]));
}

/** What a call has changed so far, in a few hunks: for the result of a write. */
export async function previewOf(ctx: {
  preview(bounds: { budget: number; limit: number }): Promise<SessionDiff>;
}): Promise<{ readonly files: readonly ShownFile[]; readonly moreFiles: number }> {
  const diff = await ctx.preview({ budget: PREVIEW, limit: PREVIEW_FILES });
  const { files } = fittingFiles(diff, PREVIEW + RESERVE);
  return { files, moreFiles: diff.files.length + diff.moreFiles - files.length };
}

const PREVIEW = 1_500;
const PREVIEW_FILES = 20;

/** The same as text. */
export function previewedDiff({
  files,
  moreFiles,
}: {
  files: readonly ShownFile[];
  moreFiles: number;
}): string[] {
  const more = moreFiles > 0 ? [`[${plural(moreFiles, "more file")} changed]`] : [];
  return [...filesText(files), ...more];
}

/** The place in a diff that a cursor names. */
export function placeIn(place: Json): string {
  return typeof place === "string" ? place : "";
}
