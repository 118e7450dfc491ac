// Owns: how the tools that change trees are declared: one call, one list of operations, one answer with ids and token.

import { z } from "zod";
import { treeSlice } from "../../session/tree/tree-slice.ts";
import {
  getNode,
  getView,
  type Caller,
  type Changed,
  type Forest,
  type Steps,
  type TreeOp,
} from "../../tree/operations.ts";
import { Pacer } from "../../text/steps.ts";
import { defineTool, type ReadCtx, type Tool, type WriteCtx } from "../tool.ts";
import {
  finish,
  given,
  readingOf,
  targetsOf,
  tokenFor,
  TREE_TOKENS,
  treesOf,
  type About,
  type Given,
  type TreeToolDef,
} from "./_tree-tool.ts";

export type Answer = Readonly<Record<string, unknown>>;

interface ChangeDef<I extends z.ZodRawShape, R extends object> extends TreeToolDef<I> {
  /** Trees it only looks at; `"all"`: whatever happens in any tree matters to it. */
  looks?(input: z.output<z.ZodObject<I>>): About | "all";
  readonly batch?: (input: z.output<z.ZodObject<I>>) => number;
  change(
    forest: Forest,
    input: Given<z.output<z.ZodObject<I>>>,
    caller: Caller,
  ): Changed<R> | Steps<Changed<R>>;
  /** The node that `return` shows; none: it cannot. */
  node(result: R): string;
  text(result: R): string;
}

const RETURN = {
  return: z.enum(["ids", "node", "view"]).optional().describe("Also show the node, or the view at it"),
};

/** A tool that changes a tree. Its version is required, unless the host has relaxed that. */
export function changeTool<I extends z.ZodRawShape, R extends object>(def: ChangeDef<I, R>): Tool {
  const { name, title, description, batch, about } = def;
  type Input = z.output<z.ZodObject<I>>;
  const input = z.object({ ...def.input, ...RETURN });
  return defineTool({
    name,
    toolset: "tree",
    access: "write",
    version: "required",
    tokens: TREE_TOKENS,
    title,
    description,
    input,
    output: z.looseObject({ ...def.output, token: z.string().optional() }) as z.ZodType<Answer>,
    resolve(sent, ctx) {
      const { return: show, ...own } = sent as { return?: string } & Input;
      const query = own as unknown as Input;
      return { show, query, trees: treesOf(ctx, about(query)) };
    },
    targets: ({ trees }) => targetsOf(trees),
    ...(batch === undefined ? {} : { batch: (sent: unknown) => batch(sent as Input) }),
    async run(ctx, { show, query, trees }) {
      const looks = def.looks?.(query);
      const reader = ctx.slice(treeSlice);
      const forest =
        looks === "all"
          ? reader.all()
          : reader.of([...trees, ...(looks === undefined ? [] : treesOf(ctx, looks))]);
      const token = await tokenFor(ctx, trees[0]);
      const {
        ops,
        result,
        forest: after,
      } = await finish(def.change(forest, given(query as object) as Given<Input>, callerOf(ctx)), ctx.signal);
      await makeAll(ctx, ops);
      return {
        ...result,
        ...(await shown(ctx, after, show, def.node(result))),
        ...(token === undefined ? {} : { token }),
      };
    },
    text: (value) => answerText(def.text(value as unknown as R), value),
  });
}

export function callerOf(ctx: ReadCtx): Caller {
  return { role: ctx.agent.role, limits: ctx.limits };
}

/** Makes the operations, giving way between them. */
export async function makeAll(ctx: WriteCtx, ops: readonly TreeOp[]): Promise<void> {
  const pace = new Pacer(ctx.signal);
  for (const op of ops) {
    ctx.change(treeSlice, op);
    await pace.step();
  }
}

async function shown(ctx: ReadCtx, forest: Forest, show: string | undefined, node: string): Promise<Answer> {
  if (show === "node") return { node: getNode(await readingOf(ctx, forest), { nodeId: node }) };
  if (show !== "view") return {};
  const { json, pageToken } = getView(await readingOf(ctx, forest), { rootNodeId: node });
  return { view: json, ...(pageToken === undefined ? {} : { pageToken }) };
}

/** What a change says, with what it was asked to show, and the token to go on with. */
export function answerText(said: string, { node, view, token }: Answer): string {
  const lines = [said];
  for (const json of [node, view]) if (typeof json === "object") lines.push(JSON.stringify(json));
  if (typeof token === "string") lines.push(`[Token ${token}]`);
  return lines.join("\n");
}
