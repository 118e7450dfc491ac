// Owns: `holdfast patch check|show|convert|create`: a patch over the files of a folder, which are read like a mount: no symbolic
// link is followed, and no path of a patch leads out of the folder.

import { stat } from "node:fs/promises";
import { basename } from "node:path";
import {
  applyPatch,
  createPatch,
  describeReport,
  editFormatOf,
  formatPatch,
  parseEdits,
  parsePatch,
  placeEdits,
  previewPatch,
  toUnifiedDiff,
  type ParsedEdits,
  type ParsedPatch,
  type Patch,
  type PatchFiles,
} from "../patch/index.ts";
import { parsePath, relativePath, type WorkspacePath } from "../path/index.ts";
import { openSession } from "../tools/index.ts";
import { about, inputBytes, inputText, STDIN } from "./input.ts";
import { isColoured, note, paintDiff, printText, printJson, printResult, type JsonFlag } from "./output.ts";
import { FOLDER_LIMITS, FOLDER_NAMES } from "./host-names.ts";
import { UsageError } from "./usage-error.ts";

export interface PatchFlags extends JsonFlag {
  readonly directory: string;
}

interface FormatFlags extends JsonFlag {
  readonly to: "ndpatch" | "unified";
}

export async function checkPatchCommand(file: string, flags: PatchFlags): Promise<void> {
  const { files, patch } = await patchOver(file, flags.directory);
  const report = applyPatch(files, patch, FOLDER_NAMES);
  if (!report.ok) process.exitCode = 1;
  const told = report.files.map(({ file: name, status, added, removed }) => ({
    file: name,
    status,
    added,
    removed,
  }));
  const conflicts = report.conflicts.map(({ index, file: name, line, reason, message }) => ({
    index,
    file: name,
    line,
    reason,
    message,
  }));
  if (flags.json === true) printJson({ ok: report.ok, applies: report.ok, files: told, conflicts });
  else if (report.ok) printText(describeReport(report));
  else note(`[Error] ${describeReport(report)}`);
}

export async function showPatchCommand(file: string, flags: PatchFlags): Promise<void> {
  const { files, patch } = await patchOver(file, flags.directory);
  const text = previewPatch(files, patch, {
    ...FOLDER_NAMES,
    color: flags.json !== true && isColoured(),
    budget: 10_000_000,
  });
  const { ok } = applyPatch(files, patch, FOLDER_NAMES);
  if (!ok) process.exitCode = 1;
  if (ok) printResult(flags, { text }, () => text);
  else if (flags.json === true) printJson({ ok, text });
  else note(`[Error] ${text.trimEnd()}`);
}

export async function convertCommand(file: string, flags: PatchFlags & FormatFlags): Promise<void> {
  const { files, patch } = await patchOver(file, flags.directory);
  await about(file, () => emit(files, patch, flags));
}

export async function createCommand(
  before: string,
  after: string,
  flags: FormatFlags & { readonly file?: string },
): Promise<void> {
  const [old, now] = await Promise.all([isFolder(before), isFolder(after)]);
  if (old !== now) throw new UsageError("A patch leads from a file to a file, or from a folder to a folder.");
  if (old) {
    const files = await filesOf(before);
    emit(files, createPatch(files, await filesOf(after), FOLDER_NAMES), flags);
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

/** A patch in whichever format, as operations over the files that it names. */
async function patchOver(
  file: string,
  directory: string,
): Promise<{ readonly files: PatchFiles; readonly patch: ParsedPatch }> {
  const text = await inputText(file);
  const read = await about(file, () =>
    (editFormatOf(text) ?? "ndpatch") === "ndpatch" ? parsePatch(text, FOLDER_NAMES) : parseEdits(text),
  );
  const files = await filesOf(directory, await about(file, () => namedIn(read)));
  if (!("format" in read)) return { files, patch: read };
  const { patch, notes } = await about(file, () => placeEdits(read, files, FOLDER_NAMES));
  for (const { message } of notes) note(`[Note] ${message}`);
  return { files, patch };
}

function namedIn(read: ParsedPatch | ParsedEdits): WorkspacePath[] {
  if (!("format" in read)) return [...read.paths.values()];
  return read.sources.map((name) => parsePath(name, { kind: "file", ...FOLDER_NAMES }));
}

/** The files of a folder, by their path in it; only those named, where some are. */
async function filesOf(folder: string, only?: readonly WorkspacePath[]): Promise<Map<string, Uint8Array>> {
  const include = only?.map((path) =>
    relativePath(path)
      .replace(/[[\]{}(),!]/g, "\\$&")
      .replaceAll("*", "?"),
  );
  const files = new Map<string, Uint8Array>();
  if (include?.length === 0) return files;
  const from = {
    from: folder,
    to: "/workspace",
    ...(include === undefined ? { gitignore: true } : { include }),
  };
  await using session = await about(folder, () =>
    openSession({ names: "unicode", limits: FOLDER_LIMITS, mounts: [from] }),
  );
  for (const { path } of session.files()) files.set(relativePath(path), await session.workspace.read(path));
  return files;
}

async function isFolder(file: string): Promise<boolean> {
  if (file === STDIN) return false;
  return (await stat(file).catch(() => undefined))?.isDirectory() ?? false;
}
