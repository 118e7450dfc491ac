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

/** Characters reserved for the lines about a file, beside a long path. */
const RESERVED = 500;
const USUAL_PATH = 200;

export const readFile: Tool = defineTool({
  name: "read_file",
  toolset: "files",
  access: "read",
  title: "Read a file",
  description:
    "Reads text by lines (images as images, other bytes as base64), after a line with token, version and size. Long files come in pages, with a cursor.",
  input,
  output,
  resolve: async ({ path, paths, ...rest }, ctx) => {
    if ((path === undefined) === (paths === undefined))
      throw new HoldfastError(
        "invalid_argument",
        "path_choice",
        say`Send either path or paths, exactly one of them.`,
      );
    if (path !== undefined) return { ...rest, path: ctx.path(path, "file"), named: [], refused: [] };
    return { ...rest, path, ...(await pathsNamed(ctx, paths ?? [])) };
  },
  targets: ({ path, named }) => (path === undefined ? named : [path]).map(fileTarget),
  run(ctx, { path, named, refused, ...how }): Promise<Output> {
    if (path === undefined) return manyFiles(ctx, named, refused, how);
    return filePage(ctx, { ...how, path }, roomIn(ctx.budget, path));
  },
  refuses: ({ refused = [] }) => refused.length > 0,
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

function roomIn(budget: number, path = ""): number {
  return Math.max(1, budget - RESERVED - Math.max(USUAL_PATH, path.length));
}

interface NotRead {
  readonly path: string;
  readonly message: string;
}

/** Several files that are named together: one that cannot be named, or is hidden, does not keep the others from being read. */
async function pathsNamed(
  ctx: ReadCtx,
  sent: readonly string[],
): Promise<{ readonly named: readonly WorkspacePath[]; readonly refused: readonly NotRead[] }> {
  const named = new Set<WorkspacePath>();
  const refused = new Map<string, NotRead>();
  for (const text of sent) {
    try {
      const path = ctx.path(text, "file");
      await ctx.files.stat(path);
      named.add(path);
    } catch (error) {
      if (!HoldfastError.is(error)) throw error;
      refused.set(text, { path: text, message: error.message });
    }
  }
  return { named: [...named], refused: [...refused.values()] };
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
  unnamed: readonly NotRead[],
  how: Omit<PageRequest, "path">,
): Promise<Output> {
  // Files that are read together come whole and have no cursor: one that is sent is of another call.
  if (how.cursor !== undefined) await ctx.resume(how.cursor);
  const files: FilePage[] = [];
  const left: { path: string; size_bytes: number }[] = [];
  const refused = [...unnamed];
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
