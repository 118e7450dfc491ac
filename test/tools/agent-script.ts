// Owns: an agent's working day as a script: what it calls, and what a plain map of paths to texts holds after each call.

import type { Agent, CallResult } from "../../src/tools/index.ts";

export type Model = ReadonlyMap<string, string>;

/** One step. Ids and tokens are looked up, so that any process can go on with the script. */
export interface ScriptStep {
  readonly what: string;
  readonly call: (agent: Agent) => Promise<CallResult>;
  /** `states` are the models before the first step and after each one so far. */
  readonly model: (states: readonly Model[]) => Model;
}

const CONFIG = '{\r\n  // how many\r\n  "retries": 3,\r\n  "tags": ["a", "b"],\r\n  "old": true\r\n}\r\n';

function call(tool: string, input: object): ScriptStep["call"] {
  return (agent) => agent.call<unknown>(tool, input);
}

function edit(path: string, change: (text: string) => string): ScriptStep["model"] {
  return (states) => {
    const now = states.at(-1) as Model;
    return new Map(now).set(path, change(now.get(path) ?? ""));
  };
}

const same: ScriptStep["model"] = (states) => states.at(-1) as Model;

/** The state after so many steps. */
function as(steps: number): ScriptStep["model"] {
  return (states) => states[steps] as Model;
}

async function token(agent: Agent, path: string): Promise<string> {
  const read = await agent.call<unknown>("read_file", { path });
  return read.ok ? (read.token ?? "") : "";
}

/** The newest record of a tool. */
async function recordOf(agent: Agent, tool: string): Promise<number> {
  const listed = await agent.call<{ changes: { record: number; tool: string }[] }>("list_changes", {});
  return (listed.ok ? listed.value.changes : []).find((one) => one.tool === tool)?.record ?? 0;
}

async function snapshotOf(agent: Agent, label: string): Promise<string> {
  const listed = await agent.call<{ snapshots: { id: string; label: string }[] }>("snapshot_list", {});
  return (listed.ok ? listed.value.snapshots : []).find((one) => one.label === label)?.id ?? "";
}

export const SCRIPT: readonly ScriptStep[] = [
  {
    what: "writes a program", // 1
    call: call("write_file", {
      path: "src/tax.js",
      content: "const rate = 19;\n\nexport const tax = (net) => net * rate;\n",
    }),
    model: edit("src/tax.js", () => "const rate = 19;\n\nexport const tax = (net) => net * rate;\n"),
  },
  {
    what: "writes a configuration with comments and CRLF", // 2
    call: call("write_file", { path: "app.jsonc", content: CONFIG }),
    model: edit("app.jsonc", () => CONFIG),
  },
  { what: "lists", call: call("list_directory", { path: "/workspace" }), model: same }, // 3
  { what: "reads", call: call("read_file", { path: "src/tax.js" }), model: same }, // 4
  {
    what: "edits text, pinned", // 5
    call: async (agent) =>
      agent.call<unknown>("edit_file", {
        path: "src/tax.js",
        edits: [
          { old_text: "net * rate", new_text: "(net * rate) / 100" },
          { old_text: "= 19", new_text: "= 20" },
        ],
        expectedVersion: await token(agent, "src/tax.js"),
      }),
    model: edit("src/tax.js", (text) =>
      text.replace("net * rate", "(net * rate) / 100").replace("= 19", "= 20"),
    ),
  },
  {
    what: "names the state", // 6
    call: call("snapshot_create", { label: "edited" }),
    model: same,
  },
  {
    what: "sets a key", // 7
    call: call("set_json_value", { path: "app.jsonc", json_path: "$.retries", value: "5" }),
    model: edit("app.jsonc", (text) => text.replace('"retries": 3', '"retries": 5')),
  },
  {
    what: "appends to a list", // 8
    call: call("append_json_array", { path: "app.jsonc", json_path: "$.tags", value: '"c"' }),
    model: edit("app.jsonc", (text) => text.replace('["a", "b"]', '["a", "b", "c"]')),
  },
  {
    what: "deletes a key", // 9
    call: call("delete_json_key", { path: "app.jsonc", json_path: "$.old" }),
    model: edit("app.jsonc", (text) => text.replace(',\r\n  "old": true', "")),
  },
  { what: "takes it back", call: call("undo_changes", {}), model: as(8) }, // 10
  {
    what: "patches two files", // 11
    call: call("apply_patch", {
      patch: [
        { file: "src/tax.js", line: 1, op: "insert", new: "// in percent" },
        { file: "notes.md", line: 1, op: "insert", new: "# Notes" },
      ],
    }),
    model: (states) =>
      new Map(edit("src/tax.js", (text) => `// in percent\n${text}`)(states)).set("notes.md", "# Notes\n"),
  },
  {
    what: "takes back one file of the patch", // 12
    call: async (agent) =>
      agent.call<unknown>("undo_changes", {
        record: await recordOf(agent, "apply_patch"),
        path: "src/tax.js",
      }),
    model: edit("src/tax.js", (text) => text.replace("// in percent\n", "")),
  },
  {
    what: "takes that back", // 13
    call: async (agent) =>
      agent.call<unknown>("undo_changes", { record: await recordOf(agent, "undo_changes") }),
    model: as(11),
  },
  {
    what: "restores the state that it named", // 14
    call: async (agent) => agent.call<unknown>("snapshot_restore", { id: await snapshotOf(agent, "edited") }),
    model: as(6),
  },
  { what: "takes the restore back", call: call("undo_changes", {}), model: as(13) }, // 15
  {
    what: "restores one file", // 16
    call: async (agent) =>
      agent.call<unknown>("snapshot_restore", { id: await snapshotOf(agent, "edited"), path: "app.jsonc" }),
    model: (states) => new Map(states.at(-1)).set("app.jsonc", CONFIG),
  },
  {
    what: "appends", // 17
    call: call("write_file", { path: "notes.md", content: "done\n", mode: "append" }),
    model: edit("notes.md", (text) => `${text}done\n`),
  },
  {
    what: "merges keys", // 18
    call: call("merge_json_object", {
      path: "app.jsonc",
      json_path: "$",
      updates: '{"retries": 9, "new": null}',
    }),
    model: edit("app.jsonc", (text) =>
      text.replace('"retries": 3', '"retries": 9').replace('"old": true', '"old": true,\r\n  "new": null'),
    ),
  },
  {
    what: "edits JSON in one go", // 19
    call: call("edit_json", {
      path: "app.jsonc",
      edits: [
        { op: "insert", json_path: "$.tags[0]", value: '"z"' },
        { op: "rename", json_path: "$.old", value: "older" },
      ],
    }),
    model: edit("app.jsonc", (text) =>
      text.replace('["a", "b"]', '["z", "a", "b"]').replace('"old"', '"older"'),
    ),
  },
  {
    what: "replaces in all files", // 20
    call: call("replace_in_files", { pattern: "rate", replacement: "percent", include: ["*.js"] }),
    model: edit("src/tax.js", (text) => text.replaceAll("rate", "percent")),
  },
  {
    what: "copies a directory", // 21
    call: call("copy_file", { source: "src", destination: "lib" }),
    model: (states) => {
      const now = states.at(-1) as Model;
      return new Map(now).set("lib/tax.js", now.get("src/tax.js") ?? "");
    },
  },
  {
    what: "moves a file", // 22
    call: call("move_file", { source: "notes.md", destination: "docs/notes.md" }),
    model: (states) => {
      const { "notes.md": notes = "", ...rest } = Object.fromEntries(states.at(-1) as Model);
      return new Map(Object.entries({ ...rest, "docs/notes.md": notes }));
    },
  },
  {
    what: "deletes a directory", // 23
    call: call("delete_file", { path: "src" }),
    model: (states) => new Map([...(states.at(-1) as Model)].filter(([path]) => !path.startsWith("src/"))),
  },
  { what: "takes that back too", call: call("undo_changes", {}), model: as(22) }, // 24
];

/** The models before the first step and after each one. */
export function models(): readonly Model[] {
  const states: Model[] = [new Map()];
  for (const { model } of SCRIPT) states.push(model(states));
  return states;
}
