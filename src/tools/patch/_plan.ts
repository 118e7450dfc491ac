// Owns: a patch laid over the session's files: reading it, loading what it names, planning it. Nothing is changed here.

import { z } from "zod";
import { HoldfastError, say, type Shown } from "../../errors.ts";
import {
  applyPatchSteps,
  conflictError,
  fromUnifiedDiff,
  isUnifiedDiff,
  parsePatch,
  refuseFiles,
  sourcesOfUnifiedDiff,
  type FileRefusal,
  type ParsedPatch,
  type PatchFile,
  type PatchReport,
} from "../../patch/index.ts";
import { ROOT, type WorkspacePath } from "../../path/index.ts";
import type { FileInfo } from "../../session/files/workspace.ts";
import { countChars, spliceDelta } from "../../text/index.ts";
import { runPaced } from "../../text/steps.ts";
import { fileTarget, type ReadCtx, type Target } from "../tool.ts";

/** One operation, for readers of the definition. What is sent is read by the patch room, which names every problem. */
const operation = z.unknown().meta({
  type: "object",
  required: ["file", "line", "op"],
  properties: {
    file: { type: "string" },
    line: {
      type: "integer",
      minimum: 1,
      description: "Line of the original file, from 1; insert puts text before it",
    },
    op: { enum: ["replace", "insert", "delete"] },
    old: { type: "string", description: "replace, delete: the exact text of the line, as a check" },
    new: { type: "string", description: "replace, insert: the new text, one line or several" },
  },
});

export const patchInput: {
  readonly patch: z.ZodUnion<
    readonly [z.ZodArray<z.ZodUnknown>, z.ZodString, z.ZodObject<{}, z.core.$loose>]
  >;
  readonly numbering: z.ZodOptional<z.ZodEnum<{ original: "original"; offset: "offset" }>>;
} = {
  patch: z
    .union([z.array(operation), z.string(), z.looseObject({})])
    .describe(
      "Operations; or as text: their JSON, or a unified diff; or {operations, created, removed, base} with files to create empty, to remove, and tokens",
    ),
  numbering: z
    .enum(["original", "offset"])
    .optional()
    .describe("offset: lines are counted as the operations shift them"),
};

export interface PatchArguments {
  readonly patch: unknown;
  readonly numbering?: "original" | "offset" | undefined;
}

/** A patch that has been read, what it was written in, and how its lines are counted. */
export interface ReadPatch {
  readonly patch: ParsedPatch;
  readonly format: "ndpatch" | "unified diff";
  readonly numbering: "original" | "offset";
}

export async function resolvePatch(
  { patch: sent, numbering = "original" }: PatchArguments,
  ctx: ReadCtx,
): Promise<ReadPatch> {
  const { limits, names } = ctx;
  const isDiff = typeof sent === "string" && isUnifiedDiff(sent);
  const patch = isDiff
    ? fromUnifiedDiff(sent, { limits, names, files: await renamed(sent, ctx) })
    : parsePatch(sent, { limits, names });
  checkSent(patch, limits.writeSize);
  // A diff names the lines of the original file.
  return isDiff
    ? { patch, format: "unified diff", numbering: "original" }
    : { patch, format: "ndpatch", numbering };
}

/** The files that a diff renames or copies: it does not hold their text. */
async function renamed(diff: string, ctx: ReadCtx): Promise<Map<string, Uint8Array>> {
  const files = new Map<string, Uint8Array>();
  for (const name of sourcesOfUnifiedDiff(diff)) {
    const path = ctx.path(name, "file");
    if ((await ctx.files.stat(path)) !== undefined) files.set(path, await ctx.files.read(path));
  }
  return files;
}

/** What a caller sends in one call is bounded, whatever the tool. */
function checkSent(patch: ParsedPatch, limit: number): void {
  let size = 0;
  for (const operation of patch.operations)
    if (operation.new !== undefined) size += countChars(operation.new);
  if (size <= limit) return;
  throw new HoldfastError(
    "invalid_argument",
    "content_too_large",
    say`The patch brings ${size} characters of new text; one call may send ${limit}. Split it into several patches.`,
    { data: { size, limit } },
  );
}

export function patchTargets({ patch }: ReadPatch): Target[] {
  return [...new Set(patch.paths.values())].map(fileTarget);
}

/** A patch over the files as they are. */
export interface PlannedPatch {
  readonly files: ReadonlyMap<string, PatchFile>;
  readonly report: PatchReport;
}

/** Plans the patch. A report that is `ok` can be carried out: nothing is in the way of a file to be created. */
export async function planPatch(ctx: ReadCtx, { patch, numbering }: ReadPatch): Promise<PlannedPatch> {
  const files = new Map<string, PatchFile>();
  for (const path of new Set(patch.paths.values())) {
    const file = await ctx.files.stat(path);
    if (file === undefined) continue;
    const { token } = file;
    files.set(path, { content: await ctx.files.read(path), ...(token === undefined ? {} : { token }) });
  }
  const all = await ctx.files.under(ROOT);
  const options = { limits: ctx.limits, names: ctx.names, numbering, existing: () => pathsOf(all) };
  const report = await runPaced(applyPatchSteps(files, patch, options), ctx.signal);
  if (!report.ok) return { files, report };
  const refusals = [...(await clashes(ctx, report)), ...oversized(ctx, files, report)];
  return { files, report: refuseFiles(report, patch, refusals) };
}

function* pathsOf(files: Iterable<FileInfo>): Generator<WorkspacePath, void, undefined> {
  for (const { path } of files) yield path;
}

/** Everything that is in the way of the files the patch creates, once those it removes are gone. */
async function clashes(ctx: ReadCtx, { files }: PatchReport): Promise<FileRefusal[]> {
  const paths = (status: string): WorkspacePath[] =>
    files.filter((file) => file.status === status).map(({ path }) => path);
  const found = await ctx.files.obstacles(paths("created"), paths("removed"));
  return found.map(({ path, reason, message }) => ({
    path,
    reason: reason as FileRefusal["reason"],
    message: say`${message}.`,
  }));
}

function oversized(
  ctx: ReadCtx,
  given: ReadonlyMap<string, PatchFile>,
  { files }: PatchReport,
): FileRefusal[] {
  const limit = ctx.limits.fileBytes;
  return files.flatMap(({ path, splices }): FileRefusal[] => {
    const file = given.get(path);
    const before =
      file !== undefined && typeof file === "object" && "content" in file ? file.content.length : 0;
    const size = before + spliceDelta(splices);
    return size <= limit
      ? []
      : [
          {
            path,
            reason: "too_large",
            message: say`the file would have ${size} bytes; a file may have ${limit}. Split it into several files.`,
          },
        ];
  });
}

/** The error for a patch that does not apply. */
export function refusedPatch({ report }: PlannedPatch, { format }: ReadPatch, budget: number): HoldfastError {
  const error = conflictError(report, { budget });
  if (format === "ndpatch") return error;
  const { reason, data } = error;
  return new HoldfastError(
    "conflict",
    reason as Lowercase<string>,
    say`${error.message as Shown}\nThe patch was read as a unified diff: make it anew from the file as it is, or send corrected operations.`,
    data === undefined ? {} : { data },
  );
}
