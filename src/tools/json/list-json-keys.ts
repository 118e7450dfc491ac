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
  text({ token, more, cursor: next, ...listed }, { json_path: jsonPath = "$" }) {
    const left = next === undefined ? undefined : moreLine(plural(more ?? 0, "more key"), next);
    return textOfRead(token, left, keysLine(listed, pathAsGiven(jsonPath)) + warningOf(listed.keys));
  },
});

function countFitting(keys: readonly JsonKey[], room: number): number {
  let size = warningOf(keys).length;
  const over = keys.findIndex((key) => (size += entry(key).length + 2) > room);
  return over < 0 ? keys.length : Math.max(1, over);
}

/** A line for keys that no path can name, where there are some. */
function warningOf(keys: Readonly<Output["keys"]>): string {
  const unnamed = keys.filter((key) => key.unnamed === true).length;
  return unnamed === 0 ? "" : `\n[Warning] ${unnamedKeysText(unnamed)}`;
}

/** Longer keys are cut in a line; their value has them whole. */
const LONGEST_KEY = 200;

function entry({ name, kind }: { readonly name: string; readonly kind: string }): string {
  return `${showName(name, LONGEST_KEY)} (${kind})`;
}

function keysLine({ kind, total, keys }: Pick<Output, "kind" | "total" | "keys">, path: string): string {
  if (kind === "array") return `[Array with ${plural(total, "item")}]`;
  if (kind !== "object") return `${path} is ${kind === "null" ? "null" : `a ${kind}`}: it has no keys`;
  return `Keys at ${path}: ${total === 0 ? "none" : keys.map(entry).join(", ")}`;
}
