// Owns: find_files: files whose path matches a glob.

import { z } from "zod";
import { echo } from "../../errors.ts";
import { displayPath, ROOT, type WorkspacePath } from "../../path/index.ts";
import { Budget } from "../../text/index.ts";
import { plural } from "../../text/plural.ts";
import { showPath } from "../../text/show.ts";
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

/** Where a page begins, and what the first one counted. */
interface Place {
  readonly [key: string]: string | number;
  readonly after: string;
  readonly total: number;
  readonly seen: number;
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
    const from = resumed?.place as Place | undefined;
    const budget = new Budget(ctx.budget - RESERVED);
    const pace = new Pacer(ctx.signal);
    const shown: z.output<typeof found>[] = [];
    let counted = 0;
    let isFull = false;
    const files = await here.files.under(ROOT, from?.after as WorkspacePath | undefined);
    for (const { path, size_bytes, version, token = "" } of files) {
      await pace.step();
      if (!glob.matches(path)) continue;
      counted++;
      const one = { path, size_bytes, version, token };
      isFull ||= !budget.add(lineOf(one)) && shown.length > 0;
      if (!isFull) shown.push(one);
      // The first page has counted the rest.
      else if (from !== undefined) break;
    }
    const { total = counted, seen: before = 0 } = from ?? {};
    const last = shown.at(-1);
    if (!isFull || last === undefined) return { files: shown, total };
    const seen = before + shown.length;
    return {
      files: shown,
      total,
      more: total - seen,
      cursor: await here.cursor({ after: last.path, total, seen }),
    };
  },
  text({ files, total, more, cursor }, { glob }) {
    const lines = [total === 0 ? `No file matches ${echo(glob, 400)}` : plural(total, "file")];
    if (more !== undefined)
      lines.push(`[${plural(more, "more file")}: call again with cursor ${JSON.stringify(cursor)}]`);
    return [...lines, ...files.map(lineOf)].join("\n");
  },
});

function lineOf({ path, size_bytes: size }: { readonly path: string; readonly size_bytes: number }): string {
  return `${showPath(displayPath(path as WorkspacePath))}  ${plural(size, "byte")}`;
}
