// What a message tells an agent to do next, done: the advice is found in the text, followed to the letter, and works.

import { describe, expect, test } from "vitest";
import type { CallResult, SessionOptions } from "../../src/tools/index.ts";
import { bench, EDITOR, OTHER } from "./bench-session.ts";

type Call = readonly [tool: string, input: object];
type Found = (index: number) => string;

interface Advice {
  /** What the text must say; its groups are what the next call is made from. */
  readonly says: RegExp;
  /** Calls before, by the same agent; with `bob: true` by another. */
  readonly given?: readonly (readonly [tool: string, input: object, by?: "bob"])[];
  readonly first: Call | ((token: string) => Call);
  /** The calls that do what was said. `token` is that of the last call given. */
  readonly follow: (found: Found, token: string) => readonly Call[];
  readonly options?: SessionOptions;
}

const FILE: Call = ["write_file", { path: "a.txt", content: "one\ntwo\nthree\n" }];
const JSON_FILE: Call = ["write_file", { path: "a.json", content: '{"a": {"b": 1}, "list": [1]}' }];
const TREE: Call = [
  "create_tree",
  { name: "plan", payloadType: "Plan", payloadProps: { name: "plan", text: "y".repeat(99) } },
];
const LONG: Call = ["write_file", { path: "long.txt", content: "some words in a line\n".repeat(900) }];
const edit = (old_text: string, new_text: string): Call => [
  "edit_file",
  { path: "a.txt", edits: [{ old_text, new_text }] },
];

const ADVICE: Readonly<Record<string, Advice>> = {
  "the nearest tool": {
    says: /did you mean (\w+)\?/i,
    given: [FILE],
    first: ["read_fil", { path: "a.txt" }],
    follow: (found) => [[found(1), { path: "a.txt" }]],
  },
  "the nearest field": {
    says: /did you mean (\w+)\?/,
    first: ["write_file", { path: "b.txt", content: "x", mod: "create" }],
    follow: (found) => [["write_file", { path: "b.txt", content: "x", [found(1)]: "create" }]],
  },
  "items that are too many": {
    says: /Send at most (\d+) at a time/,
    given: [TREE],
    first: (token) => [
      "tag_node",
      { nodeId: "n0", tags: Array.from({ length: 501 }, (_, i) => `t${i}`), expectedVersion: token },
    ],
    follow: (found, token) => [
      [
        "tag_node",
        { nodeId: "n0", tags: Array.from({ length: 60 }, (_, i) => `t${i}`), expectedVersion: token },
      ],
      ["list_trees", { budget: 2 * Number(found(1)) }],
    ],
  },
  "content that is too long": {
    says: /one call may send (\d+)\. Write a part, then append the rest/,
    first: ["write_file", { path: "b.txt", content: "x".repeat(60_000) }],
    follow: (found) => [
      ["write_file", { path: "b.txt", content: "x".repeat(Number(found(1))) }],
      ["write_file", { path: "b.txt", content: "x".repeat(60_000 - Number(found(1))), mode: "append" }],
    ],
  },
  "a stale version": {
    says: /latest token is ([\w.-]+): (?:look at the change below|read again), then repeat the call with it/,
    given: [FILE, ["write_file", { path: "a.txt", content: "x\n", mode: "append" }, "bob"]],
    first: [
      "write_file",
      { path: "a.txt", content: "mine\n", mode: "append", expectedVersion: "2-00000000" },
    ],
    follow: (found) => [
      ["read_file", { path: "a.txt" }],
      ["write_file", { path: "a.txt", content: "mine\n", mode: "append", expectedVersion: found(1) }],
    ],
  },
  "a version that must be named": {
    says: /latest token is ([\w.-]+): send it as expectedVersion/,
    given: [TREE],
    first: ["add_child", { parentNodeId: "n0", payloadType: "T" }],
    follow: (found) => [["add_child", { parentNodeId: "n0", payloadType: "T", expectedVersion: found(1) }]],
  },
  "a version of something else": {
    says: /which did not change "l"\. The latest token of "l" is ([\w.-]+): read again, then repeat the call with it/,
    given: [FILE],
    first: (token) => ["snapshot_create", { label: "l", expectedVersion: token }],
    follow: (found) => [["snapshot_create", { label: "l", expectedVersion: found(1) }]],
  },
  "a rule that wants the version": {
    says: /latest token is ([\w.-]+): send it as expectedVersion/,
    options: { rules: [{ paths: ["*.txt"], require: "version" }] },
    given: [FILE],
    first: ["write_file", { path: "a.txt", content: "x", mode: "overwrite" }],
    follow: (found) => [
      ["write_file", { path: "a.txt", content: "x", mode: "overwrite", expectedVersion: found(1) }],
    ],
  },
  "text that is no token": {
    says: /is not a version token\. Use the token that a read or write returned/,
    given: [FILE],
    first: ["write_file", { path: "a.txt", content: "x", mode: "overwrite", expectedVersion: "latest" }],
    follow: (_, token) => [
      ["write_file", { path: "a.txt", content: "x", mode: "overwrite", expectedVersion: token }],
    ],
  },
  "a file that exists": {
    says: /use mode "(overwrite)" or "append"/,
    given: [FILE],
    first: FILE,
    follow: (found) => [["write_file", { path: "a.txt", content: "x", mode: found(1) }]],
  },
  "a name that differs in case": {
    says: /differs only in case from (\S+): use that spelling/,
    given: [FILE],
    first: ["write_file", { path: "A.txt", content: "x", mode: "upsert" }],
    follow: (found) => [["write_file", { path: found(1), content: "x", mode: "upsert" }]],
  },
  "a directory whose name differs in case": {
    says: /\/workspace\/D differs only in case from (\S+): use that spelling/,
    given: [["write_file", { path: "d/a.txt", content: "x" }]],
    first: ["write_file", { path: "D/b.txt", content: "x" }],
    follow: (found) => [["write_file", { path: `${found(1)}/b.txt`, content: "x" }]],
  },
  "a file to overwrite that is not there": {
    says: /does not exist\. .* To make it, use mode "(\w+)"/,
    first: ["write_file", { path: "b.txt", content: "x", mode: "overwrite" }],
    follow: (found) => [["write_file", { path: "b.txt", content: "x", mode: found(1) }]],
  },
  "a file to append to that is not there": {
    says: /does not exist\. .* To make it, use mode "(\w+)"/,
    first: ["write_file", { path: "b.txt", content: "x", mode: "append" }],
    follow: (found) => [["write_file", { path: "b.txt", content: "x", mode: found(1) }]],
  },
  "a blame of another name": {
    says: /Did you mean (\S+)\?/,
    given: [FILE],
    first: ["blame", { path: "a.tx" }],
    follow: (found) => [["blame", { path: found(1) }]],
  },
  "a blame of a directory": {
    says: /(\S+) is a directory\. Name a file in it/,
    given: [["write_file", { path: "d/a.txt", content: "x" }]],
    first: ["blame", { path: "d" }],
    follow: (found) => [["blame", { path: `${found(1)}/a.txt` }]],
  },
  "a destination that exists": {
    says: /exists already\. Choose another destination, or delete it first/,
    given: [FILE, ["write_file", { path: "b.txt", content: "x" }]],
    first: ["move_file", { source: "a.txt", destination: "b.txt" }],
    follow: () => [
      ["delete_file", { path: "b.txt" }],
      ["move_file", { source: "a.txt", destination: "b.txt" }],
    ],
  },
  "a file that is listed": {
    says: /Use (read_file) to read it/,
    given: [FILE],
    first: ["list_directory", { path: "a.txt" }],
    follow: (found) => [[found(1), { path: "a.txt" }]],
  },
  "a page that ends": {
    says: /Call again with cursor ("[^"]+")/,
    given: [LONG],
    first: ["read_file", { path: "long.txt", budget: 2_000 }],
    follow: (found) => [["read_file", { path: "long.txt", budget: 2_000, cursor: JSON.parse(found(1)) }]],
  },
  "hits that do not fit": {
    says: /Call again with cursor ("[^"]+")/,
    given: [LONG],
    first: ["search_files", { pattern: "words", budget: 2_000 }],
    follow: (found) => [["search_files", { pattern: "words", budget: 2_000, cursor: JSON.parse(found(1)) }]],
  },
  "a cursor of another call": {
    says: /no cursor to begin again/,
    given: [LONG],
    first: ["read_file", { path: "long.txt", cursor: "bm9uZQ" }],
    follow: () => [["read_file", { path: "long.txt" }]],
  },
  "an offset past the end": {
    says: /Send an offset from 1 to (\d+)/,
    given: [FILE],
    first: ["read_file", { path: "a.txt", offset: 99 }],
    follow: (found) => [["read_file", { path: "a.txt", offset: Number(found(1)) }]],
  },
  "a blame past the end": {
    says: /Send an offset from 1 to (\d+)/,
    given: [FILE],
    first: ["blame", { path: "a.txt", offset: 99 }],
    follow: (found) => [["blame", { path: "a.txt", offset: Number(found(1)) }]],
  },
  "text that occurs often": {
    says: /or send (replace_all): true/,
    given: [["write_file", { path: "a.txt", content: "x\nx\n" }]],
    first: edit("x", "y"),
    follow: (found) => [
      ["edit_file", { path: "a.txt", edits: [{ old_text: "x", new_text: "y", [found(1)]: true }] }],
    ],
  },
  "text that is not there": {
    says: /read the file again and send its text exactly/,
    given: [FILE],
    first: edit("Two", "2"),
    follow: () => [["read_file", { path: "a.txt" }], edit("two", "2")],
  },
  "an edit that does nothing": {
    says: /old_text and new_text are the same.*Leave the edit out/,
    given: [FILE],
    first: [
      "edit_file",
      {
        path: "a.txt",
        edits: [
          { old_text: "one", new_text: "one" },
          { old_text: "two", new_text: "2" },
        ],
      },
    ],
    follow: () => [edit("two", "2")],
  },
  "an edit of nothing": {
    says: /old_text is empty.*use (write_file) to create, (append) or overwrite/,
    given: [FILE],
    first: edit("", "x"),
    follow: (found) => [[found(1), { path: "a.txt", content: "x", mode: found(2) }]],
  },
  "a replacement that finds nothing": {
    says: /Look for it with (search_files)/,
    given: [FILE],
    first: ["replace_in_files", { pattern: "TWO", replacement: "2" }],
    follow: (found) => [
      [found(1), { pattern: "TWO", ignore_case: true }],
      ["replace_in_files", { pattern: "two", replacement: "2" }],
    ],
  },
  "bytes that are no text": {
    says: /or encoding "(binary)" to make the file binary/,
    given: [FILE],
    first: ["write_file", { path: "a.txt", content_base64: "/w==", mode: "append" }],
    follow: (found) => [
      ["write_file", { path: "a.txt", content_base64: "/w==", mode: "append", encoding: found(1) }],
    ],
  },
  "a parent that is not there": {
    says: /Set (\S+) to (\{.*\}) instead/,
    given: [JSON_FILE],
    first: ["set_json_value", { path: "a.json", json_path: "$.a.x.y", value: "2" }],
    follow: (found) => [["set_json_value", { path: "a.json", json_path: found(1), value: found(2) }]],
  },
  "a text without its quotes": {
    says: /A text needs its quotes: send ("\\"hello\\"")\./,
    given: [JSON_FILE],
    first: ["set_json_value", { path: "a.json", json_path: "$.a", value: "hello" }],
    follow: (found) => [
      ["set_json_value", { path: "a.json", json_path: "$.a", value: JSON.parse(found(1)) }],
    ],
  },
  "an index past the end": {
    says: /\((append_json_array)\)/,
    given: [JSON_FILE],
    first: ["set_json_value", { path: "a.json", json_path: "$.list[5]", value: "2" }],
    follow: (found) => [[found(1), { path: "a.json", json_path: "$.list", value: "2" }]],
  },
  "a trailing comma": {
    says: /Or allow it: name the file (\.jsonc)/,
    given: [["write_file", { path: "t.json", content: '{"a": 1,}' }]],
    first: ["set_json_value", { path: "t.json", json_path: "$.a", value: "2" }],
    follow: (found) => [
      ["move_file", { source: "t.json", destination: `t${found(1)}` }],
      ["set_json_value", { path: "t.jsonc", json_path: "$.a", value: "2" }],
    ],
  },
  "a number of targets": {
    says: /send expectedVersion as a map from target to token/,
    given: [JSON_FILE, ["write_file", { path: "b.json", content: "{}" }]],
    first: (token) => [
      "edit_json",
      {
        edits: ["a.json", "b.json"].map((path) => ({ path, op: "set", json_path: "$.n", value: "1" })),
        expectedVersion: token,
      },
    ],
    follow: (_, token) => [
      [
        "edit_json",
        {
          edits: ["a.json", "b.json"].map((path) => ({ path, op: "set", json_path: "$.n", value: "1" })),
          expectedVersion: { "b.json": token },
        },
      ],
    ],
  },
  "one of two arguments": {
    says: /Send either content \(text\) or (content_base64) \(bytes\), exactly one/,
    first: ["write_file", { path: "b.txt" }],
    follow: (found) => [["write_file", { path: "b.txt", [found(1)]: "YQ==" }]],
  },
  "bytes declared as text": {
    says: /Leave encoding out, or send "(binary)"/,
    first: ["write_file", { path: "b.txt", content_base64: "/w==", encoding: "utf-8" }],
    follow: (found) => [["write_file", { path: "b.txt", content_base64: "/w==", encoding: found(1) }]],
  },
  "a group that is not there": {
    says: /Write (\$\$) for a plain dollar sign/,
    given: [FILE],
    first: ["replace_in_files", { pattern: "t(w)o", regex: true, replacement: "$3" }],
    follow: (found) => [["replace_in_files", { pattern: "t(w)o", regex: true, replacement: `${found(1)}3` }]],
  },
  "a diff of nothing of one's own": {
    says: /Send (record) or since to see what others did/,
    given: [["write_file", { path: "a.txt", content: "x" }, "bob"]],
    first: ["diff_changes", {}],
    follow: (found) => [
      ["list_changes", {}],
      ["diff_changes", { [found(1)]: 1 }],
    ],
  },
  "a request without a reason": {
    says: /Send a (reason) to ask for a landing/,
    given: [FILE],
    first: ["request_landing", {}],
    follow: (found) => [["request_landing", { [found(1)]: "done" }]],
  },
  "the root of a tree": {
    says: /The root cannot be removed\. Remove its children/,
    options: { requireVersions: false },
    given: [TREE, ["add_child", { parentNodeId: "n0", payloadType: "T" }]],
    first: ["remove_node", { nodeId: "n0" }],
    follow: () => [["remove_node", { nodeId: "n1" }]],
  },
  "a property that is not there": {
    says: /Set "(a)" as a whole/,
    options: { requireVersions: false },
    given: [TREE],
    first: ["update_payload", { nodeId: "n0", patch: { "a.b": 1 } }],
    follow: (found) => [["update_payload", { nodeId: "n0", patch: { [found(1)]: { b: 1 } } }]],
  },
  "one of several trees": {
    says: /say which with "tree": "(t1)", "t2"/,
    given: [TREE, ["create_tree", { name: "other" }]],
    first: ["save_tree", { path: "t.json" }],
    follow: (found) => [["save_tree", { path: "t.json", tree: found(1) }]],
  },
  "a selector with ==": {
    says: /Write a single =/,
    given: [TREE],
    first: ["select_nodes", { queryDsl: 'Plan[name=="plan"]' }],
    follow: () => [["select_nodes", { queryDsl: 'Plan[name="plan"]' }]],
  },
  "a selector with a bar": {
    says: /Write a comma for "or"/,
    given: [TREE],
    first: ["select_nodes", { queryDsl: "Plan||Task" }],
    follow: () => [["select_nodes", { queryDsl: "Plan,Task" }]],
  },
  "an unknown pseudo-class": {
    says: /Write (:leaf)/,
    given: [TREE],
    first: ["select_nodes", { queryDsl: "Plan:empty" }],
    follow: (found) => [["select_nodes", { queryDsl: `Plan${found(1)}` }]],
  },
  "a slash at the end": {
    says: /Remove the slash/,
    given: [FILE],
    first: ["read_file", { path: "a.txt/" }],
    follow: () => [["read_file", { path: "a.txt" }]],
  },
  "another form of letters": {
    says: /Send ("[^"]+") instead/,
    options: { names: "unicode" },
    first: ["write_file", { path: "e\u0301.txt", content: "x" }],
    follow: (found) => [["write_file", { path: JSON.parse(found(1)), content: "x" }]],
  },
  "a glob of the host": {
    says: /remove the leading slash\. Those of agents and rules may begin with (\/workspace\/)/,
    given: [FILE],
    first: ["find_files", { glob: "/*.txt" }],
    follow: (found) => [
      ["find_files", { glob: `${found(1)}*.txt` }],
      ["find_files", { glob: "*.txt" }],
    ],
  },
  "a range in a glob": {
    says: /List the choices, (\{1,2,3\}), or use a class, \[1-3\]/,
    first: ["find_files", { glob: "{1..3}" }],
    follow: (found) => [["find_files", { glob: found(1) }]],
  },
  "two forms of a patch's document": {
    says: /Put it in \[ \]/,
    given: [FILE],
    first: ["apply_patch", { patch: { file: "a.txt", line: 2, op: "delete", old: "two" } }],
    follow: () => [["apply_patch", { patch: [{ file: "a.txt", line: 2, op: "delete", old: "two" }] }]],
  },
  "an edit of no file": {
    says: /Send (path) in it or beside edits/,
    given: [JSON_FILE],
    first: ["edit_json", { edits: [{ op: "set", json_path: "$.a", value: "1" }] }],
    follow: (found) => [
      ["edit_json", { [found(1)]: "a.json", edits: [{ op: "set", json_path: "$.a", value: "1" }] }],
    ],
  },
  "a conflict of a patch": {
    says: /send "old": ("[^"]*")/,
    given: [["write_file", { path: "a.txt", content: "alpha  \n" }]],
    first: ["apply_patch", { patch: [{ file: "a.txt", line: 1, op: "replace", old: "alpha", new: "b" }] }],
    follow: (found) => [
      [
        "apply_patch",
        { patch: [{ file: "a.txt", line: 1, op: "replace", old: JSON.parse(found(1)), new: "b" }] },
      ],
    ],
  },
  "a patch of the wrong file": {
    says: /Did you mean (\S+)\? Correct "file"/,
    given: [FILE],
    first: ["apply_patch", { patch: [{ file: "b/a.txt", line: 2, op: "replace", old: "two", new: "2" }] }],
    follow: (found) => [
      ["apply_patch", { patch: [{ file: found(1), line: 2, op: "replace", old: "two", new: "2" }] }],
    ],
  },
  "a tree that is not there": {
    says: /Use (create_tree)\./,
    first: ["save_tree", { path: "t.json" }],
    follow: (found) => [
      [found(1), { name: "x" }],
      ["save_tree", { path: "t.json" }],
    ],
  },
  "a node that is not there": {
    says: /Use search or (select_nodes) to find ids/,
    given: [TREE],
    first: ["get_subtree", { nodeId: "zz" }],
    follow: (found) => [
      [found(1), { queryDsl: "*" }],
      ["get_subtree", { nodeId: "n0" }],
    ],
  },
  "a branch that is too large": {
    says: /Use (get_subtree) to read it in pages/,
    given: [
      ["write_file", { path: "list.md", content: "- one of many items\n".repeat(60) }],
      ["create_tree", { from: "list.md" }],
    ],
    options: { limits: { budgetChars: 1_000 } },
    first: ["export_subtree", { nodeId: "n0" }],
    follow: (found) => [
      [found(1), { nodeId: "n0" }],
      ["save_tree", { path: "t.json" }],
    ],
  },
  "a view that goes on": {
    says: /\[More: (get_subtree) (\S+) shows the branch in pages\]/,
    given: [TREE],
    first: (token) => [
      "import_merge",
      {
        json: { NodeId: "n0", Children: Array.from({ length: 60 }, () => ({ PayloadType: "T" })) },
        return: "view",
        expectedVersion: token,
      },
    ],
    follow: (found) => [[found(1), { nodeId: found(2) }]],
  },
  "a page of a tree": {
    says: /\[More: send the same call with pageToken ("[^"]+")\]/,
    given: [TREE, ["create_tree", { name: "other" }]],
    first: ["select_nodes", { queryDsl: "*", limit: 1 }],
    follow: (found) => [["select_nodes", { queryDsl: "*", limit: 1, pageToken: JSON.parse(found(1)) }]],
  },
  "a page token that is none": {
    says: /or none for the first page/,
    given: [TREE],
    first: ["select_nodes", { queryDsl: "*", pageToken: "x" }],
    follow: () => [["select_nodes", { queryDsl: "*" }]],
  },
  "siblings that are none": {
    says: /have different parents\. Use (move_node) first/,
    options: { requireVersions: false },
    given: [
      TREE,
      ["add_child", { parentNodeId: "n0", payloadType: "T" }],
      ["add_child", { parentNodeId: "n1", payloadType: "T" }],
    ],
    first: ["move_before", { nodeId: "n2", siblingId: "n1" }],
    follow: (found) => [
      [found(1), { nodeId: "n2", newParentId: "n0" }],
      ["move_before", { nodeId: "n2", siblingId: "n1" }],
    ],
  },
  "a bookmark that is not there": {
    says: /Use (list_bookmarks)/,
    given: [TREE],
    first: (token) => ["remove_bookmark", { label: "x", expectedVersion: token }],
    follow: (found) => [[found(1), {}]],
  },
  "a snapshot that is none": {
    says: /Use one that snapshot_create or (snapshot_list) returned/,
    given: [FILE, ["snapshot_create", { label: "l" }]],
    first: ["snapshot_diff", { a: "before" }],
    follow: (found, token) => [
      [found(1), {}],
      ["snapshot_diff", { a: token }],
    ],
  },
  "an undo of two things": {
    says: /Send record or since, not both/,
    given: [FILE],
    first: (token) => ["undo_changes", { record: 1, since: token }],
    follow: () => [["undo_changes", {}]],
  },
  "the redo of an undo": {
    says: /to redo, undo record (\d+)/i,
    given: [FILE],
    first: ["undo_changes", {}],
    follow: (found) => [
      ["undo_changes", { record: Number(found(1)) }],
      ["read_file", { path: "a.txt" }],
    ],
  },
  "a token of another history": {
    says: /whose newest record is (\d+)\. Name an earlier one, or read again to get a current token/,
    given: [FILE],
    first: ["undo_changes", { since: "1-deadbeef" }],
    follow: (found) => [
      ["undo_changes", { since: Number(found(1)) - 1, dryRun: true }],
      ["read_file", { path: "a.txt" }],
      ["undo_changes", { dryRun: true }],
    ],
  },
  "a gate that is open": {
    says: /Answer it with (submit_gates)/,
    options: {
      gates: { main: { gate_order: ["goal"], gates: { goal: { question: "What for?", required: true } } } },
      requireGates: ["main"],
    },
    first: FILE,
    follow: (found) => [
      [
        found(1),
        {
          answer: {
            summary: "s",
            gates: { goal: { raw: "a test", classified: null } },
            status: { pass: true, next_gate: null, next_query: null },
          },
        },
      ],
      FILE,
    ],
  },
  "an input with a prototype": {
    says: /payloadProps has a prototype of its own.* Send objects, lists, strings, numbers, true, false and null only/,
    first: ["create_tree", { payloadProps: Object.create({ a: 1 }) as object }],
    follow: () => [["create_tree", { payloadProps: {} }]],
  },
  "a version of a file that is not there": {
    says: /This token is of record 1, .*: to make it, leave (expectedVersion) out; to change one, name a file that exists\./,
    given: [FILE],
    first: (token) => ["delete_file", { path: "none.txt", expectedVersion: token }],
    follow: (_found, token) => [
      ["write_file", { path: "none.txt", content: "x" }],
      ["delete_file", { path: "a.txt", expectedVersion: token }],
    ],
  },
  "a file in a directory that is not there": {
    says: /does not exist\. Nor does its directory: list (\S+) to see/,
    given: [["write_file", { path: "deep/down/a.txt", content: "x" }]],
    first: ["read_file", { path: "deep/no/such/zzzzzzzz" }],
    follow: (found) => [["list_directory", { path: found(1) }]],
  },
  "a path outside": {
    says: /Write a path that begins with (\/workspace\/)/,
    given: [FILE],
    first: ["read_file", { path: "/etc/a.txt" }],
    follow: (found) => [["read_file", { path: `${found(1)}a.txt` }]],
  },
};

describe("advice", () => {
  test("[CALL-105] [CALL-57] no rebase where the version named is pruned or of another timeline", async () => {
    const { session } = await bench();
    const ann = session.as(EDITOR);
    const { token = "" } = await ann.call(...FILE);
    await ann.call(...edit("two", "2"));
    const stale = (expectedVersion: string, more: object = {}) =>
      ann.call("edit_file" as string, { ...edit("one", "1")[1], expectedVersion, ...more });
    expect((await stale(token)).text).toContain('or with your token and onConflict "rebase"');
    await ann.call(...edit("three", "3"));
    await session.prune({ before: 3 });
    for (const lost of [token, "2-00000000"]) {
      const { text } = await stale(lost);
      expect(text).toMatch(/: read again, then repeat the call with it\.$/);
      const latest = /latest token is (\S+):/.exec(text)?.[1] ?? "";
      expect((await stale(lost, { onConflict: "rebase" })).ok).toBe(false);
      expect((await stale(latest, { dryRun: true })).ok).toBe(true);
    }
  });

  test("[FILES-151] names a directory that can be listed", async () => {
    const { session } = await bench({ rules: [{ paths: ["deep/hidden/**"], deny: "all" }] });
    const ann = session.as(EDITOR);
    await session.workspace.write("deep/hidden/key", "k");
    await session.workspace.write("file", "f");
    const said = async (path: string) => (await ann.call("read_file", { path })).text;
    expect(await said("wwwwwwww")).toContain("does not exist. List its directory to see what there is.");
    for (const path of ["file/vvvvvvvv", "deep/wwwwwwww", "no/such/wwwwwwww"])
      expect(await said(path)).toContain("Nor does its directory: list /workspace to see what there is.");
    const landing = await ann.call("request_landing", { reason: "done", paths: ["no/wwwwwwww"] });
    expect(landing.text).toContain("list /workspace to see");
  });

  test("[HT-61] names the first record whose change is not pruned", async () => {
    const { session } = await bench();
    const ann = session.as(EDITOR);
    for (const content of ["1", "2", "3", "4"])
      await ann.call("write_file", { path: "a", content, mode: "upsert" });
    await session.prune({ before: 3 });
    const shown = (record: number) => ann.call("diff_changes", { record });
    for (const record of [1, 2]) {
      const { text } = await shown(record);
      const next = /^\[Error\] What record (\d) changed is pruned\. Name record (\d) or a later one\.$/.exec(
        text,
      );
      expect(next?.[1], text).toBe(String(record));
      expect((await shown(Number(next?.[2]))).ok).toBe(true);
    }
    await session.prune({ before: 5 });
    expect((await shown(4)).text).toBe("[Error] What record 4 changed is pruned. There is no later one yet.");
  });

  test.each(Object.entries(ADVICE))("[CALL-89] about %s works when it is followed", async (_, advice) => {
    const { session } = await bench({ ...advice.options });
    const ann = session.as(EDITOR);
    const bob = session.as(OTHER);
    const ok = (result: CallResult): string => {
      expect(result.ok, result.text).toBe(true);
      return result.token ?? "";
    };
    let token = "";
    for (const [tool, input, by] of advice.given ?? [])
      token = ok(await (by === "bob" ? bob : ann).call(tool, input));
    const [tool, input] = typeof advice.first === "function" ? advice.first(token) : advice.first;
    const told = await ann.call(tool, input);
    const found = advice.says.exec(told.text);
    expect(found, told.text).not.toBeNull();
    for (const [next, what] of advice.follow((index) => found?.[index] ?? "", token))
      ok(await ann.call(next, what));
  });
});
