// Owns: read_file: one file, or several under one budget.

import { z } from "zod";
import { HoldfastError, say } from "../../errors.ts";
import type { WorkspacePath } from "../../path/index.ts";
import { plural } from "../../text/plural.ts";
import { paging } from "../paging.ts";
import { defineTool, fileTarget, type ReadCtx, type Tool } from "../tool.ts";
import { filePage, pageText, type FilePage, type PageRequest } from "./_file-page.ts";

const MOST_PATHS = 20;

const input = z.object({
  path: z.string().optional(),
  paths: z.array(z.string()).min(1).max(MOST_PATHS).optional().describe("Up to 20 files instead of path"),
  offset: z.int().min(1).optional().describe("First line, from 1"),
  limit: z.int().min(1).optional().describe("Lines to read"),
  line_numbers: z.boolean().optional(),
  ...paging,
});

/** A {@link FilePage}. */
const filePageShape = z.object({
  path: z.string(),
  encoding: z.string().nullable(),
  size_bytes: z.int(),
  version: z.int(),
  created_at: z.string(),
  updated_at: z.string(),
  token: z.string(),
  content: z.string().optional(),
  content_base64: z.string().optional(),
  mime_type: z.string().optional(),
  first_line: z.int().optional(),
  last_line: z.int().optional(),
  lines: z.int().optional().describe("Lines of the whole file"),
  endings: z.enum(["crlf", "mixed"]).optional(),
  bom: z.boolean().optional(),
  bytes_left: z.int(),
  lines_left: z.int().optional(),
  cursor: z.string().optional(),
});

/** One file's fields, or `files` where several were asked for. */
const output = filePageShape.partial().extend({
  files: z.array(filePageShape).optional(),
  /** Files that did not fit. */
  left_out: z.array(z.object({ path: z.string(), size_bytes: z.int() })).optional(),
  refused: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
});

type Output = z.output<typeof output>;

/** Characters kept free for the lines about a file. */
const RESERVED = 700;

export const readFile: Tool = defineTool({
  name: "read_file",
  toolset: "files",
  access: "read",
  title: "Read a file",
  description:
    "Reads text by lines (images as images, other bytes as base64), after a line with token, version and size. Long files come in pages, with a cursor.",
  input,
  output,
  resolve: ({ path, paths, ...rest }, ctx) => {
    if ((path === undefined) === (paths === undefined))
      throw new HoldfastError(
        "invalid_argument",
        "path_choice",
        say`Send either path or paths, exactly one of them.`,
      );
    const all = paths === undefined ? [path ?? ""] : [...new Set(paths)];
    return { ...rest, paths: all.map((one) => ctx.path(one, "file")), isSingle: path !== undefined };
  },
  targets: ({ paths }) => paths.map(fileTarget),
  run(ctx, { paths, isSingle, ...how }): Promise<Output> {
    const [path] = paths;
    if (!isSingle || path === undefined) return manyFiles(ctx, paths, how);
    return filePage(ctx, { ...how, path }, roomIn(ctx.budget));
  },
  images: (value) => pagesOf(value).flatMap(imageOf),
  text(value, { line_numbers: numbered = false }) {
    const { left_out: left = [], refused = [] } = value;
    const notes = [
      ...refused.map(({ message }) => `[Not read: ${message}]`),
      ...left.map(
        ({ path, size_bytes: size }) => `[Did not fit: ${path}, ${plural(size, "byte")}. Read it by itself]`,
      ),
    ];
    return [...notes, ...pagesOf(value).map((page) => pageText(page, numbered))].join("\n");
  },
});

function roomIn(budget: number): number {
  return Math.max(1, budget - RESERVED);
}

function pagesOf(value: Output): readonly FilePage[] {
  return value.files ?? [value as FilePage];
}

function imageOf({
  mime_type: mimeType,
  content_base64: base64,
}: FilePage): { mimeType: string; base64: string }[] {
  return mimeType === undefined || base64 === undefined ? [] : [{ mimeType, base64 }];
}

/** Whole files as long as they fit; what does not fit, or cannot be read, is named. */
async function manyFiles(
  ctx: ReadCtx,
  paths: readonly WorkspacePath[],
  how: Omit<PageRequest, "path">,
): Promise<Output> {
  const files: FilePage[] = [];
  const left: { path: string; size_bytes: number }[] = [];
  const refused: { path: string; message: string }[] = [];
  let room = roomIn(ctx.budget);
  for (const path of paths) {
    const page = await filePage(ctx, { ...how, path }, Math.max(1, room)).catch((error: unknown) => {
      if (!HoldfastError.is(error) || error.code === "forbidden" || error.reason === "aborted") throw error;
      refused.push({ path, message: error.message });
    });
    if (page === undefined) continue;
    const size = pageText(page, how.line_numbers ?? false).length + 1;
    if (page.cursor !== undefined || size > room) left.push({ path, size_bytes: page.size_bytes });
    else {
      room -= size;
      files.push(page);
    }
  }
  return {
    files,
    ...(left.length === 0 ? {} : { left_out: left }),
    ...(refused.length === 0 ? {} : { refused }),
  };
}
