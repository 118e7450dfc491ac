// Owns: request_landing: an agent asks the host to land its work, or takes that back.

import { z } from "zod";
import { HoldfastError, say } from "../../errors.ts";
import { landingsSlice, landingText } from "../../session/landings.ts";
import { showName } from "../../text/show.ts";
import { withToken } from "../token-line.ts";
import { defineTool, fileTarget, type Tool } from "../tool.ts";

const input = z.object({
  reason: z.string().optional().describe("What is done and why it should land"),
  paths: z.array(z.string()).max(100).optional().describe("Files or directories; all when left out"),
  withdraw: z.int().min(1).optional().describe("A request of yours to take back, instead"),
});

const output = z.object({
  request: z.int().optional(),
  withdrawn: z.int().optional(),
  paths: z.array(z.string()),
  token: z.string().optional(),
});

export const requestLanding: Tool = defineTool({
  name: "request_landing",
  toolset: "history",
  access: "write",
  kind: "landing_request",
  destructive: false,
  title: "Request landing",
  description: "Asks the host to write your work to the real folders; the reply comes with a later result.",
  input,
  output,
  resolve: ({ reason, paths = [], withdraw }, ctx) => ({
    reason,
    withdraw,
    paths: paths.map((path) => ctx.path(path, "any")),
  }),
  targets: ({ paths }) => paths.map(fileTarget),
  async run(ctx, { reason, paths, withdraw }): Promise<z.output<typeof output>> {
    if ((reason === undefined) === (withdraw === undefined))
      throw new HoldfastError(
        "invalid_argument",
        "landing_choice",
        say`Send a reason to ask for a landing, or withdraw to take a request back.`,
      );
    if (withdraw !== undefined) {
      const open = ctx.slice(landingsSlice).get(withdraw);
      if (open !== undefined && open.agent !== ctx.agent.id)
        throw new HoldfastError(
          "forbidden",
          "others_work",
          say`Landing request ${withdraw} is not yours. You can withdraw your own.`,
        );
      ctx.change(landingsSlice, { slice: "landings", op: "settle", request: withdraw, state: "withdrawn" });
      return { withdrawn: withdraw, paths: [] };
    }
    for (const path of paths) {
      if ((await ctx.files.stat(path)) !== undefined || (await ctx.files.isDirectory(path))) continue;
      // Refused, with what there is instead.
      await ctx.files.open(path);
    }
    const said = landingText(say`A reason`, reason ?? "");
    ctx.change(landingsSlice, { slice: "landings", op: "request", reason: said, paths });
    return { paths };
  },
  stamp: (at, value) =>
    (value as z.output<typeof output>).withdrawn === undefined ? { request: at.seq } : {},
  text({ request, withdrawn, paths, token }) {
    const head =
      withdrawn === undefined
        ? `Asked the host to land ${paths.length === 0 ? "the session" : paths.map((path) => showName(path)).join(", ")}${request === undefined ? "" : `: request ${request}`}`
        : `Withdrew landing request ${withdrawn}`;
    return withToken(head, token);
  },
});
