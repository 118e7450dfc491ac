// Owns: snapshot_create and snapshot_list: names for places in history.

import { z } from "zod";
import { echo } from "../../errors.ts";
import { SNAPSHOTS_KEY } from "../../session/snapshots.ts";
import { tokenOf } from "../../store/token.ts";
import { showName } from "../../text/show.ts";
import { defineTool, type Tool } from "../tool.ts";

export const snapshotCreate: Tool = defineTool({
  name: "snapshot_create",
  destructive: false,
  toolset: "history",
  access: "write",
  kind: "snapshot",
  title: "Create a snapshot",
  description: "Gives the present state, files and trees, a name to come back to.",
  input: z.object({ label: z.string() }),
  output: z.object({ label: z.string(), id: z.string().optional(), token: z.string().optional() }),
  targets: ({ label }) => [{ key: SNAPSHOTS_KEY, name: echo(label) }],
  async run(ctx, { label }): Promise<{ label: string; id?: string; token?: string }> {
    ctx.snapshot(label);
    return { label: label.trim() };
  },
  stamp: (at) => ({ id: tokenOf(at) }),
  text: ({ label, id: made }) => `Snapshot ${showName(label)}${made === undefined ? "" : `: id ${made}`}`,
});

const snapshot = z.object({
  id: z.string(),
  label: z.string(),
  agent: z.string(),
  time: z.string(),
  expired: z.boolean(),
});

export const snapshotList: Tool = defineTool({
  name: "snapshot_list",
  toolset: "history",
  access: "read",
  title: "List snapshots",
  description: "Lists snapshots, newest first.",
  input: z.object({
    limit: z.int().min(1).max(200).optional().describe("50 when left out"),
    before: z.int().min(1).optional().describe("Only snapshots before this record"),
  }),
  output: z.object({ snapshots: z.array(snapshot), before: z.int().optional() }),
  targets: () => [],
  async run(ctx, { limit = 50, before }) {
    const found = await ctx.snapshots({ limit: limit + 1, ...(before === undefined ? {} : { before }) });
    const last = found.length > limit ? found[limit - 1] : undefined;
    return {
      snapshots: found.slice(0, limit).map(({ id: at, label, agent, time, expired }) => ({
        id: at,
        label,
        agent,
        time: time.toISOString(),
        expired,
      })),
      ...(last === undefined ? {} : { before: last.seq }),
    };
  },
  text({ snapshots, before }) {
    if (snapshots.length === 0) return "No snapshots.";
    const lines = snapshots.map(
      ({ id: at, label, agent, time, expired }) =>
        `${at} ${showName(label)} by ${agent}, ${time}${expired ? " (expired)" : ""}`,
    );
    if (before !== undefined) lines.push(`[More: call again with before ${before}]`);
    return lines.join("\n");
  },
});
