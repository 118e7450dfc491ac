// Written by `npm run tool-types:update` from the schemas of the tools: do not edit.

import type { CommonArguments } from "../call-types.ts";

/** The tools of the toolset `tree_more`. */
export interface TreeMoreTools {
  /** {@link GetNodeInput} to {@link GetNodeOutput}. */
  readonly get_node: { readonly input: GetNodeInput; readonly output: GetNodeOutput };
  /** {@link GetViewInput} to {@link GetViewOutput}. */
  readonly get_view: { readonly input: GetViewInput; readonly output: GetViewOutput };
  /** {@link ListChildrenInput} to {@link ListChildrenOutput}. */
  readonly list_children: { readonly input: ListChildrenInput; readonly output: ListChildrenOutput };
  /** {@link GetPathInput} to {@link GetPathOutput}. */
  readonly get_path: { readonly input: GetPathInput; readonly output: GetPathOutput };
  /** {@link GetCommonAncestorInput} to {@link GetCommonAncestorOutput}. */
  readonly get_common_ancestor: { readonly input: GetCommonAncestorInput; readonly output: GetCommonAncestorOutput };
  /** {@link SearchAdvancedInput} to {@link SearchAdvancedOutput}. */
  readonly search_advanced: { readonly input: SearchAdvancedInput; readonly output: SearchAdvancedOutput };
  /** {@link QueryByTagInput} to {@link QueryByTagOutput}. */
  readonly query_by_tag: { readonly input: QueryByTagInput; readonly output: QueryByTagOutput };
  /** {@link ListBookmarksInput} to {@link ListBookmarksOutput}. */
  readonly list_bookmarks: { readonly input: ListBookmarksInput; readonly output: ListBookmarksOutput };
  /** {@link LintPayloadInput} to {@link LintPayloadOutput}. */
  readonly lint_payload: { readonly input: LintPayloadInput; readonly output: LintPayloadOutput };
  /** {@link DiffSubtreeInput} to {@link DiffSubtreeOutput}. */
  readonly diff_subtree: { readonly input: DiffSubtreeInput; readonly output: DiffSubtreeOutput };
  /** {@link ExportViewInput} to {@link ExportViewOutput}. */
  readonly export_view: { readonly input: ExportViewInput; readonly output: ExportViewOutput };
  /** {@link SaveTreeInput} to {@link SaveTreeOutput}. */
  readonly save_tree: { readonly input: SaveTreeInput; readonly output: SaveTreeOutput };
  /** {@link DropTreeInput} to {@link DropTreeOutput}. */
  readonly drop_tree: { readonly input: DropTreeInput; readonly output: DropTreeOutput };
  /** {@link ExpandNodeInput} to {@link ExpandNodeOutput}. */
  readonly expand_node: { readonly input: ExpandNodeInput; readonly output: ExpandNodeOutput };
  /** {@link CollapseNodeInput} to {@link CollapseNodeOutput}. */
  readonly collapse_node: { readonly input: CollapseNodeInput; readonly output: CollapseNodeOutput };
  /** {@link ToggleNodeInput} to {@link ToggleNodeOutput}. */
  readonly toggle_node: { readonly input: ToggleNodeInput; readonly output: ToggleNodeOutput };
  /** {@link ExpandAllInput} to {@link ExpandAllOutput}. */
  readonly expand_all: { readonly input: ExpandAllInput; readonly output: ExpandAllOutput };
  /** {@link CollapseAllInput} to {@link CollapseAllOutput}. */
  readonly collapse_all: { readonly input: CollapseAllInput; readonly output: CollapseAllOutput };
  /** {@link SetExpansionRecursiveInput} to {@link SetExpansionRecursiveOutput}. */
  readonly set_expansion_recursive: { readonly input: SetExpansionRecursiveInput; readonly output: SetExpansionRecursiveOutput };
  /** {@link SetFiltersInput} to {@link SetFiltersOutput}. */
  readonly set_filters: { readonly input: SetFiltersInput; readonly output: SetFiltersOutput };
  /** {@link BookmarkInput} to {@link BookmarkOutput}. */
  readonly bookmark: { readonly input: BookmarkInput; readonly output: BookmarkOutput };
  /** {@link RemoveBookmarkInput} to {@link RemoveBookmarkOutput}. */
  readonly remove_bookmark: { readonly input: RemoveBookmarkInput; readonly output: RemoveBookmarkOutput };
  /** {@link MoveBeforeInput} to {@link MoveBeforeOutput}. */
  readonly move_before: { readonly input: MoveBeforeInput; readonly output: MoveBeforeOutput };
  /** {@link MoveAfterInput} to {@link MoveAfterOutput}. */
  readonly move_after: { readonly input: MoveAfterInput; readonly output: MoveAfterOutput };
  /** {@link SortChildrenInput} to {@link SortChildrenOutput}. */
  readonly sort_children: { readonly input: SortChildrenInput; readonly output: SortChildrenOutput };
  /** {@link CopySubtreeInput} to {@link CopySubtreeOutput}. */
  readonly copy_subtree: { readonly input: CopySubtreeInput; readonly output: CopySubtreeOutput };
  /** {@link CloneNodeInput} to {@link CloneNodeOutput}. */
  readonly clone_node: { readonly input: CloneNodeInput; readonly output: CloneNodeOutput };
  /** {@link UpdatePayloadPropertyInput} to {@link UpdatePayloadPropertyOutput}. */
  readonly update_payload_property: { readonly input: UpdatePayloadPropertyInput; readonly output: UpdatePayloadPropertyOutput };
  /** {@link UpdateNodesInput} to {@link UpdateNodesOutput}. */
  readonly update_nodes: { readonly input: UpdateNodesInput; readonly output: UpdateNodesOutput };
  /** {@link TagNodeInput} to {@link TagNodeOutput}. */
  readonly tag_node: { readonly input: TagNodeInput; readonly output: TagNodeOutput };
  /** {@link ImportViewInput} to {@link ImportViewOutput}. */
  readonly import_view: { readonly input: ImportViewInput; readonly output: ImportViewOutput };
}

/** What `get_node` takes. Shows one node: type, payload, tags, number of children. */
export interface GetNodeInput {
  /** The node */
  readonly nodeId: string;
  /** Paths to show */
  readonly includedProperties?: readonly string[] | undefined;
  /** Paths to hide */
  readonly excludedProperties?: readonly string[] | undefined;
  /** outline: one line a node */
  readonly format?: "json" | "outline" | undefined;
  /** Characters */
  readonly budget?: number | undefined;
}

/** What `get_node` returns as `value`. */
export interface GetNodeOutput {
  /** The node as JSON */
  readonly node?: Readonly<Record<string, unknown>> | undefined;
  /** The same as text, a line for each node */
  readonly outline?: string | undefined;
  /** Values that did not fit and are shown cut */
  readonly cut: readonly Readonly<Record<string, unknown>>[];
  /** The version; send it as expectedVersion */
  readonly token?: string | undefined;
  /** What else the call was asked to show */
  readonly [key: string]: unknown;
}

/** What `get_view` takes. Shows a branch as you have expanded and filtered it, in pages. Children of collapsed nodes are only counted. */
export interface GetViewInput {
  /** The node at the top */
  readonly rootNodeId: string;
  /** Wrap it as import_view takes it */
  readonly includeViewRoot?: boolean | undefined;
  /** For nodes never expanded or collapsed */
  readonly defaultExpanded?: boolean | undefined;
  /** Paths to show */
  readonly includedProperties?: readonly string[] | undefined;
  /** Paths to hide */
  readonly excludedProperties?: readonly string[] | undefined;
  /** Levels below the node */
  readonly depthLimit?: number | undefined;
  /** Nodes on a page; 50, at most 200 */
  readonly pageSize?: number | undefined;
  /** From the page before */
  readonly pageToken?: string | undefined;
  /** outline: one line a node */
  readonly format?: "json" | "outline" | undefined;
  /** Characters */
  readonly budget?: number | undefined;
}

/** What `get_view` returns as `value`. */
export interface GetViewOutput {
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

/** What `list_children` takes. Lists the children of a node in their order, in pages. */
export interface ListChildrenInput {
  /** The node */
  readonly nodeId: string;
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

/** What `list_children` returns as `value`. */
export interface ListChildrenOutput {
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

/** What `get_path` takes. Lists the nodes from the root to a node. */
export interface GetPathInput {
  /** The node */
  readonly nodeId: string;
  /** Characters */
  readonly budget?: number | undefined;
}

/** What `get_path` returns as `value`. */
export interface GetPathOutput {
  /** The path */
  readonly path: readonly {
    /** The node */
    readonly nodeId: string;
    /** Its name */
    readonly name?: string | undefined;
    readonly depth: number;
  }[];
  /** The version; send it as expectedVersion */
  readonly token?: string | undefined;
  /** What else the call was asked to show */
  readonly [key: string]: unknown;
}

/** What `get_common_ancestor` takes. Finds the nearest node that holds all nodes given; one of them counts as its own ancestor. */
export interface GetCommonAncestorInput {
  /** The nodes */
  readonly nodeIds: readonly string[];
}

/** What `get_common_ancestor` returns as `value`. */
export interface GetCommonAncestorOutput {
  /** The node */
  readonly nodeId: string | null;
  /** The version; send it as expectedVersion */
  readonly token?: string | undefined;
  /** What else the call was asked to show */
  readonly [key: string]: unknown;
}

/** What `search_advanced` takes. Finds nodes by nested conditions and ranges, in an order of your choice. */
export interface SearchAdvancedInput {
  /** Only this branch */
  readonly rootId?: string | undefined;
  /** Where there are several */
  readonly tree?: string | undefined;
  /** A list of {path, op, value} that must all hold, or a group {op: "and"|"or", predicates, groups}. op: eq, contains, gt, lt, between (value to value2) */
  readonly predicates: unknown;
  /** A property's path */
  readonly sortBy?: string | undefined;
  /** Ascending when left out */
  readonly sortDirection?: "asc" | "desc" | undefined;
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

/** What `search_advanced` returns as `value`. */
export interface SearchAdvancedOutput {
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

/** What `query_by_tag` takes. Finds nodes that have a tag. */
export interface QueryByTagInput {
  /** The tag */
  readonly tag: string;
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

/** What `query_by_tag` returns as `value`. */
export interface QueryByTagOutput {
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

/** What `list_bookmarks` takes. Lists your own bookmarks. */
export interface ListBookmarksInput {
  /** Characters */
  readonly budget?: number | undefined;
}

/** What `list_bookmarks` returns as `value`. */
export interface ListBookmarksOutput {
  /** The bookmarks */
  readonly bookmarks: readonly {
    /** What it is called */
    readonly label: string;
    /** The node */
    readonly nodeId: string;
    /** What went */
    readonly removed?: true | undefined;
  }[];
  /** The version; send it as expectedVersion */
  readonly token?: string | undefined;
  /** What else the call was asked to show */
  readonly [key: string]: unknown;
}

/** What `lint_payload` takes. Checks the payload of one node against a ruleset. */
export interface LintPayloadInput {
  /** The node */
  readonly nodeId: string;
  /** A ruleset's id, or the path of a ruleset file */
  readonly rulesetId: string;
  /** Characters */
  readonly budget?: number | undefined;
}

/** What `lint_payload` returns as `value`. */
export interface LintPayloadOutput {
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

/** What `diff_subtree` takes. Compares two branches by the names of their nodes: added, removed, moved, reordered, changed. */
export interface DiffSubtreeInput {
  /** One branch */
  readonly aId: string;
  /** The other branch */
  readonly bId: string;
  /** Characters */
  readonly budget?: number | undefined;
}

/** What `diff_subtree` returns as `value`. */
export interface DiffSubtreeOutput {
  /** What came */
  readonly added: readonly {
    /** The node */
    readonly nodeId: string;
    /** What else the call was asked to show */
    readonly [key: string]: unknown;
  }[];
  /** What went */
  readonly removed: readonly {
    /** The node */
    readonly nodeId: string;
    /** What else the call was asked to show */
    readonly [key: string]: unknown;
  }[];
  /** What moved */
  readonly moved: readonly {
    /** The node */
    readonly nodeId: string;
    /** What else the call was asked to show */
    readonly [key: string]: unknown;
  }[];
  /** Nodes whose children are in another order */
  readonly reordered: readonly {
    /** The node */
    readonly nodeId: string;
    /** What else the call was asked to show */
    readonly [key: string]: unknown;
  }[];
  /** What changed */
  readonly changed: readonly {
    /** The node */
    readonly nodeId: string;
    /** What else the call was asked to show */
    readonly [key: string]: unknown;
  }[];
  /** The tags */
  readonly tags: readonly {
    /** The node */
    readonly nodeId: string;
    /** What else the call was asked to show */
    readonly [key: string]: unknown;
  }[];
  /** How many are not shown */
  readonly more?: Readonly<Record<string, number>> | undefined;
  /** The version; send it as expectedVersion */
  readonly token?: string | undefined;
  /** What else the call was asked to show */
  readonly [key: string]: unknown;
}

/** What `export_view` takes. Gives your view of a branch as one JSON document; with includeViewRoot as import_view takes it. */
export interface ExportViewInput {
  /** The node at the top */
  readonly rootNodeId: string;
  /** Whether the node itself is shown */
  readonly includeViewRoot?: boolean | undefined;
  /** Characters */
  readonly budget?: number | undefined;
}

/** What `export_view` returns as `value`. */
export interface ExportViewOutput {
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

/** What `save_tree` takes. Writes a tree or a branch to a file of the workspace, from which create_tree makes it again. */
export interface SaveTreeInput extends CommonArguments {
  /** Such as /workspace/plan.tree.json */
  readonly path: string;
  /** Only this branch */
  readonly nodeId?: string | undefined;
  /** Where there are several */
  readonly tree?: string | undefined;
}

/** What `save_tree` returns as `value`. */
export interface SaveTreeOutput {
  /** The path */
  readonly path: string;
  /** The nodes, or how many there are */
  readonly nodes: number;
  /** How many bytes it has */
  readonly size_bytes: number;
  /** The id of the tree */
  readonly tree: string;
  /** The version of the tree */
  readonly treeToken?: string | undefined;
  /** The version; send it as expectedVersion */
  readonly token?: string | undefined;
}

/** What `drop_tree` takes. Removes a whole tree with all its nodes. It can be undone. */
export interface DropTreeInput extends CommonArguments {
  /** Its id, such as t2 */
  readonly tree: string;
}

/** What `drop_tree` returns as `value`. */
export interface DropTreeOutput {
  /** The id of the tree */
  readonly tree: string;
  /** The nodes, or how many there are */
  readonly nodes: number;
  /** The version; send it as expectedVersion */
  readonly token?: string | undefined;
}

/** What `expand_node` takes. Expands a node in your own view. */
export interface ExpandNodeInput extends CommonArguments {
  /** The node */
  readonly nodeId: string;
  /** Also show the view at the node */
  readonly return?: "ids" | "view" | undefined;
}

/** What `expand_node` returns as `value`. */
export interface ExpandNodeOutput {
  /** The node */
  readonly nodeId: string;
  /** Whether it is open now */
  readonly isExpanded: boolean;
  /** The nodes, or how many there are */
  readonly nodes: number;
  /** The version; send it as expectedVersion */
  readonly token?: string | undefined;
  /** What else the call was asked to show */
  readonly [key: string]: unknown;
}

/** What `collapse_node` takes. Collapses a node in your own view. */
export interface CollapseNodeInput extends CommonArguments {
  /** The node */
  readonly nodeId: string;
  /** Also show the view at the node */
  readonly return?: "ids" | "view" | undefined;
}

/** What `collapse_node` returns as `value`. */
export interface CollapseNodeOutput {
  /** The node */
  readonly nodeId: string;
  /** Whether it is open now */
  readonly isExpanded: boolean;
  /** The nodes, or how many there are */
  readonly nodes: number;
  /** The version; send it as expectedVersion */
  readonly token?: string | undefined;
  /** What else the call was asked to show */
  readonly [key: string]: unknown;
}

/** What `toggle_node` takes. Expands a collapsed node, collapses an expanded one, in your own view. */
export interface ToggleNodeInput extends CommonArguments {
  /** The node */
  readonly nodeId: string;
  /** Also show the view at the node */
  readonly return?: "ids" | "view" | undefined;
}

/** What `toggle_node` returns as `value`. */
export interface ToggleNodeOutput {
  /** The node */
  readonly nodeId: string;
  /** Whether it is open now */
  readonly isExpanded: boolean;
  /** The nodes, or how many there are */
  readonly nodes: number;
  /** The version; send it as expectedVersion */
  readonly token?: string | undefined;
  /** What else the call was asked to show */
  readonly [key: string]: unknown;
}

/** What `expand_all` takes. Expands a node and everything below it in your own view. */
export interface ExpandAllInput extends CommonArguments {
  /** The node at the top */
  readonly rootNodeId: string;
  /** Also show the view at the node */
  readonly return?: "ids" | "view" | undefined;
}

/** What `expand_all` returns as `value`. */
export interface ExpandAllOutput {
  /** The node */
  readonly nodeId: string;
  /** Whether it is open now */
  readonly isExpanded: boolean;
  /** The nodes, or how many there are */
  readonly nodes: number;
  /** The version; send it as expectedVersion */
  readonly token?: string | undefined;
  /** What else the call was asked to show */
  readonly [key: string]: unknown;
}

/** What `collapse_all` takes. Collapses a node and everything below it in your own view. */
export interface CollapseAllInput extends CommonArguments {
  /** The node at the top */
  readonly rootNodeId: string;
  /** Also show the view at the node */
  readonly return?: "ids" | "view" | undefined;
}

/** What `collapse_all` returns as `value`. */
export interface CollapseAllOutput {
  /** The node */
  readonly nodeId: string;
  /** Whether it is open now */
  readonly isExpanded: boolean;
  /** The nodes, or how many there are */
  readonly nodes: number;
  /** The version; send it as expectedVersion */
  readonly token?: string | undefined;
  /** What else the call was asked to show */
  readonly [key: string]: unknown;
}

/** What `set_expansion_recursive` takes. Expands or collapses a branch in your own view, down to a depth. */
export interface SetExpansionRecursiveInput extends CommonArguments {
  /** The node */
  readonly nodeId: string;
  /** Whether to open or to close */
  readonly expanded: boolean;
  /** 1: the node only; all when left out */
  readonly maxDepth?: number | undefined;
  /** Also show the view at the node */
  readonly return?: "ids" | "view" | undefined;
}

/** What `set_expansion_recursive` returns as `value`. */
export interface SetExpansionRecursiveOutput {
  /** The node */
  readonly nodeId: string;
  /** Whether it is open now */
  readonly isExpanded: boolean;
  /** The nodes, or how many there are */
  readonly nodes: number;
  /** The version; send it as expectedVersion */
  readonly token?: string | undefined;
  /** What else the call was asked to show */
  readonly [key: string]: unknown;
}

/** What `set_filters` takes. Sets which properties your later reads show, until you set them again. Empty lists lift it. */
export interface SetFiltersInput extends CommonArguments {
  /** view: get_view; node: the other reads */
  readonly scope?: "view" | "node" | "all" | undefined;
  /** Properties to show; all when empty */
  readonly included?: readonly string[] | undefined;
  /** Properties to hide */
  readonly excluded?: readonly string[] | undefined;
  /** Where there are several */
  readonly tree?: string | undefined;
  /** Also show the view at the node */
  readonly return?: "ids" | "view" | undefined;
}

/** What `set_filters` returns as `value`. */
export interface SetFiltersOutput {
  /** What it is about */
  readonly scope: string;
  /** Properties to show; all when empty */
  readonly included: readonly string[];
  /** Properties to hide */
  readonly excluded: readonly string[];
  /** The version; send it as expectedVersion */
  readonly token?: string | undefined;
  /** What else the call was asked to show */
  readonly [key: string]: unknown;
}

/** What `bookmark` takes. Gives a node a label of your own. The same label again moves it. */
export interface BookmarkInput extends CommonArguments {
  /** The node */
  readonly nodeId: string;
  /** What it is called */
  readonly label: string;
  /** Also show the view at the node */
  readonly return?: "ids" | "view" | undefined;
}

/** What `bookmark` returns as `value`. */
export interface BookmarkOutput {
  /** What it is called */
  readonly label: string;
  /** The node */
  readonly nodeId: string;
  /** The version; send it as expectedVersion */
  readonly token?: string | undefined;
  /** What else the call was asked to show */
  readonly [key: string]: unknown;
}

/** What `remove_bookmark` takes. Removes one of your own bookmarks. */
export interface RemoveBookmarkInput extends CommonArguments {
  /** What it is called */
  readonly label: string;
  /** Where there are several */
  readonly tree?: string | undefined;
  /** Also show the view at the node */
  readonly return?: "ids" | "view" | undefined;
}

/** What `remove_bookmark` returns as `value`. */
export interface RemoveBookmarkOutput {
  /** What it is called */
  readonly label: string;
  /** The node */
  readonly nodeId: string;
  /** The version; send it as expectedVersion */
  readonly token?: string | undefined;
  /** What else the call was asked to show */
  readonly [key: string]: unknown;
}

/** What `move_before` takes. Puts a node right before another child of the same parent. */
export interface MoveBeforeInput extends CommonArguments {
  /** The node */
  readonly nodeId: string;
  /** The sibling */
  readonly siblingId: string;
  /** Also show this */
  readonly return?: "ids" | "node" | "view" | undefined;
}

/** What `move_before` returns as `value`. */
export interface MoveBeforeOutput {
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

/** What `move_after` takes. Puts a node right after another child of the same parent. */
export interface MoveAfterInput extends CommonArguments {
  /** The node */
  readonly nodeId: string;
  /** The sibling */
  readonly siblingId: string;
  /** Also show this */
  readonly return?: "ids" | "node" | "view" | undefined;
}

/** What `move_after` returns as `value`. */
export interface MoveAfterOutput {
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

/** What `sort_children` takes. Sorts the children of a node by a property. Equal ones keep their order; those without it come last. */
export interface SortChildrenInput extends CommonArguments {
  /** The node whose children it is about */
  readonly parentId: string;
  /** The property to sort by */
  readonly byProp: string;
  /** Ascending when left out */
  readonly direction?: "asc" | "desc" | undefined;
  /** Always so */
  readonly stable?: boolean | undefined;
  /** Also show this */
  readonly return?: "ids" | "node" | "view" | undefined;
}

/** What `sort_children` returns as `value`. */
export interface SortChildrenOutput {
  /** The node whose children it is about */
  readonly parentId: string;
  /** How many children there are */
  readonly children: number;
  /** What changed */
  readonly changed: boolean;
  /** The version; send it as expectedVersion */
  readonly token?: string | undefined;
  /** What else the call was asked to show */
  readonly [key: string]: unknown;
}

/** What `copy_subtree` takes. Copies a branch under a node, last. duplicate: payloads of its own; reference: each copy shares its original's payload. */
export interface CopySubtreeInput extends CommonArguments {
  /** The branch to copy */
  readonly sourceId: string;
  /** The node to put it under */
  readonly targetParentId: string;
  /** How it is done */
  readonly mode?: "reference" | "duplicate" | undefined;
  /** Also show this */
  readonly return?: "ids" | "node" | "view" | undefined;
}

/** What `copy_subtree` returns as `value`. */
export interface CopySubtreeOutput {
  /** The node */
  readonly nodeId: string;
  /** The nodes, or how many there are */
  readonly nodes: number;
  /** How it is done */
  readonly mode: "reference" | "duplicate";
  /** The version; send it as expectedVersion */
  readonly token?: string | undefined;
  /** What else the call was asked to show */
  readonly [key: string]: unknown;
}

/** What `clone_node` takes. Copies one node, without its children, under a node, last. */
export interface CloneNodeInput extends CommonArguments {
  /** The node */
  readonly nodeId: string;
  /** The node to put it under */
  readonly targetParentId: string;
  /** Also show this */
  readonly return?: "ids" | "node" | "view" | undefined;
}

/** What `clone_node` returns as `value`. */
export interface CloneNodeOutput {
  /** The node */
  readonly nodeId: string;
  /** The parent */
  readonly parentNodeId: string;
  /** The version; send it as expectedVersion */
  readonly token?: string | undefined;
  /** What else the call was asked to show */
  readonly [key: string]: unknown;
}

/** What `update_payload_property` takes. Sets one property of a node's payload, also by path: meta.owner. */
export interface UpdatePayloadPropertyInput extends CommonArguments {
  /** The node */
  readonly nodeId: string;
  /** The property */
  readonly propertyName: string;
  /** Any JSON value */
  readonly newValue: unknown;
  /** Also show this */
  readonly return?: "ids" | "node" | "view" | undefined;
}

/** What `update_payload_property` returns as `value`. */
export interface UpdatePayloadPropertyOutput {
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

/** What `update_nodes` takes. Sets properties of all nodes that meet a filter. Failures are listed, the others are changed; at most 500 a call, then pageToken leads on. */
export interface UpdateNodesInput extends CommonArguments {
  /** A list of {path, op, value} or a group {op: "and"|"or", predicates, groups} */
  readonly filter: unknown;
  /** Properties and their new values */
  readonly patch: object;
  /** Only this branch */
  readonly rootNodeId?: string | undefined;
  /** From the page before */
  readonly pageToken?: string | undefined;
  /** Where there are several */
  readonly tree?: string | undefined;
  /** Also show this */
  readonly return?: "ids" | "node" | "view" | undefined;
}

/** What `update_nodes` returns as `value`. */
export interface UpdateNodesOutput {
  /** How many nodes were found */
  readonly matched: number;
  /** How many changed */
  readonly updated: number;
  /** How many were refused */
  readonly failed: number;
  /** The nodes, or how many there are */
  readonly nodes: readonly {
    /** The node */
    readonly nodeId: string;
    readonly status: "updated" | "unchanged" | "failed";
    /** What else the call was asked to show */
    readonly [key: string]: unknown;
  }[];
  /** The node at the top */
  readonly root: string;
  /** Send this to get the next page; absent on the last */
  readonly pageToken?: string | undefined;
  /** The version; send it as expectedVersion */
  readonly token?: string | undefined;
  /** What else the call was asked to show */
  readonly [key: string]: unknown;
}

/** What `tag_node` takes. Adds tags to a node; remove takes some away. */
export interface TagNodeInput extends CommonArguments {
  /** The node */
  readonly nodeId: string;
  /** The tags */
  readonly tags?: readonly string[] | undefined;
  /** Whether to take the tags away */
  readonly remove?: readonly string[] | undefined;
  /** Also show this */
  readonly return?: "ids" | "node" | "view" | undefined;
}

/** What `tag_node` returns as `value`. */
export interface TagNodeOutput {
  /** The node */
  readonly nodeId: string;
  /** The tags */
  readonly tags: readonly string[];
  /** The version; send it as expectedVersion */
  readonly token?: string | undefined;
  /** What else the call was asked to show */
  readonly [key: string]: unknown;
}

/** What `import_view` takes. Takes in what export_view gave with includeViewRoot. nodeId, path: restores expansion and filters; create: builds a tree from it. */
export interface ImportViewInput extends CommonArguments {
  /** The document, as an object or as text */
  readonly viewJson: unknown;
  /** For create: the types the tree accepts, by name */
  readonly payloadTypes?: unknown | undefined;
  /** How the node that the view belongs to is found */
  readonly rootLookupStrategy?: "nodeId" | "path" | "create" | undefined;
  /** For create */
  readonly name?: string | undefined;
  /** Where there are several */
  readonly tree?: string | undefined;
}

/** What `import_view` returns as `value`. */
export interface ImportViewOutput {
  /** The node at the top */
  readonly rootNodeId: string;
  /** How many nodes were opened or closed */
  readonly restored: number;
  /** Ids that no node has */
  readonly unknown: number;
  /** What was made */
  readonly created?: {
    /** The id of the tree */
    readonly tree: string;
    /** The node at the top */
    readonly rootNodeId: string;
    /** The nodes, or how many there are */
    readonly nodes: number;
    /** Ids that were taken and were given anew */
    readonly renamed: readonly {
      readonly from: string;
      readonly to: string;
    }[];
    /** What else the call was asked to show */
    readonly [key: string]: unknown;
  } | undefined;
  /** The version; send it as expectedVersion */
  readonly token?: string | undefined;
  /** What else the call was asked to show */
  readonly [key: string]: unknown;
}
