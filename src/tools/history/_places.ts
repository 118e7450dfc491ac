// Owns: what a call that goes back in history may change, so that versions of it can be named.

import type { Shown } from "../../errors.ts";
import { ROOT } from "../../path/index.ts";
import { treeKey, treeSlice } from "../../session/tree/tree-slice.ts";
import { fileTarget, subtreeTarget, type ReadCtx, type Target } from "../tool.ts";

/** A file, or all files in a directory. */
export async function placeOf(ctx: ReadCtx, text: string): Promise<Target> {
  const path = ctx.path(text, "any");
  return (await ctx.files.isDirectory(path)) ? subtreeTarget(path) : fileTarget(path);
}

/** All files, and every tree. */
export function anywhereIn(ctx: ReadCtx): Target[] {
  return [subtreeTarget(ROOT), ...[...ctx.slice(treeSlice).peek().all.keys()].map(treeTarget)];
}

export function treeTarget(tree: string): Target {
  return { key: treeKey(tree), name: tree as Shown };
}
