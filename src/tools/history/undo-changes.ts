// Owns: undo_changes: an agent takes back what it did.

import { z } from "zod";
import { HoldfastError, say, type Shown } from "../../errors.ts";
import { recordKey } from "../../session/record-keys.ts";
import type { UndoRequest } from "../../session/undo-request.ts";
import { defineTool, type ReadCtx, type Tool } from "../tool.ts";
import { positionNamed } from "./_records.ts";
import { previewOf, previewedDiff, shownFile } from "./_show-diff.ts";
import { targetNames } from "./_target-names.ts";

const input = z.object({
  record: z
    .union([z.int().min(1), z.array(z.int().min(1)).min(1)])
    .optional()
    .describe("A record to undo, or several together; your last call that changed something when left out"),
  since: z.string().optional().describe("Undo all you did after this token"),
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
    "Takes back your last call that changed something, records, or all you did since a token. All or nothing, beneath what others changed since.",
  input,
  output,
  batch: ({ record }) => (Array.isArray(record) ? record.length : 0),
  resolve: async (asked, ctx) => requestOf(ctx, asked),
  targets: (request) =>
    "record" in request
      ? [request.record].flat().map((record) => ({ key: recordKey(record), name: say`record ${record}` }))
      : [],
  async run(ctx, request) {
    const { undone, refused, records } = await ctx.undo(request);
    for (const { seq, agent } of records)
      if (agent !== ctx.agent.id && !ctx.permissions.restoreAll)
        throw new HoldfastError(
          "forbidden",
          "others_work",
          say`Record ${seq} is the work of ${agent as Shown}. You can undo your own; ask the host to undo others'.`,
        );
    const preview = await previewOf(ctx);
    return {
      files: [...preview.files],
      moreFiles: preview.moreFiles,
      undone: records
        .filter((record) => undone.includes(record.seq))
        .map(({ seq, tool, kind, targets }) => ({
          record: seq,
          tool: tool ?? kind,
          targets: targetNames(targets),
        })),
      refused: refused.map(({ seq, refusal }) => ({ record: seq, message: refusal.message })),
    };
  },
  text({ undone, refused, files, moreFiles, token }, { record: asked, since }) {
    const last = asked === undefined && since === undefined ? ", your last call that changed something" : "";
    const lines = undone.map(
      ({ record, tool, targets }) => `Undid record ${record} (${[tool, ...targets].join(" ")})${last}`,
    );
    for (const { record, message } of refused) lines.push(`Kept record ${record}: ${message}`);
    if (token !== undefined) lines.push(`Token ${token}`);
    lines.push(...previewedDiff({ files, moreFiles }));
    return lines.join("\n");
  },
});

async function requestOf(
  ctx: ReadCtx,
  { record, since, path, partial = false }: z.output<typeof input>,
): Promise<UndoRequest> {
  if (record !== undefined && since !== undefined)
    throw new HoldfastError("invalid_argument", "undo_choice", say`Send record or since, not both.`);
  const how = { partial, ...(path === undefined ? {} : { path: ctx.path(path, "any") }) };
  if (record !== undefined) return { record, ...how };
  if (since === undefined) return { lastCallOf: ctx.agent.id, ...how };
  return { agent: ctx.agent.id, since: (await positionNamed(ctx, since, say`since`)).seq, ...how };
}
