// Short ways to say what a test means: a text, operations on it, and what comes out.

import { HoldfastError } from "../../src/errors.ts";
import {
  applyPatch,
  parsePatch,
  patchedFiles,
  type ApplyPatchOptions,
  type PatchReport,
} from "../../src/patch/index.ts";

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

type Loose = Record<string, unknown>;

/** Operations on one file, `f`. */
export const on = (operations: readonly Loose[]): Loose[] =>
  operations.map((operation) => ({ file: "f", ...operation }));

/** The report for operations on the text of `f`; undefined is a missing file. */
export function reportFor(
  text: string | undefined,
  operations: readonly Loose[],
  options: ApplyPatchOptions = {},
): PatchReport {
  return applyPatch(text === undefined ? {} : { f: text }, on(operations), options);
}

/** The text of `f` after the operations, or the statuses if the patch does not apply. */
export function after(
  text: string | undefined,
  operations: readonly Loose[],
  options: ApplyPatchOptions = {},
): string {
  const files = text === undefined ? {} : { f: text };
  const report = applyPatch(files, on(operations), options);
  if (!report.ok) return `conflict: ${report.statuses.join(", ")}`;
  const bytes = patchedFiles(files, report).get("f");
  return bytes === undefined ? "no file" : decoder.decode(bytes);
}

/** The error of a document that cannot be read. */
export function refusal(document: unknown, options: Parameters<typeof parsePatch>[1] = {}): HoldfastError {
  try {
    parsePatch(document, options);
  } catch (error) {
    if (HoldfastError.is(error)) return error;
    throw error;
  }
  throw new Error("the document was read");
}

export interface Problem {
  readonly index?: number;
  readonly field?: string;
  readonly reason: string;
  readonly message: string;
}

export function problemsOf(document: unknown): Problem[] {
  return (refusal(document).data as unknown as { problems: Problem[] }).problems;
}

/** Lines L1 to Ln. */
export const numbered = (n: number): string => Array.from({ length: n }, (_, i) => `L${i + 1}\n`).join("");
