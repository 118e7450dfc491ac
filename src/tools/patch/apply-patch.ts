// Owns: apply_patch: a line patch over many files, as one commit or not at all.

import { z } from "zod";
import { conflictError, describeReport, type FileReport } from "../../patch/index.ts";
import type { Files } from "../../session/files/workspace.ts";
import { joinBytes } from "../../text/index.ts";
import { defineTool, type Tool } from "../tool.ts";
import { patchInput, patchTargets, planPatch, resolvePatch } from "./_plan.ts";

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

export const applyPatch: Tool = defineTool({
  name: "apply_patch",
  toolset: "patch",
  access: "write",
  title: "Apply a patch",
  description:
    "Applies line changes to files, all or nothing. old must equal the line; a conflict says which operations to resend and with what.",
  sends: "bounded",
  input,
  output,
  resolve: resolvePatch,
  targets: patchTargets,
  async run(ctx, patch) {
    const planned = await planPatch(ctx, patch);
    if (!planned.report.ok) throw conflictError(planned.report);
    const files: z.output<typeof patchedFile>[] = [];
    for (const file of planned.report.files) {
      const { path, status, added, removed } = file;
      const version = await carryOut(ctx.files, file);
      files.push({ path, status, added, removed, ...(version === undefined ? {} : { version }) });
    }
    return { files, summary: describeReport(planned.report) };
  },
  text: ({ summary, token }) => (token === undefined ? summary : `${summary}\nToken ${token}`),
});

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
