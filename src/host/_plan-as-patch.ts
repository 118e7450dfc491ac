// Owns: a plan as text that other programs apply: a unified diff, an ndpatch.

import { createPatchSteps, formatPatchSteps } from "../patch/create.ts";
import { fileDiffSteps, isOtherBinary, type FileSideOfDiff } from "../patch/unified-write.ts";
import { comparePaths, relativePath, type WorkspacePath } from "../path/index.ts";
import type { FolderFile } from "../session/folders/folder-file.ts";
import type { SessionCore } from "../session/transact.ts";
import { Pacer } from "../text/steps.ts";
import { utf8Text } from "./compare-content.ts";
import { gitBinaryPatch } from "./_git-binary.ts";
import type { LandingFile } from "./_landing-file.ts";
import type { DiffOptions } from "./landing-plan.ts";
import { wholeBytes } from "./offer-file.ts";

export async function planAsDiff(
  core: SessionCore,
  planned: readonly LandingFile[],
  { binary = true }: DiffOptions,
): Promise<string> {
  const pace = new Pacer();
  let text = "";
  for (const [known, after] of differences(planned)) {
    const [before, then] = [await diffSide(core, known), await diffSide(core, after)];
    const bytes = binary && isOtherBinary(before, then);
    const part = bytes ? await gitBinaryPatch(before?.bytes, then?.bytes, pace) : undefined;
    text += await pace.run(fileDiffSteps(before, then, part));
  }
  return text;
}

type Written = readonly [before: FolderFile | undefined, after: FolderFile | undefined];

/**
 * What is written of the files, deletions first: a diff is applied from top to bottom. A rename is one where no other file
 * has or had one of its names; else it could not be taken back, and what is at each name before and after is written.
 */
function differences(planned: readonly LandingFile[]): Written[] {
  const before = new Map(planned.map(({ known }) => [known?.path, known]));
  const after = new Map(planned.map((file) => [file.after?.path, file.after]));
  const isRename = ({ known, after: then }: LandingFile): boolean =>
    known !== undefined && then !== undefined && !after.has(known.path) && !before.has(then.path);
  const renames = planned.filter(isRename);
  const alone = new Set(renames.flatMap(({ known, after: then }) => [known?.path, then?.path]));
  const paths = planned.flatMap(({ known, after: then }) => [known?.path, then?.path]);
  const others = [...new Set(paths)]
    .filter((path) => path !== undefined && !alone.has(path))
    .map((path): Written => [before.get(path), after.get(path)]);
  const all: Written[] = [...others, ...renames.map((file): Written => [file.known, file.after])];
  const nameOf = ([known, then]: Written): WorkspacePath => (then ?? (known as FolderFile)).path;
  all.sort((a, b) => comparePaths(nameOf(a), nameOf(b)));
  return [...all.filter(([, then]) => then === undefined), ...all.filter(([, then]) => then !== undefined)];
}

async function diffSide(
  core: SessionCore,
  file: FolderFile | undefined,
): Promise<FileSideOfDiff | undefined> {
  if (file === undefined) return undefined;
  const { path, executable, encoding, content } = file;
  const bytes = await wholeBytes(core, content);
  // Of other encodings only what is UTF-8 too survives in a text.
  return { path, executable, isBinary: encoding === "binary" || utf8Text(bytes) === undefined, bytes };
}

/** Throws `invalid_argument` / `binary` for files that are not text. */
export async function planAsNdpatch(core: SessionCore, planned: readonly LandingFile[]): Promise<string> {
  const pace = new Pacer();
  const [before, after] = [new Map<string, Uint8Array>(), new Map<string, Uint8Array>()];
  for (const { known, after: then } of planned) {
    if (known !== undefined)
      before.set(relativePath(known.path), await wholeBytes(core, known.content, pace));
    if (then !== undefined) after.set(relativePath(then.path), await wholeBytes(core, then.content, pace));
    await pace.step();
  }
  const { limits, names } = core;
  return pace.run(formatPatchSteps(await pace.run(createPatchSteps(before, after, { limits, names }))));
}
