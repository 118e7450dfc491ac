// Owns: snapshot_create, snapshot_list, snapshot_restore, snapshot_diff: names for places in history, and trees as they
// were there.

import { z } from "zod";
import { echo, HoldfastError, say, type Shown } from "../../errors.ts";
import { treeKey, treeSlice } from "../../session/tree/tree-slice.ts";
import type { Position } from "../../store/journal.ts";
import { tokenOf } from "../../store/token.ts";
import { diffForestSteps, diffText, type ForestDiff } from "../../tree/operations.ts";
import { defineTool, type ReadCtx, type Tool, type WriteCtx } from "../tool.ts";
import { boundDiff, diffShape } from "../tree/_bound-diff.ts";
import { finish, inTree, TREE_TOKENS } from "../tree/_tree-tool.ts";

const id = z.string().describe("The id of a snapshot, or any token");

const snapshotCreate: Tool = defineTool({
  name: "snapshot_create",
  toolset: "history",
  access: "write",
  title: "Create a snapshot",
  description: "Gives the present state of the session a name to come back to.",
  input: z.object({ label: z.string() }),
  output: z.object({ label: z.string(), id: z.string().optional(), token: z.string().optional() }),
  targets: ({ label }) => [{ key: "snapshots", name: echo(label) }],
  async run(ctx, { label }): Promise<{ label: string; id?: string; token?: string }> {
    ctx.snapshot(label);
    return { label: label.trim() };
  },
  stamp: (at) => ({ id: tokenOf(at) }),
  text: ({ label, id: made }) =>
    `Snapshot ${JSON.stringify(label)}${made === undefined ? "" : `: id ${made}`}`,
});

const snapshot = z.object({
  id: z.string(),
  label: z.string(),
  agent: z.string(),
  time: z.string(),
  expired: z.boolean(),
});

const snapshotList: Tool = defineTool({
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
        `${at} ${JSON.stringify(label)} by ${agent}, ${time}${expired ? " (expired)" : ""}`,
    );
    if (before !== undefined) lines.push(`[More: call again with before ${before}]`);
    return lines.join("\n");
  },
});

const restoreInput = z.object({
  id,
  scope: z
    .enum(["trees", "session"])
    .optional()
    .describe("trees when left out; session needs the host's permission"),
  path: z.string().optional().describe("Only this file or directory; needs the host's permission"),
  ...inTree,
});

type RestoreInput = z.output<typeof restoreInput>;

const snapshotRestore: Tool = defineTool({
  name: "snapshot_restore",
  toolset: "history",
  access: "write",
  version: "required",
  tokens: TREE_TOKENS,
  title: "Restore a snapshot",
  description:
    "Makes the trees, or one of them, what they were at a snapshot: a change like any other, which can be undone.",
  input: restoreInput,
  output: z.object({ id: z.string(), changes: z.record(z.string(), z.int()), token: z.string().optional() }),
  resolve: (input, ctx) => ({ ...input, trees: isForTrees(input) ? treesNamed(ctx, input.tree) : [] }),
  targets: ({ trees }) => trees.map((tree) => ({ key: treeKey(tree), name: tree as Shown })),
  async run(ctx, input): Promise<{ id: string; changes: Record<string, number>; token?: string }> {
    const to = positionOf(input.id);
    if (!isForTrees(input)) return { id: input.id, changes: await restoreMore(ctx, to, input) };
    const scope = input.tree === undefined ? {} : { scope: input.tree };
    const { changes } = await ctx.restore({ to, slice: "tree", ...scope });
    return { id: input.id, changes: { ...changes } };
  },
  text: ({ id: at, changes, token }) =>
    Object.keys(changes).length === 0
      ? `Nothing differs from ${at}`
      : `Restored ${at} (${Object.entries(changes)
          .map(([slice, count]) => `${count} changes of ${slice}`)
          .join(", ")})${token === undefined ? "" : `\n[Token ${token}]`}`,
});

function isForTrees({ scope, path }: RestoreInput): boolean {
  return scope !== "session" && path === undefined;
}

/** The tree named, also one that was made since or is gone; all trees when none is named. */
function treesNamed(ctx: ReadCtx, tree: string | undefined): readonly string[] {
  const forest = ctx.slice(treeSlice).peek();
  if (tree !== undefined && !forest.all.has(tree)) forest.tree(tree);
  return tree === undefined ? forest.trees.map((one) => one.id) : [tree];
}

async function restoreMore(
  ctx: WriteCtx,
  to: Position,
  { path, scope, tree }: RestoreInput,
): Promise<Record<string, number>> {
  if (tree !== undefined || (path !== undefined && scope !== undefined))
    throw new HoldfastError("invalid_argument", "restore_choice", say`Send one of tree, path and scope.`);
  if (!ctx.permissions.restoreAll)
    throw new HoldfastError(
      "forbidden",
      "restore_not_allowed",
      say`Restoring files reverts the work of others. Ask the host for it, or restore the trees only.`,
    );
  const { changes } = await ctx.restore(path === undefined ? { to } : { to, path });
  return { ...changes };
}

const treeDiff = z.object({ tree: z.string(), ...diffShape });

const snapshotDiff: Tool = defineTool({
  name: "snapshot_diff",
  toolset: "history",
  access: "read",
  title: "Compare snapshots",
  description:
    "Shows what differs in the trees between two snapshots: added, removed, moved, reordered, changed.",
  input: z.object({
    a: id,
    b: id.optional().describe("The present when left out"),
    ...inTree,
    budget: z.int().min(200).optional(),
  }),
  output: z.object({
    created: z.array(z.string()),
    dropped: z.array(z.string()),
    trees: z.array(treeDiff),
  }),
  targets: () => [],
  async run(ctx, { a, b, tree }) {
    const [from, to] = [await forestAt(ctx, a), await forestAt(ctx, b)];
    const diff: ForestDiff = await finish(diffForestSteps(from, to, tree), ctx.signal);
    return {
      created: [...diff.created],
      dropped: [...diff.dropped],
      trees: diff.trees.map((one) => ({ tree: one.tree, ...(boundDiff(one.diff) as object) })),
    } as unknown as { created: string[]; dropped: string[]; trees: z.output<typeof treeDiff>[] };
  },
  text({ created, dropped, trees }) {
    const lines = [...created.map((tree) => `+ ${tree}`), ...dropped.map((tree) => `- ${tree}`)];
    for (const { tree, ...diff } of trees) lines.push(`${tree}:`, diffText(diff as never));
    return lines.length === 0 ? "No difference." : lines.join("\n");
  },
});

async function forestAt(ctx: ReadCtx, ref: string | undefined): Promise<ReturnType<typeof forestIn>> {
  return forestIn(ref === undefined ? ctx : await ctx.past(positionOf(ref)));
}

function forestIn(ctx: ReadCtx): Parameters<typeof diffForestSteps>[0] {
  return ctx.slice(treeSlice).peek();
}

/** A snapshot's id is a token; a tree's token names a place too. */
function positionOf(ref: string): Position {
  const read = TREE_TOKENS.read(ref);
  if (read !== undefined) return read.at;
  throw new HoldfastError(
    "invalid_argument",
    "bad_token",
    say`${echo(ref)} is not the id of a snapshot. Use one that snapshot_create or snapshot_list answered with.`,
  );
}

export const SNAPSHOTS: readonly Tool[] = [snapshotCreate, snapshotList, snapshotRestore, snapshotDiff];
