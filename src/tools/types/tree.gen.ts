// Written by `npm run tool-types:update` from the schemas of the tools: do not edit.

import type { CommonArguments } from "../call-types.ts";

/** The tools of the toolset `tree`. */
export interface TreeTools {
  /** {@link ListTreesInput} to {@link ListTreesOutput}. */
  readonly list_trees: { readonly input: ListTreesInput; readonly output: ListTreesOutput };
  /** {@link GetSubtreeInput} to {@link GetSubtreeOutput}. */
  readonly get_subtree: { readonly input: GetSubtreeInput; readonly output: GetSubtreeOutput };
  /** {@link SearchInput} to {@link SearchOutput}. */
  readonly search: { readonly input: SearchInput; readonly output: SearchOutput };
  /** {@link SelectNodesInput} to {@link SelectNodesOutput}. */
  readonly select_nodes: { readonly input: SelectNodesInput; readonly output: SelectNodesOutput };
  /** {@link ValidateTreeInput} to {@link ValidateTreeOutput}. */
  readonly validate_tree: { readonly input: ValidateTreeInput; readonly output: ValidateTreeOutput };
  /** {@link ExportSubtreeInput} to {@link ExportSubtreeOutput}. */
  readonly export_subtree: { readonly input: ExportSubtreeInput; readonly output: ExportSubtreeOutput };
  /** {@link CreateTreeInput} to {@link CreateTreeOutput}. */
  readonly create_tree: { readonly input: CreateTreeInput; readonly output: CreateTreeOutput };
  /** {@link AddChildInput} to {@link AddChildOutput}. */
  readonly add_child: { readonly input: AddChildInput; readonly output: AddChildOutput };
  /** {@link RemoveNodeInput} to {@link RemoveNodeOutput}. */
  readonly remove_node: { readonly input: RemoveNodeInput; readonly output: RemoveNodeOutput };
  /** {@link MoveNodeInput} to {@link MoveNodeOutput}. */
  readonly move_node: { readonly input: MoveNodeInput; readonly output: MoveNodeOutput };
  /** {@link UpdatePayloadInput} to {@link UpdatePayloadOutput}. */
  readonly update_payload: { readonly input: UpdatePayloadInput; readonly output: UpdatePayloadOutput };
  /** {@link ImportMergeInput} to {@link ImportMergeOutput}. */
  readonly import_merge: { readonly input: ImportMergeInput; readonly output: ImportMergeOutput };
}

/** What `list_trees` takes. Lists the trees with their roots, sizes, types and tokens. */
export interface ListTreesInput {
  /** Characters */
  readonly budget?: number | undefined;
}

/** What `list_trees` returns as `value`. */
export interface ListTreesOutput {
  /** The trees */
  readonly trees: readonly {
    /** The id of the tree */
    readonly tree: string;
    /** Its name */
    readonly name: string;
    /** The node at the top */
    readonly rootNodeId: string;
    /** The nodes, or how many there are */
    readonly nodes: number;
    readonly types: readonly string[];
    /** The version; send it as expectedVersion */
    readonly token?: string | undefined;
  }[];
  /** The version; send it as expectedVersion */
  readonly token?: string | undefined;
  /** What else the call was asked to show */
  readonly [key: string]: unknown;
}

/** What `get_subtree` takes. Shows a branch whole, whatever is expanded, in pages. */
export interface GetSubtreeInput {
  /** The node */
  readonly nodeId: string;
  /** Levels below the node */
  readonly depthLimit?: number | undefined;
  /** Nodes on a page; 50, at most 200 */
  readonly pageSize?: number | undefined;
  /** Paths to show */
  readonly includedProperties?: readonly string[] | undefined;
  /** Paths to hide */
  readonly excludedProperties?: readonly string[] | undefined;
  /** For the rest of a cut value */
  readonly valueOffset?: number | undefined;
  /** From the page before */
  readonly pageToken?: string | undefined;
  /** outline: one line a node */
  readonly format?: "json" | "outline" | undefined;
  /** Characters */
  readonly budget?: number | undefined;
}

/** What `get_subtree` returns as `value`. */
export interface GetSubtreeOutput {
  /** The branch as JSON */
  readonly view?: Readonly<Record<string, unknown>> | undefined;
  /** The nodes, or how many there are */
  readonly nodes: number;
  /** The same as text, a line for each node */
  readonly outline?: string | undefined;
  /** Send this to get the next page; absent on the last */
  readonly pageToken?: string | undefined;
  /** What a reader must know of the page */
  readonly notes: readonly string[];
  /** Values that did not fit and are shown cut */
  readonly cut: readonly Readonly<Record<string, unknown>>[];
  /** The version; send it as expectedVersion */
  readonly token?: string | undefined;
  /** What else the call was asked to show */
  readonly [key: string]: unknown;
}

/** What `search` takes. Finds nodes that meet all filters. Text is compared without case. */
export interface SearchInput {
  /** Only this branch */
  readonly rootNodeId?: string | undefined;
  /** Where there are several */
  readonly tree?: string | undefined;
  /** What nodes must meet, all of it */
  readonly filters: readonly {
    /** The path */
    readonly path: string;
    readonly op: "eq" | "contains";
    readonly value: unknown;
  }[];
  /** Hits on a page; 50, at most 200 */
  readonly limit?: number | undefined;
  /** From the page before */
  readonly pageToken?: string | undefined;
  /** Paths to show */
  readonly includedProperties?: readonly string[] | undefined;
  /** Paths to hide */
  readonly excludedProperties?: readonly string[] | undefined;
  /** outline: one line a node */
  readonly format?: "json" | "outline" | undefined;
  /** Characters */
  readonly budget?: number | undefined;
}

/** What `search` returns as `value`. */
export interface SearchOutput {
  /** The nodes, or how many there are */
  readonly nodes?: readonly Readonly<Record<string, unknown>>[] | undefined;
  /** How many there are in all */
  readonly total: number;
  /** What is odd but does no harm */
  readonly warnings: readonly string[];
  /** The same as text, a line for each node */
  readonly outline?: string | undefined;
  /** Send this to get the next page; absent on the last */
  readonly pageToken?: string | undefined;
  /** What a reader must know of the page */
  readonly notes: readonly string[];
  /** Values that did not fit and are shown cut */
  readonly cut: readonly Readonly<Record<string, unknown>>[];
  /** The version; send it as expectedVersion */
  readonly token?: string | undefined;
  /** What else the call was asked to show */
  readonly [key: string]: unknown;
}

/** What `select_nodes` takes. Finds nodes by a CSS-like selector over types, tags and payloads: Task[status="open"][prio>=5] > Note.urgent. Also #id, :has(), :not(), :root, :leaf. */
export interface SelectNodesInput {
  /** The selector */
  readonly queryDsl: string;
  /** Only this branch */
  readonly rootNodeId?: string | undefined;
  /** Where there are several */
  readonly tree?: string | undefined;
  /** Hits on a page; 50, at most 200 */
  readonly limit?: number | undefined;
  /** From the page before */
  readonly pageToken?: string | undefined;
  /** Paths to show */
  readonly includedProperties?: readonly string[] | undefined;
  /** Paths to hide */
  readonly excludedProperties?: readonly string[] | undefined;
  /** outline: one line a node */
  readonly format?: "json" | "outline" | undefined;
  /** Characters */
  readonly budget?: number | undefined;
}

/** What `select_nodes` returns as `value`. */
export interface SelectNodesOutput {
  /** The nodes, or how many there are */
  readonly nodes?: readonly Readonly<Record<string, unknown>>[] | undefined;
  /** How many there are in all */
  readonly total: number;
  /** What is odd but does no harm */
  readonly warnings: readonly string[];
  /** The same as text, a line for each node */
  readonly outline?: string | undefined;
  /** Send this to get the next page; absent on the last */
  readonly pageToken?: string | undefined;
  /** What a reader must know of the page */
  readonly notes: readonly string[];
  /** Values that did not fit and are shown cut */
  readonly cut: readonly Readonly<Record<string, unknown>>[];
  /** The version; send it as expectedVersion */
  readonly token?: string | undefined;
  /** What else the call was asked to show */
  readonly [key: string]: unknown;
}

/** What `validate_tree` takes. Checks a tree or a branch against a ruleset: required fields, kinds, ranges, patterns, parents and children. */
export interface ValidateTreeInput {
  /** A ruleset's id, or the path of a ruleset file */
  readonly rulesetId: string;
  /** The node at the top */
  readonly rootNodeId?: string | undefined;
  /** Where there are several */
  readonly tree?: string | undefined;
  /** Characters */
  readonly budget?: number | undefined;
}

/** What `validate_tree` returns as `value`. */
export interface ValidateTreeOutput {
  /** The ruleset */
  readonly ruleset: string;
  /** How many nodes were looked at */
  readonly checked: number;
  /** How many there are in all */
  readonly total: number;
  /** What breaks a rule; bounded */
  readonly violations: readonly {
    /** The node */
    readonly nodeId: string;
    /** The path */
    readonly path: string;
    readonly rule: string;
    readonly property?: string | undefined;
    readonly message: string;
  }[];
  /** The version; send it as expectedVersion */
  readonly token?: string | undefined;
  /** What else the call was asked to show */
  readonly [key: string]: unknown;
}

/** What `export_subtree` takes. Gives a whole branch as one document: JSON as import_merge and create_tree take it, an outline, or Markdown. */
export interface ExportSubtreeInput {
  /** The node */
  readonly nodeId: string;
  /** false: only its children; for json */
  readonly includeViewRoot?: boolean | undefined;
  /** The form of the content */
  readonly format?: "json" | "outline" | "markdown" | undefined;
  /** Characters */
  readonly budget?: number | undefined;
}

/** What `export_subtree` returns as `value`. */
export interface ExportSubtreeOutput {
  /** The branch as JSON */
  readonly view?: Readonly<Record<string, unknown>> | undefined;
  /** The text */
  readonly content?: string | undefined;
  /** The nodes, or how many there are */
  readonly nodes: number;
  /** The version; send it as expectedVersion */
  readonly token?: string | undefined;
  /** What else the call was asked to show */
  readonly [key: string]: unknown;
}

/** What `create_tree` takes. Makes a tree: with a root only, or from a saved tree, a JSON file, a Markdown outline (.md) or a directory. */
export interface CreateTreeInput extends CommonArguments {
  /** Its name */
  readonly name?: string | undefined;
  /** Types it accepts, by name; any when left out */
  readonly payloadTypes?: object | undefined;
  /** Of the root */
  readonly payloadType?: string | undefined;
  /** Of the root */
  readonly payloadProps?: object | undefined;
  /** A file or directory of the workspace to make it from */
  readonly from?: string | undefined;
}

/** What `create_tree` returns as `value`. */
export interface CreateTreeOutput {
  /** The id of the tree */
  readonly tree: string;
  /** The node at the top */
  readonly rootNodeId: string;
  /** The nodes, or how many there are */
  readonly nodes?: number | undefined;
  /** Ids that were taken and were given anew */
  readonly renamed?: readonly {
    readonly from: string;
    readonly to: string;
  }[] | undefined;
  /** What is odd but does no harm */
  readonly warnings?: readonly string[] | undefined;
  /** The version; send it as expectedVersion */
  readonly token?: string | undefined;
  /** What else the call was asked to show */
  readonly [key: string]: unknown;
}

/** What `add_child` takes. Adds a node as the last child of another. Returns its id. */
export interface AddChildInput extends CommonArguments {
  /** The parent */
  readonly parentNodeId: string;
  /** The type of its payload */
  readonly payloadType: string;
  /** Its properties */
  readonly payloadProps?: object | undefined;
  /** Also show this */
  readonly return?: "ids" | "node" | "view" | undefined;
}

/** What `add_child` returns as `value`. */
export interface AddChildOutput {
  /** The node */
  readonly nodeId: string;
  /** The parent */
  readonly parentNodeId: string;
  /** The version; send it as expectedVersion */
  readonly token?: string | undefined;
  /** What else the call was asked to show */
  readonly [key: string]: unknown;
}

/** What `remove_node` takes. Removes a node with everything below it. It can be undone. */
export interface RemoveNodeInput extends CommonArguments {
  /** The node */
  readonly nodeId: string;
  /** Also show this */
  readonly return?: "ids" | "node" | "view" | undefined;
}

/** What `remove_node` returns as `value`. */
export interface RemoveNodeOutput {
  /** What went */
  readonly removed: string;
  /** The nodes, or how many there are */
  readonly nodes: number;
  /** The parent */
  readonly parentNodeId: string;
  /** The version; send it as expectedVersion */
  readonly token?: string | undefined;
  /** What else the call was asked to show */
  readonly [key: string]: unknown;
}

/** What `move_node` takes. Moves a node with everything below it to the end of another node's children. */
export interface MoveNodeInput extends CommonArguments {
  /** The node */
  readonly nodeId: string;
  /** The node to move it under */
  readonly newParentId: string;
  /** Also show this */
  readonly return?: "ids" | "node" | "view" | undefined;
}

/** What `move_node` returns as `value`. */
export interface MoveNodeOutput {
  /** The node */
  readonly nodeId: string;
  /** The parent */
  readonly parentNodeId: string;
  /** What moved */
  readonly moved: boolean;
  /** The version; send it as expectedVersion */
  readonly token?: string | undefined;
  /** What else the call was asked to show */
  readonly [key: string]: unknown;
}

/** What `update_payload` takes. Sets several properties of a node's payload, all or none. */
export interface UpdatePayloadInput extends CommonArguments {
  /** The node */
  readonly nodeId: string;
  /** Properties and their new values */
  readonly patch: object;
  /** Also show this */
  readonly return?: "ids" | "node" | "view" | undefined;
}

/** What `update_payload` returns as `value`. */
export interface UpdatePayloadOutput {
  /** The node */
  readonly nodeId: string;
  /** What changed */
  readonly changed: readonly string[];
  /** Other nodes that share the payload */
  readonly shared?: readonly string[] | undefined;
  /** The version; send it as expectedVersion */
  readonly token?: string | undefined;
  /** What else the call was asked to show */
  readonly [key: string]: unknown;
}

/** What `import_merge` takes. Lays a JSON document over a tree. upsert: sets and creates; replace: also drops what the document lacks; skip: only creates. */
export interface ImportMergeInput extends CommonArguments {
  /** Tree or view JSON, as an object or as text */
  readonly json: unknown;
  /** What happens to nodes that differ */
  readonly strategy?: "upsert" | "replace" | "skip" | undefined;
  /** By what nodes are taken for the same */
  readonly matchBy?: "nodeId" | "path" | undefined;
  /** Where a document goes whose first node is not found */
  readonly parentNodeId?: string | undefined;
  /** Where there are several */
  readonly tree?: string | undefined;
  /** Also show this */
  readonly return?: "ids" | "node" | "view" | undefined;
}

/** What `import_merge` returns as `value`. */
export interface ImportMergeOutput {
  /** What was made */
  readonly created: number;
  /** How many changed */
  readonly updated: number;
  /** How many were equal already */
  readonly unchanged: number;
  /** What was left as it is */
  readonly skipped: number;
  /** What went */
  readonly removed: number;
  /** How many ids are not listed */
  readonly unlisted: number;
  /** Ids that were taken and were given anew */
  readonly renamed: readonly {
    readonly from: string;
    readonly to: string;
  }[];
  /** The ids that nodes have now */
  readonly ids: {
    /** What was made */
    readonly created: readonly string[];
    /** How many changed */
    readonly updated: readonly string[];
    /** What was left as it is */
    readonly skipped: readonly string[];
    /** What went */
    readonly removed: readonly string[];
  };
  /** The node at the top */
  readonly rootNodeId: string;
  /** The version; send it as expectedVersion */
  readonly token?: string | undefined;
  /** What else the call was asked to show */
  readonly [key: string]: unknown;
}
