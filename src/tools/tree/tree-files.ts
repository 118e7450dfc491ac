// Owns: create_tree and save_tree: trees made, opened from and saved to files of the workspace.

import { z } from "zod";
import { nameOf, type WorkspacePath } from "../../path/index.ts";
import { treeSlice } from "../../session/tree/tree-slice.ts";
import {
  createTree,
  exportSubtreeSteps,
  importJsonSteps,
  importListingSteps,
  importTreeSteps,
  type Changed,
  type Created,
  type Forest,
  type ListedFile,
  type Steps,
} from "../../tree/operations.ts";
import { runPaced } from "../../text/steps.ts";
import { defineTool, fileTarget, type Tool, type WriteCtx } from "../tool.ts";
import { answerText, callerOf, makeAll, type Answer } from "./_change-tool.ts";
import { readJsonFile, writeNodes } from "./_json-file.ts";
import {
  finish,
  given,
  inTree,
  jsonObject,
  readingOf,
  TREE_TOKENS,
  TREES_TARGET,
  treesOf,
} from "./_tree-tool.ts";
import { plural } from "../../text/plural.ts";

const createInput = z.object({
  name: z.string().optional(),
  payloadTypes: jsonObject(
    "The types it accepts, by name, with their properties; any when left out",
  ).optional(),
  payloadType: z.string().optional().describe("Of the root"),
  payloadProps: jsonObject("Of the root").optional(),
  from: z.string().optional().describe("A saved tree, a JSON file or a directory to make it from"),
});

type CreateInput = z.output<typeof createInput>;
type Made = { readonly tree: string; readonly rootNodeId: string; readonly nodes?: number };

const createTreeTool: Tool = defineTool({
  name: "create_tree",
  toolset: "tree",
  access: "write",
  tokens: TREE_TOKENS,
  title: "Create a tree",
  description:
    "Makes a tree: with a root only, or from a saved tree, a JSON document or a directory of the workspace.",
  input: createInput,
  output: z.looseObject({
    tree: z.string(),
    rootNodeId: z.string(),
    nodes: z.int().optional(),
    renamed: z.array(z.object({ from: z.string(), to: z.string() })).optional(),
    token: z.string().optional(),
  }) as z.ZodType<Answer>,
  resolve: ({ from, ...rest }, ctx) => ({
    ...rest,
    ...(from === undefined ? {} : { from: ctx.path(from, "any") }),
  }),
  targets: () => TREES_TARGET,
  async run(ctx, input) {
    const forest = ctx.slice(treeSlice).all();
    const made: Changed<Made> | Steps<Changed<Created>> =
      input.from === undefined
        ? createTree(forest, given(input), callerOf(ctx))
        : await treeFrom(ctx, forest, input, input.from);
    const { ops, result } = await finish<Changed<Made>>(made, ctx.signal);
    await makeAll(ctx, ops);
    return { ...result };
  },
  text(value) {
    const { tree, rootNodeId, nodes = 1 } = value as Made;
    return answerText(`Created ${tree} with ${plural(nodes, "node")}, root ${rootNodeId}`, value);
  },
});

async function treeFrom(
  ctx: WriteCtx,
  forest: Forest,
  input: Pick<CreateInput, "name" | "payloadTypes">,
  path: WorkspacePath,
): Promise<Steps<Changed<Created>>> {
  const name = input.name ?? nameOf(path);
  const types = input.payloadTypes === undefined ? {} : { payloadTypes: input.payloadTypes };
  if (await ctx.files.isDirectory(path))
    return importListingSteps(forest, { entries: await listingOf(ctx, path), name }, callerOf(ctx));
  const json = await readJsonFile(ctx, path);
  return isTreeJson(json)
    ? importTreeSteps(
        forest,
        { json, ...types, ...(input.name === undefined ? {} : { name }) },
        callerOf(ctx),
      )
    : importJsonSteps(forest, { json, name }, callerOf(ctx));
}

async function listingOf({ files }: WriteCtx, directory: WorkspacePath): Promise<ListedFile[]> {
  return Array.from(await files.under(directory), ({ path, size_bytes: size, version }) => ({
    path: path.slice(directory.length),
    kind: "file",
    size,
    version,
  }));
}

function isTreeJson(json: unknown): boolean {
  if (typeof json !== "object" || json === null || Array.isArray(json)) return false;
  return "PayloadType" in json || "View" in json || ("NodeId" in json && "Children" in json);
}

const saveTreeTool: Tool = defineTool({
  name: "save_tree",
  toolset: "tree",
  access: "write",
  title: "Save a tree",
  description: "Writes a tree or a branch to a file of the workspace, from which create_tree makes it again.",
  input: z.object({
    path: z.string().describe("Such as /workspace/plan.tree.json"),
    nodeId: z.string().optional().describe("Only this branch"),
    ...inTree,
  }),
  output: z.object({ path: z.string(), nodes: z.int(), size_bytes: z.int(), token: z.string().optional() }),
  resolve: ({ path, nodeId, tree }, ctx) => ({
    path: ctx.path(path, "file"),
    nodeId,
    tree: treesOf(ctx, { nodes: [nodeId], tree })[0] as string,
  }),
  targets: ({ path }) => [fileTarget(path)],
  async run(ctx, { path, nodeId, tree }) {
    const forest = ctx.slice(treeSlice).of([tree]);
    const root = nodeId ?? forest.tree(tree).idOf(0);
    const { json, nodes } = await finish(
      exportSubtreeSteps(await readingOf(ctx, forest), { nodeId: root }),
      ctx.signal,
    );
    const text = await runPaced(writeNodes(json), ctx.signal);
    const isThere = (await ctx.files.stat(path)) !== undefined;
    const { size_bytes } = await ctx.files[isThere ? "replace" : "create"](path, text);
    return { path, nodes, size_bytes };
  },
  text: ({ path, nodes, size_bytes: size, token }) =>
    `Saved ${plural(nodes, "node")} to ${path} (${plural(size, "byte")}${token === undefined ? "" : `, token ${token}`})`,
});

export const TREE_FILES: readonly Tool[] = [createTreeTool, saveTreeTool];
