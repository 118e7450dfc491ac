// Owns: diff_changes: what a record changed, or what has changed since a place in history.

import { z } from "zod";
import { HoldfastError, say } from "../../errors.ts";
import type { SliceDiff } from "../../session/slice.ts";
import { kindOf } from "../../session/record-kinds.ts";
import type { Position } from "../../store/journal.ts";
import { plural } from "../../text/plural.ts";
import { paging } from "../paging.ts";
import { defineTool, type ReadCtx, type Tool } from "../tool.ts";
import { positionNamed, recordAt, recordNamed, recordRef, type RecordRef } from "./_records.ts";
import { diffPage, filesText, placeIn, shownFile } from "./_show-diff.ts";

const input = z.object({
  record: recordRef
    .optional()
    .describe("What this record (number or token) changed; your last change when left out"),
  since: recordRef.optional().describe("Instead: all that changed after this record or token, by anybody"),
  path: z.string().optional().describe("Only this file, or files in this directory"),
  ...paging,
});

const output = z.object({
  record: z.int().optional(),
  agent: z.string().optional(),
  files: z.array(shownFile),
  trees: z.array(z.string()),
  slices: z.record(z.string(), z.array(z.string())).describe("What changed beside files and trees"),
  cursor: z.string().optional(),
});

/** Lines about trees, and about each other slice, that a result shows. */
const LINES = 50;
const OWN_RECORDS = 100;

export const diffChanges: Tool = defineTool({
  name: "diff_changes",
  toolset: "history",
  access: "read",
  title: "Show changes",
  description: "Shows what a record changed, or all that changed since a token, as hunks.",
  input,
  output,
  resolve: ({ path, ...rest }, ctx) => ({
    ...rest,
    ...(path === undefined ? {} : { path: ctx.path(path, "any") }),
  }),
  targets: () => [],
  async run(ctx, { record, since, path, cursor }): Promise<z.output<typeof output>> {
    if (path !== undefined) await ctx.files.stat(path);
    const resumed = cursor === undefined ? undefined : await ctx.resume(cursor);
    const here = resumed?.ctx ?? ctx;
    const span = await spanOf(here, record, since);
    const { from, to } = span;
    const after = resumed === undefined ? {} : { after: placeIn(resumed.place) };
    const within = path === undefined ? {} : { path };
    const page = await diffPage(here, { from, to, ...within, ...after }, ctx.budget).catch(
      (error: unknown) => {
        throw span.record === undefined ? error : asPrunedRecord(error, span.record, here.at.seq);
      },
    );
    const isWhole = page.after === undefined && path === undefined;
    const { trees, slices } = isWhole ? await slicesBetween(here, from, to) : { trees: [], slices: {} };
    return {
      ...(span.record === undefined ? {} : { record: span.record, agent: span.agent ?? "" }),
      files: [...page.files],
      trees,
      slices,
      ...(page.after === undefined ? {} : { cursor: await here.cursor(page.after) }),
    };
  },
  text({ record, agent, files, trees, slices, cursor }) {
    const head = record === undefined ? [] : [`Record ${record} by ${agent ?? ""}:`];
    if (cursor !== undefined) head.push(`[More: call again with cursor ${cursor}]`);
    const others = Object.entries(slices).flatMap(([name, lines]) => [`${name}:`, ...lines]);
    const body = [...filesText(files), ...trees, ...others];
    return [...head, ...(body.length === 0 ? ["No difference."] : body)].join("\n");
  },
});

interface Span {
  readonly from: Position;
  readonly to: Position;
  readonly record?: number;
  readonly agent?: string;
}

async function spanOf(
  ctx: ReadCtx,
  record: RecordRef | undefined,
  since: RecordRef | undefined,
): Promise<Span> {
  if (record !== undefined && since !== undefined)
    throw new HoldfastError("invalid_argument", "diff_choice", say`Send record or since, not both.`);
  if (since !== undefined) return { from: await positionNamed(ctx, since, say`since`), to: ctx.at };
  const seq = record === undefined ? await lastOf(ctx) : await recordNamed(ctx, record, say`record`);
  const found = await recordAt(ctx, seq);
  if (found === undefined)
    throw new HoldfastError(
      "not_found",
      "no_such_record",
      say`There is no record ${seq}: the newest is ${ctx.at.seq}.`,
    );
  const { hash, agent } = found;
  return { from: { seq: seq - 1, hash: "" }, to: { seq, hash }, record: seq, agent };
}

/** What a record changed is the difference of two states: with the first of them, that is pruned too. */
function asPrunedRecord(error: unknown, record: number, newest: number): unknown {
  if (!HoldfastError.is(error) || error.reason !== "snapshot_expired") return error;
  const { oldest } = error.data as { readonly oldest: number };
  const next =
    oldest < newest ? say`Name record ${oldest + 1} or a later one.` : say`There is no later one yet.`;
  return new HoldfastError(
    "conflict",
    "snapshot_expired",
    say`What record ${record} changed is pruned. ${next}`,
    {
      data: { oldest },
    },
  );
}

async function lastOf(ctx: ReadCtx): Promise<number> {
  const upTo = ctx.at.seq;
  const own = await ctx.records({ agent: ctx.agent.id, upTo, newestFirst: true, limit: OWN_RECORDS });
  const last = own.find((one) => kindOf(one).isUndoable && one.changes?.length !== 0);
  if (last !== undefined) return last.seq;
  throw new HoldfastError(
    "not_found",
    "no_such_record",
    say`You have changed nothing yet. Send record or since to see what others did.`,
  );
}

/** What differs beside files. */
async function slicesBetween(
  ctx: ReadCtx,
  from: Position,
  to: Position,
): Promise<{ trees: string[]; slices: Record<string, string[]> }> {
  const { tree, ...others } = (await ctx.diff({ from, to, limit: 0 })).slices;
  const slices = Object.entries(others).map(([name, diff]) => [name, linesOf(diff, "")] as const);
  return { trees: tree === undefined ? [] : linesOf(tree, " of trees"), slices: Object.fromEntries(slices) };
}

function linesOf({ added, changed, removed }: SliceDiff, what: string): string[] {
  const lines = [
    ...added.map((name) => `+ ${name}`),
    ...changed.map((name) => `~ ${name}`),
    ...removed.map((name) => `- ${name}`),
  ];
  const more = lines.length - LINES;
  return more > 0 ? [...lines.slice(0, LINES), `[${plural(more, "more change")}${what}]`] : lines;
}
