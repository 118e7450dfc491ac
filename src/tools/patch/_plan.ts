// Owns: a patch laid over the session's files: reading it, loading what it names, planning it. Nothing is changed here.

import { z } from "zod";
import { HoldfastError, say } from "../../errors.ts";
import {
  applyPatchSteps,
  parsePatch,
  type ParsedPatch,
  type PatchFile,
  type PatchReport,
} from "../../patch/index.ts";
import { countChars } from "../../text/index.ts";
import { runPaced } from "../../text/steps.ts";
import { fileTarget, type ReadCtx, type Target } from "../tool.ts";

export const patchInput: {
  readonly patch: z.ZodUnion<
    readonly [z.ZodString, z.ZodArray<z.ZodUnknown>, z.ZodObject<{}, z.core.$loose>]
  >;
  readonly numbering: z.ZodOptional<z.ZodEnum<{ original: "original"; offset: "offset" }>>;
} = {
  patch: z
    .union([z.string(), z.array(z.unknown()), z.looseObject({})])
    .describe(
      'Operations {file, line, op: "replace"|"insert"|"delete", old, new}; lines of the original file, from 1',
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

/** A patch that has been read, and how its lines are counted. */
export interface ReadPatch {
  readonly patch: ParsedPatch;
  readonly numbering: "original" | "offset";
}

export function resolvePatch(
  { patch: sent, numbering = "original" }: PatchArguments,
  ctx: ReadCtx,
): ReadPatch {
  const patch = parsePatch(sent, { limits: ctx.limits });
  checkSent(patch, ctx.limits.writeSize);
  return { patch, numbering };
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
export interface Planned {
  readonly files: ReadonlyMap<string, PatchFile>;
  readonly report: PatchReport;
}

export async function planPatch(ctx: ReadCtx, { patch, numbering }: ReadPatch): Promise<Planned> {
  const files = new Map<string, PatchFile>();
  for (const path of new Set(patch.paths.values())) {
    const file = await ctx.files.stat(path);
    if (file === undefined) continue;
    const { token } = file;
    files.set(path, { content: await ctx.files.read(path), ...(token === undefined ? {} : { token }) });
  }
  const options = { limits: ctx.limits, numbering };
  return { files, report: await runPaced(applyPatchSteps(files, patch, options), ctx.signal) };
}
