// Owns: the tools that change what nodes hold: update_payload_property, update_payload, update_nodes, tag_node.

import { z } from "zod";
import {
  showId,
  tagNode,
  updateNodesSteps,
  updatePayload,
  updatePayloadProperty,
  type NodeFilter,
  type Updated,
} from "../../tree/operations.ts";
import { showJson, showName } from "../../text/show.ts";
import { plural } from "../../text/plural.ts";
import type { Tool } from "../tool.ts";
import { changeTool } from "./_change-tool.ts";
import { allIds, inTree, jsonObject, pageToken, some, someIds } from "./_tree-tool.ts";

const updated = {
  nodeId: z.string(),
  changed: z.array(z.string()),
  shared: z.array(z.string()).optional(),
};

function updatedText({ nodeId, changed, shared }: Updated): string {
  if (changed.length === 0) return `${showId(nodeId)} holds these values already`;
  const also = shared === undefined || shared.length === 0 ? "" : `; shown by ${someIds(shared)} too`;
  return `Updated ${some(changed.map((path) => showName(path)))} of ${showId(nodeId)}${also}`;
}

const updatePropertyTool: Tool = changeTool({
  name: "update_payload_property",
  destructive: true,
  title: "Update a property",
  description: "Sets one property of a node's payload, also by path: meta.owner.",
  input: { nodeId: z.string(), propertyName: z.string(), newValue: z.unknown().describe("Any JSON value") },
  output: updated,
  about: ({ nodeId }) => ({ nodes: [nodeId] }),
  change: (forest, input, caller) =>
    updatePayloadProperty(forest, { ...input, newValue: input.newValue as unknown }, caller),
  node: ({ nodeId }) => nodeId,
  text: updatedText,
});

const updatePayloadTool: Tool = changeTool({
  name: "update_payload",
  destructive: true,
  title: "Update a payload",
  description: "Sets several properties of a node's payload, all or none.",
  input: { nodeId: z.string(), patch: jsonObject("Properties and their new values") },
  output: updated,
  about: ({ nodeId }) => ({ nodes: [nodeId] }),
  change: (forest, input, caller) =>
    updatePayload(forest, { ...input, patch: input.patch as unknown }, caller),
  node: ({ nodeId }) => nodeId,
  text: updatedText,
});

const outcome = z.looseObject({
  nodeId: z.string(),
  status: z.enum(["updated", "unchanged", "failed"]),
});

const SHOWN_FAILURES = 20;

const updateNodesTool: Tool = changeTool({
  name: "update_nodes",
  destructive: true,
  title: "Update nodes",
  description:
    "Sets properties of all nodes that meet a filter. Failures are listed, the others are changed; at most 500 a call, then pageToken leads on.",
  input: {
    filter: z
      .unknown()
      .describe('A list of {path, op, value} or a group {op: "and"|"or", predicates, groups}'),
    patch: jsonObject("Properties and their new values"),
    rootNodeId: z.string().optional().describe("Only this branch"),
    ...pageToken,
    ...inTree,
  },
  output: {
    matched: z.int(),
    updated: z.int(),
    failed: z.int(),
    nodes: z.array(outcome),
    root: z.string(),
    pageToken: z.string().optional(),
  },
  about: ({ rootNodeId, tree }) => ({ nodes: [rootNodeId], tree }),
  *change(forest, input, caller) {
    const root = input.rootNodeId ?? rootOf(forest.tree(input.tree));
    const made = yield* updateNodesSteps(forest, { ...input, filter: input.filter as NodeFilter }, caller);
    return { ...made, result: { ...made.result, root } };
  },
  node: ({ root }) => root,
  text({ matched, updated: done, failed, nodes, pageToken: next }) {
    const lines = [`${plural(matched, "node")} matched, ${done} updated, ${failed} failed`];
    if (next !== undefined)
      lines.push(
        `[More: ${plural(matched - nodes.length, "node")} to go. Send the same call with pageToken ${showJson(next)} and the new token]`,
      );
    const changed = nodes.filter(({ status }) => status === "updated").map(({ nodeId }) => nodeId);
    if (changed.length > 0) lines.push(`Updated: ${allIds(changed)}`);
    const failures = nodes.filter(({ status }) => status === "failed");
    for (const { nodeId, error } of failures.slice(0, SHOWN_FAILURES))
      lines.push(`${showId(nodeId)}: ${error?.message ?? ""}`);
    if (failures.length > SHOWN_FAILURES) lines.push(`... ${failures.length - SHOWN_FAILURES} more failures`);
    return lines.join("\n");
  },
});

function rootOf(tree: { idOf(slot: number): string }): string {
  return tree.idOf(0);
}

const tagNodeTool: Tool = changeTool({
  name: "tag_node",
  destructive: true,
  title: "Tag a node",
  description: "Adds tags to a node; remove takes some away.",
  input: {
    nodeId: z.string(),
    tags: z.array(z.string()).optional(),
    remove: z.array(z.string()).optional(),
  },
  output: { nodeId: z.string(), tags: z.array(z.string()) },
  about: ({ nodeId }) => ({ nodes: [nodeId] }),
  change: tagNode,
  node: ({ nodeId }) => nodeId,
  text: ({ nodeId, tags }) =>
    `${showId(nodeId)} is tagged ${tags.length === 0 ? "nothing" : tags.map((tag) => showName(tag)).join(", ")}`,
});

export const CHANGE_PAYLOAD: readonly Tool[] = [
  updatePropertyTool,
  updatePayloadTool,
  updateNodesTool,
  tagNodeTool,
];
