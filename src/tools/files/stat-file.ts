// Owns: stat_file: what there is to say about a file or directory without showing its content.

import { createHash } from "node:crypto";
import { z } from "zod";
import type { WorkspacePath } from "../../path/index.ts";
import {
  bomOf,
  isMixed,
  lineIndexSteps,
  readBytes,
  runPaced,
  windowsOf,
  type ByteSource,
} from "../../text/index.ts";
import { plural } from "../../text/plural.ts";
import { showName } from "../../text/show.ts";
import { Pacer } from "../../text/steps.ts";
import { defineTool, fileTarget, type ReadCtx, type Tool } from "../tool.ts";
import { isTextFile } from "./_scan.ts";

const output = z.object({
  path: z.string(),
  kind: z.enum(["file", "directory"]).describe("What it is"),
  size_bytes: z.int(),
  /** Of a directory: the files below it, at any depth. */
  files: z.int().optional(),
  encoding: z.string().nullable().optional(),
  executable: z.boolean().optional(),
  version: z.int().optional(),
  created_at: z.string().optional(),
  updated_at: z.string().optional(),
  sha256: z.string().optional(),
  /** Of text. */
  lines: z.int().optional().describe("Lines of the whole file"),
  endings: z.enum(["lf", "crlf", "mixed", "none"]).optional(),
  final_newline: z.boolean().optional(),
  bom: z.boolean().optional(),
  token: z.string().optional(),
});

type Output = z.output<typeof output>;

export const statFile: Tool = defineTool({
  name: "stat_file",
  toolset: "files",
  access: "read",
  title: "Describe a file",
  description:
    "Size, lines, line endings, encoding, version, times, SHA-256 and token of a file; files and bytes of a directory.",
  input: z.object({ path: z.string() }),
  output,
  resolve: ({ path }, ctx) => ctx.path(path, "any"),
  targets: (path) => [fileTarget(path)],
  async run(ctx, path): Promise<Output> {
    const file = await ctx.files.stat(path);
    if (file === undefined) return directoryOf(ctx, path);
    const {
      encoding,
      executable,
      size_bytes,
      version,
      created_at: created,
      updated_at: updated,
      token,
    } = file;
    const source = await ctx.files.open(path);
    return {
      path,
      kind: "file",
      size_bytes,
      encoding,
      executable,
      version,
      created_at: created.toISOString(),
      updated_at: updated.toISOString(),
      sha256: await hashOf(source, ctx.signal),
      ...((await isTextFile(source, encoding, ctx.signal)) ? await linesOf(source, ctx.signal) : {}),
      ...(token === undefined ? {} : { token }),
    };
  },
  text(about) {
    const { path, kind, size_bytes: size, files = 0, token = "" } = about;
    if (kind === "directory") return `${path}: directory, ${plural(files, "file")}, ${plural(size, "byte")}`;
    const facts = [
      plural(size, "byte"),
      ...(about.lines === undefined ? [] : [plural(about.lines, "line"), ...endingWords(about)]),
      about.encoding == null ? "unknown encoding" : showName(about.encoding),
      ...(about.executable === true ? ["executable"] : []),
      `version ${about.version ?? 1}`,
      `created ${about.created_at ?? ""}`,
      `updated ${about.updated_at ?? ""}`,
      `sha256 ${about.sha256 ?? ""}`,
    ];
    return `[Token ${token}] ${path}: ${facts.join(", ")}`;
  },
});

/** What is unusual about the lines of a text; nothing for LF with a final newline. */
function endingWords({
  endings,
  bom,
  final_newline: final,
  lines = 0,
}: Pick<Output, "endings" | "bom" | "final_newline" | "lines">): string[] {
  return [
    ...(endings === "crlf" ? ["CRLF"] : endings === "mixed" ? ["mixed LF and CRLF"] : []),
    ...(final === false && lines > 0 ? ["no final newline"] : []),
    ...(bom === true ? ["BOM"] : []),
  ];
}

async function directoryOf({ files, signal }: ReadCtx, path: WorkspacePath): Promise<Output> {
  // Opening says what is wrong with a path at which there is nothing.
  if (!(await files.isDirectory(path))) await files.open(path);
  const pace = new Pacer(signal);
  let [count, size] = [0, 0];
  for (const file of await files.under(path)) {
    count++;
    size += file.size_bytes;
    await pace.step();
  }
  return { path, kind: "directory", size_bytes: size, files: count };
}

async function hashOf(source: ByteSource, signal: AbortSignal): Promise<string> {
  const hash = createHash("sha256");
  const pace = new Pacer(signal);
  for (const { bytes } of windowsOf(source)) {
    hash.update(bytes);
    await pace.step();
  }
  return hash.digest("hex");
}

async function linesOf(
  source: ByteSource,
  signal: AbortSignal,
): Promise<Pick<Output, "lines" | "endings" | "final_newline" | "bom">> {
  const index = await runPaced(lineIndexSteps(source), signal);
  const { lines, lf, crlf, finalNewline } = index;
  const endings = isMixed(index) ? "mixed" : crlf > 0 ? "crlf" : lf > 0 ? "lf" : "none";
  const bom = bomOf(readBytes(source, 0, 4))?.encoding === "utf-8";
  return { lines, endings, final_newline: finalNewline, bom };
}
