// Owns: read_file: a file's text by lines, or its bytes in base64, as much as the budget allows.

import { z } from "zod";
import { HoldfastError, say } from "../../errors.ts";
import type { WorkspacePath } from "../../path/index.ts";
import type { FileInfo } from "../../session/files/workspace.ts";
import { countLines, cutText, encodeBase64, type ByteSource } from "../../text/index.ts";
import { paging } from "../paging.ts";
import { defineTool, fileTarget, type ReadCtx, type Tool } from "../tool.ts";
import { countNewlines, isText, lineStart } from "./_scan.ts";
import { plural } from "../../text/plural.ts";

const input = z.object({
  path: z.string(),
  offset: z.int().min(1).optional().describe("First line, from 1"),
  limit: z.int().min(1).optional().describe("Lines to read"),
  ...paging,
});

const output = z.object({
  path: z.string(),
  encoding: z.string().nullable(),
  size_bytes: z.int(),
  version: z.int(),
  created_at: z.string(),
  updated_at: z.string(),
  token: z.string(),
  /** Exactly one of the two: text for text, base64 for anything else. */
  content: z.string().optional(),
  content_base64: z.string().optional(),
  /** Lines that `content` holds, from 1, the last one included; absent for bytes. */
  first_line: z.int().optional(),
  last_line: z.int().optional(),
  /** Bytes after what is shown. */
  bytes_left: z.int(),
  lines_left: z.int().optional(),
  cursor: z.string().optional(),
});

type Output = z.output<typeof output>;

/** Where a page begins. A page can begin inside a line that was too long for the one before; pages of bytes have line 0. */
interface Place {
  readonly [key: string]: number;
  readonly at: number;
  readonly line: number;
}

/** Characters kept free for the first and the last line of the text. */
const RESERVED = 700;
const BYTES_PER_CHAR = 4;
/** Lines left are counted only in files up to this size; beyond, the bytes left say enough. */
const COUNTED_BYTES = 64 * 1024 * 1024;

export const readFile: Tool = defineTool({
  name: "read_file",
  toolset: "files",
  access: "read",
  title: "Read a file",
  description:
    "Reads a text file by lines (bytes come as base64), with its version and token. Long files come in pages: go on with the cursor.",
  input,
  output,
  resolve: ({ path, ...rest }, ctx) => ({ ...rest, path: ctx.path(path, "file") }),
  targets: ({ path }) => [fileTarget(path)],
  async run(ctx, { path, offset, limit, cursor }) {
    const resumed = cursor === undefined ? undefined : await ctx.resume(cursor);
    const here = resumed?.ctx ?? ctx;
    const source = await here.files.open(path);
    const file = (await here.files.stat(path)) as FileInfo;
    const room = Math.max(1, ctx.budget - RESERVED);
    const place = resumed?.place as Place | undefined;
    if (place?.line === 0 || !(await isText(source, file.encoding, ctx.signal)))
      return bytesPage(here, file, source, place?.at ?? 0, room);
    const start = place ?? (await startOf(source, path, offset ?? 1, ctx.signal));
    return (
      (await textPage(here, file, source, start, room, limit, ctx.signal)) ??
      bytesPage(here, file, source, start.at, room)
    );
  },
  text(page) {
    const { path, size_bytes: size, version, token, cursor } = page;
    const where =
      page.content === undefined
        ? `${page.encoding === "utf-8" ? "not valid utf-8" : (page.encoding ?? "binary")}, base64`
        : page.last_line === 0
          ? "empty"
          : `lines ${page.first_line ?? 1}-${page.last_line ?? 1}`;
    const head = `${path} (${where}, ${plural(size, "byte")}, version ${version}, token ${token})`;
    if (cursor === undefined) return `${head}\n${page.content ?? page.content_base64 ?? ""}`;
    const left = page.lines_left === undefined ? "" : `${plural(page.lines_left, "line")}, `;
    const content = page.content ?? page.content_base64 ?? "";
    return `${head}\n[Cut: ${left}${plural(page.bytes_left ?? 0, "byte")} left. Call again with cursor ${JSON.stringify(cursor)}]\n${content}`;
  },
});

async function startOf(
  source: ByteSource,
  path: WorkspacePath,
  line: number,
  signal: AbortSignal,
): Promise<Place> {
  const found = await lineStart(source, line, signal);
  if ("at" in found) return { at: found.at, line };
  throw new HoldfastError(
    "invalid_argument",
    "offset_past_end",
    say`${path} has ${found.lines} lines, so there is no line ${line}. Read from line 1 to ${found.lines}.`,
    { data: { lines: found.lines } },
  );
}

function metaOf(
  file: FileInfo,
): Pick<Output, "path" | "encoding" | "size_bytes" | "version" | "created_at" | "updated_at" | "token"> {
  const { path, encoding, size_bytes, version, created_at: created, updated_at: updated } = file;
  return {
    path,
    encoding,
    size_bytes,
    version,
    created_at: created.toISOString(),
    updated_at: updated.toISOString(),
    // A read sees only what is committed.
    token: file.token ?? "",
  };
}

/** Undefined when what it would show is no text, whatever the file claims to be. */
async function textPage(
  ctx: ReadCtx,
  file: FileInfo,
  source: ByteSource,
  start: Place,
  room: number,
  limit: number | undefined,
  signal: AbortSignal,
): Promise<Output | undefined> {
  const window = new Uint8Array(Math.min(source.size - start.at, room * BYTES_PER_CHAR + BYTES_PER_CHAR));
  source.read(start.at, window, 0, window.length);
  const decoded = decodeStrictly(window, start.at + window.length < source.size);
  if (decoded === undefined) return undefined;
  const content = firstLines(cutText(decoded, room).text, limit);
  const end = start.at + new TextEncoder().encode(content).length;
  const lines = countLines(content);
  const page = {
    ...metaOf(file),
    content,
    first_line: start.line,
    last_line: lines === 0 ? 0 : start.line + lines - 1,
    bytes_left: source.size - end,
  };
  if (end === source.size || (limit !== undefined && lines === limit && content.endsWith("\n"))) return page;
  const next = content.endsWith("\n") ? start.line + lines : start.line + lines - 1;
  const left = source.size <= COUNTED_BYTES ? await countNewlines(source, end, signal) : undefined;
  return {
    ...page,
    ...(left === undefined ? {} : { lines_left: left }),
    cursor: await ctx.cursor({ at: end, line: next }),
  };
}

/** The text of bytes, of which the last character may be cut if more follow. */
function decodeStrictly(bytes: Uint8Array, more: boolean): string | undefined {
  try {
    return new TextDecoder("utf-8", { ignoreBOM: true, fatal: true }).decode(bytes, { stream: more });
  } catch {
    return undefined;
  }
}

function firstLines(text: string, limit: number | undefined): string {
  if (limit === undefined) return text;
  let end = 0;
  for (let lines = 0; lines < limit; lines++) {
    const newline = text.indexOf("\n", end);
    if (newline < 0) return text;
    end = newline + 1;
  }
  return text.slice(0, end);
}

async function bytesPage(
  ctx: ReadCtx,
  file: FileInfo,
  source: ByteSource,
  start: number,
  room: number,
): Promise<Output> {
  // Whole groups of three bytes, so that pages joined together are still base64.
  const most = Math.max(3, Math.floor(room / 4) * 3);
  const bytes = new Uint8Array(Math.min(source.size - start, most));
  source.read(start, bytes, 0, bytes.length);
  const end = start + bytes.length;
  const page = { ...metaOf(file), content_base64: encodeBase64(bytes), bytes_left: source.size - end };
  return end === source.size ? page : { ...page, cursor: await ctx.cursor({ at: end, line: 0 }) };
}
