// Written by `npm run tool-types:update` from the schemas of the tools: do not edit.

import type { FilesTools } from "./files.gen.ts";
export type * from "./files.gen.ts";
import type { GatesTools } from "./gates.gen.ts";
export type * from "./gates.gen.ts";
import type { HistoryTools } from "./history.gen.ts";
export type * from "./history.gen.ts";
import type { JsonTools } from "./json.gen.ts";
export type * from "./json.gen.ts";
import type { PatchTools } from "./patch.gen.ts";
export type * from "./patch.gen.ts";
import type { TreeTools } from "./tree.gen.ts";
export type * from "./tree.gen.ts";
import type { TreeMoreTools } from "./tree-more.gen.ts";
export type * from "./tree-more.gen.ts";

/** The built-in tools by name: what each takes and returns. What `agent.call` knows of them. */
export interface ToolTypes
  extends
    FilesTools,
    GatesTools,
    HistoryTools,
    JsonTools,
    PatchTools,
    TreeTools,
    TreeMoreTools {}
