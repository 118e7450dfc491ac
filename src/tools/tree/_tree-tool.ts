// Owns: what all tree tools have in common: which trees a call is about, its token, what it reads through, its pages.
// Must never: know a tool. A tool says what it is about and calls the tree room.

import { z } from "zod";
import type { Shown } from "../../errors.ts";
import { TREES_KEY, treeKey, treeSlice } from "../../session/tree/tree-slice.ts";
import type { Key, Position } from "../../store/journal.ts";
import { readAnyToken, tokenOf } from "../../store/token.ts";
import {
  decodeViews,
  encodeViews,
  NO_VIEWS,
  Pins,
  showId,
  type AgentViews,
  type Forest,
  type TreeReading,
  type Steps,
} from "../../tree/operations.ts";
import { runPaced } from "../../text/steps.ts";
import { budget } from "../paging.ts";
import type { ReadCtx, Shared, Target, TokenForm, ViewKind } from "../tool.ts";

/** An agent's expansion, filters and bookmarks. */
export const VIEWS: ViewKind<AgentViews> = { empty: NO_VIEWS, encode: encodeViews, decode: decodeViews };

/** Snapshots that page tokens of this session pin. */
const PINS: Shared<Pins> = { make: (limits) => new Pins(limits) };

/**
 * `42-9f3a1c07.3`: the record that last changed the tree, and how often the agent has changed its view. Tools that
 * change the tree look at the first part, tools that change the view at the second.
 */
export const TREE_TOKENS: TokenForm = {
  write: (at, rev) => `${tokenOf(at)}.${rev}` as Shown,
  read: readAnyToken,
};

/** A tool's result, whatever its fields are. */
export type ToolValue = Readonly<Record<string, unknown>>;

/** What a call is about: nodes, or a tree by its id. Neither: the only tree, or for queries all of them. */
export interface About {
  readonly nodes?: readonly (string | undefined)[];
  readonly tree?: string | undefined;
  readonly everywhere?: boolean;
}

/** What the definitions of tools that change something have in common. */
export interface TreeToolDef<I extends z.ZodRawShape> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: I;
  readonly output: z.ZodRawShape;
  /** The trees it changes, or whose view it changes. */
  readonly about: (input: z.output<z.ZodObject<I>>) => About;
}

/** The trees a call is about. Throws `not_found` for a node or tree that never was, and `tree_required`. */
export function treesOf(ctx: ReadCtx, about: About): readonly string[] {
  const forest = ctx.slice(treeSlice).peek();
  const nodes = (about.nodes ?? []).filter((id) => id !== undefined);
  if (nodes.length > 0) return [...new Set(nodes.map((id) => treeOfNode(forest, id)))];
  if (about.everywhere === true) return forest.scope(about.tree).map(({ id }) => id);
  return [forest.tree(about.tree).id];
}

/** Also of a node that was removed: a repeated removal must find its earlier result. */
function treeOfNode(forest: Forest, node: string): string {
  for (const tree of forest.all.values()) if (tree.slotOf(node) >= 0) return tree.id;
  return forest.node(node).tree.id;
}

const MENTION_LENGTH = 100;

/** The nodes that a call names, for the audit: also those that are not there. */
export function nodesIn(...abouts: readonly (About | "all" | undefined)[]): Key[] {
  const ids = abouts.flatMap((about) => (about === undefined || about === "all" ? [] : (about.nodes ?? [])));
  return ids.filter((id) => id !== undefined).map((id) => `node:${id.slice(0, MENTION_LENGTH)}` as Key);
}

export function targetsOf(trees: readonly string[]): Target[] {
  return trees.map((tree) => ({ key: treeKey(tree), name: tree as Shown }));
}

/** What a call that makes a tree works on. */
export const TREES_TARGET: readonly Target[] = [{ key: TREES_KEY, name: "trees" as Shown }];

/** The token of a tree as the agent sees it now. */
export async function tokenFor(ctx: ReadCtx, tree: string | undefined): Promise<Shown | undefined> {
  const at: Position | undefined = tree === undefined ? undefined : ctx.slice(treeSlice).at(tree);
  return at === undefined ? undefined : TREE_TOKENS.write(at, (await ctx.view(VIEWS)).rev);
}

/** Characters around a page: the token, the page token, notes. */
const RESERVED = 600;
const LEAST = 200;

export async function readingOf(ctx: ReadCtx, forest: Forest): Promise<TreeReading> {
  return {
    forest,
    views: (await ctx.view(VIEWS)).view,
    pins: ctx.shared(PINS),
    agent: ctx.agent.id,
    now: ctx.now.getTime(),
    limits: ctx.limits,
    budget: Math.max(LEAST, ctx.budget - RESERVED),
  };
}

/** The result of work of the tree room, made at once or in steps. */
export async function resultOf<T extends object>(work: T | Steps<T>, signal: AbortSignal): Promise<T> {
  return isSteps(work) ? runPaced(work, signal) : work;
}

function isSteps<T extends object>(work: T | Steps<T>): work is Steps<T> {
  return Symbol.iterator in work && "next" in work;
}

/** Arguments that the schema has read, without the `undefined` that its types allow for and its values never have. */
export type Given<T> = { [K in keyof T]: Exclude<T[K], undefined> };

/** The arguments of a query, without those that only say how to show what it finds. */
export function queryOf<T extends object>(input: T): Given<Omit<T, "format" | "budget">> {
  const { format: _, budget: __, ...query } = input as T & { format?: unknown; budget?: unknown };
  return query as Given<Omit<T, "format" | "budget">>;
}

export function given<T extends object>(input: T): Given<T> {
  return input as Given<T>;
}

const SHOWN_NAMES = 50;

/** Shown names in a line: the first, and how many more there are. */
export function some(names: readonly string[]): string {
  const rest = names.length - SHOWN_NAMES;
  const first = names.slice(0, SHOWN_NAMES).join(", ");
  return rest > 0 ? `${first} and ${rest} more` : first;
}

/** Every id: where the data lists no more of them, neither does the text list less. */
export function allIds(ids: readonly string[]): string {
  return ids.map((id) => showId(id)).join(", ");
}

export function someIds(ids: readonly string[]): string {
  return some(ids.map((id) => showId(id)));
}

type Text = z.ZodOptional<z.ZodString>;
type Texts = z.ZodOptional<z.ZodArray<z.ZodString>>;
type Whole = z.ZodOptional<z.ZodInt>;

/** Arguments that several tools take, described once. */
export const properties: { readonly includedProperties: Texts; readonly excludedProperties: Texts } = {
  includedProperties: z.array(z.string()).optional().describe("Paths to show"),
  excludedProperties: z.array(z.string()).optional().describe("Paths to hide"),
};

export const shape: {
  readonly format: z.ZodOptional<z.ZodEnum<{ json: "json"; outline: "outline" }>>;
  readonly budget: Whole;
} = {
  format: z.enum(["json", "outline"]).optional().describe("outline: one line a node"),
  budget,
};

export const pageToken: { readonly pageToken: Text } = {
  pageToken: z.string().optional().describe("From the page before"),
};

export const listing: { readonly limit: Whole } & typeof pageToken & typeof properties & typeof shape = {
  limit: z.int().min(1).optional().describe("Hits on a page; 50, at most 200"),
  ...pageToken,
  ...properties,
  ...shape,
};

export const inTree: { readonly tree: Text } = {
  tree: z.string().optional().describe("Where there are several"),
};

/** Any JSON object; the tree room looks at it. */
export function jsonObject(what: string): z.ZodUnknown {
  return z.unknown().meta({ type: "object", description: what });
}
