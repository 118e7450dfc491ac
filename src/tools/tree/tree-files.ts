// Owns: create_tree, save_tree and drop_tree: trees made, opened from and saved to files of the workspace, and dropped.

import { z } from "zod";
import { echo, say } from "../../errors.ts";
import { showName } from "../../text/show.ts";
import { nameOf, type WorkspacePath } from "../../path/index.ts";
import { treeSlice } from "../../session/tree/tree-slice.ts";
import {
  createTree,
  dropTree,
  exportSubtreeSteps,
  importJsonSteps,
  importListingSteps,
  importMarkdownSteps,
  importTreeSteps,
  isSavedTree,
  showId,
  type Changed,
  type Created,
  type Forest,
  type ListedFile,
  type Renamed,
  type Steps,
} from "../../tree/operations.ts";
import { Pacer, runPaced } from "../../text/steps.ts";
import { defineTool, fileTarget, type Tool, type WriteCtx } from "../tool.ts";
import { changeText, callerOf, makeAll } from "./_change-tool.ts";
import { readJsonFile, readTextFile, writeNodes } from "./_json-file.ts";
import type { LostNumber } from "./_json-numbers.ts";
import {
  resultOf,
  given,
  inTree,
  jsonObject,
  readingOf,
  some,
  targetsOf,
  tokenFor,
  TREE_TOKENS,
  TREES_TARGET,
  treesOf,
  type ToolValue,
} from "./_tree-tool.ts";
import { plural } from "../../text/plural.ts";

const createInput = z.object({
  name: z.string().optional(),
  payloadTypes: jsonObject("Types it accepts, by name; any when left out").optional(),
  payloadType: z.string().optional().describe("Of the root"),
  payloadProps: jsonObject("Of the root").optional(),
  from: z.string().optional().describe("A file or directory of the workspace to make it from"),
});

type CreateInput = z.output<typeof createInput>;
type Made = { readonly tree: string; readonly rootNodeId: string; readonly nodes?: number };

const createTreeTool: Tool = defineTool({
  name: "create_tree",
  toolset: "tree",
  access: "write",
  oneTarget: true,
  destructive: false,
  tokens: TREE_TOKENS,
  title: "Create a tree",
  description:
    "Makes a tree: with a root only, or from a saved tree, a JSON file, a Markdown outline (.md) or a directory.",
  input: createInput,
  output: z.looseObject({
    tree: z.string(),
    rootNodeId: z.string(),
    nodes: z.int().optional(),
    renamed: z.array(z.object({ from: z.string(), to: z.string() })).optional(),
    warnings: z.array(z.string()).optional(),
    token: z.string().optional(),
  }) as z.ZodType<ToolValue>,
  resolve: ({ from, ...rest }, ctx) => ({
    ...rest,
    ...(from === undefined ? {} : { from: ctx.path(from, "any") }),
  }),
  targets: () => TREES_TARGET,
  async run(ctx, input) {
    const forest = ctx.slice(treeSlice).all();
    const { made, lost }: FromFile =
      input.from === undefined
        ? { made: createTree(forest, given(input), callerOf(ctx)) }
        : await treeFrom(ctx, forest, input, input.from);
    const { ops, result } = await resultOf<Changed<Made>>(made, ctx.signal);
    await makeAll(ctx, ops);
    return { ...result, ...warningsOf(lost) };
  },
  text(value) {
    const { tree, rootNodeId, nodes = 1 } = value as Made;
    return changeText(
      `Created ${tree} with ${plural(nodes, "node")}, root ${showId(rootNodeId)}${renamedText(value)}${warningText(value)}`,
      value,
    );
  },
});

function renamedText({ renamed }: { readonly renamed?: unknown }): string {
  const list = (renamed ?? []) as readonly Renamed[];
  if (list.length === 0) return "";
  return `\nrenamed: ${some(list.map(({ from, to }) => `${showName(from)} to ${showId(to)}`))}`;
}

/** What is said of numbers that the tree does not hold as the file writes them. */
function warningsOf([first, ...others]: readonly LostNumber[] = []): { warnings?: string[] } {
  if (first === undefined) return {};
  const { literal, value, line, column } = first;
  const more = others.length === 0 ? "" : ` So do ${plural(others.length, "more number")}.`;
  return {
    warnings: [
      `The number ${echo(literal)} at line ${line}, column ${column} loses digits: here it is ${value}.${more} Written as text, in quotes, it is kept.`,
    ],
  };
}

function warningText({ warnings }: { readonly warnings?: unknown }): string {
  return ((warnings ?? []) as readonly string[]).map((warning) => `\n[Warning] ${warning}`).join("");
}

/** A tree to be made, and the numbers of its file that it cannot hold. */
interface FromFile {
  readonly made: Changed<Made> | Steps<Changed<Created>>;
  readonly lost?: readonly LostNumber[];
}

const READABLE = say`create_tree reads a saved tree or any JSON file, a Markdown outline (a name that ends in .md), and a directory.`;

async function treeFrom(
  ctx: WriteCtx,
  forest: Forest,
  input: Pick<CreateInput, "name" | "payloadTypes">,
  path: WorkspacePath,
): Promise<FromFile> {
  const name = input.name ?? nameOf(path);
  const types = input.payloadTypes === undefined ? {} : { payloadTypes: input.payloadTypes };
  if (await ctx.files.isDirectory(path))
    return { made: importListingSteps(forest, { entries: await listingOf(ctx, path), name }, callerOf(ctx)) };
  if (/\.(?:md|markdown)$/i.test(path))
    return {
      made: importMarkdownSteps(forest, { text: await readTextFile(ctx, path), name }, callerOf(ctx)),
    };
  const { json, lost } = await readJsonFile(ctx, path, READABLE);
  const made = isTreeJson(json)
    ? importTreeSteps(
        forest,
        { json, ...types, ...(input.name === undefined ? {} : { name }) },
        callerOf(ctx),
      )
    : importJsonSteps(forest, { json, name }, callerOf(ctx));
  return { made, lost };
}

async function listingOf({ files, signal }: WriteCtx, directory: WorkspacePath): Promise<ListedFile[]> {
  return new Pacer(signal).map(await files.under(directory), ({ path, size_bytes: size, version }) => ({
    path: path.slice(directory.length),
    kind: "file",
    size,
    version,
  }));
}

function isTreeJson(json: unknown): boolean {
  if (typeof json !== "object" || json === null || Array.isArray(json)) return false;
  return (
    isSavedTree(json) || "PayloadType" in json || "View" in json || ("NodeId" in json && "Children" in json)
  );
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
  output: z.object({
    path: z.string(),
    nodes: z.int(),
    size_bytes: z.int(),
    tree: z.string(),
    treeToken: z.string().optional(),
    token: z.string().optional(),
  }),
  resolve: ({ path, nodeId, tree }, ctx) => ({
    path: ctx.path(path, "file"),
    nodeId,
    tree: treesOf(ctx, { nodes: [nodeId], tree })[0] as string,
  }),
  targets: ({ path }) => [fileTarget(path)],
  async run(ctx, { path, nodeId, tree }) {
    const forest = ctx.slice(treeSlice).of([tree]);
    const root = nodeId ?? forest.tree(tree).idOf(0);
    const { json, nodes } = await resultOf(
      exportSubtreeSteps(await readingOf(ctx, forest), { nodeId: root }),
      ctx.signal,
    );
    const { name, types } = forest.tree(tree).facts;
    const text = await runPaced(writeNodes(json), ctx.signal);
    // Declared types belong to the tree: without them the copy would take anything.
    const head = `{"Name":${JSON.stringify(name)},"PayloadTypes":${JSON.stringify(types)},\n"Tree":`;
    const saved = types === undefined ? text : `${head}${text.trimEnd()}}\n`;
    const isThere = (await ctx.files.stat(path)) !== undefined;
    const { size_bytes } = await ctx.files[isThere ? "replace" : "create"](path, saved);
    const treeToken = await tokenFor(ctx, tree);
    return { path, nodes, size_bytes, tree, ...(treeToken === undefined ? {} : { treeToken }) };
  },
  text: ({ path, nodes, size_bytes: size, token, tree, treeToken }) =>
    [
      `Saved ${plural(nodes, "node")} of ${tree} to ${path} (${plural(size, "byte")})`,
      ...(token === undefined ? [] : [`[Token of the file ${token}]`]),
      ...(treeToken === undefined ? [] : [`[Token ${treeToken}]`]),
    ].join("\n"),
});

const dropTreeTool: Tool = defineTool({
  name: "drop_tree",
  toolset: "tree",
  access: "write",
  version: "required",
  tokens: TREE_TOKENS,
  title: "Drop a tree",
  description: "Removes a whole tree with all its nodes. It can be undone.",
  input: z.object({ tree: z.string().describe("Its id, such as t2") }),
  output: z.object({ tree: z.string(), nodes: z.int(), token: z.string().optional() }),
  resolve: ({ tree }, ctx) => treesOf(ctx, { tree })[0] as string,
  targets: (tree) => targetsOf([tree]),
  async run(ctx, tree): Promise<{ tree: string; nodes: number; token?: string }> {
    const { ops, result } = dropTree(ctx.slice(treeSlice).of([tree]), { tree }, callerOf(ctx));
    await makeAll(ctx, ops);
    return result;
  },
  text: ({ tree, nodes, token }) =>
    `Dropped ${tree} (${plural(nodes, "node")})${token === undefined ? "" : `\n[Token ${token}]`}`,
});

export const TREE_FILES: readonly Tool[] = [createTreeTool, saveTreeTool, dropTreeTool];
