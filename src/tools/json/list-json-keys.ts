// Owns: list_json_keys: the keys of an object with the kinds of their values.

import { z } from "zod";
import { listKeysSteps, unnamedKeysText, type JsonKey } from "../../json/index.ts";
import { showName } from "../../text/index.ts";
import { plural } from "../../text/plural.ts";
import { runPaced } from "../../text/steps.ts";
import { defineTool, fileTarget, type Tool } from "../tool.ts";
import { paging } from "../paging.ts";
import { askedFor, pathAsGiven } from "./_arguments.ts";
import { openValid, PAUSE_EVERY } from "./_document.ts";
import { KEY_CUT } from "./_matches.ts";
import { moreLine, textOfRead, RESERVED } from "./_lines.ts";

const input = z.object({
  path: z.string(),
  json_path: z.string().optional().describe("$ unless given"),
  ...paging,
});

const output = z.object({
  path: z.string(),
  json_path: z.string(),
  version: z.int(),
  token: z.string(),
  kind: z.string(),
  /** Keys of the object or items of the array, in all. */
  total: z.int(),
  /** `unnamed`: no path can name the key. */
  keys: z.array(z.object({ name: z.string(), kind: z.string(), unnamed: z.literal(true).optional() })),
  more: z.int().optional(),
  cursor: z.string().optional(),
});

type Output = z.output<typeof output>;

export const listJsonKeysTool: Tool = defineTool({
  name: "list_json_keys",
  toolset: "json",
  access: "read",
  title: "List JSON keys",
  description: "Lists the keys at a JSONPath with their types; of an array its length.",
  input,
  output,
  resolve: ({ path, json_path: jsonPath = "$", cursor: from }, ctx) => ({
    ...askedFor(ctx, path, jsonPath),
    room: ctx.budget - RESERVED - pathAsGiven(jsonPath).length,
    cursor: from,
  }),
  targets: ({ path }) => [fileTarget(path)],
  async run(ctx, { path, query, room, cursor: from }): Promise<Output> {
    const { ctx: here, place } = from === undefined ? { ctx, place: 0 } : await ctx.resume(from);
    const { file, source, indexes } = await openValid(here, path);
    const offset = Number(place);
    // No key takes fewer characters than these: `a (null), `.
    const options = { offset, limit: Math.ceil(room / 10), indexes, pauseEvery: PAUSE_EVERY };
    const listed = await runPaced(listKeysSteps(source, query, options), ctx.signal);
    const { kind, total } = listed;
    const keys = listed.keys.slice(0, countFitting(listed.keys, room));
    const { version, token = "" } = file;
    const found = { path, json_path: listed.path, version, token, kind, total, keys };
    const more = kind === "object" ? total - offset - keys.length : 0;
    return more <= 0 ? found : { ...found, more, cursor: await here.cursor(offset + keys.length) };
  },
  text({ token, more, cursor: next, ...listed }, { json_path: jsonPath = "$" }, budget) {
    const left = next === undefined ? undefined : moreLine(plural(more ?? 0, "more key"), next);
    const path = pathAsGiven(jsonPath);
    const longest = longestKey(budget - RESERVED - path.length);
    const cut = listed.keys.some(({ name }) => name.length > longest) ? `\n${KEY_CUT}` : "";
    return textOfRead(token, left, keysLine(listed, path, longest) + cut + warningOf(listed.keys));
  },
});

function countFitting(keys: readonly JsonKey[], room: number): number {
  let size = warningOf(keys).length;
  const longest = longestKey(room);
  const over = keys.findIndex((key) => (size += entry(key, longest).length + 2) > room);
  return over < 0 ? keys.length : Math.max(1, over);
}

/** A line for keys that no path can name, where there are some. */
function warningOf(keys: Readonly<Output["keys"]>): string {
  const unnamed = keys.filter((key) => key.unnamed === true).length;
  return unnamed === 0 ? "" : `\n[Warning] ${unnamedKeysText(unnamed)}`;
}

/** Only a key that alone is longer than a page is cut. */
function longestKey(room: number): number {
  return Math.max(100, room - KEY_CUT.length - KEY_FACTS);
}

/** Room for the kind of a key, and for what is said where it is cut. */
const KEY_FACTS = 60;

function entry({ name, kind }: { readonly name: string; readonly kind: string }, longest: number): string {
  return `${showName(name, longest)} (${kind})`;
}

function keysLine(
  { kind, total, keys }: Pick<Output, "kind" | "total" | "keys">,
  path: string,
  longest: number,
): string {
  if (kind === "array") return `[Array with ${plural(total, "item")}]`;
  if (kind !== "object") return `${path} is ${kind === "null" ? "null" : `a ${kind}`}: it has no keys`;
  return `Keys at ${path}: ${total === 0 ? "none" : keys.map((key) => entry(key, longest)).join(", ")}`;
}
