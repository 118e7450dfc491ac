// Owns: snapshot_create, snapshot_list, snapshot_restore, snapshot_diff: names for places in history, and trees as they
// were there.

import { z } from "zod";
import { echo, HoldfastError, say, type Shown } from "../../errors.ts";
import { treeKey, treeSlice } from "../../session/tree/tree-slice.ts";
import type { Position } from "../../store/journal.ts";
import { tokenOf } from "../../store/token.ts";
import { diffForestSteps, diffText, type ForestDiff } from "../../tree/operations.ts";
import { plural } from "../../text/plural.ts";
import { showName } from "../../text/show.ts";
import { defineTool, type ReadCtx, type Target, type Tool, type WriteCtx } from "../tool.ts";
import { boundDiff, diffShape } from "../tree/_bound-diff.ts";
import { resultOf, inTree, TREE_TOKENS } from "../tree/_tree-tool.ts";

const id = z.string().describe("The id of a snapshot, or any token");

const snapshotCreate: Tool = defineTool({
  name: "snapshot_create",
  destructive: false,
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
  text: ({ label, id: made }) => `Snapshot ${showName(label)}${made === undefined ? "" : `: id ${made}`}`,
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
        `${at} ${showName(label)} by ${agent}, ${time}${expired ? " (expired)" : ""}`,
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
  resolve: (input, ctx) => ({ ...input, trees: isForTrees(input) ? treesNamed(ctx, input) : [] }),
  targets: ({ trees }) => trees,
  async run(ctx, input): Promise<{ id: string; changes: Record<string, number>; token?: string }> {
    const to = positionOf(input.id);
    if (!isForTrees(input)) return { id: input.id, changes: await restoreMore(ctx, to, input) };
    const scope = input.tree === undefined ? {} : { scope: input.tree };
    const { changes } = await ctx.restore({ to, slice: "tree", ...scope });
    return { id: input.id, changes: { ...changes } };
  },
  text: ({ id: at, changes, token }, { scope, path }) =>
    Object.keys(changes).length === 0
      ? `Nothing to restore: ${notLookedAt(scope, path)} as at ${showName(at)}.`
      : `Restored ${showName(at)} (${Object.entries(changes)
          .map(([slice, count]) => `${plural(count, "change")} of ${slice}`)
          .join(", ")})${token === undefined ? "" : `\n[Token ${token}]`}`,
});

/** What a restore without effect looked at. */
function notLookedAt(scope: RestoreInput["scope"], path: string | undefined): string {
  if (path !== undefined) return "the path is";
  return scope === "session" ? "the session is" : "the trees are (files were not looked at)";
}

function isForTrees({ scope, path }: RestoreInput): boolean {
  return scope !== "session" && path === undefined;
}

/**
 * The tree named, also one that was made since or is gone; all trees when none is named. Those that changed since the
 * position must be pinned: the restore reverts what was done to them.
 */
function treesNamed(ctx: ReadCtx, { id: ref, tree }: RestoreInput): readonly Target[] {
  const reader = ctx.slice(treeSlice);
  const forest = reader.peek();
  if (tree !== undefined && !forest.all.has(tree)) forest.tree(tree);
  const to = positionOf(ref);
  return (tree === undefined ? [...forest.all.keys()] : [tree]).flatMap((one): Target[] => {
    const changed = (reader.at(one)?.seq ?? 0) > to.seq;
    if (!changed && forest.all.get(one)?.facts.dropped === true) return [];
    const target = { key: treeKey(one), name: one as Shown };
    return [{ ...target, pin: changed || tree !== undefined ? "required" : "optional" }];
  });
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
    const diff: ForestDiff = await resultOf(diffForestSteps(from, to, tree), ctx.signal);
    return {
      created: [...diff.created],
      dropped: [...diff.dropped],
      trees: diff.trees.map((one) => ({ tree: one.tree, ...(boundDiff(one.diff) as object) })),
    } as unknown as { created: string[]; dropped: string[]; trees: z.output<typeof treeDiff>[] };
  },
  text({ created, dropped, trees }) {
    const lines = [...created.map((tree) => `+ ${tree}`), ...dropped.map((tree) => `- ${tree}`)];
    for (const { tree, ...diff } of trees) lines.push(`${tree}:`, diffText(diff as never));
    return lines.length === 0
      ? "No difference in the trees. Files were not compared: create_patch compares them."
      : ["Trees (files were not compared):", ...lines].join("\n");
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
