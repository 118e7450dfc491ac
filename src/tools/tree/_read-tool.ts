// Owns: how the reading tools of trees are declared, and how pages of nodes read.

import { z } from "zod";
import { plural } from "../../text/plural.ts";
import { treeSlice } from "../../session/tree/tree-slice.ts";
import type { WorkspacePath } from "../../path/index.ts";
import { showJson, showName } from "../../text/show.ts";
import {
  showId,
  type BranchPage,
  type CutValue,
  type ListPage,
  type NodeJson,
  type TreeReading,
} from "../../tree/operations.ts";
import { defineTool, fileTarget, type ReadCtx, type Tool } from "../tool.ts";
import {
  nodesIn,
  readingOf,
  targetsOf,
  tokenFor,
  treesOf,
  type About,
  type ToolValue,
} from "./_tree-tool.ts";

interface ReadDef<I extends z.ZodObject, O extends object, R> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: I;
  readonly output: z.ZodRawShape;
  readonly about: (input: z.output<I>) => About;
  /** What the input means beside trees; the input itself when left out. */
  resolve?(input: z.output<I>, ctx: ReadCtx): R;
  /** A file that it reads. */
  file?(resolved: R): WorkspacePath | undefined;
  run(reading: TreeReading, resolved: R, ctx: ReadCtx): Promise<O>;
  text(output: O, input: z.output<I>, budget: number): Reply | string;
}

/** What a read says first, and the nodes it shows. A plain text is only the second. */
export interface Reply {
  readonly head: readonly string[];
  readonly content: string;
}

/** A tool that reads. When it is about one tree, its result carries that tree's token. */
export function readTool<I extends z.ZodObject, O extends object, R = z.output<I>>(
  def: ReadDef<I, O, R>,
): Tool {
  const { name, title, description, input, about } = def;
  return defineTool({
    name,
    toolset: "tree",
    access: "read",
    title,
    description,
    input,
    output: z.looseObject({ ...def.output, token: z.string().optional() }) as z.ZodType<ToolValue>,
    resolve(sent, ctx) {
      const trees = treesOf(ctx, about(sent));
      return { trees, resolved: (def.resolve === undefined ? sent : def.resolve(sent, ctx)) as R };
    },
    targets({ trees, resolved }) {
      const file = def.file?.(resolved);
      return [...targetsOf(trees), ...(file === undefined ? [] : [fileTarget(file)])];
    },
    mentions: (sent) => nodesIn(about(sent)),
    async run(ctx, { trees, resolved }) {
      const forest = ctx.slice(treeSlice).peek();
      const token = trees.length === 1 ? await tokenFor(ctx, trees[0]) : undefined;
      const value = await def.run(await readingOf(ctx, forest), resolved, ctx);
      return { ...value, ...(token === undefined ? {} : { token }) };
    },
    text: (value, sent, budget) => replyText(def.text(value as unknown as O, sent, budget), value["token"]),
  });
}

/** What is needed to go on comes first, contents last: whatever is cut, it is not the token. */
function replyText(reply: Reply | string, token: unknown): string {
  const { head, content } = typeof reply === "string" ? { head: [], content: reply } : reply;
  const lines = [...head, ...(typeof token === "string" ? [`[Token ${token}]`] : [])];
  return [...lines, ...(content === "" ? [] : [content])].join("\n");
}

/** Fields of every page. */
export const pageShape: z.ZodRawShape = {
  outline: z.string().optional(),
  pageToken: z.string().optional(),
  notes: z.array(z.string()),
  cut: z.array(z.looseObject({})),
};

interface Paged {
  readonly pageToken?: string;
  readonly notes: readonly string[];
  readonly cut: readonly CutValue[];
  readonly warnings?: readonly string[];
}

const SHOWN_CUTS = 3;
/** A longer name is not repeated: without it the call shows the rest of every value. */
const NAME_LENGTH = 60;

/** The call that shows a value from the place on where it was cut. */
function restOf({ nodeId, path, next }: CutValue): string {
  const only = path.length > NAME_LENGTH ? {} : { includedProperties: [path] };
  return `get_subtree ${showJson({ nodeId, depthLimit: 0, ...only, valueOffset: next })}`;
}

/** What comes before the nodes of a page: how to go on, and what is not as asked for. */
export function pageHead({ pageToken, notes, cut, warnings = [] }: Paged): string[] {
  const lines = [...warnings.map((warning) => `[Warning] ${warning}`), ...notes.map((note) => `[${note}]`)];
  if (pageToken !== undefined)
    lines.push(`[More: send the same call with pageToken ${JSON.stringify(pageToken)}]`);
  for (const value of cut.slice(0, SHOWN_CUTS))
    lines.push(
      `[Cut: ${showName(value.path)} of ${showId(value.nodeId)} has ${plural(value.characters, "character")}. The rest: ${restOf(value)}]`,
    );
  if (cut.length > SHOWN_CUTS)
    lines.push(
      `[Cut: ${plural(cut.length - SHOWN_CUTS, "more value")}. get_subtree with the names of those shown as excludedProperties shows the others.]`,
    );
  return lines;
}

export type BranchResult = {
  readonly view?: NodeJson;
  readonly outline?: string;
  readonly nodes: number;
} & Paged;

/** A page of a branch as the caller asked to have it. */
export function branchResult(page: BranchPage, json: NodeJson, format: string | undefined): BranchResult {
  const { nodes, pageToken, notes, cut, outline } = page;
  return {
    ...(format === "outline" ? { outline } : { view: json }),
    nodes,
    ...(pageToken === undefined ? {} : { pageToken }),
    notes,
    cut,
  };
}

export function branchText(result: BranchResult): Reply {
  return { head: pageHead(result), content: result.outline ?? showJson(result.view) };
}

export type ListResult = {
  readonly nodes?: readonly NodeJson[];
  readonly outline?: string;
  readonly total: number;
  readonly warnings: readonly string[];
} & Paged;

export const listShape: z.ZodRawShape = {
  nodes: z.array(z.looseObject({})).optional(),
  total: z.int(),
  warnings: z.array(z.string()),
  ...pageShape,
};

export function listResult(page: ListPage, format: string | undefined): ListResult {
  const { items, total, pageToken, notes, warnings, cut, outline } = page;
  return {
    ...(format === "outline" ? { outline } : { nodes: items }),
    total,
    ...(pageToken === undefined ? {} : { pageToken }),
    notes,
    warnings,
    cut,
  };
}

export function listText(result: ListResult): Reply {
  const content = result.outline ?? (result.nodes ?? []).map(showJson).join("\n");
  return { head: [plural(result.total, "node"), ...pageHead(result)], content };
}
