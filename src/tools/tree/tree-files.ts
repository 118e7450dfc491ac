// Owns: create_tree and save_tree: trees made, opened from and saved to files of the workspace.

import { z } from "zod";
import { HoldfastError, say } from "../../errors.ts";
import { nameOf, type WorkspacePath } from "../../path/index.ts";
import { creationKeys, fileKey } from "../../session/files/file-keys.ts";
import { bodyOf, filesSlice } from "../../session/files/files-slice.ts";
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
import { stageContent } from "../files/edit-content.ts";
import { encodeText } from "../../text/index.ts";
import { runPaced } from "../../text/steps.ts";
import { defineTool, type Tool, type WriteCtx } from "../tool.ts";
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
  const files = ctx.slice(filesSlice);
  const name = input.name ?? nameOf(path);
  const types = input.payloadTypes === undefined ? {} : { payloadTypes: input.payloadTypes };
  if (files.file(path) === undefined && files.isDirectory(path))
    return importListingSteps(forest, { entries: listingOf(ctx, path), name }, callerOf(ctx));
  const json = await readJsonFile(ctx, path);
  return isTreeJson(json)
    ? importTreeSteps(
        forest,
        { json, ...types, ...(input.name === undefined ? {} : { name }) },
        callerOf(ctx),
      )
    : importJsonSteps(forest, { json, name }, callerOf(ctx));
}

function listingOf(ctx: WriteCtx, directory: WorkspacePath): ListedFile[] {
  return Array.from(ctx.slice(filesSlice).under(directory), ({ path, content, version }) => ({
    path: path.slice(directory.length),
    kind: "file",
    size: content.size,
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
  targets: ({ path }) => [{ key: fileKey(path), name: path }],
  async run(ctx, { path, nodeId, tree }) {
    const forest = ctx.slice(treeSlice).of([tree]);
    const root = nodeId ?? forest.tree(tree).idOf(0);
    const { json, nodes } = await finish(
      exportSubtreeSteps(await readingOf(ctx, forest), { nodeId: root }),
      ctx.signal,
    );
    const bytes = encodeText(await runPaced(writeNodes(json), ctx.signal));
    await put(ctx, path, bytes);
    return { path, nodes, size_bytes: bytes.length };
  },
  text: ({ path, nodes, size_bytes: size, token }) =>
    `Saved ${plural(nodes, "node")} to ${path} (${plural(size, "byte")}${token === undefined ? "" : `, token ${token}`})`,
});

/** Writes the file whether it is there or not. */
async function put(ctx: WriteCtx, path: WorkspacePath, bytes: Uint8Array): Promise<void> {
  const files = ctx.slice(filesSlice);
  const entry = files.file(path);
  if (entry === undefined && files.isDirectory(path))
    throw new HoldfastError("conflict", "is_directory", say`${path} is a directory. Name a file in it.`);
  if (entry === undefined) ctx.depend(creationKeys(path));
  const content = await stageContent(ctx, path, bytes);
  const after = { content, encoding: "utf-8", executable: entry?.executable ?? false };
  const id = entry?.id ?? files.idFor(path);
  ctx.change(
    filesSlice,
    entry === undefined
      ? { slice: "files", op: "create", id, path, body: after, created: ctx.now.toISOString() }
      : { slice: "files", op: "replace", id, path, before: bodyOf(entry), after },
  );
}

export const TREE_FILES: readonly Tool[] = [createTreeTool, saveTreeTool];
