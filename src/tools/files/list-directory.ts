// Owns: list_directory: what lies right below a directory.

import { z } from "zod";
import { HoldfastError, say } from "../../errors.ts";
import type { WorkspacePath } from "../../path/index.ts";
import { dirKey } from "../../session/files/file-keys.ts";
import { filesSlice } from "../../session/files/files-slice.ts";
import type { DirectoryItem } from "../../session/files/file-state.ts";
import { tokenOf } from "../../store/token.ts";
import { Budget } from "../../text/index.ts";
import { Pacer } from "../../text/steps.ts";
import { paging } from "../paging.ts";
import { defineTool, type ReadCtx, type Tool } from "../tool.ts";
import { plural } from "../../text/plural.ts";

const input = z.object({
  path: z.string().optional().describe("A directory; the whole workspace when left out"),
  ...paging,
});

const output = z.object({
  path: z.string(),
  directories: z.array(z.string()),
  files: z.array(
    z.object({
      name: z.string(),
      size_bytes: z.int(),
      version: z.int(),
      encoding: z.string().nullable(),
      updated_at: z.string(),
      token: z.string(),
    }),
  ),
  /** How many more entries there are, and the cursor that brings them. */
  more: z.int().optional(),
  cursor: z.string().optional(),
});

export const listDirectory: Tool = defineTool({
  name: "list_directory",
  toolset: "files",
  access: "read",
  title: "List a directory",
  description: "Lists the files and directories right below a directory, with size and version.",
  input,
  output,
  resolve: ({ path, cursor }, ctx) => ({ path: ctx.path(path ?? "", "directory"), cursor }),
  targets: ({ path }) => [{ key: dirKey(path), name: path }],
  async run(ctx, { path, cursor }) {
    const from = cursor === undefined ? { ctx, place: null } : await ctx.resume(cursor);
    refuseFile(from.ctx, path);
    const budget = new Budget(ctx.budget - RESERVED);
    const out: z.output<typeof output> = { path, directories: [], files: [] };
    let last: string | undefined;
    let more = 0;
    const pace = new Pacer(ctx.signal);
    for (const item of from.ctx
      .slice(filesSlice)
      .items(path, typeof from.place === "string" ? from.place : undefined)) {
      if (more > 0 || (!budget.add(line(item)) && budget.taken > 0)) {
        if (++more % COUNTED_AT_ONCE === 0) await pace.step();
        continue;
      }
      last = item.name;
      if (item.kind === "directory") out.directories.push(item.name);
      else out.files.push(fileOf(item));
    }
    return more === 0 || last === undefined ? out : { ...out, more, cursor: from.ctx.cursor(last) };
  },
  text({ path, directories, files, more, cursor }) {
    const lines = [
      ...directories.map((name) => `${name}/`),
      ...files.map((file) => `${file.name}  ${plural(file.size_bytes, "byte")}  version ${file.version}`),
    ];
    const head = `${path}: ${plural(directories.length, "directory", "directories")}, ${plural(files.length, "file")}`;
    const tail =
      more === undefined
        ? []
        : [
            `[${plural(more, "more entry", "more entries")}: call again with cursor ${JSON.stringify(cursor)}]`,
          ];
    return [head, ...lines, ...tail].join("\n");
  },
});

/** Characters kept free for the first and the last line. */
const RESERVED = 600;
const COUNTED_AT_ONCE = 512;

function refuseFile(ctx: ReadCtx, path: WorkspacePath): void {
  const files = ctx.slice(filesSlice);
  if (files.isDirectory(path)) return;
  if (files.file(path) !== undefined)
    throw new HoldfastError(
      "invalid_argument",
      "not_a_directory",
      say`${path} is a file. Use read_file to read it, or list the directory it is in.`,
    );
  throw new HoldfastError(
    "not_found",
    "no_such_directory",
    say`There is no directory ${path}. List /workspace to see what there is.`,
  );
}

type FileItem = Extract<DirectoryItem, { kind: "file" }>;

function fileOf({ name, entry }: FileItem): z.output<typeof output>["files"][number] {
  return {
    name,
    size_bytes: entry.content.size,
    version: entry.version,
    encoding: entry.encoding,
    updated_at: entry.updated.toISOString(),
    token: tokenOf(entry.at),
  };
}

function line(item: DirectoryItem): string {
  return item.kind === "directory"
    ? `${item.name}/`
    : `${item.name}  ${plural(item.entry.content.size, "byte")}  version ${item.entry.version}`;
}
