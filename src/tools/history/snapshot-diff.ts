// Owns: snapshot_diff: what differs between two snapshots, in files and in trees.

import { z } from "zod";
import { echo, HoldfastError, say } from "../../errors.ts";
import { treeSlice } from "../../session/tree/tree-slice.ts";
import { diffForestSteps, diffText, type ForestDiff } from "../../tree/operations.ts";
import { paging } from "../paging.ts";
import { defineTool, type ReadCtx, type Tool } from "../tool.ts";
import { boundDiff, diffShape } from "../tree/_bound-diff.ts";
import { inTree, resultOf } from "../tree/_tree-tool.ts";
import { diffPage, filesText, placeIn, shownFile } from "./_show-diff.ts";
import { snapshotAt, snapshotId } from "./_snapshot-id.ts";

const treeDiff = z.object({ tree: z.string(), ...diffShape });

const output = z.object({
  files: z.array(shownFile),
  created: z.array(z.string()),
  dropped: z.array(z.string()),
  trees: z.array(treeDiff),
  cursor: z.string().optional(),
});

type Trees = Pick<z.output<typeof output>, "created" | "dropped" | "trees">;

const NO_TREES: Trees = { created: [], dropped: [], trees: [] };

export const snapshotDiff: Tool = defineTool({
  name: "snapshot_diff",
  toolset: "history",
  access: "read",
  title: "Compare snapshots",
  description: "Shows what differs between two snapshots: files as hunks, then trees.",
  input: z.object({
    a: snapshotId,
    b: snapshotId.optional().describe("The present when left out"),
    path: z.string().optional().describe("Only this file, or files in this directory"),
    ...inTree,
    ...paging,
  }),
  output,
  resolve: ({ path, ...rest }, ctx) => ({
    ...rest,
    ...(path === undefined ? {} : { path: ctx.path(path, "any") }),
  }),
  targets: () => [],
  async run(ctx, { a, b, path, tree, cursor }): Promise<z.output<typeof output>> {
    if (path !== undefined && tree !== undefined)
      throw new HoldfastError("invalid_argument", "diff_choice", say`Send path or tree, not both.`);
    if (path !== undefined) await ctx.files.stat(path);
    const resumed = cursor === undefined ? undefined : await ctx.resume(cursor);
    const here = resumed?.ctx ?? ctx;
    const span = { from: snapshotAt(a), to: b === undefined ? here.at : snapshotAt(b) };
    const within = path === undefined ? {} : { path };
    const after = resumed === undefined ? {} : { after: placeIn(resumed.place) };
    const page =
      tree === undefined ? await diffPage(here, { ...span, ...within, ...after }, ctx.budget) : { files: [] };
    const isLast = !("after" in page);
    const trees = path !== undefined || !isLast ? NO_TREES : await treesBetween(here, span.from, b, tree);
    return {
      files: [...page.files],
      ...trees,
      ...(isLast ? {} : { cursor: await here.cursor(page.after ?? "") }),
    };
  },
  text({ files, created, dropped, trees, cursor }, { path, tree }) {
    const lines = cursor === undefined ? [] : [`[More: call again with cursor ${cursor}]`];
    lines.push(...filesText(files));
    lines.push(...created.map((tree) => `+ ${tree}`), ...dropped.map((tree) => `- ${tree}`));
    for (const { tree, ...diff } of trees) lines.push(`${tree}:`, diffText(diff as never));
    const what = path ?? tree;
    const where = what === undefined ? "files and trees" : echo(what);
    return lines.length === 0 ? `No difference in ${where}.` : lines.join("\n");
  },
});

async function treesBetween(
  ctx: ReadCtx,
  from: ReturnType<typeof snapshotAt>,
  b: string | undefined,
  tree: string | undefined,
): Promise<Trees> {
  const [one, two] = [forestIn(await ctx.past(from)), b === undefined ? ctx : await ctx.past(snapshotAt(b))];
  const other = forestIn(two);
  if (tree !== undefined && !one.all.has(tree) && !other.all.has(tree)) other.tree(tree);
  const diff: ForestDiff = await resultOf(diffForestSteps(one, other, tree), ctx.signal);
  return {
    created: [...diff.created],
    dropped: [...diff.dropped],
    trees: diff.trees.map((each) => ({ tree: each.tree, ...(boundDiff(each.diff) as object) })),
  } as unknown as Trees;
}

function forestIn(ctx: ReadCtx): Parameters<typeof diffForestSteps>[0] {
  return ctx.slice(treeSlice).peek();
}
