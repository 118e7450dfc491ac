// Owns: the tools that judge: validate_tree, lint_payload, diff_subtree.

import { z } from "zod";
import {
  diffSubtreeSteps,
  diffText,
  lintPayload,
  showId,
  validateTreeSteps,
  type TreeDiff,
  type TreeValidation,
} from "../../tree/operations.ts";
import { showName } from "../../text/show.ts";
import { plural } from "../../text/plural.ts";
import type { Tool } from "../tool.ts";
import { boundDiff, diffShape } from "./_bound-diff.ts";
import { readTool, type Reply } from "./_read-tool.ts";
import { readRuleset, rulesetFile, rulesetNamed } from "./_rulesets.ts";
import { queryOf, resultOf, inTree, shape } from "./_tree-tool.ts";

const violation = z.object({
  nodeId: z.string(),
  path: z.string(),
  rule: z.string(),
  property: z.string().optional(),
  message: z.string(),
});

const validation = {
  ruleset: z.string(),
  checked: z.int(),
  total: z.int(),
  violations: z.array(violation),
};

const rulesetId = z.string().describe("A ruleset's id, or the path of a ruleset file");

/** A ruleset may bring messages of its own; one that would break the line is quoted. */
function lineOf(message: string): string {
  return /^[ -~\u00a1-\u00ac\u00ae-\u024f]{1,400}$/.test(message) ? message : showName(message, 400);
}

function validationText({ checked, total, violations }: TreeValidation): Reply {
  if (total === 0) return { head: [`${plural(checked, "node")} checked: no violations`], content: "" };
  const lines: string[] = [];
  for (const { nodeId, path, rule, property, message } of violations)
    lines.push(
      `${showId(nodeId)} ${showName(path, 400)}${property === undefined ? "" : ` ${showName(property)}`}: ${lineOf(message)} (${rule})`,
    );
  const left = total - violations.length;
  const more =
    left > 0 ? `, the first ${violations.length} of them listed; check branches with rootNodeId` : "";
  return {
    head: [`${plural(checked, "node")} checked: ${plural(total, "violation")}${more}`],
    content: lines.join("\n"),
  };
}

const validateTreeTool: Tool = readTool({
  name: "validate_tree",
  title: "Validate a tree",
  description:
    "Checks a tree or a branch against a ruleset: required fields, kinds, ranges, patterns, parents and children.",
  input: z.object({ rulesetId, rootNodeId: z.string().optional(), ...inTree, budget: shape.budget }),
  output: validation,
  about: ({ rootNodeId, tree }) => ({ nodes: [rootNodeId], tree }),
  resolve: ({ rulesetId: id, ...scope }, ctx) => ({ named: rulesetNamed(ctx, id), scope: queryOf(scope) }),
  file: ({ named }) => rulesetFile(named),
  async run({ forest }, { named, scope }, ctx) {
    const ruleset = await readRuleset(ctx, named);
    return resultOf(validateTreeSteps(forest, ruleset, scope, ctx.limits), ctx.signal);
  },
  text: validationText,
});

const lintPayloadTool: Tool = readTool({
  name: "lint_payload",
  title: "Lint a payload",
  description: "Checks the payload of one node against a ruleset.",
  input: z.object({ nodeId: z.string(), rulesetId, budget: shape.budget }),
  output: validation,
  about: ({ nodeId }) => ({ nodes: [nodeId] }),
  resolve: ({ rulesetId: id, nodeId }, ctx) => ({ named: rulesetNamed(ctx, id), nodeId }),
  file: ({ named }) => rulesetFile(named),
  run: async ({ forest }, { named, nodeId }, ctx) =>
    lintPayload(forest, await readRuleset(ctx, named), { nodeId }),
  text: validationText,
});

const diffSubtreeTool: Tool = readTool({
  name: "diff_subtree",
  title: "Compare two subtrees",
  description:
    "Compares two branches by the names of their nodes: added, removed, moved, reordered, changed.",
  input: z.object({ aId: z.string(), bId: z.string(), budget: shape.budget }),
  output: diffShape,
  about: ({ aId, bId }) => ({ nodes: [aId, bId] }),
  run: async ({ forest }, { aId, bId }, ctx) =>
    boundDiff(await resultOf(diffSubtreeSteps(forest, { aId, bId }), ctx.signal)),
  text: (diff) => diffText(diff as unknown as TreeDiff),
});

export const CHECK_RULES: readonly Tool[] = [validateTreeTool, lintPayloadTool, diffSubtreeTool];
