// Owns: `holdfast patch apply`: a patch carried out in a folder, as a landing: every file is what it was when the patch was checked, or
// nothing is written.

import { applyPatch, patchedFiles, previewPatch } from "../patch/index.ts";
import { relativePath } from "../path/index.ts";
import { plural } from "../text/plural.ts";
import { FOLDER_NAMES } from "./host-names.ts";
import { note, printResult } from "./output.ts";
import { withPatch, type PatchOver } from "./patch-folder.ts";
import { paintPreview, PREVIEW, reportValue, tellMisfit, type PatchFlags } from "./patch-run.ts";
import { landProgress } from "./progress.ts";
import { RefusedError } from "./usage-error.ts";

export async function applyPatchCommand(
  file: string,
  flags: PatchFlags & { readonly dryRun?: boolean },
): Promise<void> {
  const { dryRun = false } = flags;
  await withPatch(file, flags.directory, async (over) => {
    const { files, patch, isNdpatch } = over;
    const report = applyPatch(files, patch, FOLDER_NAMES);
    if (!report.ok) return tellMisfit(report, isNdpatch, flags);
    for (const { message } of flags.json === true ? [] : report.warnings) note(`[Warning] ${message}`);
    const value = { ...reportValue(report), dryRun };
    if (dryRun) return printResult(flags, value, () => paintPreview(previewPatch(files, patch, PREVIEW)));
    const changed = report.files.filter(({ status }) => ["changed", "created", "removed"].includes(status));
    const after = patchedFiles(files, report);
    const gone = changed.filter(({ status }) => status === "removed");
    await landPatch(over, {
      gone: gone.map(({ path }) => path),
      written: changed.flatMap(({ file: name, path, status }) => {
        const bytes = status === "removed" ? undefined : after.get(name);
        return bytes === undefined ? [] : [[path, bytes] as const];
      }),
    });
    printResult(flags, value, () =>
      [
        changed.length === 0 ? "Nothing to change." : `Applied to ${plural(changed.length, "file")}:`,
        ...report.files.map(
          ({ path, status, added, removed }) =>
            `  ${status.replace("_", " ").padEnd(8)} ${relativePath(path)}  +${added} -${removed}`,
        ),
      ].join("\n"),
    );
  });
}

interface Outcome {
  readonly gone: readonly string[];
  readonly written: readonly (readonly [path: string, bytes: Uint8Array])[];
}

export async function landPatch({ session }: PatchOver, { gone, written }: Outcome): Promise<void> {
  // Removals first: a file may become a directory, or get a name that differs only in case.
  for (const path of gone) await session.workspace.remove(path);
  if (written.length > 0) await session.workspace.writeAll(written);
  const plan = await session.plan();
  const strange = [...plan.conflicts.map(({ path }) => path), ...plan.notMounted].map(relativePath);
  if (strange.length > 0)
    throw new RefusedError(
      "conflict",
      "changed_outside",
      `${strange.join(", ")} changed while the patch was applied, or something else is in its place. Nothing was written; try again.`,
      { paths: strange },
    );
  if (plan.isEmpty) return;
  const progress = landProgress();
  await plan.land({ onProgress: progress.onProgress }).finally(progress.end);
}
