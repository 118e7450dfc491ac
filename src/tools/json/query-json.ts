// Owns: query_json: every value that a JSONPath query selects, in pages.

import { z } from "zod";
import { defineTool, fileTarget, type Tool } from "../tool.ts";
import { paging } from "../paging.ts";
import { askedFor, pathAsGiven } from "./_arguments.ts";
import { openValid } from "./_document.ts";
import { moreLine, textOfRead, RESERVED } from "./_lines.ts";
import { match, matchLines, queryNotices, matchPage } from "./_matches.ts";

const input = z.object({
  path: z.string(),
  json_path: z.string().describe("RFC 9535: $..name, $.users[?@.age > 18]"),
  limit: z.int().min(1).optional(),
  ...paging,
});

const output = z.object({
  path: z.string(),
  version: z.int(),
  token: z.string(),
  matches: z.array(match),
  /** `complete`, `matches` (there are more), or `steps` or `time`: stopped early. */
  end: z.string(),
  warnings: z.array(z.string()),
  cursor: z.string().optional(),
});

/** Characters for what is said about a query besides its matches. */
const NOTICES = 400;

export const queryJsonTool: Tool = defineTool({
  name: "query_json",
  toolset: "json",
  access: "read",
  title: "Query JSON",
  description: "Lists all values that a JSONPath query selects, each with its path.",
  input,
  output,
  resolve: ({ path, json_path: jsonPath, limit, cursor: from }, ctx) => ({
    ...askedFor(ctx, path, jsonPath),
    limit,
    cursor: from,
  }),
  targets: ({ path }) => [fileTarget(path)],
  async run(ctx, { path, query, limit, cursor: from }) {
    const { ctx: here, place } = from === undefined ? { ctx, place: 0 } : await ctx.resume(from);
    const document = await openValid(here, path);
    const { next, ...page } = await matchPage(ctx, document, query, {
      offset: Number(place),
      limit: Math.min(limit ?? Infinity, ctx.limits.jsonPageMatches),
      room: ctx.budget - RESERVED - NOTICES,
    });
    const { version, token = "" } = document.file;
    const found = { path, version, token, ...page };
    return next === undefined ? found : { ...found, cursor: await here.cursor(next) };
  },
  text({ token, matches, cursor: next, ...about }, { json_path: jsonPath }, room) {
    const notices = queryNotices(about);
    const lines = matchLines(matches, room - RESERVED - notices.join("\n").length);
    const none = next === undefined ? `No match for ${pathAsGiven(jsonPath)}` : "";
    const content = matches.length === 0 ? [none] : lines;
    const more = next === undefined ? undefined : moreLine("More matches", next);
    return textOfRead(token, more, [...content, ...notices].join("\n"));
  },
});
