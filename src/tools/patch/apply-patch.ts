// Owns: apply_patch: a line patch over many files, as one commit or not at all.

import { z } from "zod";
import { describeReport, type FileReport } from "../../patch/index.ts";
import type { Files } from "../../session/files/workspace.ts";
import type { WorkspacePath } from "../../path/index.ts";
import { joinBytes, lineIndexSteps, runPaced } from "../../text/index.ts";
import { withToken } from "../token-line.ts";
import { defineTool, type ReadCtx, type Tool } from "../tool.ts";
import {
  patchBases,
  patchInput,
  patchTargets,
  planPatch,
  readAs,
  refusedPatch,
  resolvePatch,
  SPLIT_PATCH,
} from "./_plan.ts";

const input = z.object(patchInput);

export const patchedFile: z.ZodObject<{
  path: z.ZodString;
  status: z.ZodString;
  added: z.ZodInt;
  removed: z.ZodInt;
  version: z.ZodOptional<z.ZodInt>;
}> = z.object({
  path: z.string(),
  status: z.string(),
  added: z.int(),
  removed: z.int(),
  version: z.int().optional(),
});

const output = z.object({
  files: z.array(patchedFile),
  summary: z.string(),
  token: z.string().optional(),
});

export const applyPatchTool: Tool = defineTool({
  name: "apply_patch",
  toolset: "patch",
  access: "write",
  title: "Apply a patch",
  description:
    "Applies line changes to files, all or nothing. old must equal the line; a conflict says which operations to resend and with what.",
  lists: "bounded",
  split: SPLIT_PATCH,
  rebase: {},
  input,
  output,
  resolve: resolvePatch,
  targets: patchTargets,
  based: patchBases,
  async run(ctx, patch) {
    const planned = await planPatch(ctx, patch, { isNamed: (file) => ctx.isPinned(file) });
    const { report } = planned;
    if (!report.ok) throw refusedPatch(planned, patch, ctx.budget);
    const versions = new Map<string, number>();
    const lines = new Map<string, number>();
    // Removals first: a file may become a directory, or get a name that differs only in case.
    for (const isRemoval of [true, false])
      for (const file of report.files.filter(({ status }) => (status === "removed") === isRemoval)) {
        const before = await ctx.files.stat(file.path);
        const version = await carryOut(ctx.files, file);
        if (version === undefined) continue;
        versions.set(file.path, version);
        // Placed beside what others changed since the version named: their lines count too.
        if (before !== undefined && version > before.version + 1)
          lines.set(file.path, await lineCount(ctx, file.path));
      }
    const summary = describeReport({
      ...report,
      files: report.files.map((file) => ({ ...file, linesAfter: lines.get(file.path) ?? file.linesAfter })),
    });
    return {
      files: report.files.map(({ path, status, added, removed }) => {
        const version = versions.get(path);
        return { path, status, added, removed, ...(version === undefined ? {} : { version }) };
      }),
      summary: `${summary}${readAs(patch.format, planned.notes)}`,
    };
  },
  text: ({ summary, token }) => withToken(summary, token),
});

async function lineCount({ files, signal }: ReadCtx, path: WorkspacePath): Promise<number> {
  return (await runPaced(lineIndexSteps(await files.open(path)), signal)).lines;
}

/** Makes one file what the patch says, and returns the version it has then. */
async function carryOut(files: Files, { path, status, splices }: FileReport): Promise<number | undefined> {
  if (status === "removed") {
    await files.remove(path);
    return undefined;
  }
  if (status === "created") {
    const content = joinBytes(splices.map((splice) => splice.insert));
    return (await files.create(path, content, { encoding: "utf-8" })).version;
  }
  const file = status === "changed" ? await files.splice(path, splices) : await files.stat(path);
  return file?.version;
}
