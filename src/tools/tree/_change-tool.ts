// Owns: how the tools that change trees are declared: one call, one list of operations, one result with ids and token.

import { z } from "zod";
import { treeSlice } from "../../session/tree/tree-slice.ts";
import {
  cutToFit,
  getNode,
  getView,
  showId,
  type Caller,
  type Changed,
  type CutValue,
  type Forest,
  type Steps,
  type TreeOp,
  type TreeReading,
} from "../../tree/operations.ts";
import { showJson } from "../../text/show.ts";
import { Pacer } from "../../text/steps.ts";
import { defineTool, type ReadCtx, type Tool, type WriteCtx } from "../tool.ts";
import { pageHead } from "./_read-tool.ts";
import {
  resultOf,
  given,
  nodesIn,
  readingOf,
  targetsOf,
  tokenFor,
  TREE_TOKENS,
  treesOf,
  type About,
  type Given,
  type ToolValue,
  type TreeToolDef,
} from "./_tree-tool.ts";

interface ChangeDef<I extends z.ZodRawShape, R extends object> extends TreeToolDef<I> {
  /** Trees it only looks at; `"all"`: whatever happens in any tree matters to it. */
  looks?(input: z.output<z.ZodObject<I>>): About | "all";
  change(
    forest: Forest,
    input: Given<z.output<z.ZodObject<I>>>,
    caller: Caller,
  ): Changed<R> | Steps<Changed<R>>;
  /** It can take values or nodes away; most only add or move. */
  readonly destructive?: boolean;
  /** The node that `return` shows; none: it cannot. */
  node(result: R): string;
  text(result: R): string;
}

const RETURN = {
  return: z.enum(["ids", "node", "view"]).optional().describe("Also show this"),
};

/** A tool that changes a tree. Its version is required, unless the host has relaxed that. */
export function changeTool<I extends z.ZodRawShape, R extends object>(def: ChangeDef<I, R>): Tool {
  const { name, title, description, about } = def;
  type Input = z.output<z.ZodObject<I>>;
  const input = z.object({ ...def.input, ...RETURN });
  return defineTool({
    name,
    toolset: "tree",
    access: "write",
    version: "required",
    tokens: TREE_TOKENS,
    oneTarget: true,
    title,
    description,
    input,
    output: z.looseObject({ ...def.output, token: z.string().optional() }) as z.ZodType<ToolValue>,
    resolve(sent, ctx) {
      const { return: show, ...own } = sent as { return?: string } & Input;
      const query = own as unknown as Input;
      const trees = treesOf(ctx, about(query));
      const looks = def.looks?.(query) ?? about(query);
      return { show, query, trees, seen: looks === "all" ? looks : [...trees, ...treesOf(ctx, looks)] };
    },
    targets: ({ trees }) => targetsOf(trees),
    mentions: (sent) => nodesIn(about(sent as unknown as Input), def.looks?.(sent as unknown as Input)),
    destructive: def.destructive ?? false,
    async run(ctx, { show, query, trees, seen }) {
      const reader = ctx.slice(treeSlice);
      const forest = seen === "all" ? reader.all() : reader.of(seen);
      const token = await tokenFor(ctx, trees[0]);
      const {
        ops,
        result,
        forest: after,
      } = await resultOf(
        def.change(forest, given(query as object) as Given<Input>, callerOf(ctx)),
        ctx.signal,
      );
      await makeAll(ctx, ops);
      return {
        ...result,
        ...(await shown(ctx, after, show, def.node(result))),
        ...(token === undefined ? {} : { token }),
      };
    },
    text: (value) => changeText(def.text(value as unknown as R), value),
  });
}

export function callerOf(ctx: ReadCtx): Caller {
  return { role: ctx.agent.role, limits: ctx.limits };
}

/** Makes the operations, yielding between them. */
export async function makeAll(ctx: WriteCtx, ops: readonly TreeOp[]): Promise<void> {
  const pace = new Pacer(ctx.signal);
  for (const op of ops) {
    ctx.change(treeSlice, op);
    await pace.step();
  }
}

async function shown(
  ctx: ReadCtx,
  forest: Forest,
  show: string | undefined,
  node: string,
): Promise<ToolValue> {
  const reading = await readingOf(ctx, forest);
  if (show === "node") {
    const fitted = cutToFit(getNode(reading, { nodeId: node }), node, reading.budget ?? Infinity);
    return { node: fitted.json, ...(fitted.cut.length === 0 ? {} : { cut: fitted.cut }) };
  }
  return show === "view" ? viewAt(reading, node) : {};
}

/** The first page of the view at a node, as `return` shows it. `viewPageToken` is for get_view, where the agent has it. */
export function viewAt(reading: TreeReading, node: string): ToolValue {
  const { json, pageToken, cut } = getView(reading, { rootNodeId: node });
  return {
    view: json,
    viewNodeId: node,
    ...(pageToken === undefined ? {} : { viewPageToken: pageToken }),
    ...(cut.length === 0 ? {} : { cut }),
  };
}

/** What a change says, the token to go on with, and last what it was asked to show. */
export function changeText(said: string, value: ToolValue): string {
  const {
    node,
    view,
    viewNodeId,
    token,
    viewPageToken: pageToken,
    cut,
  } = value as {
    readonly [key: string]: unknown;
    readonly viewPageToken?: string;
    readonly cut?: readonly CutValue[];
  };
  const lines = [said];
  if (typeof token === "string") lines.push(`[Token ${token}]`);
  if (pageToken !== undefined)
    lines.push(`[More: get_subtree ${showId(String(viewNodeId))} shows the branch in pages]`);
  lines.push(...pageHead({ notes: [], cut: cut ?? [] }));
  for (const json of [node, view]) if (typeof json === "object") lines.push(showJson(json));
  return lines.join("\n");
}
