// Edits of models from text to text, for tests.

import { expect } from "vitest";
import { HoldfastError } from "../../src/errors.ts";
import { applyPatch, parseEdits, patchedFiles, placeEdits, type EditNote } from "../../src/patch/index.ts";

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

interface Outcome {
  readonly files: Record<string, string | undefined>;
  readonly notes: readonly EditNote[];
}

/** The files after the edits. */
export function edited(files: Record<string, string>, text: string): Outcome {
  const { patch, notes } = placeEdits(parseEdits(text), files);
  const report = applyPatch(files, patch);
  expect(report.conflicts).toEqual([]);
  const after = patchedFiles(files, report);
  const result: Record<string, string | undefined> = { ...files };
  for (const [name, bytes] of after) result[name] = bytes === undefined ? undefined : decoder.decode(bytes);
  for (const name of patch.removed) delete result[name];
  return { files: result, notes };
}

/** The error that the edits are refused with. */
export function refused(
  files: Record<string, string>,
  text: string,
): { code: string; reason: string; message: string } {
  try {
    edited(files, text);
  } catch (error) {
    if (HoldfastError.is(error)) return { code: error.code, reason: error.reason, message: error.message };
    throw error;
  }
  throw new Error("the edits were taken");
}

export const block = (search: string, replace: string): string =>
  `<<<<<<< SEARCH\n${search}=======\n${replace}>>>>>>> REPLACE\n`;
export const v4a = (...lines: string[]): string =>
  ["*** Begin Patch", ...lines, "*** End Patch", ""].join("\n");
