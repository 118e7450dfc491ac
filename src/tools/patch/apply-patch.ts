// Owns: apply_patch: a line patch over many files, as one commit or not at all.

import { z } from "zod";
import { conflictError, describeReport, type FileReport } from "../../patch/index.ts";
import { creationKeys } from "../../session/files/file-keys.ts";
import { bodyOf, filesSlice } from "../../session/files/files-slice.ts";
import { joinBytes } from "../../text/index.ts";
import { editContent, stageContent } from "../files/edit-content.ts";
import { defineTool, type Tool, type WriteCtx } from "../tool.ts";
import { patchInput, patchTargets, planPatch, resolvePatch, type Planned } from "./_plan.ts";

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
  input,
  output,
  resolve: resolvePatch,
  targets: patchTargets,
  async run(ctx, patch) {
    const planned = await planPatch(ctx, patch);
    if (!planned.report.ok) throw conflictError(planned.report);
    for (const file of planned.report.files) await carryOut(ctx, file, planned);
    const files = ctx.slice(filesSlice);
    return {
      files: planned.report.files.map(({ path, status, added, removed }) => {
        const version = files.file(path)?.version;
        return { path, status, added, removed, ...(version === undefined ? {} : { version }) };
      }),
      summary: describeReport(planned.report),
    };
  },
  text: ({ summary, token }) => (token === undefined ? summary : `${summary}\nToken ${token}`),
});

async function carryOut(
  ctx: WriteCtx,
  { path, status, splices }: FileReport,
  planned: Planned,
): Promise<void> {
  const entry = planned.entries.get(path);
  if (status === "created") {
    ctx.depend(creationKeys(path));
    const content = await stageContent(ctx, path, joinBytes(splices.map((splice) => splice.insert)));
    const created = ctx.now.toISOString();
    ctx.change(filesSlice, {
      slice: "files",
      op: "create",
      id: ctx.slice(filesSlice).idFor(path),
      path,
      body: { content, encoding: "utf-8", executable: false },
      created,
    });
  } else if (entry === undefined) return;
  else if (status === "removed")
    ctx.change(filesSlice, {
      slice: "files",
      op: "delete",
      id: entry.id,
      path,
      body: bodyOf(entry),
      created: entry.created.toISOString(),
    });
  else if (status === "changed") await editContent(ctx, entry, splices);
}
