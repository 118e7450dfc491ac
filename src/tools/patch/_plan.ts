// Owns: a patch laid over the session's files: reading it, loading what it names, planning it. Nothing is changed here.

import { z } from "zod";
import { HoldfastError, say, sayAll, type Shown } from "../../errors.ts";
import {
  applyPatchSteps,
  conflictError,
  editFormatOf,
  parseEdits,
  parsePatchSteps,
  placeEditsSteps,
  refuseFiles,
  type EditNote,
  type FileRefusal,
  type ParsedEdits,
  type ParsedPatch,
  type PatchFile,
  type PatchReport,
} from "../../patch/index.ts";
import { ROOT, type WorkspacePath } from "../../path/index.ts";
import { pathDenied, versionWanted, type FileInfo } from "../../session/files/workspace.ts";
import { readAnyToken, tokenOf } from "../../store/token.ts";
import { spliceDelta } from "../../text/index.ts";
import { MOST_GUESSED } from "../../path/nearest-path.ts";
import { runPaced } from "../../text/steps.ts";
import { fileTarget, type BasedTarget, type ReadCtx, type Target } from "../tool.ts";

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
      "Operations; or as text: their JSON, a unified diff, V4A, SEARCH/REPLACE blocks, or whole files in fences under their paths; or {operations, created, removed, base} with files to create empty, to remove, and tokens",
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

/** A patch that has been read: operations, or edits whose places are looked for in the files as they are when it runs. */
export type ReadPatch = { readonly paths: readonly WorkspacePath[] } & (
  | { readonly format: "ndpatch"; readonly patch: ParsedPatch; readonly numbering: "original" | "offset" }
  | { readonly format: ParsedEdits["format"]; readonly edits: ParsedEdits }
);

export async function resolvePatch(
  { patch: sent, numbering = "original" }: PatchArguments,
  ctx: ReadCtx,
): Promise<ReadPatch> {
  const { limits, names } = ctx;
  if (typeof sent === "string" && sent.trim() !== "" && editFormatOf(sent) !== "ndpatch") {
    checkLength(sent, limits.patchChars);
    const edits = parseEdits(sent);
    const paths = [...new Set(edits.sources.map((name) => ctx.path(name, "file")))];
    return { format: edits.format, edits, paths };
  }
  const patch = await runPaced(parsePatchSteps(sent, { limits, names }), ctx.signal);
  return { format: "ndpatch", patch, numbering, paths: [...new Set(patch.paths.values())] };
}

const FORMAT_NAMES: Readonly<Record<ParsedEdits["format"], Shown>> = {
  v4a: say`V4A`,
  search_replace: say`SEARCH/REPLACE blocks`,
  unified_diff: say`a unified diff`,
  whole_file: say`whole files`,
};

/** What a model must know of how its text was read; empty for operations. */
export function readAs(format: ReadPatch["format"], notes: readonly EditNote[] = []): Shown {
  if (format === "ndpatch") return say``;
  const lines = notes.slice(0, SPELLED_OUT).map(({ message }) => say`\n[${message}]`);
  if (notes.length > SPELLED_OUT)
    lines.push(say`\n[and ${notes.length - SPELLED_OUT} more placed elsewhere]`);
  return say`\n[Read as ${FORMAT_NAMES[format]}]${sayAll(lines, "")}`;
}

const SPELLED_OUT = 20;

function checkLength(text: string, limit: number): void {
  if (text.length <= limit) return;
  throw new HoldfastError(
    "invalid_argument",
    "too_large",
    say`The patch has ${text.length} characters; it may have ${limit}. ${SPLIT_PATCH}`,
    { data: { size: text.length, limit } },
  );
}

export const SPLIT_PATCH: Shown = say`Split it into several patches.`;

/** A copy or a rename puts text into files that no caller sent: like any text that is written at many places, it is bounded. */
function checkPut({ files }: PatchReport, limit: number): void {
  let size = 0;
  for (const { splices } of files) for (const { insert } of splices) size += insert.length;
  if (size <= limit) return;
  throw new HoldfastError(
    "invalid_argument",
    "too_much_text",
    say`The patch would put ${size} bytes of text into files; one call may put in ${limit}. ${SPLIT_PATCH}`,
    { data: { size, limit } },
  );
}

export function patchTargets({ paths }: ReadPatch): Target[] {
  return paths.map(fileTarget);
}

/** Files whose versions the patch names itself, in its `base`. */
export function patchBases(read: ReadPatch): BasedTarget[] {
  if ("edits" in read) return [];
  const { base, paths } = read.patch;
  return [...base].flatMap(([file, version]) => {
    const path = paths.get(file);
    return path === undefined ? [] : [{ ...fileTarget(path), version }];
  });
}

interface PlanOptions {
  readonly asksRules?: boolean;
  readonly isNamed?: (file: Target) => boolean;
}

/** A patch over the files as they are. */
export interface PlannedPatch {
  readonly files: ReadonlyMap<string, PatchFile>;
  readonly report: PatchReport;
  readonly notes: readonly EditNote[];
}

/**
 * Plans the patch. A report that is `ok` can be carried out: nothing is in the way of a file to be created. What the host's rules
 * have against it is listed with whatever else is; of a patch that fits it is listed only if `asksRules`, since carrying it out
 * finds that itself. `isNamed` says whether the caller has named a file's version.
 */
export async function planPatch(
  ctx: ReadCtx,
  read: ReadPatch,
  { asksRules = false, isNamed = () => false }: PlanOptions = {},
): Promise<PlannedPatch> {
  const files = new Map<string, PatchFile>();
  for (const path of read.paths) {
    const file = await ctx.files.stat(path);
    if (file === undefined) continue;
    const token = tokenAsNamed(file, read);
    files.set(path, { content: await ctx.files.read(path), ...(token === undefined ? {} : { token }) });
  }
  const all = await ctx.files.under(ROOT);
  const options = { limits: ctx.limits, names: ctx.names, existing: pathsOf(all) };
  const { patch, notes } =
    "edits" in read
      ? await runPaced(placeEditsSteps(read.edits, files, options), ctx.signal)
      : { patch: read.patch, notes: [] };
  const numbering = "edits" in read ? "original" : read.numbering;
  const report = await runPaced(applyPatchSteps(files, patch, { ...options, numbering }), ctx.signal);
  if (report.ok) checkPut(report, ctx.limits.replaceBytes);
  const refusals = report.ok
    ? [
        ...(await clashes(ctx, report)),
        ...(await directories(ctx, patch, report)),
        ...oversized(ctx, files, report),
      ]
    : [];
  if (asksRules || !report.ok || refusals.length > 0)
    refusals.push(...(await refusedByRules(ctx, read, report, isNamed)));
  return { files, report: withRefusals(report, patch, refusals), notes };
}

/** The report with refusals beside the conflicts that it has. */
function withRefusals(
  report: PatchReport,
  patch: ParsedPatch,
  refusals: readonly FileRefusal[],
): PatchReport {
  const refused = refuseFiles(report, patch, refusals);
  if (report.ok || refusals.length === 0) return refused;
  return {
    ...refused,
    files: refused.files.map((file, i) => (file.status === "conflict" ? file : (report.files[i] ?? file))),
    conflicts: [...report.conflicts, ...refused.conflicts],
    conflictCount: report.conflictCount + refused.conflictCount,
  };
}

/** A file's token, as the `base` of the patch spells it where that is of the same version. */
function tokenAsNamed({ path, token }: FileInfo, read: ReadPatch): string | undefined {
  if ("edits" in read) return token;
  const { base, paths } = read.patch;
  for (const [file, named] of base) {
    const at = paths.get(file) === path ? readAnyToken(named)?.at : undefined;
    if (at !== undefined && tokenOf(at) === token) return named;
  }
  return token;
}

/** The paths of the files that a guess is made from. They can be gone over only once, and several guesses are made. */
function pathsOf(files: Iterable<FileInfo>): () => readonly WorkspacePath[] {
  let paths: WorkspacePath[] | undefined;
  return () => {
    if (paths !== undefined) return paths;
    paths = [];
    for (const { path } of files) if (paths.push(path) >= MOST_GUESSED) break;
    return paths;
  };
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

/**
 * Directories among the files to be removed. They are no such files that are gone already, unless nothing is left in
 * them but what the patch itself has put there.
 */
async function directories(ctx: ReadCtx, patch: ParsedPatch, { files }: PatchReport): Promise<FileRefusal[]> {
  const statuses = new Map(files.map(({ path, status }) => [path, status]));
  const refusals: FileRefusal[] = [];
  for (const path of new Set(patch.removed.map((file) => patch.paths.get(file)))) {
    if (path === undefined || statuses.get(path) !== "already_applied") continue;
    for (const { path: inside } of await ctx.files.under(path)) {
      if (statuses.has(inside)) continue;
      const message = say`${path} is a directory, and only files can be removed. Name the files in it.`;
      refusals.push({ path, reason: "is_directory", message });
      break;
    }
  }
  return refusals;
}

/** What the host's rules have against the changes of a patch: what carrying it out would be refused with. */
async function refusedByRules(
  ctx: ReadCtx,
  read: ReadPatch,
  { files }: PatchReport,
  isNamed: (file: Target) => boolean,
): Promise<FileRefusal[]> {
  const refusals: FileRefusal[] = [];
  const based = new Set(patchBases(read).map(({ name }) => name));
  for (const { path, status } of files) {
    if (status === "already_applied") continue;
    const permission = ctx.files.permission(path);
    const isUnnamed = permission.version && !based.has(path) && !isNamed(fileTarget(path));
    const token = isUnnamed ? (await ctx.files.stat(path))?.token : undefined;
    const error = !permission.write
      ? pathDenied(path, permission)
      : token === undefined
        ? undefined
        : versionWanted(path, token);
    if (error !== undefined)
      refusals.push({
        path,
        reason: error.reason as FileRefusal["reason"],
        message: error.message,
      });
  }
  return refusals;
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
    say`${error.message}\nThe patch was read as ${FORMAT_NAMES[format]}: make it anew from the file as it is, or send corrected operations.`,
    data === undefined ? {} : { data },
  );
}
