// Owns: the tools that change only what the calling agent sees: expansion, filters, bookmarks.

import { z } from "zod";
import { treeSlice } from "../../session/tree/tree-slice.ts";
import {
  bookmark,
  expandAllSteps,
  removeBookmark,
  setExpansionRecursiveSteps,
  setFilters,
  showId,
  toggleNode,
  type AgentViews,
  type Forest,
  type Steps,
  type ChangedViews,
} from "../../tree/operations.ts";
import { showName } from "../../text/show.ts";
import type { Limits } from "../../limits.ts";
import { defineTool, type Tool } from "../tool.ts";
import { changeText, viewAt } from "./_change-tool.ts";
import {
  resultOf,
  given,
  inTree,
  nodesIn,
  readingOf,
  targetsOf,
  tokenFor,
  TREE_TOKENS,
  treesOf,
  VIEWS,
  type Given,
  type TreeToolDef,
  type ToolValue,
} from "./_tree-tool.ts";

interface ViewDef<I extends z.ZodRawShape, R extends object> extends TreeToolDef<I> {
  change(
    views: AgentViews,
    forest: Forest,
    input: Given<z.output<z.ZodObject<I>>>,
    limits: Limits,
  ): ChangedViews<R> | Steps<ChangedViews<R>>;
  /** The node at which `return: "view"` shows the view; none: the tree's root. */
  node?(result: R): string;
  text(result: R): string;
}

const RETURN = { return: z.enum(["ids", "view"]).optional().describe("Also show the view at the node") };

function viewTool<I extends z.ZodRawShape, R extends object>(def: ViewDef<I, R>): Tool {
  const { name, title, description, about } = def;
  type Input = z.output<z.ZodObject<I>>;
  return defineTool({
    name,
    toolset: "tree",
    access: "view",
    version: "required",
    tokens: TREE_TOKENS,
    oneTarget: true,
    title,
    description,
    input: z.object({ ...def.input, ...RETURN }),
    output: z.looseObject({ ...def.output, token: z.string().optional() }) as z.ZodType<ToolValue>,
    resolve(sent, ctx) {
      const { return: show, ...own } = sent as { return?: string } & Input;
      const query = own as unknown as Input;
      return { show, query, trees: treesOf(ctx, about(query)) };
    },
    targets: ({ trees }) => targetsOf(trees),
    mentions: (sent) => nodesIn(about(sent as unknown as Input)),
    async run(ctx, { show, query, trees: [tree] }) {
      const forest = ctx.slice(treeSlice).peek();
      const { view } = await ctx.view(VIEWS);
      const token = await tokenFor(ctx, tree);
      const { views, result } = await resultOf(
        def.change(view, forest, given(query as object) as Given<Input>, ctx.limits),
        ctx.signal,
      );
      ctx.changeView(VIEWS, () => views);
      const node = def.node?.(result) ?? forest.tree(tree).idOf(0);
      return {
        ...result,
        ...(show === "view" ? viewAt(await readingOf(ctx, forest), node) : {}),
        ...(token === undefined ? {} : { token }),
      };
    },
    text: (value) => changeText(def.text(value as unknown as R), value),
  });
}

interface Expanded {
  readonly nodeId: string;
  readonly isExpanded: boolean;
  readonly nodes: number;
}

const expanded = { nodeId: z.string(), isExpanded: z.boolean(), nodes: z.int() };

const expansion = {
  output: expanded,
  node: ({ nodeId }: Expanded): string => nodeId,
  text: ({ nodeId, isExpanded, nodes }: Expanded): string =>
    `${isExpanded ? "Expanded" : "Collapsed"} ${showId(nodeId)}${nodes > 1 ? ` (${nodes} nodes)` : ""}`,
};

/** One node, set to a state. */
function oneTool(name: string, verb: string, open: boolean): Tool {
  return viewTool({
    ...expansion,
    name,
    title: `${verb} a node`,
    description: `${verb}s a node in your own view.`,
    input: { nodeId: z.string() },
    about: ({ nodeId }) => ({ nodes: [nodeId] }),
    change: (views, forest, { nodeId }) =>
      setExpansionRecursiveSteps(views, forest, { nodeId, expanded: open, maxDepth: 1 }),
  });
}

/** A node and everything below it, set to a state. */
function allTool(name: string, verb: string, open: boolean): Tool {
  return viewTool({
    ...expansion,
    name,
    title: `${verb} all`,
    description: `${verb}s a node and everything below it in your own view.`,
    input: { rootNodeId: z.string() },
    about: ({ rootNodeId }) => ({ nodes: [rootNodeId] }),
    change: (views, forest, input) => expandAllSteps(views, forest, input, open),
  });
}

const toggleNodeTool: Tool = viewTool({
  ...expansion,
  name: "toggle_node",
  title: "Toggle a node",
  description: "Expands a collapsed node, collapses an expanded one, in your own view.",
  input: { nodeId: z.string() },
  about: ({ nodeId }) => ({ nodes: [nodeId] }),
  change: toggleNode,
});

const setExpansionTool: Tool = viewTool({
  ...expansion,
  name: "set_expansion_recursive",
  title: "Set expansion",
  description: "Expands or collapses a branch in your own view, down to a depth.",
  input: {
    nodeId: z.string(),
    expanded: z.boolean(),
    maxDepth: z.int().min(1).optional().describe("1: the node only; all when left out"),
  },
  about: ({ nodeId }) => ({ nodes: [nodeId] }),
  change: setExpansionRecursiveSteps,
});

const setFiltersTool: Tool = viewTool({
  name: "set_filters",
  title: "Set filters",
  description: "Sets which properties your later reads show, until you set them again. Empty lists lift it.",
  input: {
    scope: z.enum(["view", "node", "all"]).optional().describe("view: get_view; node: the other reads"),
    included: z.array(z.string()).optional(),
    excluded: z.array(z.string()).optional(),
    ...inTree,
  },
  output: { scope: z.string(), included: z.array(z.string()), excluded: z.array(z.string()) },
  about: ({ tree }) => ({ tree }),
  change: (views, _forest, { tree: _tree, ...filters }, limits) => setFilters(views, filters, limits),
  text: ({ scope, included, excluded }) =>
    `Filters of ${scope}: ${included.length === 0 ? "all properties" : names(included)}${excluded.length === 0 ? "" : ` without ${names(excluded)}`}`,
});

function names(paths: readonly string[]): string {
  return paths.map((path) => showName(path)).join(", ");
}

const bookmarked = { label: z.string(), nodeId: z.string() };

const bookmarkTool: Tool = viewTool({
  name: "bookmark",
  title: "Bookmark a node",
  description: "Gives a node a label of your own. The same label again moves it.",
  input: { nodeId: z.string(), label: z.string() },
  output: bookmarked,
  about: ({ nodeId }) => ({ nodes: [nodeId] }),
  change: bookmark,
  node: ({ nodeId }) => nodeId,
  text: ({ label, nodeId }) => `${showName(label)} is ${showId(nodeId)}`,
});

const removeBookmarkTool: Tool = viewTool({
  name: "remove_bookmark",
  title: "Remove a bookmark",
  description: "Removes one of your own bookmarks.",
  input: { label: z.string(), ...inTree },
  output: bookmarked,
  about: ({ tree }) => ({ tree }),
  change: (views, _forest, { label }) => removeBookmark(views, { label }),
  text: ({ label }) => `Removed ${showName(label)}`,
});

export const CHANGE_VIEW: readonly Tool[] = [
  oneTool("expand_node", "Expand", true),
  oneTool("collapse_node", "Collapse", false),
  toggleNodeTool,
  allTool("expand_all", "Expand", true),
  allTool("collapse_all", "Collapse", false),
  setExpansionTool,
  setFiltersTool,
  bookmarkTool,
  removeBookmarkTool,
];
