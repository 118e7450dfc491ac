// Owns: as much of one file as fits: text by lines, an image, or bytes in base64; and the line that says what it is.

import { HoldfastError, say, type Shown } from "../../errors.ts";
import type { WorkspacePath } from "../../path/index.ts";
import type { FileInfo } from "../../session/files/workspace.ts";
import {
  bomOf,
  countChars,
  countLines,
  cutText,
  encodeBase64,
  isMixed,
  lineIndexSteps,
  readBytes,
  runPaced,
  type ByteSource,
} from "../../text/index.ts";
import { plural } from "../../text/plural.ts";
import { showName } from "../../text/show.ts";
import type { ReadCtx } from "../tool.ts";
import { isTextFile, lineStart } from "./_scan.ts";

/** A part of a file, or all of it. */
export interface FilePage {
  readonly path: string;
  readonly encoding: string | null;
  readonly size_bytes: number;
  readonly version: number;
  readonly created_at: string;
  readonly updated_at: string;
  readonly token: string;
  /** Exactly one of the two: text for text, base64 for anything else. */
  readonly content?: string | undefined;
  readonly content_base64?: string | undefined;
  /** Of an image, which also comes as one of the result's `images`. */
  readonly mime_type?: string | undefined;
  /** Lines that `content` holds, from 1, the last one included; absent for bytes. */
  readonly first_line?: number | undefined;
  readonly last_line?: number | undefined;
  /** Lines of the whole file; absent where it is too large to count them. */
  readonly lines?: number | undefined;
  readonly endings?: "crlf" | "mixed" | undefined;
  readonly bom?: boolean | undefined;
  /** Bytes after what is shown. */
  readonly bytes_left: number;
  readonly lines_left?: number | undefined;
  readonly cursor?: string | undefined;
}

/** What is said of the lines of a text beside its content. */
type LineFacts = Pick<FilePage, "lines" | "endings" | "bom">;

/** Where a page begins. A page can begin inside a line that was too long for the one before; pages of bytes have line 0. */
interface Place {
  readonly [key: string]: number | Record<string, number | string | boolean>;
  readonly at: number;
  readonly line: number;
  readonly facts: Record<string, number | string | boolean>;
}

export interface PageRequest {
  readonly path: WorkspacePath;
  readonly offset?: number | undefined;
  readonly limit?: number | undefined;
  readonly line_numbers?: boolean | undefined;
  readonly cursor?: string | undefined;
}

const BYTES_PER_CHAR = 4;
/** Lines are counted only in files up to this size; beyond, the bytes say enough. */
const COUNTED_BYTES = 64 * 1024 * 1024;
const IMAGE_BYTES = 1024 * 1024;

/** The page of at most `room` characters that a request asks for. */
export async function filePage(ctx: ReadCtx, request: PageRequest, room: number): Promise<FilePage> {
  const { path, offset = 1, cursor } = request;
  const resumed = cursor === undefined ? undefined : await ctx.resume(cursor);
  const here = resumed?.ctx ?? ctx;
  const source = await here.files.open(path);
  const file = (await here.files.stat(path)) as FileInfo;
  const place = resumed?.place as Place | undefined;
  const read = { ctx: here, file, source, room };
  if (place?.line === 0 || !(await isTextFile(source, file.encoding, ctx.signal)))
    return (place === undefined ? imagePage(read) : undefined) ?? bytesPage(read, place?.at ?? 0);
  const start = place ?? (await startOf(source, path, offset, ctx.signal));
  return (await textPage(read, start, request)) ?? bytesPage(read, start.at);
}

interface Reading {
  readonly ctx: ReadCtx;
  readonly file: FileInfo;
  readonly source: ByteSource;
  readonly room: number;
}

async function startOf(
  source: ByteSource,
  path: WorkspacePath,
  line: number,
  signal: AbortSignal,
): Promise<Place> {
  const bom = bomOf(readBytes(source, 0, 4))?.encoding === "utf-8" ? { bom: true } : {};
  if (source.size > COUNTED_BYTES) {
    const found = await lineStart(source, line, signal);
    if ("at" in found) return { at: found.at, line, facts: bom };
    throw pastEnd(path, line, found.lines);
  }
  const index = await runPaced(lineIndexSteps(source), signal);
  const { lines } = index;
  if (line > Math.max(1, lines)) throw pastEnd(path, line, lines);
  const endings = isMixed(index) ? { endings: "mixed" } : index.crlf > 0 ? { endings: "crlf" } : {};
  return { at: line === 1 ? 0 : index.startOf(line), line, facts: { lines, ...endings, ...bom } };
}

/** The refusal of a line after the last one. */
export function pastEnd(path: WorkspacePath, line: number, lines: number): HoldfastError {
  const message =
    lines === 0
      ? say`${path} is empty, so there is no line ${line}. Leave offset out.`
      : say`${path} has ${plural(lines, "line") as Shown}, so there is no line ${line}. Send an offset from 1 to ${lines}.`;
  return new HoldfastError("invalid_argument", "offset_past_end", message, { data: { lines } });
}

function metaOf(
  file: FileInfo,
): Pick<FilePage, "path" | "encoding" | "size_bytes" | "version" | "created_at" | "updated_at" | "token"> {
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
  { ctx, file, source, room }: Reading,
  start: Place,
  { offset = 1, limit, line_numbers: numbered = false }: PageRequest,
): Promise<FilePage | undefined> {
  // Of the lines asked for, pages before have shown some.
  const wanted = limit === undefined ? undefined : offset + limit - start.line;
  const window = readBytes(source, start.at, room * BYTES_PER_CHAR + BYTES_PER_CHAR);
  const decoded = decodeStrictly(window, start.at + window.length < source.size);
  if (decoded === undefined) return undefined;
  const fitting = numbered ? fitNumbered(decoded, start.line, room) : cutText(decoded, room).text;
  const content = firstLines(fitting, wanted);
  const end = start.at + new TextEncoder().encode(content).length;
  const count = countLines(content);
  const facts = start.facts as LineFacts;
  const page = {
    ...metaOf(file),
    content,
    first_line: start.line,
    last_line: count === 0 ? 0 : start.line + count - 1,
    ...facts,
    bytes_left: source.size - end,
  };
  if (end === source.size || (wanted === count && content.endsWith("\n"))) return page;
  const next = content.endsWith("\n") ? start.line + count : start.line + count - 1;
  return {
    ...page,
    ...(facts.lines === undefined ? {} : { lines_left: facts.lines - next + 1 }),
    cursor: await ctx.cursor({ at: end, line: next, facts: start.facts }),
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

/** The leading lines that fit with a number before each; a part of the first when not even that fits. */
function fitNumbered(text: string, first: number, room: number): string {
  let left = room;
  let end = 0;
  for (let number = first; end < text.length; number++) {
    const feed = text.indexOf("\n", end);
    const next = feed < 0 ? text.length : feed + 1;
    left -= countChars(text.slice(end, next)) + numberOf(number).length;
    if (left < 0) break;
    end = next;
  }
  return end === 0 ? cutText(text, Math.max(1, room - numberOf(first).length)).text : text.slice(0, end);
}

function numberOf(line: number): string {
  return `${line}\t`;
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

async function bytesPage({ ctx, file, source, room }: Reading, start: number): Promise<FilePage> {
  // Whole groups of three bytes, so that pages joined together are still base64.
  const bytes = readBytes(source, start, Math.max(3, Math.floor(room / 4) * 3));
  const end = start + bytes.length;
  const page = { ...metaOf(file), content_base64: encodeBase64(bytes), bytes_left: source.size - end };
  return end === source.size ? page : { ...page, cursor: await ctx.cursor({ at: end, line: 0, facts: {} }) };
}

/** The whole file, when it is an image of a kind that models read. */
function imagePage({ file, source }: Reading): FilePage | undefined {
  const mime = source.size > IMAGE_BYTES ? undefined : imageType(readBytes(source, 0, 12));
  if (mime === undefined) return undefined;
  const content_base64 = encodeBase64(readBytes(source, 0, source.size));
  return { ...metaOf(file), content_base64, mime_type: mime, bytes_left: 0 };
}

function imageType(head: Uint8Array): string | undefined {
  const text = String.fromCharCode(...head);
  if (text.startsWith("\u0089PNG\r\n\u001a\n")) return "image/png";
  if (text.startsWith("\u00ff\u00d8\u00ff")) return "image/jpeg";
  if (text.startsWith("GIF87a") || text.startsWith("GIF89a")) return "image/gif";
  return text.startsWith("RIFF") && text.endsWith("WEBP") ? "image/webp" : undefined;
}

/** The page as text: what is needed to go on in the first line, then the content, so that no line of it passes for ours. */
export function pageText(page: FilePage, numbered: boolean): string {
  const { path, size_bytes: size, version, token, cursor, mime_type: mime } = page;
  const facts = [whatOf(page), plural(size, "byte"), `version ${version}`];
  if (page.endings !== undefined) facts.push(page.endings === "crlf" ? "CRLF" : "mixed LF and CRLF");
  if (page.bom === true) facts.push("BOM");
  const head = `[Token ${token}] ${path}: ${facts.join(", ")}`;
  if (mime !== undefined) return head;
  const left = page.lines_left === undefined ? "" : `${plural(page.lines_left, "line")}, `;
  const cut =
    cursor === undefined
      ? ""
      : ` [Cut: ${left}${plural(page.bytes_left, "byte")} left. Call again with cursor ${JSON.stringify(cursor)}]`;
  return `${head}${cut}\n${contentOf(page, numbered)}`;
}

function whatOf(page: FilePage): string {
  const { encoding, content, mime_type: mime, first_line: first = 1, last_line: last = 1, lines } = page;
  if (mime !== undefined) return mime;
  if (content === undefined)
    return `${encoding === "utf-8" ? "not valid utf-8" : showName(encoding ?? "binary")}, base64`;
  return last === 0 ? "empty" : `lines ${first}-${last}${lines === undefined ? "" : ` of ${lines}`}`;
}

function contentOf(
  { content, content_base64: base64 = "", first_line: first = 1 }: FilePage,
  numbered: boolean,
): string {
  if (content === undefined || !numbered || content === "") return content ?? base64;
  const lines = content.split("\n");
  const final = lines.at(-1) === "" ? lines.pop() : undefined;
  return lines.map((line, i) => numberOf(first + i) + line).join("\n") + (final === undefined ? "" : "\n");
}
