// Owns: get_json_value: what a JSONPath names, and what is left of it page by page.

import { z } from "zod";
import { HoldfastError, say, sayAll, type Shown } from "../../errors.ts";
import {
  getJsonSteps,
  listKeysSteps,
  oneLine,
  parseJsonPath,
  previewText,
  shortPath,
  singularPath,
  type JsonGot,
  type JsonPath,
} from "../../json/index.ts";
import { plural } from "../../text/plural.ts";
import { runPaced } from "../../text/steps.ts";
import type { Json } from "../../value.ts";
import { defineTool, fileTarget, type ReadCtx, type Tool } from "../tool.ts";
import { paging } from "../paging.ts";
import { askedFor, pathAsGiven } from "./_arguments.ts";
import { openValid, PAUSE_EVERY, type JsonDocument } from "./_document.ts";
import { moreLine, textOfRead, RESERVED } from "./_lines.ts";
import { literalPiece } from "./_literal.ts";
import { KEY_CUT, match, matchLines, queryNotices, matchPage } from "./_matches.ts";

const input = z.object({
  path: z.string(),
  json_path: z.string().describe("$.users[0].name, $['a b'], $.a[-1]"),
  ...paging,
});

const output = z.object({
  path: z.string(),
  version: z.int(),
  token: z.string(),
  /** Of one place: its normalized path, kind and value, with markers where it was cut. */
  json_path: z.string().optional(),
  kind: z.string().optional(),
  json: z.string().optional(),
  /** What was cut of it, where and how much, and that keys in it have no path. */
  cut: z.string().optional(),
  /** Of several places, or of the members that follow on the last page. */
  matches: z.array(match).optional(),
  notices: z.array(z.string()),
  /** What is left, in words, and the cursor that brings it. */
  left: z.string().optional(),
  cursor: z.string().optional(),
});

type Output = z.output<typeof output>;
type Found = Omit<Output, "path" | "version" | "token">;

/** Where a page begins: after matches, after members of the container, or inside the literal at a byte. */
type Place = { readonly matches: number } | { readonly members: number } | { readonly byte: number };

/** What one page holds, and where the next begins. */
interface Page {
  readonly found: Found;
  readonly next?: Place;
}

const NOTICES = 400;

export const getJsonValueTool: Tool = defineTool({
  name: "get_json_value",
  toolset: "json",
  access: "read",
  title: "Get a JSON value",
  description: "Returns the value at a JSONPath, large ones in pages; several matches are listed.",
  input,
  output,
  resolve: ({ path, json_path: jsonPath, cursor: from }, ctx) => ({
    ...askedFor(ctx, path, jsonPath),
    cursor: from,
  }),
  targets: ({ path }) => [fileTarget(path)],
  async run(ctx, { path, query, cursor: from }): Promise<Output> {
    const resumed = from === undefined ? undefined : await ctx.resume(from);
    const here = resumed?.ctx ?? ctx;
    const document = await openValid(here, path);
    const room = ctx.budget - RESERVED;
    const { found, next } = await pageAt(ctx, document, query, resumed?.place as Place | undefined, room);
    const { version, token = "" } = document.file;
    const value = { path, version, token, ...found };
    return next === undefined ? value : { ...value, cursor: await here.cursor({ ...next } as Json) };
  },
  text({ token, left, cursor: next, json, cut, matches = [], notices }, _input, room) {
    const more = next === undefined ? undefined : moreLine(left ?? "More", next);
    const one = json === undefined ? [] : cut === undefined ? [oneLine(json)] : [oneLine(json), cut];
    const content = [...one, ...matchLines(matches, room - RESERVED - notices.join("\n").length)];
    return textOfRead(token, more, [...content, ...notices].join("\n"));
  },
});

function pageAt(
  ctx: ReadCtx,
  document: JsonDocument,
  query: JsonPath,
  place: Place | undefined,
  room: number,
): Promise<Page> {
  if (!query.singular) {
    const from = place !== undefined && "matches" in place ? place.matches : 0;
    return matchesFrom(ctx, document, query, from, room);
  }
  if (place === undefined) return firstLook(ctx, document, query, room);
  if ("byte" in place) return literalFrom(ctx, document, query, place.byte, room);
  return membersFrom(ctx, document, query, "members" in place ? place.members : 0, room);
}

async function matchesFrom(
  ctx: ReadCtx,
  document: JsonDocument,
  query: JsonPath,
  offset: number,
  room: number,
): Promise<Page> {
  const limit = ctx.limits.jsonPageMatches;
  const { matches, next, ...about } = await matchPage(ctx, document, query, {
    offset,
    limit,
    room: room - NOTICES,
  });
  if (matches.length === 0 && about.end === "complete")
    throw new HoldfastError(
      "not_found",
      "path_not_found",
      sayAll([say`Nothing matches ${pathAsGiven(query.text) as Shown}.`, ...about.warnings], " "),
    );
  const found = { matches, notices: queryNotices(about), left: "More matches" };
  return next === undefined ? { found } : { found, next: { matches: next } };
}

async function oneValue(
  ctx: ReadCtx,
  { source, indexes }: JsonDocument,
  query: JsonPath,
  room: number,
): Promise<JsonGot & { readonly path: string }> {
  const options = { budget: room, indexes, pauseEvery: PAUSE_EVERY };
  return (await runPaced(getJsonSteps(source, query, options), ctx.signal)) as JsonGot & { path: string };
}

async function firstLook(ctx: ReadCtx, document: JsonDocument, query: JsonPath, room: number): Promise<Page> {
  const got = await oneValue(ctx, document, query, room);
  if (got.kind === "matches") throw new RangeError("a path to one place matched several");
  const { kind, path, value, duplicates } = got;
  if (kind !== "object" && kind !== "array" && value.cuts.length > 0)
    return literalFrom(ctx, document, query, 0, room);
  const cut = previewText(value, room).slice(value.text.length + 1);
  const own = shortPath(singularPath(parseJsonPath(path, { maxLength: Infinity })) ?? []);
  const notices = [
    ...(duplicates === undefined ? [] : [`[The key occurs ${duplicates} times; this is the last]`]),
    ...(value.totals.key > 0 ? [KEY_CUT] : []),
  ];
  const found = { json_path: path, kind, json: value.text, notices, ...(cut === "" ? {} : { cut }) };
  const hidden = value.cuts.find(
    (cut) => cut.path === own && cut.unnamed !== true && (cut.kind === "items" || cut.kind === "keys"),
  )?.count;
  if (hidden === undefined) return { found };
  const { source, indexes } = document;
  const keys = listKeysSteps(source, query, { limit: 0, indexes, pauseEvery: PAUSE_EVERY });
  const { total } = await runPaced(keys, ctx.signal);
  const left = kind === "array" ? plural(hidden, "more item") : plural(hidden, "more key");
  return { found: { ...found, left }, next: { members: total - hidden } };
}

/** The members of a container after the first `offset`, one a line. */
async function membersFrom(
  ctx: ReadCtx,
  document: JsonDocument,
  query: JsonPath,
  offset: number,
  room: number,
): Promise<Page> {
  const maxLength = Infinity;
  const all = parseJsonPath(`${query.text.trimEnd()}[*]`, { maxLength });
  const page = await matchesFrom(ctx, document, all, offset, room);
  return page.next === undefined || !("matches" in page.next)
    ? { found: page.found }
    : { found: { ...page.found, left: "More members" }, next: { members: page.next.matches } };
}

/** The literal of a scalar from a byte on. */
async function literalFrom(
  ctx: ReadCtx,
  document: JsonDocument,
  query: JsonPath,
  from: number,
  room: number,
): Promise<Page> {
  const got = await oneValue(ctx, document, query, room);
  if (got.kind === "matches") throw new RangeError("a path to one place matched several");
  const { kind, path, start, end } = got;
  const isText = kind === "string";
  const [first, last] = isText ? [start + 1, end - 1] : [start, end];
  const { text, bytes } = literalPiece(document.source, first + from, last, room - NOTICES);
  const shown = isText ? `"${text}"` : text;
  const notices = from === 0 ? [] : [`[The ${kind} goes on from byte ${from}]`];
  const found = { json_path: path, kind, json: shown, notices };
  const left = last - first - from - bytes;
  if (left === 0) return { found };
  return {
    found: { ...found, left: `${plural(left, "more byte")} of the ${kind}` },
    next: { byte: from + bytes },
  };
}
