// Owns: write_file: create, overwrite or append to one file.

import { z } from "zod";
import { HoldfastError, say } from "../../errors.ts";
import type { WorkspacePath } from "../../path/index.ts";
import { creationKeys, fileKey } from "../../session/files/file-keys.ts";
import { bodyOf, filesSlice } from "../../session/files/files-slice.ts";
import type { FileEntry } from "../../session/files/file-state.ts";
import { firstBadUtf8 } from "../../text/index.ts";
import { defineTool, type Tool, type WriteCtx } from "../tool.ts";
import { readBody, type Body } from "./_body.ts";
import { editContent, stageContent } from "./edit-content.ts";
import { plural } from "../../text/plural.ts";

const input = z.object({
  path: z.string().describe("Such as /workspace/src/a.txt"),
  content: z.string().optional().describe("Text"),
  content_base64: z.string().optional().describe("Bytes, instead of content"),
  mode: z.enum(["create", "overwrite", "append"]).default("create"),
  encoding: z.string().optional().describe('A hint such as "utf-8" or "binary"'),
});

const output = z.object({
  path: z.string(),
  mode: z.enum(["create", "overwrite", "append"]),
  version: z.int(),
  size_bytes: z.int(),
  encoding: z.string().nullable(),
  token: z.string().optional(),
});

const DONE = { create: "Created", overwrite: "Overwrote", append: "Appended to" } as const;

export const writeFile: Tool = defineTool({
  name: "write_file",
  toolset: "files",
  access: "write",
  title: "Write a file",
  description:
    "Create a file, overwrite one, or append to one. Directories come with the file. Answers the new version and its token.",
  input,
  output,
  resolve: ({ path, ...rest }, ctx) => ({ ...rest, path: ctx.path(path, "file") }),
  targets: ({ path }) => [{ key: fileKey(path), name: path }],
  async run(ctx, sent) {
    const { path } = sent;
    const body = readBody(sent, ctx.limits);
    if (sent.mode === "create") await create(ctx, path, body);
    else await modify(ctx, path, body, sent.mode);
    const entry = ctx.slice(filesSlice).file(path) as FileEntry;
    return {
      path,
      mode: sent.mode,
      version: entry.version,
      size_bytes: entry.content.size,
      encoding: entry.encoding,
    };
  },
  text: ({ path, mode, size_bytes: size, version, token }) =>
    `${DONE[mode]} ${path} (${plural(size, "byte")}, version ${version}${token === undefined ? "" : `, token ${token}`})`,
});

async function create(ctx: WriteCtx, path: WorkspacePath, body: Body): Promise<void> {
  ctx.depend(creationKeys(path));
  const content = await stageContent(ctx, path, body.bytes);
  ctx.change(filesSlice, {
    slice: "files",
    op: "create",
    id: ctx.slice(filesSlice).idFor(path),
    path,
    body: { content, encoding: encodingFor(body, null), executable: false },
    created: ctx.now.toISOString(),
  });
}

async function modify(
  ctx: WriteCtx,
  path: WorkspacePath,
  body: Body,
  mode: "overwrite" | "append",
): Promise<void> {
  const files = ctx.slice(filesSlice);
  const entry = files.file(path);
  if (entry === undefined) {
    if (files.isDirectory(path))
      throw new HoldfastError("conflict", "is_directory", say`${path} is a directory. Name a file in it.`);
    throw new HoldfastError(
      "not_found",
      "no_such_file",
      say`${path} does not exist, so it cannot be changed. Use mode "create".`,
    );
  }
  if (mode === "append") {
    await editContent(ctx, entry, [{ at: entry.content.size, remove: 0, insert: body.bytes }]);
    return;
  }
  const content = await stageContent(ctx, path, body.bytes);
  const { id, executable } = entry;
  const after = { content, encoding: encodingFor(body, entry.encoding), executable };
  ctx.change(filesSlice, { slice: "files", op: "replace", id, path, before: bodyOf(entry), after });
}

/** What the caller said, else what the file had, else what the bytes are; never "utf-8" for bytes that are not. */
function encodingFor(body: Body, old: string | null): string | null {
  if (body.encoding !== undefined) return body.encoding;
  const isText = firstBadUtf8(body.bytes) === undefined;
  if (old !== null && (old !== "utf-8" || isText)) return old;
  return isText ? "utf-8" : "binary";
}
