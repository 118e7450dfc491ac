// Declares the tree toolset, in the order in which catalogues show it: what reads first, then what changes.

import type { Tool } from "../tool.ts";
import { CHANGE_PAYLOAD } from "./change-payload.ts";
import { CHANGE_STRUCTURE } from "./change-structure.ts";
import { CHANGE_VIEW } from "./change-view.ts";
import { CHECK_RULES } from "./check-rules.ts";
import { EXCHANGE_READS, EXCHANGE_WRITES } from "./exchange.ts";
import { FIND_NODES } from "./find-nodes.ts";
import { READ_NODES } from "./read-nodes.ts";
import { TREE_FILES } from "./tree-files.ts";

export const TREE_TOOLS: readonly Tool[] = [
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
