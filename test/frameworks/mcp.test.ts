// The server over stdio with the clients that people have: one scenario for every generation of the SDK, and what a model reads
// through the adapters of the frameworks. Run by `npm run test:frameworks` with the build of the package.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createMCPClient } from "@ai-sdk/mcp";
import { StdioMCPTransport } from "@ai-sdk/mcp/mcp-stdio";
import { MultiServerMCPClient } from "@langchain/mcp-adapters";
import { Client as ClientV2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as StdioV2 } from "@modelcontextprotocol/client/stdio";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { Agent, MCPServerStdio, Runner, setTracingDisabled, Usage, type Model } from "@openai/agents";
import { generateText, stepCountIs } from "ai7";
import { MockLanguageModelV4 } from "ai7/test";

const CLI = fileURLToPath(new URL("node_modules/holdfast/dist/cli/main.js", import.meta.url));
const TEXT = "# Notes\n\nThe file's own words.\n";

function serverFor(t: TestContext): {
  readonly folder: string;
  readonly command: string;
  readonly args: string[];
  readonly env: Record<string, string>;
} {
  const place = mkdtempSync(join(tmpdir(), "holdfast-mcp-"));
  t.after(() => removeWhole(place));
  const folder = mkdtempSync(join(place, "folder-"));
  writeFileSync(join(folder, "notes.md"), TEXT);
  writeFileSync(join(folder, "app.json"), '{"a":1}\n');
  const env = { ...(process.env as Record<string, string>), HOLDFAST_STORE: join(place, "kept") };
  return { folder, command: process.execPath, args: [CLI, "mcp", folder], env };
}

/**
 * Some clients close without waiting for the server that they started: it may still be writing its last files. Node's own retries
 * do not look again at what a directory holds.
 */
async function removeWhole(place: string): Promise<void> {
  for (let left = 40; ; left--)
    try {
      rmSync(place, { recursive: true, force: true });
      return;
    } catch (error) {
      if (left === 0) throw error;
      await delay(50);
    }
}

interface Result {
  readonly content?: unknown;
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
  readonly _meta?: Record<string, unknown>;
}

/** What a client of any generation can do here. */
interface AnyClient {
  listTools(): Promise<{ tools: { name: string }[] }>;
  listPrompts(): Promise<{ prompts: { name: string }[] }>;
  readResource(params: { uri: string }): Promise<{ contents: unknown[] }>;
  callTool(params: {
    name: string;
    arguments: Record<string, unknown>;
    _meta?: Record<string, unknown>;
  }): Promise<unknown>;
  close(): Promise<void>;
}

const CLIENTS: Readonly<Record<string, (server: ReturnType<typeof serverFor>) => Promise<AnyClient>>> = {
  "SDK v2, pinned to 2026-07-28": async (server) => {
    const client = new ClientV2(
      { name: "scenario", version: "1" },
      { versionNegotiation: { mode: { pin: "2026-07-28" } } },
    );
    await client.connect(new StdioV2({ ...server, stderr: "ignore" }));
    return client as AnyClient;
  },
  "SDK v2, legacy": async (server) => {
    const client = new ClientV2({ name: "scenario", version: "1" });
    await client.connect(new StdioV2({ ...server, stderr: "ignore" }));
    return client as AnyClient;
  },
  "SDK v1": async (server) => {
    const client = new ClientV1({ name: "scenario", version: "1" });
    await client.connect(new StdioV1({ ...server, stderr: "ignore" }));
    return client as AnyClient;
  },
};

function textOf({ content }: Result): string {
  return (content as { type: string; text?: string }[]).map(({ text = "" }) => text).join("");
}

/** Reads, writes, a conflict, a replay, refusals, JSON, undo, a resource: what each step came to, without what differs by chance. */
async function scenario(client: AnyClient): Promise<string[]> {
  const steps: string[] = [];
  const call = async (
    name: string,
    args: Record<string, unknown>,
    meta?: Record<string, unknown>,
  ): Promise<Result> => {
    const sent = { name, arguments: args, ...(meta === undefined ? {} : { _meta: meta }) };
    const result = (await client.callTool(sent)) as Result;
    const { reason } = (result._meta?.["holdfast/error"] ?? {}) as { reason?: string };
    const ended = result.isError === true ? `error ${reason ?? ""}` : "ok";
    const replayed = result._meta?.["holdfast/replayed"] === true ? " replayed" : "";
    steps.push(
      `${name}: ${ended}${replayed}: ${textOf(result)
        .replace(/\d+-[0-9a-f]{8}/g, "TOKEN")
        .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME")}`,
    );
    return result;
  };
  steps.push((await client.listTools()).tools.map(({ name }) => name).join());
  const read = await call("read_file", { path: "notes.md" });
  const token = read._meta?.["holdfast/token"];
  await call("write_file", { path: "notes.md", content: "new\n", mode: "overwrite", expectedVersion: token });
  await call("write_file", {
    path: "notes.md",
    content: "lost\n",
    mode: "overwrite",
    expectedVersion: token,
  });
  const key = { "holdfast/idempotencyKey": "once" };
  await call("write_file", { path: "once.txt", content: "1\n" }, key);
  await call("write_file", { path: "once.txt", content: "1\n" }, key);
  await call("read_fil", { path: "notes.md" });
  await call("read_file", { pth: "notes.md" });
  await call("set_json_value", { path: "app.json", json_path: "$.a", value: "2" });
  await call("get_json_value", { path: "app.json", json_path: "$.a" });
  await call("undo_changes", {});
  const { contents } = await client.readResource({ uri: "holdfast:///workspace/app.json" });
  steps.push((contents[0] as { text: string }).text);
  steps.push((await client.listPrompts()).prompts.map(({ name }) => name).join());
  const asked = await call("request_landing", { reason: "done" });
  assert.match(textOf(asked), /A person lands it with: holdfast session land --session /);
  steps.pop();
  return steps;
}

test("[MCP-2] clients of every generation run the same scenario with the same results", async (t) => {
  const seen = new Map<string, string[]>();
  for (const [name, connect] of Object.entries(CLIENTS)) {
    const server = serverFor(t);
    const client = await connect(server);
    seen.set(name, await scenario(client));
    await client.close();
    assert.equal(readFileSync(join(server.folder, "notes.md"), "utf8"), TEXT);
  }
  const [first = [], ...others] = seen.values();
  assert.match(first[1] ?? "", /The file's own words/);
  assert.match(first[3] ?? "", /error stale_version/);
  assert.match(first[5] ?? "", /ok replayed/);
  for (const other of others) assert.deepEqual(other, first);
});

/** Claude Code shows its model the structured content of a result where there is any, and nothing else. */
function claudeCodeShows({ content, structuredContent }: Result): string {
  return structuredContent === undefined ? textOf({ content }) : JSON.stringify(structuredContent);
}

test("[MCP-5] Claude Code's model reads the file", async (t) => {
  const client = await (CLIENTS["SDK v1"] as (typeof CLIENTS)[string])(serverFor(t));
  const result = await client.callTool({ name: "read_file", arguments: { path: "notes.md" } });
  await client.close();
  assert.match(claudeCodeShows(result as Result), /The file's own words/);
});

const USAGE = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

test("[MCP-5] the AI SDK's model reads the file", async (t) => {
  const { command, args, env } = serverFor(t);
  const transport = new StdioMCPTransport({ command, args, env, stderr: "ignore" });
  const client = await createMCPClient({ transport });
  let shown = "";
  const model = new MockLanguageModelV4({
    doGenerate: async ({ prompt }) => {
      const results = prompt.filter(({ role }) => role === "tool");
      shown = JSON.stringify(results);
      const content =
        results.length > 0
          ? [{ type: "text" as const, text: "done" }]
          : [
              {
                type: "tool-call" as const,
                toolCallId: "c1",
                toolName: "read_file",
                input: '{"path":"notes.md"}',
              },
            ];
      const reason = results.length > 0 ? "stop" : "tool-calls";
      return { content, finishReason: { unified: reason, raw: reason }, usage: USAGE, warnings: [] };
    },
  });
  await generateText({ model, tools: await client.tools(), stopWhen: stepCountIs(3), prompt: "Read it." });
  await client.close();
  assert.match(shown, /The file's own words/);
});

test("[MCP-5] LangChain's model reads the file", async (t) => {
  const { command, args, env } = serverFor(t);
  const client = new MultiServerMCPClient({ holdfast: { transport: "stdio", command, args, env } });
  const tools = await client.getTools();
  const tool = tools.find(({ name }) => name.endsWith("read_file"));
  const message: unknown = await tool?.invoke({
    type: "tool_call",
    id: "c1",
    name: "read_file",
    args: { path: "notes.md" },
  });
  await client.close();
  assert.match(JSON.stringify((message as { content: unknown }).content), /The file's own words/);
});

test("[MCP-5] the model of OpenAI's Agents reads the file", async (t) => {
  setTracingDisabled(true);
  const { command, args, env } = serverFor(t);
  const server = new MCPServerStdio({ name: "holdfast", command, args, env });
  await server.connect();
  let shown = "";
  const model = {
    async getResponse({ input }: { input: unknown }) {
      const results = (Array.isArray(input) ? input : []).filter(
        (item: { type?: string }) => item.type === "function_call_result",
      );
      shown = JSON.stringify(results);
      const words = {
        type: "message",
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text: "done" }],
      };
      const called = {
        type: "function_call",
        callId: "c1",
        name: "read_file",
        status: "completed",
        arguments: '{"path":"notes.md"}',
      };
      return { output: [results.length > 0 ? words : called], usage: new Usage(), responseId: "r" };
    },
  } as unknown as Model;
  const reader = new Agent({ name: "reader", instructions: "Read.", model, mcpServers: [server] });
  await new Runner().run(reader, "Read it.");
  await server.close();
  assert.match(shown, /The file's own words/);
});

test("[MCP-1] the inspector's command line lists and calls", async (t) => {
  const { folder, env } = serverFor(t);
  const inspector = fileURLToPath(
    new URL("node_modules/@modelcontextprotocol/inspector-cli/build/index.js", import.meta.url),
  );
  const inspect = async (...how: string[]): Promise<{ tools?: { name: string }[]; content?: unknown }> => {
    const args = [inspector, process.execPath, CLI, "mcp", folder, ...how];
    const { stdout } = await promisify(execFile)(process.execPath, args, { env });
    return JSON.parse(stdout) as Awaited<ReturnType<typeof inspect>>;
  };
  const { tools = [] } = await inspect("--method", "tools/list");
  assert.equal(tools.length, 23);
  const call = ["--method", "tools/call", "--tool-name", "read_file", "--tool-arg", "path=notes.md"];
  assert.match(textOf(await inspect(...call)), /The file's own words/);
});
