// Owns: undo_changes: an agent takes back what it did.

import { z } from "zod";
import { HoldfastError, say, type Shown } from "../../errors.ts";
import { recordKey } from "../../session/record-keys.ts";
import type { UndoRequest } from "../../session/undo-request.ts";
import { parseToken } from "../../store/token.ts";
import { defineTool, type Tool, type WriteCtx } from "../tool.ts";

const input = z.object({
  record: z.int().min(1).optional().describe("A record to undo; your last call when left out"),
  since: z.string().optional().describe("Undo all you did after this token"),
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
    "Takes back your last call, one record, or all you did since a token. All or nothing, beneath what others changed since.",
  input,
  output,
  targets: ({ record }) =>
    record === undefined ? [] : [{ key: recordKey(record), name: say`record ${record}` }],
  async run(ctx, asked) {
    const { undone, refused, records } = await ctx.undo(requestOf(ctx, asked));
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
        .map(({ seq, tool, kind, targets }) => ({ record: seq, tool: tool ?? kind, targets: [...targets] })),
      refused: refused.map(({ seq, refusal }) => ({ record: seq, message: refusal.message })),
    };
  },
  text({ undone, refused, token }) {
    const lines = undone.map(
      ({ record, tool, targets }) => `Undid record ${record} (${[tool, ...targets].join(" ")})`,
    );
    for (const { record, message } of refused) lines.push(`Kept record ${record}: ${message}`);
    if (token !== undefined) lines.push(`Token ${token}`);
    return lines.join("\n");
  },
});

function requestOf(ctx: WriteCtx, { record, since, partial = false }: z.output<typeof input>): UndoRequest {
  if (record !== undefined && since !== undefined)
    throw new HoldfastError("invalid_argument", "undo_choice", say`Send record or since, not both.`);
  if (record !== undefined) return { record, partial };
  if (since === undefined) return { lastCallOf: ctx.agent.id, partial };
  const position = parseToken(since);
  if (position === undefined)
    throw new HoldfastError(
      "invalid_argument",
      "bad_token",
      say`since is not a version token. Use one that a call answered with.`,
    );
  return { agent: ctx.agent.id, since: position.seq, partial };
}
