// Owns: the list of JSON tools, in the order in which catalogues show them.

import type { Tool } from "../tool.ts";
import { ONE_PLACE_EDITS } from "./edit-one.ts";
import { editJsonTool } from "./edit-json.ts";
import { getJsonValueTool } from "./get-json-value.ts";
import { listJsonKeysTool } from "./list-json-keys.ts";
import { previewJsonTool } from "./preview-json.ts";
import { queryJsonTool } from "./query-json.ts";
import { validateJsonTool } from "./validate-json.ts";

export const JSON_TOOLS: readonly Tool[] = [
  previewJsonTool,
  getJsonValueTool,
  listJsonKeysTool,
  validateJsonTool,
  queryJsonTool,
  ...ONE_PLACE_EDITS,
  editJsonTool,
];
