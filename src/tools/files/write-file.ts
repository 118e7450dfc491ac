// Owns: write_file: create, overwrite or append to one file.

import { z } from "zod";
import { HoldfastError, say, type Shown } from "../../errors.ts";
import type { FileInfo } from "../../session/files/workspace.ts";
import type { WorkspacePath } from "../../path/index.ts";
import { withToken } from "../token-line.ts";
import { defineTool, fileTarget, type Tool, type WriteCtx } from "../tool.ts";
import { readContent, SPLIT_CONTENT } from "./_content.ts";
import { fileFacts } from "./_file-facts.ts";
import { hunkText } from "./_hunk-text.ts";

const MODES = ["create", "overwrite", "append", "upsert"] as const;

const input = z.object({
  path: z.string().describe("Such as /workspace/src/a.txt"),
  content: z.string().optional().describe("Text"),
  content_base64: z.string().optional().describe("Bytes, instead of content"),
  mode: z
    .enum(MODES)
    .default("create")
    .describe("create refuses an existing file; upsert creates or overwrites"),
  encoding: z.string().optional().describe("A hint: utf-8, binary, ..."),
});

const output = z.object({
  path: z.string(),
  mode: z.enum(MODES),
  created: z.boolean(),
  version: z.int(),
  size_bytes: z.int(),
  encoding: z.string().nullable(),
  /** What changed of a file that existed. */
  hunk: z.string().optional(),
  token: z.string().optional(),
});

/** Bytes of hunks that a result shows: the caller knows what it sent. */
const HUNK_BYTES = 600;

export const writeFile: Tool = defineTool({
  name: "write_file",
  toolset: "files",
  access: "write",
  oneTarget: true,
  title: "Write a file",
  description:
    "Creates a file with its directories, overwrites one, or appends to one. For changes in a file use edit_file.",
  base64: ["content_base64"],
  split: SPLIT_CONTENT,
  input,
  output,
  resolve: ({ path, ...rest }, ctx) => ({ ...rest, path: ctx.path(path, "file") }),
  targets: ({ path }) => [fileTarget(path)],
  async run(ctx, { path, mode, encoding: said, ...sent }): Promise<z.output<typeof output>> {
    const content = readContent(sent, ctx.limits);
    const how = await doneBy(ctx, path, mode);
    const file: FileInfo = await ctx.files[how](path, content, { encoding: said }).catch(sayCreate);
    const { version, size_bytes, encoding } = file;
    const done = { path, mode, created: how === "create", version, size_bytes, encoding };
    return done.created ? done : { ...done, hunk: await hunkText(ctx.files, path, HUNK_BYTES) };
  },
  text({ path, mode, created, hunk = "", token, ...file }) {
    const verb = created ? "Created" : mode === "append" ? "Appended to" : "Overwrote";
    return withToken(`${verb} ${path} (${fileFacts(file)})${hunk === "" ? "" : `\n${hunk}`}`, token);
  },
});

/** With a version an upsert is an overwrite: the caller means the file that it saw. */
async function doneBy(
  ctx: WriteCtx,
  path: WorkspacePath,
  mode: (typeof MODES)[number],
): Promise<"create" | "replace" | "append"> {
  if (mode === "overwrite") return "replace";
  if (mode !== "upsert") return mode;
  const exists = ctx.isPinned(fileTarget(path)) || (await ctx.files.stat(path)) !== undefined;
  return exists ? "replace" : "create";
}

/** A file that is not there is not only looked for: it may be what the caller wants to make. */
function sayCreate(error: unknown): never {
  if (!HoldfastError.is(error) || error.reason !== "no_such_file") throw error;
  throw new HoldfastError(
    error.code,
    "no_such_file",
    say`${error.message as Shown} To make it, use mode "create".`,
  );
}
