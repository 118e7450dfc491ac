// Owns: large input of every kind and the calls on it whose longest hold of the main thread is measured.

export const LINES = 1_000_000;
export const FILES = 10_000;
export const RECORDS_MB = 100;
const NODES = 40_000;
const OPERATIONS = 400;

/** One call of a tool. What it sends may need what earlier ones returned. */
export interface HeldCall {
  /** Said beside the time; the tool's name when left out. */
  readonly name?: string;
  readonly tool: string;
  readonly input: (last: Last) => object;
}

/** What later calls need of earlier ones. */
export interface Last {
  /** The token of the first write. */
  readonly begin: string;
  /** The last token of a tree. */
  readonly tree: string;
}

export const lineOf = (n: number): string => `line ${n}: an ordinary line of text, as long as lines are.`;

/** A JSON document whose tree has {@link NODES} nodes. */
export function treeDocument(): string {
  const children = Array.from({ length: NODES / 100 }, (_, i) => ({
    PayloadType: "Part",
    PayloadProps: { Name: `part ${i}` },
    Children: Array.from({ length: 99 }, (__, j) => ({
      PayloadType: "Task",
      PayloadProps: { Name: `task ${i}.${j}`, prio: j % 10, owner: j % 2 === 0 ? "ann" : "bob" },
    })),
  }));
  return JSON.stringify({ PayloadType: "Plan", PayloadProps: { Name: "plan" }, Children: children });
}

export const RULES =
  '{ "id": "tasks", "rules": [{ "rule": "required", "properties": ["owner"], "message": "A task has an owner" }] }';

const BIG = "big/lines.txt";
const DATA = "big/records.json";
const KEY = "$.tail.a.b.c[2].target";

const pinned = (input: object) => (last: Last) => ({ ...input, expectedVersion: last.tree });
const fixed = (input: object) => () => input;

const operations = Array.from({ length: OPERATIONS }, (_, i) => {
  const line = (i + 1) * Math.floor(LINES / OPERATIONS);
  return { file: BIG, line, op: "replace", old: lineOf(line - 1), new: `line ${line} is changed` };
});

/** In the order in which they are made. */
export const CALLS: readonly HeldCall[] = [
  { tool: "list_directory", input: fixed({ depth: 10 }) },
  { tool: "find_files", input: fixed({ glob: "**/*7.txt" }) },
  { tool: "search_files", input: fixed({ pattern: "nowhere to be found" }) },
  {
    tool: "search_files",
    name: "search_files, a pattern",
    input: fixed({ pattern: "n[0o]where \\d+ found", regex: true }),
  },
  {
    tool: "read_file",
    name: "read_file, the middle",
    input: fixed({ path: BIG, offset: LINES / 2, limit: 100 }),
  },
  { tool: "stat_file", input: fixed({ path: BIG }) },
  {
    tool: "edit_file",
    input: fixed({ path: BIG, edits: [{ old_text: lineOf(777_777), new_text: "edited" }] }),
  },
  {
    tool: "replace_in_files",
    input: fixed({ pattern: "marker 7 of", replacement: "mark 7 of", include: ["many/**"] }),
  },
  { tool: "write_file", input: fixed({ path: "new.txt", content: "x".repeat(40_000) }) },
  { tool: "copy_file", input: fixed({ source: BIG, destination: "big/copy.txt" }) },
  {
    tool: "move_file",
    name: "move_file, a directory",
    input: fixed({ source: "many", destination: "moved" }),
  },
  { tool: "validate_json", input: fixed({ path: DATA }) },
  { tool: "preview_json", input: fixed({ path: DATA }) },
  { tool: "get_json_value", input: fixed({ path: DATA, json_path: KEY }) },
  { tool: "list_json_keys", input: fixed({ path: DATA, json_path: "$" }) },
  { tool: "query_json", input: fixed({ path: DATA, json_path: "$..target" }) },
  { tool: "set_json_value", input: fixed({ path: DATA, json_path: KEY, value: '"new"' }) },
  { tool: "delete_json_key", input: fixed({ path: DATA, json_path: KEY }) },
  { tool: "check_patch", input: fixed({ patch: operations }) },
  { tool: "apply_patch", input: fixed({ patch: operations }) },
  { tool: "create_patch", input: fixed({ from: 1, path: BIG }) },
  { tool: "create_tree", input: fixed({ from: "big/tree.json" }) },
  { tool: "get_view", input: fixed({ rootNodeId: "n0" }) },
  { tool: "select_nodes", input: fixed({ queryDsl: 'Task[prio>=5]:has(+ Task[owner="bob"])' }) },
  { tool: "search", input: fixed({ filters: [{ path: "Name", op: "contains", value: "task 39" }] }) },
  { tool: "export_subtree", input: fixed({ nodeId: "n1", format: "outline" }) },
  { tool: "validate_tree", input: fixed({ rulesetId: "big/rules.json" }) },
  { tool: "expand_all", input: pinned({ rootNodeId: "n0" }) },
  {
    tool: "update_nodes",
    input: pinned({ filter: [{ path: "owner", op: "eq", value: "bob" }], patch: { prio: 1 } }),
  },
  { tool: "sort_children", input: pinned({ parentId: "n0", byProp: "Name" }) },
  { tool: "copy_subtree", input: pinned({ sourceId: "n2", targetParentId: "n1", mode: "duplicate" }) },
  { tool: "save_tree", input: fixed({ path: "saved.json" }) },
  { tool: "list_changes", input: fixed({}) },
  { tool: "blame", input: fixed({ path: BIG }) },
  { tool: "diff_changes", input: ({ begin }) => ({ since: begin }) },
  { tool: "snapshot_diff", input: ({ begin }) => ({ a: begin }) },
  { tool: "undo_changes", input: fixed({}) },
  { tool: "delete_file", name: "delete_file, a directory", input: fixed({ path: "moved" }) },
];
