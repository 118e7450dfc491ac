// Owns: `holdfast patch check|show|convert|create`.

import { stat } from "node:fs/promises";
import { basename } from "node:path";
import {
  applyPatch,
  createPatch,
  formatPatch,
  previewPatch,
  toUnifiedDiff,
  type Patch,
  type PatchFiles,
  type PatchReport,
} from "../patch/index.ts";
import { parsePath } from "../path/index.ts";
import { about, inputBytes, STDIN } from "./input.ts";
import { note, paint, paintDiff, printJson, printResult, type JsonFlag } from "./output.ts";
import { FOLDER_NAMES } from "./host-names.ts";
import { misfitText, reportText } from "./misfit-text.ts";
import { folderFiles, withPatch } from "./patch-folder.ts";
import { UsageError } from "./usage-error.ts";

export interface PatchFlags extends JsonFlag {
  readonly directory: string;
}

interface FormatFlags extends JsonFlag {
  readonly to: "ndpatch" | "unified";
}

export async function checkPatchCommand(file: string, flags: PatchFlags): Promise<void> {
  await withPatch(file, flags.directory, async ({ files, patch, isNdpatch }) => {
    const report = applyPatch(files, patch, FOLDER_NAMES);
    if (!report.ok) return tellMisfit(report, isNdpatch, flags);
    printResult(flags, { applies: true, ...reportValue(report) }, () => reportText(report));
  });
}

/** What a report says, for --json. */
export function reportValue({ files, conflicts, warnings }: PatchReport): object {
  return {
    files: files.map(({ file, status, added, removed }) => ({ file, status, added, removed })),
    conflicts: conflicts.map(({ index, file, line, reason, message }) => ({
      index,
      file,
      line,
      reason,
      message,
    })),
    ...(warnings.length === 0 ? {} : { warnings: warnings.map(({ message }) => message) }),
  };
}

/** Says why a patch does not fit; nothing was written. */
export function tellMisfit(report: PatchReport, isNdpatch: boolean, flags: JsonFlag): void {
  process.exitCode = 1;
  if (flags.json === true) printJson({ ok: false, applies: false, ...reportValue(report) });
  else note(`[Error] ${misfitText(report, isNdpatch)}`);
}

export async function showPatchCommand(file: string, flags: PatchFlags): Promise<void> {
  await withPatch(file, flags.directory, async ({ files, patch, isNdpatch }) => {
    const report = applyPatch(files, patch, FOLDER_NAMES);
    if (!report.ok) return tellMisfit(report, isNdpatch, flags);
    const text = previewPatch(files, patch, PREVIEW);
    printResult(flags, { ...reportValue(report), text }, () => paintPreview(text));
  });
}

export const PREVIEW: typeof FOLDER_NAMES & { readonly budget: number } = {
  ...FOLDER_NAMES,
  budget: 10_000_000,
};

/** A preview in the colours of a diff, with paths of the folder. Its lines are numbered, but for those that name files. */
export function paintPreview(text: string): string {
  return text
    .split("\n")
    .map((line) => {
      const kind = /^ *\d+ ([+-]) /.exec(line)?.[1];
      if (kind !== undefined) return paint(kind === "+" ? "green" : "red", line);
      return line.startsWith(" ") || line === "" ? line : paint("bold", line.replace(/^\/workspace\//, ""));
    })
    .join("\n");
}

export async function convertCommand(file: string, flags: PatchFlags & FormatFlags): Promise<void> {
  await withPatch(file, flags.directory, ({ files, patch }) => about(file, () => emit(files, patch, flags)));
}

export async function createCommand(
  before: string,
  after: string,
  flags: FormatFlags & { readonly file?: string },
): Promise<void> {
  const [old, now] = await Promise.all([isFolder(before), isFolder(after)]);
  if (old !== now) throw new UsageError("A patch leads from a file to a file, or from a folder to a folder.");
  if (old) {
    const files = await folderFiles(before);
    emit(files, createPatch(files, await folderFiles(after), FOLDER_NAMES), flags);
    return;
  }
  const name = flags.file ?? basename(before);
  parsePath(name, { kind: "file", ...FOLDER_NAMES });
  const [from, to] = [await inputBytes(before), await inputBytes(after)];
  await about(before, () =>
    emit({ [name]: from }, createPatch(from, to, { file: name, ...FOLDER_NAMES }), flags),
  );
}

function emit(files: PatchFiles, patch: Patch, flags: FormatFlags): void {
  const text = flags.to === "unified" ? toUnifiedDiff(files, patch, FOLDER_NAMES) : formatPatch(patch);
  const { operations, created, removed } = patch;
  printResult(flags, { format: flags.to, operations: operations.length, created, removed, patch: text }, () =>
    flags.to === "unified" ? paintDiff(text) : text,
  );
}

async function isFolder(file: string): Promise<boolean> {
  if (file === STDIN) return false;
  return (await stat(file).catch(() => undefined))?.isDirectory() ?? false;
}
