// Owns: the tools that look for nodes: search, search_advanced, select_nodes, query_by_tag, list_bookmarks.

import { z } from "zod";
import { showName } from "../../text/show.ts";
import {
  listBookmarks,
  showId,
  queryByTagSteps,
  searchAdvancedSteps,
  searchSteps,
  selectNodesSteps,
  type Bookmark,
  type NodeFilter,
  type ListPage,
  type TreeReading,
  type Steps,
} from "../../tree/operations.ts";
import type { Tool } from "../tool.ts";
import { listResult, listShape, listText, readTool } from "./_read-tool.ts";
import { queryOf, resultOf, inTree, listing, shape } from "./_tree-tool.ts";

const PREDICATES =
  'A list of {path, op, value} that must all hold, or a group {op: "and"|"or", predicates, groups}. op: eq, contains, gt, lt, between (value to value2)';

interface Find<I extends z.ZodObject> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: I;
  root(input: z.output<I>): string | undefined;
  steps(reading: TreeReading, input: z.output<I>): Steps<ListPage>;
}

/** A query over a branch, a tree, or all trees: hits in pages, each with its path. */
function findTool<I extends z.ZodObject>(def: Find<I>): Tool {
  return readTool({
    name: def.name,
    title: def.title,
    description: def.description,
    input: def.input,
    output: listShape,
    about: (input) => ({
      nodes: [def.root(input)],
      tree: input["tree"] as string | undefined,
      everywhere: true,
    }),
    async run(reading, input, ctx) {
      const page = await resultOf(def.steps(reading, input), ctx.signal);
      return listResult(page, input["format"] as string | undefined);
    },
    text: listText,
  });
}

const within = { rootNodeId: z.string().optional().describe("Only this branch"), ...inTree };

const searchTool: Tool = findTool({
  name: "search",
  title: "Search",
  description: "Finds nodes that meet all filters. Text is compared without case.",
  input: z.object({
    ...within,
    filters: z.array(
      z.strictObject({ path: z.string(), op: z.enum(["eq", "contains"]), value: z.unknown() }),
    ),
    ...listing,
  }),
  root: ({ rootNodeId }) => rootNodeId,
  steps: (reading, input) =>
    searchSteps(reading, { ...queryOf(input), filters: input.filters as NodeFilter }),
});

const searchAdvancedTool: Tool = findTool({
  name: "search_advanced",
  title: "Search with groups",
  description: "Finds nodes by nested conditions and ranges, in an order of your choice.",
  input: z.object({
    rootId: z.string().optional().describe("Only this branch"),
    ...inTree,
    predicates: z.unknown().describe(PREDICATES),
    sortBy: z.string().optional().describe("A property's path"),
    sortDirection: z.enum(["asc", "desc"]).optional(),
    ...listing,
  }),
  root: ({ rootId }) => rootId,
  steps: (reading, input) =>
    searchAdvancedSteps(reading, { ...queryOf(input), predicates: input.predicates as NodeFilter }),
});

const selectNodesTool: Tool = findTool({
  name: "select_nodes",
  title: "Select nodes",
  description:
    'Finds nodes by a CSS-like selector over types, tags and payloads: Task[status="open"][prio>=5] > Note.urgent. Also #id, :has(), :not(), :root, :leaf.',
  input: z.object({ queryDsl: z.string(), ...within, ...listing }),
  root: ({ rootNodeId }) => rootNodeId,
  steps: (reading, input) => selectNodesSteps(reading, queryOf(input)),
});

const queryByTagTool: Tool = findTool({
  name: "query_by_tag",
  title: "Query by tag",
  description: "Finds nodes that have a tag.",
  input: z.object({ tag: z.string(), ...within, ...listing }),
  root: ({ rootNodeId }) => rootNodeId,
  steps: (reading, input) => queryByTagSteps(reading, queryOf(input)),
});

const listBookmarksTool: Tool = readTool({
  name: "list_bookmarks",
  title: "List bookmarks",
  description: "Lists your own bookmarks.",
  input: z.object({ budget: shape.budget }),
  output: {
    bookmarks: z.array(
      z.object({ label: z.string(), nodeId: z.string(), removed: z.literal(true).optional() }),
    ),
  },
  about: () => ({ everywhere: true }),
  run: async ({ forest, views }): Promise<{ bookmarks: Bookmark[] }> => ({
    bookmarks: views === undefined ? [] : listBookmarks(views, forest),
  }),
  text: ({ bookmarks }) =>
    bookmarks.length === 0
      ? "No bookmarks."
      : bookmarks
          .map(
            ({ label, nodeId, removed }) =>
              `${showName(label)}: ${showId(nodeId)}${removed === true ? " (removed)" : ""}`,
          )
          .join("\n"),
});

export const FIND_NODES: readonly Tool[] = [
  searchTool,
  searchAdvancedTool,
  selectNodesTool,
  queryByTagTool,
  listBookmarksTool,
];
