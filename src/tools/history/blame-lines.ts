// Owns: blame: who brought in the lines of a file.

import { z } from "zod";
import type { HoldfastError } from "../../errors.ts";
import type { WorkspacePath } from "../../path/index.ts";
import type { BlameRun } from "../../session/blame.ts";
import { pastEnd } from "../files/_file-page.ts";
import { paging } from "../paging.ts";
import { defineTool, fileTarget, type ReadCtx, type Tool } from "../tool.ts";

const input = z.object({
  path: z.string(),
  offset: z.int().min(1).optional().describe("First line, from 1"),
  limit: z.int().min(1).optional().describe("How many lines; all when left out"),
  ...paging,
});

const run = z.object({
  first: z.int(),
  last: z.int(),
  agent: z.string().optional(),
  tool: z.string().optional(),
  token: z.string().optional(),
  time: z.string().optional(),
  before: z.int().optional().describe("Was there before this record; older ones are pruned"),
});

type ShownRun = z.output<typeof run>;

const output = z.object({ path: z.string(), runs: z.array(run), cursor: z.string().optional() });

const CURSOR_ROOM = 300;

export const blameLines: Tool = defineTool({
  name: "blame",
  toolset: "history",
  access: "read",
  title: "Blame lines",
  description: "Says who brought in each line of a file, with which tool and record, and when.",
  input,
  output,
  resolve: (input_, ctx) => ({ ...input_, path: ctx.path(input_.path, "file") }),
  targets: ({ path }) => [fileTarget(path)],
  async run(ctx, { path, offset = 1, limit, cursor }): Promise<z.output<typeof output>> {
    const resumed = cursor === undefined ? undefined : await ctx.resume(cursor);
    const here = resumed?.ctx ?? ctx;
    // Opening what is no file says what there is instead.
    if ((await here.files.stat(path)) === undefined) await here.files.open(path);
    const from = resumed === undefined ? offset : Number(resumed.place);
    const lines = limit === undefined ? {} : { limit: Math.max(0, offset + limit - from) };
    const found = await here.blame({ path, offset: from, ...lines });
    if (found.runs.length === 0 && from > 1 && limit !== 0) throw await pastTheEnd(here, path, from);
    const runs: ShownRun[] = [];
    let used = 0;
    for (const one of found.runs) {
      const shown = shownRun(one);
      used += lineOf(shown).length + 1;
      if (runs.length > 0 && used > ctx.budget - CURSOR_ROOM)
        return { path, runs, cursor: await here.cursor(shown.first) };
      runs.push(shown);
    }
    return { path, runs };
  },
  text({ path, runs, cursor }) {
    const head = [`Lines of ${path}:`];
    if (cursor !== undefined) head.push(`[More: call again with cursor ${cursor}]`);
    return [...head, ...(runs.length === 0 ? ["none"] : runs.map(lineOf))].join("\n");
  },
});

async function pastTheEnd(ctx: ReadCtx, path: WorkspacePath, line: number): Promise<HoldfastError> {
  const { runs } = await ctx.blame({ path });
  return pastEnd(path, line, runs.at(-1)?.last ?? 0);
}

function shownRun({ first, last, by, before }: BlameRun): ShownRun {
  if (by === undefined) return { first, last, ...(before === undefined ? {} : { before }) };
  const { agent, tool, token, time } = by;
  return { first, last, agent, tool, token, time: time.toISOString() };
}

function lineOf({ first, last, agent, tool, token, time, before }: ShownRun): string {
  const lines = first === last ? String(first) : `${first}-${last}`;
  return agent === undefined
    ? `${lines} before record ${before ?? 1}`
    : `${lines} ${agent} ${tool ?? ""} ${token ?? ""}, ${time ?? ""}`;
}
