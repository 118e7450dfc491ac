// Owns: the examples of docs/tools.md: files, and calls in the order in which they are made.

/** What earlier calls have returned, by the name of the example. */
export interface Seen {
  readonly tokens: ReadonlyMap<string, string>;
  /** The token that the last call on a tree returned. */
  readonly tree: string;
}

export interface Example {
  readonly tool: string;
  readonly input: object | ((seen: Seen) => object);
  /** Who calls; `ann` when left out. */
  readonly as?: string;
  /** By which later examples name its token. */
  readonly name?: string;
  /** It needs the version of the tree: that of the last call on it. */
  readonly isPinned?: boolean;
  /** The call is there to show a refusal. */
  readonly isRefused?: boolean;
  /** Only prepares others. */
  readonly isHidden?: boolean;
}

export const FILES: Readonly<Record<string, string>> = {
  "src/tax.js": "export const RATE = 0.19;\n\nexport function taxOf(price) {\n  return price * RATE;\n}\n",
  "src/cart.js":
    'import { taxOf } from "./tax.js";\n\nexport const gross = (price) => price + taxOf(price);\n',
  "config/app.json":
    '{\n  // Where it runs\n  "port": 8080,\n  "features": { "rollout": { "percent": 25, "regions": ["eu"] }, "dark": false }\n}\n',
  "users.json": '{ "users": [{ "name": "Ada", "age": 36 }, { "name": "Bob", "age": 17 }] }\n',
  "plan.md": "# Release\n\n- Fix the tax\n  - Write a test\n- Write the notes\n",
  "rules.json":
    '{ "id": "tasks", "rules": [{ "rule": "required", "properties": ["owner"], "message": "A task has an owner" }] }\n',
};

const APP = "config/app.json";

export const EXAMPLES: readonly Example[] = [
  {
    tool: "submit_gates",
    input: {
      answer: {
        summary: "A release",
        gates: { goal: { raw: "The release of 1.5", classified: null } },
        status: { pass: true, next_gate: null, next_query: null },
      },
    },
  },
  { tool: "get_gates", input: {} },
  { tool: "list_directory", input: { depth: 2 } },
  { tool: "read_file", input: { path: "src/tax.js" }, name: "tax" },
  { tool: "read_file", input: { paths: ["src/cart.js", "nope.js"], line_numbers: true } },
  { tool: "stat_file", input: { path: "src/tax.js" } },
  { tool: "find_files", input: { glob: "*.js" } },
  { tool: "search_files", input: { pattern: "tax", whole_word: true, include: ["src/**"], context: 1 } },
  { tool: "write_file", input: { path: "notes.md", content: "# Notes\n" } },
  {
    tool: "edit_file",
    input: (seen) => ({
      path: "src/tax.js",
      edits: [{ old_text: "return price * RATE;", new_text: "return Math.round(price * RATE);" }],
      expectedVersion: seen.tokens.get("tax"),
    }),
    name: "edited",
  },
  {
    tool: "edit_file",
    as: "bob",
    input: (seen) => ({
      path: "src/tax.js",
      edits: [{ old_text: "0.19", new_text: "0.2" }],
      expectedVersion: seen.tokens.get("tax"),
    }),
    isRefused: true,
  },
  {
    tool: "edit_file",
    as: "bob",
    input: (seen) => ({
      path: "src/tax.js",
      edits: [{ old_text: "0.19", new_text: "0.2" }],
      expectedVersion: seen.tokens.get("tax"),
      onConflict: "rebase",
    }),
  },
  {
    tool: "replace_in_files",
    input: { pattern: "taxOf", replacement: "taxFor", include: ["*.js"] },
    name: "renamed",
  },
  { tool: "move_file", input: { source: "notes.md", destination: "docs/notes.md" } },
  { tool: "copy_file", input: { source: "docs/notes.md", destination: "docs/copy.md" } },
  { tool: "delete_file", input: { path: "docs/copy.md" } },

  { tool: "preview_json", input: { path: APP, max_depth: 1 } },
  { tool: "get_json_value", input: { path: APP, json_path: "$.features.rollout" } },
  { tool: "list_json_keys", input: { path: APP, json_path: "$.features" } },
  { tool: "validate_json", input: { path: "users.json" } },
  { tool: "validate_json", input: { path: APP }, isRefused: true },
  { tool: "query_json", input: { path: "users.json", json_path: "$.users[?@.age > 18].name" } },
  { tool: "set_json_value", input: { path: APP, json_path: "$.features.rollout.percent", value: "50" } },
  { tool: "append_json_array", input: { path: APP, json_path: "$.features.rollout.regions", value: '"us"' } },
  { tool: "merge_json_object", input: { path: APP, json_path: "$.features", updates: '{"beta": true}' } },
  { tool: "delete_json_key", input: { path: APP, json_path: "$.features.dark" } },
  {
    tool: "edit_json",
    input: {
      path: "users.json",
      edits: [
        { op: "set", json_path: "$.users[0].age", value: "37" },
        { op: "rename", json_path: "$.users[1].name", value: "first" },
      ],
    },
  },

  {
    tool: "check_patch",
    input: {
      patch: [{ file: "docs/notes.md", line: 1, op: "replace", old: "# Notes", new: "# Release notes" }],
    },
  },
  {
    tool: "apply_patch",
    input: {
      patch: [
        { file: "docs/notes.md", line: 1, op: "replace", old: "# Notes", new: "# Release notes" },
        { file: "docs/notes.md", line: 2, op: "insert", new: "- Tax is rounded." },
      ],
    },
    name: "patched",
  },
  { tool: "create_patch", input: (seen) => ({ from: seen.tokens.get("edited"), path: "src/tax.js" }) },

  { tool: "create_tree", input: { name: "release", from: "plan.md" } },
  { tool: "list_trees", input: {} },
  { tool: "get_subtree", input: { nodeId: "n0", format: "outline" } },
  { tool: "get_node", input: { nodeId: "n1" } },
  {
    tool: "add_child",
    input: { parentNodeId: "n0", payloadType: "Task", payloadProps: { name: "Publish", prio: 2 } },
    isPinned: true,
  },
  { tool: "update_payload", input: { nodeId: "n1", patch: { owner: "ann", prio: 5 } }, isPinned: true },
  {
    tool: "update_payload_property",
    input: { nodeId: "n2", propertyName: "owner", newValue: "bob" },
    isPinned: true,
  },
  {
    tool: "update_nodes",
    input: { filter: [{ path: "owner", op: "eq", value: "bob" }], patch: { prio: 1 } },
    isPinned: true,
  },
  { tool: "tag_node", input: { nodeId: "n1", tags: ["urgent"] }, isPinned: true },
  { tool: "query_by_tag", input: { tag: "urgent" } },
  { tool: "search", input: { filters: [{ path: "name", op: "contains", value: "write" }] } },
  {
    tool: "search_advanced",
    input: { predicates: [{ path: "prio", op: "gt", value: 1 }], sortBy: "prio", sortDirection: "desc" },
  },
  { tool: "select_nodes", input: { queryDsl: "[prio>=2]" } },
  { tool: "list_children", input: { nodeId: "n0", format: "outline" } },
  { tool: "get_path", input: { nodeId: "n2" } },
  { tool: "get_common_ancestor", input: { nodeIds: ["n1", "n3"] } },
  { tool: "validate_tree", input: { rulesetId: "rules.json" } },
  { tool: "lint_payload", input: { nodeId: "n3", rulesetId: "rules.json" } },
  { tool: "clone_node", input: { nodeId: "n1", targetParentId: "n0" }, isPinned: true },
  {
    tool: "copy_subtree",
    input: { sourceId: "n1", targetParentId: "n3", mode: "duplicate" },
    isPinned: true,
  },
  { tool: "diff_subtree", input: { aId: "n1", bId: "n3" } },
  { tool: "sort_children", input: { parentId: "n0", byProp: "prio", direction: "desc" }, isPinned: true },
  { tool: "move_node", input: { nodeId: "n3", newParentId: "n0" }, isPinned: true },
  { tool: "move_before", input: { nodeId: "n3", siblingId: "n1" }, isPinned: true },
  { tool: "move_after", input: { nodeId: "n3", siblingId: "n1" }, isPinned: true },
  { tool: "bookmark", input: { nodeId: "n1", label: "next" }, isPinned: true },
  { tool: "list_bookmarks", input: {} },
  { tool: "remove_bookmark", input: { label: "next" }, isPinned: true },
  { tool: "expand_node", input: { nodeId: "n0" }, isPinned: true },
  { tool: "collapse_node", input: { nodeId: "n1" }, isPinned: true },
  { tool: "toggle_node", input: { nodeId: "n1" }, isPinned: true },
  { tool: "expand_all", input: { rootNodeId: "n0" }, isPinned: true },
  { tool: "collapse_all", input: { rootNodeId: "n1" }, isPinned: true },
  { tool: "set_expansion_recursive", input: { nodeId: "n0", expanded: true, maxDepth: 2 }, isPinned: true },
  { tool: "set_filters", input: { scope: "view", excluded: ["prio"] }, isPinned: true },
  { tool: "get_view", input: { rootNodeId: "n0", format: "outline" } },
  { tool: "export_view", input: { rootNodeId: "n2" } },
  { tool: "export_subtree", input: { nodeId: "n0", format: "markdown" } },
  {
    tool: "import_merge",
    input: { json: { NodeId: "n2", PayloadType: "Task", Payload: { status: "done" } } },
    isPinned: true,
  },
  {
    tool: "import_view",
    input: {
      viewJson: { RootNodeId: "n0", View: { NodeId: "n0", IsExpanded: true } },
      rootLookupStrategy: "nodeId",
    },
    isPinned: true,
  },
  { tool: "save_tree", input: { path: "release.tree.json", nodeId: "n2" } },
  { tool: "remove_node", input: { nodeId: "n2" }, isPinned: true },
  { tool: "drop_tree", input: { tree: "t1" }, isPinned: true },

  { tool: "snapshot_create", input: { label: "before the release" }, name: "snapshot" },
  {
    tool: "write_file",
    input: { path: "docs/notes.md", content: "# Empty\n", mode: "overwrite" },
    isHidden: true,
  },
  { tool: "snapshot_list", input: {} },
  { tool: "snapshot_diff", input: (seen) => ({ a: seen.tokens.get("snapshot") }) },
  { tool: "snapshot_restore", input: (seen) => ({ id: seen.tokens.get("snapshot"), path: "docs" }) },
  { tool: "list_changes", input: (seen) => ({ since: seen.tokens.get("snapshot") }) },
  { tool: "diff_changes", input: (seen) => ({ record: Number(seen.tokens.get("patched")?.split("-")[0]) }) },
  { tool: "blame", input: { path: "src/tax.js" } },
  {
    tool: "undo_changes",
    input: (seen) => ({ record: Number(seen.tokens.get("renamed")?.split("-")[0]), path: "src/cart.js" }),
  },
  { tool: "request_landing", input: { reason: "Tax is rounded now; tested.", paths: ["src"] } },
];
