// Owns: find_files: files whose path matches a glob.

import { z } from "zod";
import { echo } from "../../errors.ts";
import { comparePaths, displayPath, ROOT, type WorkspacePath } from "../../path/index.ts";
import { Budget } from "../../text/index.ts";
import { plural } from "../../text/plural.ts";
import { Pacer } from "../../text/steps.ts";
import { paging } from "../paging.ts";
import { defineTool, directoryTarget, type Tool } from "../tool.ts";
import { agentGlob } from "./_file-filter.ts";

const input = z.object({
  glob: z.string().describe("*.ts: names in any directory; src/**: paths from the workspace"),
  ...paging,
});

const found = z.object({ path: z.string(), size_bytes: z.int(), version: z.int(), token: z.string() });

const output = z.object({
  files: z.array(found),
  /** How many match in all. */
  total: z.int(),
  more: z.int().optional(),
  cursor: z.string().optional(),
});

interface Place {
  readonly [key: string]: string | number;
  readonly after: string;
}

const RESERVED = 400;

export const findFiles: Tool = defineTool({
  name: "find_files",
  toolset: "files",
  access: "read",
  title: "Find files",
  description: "Lists files whose path matches a glob (* ? ** [a-z] {a,b}), with sizes.",
  input,
  output,
  resolve: ({ glob, cursor }, ctx) => ({ glob: agentGlob(glob, ctx), cursor }),
  targets: () => [directoryTarget(ROOT)],
  async run(ctx, { glob, cursor }) {
    const resumed = cursor === undefined ? undefined : await ctx.resume(cursor);
    const here = resumed?.ctx ?? ctx;
    const after = (resumed?.place as Place | undefined)?.after as WorkspacePath | undefined;
    const budget = new Budget(ctx.budget - RESERVED);
    const pace = new Pacer(ctx.signal);
    const shown: z.output<typeof found>[] = [];
    let total = 0;
    let more = 0;
    for (const { path, size_bytes, version, token = "" } of await here.files.under(ROOT)) {
      await pace.step();
      if (!glob.matches(path)) continue;
      total++;
      if (after !== undefined && comparePaths(path, after) <= 0) continue;
      const one = { path, size_bytes, version, token };
      if (more > 0 || (!budget.add(lineOf(one)) && shown.length > 0)) more++;
      else shown.push(one);
    }
    const last = shown.at(-1);
    if (more === 0 || last === undefined) return { files: shown, total };
    return { files: shown, total, more, cursor: await here.cursor({ after: last.path }) };
  },
  text({ files, total, more, cursor }, { glob }) {
    const lines = [total === 0 ? `No file matches ${echo(glob, 400)}` : plural(total, "file")];
    if (more !== undefined)
      lines.push(`[${plural(more, "more file")}: call again with cursor ${JSON.stringify(cursor)}]`);
    return [...lines, ...files.map(lineOf)].join("\n");
  },
});

function lineOf({ path, size_bytes: size }: { readonly path: string; readonly size_bytes: number }): string {
  return `${displayPath(path as WorkspacePath)}  ${plural(size, "byte")}`;
}
