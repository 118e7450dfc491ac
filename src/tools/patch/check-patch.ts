// Owns: check_patch: what a patch would change, or why it does not apply. Changes nothing.

import { z } from "zod";
import { describeReport, previewReportSteps } from "../../patch/index.ts";
import { runPaced } from "../../text/steps.ts";
import { budget } from "../paging.ts";
import { defineTool, type Tool } from "../tool.ts";
import { patchInput, patchTargets, planPatch, readAs, resolvePatch, SPLIT_PATCH } from "./_plan.ts";
import { patchedFile } from "./apply-patch.ts";

const input = z.object({
  ...patchInput,
  budget,
});

const output = z.object({
  applies: z.boolean(),
  files: z.array(patchedFile),
  conflicts: z.array(
    z.object({
      index: z.int().optional(),
      path: z.string(),
      line: z.int().optional(),
      reason: z.string(),
      message: z.string(),
    }),
  ),
  /** How many conflicts there are in all. */
  conflict_count: z.int(),
  shown: z.string(),
});

/** Of the budget, for counts and warnings around the shown lines. */
const RESERVED = 600;

/** The first items, as many as the budget holds, and at least one. */
function fitting<T>(items: readonly T[], budget: number): T[] {
  let size = 0;
  const end = items.findIndex((item, i) => (size += JSON.stringify(item).length) > budget && i > 0);
  return end < 0 ? [...items] : items.slice(0, end);
}

export const checkPatchTool: Tool = defineTool({
  name: "check_patch",
  toolset: "patch",
  access: "read",
  title: "Check a patch",
  description:
    "Shows what apply_patch would change, as hunks, or every operation that does not fit and what to send instead.",
  lists: "bounded",
  split: SPLIT_PATCH,
  input,
  output,
  resolve: resolvePatch,
  targets: patchTargets,
  async run(ctx, patch) {
    const { files, report, notes } = await planPatch(ctx, patch, { asksRules: true });
    const budget = Math.max(0, ctx.budget - RESERVED);
    const shown = report.ok
      ? `${describeReport(report)}\n\n${await runPaced(previewReportSteps(files, report, { budget }), ctx.signal)}`
      : describeReport(report, { budget });
    const conflicts = report.conflicts.map(({ index, path, line, reason, message }) => ({
      ...(index === undefined ? {} : { index }),
      path,
      ...(line === undefined ? {} : { line }),
      reason,
      message,
    }));
    return {
      applies: report.ok,
      files: report.files.map(({ path, status, added, removed }) => ({ path, status, added, removed })),
      conflicts: fitting(conflicts, ctx.budget),
      conflict_count: report.conflictCount,
      shown: `${shown}${readAs(patch.format, notes)}`,
    };
  },
  refuses: ({ applies }) => !applies,
  text: ({ applies, shown }) => `${applies ? "The patch applies" : "The patch does not apply"}: ${shown}`,
});
