// Owns: edits of one JSON file within a call: planned on its stored bytes, proven, spliced in, and shown as a hunk.
// Must never: write a byte outside the splices that the engine has proven.

import { z } from "zod";
import {
  editJsonSteps,
  lineNumbersSteps,
  listKeysSteps,
  type JsonEdit,
  type JsonEditReport,
} from "../../json/index.ts";
import { HoldfastError } from "../../errors.ts";
import type { WorkspacePath } from "../../path/index.ts";
import { changesNothingSteps } from "../../text/changes-nothing.ts";
import { hunksOfSteps, readBytes, type Splice } from "../../text/index.ts";
import { countFeeds } from "../../text/lines.ts";
import { showHunks } from "../../text/show-hunks.ts";
import { runPaced, type Steps } from "../../text/steps.ts";
import type { WriteCtx } from "../tool.ts";
import { arrayOf } from "./_prove.ts";
import { carryDocument, openDocument, PAUSE_EVERY, type JsonDocument } from "./_document.ts";

export const changed: z.ZodObject<{
  at: z.ZodInt;
  removed: z.ZodInt;
  inserted: z.ZodInt;
  line: z.ZodInt;
}> = z.object({
  /** In bytes of the file as the edit found it: that of the version named, where the edit was rebased. */
  at: z.int(),
  removed: z.int(),
  inserted: z.int(),
  /** From 1. */
  line: z.int(),
});

/** A file after its edits. */
export interface EditedFile {
  readonly path: WorkspacePath;
  readonly version: number;
  /** Only of a file that was already as asked: that of a changed one comes with the commit. */
  readonly token?: string;
  readonly reports: readonly JsonEditReport[];
  /** It was placed beside what others changed since the version named. */
  readonly isRebased?: boolean;
  /** Unified, with one line around; empty when nothing changed. */
  readonly hunk: string;
}

/** Makes the edits of one file, in order. Throws what the engine refuses; then nothing is changed. */
export async function changeJsonFile(
  ctx: WriteCtx,
  path: WorkspacePath,
  edits: readonly JsonEdit[],
): Promise<EditedFile> {
  const document = await openDocument(ctx, path, "write");
  const { file, source, indexes, mode, maxDepth } = document;
  const options = { mode, indexes, maxDepth, pauseEvery: PAUSE_EVERY, maxEdits: ctx.limits.jsonEdits };
  const { splices, reports } = await runPaced(editJsonSteps(source, edits, options), ctx.signal);
  if (await runPaced(changesNothingSteps(source, splices), ctx.signal)) {
    const { version, token } = file;
    return { path, version, reports, hunk: "", ...(token === undefined ? {} : { token }) };
  }
  const { version } = await ctx.files.splice(path, splices);
  if (version === file.version + 1) {
    await carryDocument(ctx, document, splices);
    return { path, version, reports, hunk: await runPaced(hunkSteps(document, splices), ctx.signal) };
  }
  // Placed beside what others changed since the version that the caller named.
  const hunks = await ctx.files.hunks(path, HUNK);
  const now = await openDocument(ctx, path);
  const told: JsonEditReport[] = [];
  for (const [i, report] of reports.entries())
    told.push(await runPaced(rebasedReportSteps(now, edits[i] as JsonEdit, report), ctx.signal));
  return { path, version, reports: told, isRebased: true, hunk: hunks === undefined ? "" : showHunks(hunks) };
}

/** Where an item among those of others is cannot be told: the array is named, with the items that it has now. */
function* rebasedReportSteps(
  { source, indexes }: JsonDocument,
  edit: JsonEdit,
  report: JsonEditReport,
): Steps<JsonEditReport> {
  const array = arrayOf(edit);
  if (array === undefined) return report;
  try {
    const { total } = yield* listKeysSteps(source, array, { limit: 0, indexes, pauseEvery: PAUSE_EVERY });
    return { ...report, path: report.path.replace(ITEM, ""), count: total };
  } catch (error) {
    // No document any more: that is found when it is proven.
    if (HoldfastError.is(error)) return report;
    throw error;
  }
}

const ITEM = /\[\d+\]$/;

/** How much of a change is shown. */
const HUNK = { context: 1, budget: 1_500, lineLength: 300 } as const;

function* hunkSteps({ source, indexes }: JsonDocument, splices: readonly Splice[]): Steps<string> {
  const places = splices.map(({ at }) => at);
  const numbers = yield* lineNumbersSteps(source, places, { indexes, pauseEvery: PAUSE_EVERY });
  const known = places.map((at, i) => ({ at, line: numbers[i] ?? 1 }));
  const lines = { lineAt: (offset: number) => lineBefore(source, known, offset) };
  return showHunks(yield* hunksOfSteps(source, splices, { ...HUNK, lines }));
}

interface KnownLine {
  readonly at: number;
  readonly line: number;
}

/** The line of an offset: a hunk begins a little before its first splice, whose line is known. */
function lineBefore(source: JsonDocument["source"], known: readonly KnownLine[], offset: number): number {
  const next = known.find(({ at }) => at >= offset) ?? known.at(-1);
  if (next === undefined) return 1;
  return next.line - countFeeds(readBytes(source, offset, next.at - offset));
}
