// Owns: how the reading tools of trees are declared, and how pages of nodes read.

import { z } from "zod";
import { plural } from "../../text/plural.ts";
import { treeSlice } from "../../session/tree/tree-slice.ts";
import type { BranchPage, CutValue, ListPage, NodeJson, TreeReading } from "../../tree/operations.ts";
import { defineTool, type ReadCtx, type Tool } from "../tool.ts";
import { readingOf, targetsOf, tokenFor, treesOf, type About } from "./_tree-tool.ts";

type Answer = Readonly<Record<string, unknown>>;

interface ReadDef<I extends z.ZodObject, O extends object> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: I;
  readonly output: z.ZodRawShape;
  readonly about: (input: z.output<I>) => About;
  readonly batch?: (input: z.output<I>) => number;
  run(reading: TreeReading, input: z.output<I>, ctx: ReadCtx): Promise<O>;
  text(output: O, input: z.output<I>): string;
}

/** A tool that reads. When it is about one tree, its answer carries that tree's token. */
export function readTool<I extends z.ZodObject, O extends object>(def: ReadDef<I, O>): Tool {
  const { name, title, description, input, about, batch } = def;
  return defineTool({
    name,
    toolset: "tree",
    access: "read",
    title,
    description,
    input,
    output: z.looseObject({ ...def.output, token: z.string().optional() }) as z.ZodType<Answer>,
    resolve: (sent, ctx) => ({ sent, trees: treesOf(ctx, about(sent)) }),
    targets: ({ trees }) => targetsOf(trees),
    ...(batch === undefined ? {} : { batch }),
    async run(ctx, { sent, trees }) {
      const forest = ctx.slice(treeSlice).peek();
      const token = trees.length === 1 ? await tokenFor(ctx, trees[0]) : undefined;
      const value = await def.run(await readingOf(ctx, forest), sent, ctx);
      return { ...value, ...(token === undefined ? {} : { token }) };
    },
    text: (value, sent) => withToken(def.text(value as unknown as O, sent), value["token"]),
  });
}

function withToken(text: string, token: unknown): string {
  return typeof token === "string" ? `${text}\n[Token ${token}]` : text;
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

/** What stands below the nodes of a page: how to go on, and what is not as asked for. */
export function pageEnd({ pageToken, notes, cut, warnings = [] }: Paged): string[] {
  const lines = [...warnings.map((warning) => `[Warning] ${warning}`), ...notes.map((note) => `[${note}]`)];
  for (const one of cut) lines.push(`[Cut: ${JSON.stringify(one)}. Ask with a larger budget.]`);
  if (pageToken !== undefined)
    lines.push(`[More: send the same call with pageToken ${JSON.stringify(pageToken)}]`);
  return lines;
}

export type BranchAnswer = {
  readonly view?: NodeJson;
  readonly outline?: string;
  readonly nodes: number;
} & Paged;

/** A page of a branch as the caller asked to have it. */
export function branchAnswer(page: BranchPage, json: NodeJson, format: string | undefined): BranchAnswer {
  const { nodes, pageToken, notes, cut, outline } = page;
  return {
    ...(format === "outline" ? { outline } : { view: json }),
    nodes,
    ...(pageToken === undefined ? {} : { pageToken }),
    notes,
    cut,
  };
}

export function branchText(answer: BranchAnswer): string {
  return [answer.outline ?? JSON.stringify(answer.view), ...pageEnd(answer)].join("\n");
}

export type ListAnswer = {
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

export function listAnswer(page: ListPage, format: string | undefined): ListAnswer {
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

export function listText(answer: ListAnswer): string {
  const shown = answer.outline ?? (answer.nodes ?? []).map((node) => JSON.stringify(node)).join("\n");
  return [plural(answer.total, "node"), ...(shown === "" ? [] : [shown]), ...pageEnd(answer)].join("\n");
}
