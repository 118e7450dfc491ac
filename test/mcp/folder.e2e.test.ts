import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { agentIdOf } from "../../src/mcp/index.ts";
import { scratch } from "../cli/folder.ts";
import { run } from "../cli/command.ts";
import { runHere } from "../cli/run-here.ts";
import { connect, DEFAULTS, FILES, folderOf, textOf } from "./connect.ts";

test("[MCP-15] the first result names what is not landed and what does not fit, but nothing hidden", async () => {
  const { folder, env } = folderOf({ "a.txt": "one\n", "b.txt": "b\n", "secret.txt": "s\n" });
  const first = await connect("auto", [folder], env);
  await first.call("edit_file", { path: "a.txt", edits: [{ old_text: "one", new_text: "1" }] });
  await first.call("write_file", { path: "secret.txt", content: "t\n", mode: "overwrite" });
  await first.call("write_file", { path: "new.txt", content: "n\n" });
  expect(textOf(await first.call("read_file", { path: "a.txt" }))).not.toContain("[Note]");
  await first.client.close();
  const rules = join(scratch({ "rules.json": '[{"paths":["secret.txt"],"deny":"all"}]' }), "rules.json");
  const { call } = await connect("legacy", [folder, "--rules", rules], env);
  const read = textOf(await call("read_file", { path: "b.txt" }));
  expect(read).toContain(
    "[Note] Earlier work in this session changed 2 files that the user's folder does not have yet: /workspace/a.txt, /workspace/new.txt. request_landing",
  );
  expect(read).not.toContain("secret");
  expect(textOf(await call("read_file", { path: "b.txt" }))).not.toContain("[Note]");
});

test.each(["legacy", "pinned"] as const)("[MCP-16] the agent is named after a %s client", async (era) => {
  const { folder, env } = folderOf({ "a.txt": "one\n" });
  const named = await connect(era, [folder, "--toolsets", "files,history"], env, { name: "Claude Code (α)" });
  await named.call("write_file", { path: "x", content: "1" });
  const told = await connect(era, [folder, "--toolsets", "files,history", "--as", "me@home"], env);
  await told.call("write_file", { path: "y", content: "1" });
  const changes = textOf(await told.call("list_changes", {}));
  expect(changes).toContain("Claude-Code");
  expect(changes).toContain("me@home");
});

test("[MCP-16] a client's name becomes an id that can be used", () => {
  const ids = ["cursor-vscode", "host", "System", " a  b ", "日本", "", "x".repeat(200)].map((name) =>
    agentIdOf({ name }),
  );
  expect(ids).toEqual(["cursor-vscode", "host-client", "System-client", "a-b", "mcp", "mcp", "x".repeat(64)]);
  expect(agentIdOf({})).toBe("mcp");
});

test("[MCP-17] --live works in the folder itself, beside its staged session", async () => {
  const { folder, env } = folderOf({ "a.txt": "one\n" });
  const staged = await connect("auto", [folder], env);
  await staged.call("write_file", { path: "staged.txt", content: "s\n" });
  const { client, call } = await connect("auto", [folder, "--live"], env);
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(
    DEFAULTS.filter((name) => name !== "request_landing"),
  );
  expect(client.getInstructions()).toContain("a real folder of the host");
  expect(textOf(await call("write_file", { path: join(folder, "b.txt"), content: "b\n" }))).toContain(
    "Created /workspace/b.txt",
  );
  expect(readFileSync(join(folder, "b.txt"), "utf8")).toBe("b\n");
  expect(existsSync(join(folder, "staged.txt"))).toBe(false);
  writeFileSync(join(folder, "a.txt"), "two\n");
  expect(textOf(await call("read_file", { path: "a.txt" }))).toContain("two\n");
  const undone = await call("undo_changes", {});
  expect(undone.isError).not.toBe(true);
  expect(existsSync(join(folder, "b.txt"))).toBe(false);
  await client.close();
  const log = await runHere(["session", "log", "--json"], "", env, folder);
  expect(JSON.parse(log.out)).toMatchObject({ ok: true });
  expect(log.out).toContain('"tool":"write_file"');
  const none = await run(["mcp", "--live"], "", env);
  expect(none).toMatchObject({ code: 2, out: "" });
  expect(none.err).toContain("Name the folder");
});

test("[MCP-18] options hold together: --live, --new, --read-only, --rules, --gates and single tools", async () => {
  const { folder, env } = folderOf({ "a.txt": "one\n", ".env": "KEY\n", "dist/x": "x\n" });
  const files = scratch({
    "rules.json": '[{"paths":["**/.env"],"deny":"all"},{"paths":["dist/**"],"deny":"write"}]',
    "gates.json": '{"gate_order":["goal"],"gates":{"goal":{"question":"What for?","required":true}}}',
  });
  const bound = ["--rules", join(files, "rules.json"), "--toolsets", "files,get_json_value"];
  const { client, call } = await connect("auto", [folder, "--new", ...bound], env);
  const names = (await client.listTools()).tools.map(({ name }) => name);
  expect(names).toEqual([...FILES, "get_json_value"]);
  expect((await call("read_file", { path: ".env" }))._meta?.["holdfast/error"]).toMatchObject({
    reason: "path_denied",
  });
  expect((await call("delete_file", { paths: ["dist/x"] })).isError).toBe(true);
  await client.close();
  const other = await connect("auto", [folder, "--new", "--read-only"], env);
  expect((await other.client.listTools()).tools.every(({ annotations }) => annotations?.readOnlyHint)).toBe(
    true,
  );
  expect(
    (await other.call("write_file", { path: "n", content: "" }))._meta?.["holdfast/error"],
  ).toMatchObject({
    reason: "read_only",
  });
  const live = ["--live", "--gates", join(files, "gates.json"), ...bound];
  const gated = await connect("legacy", [folder, ...live], env);
  expect((await gated.client.listTools()).tools.map(({ name }) => name)).toContain("submit_gates");
  const held = await gated.call("write_file", { path: "held.txt", content: "h" });
  expect(held._meta?.["holdfast/error"]).toMatchObject({ reason: "gate_open" });
  const passed = await gated.call("submit_gates", {
    answer: { summary: "", gates: { goal: { raw: "To try" } }, status: { pass: false } },
  });
  expect(textOf(passed)).toContain("PASS");
  expect((await gated.call("write_file", { path: "held.txt", content: "h" })).isError).not.toBe(true);
  expect(readFileSync(join(folder, "held.txt"), "utf8")).toBe("h");
  const listed = await runHere(["session", "list", "--json"], "", env);
  const { sessions } = JSON.parse(listed.out) as { sessions: { id: string }[] };
  expect(sessions.map(({ id }) => id.replace(/^.*?(-live)?-[0-9a-f]{10}-/, "$1#")).toSorted()).toEqual([
    "#1",
    "#2",
    "-live#1",
  ]);
});

test.each([
  [["--toolsets", "files,jsonn"], "Did you mean json?"],
  [["--rules", "/no/such/rules.json"], "cannot be read"],
])("[MCP-18] a wrong command line is refused before anything is opened: %s", async (flags, said) => {
  const { folder, env } = folderOf({});
  const wrong = await run(["mcp", folder, ...flags], "", env);
  expect(wrong).toMatchObject({ code: 2, out: "" });
  expect(wrong.err).toContain(said);
  expect(existsSync(env["HOLDFAST_STORE"] ?? "")).toBe(false);
});

test.each(["legacy", "pinned"] as const)(
  "[MCP-19] guidance is in the instructions and a prompt, %s",
  async (era) => {
    const { folder, env } = folderOf({ "a.txt": "one\n" });
    const { client } = await connect(era, [folder], env);
    expect(client.getInstructions()).toContain("ask with `request_landing`");
    expect(client.getInstructions()).not.toContain("holds no files");
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual(["workspace"]);
    expect(existsSync(env["HOLDFAST_STORE"] ?? "")).toBe(false);
    const { messages } = await client.getPrompt({ name: "workspace" });
    expect(JSON.stringify(messages)).toContain("It holds 1 file:");
    await expect(client.getPrompt({ name: "worksp" })).rejects.toThrow("Did you mean workspace?");
  },
);

test("[MCP-33] a session that has gates has the tools for them, whatever the server was started with", async () => {
  const { folder, env } = folderOf({});
  const gates = join(scratch(), "gates.json");
  const goal = { question: "What for?", required: true };
  writeFileSync(gates, JSON.stringify({ gate_order: ["goal"], gates: { goal } }));
  const first = await connect("legacy", [folder, "--gates", gates], env);
  expect((await first.call("write_file", { path: "a", content: "" })).isError).toBe(true);
  await first.client.close();
  const { client, call } = await connect("legacy", [folder], env);
  let isTold = false;
  client.setNotificationHandler("notifications/tools/list_changed", () => void (isTold = true));
  expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain("submit_gates");
  expect(textOf(await call("write_file", { path: "a", content: "" }))).toContain("submit_gates");
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain("submit_gates");
  expect(isTold).toBe(true);
  const answer = { summary: "", gates: { goal: { raw: "To try" } }, status: { pass: false } };
  expect(textOf(await call("submit_gates", { answer }))).toContain("PASS");
  expect((await call("write_file", { path: "a", content: "" })).isError).not.toBe(true);
});
