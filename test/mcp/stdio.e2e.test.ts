import { spawnSync } from "node:child_process";
import type { CallToolResult } from "@modelcontextprotocol/client";
import { describe, expect, test } from "vitest";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CLI } from "../cli/command.ts";
import { scratch } from "../cli/folder.ts";
import { connect, connectProcess, DEFAULTS, FILES, folderOf, textOf } from "./connect.ts";

describe.each(["legacy", "auto"] as const)("MCP over stdio, %s client", (era) => {
  test("[MCP-1] [MCP-2] [MCP-5] lists and calls the tools; a full text travels once", async () => {
    const { client, call } = await connectProcess(era, ["--toolsets", "files,undo_changes"]);
    const { tools } = await client.listTools();
    expect(tools.map((tool) => tool.name)).toEqual([...FILES, "undo_changes"]);
    expect(tools[2]?.inputSchema).toMatchObject({
      type: "object",
      required: ["path"],
    });
    expect(tools[0]?.annotations?.readOnlyHint).toBe(true);
    const written = await call("write_file", { path: "a.txt", content: "hello\nworld\n" });
    expect(textOf(written)).toMatch(
      /^Created \/workspace\/a\.txt \(12 bytes, version 1\)\n\[Token \d+-[0-9a-f]{8}\]$/,
    );
    const read = await call("read_file", { path: "a.txt" });
    expect(textOf(read)).toContain("hello\nworld\n");
    expect(read.structuredContent).toBeUndefined();
    expect(read._meta).toMatchObject({ "holdfast/token": written._meta?.["holdfast/token"] });
    expect(textOf(await call("undo_changes", {}))).toContain("Undid record 1");
    expect(textOf(await call("list_directory", {}))).toBe("/workspace: 0 directories, 0 files");
  });

  test("[MCP-3] [MCP-4] refusals and wrong arguments are explained tool errors", async () => {
    const { call } = await connect(era, ["--role", "editor"]);
    const wrong = await call("write_file", { pth: "a.txt", content: 1 });
    expect(wrong.isError).toBe(true);
    expect(textOf(wrong)).toContain("pth: unknown field, did you mean path?");
    expect(wrong.structuredContent).toBeUndefined();
    expect(wrong._meta?.["holdfast/error"]).toMatchObject({ code: "invalid_argument", reason: "bad_input" });
    expect(wrong._meta?.["holdfast/error"]).not.toHaveProperty("message");
    const missing = await call("read_file", { path: "zzz" });
    expect(missing._meta?.["holdfast/error"]).toMatchObject({ code: "not_found", reason: "no_such_file" });
    const escape = await call("read_file", { path: "/etc/passwd" });
    expect(escape._meta?.["holdfast/error"]).toMatchObject({
      code: "invalid_argument",
      reason: "path_absolute",
    });
    const unknown = await call("read_fil", { path: "a" });
    expect(unknown.isError).toBe(true);
    expect(textOf(unknown)).toContain("Did you mean read_file?");
  });

  test("[MCP-6] an idempotency key may travel beside the arguments", async () => {
    const { call } = await connect(era);
    const meta = { "holdfast/idempotencyKey": "k" };
    const first = await call("write_file", { path: "a", content: "1" }, meta);
    const again = await call("write_file", { path: "a", content: "1" }, meta);
    expect(textOf(again)).toBe(textOf(first));
    expect(again._meta).toMatchObject({ "holdfast/replayed": true });
  });
});

test("[MCP-8] a client gets the tools for files and JSON unless it asks for more", async () => {
  const { client } = await connect("legacy");
  const { tools } = await client.listTools();
  expect(tools.map((tool) => tool.name)).toEqual(DEFAULTS);
  expect(JSON.stringify(tools).length).toBeLessThanOrEqual(13 * 1024);
  const { client: whole } = await connect("legacy", ["--toolsets", "all"]);
  expect((await whole.listTools()).tools.length).toBeGreaterThan(50);
});

test("[MCP-1] a reader sees and may use only reading tools", async () => {
  const { client, call } = await connect("auto", ["--role", "reader", "--toolsets", "files"]);
  expect((await client.listTools()).tools.map((tool) => tool.name)).toEqual(FILES.slice(0, 5));
  expect(textOf(await call("list_directory", {}))).toContain("/workspace");
});

test("[MCP-7] the server ends when its client closes the connection", async () => {
  const { client, transport } = await connectProcess("legacy");
  const { pid } = transport;
  expect(pid).toBeTypeOf("number");
  await client.close();
  const alive = (): boolean => {
    try {
      return process.kill(pid ?? 0, 0);
    } catch {
      return false;
    }
  };
  for (let i = 0; i < 200 && alive(); i++) await new Promise((resolve) => setTimeout(resolve, 25));
  expect(alive()).toBe(false);
});

/** What a server without a folder says first on standard error. */
const IN_MEMORY =
  "holdfast: files are in memory and gone at the end. Name a folder, or a stored session with --session.\n";

/** A server process spoken to without a client: what goes in, which responses come out, how it ends. */
function speak(
  lines: readonly string[],
  flags: readonly string[] = [],
  last = "",
): { code: number | null; out: string[]; err: string; noted: boolean } {
  const ran = spawnSync(process.execPath, [...CLI, "mcp", ...flags], {
    input: lines.map((line) => `${line}\n`).join("") + last,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  const noted = ran.stderr.startsWith(IN_MEMORY);
  const err = noted ? ran.stderr.slice(IN_MEMORY.length) : ran.stderr;
  const out = ran.stdout.split("\n").filter((line) => line !== "" && "id" in (JSON.parse(line) as object));
  return { code: ran.status, out, err, noted };
}

const HELLO = [
  '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}',
  '{"jsonrpc":"2.0","method":"notifications/initialized"}',
];

const callLine = (id: number, name: string, args: string): string =>
  `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"${name}","arguments":${args}}}`;

test("[MCP-7] requests under way when standard input ends are answered and written", () => {
  const calls = Array.from({ length: 10 }, (_, i) =>
    callLine(i + 1, "write_file", `{"path":"f${i}","content":"x"}`),
  );
  const { code, out, err } = speak([...HELLO, ...calls]);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  const answers = out.map((line) => JSON.parse(line) as { id: number; result: CallToolResult });
  expect(answers.map(({ id }) => id).toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  for (const { id, result } of answers) if (id > 0) expect(textOf(result)).toMatch(/^Created/);
});

test("[MCP-7] a question that nobody can answer any more keeps no server alive", () => {
  const { folder, env } = folderOf({ "a.txt": "one\n" });
  const hello = HELLO[0]?.replace('"capabilities":{}', '"capabilities":{"elicitation":{}}') ?? "";
  const calls = [
    callLine(1, "write_file", '{"path":"b.txt","content":"b"}'),
    callLine(2, "request_landing", '{"reason":"done"}'),
  ];
  const { code, out } = speak(
    [hello, ...HELLO.slice(1), ...calls],
    [folder, "--store", env["HOLDFAST_STORE"] ?? ""],
  );
  expect(code).toBe(0);
  expect(out.at(-1)).toContain('"method":"elicitation/create"');
  expect(out.join("\n")).toContain("Created /workspace/b.txt");
  expect(existsSync(join(folder, "b.txt"))).toBe(false);
});

test("[MCP-9] a message above the bound is logged, and the exit code says so", () => {
  const { code, err } = speak([
    ...HELLO,
    callLine(1, "write_file", `{"path":"a","content":"${"x".repeat(11_000_000)}"}`),
  ]);
  expect(code).toBe(1);
  expect(err).toMatch(/^holdfast: a message of the client could not be read.*(size|large|exceed|limit)/i);
});

test("[MCP-32] a line that is no message is refused as JSON-RPC asks, logged, and the lines after it are served", () => {
  const { code, out, err } = speak([
    ...HELLO,
    "no\u001b[2J json",
    '{"id":7}',
    "[1]",
    callLine(1, "list_directory", "{}"),
  ]);
  expect(code).toBe(1);
  const replies = out.map((line) => JSON.parse(line) as { id: number | null; error?: { code: number } });
  expect(replies.filter(({ error }) => error !== undefined)).toMatchObject([
    { id: null, error: { code: -32700 } },
    { id: 7, error: { code: -32600 } },
    { id: null, error: { code: -32600 } },
  ]);
  expect(replies.some(({ id, error }) => id === 1 && error === undefined)).toBe(true);
  expect(err.trimEnd().split("\n")).toHaveLength(3);
  expect(err).toMatch(/^(holdfast: a message of the client could not be read.*\n){3}$/);
});

test("[MCP-9] a last message without its line break is served", () => {
  const { code, out, err } = speak(HELLO, [], callLine(1, "list_directory", "{}"));
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(out[1]).toContain("/workspace");
});

test("[MCP-4] arguments and names of the wrong kind are explained in our words", () => {
  const bad = [
    callLine(1, "list_directory", "5"),
    callLine(2, "list_directory", "[]"),
    '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":5}}',
    '{"jsonrpc":"2.0","id":4,"method":"tools/call"}',
  ];
  const { code, out } = speak([...HELLO, ...bad]);
  expect(code).toBe(0);
  const answers = out.slice(1).map((line) => JSON.parse(line) as { id: number; result: CallToolResult });
  for (const { id, result } of answers) {
    expect(result.isError).toBe(true);
    expect(textOf(result)).toContain(id < 3 ? "The input must be an object" : "There is no tool");
  }
  expect(answers).toHaveLength(4);
});

test("[MCP-11] an argument named __proto__ is refused as the library refuses it", () => {
  const { out } = speak([...HELLO, callLine(1, "list_directory", '{"__proto__":{"path":"/workspace"}}')]);
  const answer = JSON.parse(out[1] ?? "") as { result: CallToolResult };
  expect(answer.result.isError).toBe(true);
  expect(textOf(answer.result)).toContain("__proto__: unknown field");
});

test("[MCP-10] the catalogue says common things once and marks what can be lost", async () => {
  const { client } = await connect("legacy", ["--toolsets", "all"]);
  expect(client.getInstructions()).toContain("expectedVersion");
  const { tools } = await client.listTools();
  expect(JSON.stringify(tools)).not.toContain("$schema");
  const destructive = tools
    .filter((tool) => tool.annotations?.destructiveHint === true)
    .map((tool) => tool.name);
  expect(destructive).toEqual(
    expect.arrayContaining(["write_file", "apply_patch", "remove_node", "snapshot_restore"]),
  );
  for (const name of ["add_child", "expand_node", "bookmark", "create_tree", "snapshot_create", "read_file"])
    expect(destructive).not.toContain(name);
});

test("[MCP-12] a folder is served staged; its session is opened by the first call and joined by the next client", async () => {
  const folder = scratch({ "a.txt": "one\n", "é/b.json": '{"x":1}\n' });
  const store = join(scratch(), "kept");
  const env = { HOLDFAST_STORE: store };
  const { client, call } = await connect("auto", [folder], env);
  expect((await client.listTools()).tools.map((tool) => tool.name)).toEqual(DEFAULTS);
  expect(existsSync(store)).toBe(false);
  const read = await call("read_file", { path: join(folder, "a.txt") });
  expect(textOf(read)).toContain("one\n");
  expect(textOf(read)).not.toContain(folder);
  const set = await call("set_json_value", {
    path: join(folder, "é", "b.json"),
    json_path: "$.x",
    value: "2",
  });
  expect(set.isError).not.toBe(true);
  await call("write_file", { path: "new.txt", content: `${folder}/kept as text` });
  const second = await connect("legacy", [folder], env);
  expect(textOf(await second.call("read_file", { path: "new.txt" }))).toContain(`${folder}/kept as text`);
  expect(readFileSync(join(folder, "é", "b.json"), "utf8")).toBe('{"x":1}\n');
  expect(existsSync(join(folder, "new.txt"))).toBe(false);
  const outside = await call("read_file", { path: `${folder}-other/a.txt` });
  expect(outside._meta?.["holdfast/error"]).toMatchObject({ reason: "path_absolute" });
});

test("[MCP-14] a session that cannot be opened is a tool error, and the next call tries again", async () => {
  const folder = scratch({ "a.txt": "one\n" });
  const store = join(scratch({ kept: "no directory" }), "kept");
  const { call } = await connect("auto", [folder], { HOLDFAST_STORE: store });
  const refused = await call("read_file", { path: "a.txt" });
  expect(refused.isError).toBe(true);
  expect(textOf(refused)).toMatch(/^\[Error\] The store directory cannot be made/);
  rmSync(store);
  expect(textOf(await call("read_file", { path: "a.txt" }))).toContain("one\n");
  const gone = scratch({ "a.txt": "" });
  const { client, call: lost } = await connect("legacy", [gone], { HOLDFAST_STORE: store });
  await client.listTools();
  rmSync(gone, { recursive: true });
  const missing = await lost("read_file", { path: "a.txt" });
  expect(missing.isError).toBe(true);
  expect(textOf(missing)).toMatch(/^\[Error\] The session of the folder cannot be opened/);
  expect(JSON.stringify(missing)).not.toContain(gone);
});

test("[MCP-14] a server that could not open its session ends without failing", () => {
  const store = join(scratch({ kept: "no directory" }), "kept");
  const call = callLine(1, "list_directory", "{}");
  const { code, out } = speak([...HELLO, call], [scratch(), "--store", store]);
  expect(code).toBe(0);
  expect(out[1]).toContain("[Error] The store directory");
});

test("[MCP-15] the first result says what the folder and the session changed apart", async () => {
  const folder = scratch({ "a.txt": "one\n", "b.txt": "b\n" });
  const env = { HOLDFAST_STORE: join(scratch(), "kept") };
  const first = await connect("auto", [folder], env);
  await first.call("edit_file", { path: "a.txt", edits: [{ old_text: "one", new_text: "1" }] });
  await first.client.close();
  writeFileSync(join(folder, "a.txt"), "uno\n");
  writeFileSync(join(folder, "b.txt"), "now\n");
  const { call } = await connect("auto", [folder], env);
  const read = textOf(await call("read_file", { path: "b.txt" }));
  expect(read).toContain("now\n");
  expect(read).toContain("[Warning] /workspace/a.txt changed in the user's folder and in the session");
  expect(textOf(await call("read_file", { path: "a.txt" }))).toMatch(/1\n$/);
});

test("[MCP-12] [MCP-13] a folder that is not there is a wrong command line; without one, files vanish and that is said", () => {
  expect(speak(HELLO, ["/no/such/folder"])).toMatchObject({ code: 2, out: [] });
  const memory = speak(HELLO);
  expect(memory).toMatchObject({ noted: true, err: "" });
  expect(memory.out.join("\n")).toContain("lost when the session ends");
});
