// Owns: undo_changes: an agent takes back what it did.

import { z } from "zod";
import { HoldfastError, say } from "../../errors.ts";
import { isGateKey } from "../../session/gates/gates-slice.ts";
import { recordKey } from "../../session/record-keys.ts";
import type { UndoRequest } from "../../session/undo-request.ts";
import { parseToken } from "../../store/token.ts";
import { showName } from "../../text/index.ts";
import { defineTool, type ReadCtx, type Tool } from "../tool.ts";
import { withToken } from "../token-line.ts";
import { anywhereIn, placeOf } from "./_places.ts";
import { isHidden, positionNamed, recordNamed, recordNumber, recordRef } from "./_records.ts";
import { previewOf, previewedDiff, shownFile } from "./_show-diff.ts";
import { shownTarget, targetNames } from "./_target-names.ts";

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
  gates: z.boolean().optional().describe("Answers to gates were changed too"),
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
    at: asked.path === undefined ? [] : [await placeOf(ctx, asked.path)],
    anywhere: asked.path === undefined ? anywhereIn(ctx) : [],
  }),
  // Which records it took back is known when it has: those that are refused, or undone in a part, still stand.
  targets: ({ at }) => at,
  mayChange: ({ anywhere }) => anywhere,
  mentions: ({ record }) =>
    [record ?? []]
      .flat()
      .flatMap((ref) => recordNumber(ref) ?? [])
      .map(recordKey),
  async run(ctx, { request }) {
    const { undone, refused, records } = await ctx.undo(request);
    const preview = await previewOf(ctx);
    const gates = [...ctx.touched()].some(isGateKey);
    return {
      ...(gates ? { gates } : {}),
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
  text({ undone, refused, gates, files, moreFiles, token }, { record: asked, since, path }) {
    const last = asked === undefined && since === undefined ? ", your last call that changed something" : "";
    const where = path === undefined ? "" : `, only in ${showName(path)}`;
    const lines = undone.map(
      ({ record, tool, targets }) =>
        `Undid record ${record} (${[tool, ...targets.map(shownTarget)].join(" ")})${last}${where}`,
    );
    for (const { record, message } of refused) lines.push(`Not undone: record ${record}: ${message}`);
    const own = token === undefined ? undefined : parseToken(token)?.seq;
    // A gate that is open again may hold back the very undo that would redo this.
    if (gates === true)
      lines.push("[Answers to gates are what they were before: to change them, answer again]");
    else if (own !== undefined) lines.push(`[To redo, undo record ${own}]`);
    lines.push(...previewedDiff({ files, moreFiles }));
    return withToken(lines.join("\n"), token);
  },
});

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
