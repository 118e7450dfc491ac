// Declares the tree toolsets, in the order in which catalogues show it: what reads first, then what changes.

import type { Tool } from "../tool.ts";
import { CHANGE_PAYLOAD } from "./change-payload.ts";
import { CHANGE_STRUCTURE } from "./change-structure.ts";
import { CHANGE_VIEW } from "./change-view.ts";
import { CHECK_RULES } from "./check-rules.ts";
import { EXCHANGE_READS, EXCHANGE_WRITES } from "./exchange.ts";
import { FIND_NODES } from "./find-nodes.ts";
import { READ_NODES } from "./read-nodes.ts";
import { TREE_FILES } from "./tree-files.ts";

/**
 * The toolset `tree` is what most work needs: build, read, select, search, change, move, remove, validate, export. The
 * others are the toolset `tree_more`; with both an agent has them all.
 */
const LEAN: ReadonlySet<string> = new Set([
  "create_tree",
  "list_trees",
  "get_subtree",
  "select_nodes",
  "search",
  "add_child",
  "import_merge",
  "update_payload",
  "move_node",
  "remove_node",
  "validate_tree",
  "export_subtree",
]);

const ALL: readonly Tool[] = [
  ...READ_NODES,
  ...FIND_NODES,
  ...CHECK_RULES,
  ...EXCHANGE_READS,
  ...TREE_FILES,
  ...CHANGE_VIEW,
  ...CHANGE_STRUCTURE,
  ...CHANGE_PAYLOAD,
  ...EXCHANGE_WRITES,
];

export const TREE_TOOLS: readonly Tool[] = ALL.map((tool) =>
  LEAN.has(tool.name) ? tool : { ...tool, toolset: "tree_more" },
);
