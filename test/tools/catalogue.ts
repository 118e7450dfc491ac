// Owns: calls of every tool there is, made from its schema, in a session whose every name, key, label and content holds one
// hostile text. A new tool is called without being named here.

import fc from "fast-check";
import { z } from "zod";
import type { Agent, CallResult, Session, SessionOptions } from "../../src/tools/index.ts";
import { TOOLS } from "../../src/tools/toolsets.ts";
import { gateTools } from "../../src/tools/gates/gate-tools.ts";
import { gateSets } from "../../src/tools/gates/gate-sets.ts";
import type { Tool } from "../../src/tools/tool.ts";
import { bench, EDITOR, TestLog } from "./bench-session.ts";

const GATES = {
  main: { gate_order: ["goal"], gates: { goal: { question: "What is it for?", required: true } } },
};

/** Every tool that a session can have. */
export const EVERY_TOOL: readonly Tool[] = [...TOOLS, ...gateTools(gateSets(GATES), new TestLog())];

export interface Stage {
  readonly session: Session;
  readonly agent: Agent;
  /** Values that mean something here, by the name of the argument they are for. */
  readonly pool: Pool;
  /** Inputs that succeed, for tools whose inputs seldom do when they are made by chance; with the text wherever it fits. */
  readonly sure: Readonly<Record<string, object>>;
}

type Pool = readonly (readonly [names: RegExp, values: readonly unknown[]])[];

/** A session that holds the text wherever a caller can put one. */
export async function stageWith(text: string, options: SessionOptions = {}): Promise<Stage> {
  const { session } = await bench({
    names: "unicode",
    requireVersions: false,
    agentsMayRestore: true,
    gates: GATES,
    ...options,
  });
  const agent = session.as(EDITOR);
  const name = text.slice(0, 90);
  const put = (tool: string, input: object): Promise<CallResult> => agent.call(tool, input);
  const path = name.replaceAll(/[^\p{L}\p{N}[\] -]/gu, "_").trim();
  const file = `dir/${path}.txt`;
  const json = JSON.stringify({ [text]: text, list: [text, 1], deep: { [text]: { a: 1 } } });
  const before = await put("write_file", { path: file, content: `${text}\nsecond\n${text}\n` });
  await put("write_file", { path: "a.json", content: json });
  await put("write_file", { path: "plan.md", content: `# ${text}\n\n- [ ] ${text}\n` });
  await put("write_file", { path: "a.bin", content_base64: "AP8A" });
  await put("create_tree", { name, payloadType: name, payloadProps: { name: text, [text]: text } });
  await put("add_child", {
    parentNodeId: "n0",
    payloadType: name,
    payloadProps: { name: text, list: [text] },
  });
  await put("import_merge", {
    json: { NodeId: "n0", Children: [{ NodeId: `id ${name}`, PayloadType: "T" }] },
  });
  await put("tag_node", { nodeId: "n1", tags: [name] });
  await put("bookmark", { nodeId: "n1", label: name });
  const snapshot = await put("snapshot_create", { label: name });
  await put("write_file", { path: file, content: `${text}\nsecond changed\n${text}\n`, mode: "overwrite" });
  const filter = { path: "name", op: "contains", value: "a" };
  const status = { pass: false, next_gate: null, next_query: null };
  const answer = { summary: text, gates: { goal: { raw: text, classified: text } }, status };
  const rules = [{ rule: "required", properties: [name], message: text.slice(0, 200) }];
  await put("write_file", { path: "rules.json", content: JSON.stringify({ id: "r", rules }) });
  await put("submit_gates", { answer });

  const tokens = [before, snapshot].flatMap((result) => (result.ok ? [result.token] : []));
  const texts = [text, name, `x${text}`];
  const child = { PayloadType: name, Payload: { name: text, [text]: text } };
  const line = text.split("\n").length + 1;
  const operation = { file, line, op: "replace", old: "second changed", new: text };
  const value = JSON.stringify(text);
  const siblings = { nodeId: "n1", siblingId: `id ${name}` };
  return {
    session,
    agent,
    sure: {
      read_file: { path: file },
      search_files: { pattern: "second", context: 2 },
      write_file: { path: "w.txt", content: text },
      edit_file: { path: file, edits: [{ old_text: "second changed", new_text: text }] },
      replace_in_files: { pattern: "second changed", replacement: text },
      move_file: { source: file, destination: "moved.txt" },
      copy_file: { source: file, destination: "copied.txt" },
      get_json_value: { path: "a.json", json_path: "$" },
      query_json: { path: "a.json", json_path: "$..*" },
      set_json_value: { path: "a.json", json_path: "$.list", value },
      delete_json_key: { path: "a.json", json_path: "$.list" },
      append_json_array: { path: "a.json", json_path: "$.list", value },
      merge_json_object: { path: "a.json", json_path: "$", updates: JSON.stringify({ [text]: 1 }) },
      edit_json: { path: "a.json", edits: [{ op: "append", json_path: "$.list", value }] },
      check_patch: { patch: [operation] },
      apply_patch: { patch: [operation] },
      create_patch: { from: tokens[0] },
      drop_tree: { tree: "t1" },
      remove_bookmark: { label: name },
      remove_node: { nodeId: "n1" },
      move_before: siblings,
      move_after: siblings,
      update_payload: { nodeId: "n1", patch: { more: text } },
      update_nodes: { filter: [filter], patch: { note: text } },
      lint_payload: { nodeId: "n1", rulesetId: "rules.json" },
      import_view: {
        viewJson: { RootNodeId: "n1", View: { NodeId: "n1" } },
        rootLookupStrategy: "nodeId",
      },
      snapshot_diff: { a: tokens[1] },
      diff_changes: {},
      undo_changes: {},
      snapshot_restore: { id: tokens[1] },
      request_landing: { reason: text },
      submit_gates: { answer },
    },
    pool: [
      [/^budget$|^cursor$|^pageToken$|^dryRun$|^idempotencyKey$|base64/, [undefined]],
      [/^encoding$/, ["utf-8", "binary", text]],
      [
        /^patch$/,
        [[operation], [{ ...operation, old: text }], [{ ...operation, [text]: 1 }], text, { name: text }],
      ],
      [
        /^(path|paths|file|files|source|destination|directory)$/,
        [file, "a.json", "a.bin", "dir", text, "new.txt"],
      ],
      [/^(from|to)$/, [...tokens, 1, "a.json", "plan.md", file, text]],
      [/^(id|a|b|since|expectedVersion|snapshot|token)$/, [...tokens, text]],
      [/node|parent|sibling|sourceId|targetId|^rootId$|^aId$|^bId$/i, ["n0", "n1", `id ${name}`, text]],
      [/^tree$/, ["t1", "t1", text]],
      [/^tags?$|^label$|^byProp$|^sortBy$/, [name, text]],
      [/^record$/, [1, 5, 9]],
      [/json_?path|^query$|pointer/i, ["$", "$.list", `$[${JSON.stringify(text)}]`, text]],
      [/^answer$/, [answer, text, { gates: { [text]: text } }]],
      [
        /^json$|viewJson/,
        [
          { NodeId: "n0", Children: [child] },
          { RootNodeId: "n1", View: { NodeId: "n1" } },
          child,
          { [text]: text },
        ],
      ],
      [/^payloadProps$/, [{ name: text, [text]: text }, text]],
      [/^payloadTypes$/, [{ [name]: { properties: { name: {} } } }, { T: text }, text]],
      [
        /^filters?$|^predicates$/,
        [[filter], [{ ...filter, path: text }], [{ ...filter, op: text }], [{ [text]: 1 }]],
      ],
      [/^newValue$|^value$/, [text, { [text]: text }, 1]],
      [/propertyName|Properties$/, ["name", text]],
      [/queryDsl/, ["*", `[name="${name}"]`, text]],
      [/ruleset/, ["rules.json", text]],
      [/glob|include|exclude|pattern/i, ["**", "**/*.txt", text]],
      [/^set$/, ["main", text]],
      [/^gate$/, ["goal", text]],
      [/old_?text/i, ["second changed", text]],
      [/./, texts],
    ],
  };
}

/** Inputs of a tool: what its schema knows, filled from the pool; most of them make sense. */
export function inputsOf(tool: Tool, pool: Pool): fc.Arbitrary<Record<string, unknown>> {
  return objectOf(tool.input, pool) as fc.Arbitrary<Record<string, unknown>>;
}

function objectOf(schema: z.ZodObject, pool: Pool): fc.Arbitrary<object> {
  const fields: Record<string, fc.Arbitrary<unknown>> = {};
  for (const [name, field] of Object.entries(schema.shape) as [string, z.ZodType][]) {
    const value = valueOf(field, name, pool);
    fields[name] = isOptional(field) ? fc.option(value, { nil: undefined, freq: 3 }) : value;
  }
  return fc.record(fields).map((object) => {
    const given = Object.entries(object).filter(([, value]) => value !== undefined);
    return Object.fromEntries(given);
  });
}

function isOptional(schema: z.ZodType): boolean {
  return schema instanceof z.ZodOptional || schema instanceof z.ZodDefault;
}

function valueOf(schema: z.core.$ZodType, name: string, pool: Pool): fc.Arbitrary<unknown> {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return valueOf(schema.unwrap(), name, pool);
  if (schema instanceof z.ZodEnum) return fc.constantFrom(...(schema.options as unknown[]));
  if (schema instanceof z.ZodBoolean) return fc.boolean();
  const known = pool.find(([names]) => names.test(name))?.[1] ?? [];
  const fit = known.filter((value) => value === undefined || (schema as z.ZodType).safeParse(value).success);
  if (fit.length > 0) return fc.constantFrom(...fit);
  if (schema instanceof z.ZodObject) return objectOf(schema, pool);
  if (schema instanceof z.ZodArray)
    return fc.array(valueOf(schema.element, name, pool), { minLength: 1, maxLength: 2 });
  if (schema instanceof z.ZodUnion)
    return fc.oneof(...schema.options.map((option) => valueOf(option, name, pool)));
  return schema instanceof z.ZodNumber ? fc.integer({ min: 1, max: 3 }) : fc.constantFrom(...known);
}
