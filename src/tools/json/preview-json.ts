// Owns: preview_json: the shape and the first values of a document.

import { z } from "zod";
import { MAX_PREVIEW_DEPTH, PREVIEW_DEPTH, previewJsonSteps, previewText } from "../../json/index.ts";
import { runPaced } from "../../text/steps.ts";
import { defineTool, fileTarget, type Tool } from "../tool.ts";

import { openValid, PAUSE_EVERY } from "./_document.ts";
import { budget } from "../paging.ts";
import { textOfRead, RESERVED } from "./_lines.ts";
import { KEY_CUT } from "./_matches.ts";

const input = z.object({
  path: z.string(),
  max_depth: z.int().min(0).max(MAX_PREVIEW_DEPTH).default(PREVIEW_DEPTH),
  budget,
});

const output = z.object({
  path: z.string(),
  version: z.int(),
  token: z.string(),
  /** Valid JSON, with markers where something was cut. */
  preview: z.string(),
  /** What was cut, where and how much, and that keys have no path; absent when there is nothing to say. */
  cut: z.string().optional(),
});

export const previewJsonTool: Tool = defineTool({
  name: "preview_json",
  toolset: "json",
  access: "read",
  title: "Preview JSON",
  description: "Shows a JSON file cut to max_depth, and what is left out.",
  input,
  output,
  resolve: ({ path, max_depth: maxDepth }, ctx) => ({ path: ctx.path(path, "file"), maxDepth }),
  targets: ({ path }) => [fileTarget(path)],
  async run(ctx, { path, maxDepth }) {
    const { file, source, indexes } = await openValid(ctx, path);
    const room = ctx.budget - RESERVED;
    const options = {
      maxDepth,
      budget: room,
      indexes,
      pauseEvery: PAUSE_EVERY,
    };
    const preview = await runPaced(previewJsonSteps(source, options), ctx.signal);
    const cuts = previewText(preview, room).slice(preview.text.length + 1);
    const cut = preview.totals.key > 0 ? `${cuts}\n${KEY_CUT}` : cuts;
    const { version, token = "" } = file;
    return { path, version, token, preview: preview.text, ...(cut === "" ? {} : { cut }) };
  },
  text: ({ token, preview, cut }) =>
    textOfRead(token, undefined, cut === undefined ? preview : `${preview}\n${cut}`),
});
