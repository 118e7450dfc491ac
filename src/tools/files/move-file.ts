// Owns: move_file and copy_file: one file, or all files of a directory, under another path.

import { z } from "zod";
import type { WorkspacePath } from "../../path/index.ts";
import { Pacer } from "../../text/steps.ts";
import { plural } from "../../text/plural.ts";
import { withToken } from "../token-line.ts";
import { defineTool, fileTarget, type ReadCtx, type Tool, type WriteCtx } from "../tool.ts";
import { fileFacts } from "./_file-facts.ts";
import { movesOf, named, namedTarget, type Named } from "./_subtree.ts";

const input = z.object({
  source: z.string(),
  destination: z.string().describe("Its whole new path"),
});

const output = z.object({
  source: z.string(),
  destination: z.string(),
  files: z.int(),
  is_directory: z.boolean(),
  /** Of a single file. */
  version: z.int().optional(),
  size_bytes: z.int().optional(),
  token: z.string().optional(),
});

type Output = z.output<typeof output>;

interface Request {
  readonly from: Named;
  readonly to: WorkspacePath;
}

async function resolve(sent: z.output<typeof input>, ctx: ReadCtx): Promise<Request> {
  return { from: await named(sent.source, ctx), to: ctx.path(sent.destination, "any") };
}

async function move(ctx: WriteCtx, request: Request): Promise<Output> {
  const moves = await movesOf(ctx, request, "write");
  await ctx.files.moveAll(moves);
  return done(ctx, request, moves.length);
}

async function copy(ctx: WriteCtx, request: Request): Promise<Output> {
  const pace = new Pacer(ctx.signal);
  const copies = await movesOf(ctx, request, "read");
  for (const { from, to } of copies) {
    await ctx.files.copy(from, to);
    await pace.step();
  }
  return done(ctx, request, copies.length);
}

async function done({ files }: WriteCtx, { from, to }: Request, count: number): Promise<Output> {
  const file = await files.stat(to);
  return {
    source: from.path,
    destination: to,
    files: count,
    is_directory: from.isDirectory,
    ...(file === undefined ? {} : { version: file.version, size_bytes: file.size_bytes }),
  };
}

function text(
  verb: string,
  { source, destination, files, version, size_bytes: size, token }: Output,
): string {
  const facts =
    version === undefined || size === undefined
      ? plural(files, "file")
      : fileFacts({ size_bytes: size, version });
  return withToken(`${verb} ${source} to ${destination} (${facts})`, token);
}

export const moveFile: Tool = defineTool({
  name: "move_file",
  toolset: "files",
  access: "write",
  destructive: false,
  title: "Move a file",
  description: "Moves or renames a file or directory. Never overwrites; history and blame follow it.",
  input,
  output,
  resolve,
  targets: ({ from, to }) => [namedTarget(from), { ...fileTarget(to), pin: "optional" }],
  run: (ctx, request) => move(ctx, request),
  text: (value) => text("Moved", value),
});

export const copyFile: Tool = defineTool({
  name: "copy_file",
  toolset: "files",
  access: "write",
  destructive: false,
  title: "Copy a file",
  description: "Copies a file or directory. Never overwrites.",
  input,
  output,
  resolve,
  targets: ({ from, to }) => [
    { ...namedTarget(from), pin: "read" },
    { ...fileTarget(to), pin: "optional" },
  ],
  run: (ctx, request) => copy(ctx, request),
  text: (value) => text("Copied", value),
});
