// Owns: the tools that show nodes where they are: get_node, get_view, list_children, get_subtree, get_path,
// get_common_ancestor, list_trees.

import { z } from "zod";
import { showJson, showName } from "../../text/show.ts";
import { plural } from "../../text/plural.ts";
import { treeSlice } from "../../session/tree/tree-slice.ts";
import {
  cutToFit,
  getCommonAncestor,
  getNode,
  getPath,
  getSubtree,
  getView,
  listChildren,
  listTrees as treesIn,
  showId,
  type CutValue,
  type NodeJson,
  type PathNode,
} from "../../tree/operations.ts";
import type { Tool } from "../tool.ts";
import {
  branchResult,
  branchText,
  listResult,
  listShape,
  listText,
  pageHead,
  pageShape,
  readTool,
} from "./_read-tool.ts";
import { queryOf, listing, pageToken, properties, shape, some, tokenFor } from "./_tree-tool.ts";

const node = z.looseObject({});

const getNodeTool: Tool = readTool({
  name: "get_node",
  title: "Get a node",
  description: "Shows one node: type, payload, tags, number of children.",
  input: z.object({ nodeId: z.string(), ...properties, ...shape }),
  output: { node: node.optional(), outline: z.string().optional(), cut: z.array(z.looseObject({})) },
  about: ({ nodeId }) => ({ nodes: [nodeId] }),
  async run(reading, input): Promise<{ node?: NodeJson; outline?: string; cut: readonly CutValue[] }> {
    const query = queryOf(input);
    if (input.format === "outline")
      return { outline: getSubtree(reading, { ...query, depthLimit: 0 }).outline, cut: [] };
    const { json, cut } = cutToFit(getNode(reading, query), query.nodeId, reading.budget ?? Infinity);
    return { node: json, cut };
  },
  text: ({ node: json, outline, cut }) => ({
    head: pageHead({ notes: [], cut }),
    content: outline ?? showJson(json),
  }),
});

const branch = {
  depthLimit: z.int().min(0).optional().describe("Levels below the node"),
  pageSize: z.int().min(1).optional().describe("Nodes on a page; 50, at most 200"),
};

const getViewTool: Tool = readTool({
  name: "get_view",
  title: "Get a view",
  description:
    "Shows a branch as you have expanded and filtered it, in pages. Children of collapsed nodes are only counted.",
  input: z.object({
    rootNodeId: z.string(),
    includeViewRoot: z.boolean().optional().describe("Wrap it as import_view takes it"),
    defaultExpanded: z.boolean().optional().describe("For nodes never expanded or collapsed"),
    ...properties,
    ...branch,
    ...pageToken,
    ...shape,
  }),
  output: { view: node.optional(), nodes: z.int(), ...pageShape },
  about: ({ rootNodeId }) => ({ nodes: [rootNodeId] }),
  async run(reading, input) {
    const page = getView(reading, queryOf(input));
    return branchResult(page, page.json, input.format);
  },
  text: branchText,
});

const listChildrenTool: Tool = readTool({
  name: "list_children",
  title: "List children",
  description: "Lists the children of a node in their order, in pages.",
  input: z.object({ nodeId: z.string(), ...listing }),
  output: listShape,
  about: ({ nodeId }) => ({ nodes: [nodeId] }),
  run: async (reading, input) => listResult(listChildren(reading, queryOf(input)), input.format),
  text: listText,
});

const getSubtreeTool: Tool = readTool({
  name: "get_subtree",
  title: "Get a subtree",
  description: "Shows a branch whole, whatever is expanded, in pages.",
  input: z.object({
    nodeId: z.string(),
    ...branch,
    ...properties,
    valueOffset: z.int().min(0).optional().describe("For the rest of a cut value"),
    ...pageToken,
    ...shape,
  }),
  output: { view: node.optional(), nodes: z.int(), ...pageShape },
  about: ({ nodeId }) => ({ nodes: [nodeId] }),
  async run(reading, input) {
    const page = getSubtree(reading, queryOf(input));
    return branchResult(page, page.root, input.format);
  },
  text: branchText,
});

const getPathTool: Tool = readTool({
  name: "get_path",
  title: "Get a path",
  description: "Lists the nodes from the root to a node.",
  input: z.object({ nodeId: z.string(), budget: shape.budget }),
  output: { path: z.array(z.object({ nodeId: z.string(), name: z.string().optional(), depth: z.int() })) },
  about: ({ nodeId }) => ({ nodes: [nodeId] }),
  run: async ({ forest }, { nodeId }): Promise<{ path: PathNode[] }> => ({
    path: getPath(forest, { nodeId }),
  }),
  text: ({ path }) => ({
    head: [`${showId(path.at(-1)?.nodeId ?? "")} is at depth ${path.length - 1}; from the root:`],
    content: path
      .map(({ nodeId, name }) => `${showId(nodeId)}${name === undefined ? "" : ` ${showName(name)}`}`)
      .join("\n"),
  }),
});

const getCommonAncestorTool: Tool = readTool({
  name: "get_common_ancestor",
  title: "Get the common ancestor",
  description: "Finds the nearest node that holds all nodes given; one of them counts as its own ancestor.",
  input: z.object({ nodeIds: z.array(z.string()).min(1) }),
  output: { nodeId: z.string().nullable() },
  about: ({ nodeIds }) => ({ nodes: nodeIds }),
  run: async ({ forest, limits }, input) => getCommonAncestor(forest, input, limits),
  text: ({ nodeId }) => (nodeId === null ? "None: the nodes are in different trees." : showId(nodeId)),
});

const treeInfo = z.object({
  tree: z.string(),
  name: z.string(),
  rootNodeId: z.string(),
  nodes: z.int(),
  types: z.array(z.string()),
  token: z.string().optional(),
});

const listTreesTool: Tool = readTool({
  name: "list_trees",
  title: "List trees",
  description: "Lists the trees with their roots, sizes, types and tokens.",
  input: z.object({ budget: shape.budget }),
  output: { trees: z.array(treeInfo) },
  about: () => ({ everywhere: true }),
  async run({ forest }, _input, ctx) {
    const trees: z.output<typeof treeInfo>[] = [];
    for (const { types, ...info } of treesIn(forest)) {
      const token = await tokenFor(ctx, info.tree);
      trees.push({ ...info, types: [...types], ...(token === undefined ? {} : { token }) });
    }
    ctx.slice(treeSlice).all();
    return { trees };
  },
  text: ({ trees }) =>
    trees.length === 0
      ? "There is no tree yet. Use create_tree."
      : trees
          .map(
            ({ tree, name, rootNodeId, nodes, types, token }) =>
              `${tree}: token ${token ?? "none"}, root ${showId(rootNodeId)}, ${plural(nodes, "node")}, name ${showName(name)}, types ${some(types.map((type) => showName(type)))}`,
          )
          .join("\n"),
});

export const READ_NODES: readonly Tool[] = [
  listTreesTool,
  getNodeTool,
  getViewTool,
  listChildrenTool,
  getSubtreeTool,
  getPathTool,
  getCommonAncestorTool,
];
