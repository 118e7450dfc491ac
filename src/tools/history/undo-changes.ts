// Owns: undo_changes: an agent takes back what it did.

import { z } from "zod";
import { echo, HoldfastError, say, type Shown } from "../../errors.ts";
import { recordKey } from "../../session/record-keys.ts";
import type { UndoRequest } from "../../session/undo-request.ts";
import { defineTool, type ReadCtx, type Tool } from "../tool.ts";
import { TREE_TOKENS } from "../tree/_tree-tool.ts";
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
  resolve: async (asked, ctx) => requestOf(ctx, asked),
  targets: (request) =>
    "record" in request
      ? [request.record].flat().map((record) => ({ key: recordKey(record), name: say`record ${record}` }))
      : [],
  async run(ctx, request) {
    const { undone, refused, records } = await ctx.undo(request);
    for (const { seq, agent } of records)
      if (agent !== ctx.agent.id)
        throw new HoldfastError(
          "forbidden",
          "others_work",
          say`Record ${seq} is the work of ${agent as Shown}. You can undo your own; ask the host to undo others'.`,
        );
    return {
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
  text({ undone, refused, token }, { record: asked, since }) {
    const last = asked === undefined && since === undefined ? ", your last call that changed something" : "";
    const lines = undone.map(
      ({ record, tool, targets }) => `Undid record ${record} (${[tool, ...targets].join(" ")})${last}`,
    );
    for (const { record, message } of refused) lines.push(`Kept record ${record}: ${message}`);
    if (token !== undefined) lines.push(`Token ${token}`);
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
  return { agent: ctx.agent.id, since: await placeOf(ctx, since), ...how };
}

/** The record that a token names, of a file or of a tree. Throws when it is no token, or not of this history. */
async function placeOf(ctx: ReadCtx, token: string): Promise<number> {
  const at = TREE_TOKENS.read(token)?.at;
  if (at === undefined)
    throw new HoldfastError(
      "invalid_argument",
      "bad_token",
      say`since is not a version token. Use one that a call returned.`,
    );
  const [record] = at.seq === 0 ? [] : await ctx.records({ after: at.seq - 1, upTo: at.seq, limit: 1 });
  if (at.seq > 0 && record?.hash.startsWith(at.hash) !== true)
    throw new HoldfastError(
      "conflict",
      "unknown_position",
      say`${echo(token)} is not part of this session's history. Read again to get a current token.`,
    );
  return at.seq;
}
