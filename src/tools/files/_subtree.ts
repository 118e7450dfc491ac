// Owns: calls that take a file or a whole directory: which it is, and what the files of one would be called elsewhere.

import { HoldfastError, say } from "../../errors.ts";
import { foldKey, joinPath, ROOT, segmentsOf, type WorkspacePath } from "../../path/index.ts";
import type { FileMove } from "../../session/files/workspace.ts";
import { Pacer } from "../../text/steps.ts";
import { fileTarget, subtreeTarget, type ReadCtx, type Target, type WriteCtx } from "../tool.ts";

/** A path that a call names, and whether all files below it are meant. */
export interface Named {
  readonly path: WorkspacePath;
  readonly isDirectory: boolean;
}

/** What a caller's path names. What is not there is taken for a file: opening it says that it is not. */
export async function named(text: string, ctx: ReadCtx): Promise<Named> {
  const path = ctx.path(text, "any");
  if (path === ROOT)
    throw new HoldfastError(
      "invalid_argument",
      "path_root",
      say`The path names the workspace itself. Name a file or directory in it.`,
    );
  const isFile = (await ctx.files.stat(path)) !== undefined;
  return { path, isDirectory: !isFile && (await ctx.files.isDirectory(path)) };
}

export function namedTarget({ path, isDirectory }: Named): Target {
  return isDirectory ? subtreeTarget(path) : fileTarget(path);
}

/** Every file of `from` with the path it has under `to`. Throws when something is there already. */
export async function movesOf(
  ctx: WriteCtx,
  { from: { path, isDirectory }, to: destination }: { readonly from: Named; readonly to: WorkspacePath },
  access: "read" | "write",
): Promise<FileMove[]> {
  if (!isDirectory) {
    await refuseTaken(ctx, path, destination);
    return [{ from: path, to: destination }];
  }
  if (destination === path || isBelow(destination, path))
    throw new HoldfastError(
      "invalid_argument",
      "into_itself",
      say`${destination} lies in ${path}, which cannot go into itself. Choose a destination outside of it.`,
    );
  await refuseTaken(ctx, path, destination);
  const depth = segmentsOf(path).length;
  const { limits, names } = ctx;
  const files = await ctx.files.subtree(path, access);
  // Gone meanwhile: moving or copying it says so.
  if (files.length === 0) return [{ from: path, to: destination }];
  return new Pacer(ctx.signal).map(files, (file) => {
    const to = joinPath(destination, segmentsOf(file.path).slice(depth), { limits, names });
    if (!ctx.files.permission(to).write) throw partlyClosed(destination, path);
    return { from: file.path, to };
  });
}

function partlyClosed(destination: WorkspacePath, path: WorkspacePath): HoldfastError {
  return new HoldfastError(
    "forbidden",
    "path_denied",
    say`A rule of the host closes part of what ${destination} would hold, so ${path} cannot go there as a whole. Take its files one by one, or choose another destination.`,
  );
}

/** Whether a path lies below a directory, in any case of letters: for the state that is one directory. */
function isBelow(path: WorkspacePath, directory: WorkspacePath): boolean {
  return foldKey(path).startsWith(`${foldKey(directory)}/`);
}

/** The way to say what to do, which only these calls know; the state refuses the rest. */
async function refuseTaken({ files }: WriteCtx, from: WorkspacePath, to: WorkspacePath): Promise<void> {
  if (from === to)
    throw new HoldfastError(
      "invalid_argument",
      "same_path",
      say`Source and destination are both ${from}. Name another destination.`,
    );
  if ((await files.stat(to)) !== undefined)
    throw new HoldfastError(
      "conflict",
      "file_exists",
      say`${to} exists already. Choose another destination, or delete it first.`,
    );
  if (await files.isDirectory(to))
    throw new HoldfastError(
      "conflict",
      "is_directory",
      say`${to} is a directory. Name the new path in full, such as ${to}/${segmentsOf(from).at(-1) ?? say``}.`,
    );
}
