// Owns: the tools that take trees out and in: export_view, export_subtree, import_view, import_merge.

import { z } from "zod";
import { showJson, showName } from "../../text/show.ts";
import { runPaced } from "../../text/steps.ts";
import { plural } from "../../text/plural.ts";
import { HoldfastError, say } from "../../errors.ts";
import { treeSlice } from "../../session/tree/tree-slice.ts";
import {
  exportSubtreeSteps,
  exportViewSteps,
  importMergeSteps,
  importViewSteps,
  outlineSteps,
  showId,
  writeMarkdownSteps,
  isExpanded,
  viewOf,
  BranchWalk,
  type Exported,
  type Found,
  type ImportViewResult,
  type MergeReport,
  type TreeReading,
} from "../../tree/operations.ts";
import { defineTool, type Tool } from "../tool.ts";
import { changeText, callerOf, changeTool, makeAll } from "./_change-tool.ts";
import { readTool, type Reply } from "./_read-tool.ts";
import {
  allIds,
  queryOf,
  resultOf,
  given,
  inTree,
  shape,
  some,
  targetsOf,
  tokenFor,
  TREE_TOKENS,
  treesOf,
  VIEWS,
  type ToolValue,
} from "./_tree-tool.ts";

/** What fits into one result; more is read in pages. */
const MOST_NODES = 5_000;

function refuseLarge({ tree, slot }: Found, opens: (slot: number) => boolean): number {
  let nodes = 0;
  const walk = new BranchWalk(tree, slot);
  for (let ok = walk.next(); ok; ok = walk.next(opens(walk.slot)))
    if (++nodes > MOST_NODES)
      throw new HoldfastError(
        "invalid_argument",
        "export_too_large",
        say`The branch has more than ${MOST_NODES} nodes. Use get_subtree to read it in pages.`,
        { data: { limit: MOST_NODES } },
      );
  return nodes;
}

const exported = { view: z.looseObject({}).optional(), content: z.string().optional(), nodes: z.int() };

type ExportFormat = "json" | "outline" | "markdown";

interface ExportResult {
  readonly view?: Exported["json"];
  readonly content?: string;
  readonly nodes: number;
}

function resultOfExport({ json, nodes }: Exported): ExportResult {
  return { view: json, nodes };
}

/** A document is shown whole or not at all: half of one is of no use. */
function exportedText(
  { view, content, nodes }: ExportResult,
  {
    format = "json",
    budget: asked,
  }: { readonly format?: ExportFormat | undefined; readonly budget?: number | undefined },
  budget: number,
): Reply {
  const text = content ?? showJson(view);
  const size = `${plural(nodes, "node")}, ${plural(text.length, "character")}`;
  if (text.length > budget - ROOM)
    return {
      head: [
        `${size}: too large for this result. Use get_subtree to read it in pages${asked === undefined || asked > budget ? "" : "; without budget more may fit"}.`,
      ],
      content: "",
    };
  // Markdown holds lines as users wrote them: nothing of ours comes after this line.
  const mark =
    format === "markdown" ? [`[Content: ${plural(text.split("\n").length, "line")} of markdown]`] : [];
  return { head: [size], content: [...mark, text].join("\n") };
}

/** Characters for what comes before a document. */
const ROOM = 300;

const exportViewTool: Tool = readTool({
  name: "export_view",
  title: "Export a view",
  description:
    "Gives your view of a branch as one JSON document; with includeViewRoot as import_view takes it.",
  input: z.object({ rootNodeId: z.string(), includeViewRoot: z.boolean().optional(), budget: shape.budget }),
  output: exported,
  about: ({ rootNodeId }) => ({ nodes: [rootNodeId] }),
  async run(reading: TreeReading, input, ctx) {
    const query = queryOf(input);
    const found = reading.forest.node(query.rootNodeId);
    const view = viewOf(reading.views ?? VIEWS.empty, found.tree.id);
    refuseLarge(found, (slot) => isExpanded(view, slot));
    return resultOfExport(await resultOf(exportViewSteps(reading, query), ctx.signal));
  },
  text: (result, input, budget) => exportedText(result, input, budget),
});

const exportSubtreeTool: Tool = readTool({
  name: "export_subtree",
  title: "Export a subtree",
  description:
    "Gives a whole branch as one document: JSON as import_merge and create_tree take it, an outline, or Markdown.",
  input: z.object({
    nodeId: z.string(),
    includeViewRoot: z.boolean().optional().describe("false: only its children; for json"),
    format: z.enum(["json", "outline", "markdown"]).optional(),
    budget: shape.budget,
  }),
  output: exported,
  about: ({ nodeId }) => ({ nodes: [nodeId] }),
  async run(reading: TreeReading, input, ctx): Promise<ExportResult> {
    const query = queryOf(input);
    const { tree, slot } = reading.forest.node(query.nodeId);
    const nodes = refuseLarge({ tree, slot }, () => true);
    const { format = "json" } = input;
    if (format === "json")
      return resultOfExport(await resultOf(exportSubtreeSteps(reading, query), ctx.signal));
    const steps = format === "outline" ? outlineSteps(tree, slot) : writeMarkdownSteps(tree, slot);
    return { content: await runPaced(steps, ctx.signal), nodes };
  },
  text: (result: ExportResult, input, budget) => exportedText(result, input, budget),
});

const renamed = z.array(z.object({ from: z.string(), to: z.string() }));

function importText({ rootNodeId, restored, unknown, created }: ImportViewResult): string {
  const tree = created === undefined ? "" : `Created ${created.tree} with ${plural(created.nodes, "node")}. `;
  const missing = unknown === 0 ? "" : `; not in the tree: ${plural(unknown, "node")} of it`;
  return `${tree}Restored the view at ${showId(rootNodeId)}: ${plural(restored, "node")}${missing}`;
}

/** Restores a view, or builds a tree and its view: then there is no version to name. */
const importViewTool: Tool = defineTool({
  name: "import_view",
  toolset: "tree",
  access: "write",
  destructive: false,
  version: "required",
  tokens: TREE_TOKENS,
  title: "Import a view",
  description:
    "Takes in what export_view gave with includeViewRoot. nodeId, path: restores expansion and filters; create: builds a tree from it.",
  input: z.object({
    viewJson: z.unknown().describe("The document, as an object or as text"),
    payloadTypes: z.unknown().optional().describe("For create: the types the tree accepts, by name"),
    rootLookupStrategy: z.enum(["nodeId", "path", "create"]).optional(),
    name: z.string().optional().describe("For create"),
    ...inTree,
  }),
  output: z.looseObject({
    rootNodeId: z.string(),
    restored: z.int(),
    unknown: z.int(),
    created: z.looseObject({ tree: z.string(), rootNodeId: z.string(), nodes: z.int(), renamed }).optional(),
    token: z.string().optional(),
  }) as z.ZodType<ToolValue>,
  resolve: (input, ctx) => ({
    input,
    trees:
      input.rootLookupStrategy === "create" ? [] : treesOf(ctx, { nodes: [rootIn(input)], tree: input.tree }),
  }),
  targets: ({ trees }) => targetsOf(trees),
  async run(ctx, { input, trees }) {
    const reader = ctx.slice(treeSlice);
    const create = input.rootLookupStrategy === "create";
    const forest = create ? reader.all() : reader.of(trees);
    const token = await tokenFor(ctx, trees[0]);
    const { view } = await ctx.view(VIEWS);
    const steps = importViewSteps(forest, view, given(input), callerOf(ctx));
    const { ops, views, result } = await resultOf(steps, ctx.signal);
    await makeAll(ctx, ops);
    const [tree] = create ? [result.created?.tree ?? ""] : trees;
    const filters = views.filters;
    const mine = viewOf(views, tree ?? "");
    ctx.changeView(VIEWS, (now) => ({ ...now, filters, trees: new Map(now.trees).set(tree ?? "", mine) }));
    return { ...result, ...(token === undefined ? {} : { token }) };
  },
  text: (value) => changeText(importText(value as unknown as ImportViewResult), value),
});

/** The node that a document names as its root, where the call matches by id. */
function rootIn(input: {
  readonly viewJson?: unknown;
  readonly rootLookupStrategy?: string | undefined;
}): string | undefined {
  if (input.rootLookupStrategy === "path") return undefined;
  const { viewJson } = input;
  const text =
    typeof viewJson === "string" ? /"RootNodeId"\s*:\s*"([^"\\]{1,200})"/.exec(viewJson)?.[1] : undefined;
  const root =
    typeof viewJson === "object" && viewJson !== null
      ? (viewJson as { RootNodeId?: unknown }).RootNodeId
      : text;
  return typeof root === "string" ? root : undefined;
}

const ids = z.array(z.string());

const importMergeTool: Tool = changeTool({
  name: "import_merge",
  destructive: true,
  title: "Merge a document",
  description:
    "Lays a JSON document over a tree. upsert: sets and creates; replace: also drops what the document lacks; skip: only creates.",
  input: {
    json: z.unknown().describe("Tree or view JSON, as an object or as text"),
    strategy: z.enum(["upsert", "replace", "skip"]).optional(),
    matchBy: z.enum(["nodeId", "path"]).optional(),
    parentNodeId: z.string().optional().describe("Where a document goes whose first node is not found"),
    ...inTree,
  },
  output: {
    created: z.int(),
    updated: z.int(),
    unchanged: z.int(),
    skipped: z.int(),
    removed: z.int(),
    unlisted: z.int(),
    renamed,
    ids: z.object({ created: ids, updated: ids, skipped: ids, removed: ids }),
    rootNodeId: z.string(),
  },
  about: ({ parentNodeId, tree }) => ({ nodes: [parentNodeId], tree }),
  looks: () => "all",
  change: (forest, input, caller) =>
    importMergeSteps(forest, { ...input, json: input.json as unknown }, caller),
  node: ({ rootNodeId }) => rootNodeId,
  text: mergeText,
});

/** Counts, then the ids of each kind. */
function mergeText(report: MergeReport): string {
  const {
    created,
    updated,
    unchanged,
    skipped,
    removed,
    renamed: other,
    ids: by,
    unlisted,
    rootNodeId,
  } = report;
  const lines = [
    `${created} created, ${updated} updated, ${unchanged} unchanged, ${skipped} skipped, ${removed} removed, ${other.length} renamed`,
  ];
  if (unlisted > 0)
    lines.push(`[${unlisted} more ids: get_subtree ${showId(rootNodeId)} shows them in pages]`);
  for (const kind of ["created", "updated", "removed"] as const)
    if (by[kind].length > 0) lines.push(`${kind}: ${allIds(by[kind])}`);
  if (other.length > 0)
    lines.push(`renamed: ${some(other.map(({ from, to }) => `${showName(from)} to ${showId(to)}`))}`);
  return lines.join("\n");
}

export const EXCHANGE_READS: readonly Tool[] = [exportViewTool, exportSubtreeTool];
export const EXCHANGE_WRITES: readonly Tool[] = [importViewTool, importMergeTool];
