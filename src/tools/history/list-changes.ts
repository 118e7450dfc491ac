// Owns: list_changes: what was done in the session, by whom.

import { z } from "zod";
import { say } from "../../errors.ts";
import { kindOf } from "../../session/record-kinds.ts";
import { tokenOf } from "../../store/token.ts";
import { plural } from "../../text/plural.ts";
import { Pacer } from "../../text/steps.ts";
import { paging } from "../paging.ts";
import { defineTool, type ReadCtx, type Tool } from "../tool.ts";
import { aboutOf, positionNamed, recordRef } from "./_records.ts";
import { shownTarget } from "./_target-names.ts";

const input = z.object({
  agent: z.string().optional().describe('Only what this agent did; "me" is you'),
  path: z.string().optional().describe("Only what changed this file, or files in this directory"),
  since: recordRef.optional().describe("Only after this record or token"),
  limit: z.int().min(1).max(200).optional().describe("50 when left out"),
  ...paging,
});

const change = z.object({
  record: z.int(),
  token: z.string(),
  agent: z.string(),
  tool: z.string(),
  about: z.array(z.string()).describe("Names of what it changed, a hundred at most"),
  about_more: z.int().optional().describe("How many names more there are"),
  time: z.string(),
  undone: z.boolean().optional(),
});

type ShownChange = z.output<typeof change>;

const output = z.object({
  changes: z.array(change).describe("The changes, newest first"),
  cursor: z.string().optional(),
});

const BATCH = 200;
/** Names of one record that a line shows. */
const NAMES = 3;
/** Names of one record in the value: a mount has as many as it has files. */
const MOST_NAMES = 100;
const CURSOR_ROOM = 200;

export const listChanges: Tool = defineTool({
  name: "list_changes",
  toolset: "history",
  access: "read",
  title: "List changes",
  description: "Lists what was done, newest first: token, agent, tool, what it was about, time.",
  input,
  output,
  resolve: ({ path, ...rest }, ctx) => ({
    ...rest,
    ...(path === undefined ? {} : { path: ctx.path(path, "any") }),
  }),
  targets: () => [],
  async run(ctx, { cursor, since, limit = 50, agent, path }) {
    if (path !== undefined) await ctx.files.stat(path);
    const resumed = cursor === undefined ? undefined : await ctx.resume(cursor);
    const here = resumed?.ctx ?? ctx;
    const upTo = resumed === undefined ? here.at.seq : Number(resumed.place);
    const after = since === undefined ? 0 : (await positionNamed(ctx, since, say`since`)).seq;
    const query = {
      after,
      ...(agent === undefined ? {} : { agent: agent === "me" ? ctx.agent.id : agent }),
      ...(path === undefined ? {} : { path }),
    };
    const { changes, next } = await page(here, query, upTo, limit, ctx.budget - CURSOR_ROOM);
    return { changes, ...(next === undefined ? {} : { cursor: await here.cursor(next) }) };
  },
  text({ changes, cursor }) {
    if (changes.length === 0) return "No changes.";
    const lines = changes.map(lineOf);
    if (cursor !== undefined) lines.unshift(`[More: call again with cursor ${cursor}]`);
    return lines.join("\n");
  },
});

/** Changes from `upTo` back, and where the next page begins. */
async function page(
  ctx: ReadCtx,
  query: { readonly after: number; readonly agent?: string; readonly path?: string },
  upTo: number,
  limit: number,
  room: number,
): Promise<{ changes: ShownChange[]; next?: number }> {
  const changes: ShownChange[] = [];
  const pace = new Pacer();
  let used = 0;
  for (let last = upTo; ;) {
    const records = await ctx.log({ ...query, upTo: last, newestFirst: true, limit: BATCH });
    const standing = await ctx.standing(records);
    for (const record of records) {
      last = record.seq - 1;
      const about = await aboutOf(ctx, record, pace);
      if (
        about === undefined ||
        record.kind === "policy" ||
        (kindOf(record).isWork && record.changes?.length === 0)
      )
        continue;
      const { seq, agent, tool, kind, time } = record;
      const shown: ShownChange = {
        record: seq,
        token: tokenOf(record),
        agent,
        tool: tool ?? kind,
        about: about.slice(0, MOST_NAMES),
        ...(about.length > MOST_NAMES ? { about_more: about.length - MOST_NAMES } : {}),
        time: time.toISOString(),
        ...(standing.get(seq) === "nowhere" ? { undone: true } : {}),
      };
      used += lineOf(shown).length + 1;
      if (changes.length > 0 && (changes.length >= limit || used > room)) return { changes, next: seq };
      changes.push(shown);
    }
    if (records.length < BATCH) return { changes };
  }
}

function lineOf({ token, agent, tool, about, about_more = 0, time, undone }: ShownChange): string {
  const names = about.slice(0, NAMES).map(shownTarget);
  const left = about.length - names.length + about_more;
  if (left > 0) names.push(`and ${plural(left, "more", "more")}`);
  const what = names.length === 0 ? "" : ` ${names.join(" ")}`;
  return `${token} ${agent} ${tool}${what}, ${time}${undone === true ? " (undone)" : ""}`;
}
