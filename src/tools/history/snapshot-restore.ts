// Owns: snapshot_restore: files and trees as they were at a place in history.

import { z } from "zod";
import { HoldfastError, say } from "../../errors.ts";
import { ROOT, type WorkspacePath } from "../../path/index.ts";
import type { Part } from "../../session/restore.ts";
import { treeSlice } from "../../session/tree/tree-slice.ts";
import type { Position } from "../../store/journal.ts";
import { plural } from "../../text/plural.ts";
import { showName } from "../../text/show.ts";
import { withToken } from "../token-line.ts";
import { defineTool, subtreeTarget, type ReadCtx, type Target, type Tool } from "../tool.ts";
import { inTree, TREE_TOKENS } from "../tree/_tree-tool.ts";
import { placeOf, treeTarget } from "./_places.ts";
import { requireOwn } from "./_records.ts";
import { previewOf, previewedDiff, shownFile } from "./_show-diff.ts";
import { snapshotAt, snapshotId } from "./_snapshot-id.ts";

const input = z.object({
  id: snapshotId,
  scope: z
    .enum(["files", "trees", "session"])
    .optional()
    .describe("files and trees when left out; session: gates and all else too"),
  path: z.string().optional().describe("Only this file, or files in this directory"),
  ...inTree,
});

type RestoreInput = z.output<typeof input>;

const output = z.object({
  id: z.string(),
  changes: z.record(z.string(), z.int()),
  files: z.array(shownFile),
  moreFiles: z.int(),
  token: z.string().optional(),
});

export const snapshotRestore: Tool = defineTool({
  name: "snapshot_restore",
  toolset: "history",
  access: "write",
  kind: "restore",
  version: "required",
  tokens: TREE_TOKENS,
  title: "Restore a snapshot",
  description:
    "Makes files and trees what they were at a snapshot: a change like any other, which can be undone. What others changed since needs the host.",
  input,
  output,
  resolve: async (sent, ctx) => ({
    ...sent,
    parts: partsOf(ctx, sent),
    trees: treesNamed(ctx, sent),
    files: await filesNamed(ctx, sent),
  }),
  targets: ({ trees }) => trees,
  mayChange: ({ files }) => files,
  async run(ctx, { id, parts }): Promise<z.output<typeof output>> {
    // A hidden path is refused before anything is said of what is there.
    for (const { path } of parts) if (path !== undefined) await ctx.files.stat(path);
    const to = snapshotAt(id);
    const changes: Record<string, number> = {};
    for (const part of parts) Object.assign(changes, (await ctx.restore({ to, ...part })).changes);
    const preview = await previewOf(ctx);
    await requireOwn(ctx, ctx.touched(), to.seq);
    return { id, changes, files: [...preview.files], moreFiles: preview.moreFiles };
  },
  text({ id, changes, files, moreFiles, token }, { scope, path, tree }) {
    if (Object.keys(changes).length === 0)
      return `Nothing to restore: ${lookedAt(scope, path, tree)} as at ${showName(id)}.`;
    const counts = Object.entries(changes).map(([slice, count]) => `${plural(count, "change")} of ${slice}`);
    const head = `Restored ${showName(id)} (${counts.join(", ")})`;
    const lines = [withToken(head, token)];
    return [...lines, ...previewedDiff({ files, moreFiles })].join("\n");
  },
});

/** What a restore without effect looked at. */
function lookedAt(scope: RestoreInput["scope"], path: string | undefined, tree: string | undefined): string {
  if (path !== undefined) return "the path is";
  if (tree !== undefined) return "the tree is";
  if (scope === "trees") return "the trees are";
  return scope === "files" ? "the files are" : scope === "session" ? "the session is" : "files and trees are";
}

function partsOf(
  ctx: ReadCtx,
  { scope, path, tree }: RestoreInput,
): (Part & { readonly path?: WorkspacePath })[] {
  if ([scope, path, tree].filter((one) => one !== undefined).length > 1)
    throw new HoldfastError("invalid_argument", "restore_choice", say`Send one of tree, path and scope.`);
  if (path !== undefined) return [{ path: ctx.path(path, "any") }];
  if (tree !== undefined) return [{ slice: "tree", scope: tree }];
  if (scope === "session") return [{}];
  if (scope !== undefined) return [{ slice: scope === "files" ? "files" : "tree" }];
  return [{ slice: "files" }, { slice: "tree" }];
}

/**
 * The tree named, also one that was made since or is gone; all trees when none is named. Those that changed since the
 * position must be pinned: the restore reverts what was done to them.
 */
function treesNamed(ctx: ReadCtx, { id, tree, scope, path }: RestoreInput): readonly Target[] {
  if (path !== undefined || scope === "files") return [];
  const reader = ctx.slice(treeSlice);
  const forest = reader.peek();
  if (tree !== undefined && !forest.all.has(tree)) forest.tree(tree);
  const to: Position = snapshotAt(id);
  return (tree === undefined ? [...forest.all.keys()] : [tree]).flatMap((one): Target[] => {
    const changed = (reader.at(one)?.seq ?? 0) > to.seq;
    if (!changed && forest.all.get(one)?.facts.dropped === true) return [];
    return [{ ...treeTarget(one), pin: changed || tree !== undefined ? "required" : "optional" }];
  });
}

/** Where files may turn out to be changed. */
async function filesNamed(ctx: ReadCtx, { tree, scope, path }: RestoreInput): Promise<readonly Target[]> {
  if (path !== undefined) return [await placeOf(ctx, path)];
  return tree !== undefined || scope === "trees" ? [] : [subtreeTarget(ROOT)];
}
