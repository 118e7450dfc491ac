import { Client, type CallToolResult } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterEach, describe, expect, test } from "vitest";
import { CLI } from "../cli/command.ts";

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function connect(era: "legacy" | "auto", flags: readonly string[] = []) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [...CLI, "mcp", ...flags],
    stderr: "inherit",
  });
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode: era } });
  await client.connect(transport);
  closers.push(() => client.close());
  const call = async (
    name: string,
    args: Record<string, unknown>,
    meta?: Record<string, unknown>,
  ): Promise<CallToolResult> =>
    await client.callTool({
      name,
      arguments: args,
      ...(meta === undefined ? {} : { _meta: meta }),
    });
  return { client, transport, call };
}

function textOf(result: CallToolResult): string {
  return result.content.map((part) => (part.type === "text" ? part.text : "")).join("");
}

describe.each(["legacy", "auto"] as const)("MCP over stdio, %s client", (era) => {
  test("[MCP-1] [MCP-2] [MCP-5] lists and calls the tools; a full text travels once", async () => {
    const { client, call } = await connect(era, ["--toolsets", "files,history"]);
    const { tools } = await client.listTools();
    expect(tools.map((tool) => tool.name)).toEqual([
      "list_directory",
      "read_file",
      "write_file",
      "snapshot_create",
      "snapshot_list",
      "snapshot_restore",
      "snapshot_diff",
      "undo_changes",
    ]);
    expect(tools[2]?.inputSchema).toMatchObject({
      type: "object",
      required: ["path"],
      additionalProperties: false,
    });
    expect(tools[0]?.annotations?.readOnlyHint).toBe(true);
    const written = await call("write_file", { path: "a.txt", content: "hello\nworld\n" });
    expect(textOf(written)).toMatch(
      /^Created \/workspace\/a\.txt \(12 bytes, version 1, token 1-[0-9a-f]{8}\)$/,
    );
    const read = await call("read_file", { path: "a.txt" });
    expect(textOf(read)).toContain("hello\nworld\n");
    expect(JSON.stringify(read.structuredContent)).not.toContain("hello");
    expect(textOf(await call("undo_changes", {}))).toContain("Undid record 1");
    expect(textOf(await call("list_directory", {}))).toBe("/workspace: 0 directories, 0 files");
  });

  test("[MCP-3] [MCP-4] refusals and wrong arguments are explained tool errors", async () => {
    const { call } = await connect(era, ["--role", "editor"]);
    const wrong = await call("write_file", { pth: "a.txt", content: 1 });
    expect(wrong.isError).toBe(true);
    expect(textOf(wrong)).toContain("pth: unknown field, did you mean path?");
    expect(wrong.structuredContent).toMatchObject({
      error: { code: "invalid_argument", reason: "bad_input" },
    });
    const missing = await call("read_file", { path: "zzz" });
    expect(missing.structuredContent).toMatchObject({ error: { code: "not_found", reason: "no_such_file" } });
    const escape = await call("read_file", { path: "/etc/passwd" });
    expect(escape.structuredContent).toMatchObject({
      error: { code: "invalid_argument", reason: "path_absolute" },
    });
  });

  test("[MCP-6] an idempotency key may travel beside the arguments", async () => {
    const { call } = await connect(era);
    const meta = { "holdfast/idempotencyKey": "k" };
    const first = await call("write_file", { path: "a", content: "1" }, meta);
    const again = await call("write_file", { path: "a", content: "1" }, meta);
    expect(textOf(again)).toBe(textOf(first));
    expect(again.structuredContent).toMatchObject({ replayed: true });
  });
});

test("[MCP-1] a reader sees and may use only reading tools", async () => {
  const { client, call } = await connect("auto", ["--role", "reader", "--toolsets", "files"]);
  expect((await client.listTools()).tools.map((tool) => tool.name)).toEqual(["list_directory", "read_file"]);
  expect(textOf(await call("list_directory", {}))).toContain("/workspace");
});

test("[MCP-7] the server ends when its client closes the connection", async () => {
  const { client, transport } = await connect("legacy");
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
