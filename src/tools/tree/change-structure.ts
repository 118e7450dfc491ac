// Owns: the tools that change where nodes are: add_child, remove_node, move_node, move_before, move_after,
// sort_children, copy_subtree, clone_node.

import { z } from "zod";
import {
  addChild,
  cloneNode,
  copySubtreeSteps,
  moveAfter,
  moveBefore,
  moveNodeSteps,
  removeNodeSteps,
  showId,
  sortChildrenSteps,
  type Changed,
  type Forest,
  type Moved,
  type Caller,
} from "../../tree/operations.ts";
import { plural } from "../../text/plural.ts";
import type { Tool } from "../tool.ts";
import { changeTool } from "./_change-tool.ts";
import { jsonObject } from "./_tree-tool.ts";

const addChildTool: Tool = changeTool({
  name: "add_child",
  title: "Add a child",
  description: "Adds a node as the last child of another. Returns its id.",
  input: {
    parentNodeId: z.string(),
    payloadType: z.string(),
    payloadProps: jsonObject("Its properties").optional(),
  },
  output: { nodeId: z.string(), parentNodeId: z.string() },
  about: ({ parentNodeId }) => ({ nodes: [parentNodeId] }),
  change: addChild,
  node: ({ nodeId }) => nodeId,
  text: ({ nodeId, parentNodeId }) => `Added ${showId(nodeId)} under ${showId(parentNodeId)}`,
});

const removeNodeTool: Tool = changeTool({
  name: "remove_node",
  destructive: true,
  title: "Remove a node",
  description: "Removes a node with everything below it. It can be undone.",
  input: { nodeId: z.string() },
  output: { removed: z.string(), nodes: z.int(), parentNodeId: z.string() },
  about: ({ nodeId }) => ({ nodes: [nodeId] }),
  change: removeNodeSteps,
  node: ({ parentNodeId }) => parentNodeId,
  text: ({ removed, nodes }) => `Removed ${showId(removed)} (${plural(nodes, "node")})`,
});

const moved = { nodeId: z.string(), parentNodeId: z.string(), moved: z.boolean() };

function movedText({ nodeId, parentNodeId, moved: did }: Moved): string {
  return did ? `Moved ${showId(nodeId)} under ${showId(parentNodeId)}` : `${showId(nodeId)} is there already`;
}

const moveNodeTool: Tool = changeTool({
  name: "move_node",
  title: "Move a node",
  description: "Moves a node with everything below it to the end of another node's children.",
  input: { nodeId: z.string(), newParentId: z.string() },
  output: moved,
  about: ({ nodeId }) => ({ nodes: [nodeId] }),
  looks: ({ newParentId }) => ({ nodes: [newParentId] }),
  change: moveNodeSteps,
  node: ({ nodeId }) => nodeId,
  text: movedText,
});

type Beside = (
  forest: Forest,
  input: { readonly nodeId: string; readonly siblingId: string },
  caller: Caller,
) => Changed<Moved>;

function besideTool(name: string, where: "before" | "after", change: Beside): Tool {
  return changeTool({
    name,
    title: `Move ${where} a sibling`,
    description: `Puts a node right ${where} another child of the same parent.`,
    input: { nodeId: z.string(), siblingId: z.string() },
    output: moved,
    about: ({ nodeId }) => ({ nodes: [nodeId] }),
    looks: ({ siblingId }) => ({ nodes: [siblingId] }),
    change,
    node: ({ nodeId }) => nodeId,
    text: movedText,
  });
}

const sortChildrenTool: Tool = changeTool({
  name: "sort_children",
  title: "Sort children",
  description:
    "Sorts the children of a node by a property. Equal ones keep their order; those without it come last.",
  input: {
    parentId: z.string(),
    byProp: z.string(),
    direction: z.enum(["asc", "desc"]).optional(),
    stable: z.boolean().optional().describe("Always so"),
  },
  output: { parentId: z.string(), children: z.int(), changed: z.boolean() },
  about: ({ parentId }) => ({ nodes: [parentId] }),
  change: sortChildrenSteps,
  node: ({ parentId }) => parentId,
  text: ({ parentId, children, changed }) =>
    changed
      ? `Sorted ${plural(children, "child", "children")} of ${showId(parentId)}`
      : `${showId(parentId)} was sorted already`,
});

const copySubtreeTool: Tool = changeTool({
  name: "copy_subtree",
  title: "Copy a subtree",
  description:
    "Copies a branch under a node, last. duplicate: payloads of its own; reference: each copy shares its original's payload.",
  input: {
    sourceId: z.string(),
    targetParentId: z.string(),
    mode: z.enum(["reference", "duplicate"]).optional(),
  },
  output: { nodeId: z.string(), nodes: z.int(), mode: z.enum(["reference", "duplicate"]) },
  about: ({ targetParentId }) => ({ nodes: [targetParentId] }),
  looks: ({ sourceId }) => ({ nodes: [sourceId] }),
  change: copySubtreeSteps,
  node: ({ nodeId }) => nodeId,
  text: ({ nodeId, nodes, mode }) => `Copied ${plural(nodes, "node")} as ${showId(nodeId)} (${mode})`,
});

const cloneNodeTool: Tool = changeTool({
  name: "clone_node",
  title: "Clone a node",
  description: "Copies one node, without its children, under a node, last.",
  input: { nodeId: z.string(), targetParentId: z.string() },
  output: { nodeId: z.string(), parentNodeId: z.string() },
  about: ({ targetParentId }) => ({ nodes: [targetParentId] }),
  looks: ({ nodeId }) => ({ nodes: [nodeId] }),
  change: cloneNode,
  node: ({ nodeId }) => nodeId,
  text: ({ nodeId, parentNodeId }) => `Added ${showId(nodeId)} under ${showId(parentNodeId)}`,
});

export const CHANGE_STRUCTURE: readonly Tool[] = [
  addChildTool,
  removeNodeTool,
  moveNodeTool,
  besideTool("move_before", "before", moveBefore),
  besideTool("move_after", "after", moveAfter),
  sortChildrenTool,
  copySubtreeTool,
  cloneNodeTool,
];
