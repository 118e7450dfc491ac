// Owns: list_directory: what lies right below a directory.

import { z } from "zod";
import { HoldfastError, say } from "../../errors.ts";
import type { WorkspacePath } from "../../path/index.ts";
import type { DirectoryEntry, FileInfo } from "../../session/files/workspace.ts";
import { Budget, showName } from "../../text/index.ts";
import { Pacer } from "../../text/steps.ts";
import { paging } from "../paging.ts";
import { defineTool, directoryTarget, type ReadCtx, type Tool } from "../tool.ts";
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
  targets: ({ path }) => [directoryTarget(path)],
  async run(ctx, { path, cursor }) {
    const from = cursor === undefined ? { ctx, place: null } : await ctx.resume(cursor);
    await refuseFile(from.ctx, path);
    const budget = new Budget(ctx.budget - RESERVED);
    const out: z.output<typeof output> = { path, directories: [], files: [] };
    let last: string | undefined;
    let more = 0;
    const pace = new Pacer(ctx.signal);
    const after = typeof from.place === "string" ? from.place : undefined;
    for (const entry of await from.ctx.files.list(path, after)) {
      if (more > 0 || (!budget.add(line(entry)) && budget.taken > 0)) {
        if (++more % COUNTED_AT_ONCE === 0) await pace.step();
        continue;
      }
      last = entry.name;
      if (entry.file === undefined) out.directories.push(entry.name);
      else out.files.push(fileOf(entry.name, entry.file));
    }
    return more === 0 || last === undefined ? out : { ...out, more, cursor: await from.ctx.cursor(last) };
  },
  text({ path, directories, files, more, cursor }) {
    const lines = [...directories.map((name) => `${showName(name)}/`), ...files.map(fileLine)];
    const head = `${path}: ${plural(directories.length, "directory", "directories")}, ${plural(files.length, "file")}`;
    const tail =
      more === undefined
        ? []
        : [
            `[${plural(more, "more entry", "more entries")}: call again with cursor ${JSON.stringify(cursor)}]`,
          ];
    return [head, ...tail, ...lines].join("\n");
  },
});

/** Characters kept free for the first and the last line. */
const RESERVED = 600;
const COUNTED_AT_ONCE = 512;

async function refuseFile({ files }: ReadCtx, path: WorkspacePath): Promise<void> {
  if (await files.isDirectory(path)) return;
  if ((await files.stat(path)) !== undefined)
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

function fileOf(name: string, file: FileInfo): z.output<typeof output>["files"][number] {
  const { size_bytes, version, encoding, updated_at: updated, token = "" } = file;
  return { name, size_bytes, version, encoding, updated_at: updated.toISOString(), token };
}

function line({ name, file }: DirectoryEntry): string {
  return file === undefined ? `${showName(name)}/` : fileLine({ name, ...file });
}

function fileLine({
  name,
  size_bytes: size,
  version,
}: Pick<FileInfo, "size_bytes" | "version"> & { name: string }): string {
  return `${showName(name)}  ${plural(size, "byte")}  version ${version}`;
}
