// Owns: which files a search looks at: below a path, with globs that take in and leave out.

import { z } from "zod";
import { compileGlob, ROOT, type Glob, type WorkspacePath } from "../../path/index.ts";
import type { FileInfo } from "../../session/files/workspace.ts";
import { Pacer } from "../../text/steps.ts";
import type { ReadCtx } from "../tool.ts";

type Globs = z.ZodUnion<readonly [z.ZodString, z.ZodArray<z.ZodString>]>;

const globs: Globs = z.union([z.string(), z.array(z.string()).max(50)]);

export const filterInput: {
  readonly path: z.ZodOptional<z.ZodString>;
  readonly include: z.ZodOptional<Globs>;
  readonly exclude: z.ZodOptional<Globs>;
} = {
  path: z.string().optional().describe("File or directory to look in"),
  include: globs.optional().describe("Globs, such as *.ts or src/**"),
  exclude: globs.optional(),
};

export interface FilterRequest {
  readonly path?: string | undefined;
  readonly include?: string | readonly string[] | undefined;
  readonly exclude?: string | readonly string[] | undefined;
}

/** A filter as a caller sent it, read. */
export interface FileFilter {
  readonly path: WorkspacePath;
  readonly include: readonly Glob[];
  readonly exclude: readonly Glob[];
}

/** Throws `invalid_argument` for a path or glob that cannot be. */
export function fileFilter({ path, include, exclude }: FilterRequest, ctx: ReadCtx): FileFilter {
  return {
    path: path === undefined ? ROOT : ctx.path(path, "any"),
    include: compileAll(include, ctx),
    exclude: compileAll(exclude, ctx),
  };
}

function compileAll(texts: string | readonly string[] | undefined, ctx: ReadCtx): Glob[] {
  return [texts ?? []].flat().map((text) => agentGlob(text, ctx));
}

/** A glob without a slash is the name of a file in any directory. What is wrong with it is said of what was sent. */
export function agentGlob(text: string, { limits }: ReadCtx): Glob {
  const glob = compileGlob(text, { limits });
  return text.includes("/") ? glob : compileGlob(`**/${text}`, { limits });
}

/** The files that pass, in order. Throws `not_found` when there is nothing at the path. */
export async function filesOf({ files, signal }: ReadCtx, filter: FileFilter): Promise<FileInfo[]> {
  const { path, include, exclude } = filter;
  const single = path === ROOT ? undefined : await files.stat(path);
  if (single !== undefined) return [single];
  // Opening says what is wrong with a path that is neither.
  if (!(await files.isDirectory(path))) await files.open(path);
  const passing: FileInfo[] = [];
  const pace = new Pacer(signal);
  for (const file of await files.under(path)) {
    await pace.step();
    if (include.length > 0 && !include.some((glob) => glob.matches(file.path))) continue;
    if (!exclude.some((glob) => glob.matches(file.path))) passing.push(file);
  }
  return passing;
}
