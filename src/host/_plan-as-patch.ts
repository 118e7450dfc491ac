// Owns: a plan as text that other programs apply: a unified diff, an ndpatch.

import { createPatch, formatPatch } from "../patch/create.ts";
import { fileDiffSteps, type FileSideOfDiff } from "../patch/unified-write.ts";
import { relativePath } from "../path/index.ts";
import type { FolderFile } from "../session/folders/folder-file.ts";
import type { SessionCore } from "../session/transact.ts";
import { Pacer } from "../text/steps.ts";
import type { LandingFile } from "./_landing-file.ts";
import { wholeBytes } from "./offer-file.ts";

export async function planAsDiff(core: SessionCore, planned: readonly LandingFile[]): Promise<string> {
  const pace = new Pacer();
  let text = "";
  for (const { known, after } of planned) {
    const [before, then] = [await diffSide(core, known), await diffSide(core, after)];
    text += await pace.run(fileDiffSteps(before, then));
  }
  return text;
}

async function diffSide(
  core: SessionCore,
  file: FolderFile | undefined,
): Promise<FileSideOfDiff | undefined> {
  if (file === undefined) return undefined;
  const { path, executable, encoding, content } = file;
  return { path, executable, isBinary: encoding === "binary", bytes: await wholeBytes(core, content) };
}

/** Throws `invalid_argument` / `binary` for files that are not text. */
export async function planAsNdpatch(core: SessionCore, planned: readonly LandingFile[]): Promise<string> {
  const [before, after] = [new Map<string, Uint8Array>(), new Map<string, Uint8Array>()];
  for (const { known, after: then } of planned) {
    if (known !== undefined) before.set(relativePath(known.path), await wholeBytes(core, known.content));
    if (then !== undefined) after.set(relativePath(then.path), await wholeBytes(core, then.content));
  }
  return formatPatch(createPatch(before, after, { limits: core.limits, names: core.names }));
}
