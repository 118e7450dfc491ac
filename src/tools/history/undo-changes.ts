// Owns: undo_changes: an agent takes back what it did.

import { z } from "zod";
import { HoldfastError, say } from "../../errors.ts";
import { recordKey } from "../../session/record-keys.ts";
import type { UndoRequest } from "../../session/undo-request.ts";
import { parseToken } from "../../store/token.ts";
import { showName } from "../../text/index.ts";
import { defineTool, fileTarget, subtreeTarget, type ReadCtx, type Target, type Tool } from "../tool.ts";
import { withToken } from "../token-line.ts";
import { isHidden, positionNamed, recordNamed, recordNumber, recordRef } from "./_records.ts";
import { previewOf, previewedDiff, shownFile } from "./_show-diff.ts";
import { targetNames } from "./_target-names.ts";

const input = z.object({
  record: z
    .union([recordRef, z.array(recordRef).min(1)])
    .optional()
    .describe("By number or token"),
  since: recordRef.optional().describe("All you did after this"),
  path: z.string().optional().describe("Only in this file or directory"),
  partial: z.boolean().optional().describe("Undo what can be undone instead of nothing"),
});

const output = z.object({
  undone: z.array(z.object({ record: z.int(), tool: z.string(), targets: z.array(z.string()) })),
  refused: z.array(z.object({ record: z.int(), message: z.string() })),
  files: z.array(shownFile),
  moreFiles: z.int(),
  token: z.string().optional(),
});

export const undoChanges: Tool = defineTool({
  name: "undo_changes",
  toolset: "history",
  access: "write",
  kind: "undo",
  title: "Undo changes",
  description:
    "Takes back your last call that changed something, or records, or all you did since a token: all or nothing, beneath what others changed since.",
  input,
  output,
  resolve: async (asked, ctx) => ({
    request: await requestOf(ctx, asked),
    at: await placeOf(ctx, asked.path),
  }),
  // Which records it took back is known when it has: those that are refused, or undone in a part, still stand.
  targets: ({ at }) => at,
  mentions: ({ record }) =>
    [record ?? []]
      .flat()
      .flatMap((ref) => recordNumber(ref) ?? [])
      .map(recordKey),
  async run(ctx, { request }) {
    const { undone, refused, records } = await ctx.undo(request);
    const preview = await previewOf(ctx);
    return {
      files: [...preview.files],
      moreFiles: preview.moreFiles,
      undone: records
        .filter((record) => undone.includes(record.seq))
        .map(({ seq, tool, kind, targets }) => ({
          record: seq,
          tool: tool ?? kind,
          targets: targetNames(targets.filter((key) => !isHidden(ctx, key))),
        })),
      refused: refused.map(({ seq, refusal }) => ({ record: seq, message: refusal.message })),
    };
  },
  text({ undone, refused, files, moreFiles, token }, { record: asked, since, path }) {
    const last = asked === undefined && since === undefined ? ", your last call that changed something" : "";
    const where = path === undefined ? "" : `, only in ${showName(path)}`;
    const lines = undone.map(
      ({ record, tool, targets }) =>
        `Undid record ${record} (${[tool, ...targets].join(" ")})${last}${where}`,
    );
    for (const { record, message } of refused) lines.push(`Kept record ${record}: ${message}`);
    const own = token === undefined ? undefined : parseToken(token)?.seq;
    if (own !== undefined) lines.push(`[To redo, undo record ${own}]`);
    lines.push(...previewedDiff({ files, moreFiles }));
    return withToken(lines.join("\n"), token);
  },
});

async function placeOf(ctx: ReadCtx, text: string | undefined): Promise<Target[]> {
  if (text === undefined) return [];
  const path = ctx.path(text, "any");
  return [(await ctx.files.isDirectory(path)) ? subtreeTarget(path) : fileTarget(path)];
}

async function requestOf(
  ctx: ReadCtx,
  { record, since, path, partial = false }: z.output<typeof input>,
): Promise<UndoRequest> {
  if (record !== undefined && since !== undefined)
    throw new HoldfastError("invalid_argument", "undo_choice", say`Send record or since, not both.`);
  const how = { partial, ...(path === undefined ? {} : { path: ctx.path(path, "any") }) };
  if (record !== undefined) {
    const named: number[] = [];
    for (const ref of [record].flat()) named.push(await recordNamed(ctx, ref, say`record`));
    return { record: named, ...how };
  }
  if (since === undefined) return { lastCallOf: ctx.agent.id, ...how };
  return { agent: ctx.agent.id, since: (await positionNamed(ctx, since, say`since`)).seq, ...how };
}
