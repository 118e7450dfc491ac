// Owns: list_directory: what lies below a directory, right below it or some levels deep.

import { z } from "zod";
import { HoldfastError, say } from "../../errors.ts";
import { comparePaths, ROOT, segmentsOf, type WorkspacePath } from "../../path/index.ts";
import type { FileInfo } from "../../session/files/workspace.ts";
import { Budget } from "../../text/index.ts";
import { showPath } from "../../text/show.ts";
import { Pacer } from "../../text/steps.ts";
import { paging } from "../paging.ts";
import { defineTool, directoryTarget, type ReadCtx, type Tool } from "../tool.ts";
import { plural } from "../../text/plural.ts";

const input = z.object({
  path: z.string().optional().describe("The whole workspace when left out"),
  depth: z.int().min(1).max(64).optional().describe("Levels to show, 1 when left out"),
  ...paging,
});

const output = z.object({
  path: z.string(),
  /** With `depth`, paths from the directory on. */
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

type Output = z.output<typeof output>;

/** One line of a listing: a file, or a directory when it has none. `name` is the path from the listed directory on. */
interface Entry {
  readonly name: string;
  readonly file?: FileInfo;
}

/** Where a page begins, and how many entries are left then. */
interface Place {
  readonly [key: string]: string | number;
  readonly after: string;
  readonly left: number;
}

export const listDirectory: Tool = defineTool({
  name: "list_directory",
  toolset: "files",
  access: "read",
  title: "List a directory",
  description: "Lists files and directories below a directory, with size and version.",
  input,
  output,
  resolve: ({ path, depth = 1, cursor }, ctx) => ({ path: ctx.path(path ?? "", "directory"), depth, cursor }),
  targets: ({ path }) => [directoryTarget(path)],
  async run(ctx, { path, depth, cursor }): Promise<Output> {
    const resumed = cursor === undefined ? undefined : await ctx.resume(cursor);
    const here = resumed?.ctx ?? ctx;
    await refuseFile(here, path);
    const place = resumed?.place as Place | undefined;
    const budget = new Budget(ctx.budget - RESERVED);
    const out: Output = { path, directories: [], files: [] };
    const pace = new Pacer(ctx.signal);
    let last = "";
    let more = 0;
    for (const entry of await entriesOf(here, path, depth, place?.after)) {
      const turn = pace.step();
      if (turn !== undefined) await turn;
      if (entry === undefined) continue;
      if (more > 0 || (!budget.add(lineOf(entry)) && budget.taken > 0)) {
        // A later page knows how many there were.
        if (place !== undefined) more = place.left - out.directories.length - out.files.length;
        if (place !== undefined) break;
        more++;
        continue;
      }
      last = entry.name;
      if (entry.file === undefined) out.directories.push(entry.name);
      else out.files.push(fileOf(entry.name, entry.file));
    }
    return more === 0 ? out : { ...out, more, cursor: await here.cursor({ after: last, left: more }) };
  },
  text({ path, directories, files, more, cursor }, { depth = 1 }) {
    const head = `${path}: ${plural(directories.length, "directory", "directories")}, ${plural(files.length, "file")}`;
    const lines = [
      ...directories.map((name) => ({ name, line: lineOf({ name }) })),
      ...files.map((file) => ({ name: file.name, line: fileLine(file) })),
    ];
    // Levels are shown as a tree: each directory before what it holds.
    if (depth > 1) lines.sort((a, b) => comparePaths(below(ROOT, a.name), below(ROOT, b.name)));
    const tail =
      more === undefined
        ? []
        : [
            `[${plural(more, "more entry", "more entries")}: call again with cursor ${JSON.stringify(cursor)}]`,
          ];
    return [head, ...tail, ...lines.map(({ line }) => line)].join("\n");
  },
});

/** Characters reserved for the first and the last line. */
const RESERVED = 600;

function below(directory: WorkspacePath, name: string): WorkspacePath {
  return `${directory}/${name}` as WorkspacePath;
}

async function entriesOf(
  { files }: ReadCtx,
  path: WorkspacePath,
  depth: number,
  after: string | undefined,
): Promise<Iterable<Entry | undefined>> {
  return depth === 1 ? files.list(path, after) : levelsOf(await files.under(path), path, depth, after);
}

/** Files and directories of some levels, each directory before what it holds; undefined for a file that is not shown. */
function* levelsOf(
  files: Iterable<FileInfo>,
  path: WorkspacePath,
  depth: number,
  after: string | undefined,
): Generator<Entry | undefined, void, undefined> {
  const base = segmentsOf(path).length;
  let above: readonly string[] = [];
  const isLater = (name: string): boolean =>
    after === undefined || comparePaths(below(path, name), below(path, after)) > 0;
  for (const file of files) {
    const segments = segmentsOf(file.path).slice(base);
    const directories = segments.slice(0, -1);
    for (let level = 1; level <= Math.min(depth, directories.length); level++) {
      const name = directories.slice(0, level).join("/");
      const isNew = directories.slice(0, level).some((segment, i) => segment !== above[i]);
      if (isNew && isLater(name)) yield { name };
    }
    above = directories;
    const name = segments.join("/");
    yield segments.length <= depth && isLater(name) ? { name, file } : undefined;
  }
}

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

function fileOf(name: string, file: FileInfo): Output["files"][number] {
  const { size_bytes, version, encoding, updated_at: updated, token = "" } = file;
  return { name, size_bytes, version, encoding, updated_at: updated.toISOString(), token };
}

function lineOf({ name, file }: Entry): string {
  return file === undefined
    ? `${showPath(name)}/`
    : fileLine({ name, size_bytes: file.size_bytes, version: file.version });
}

function fileLine({
  name,
  size_bytes: size,
  version,
}: Pick<Output["files"][number], "name" | "size_bytes" | "version">): string {
  return `${showPath(name)}  ${plural(size, "byte")}  version ${version}`;
}
