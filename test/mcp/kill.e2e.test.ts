import { Client, type CallToolResult } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { expect, test } from "vitest";
import { CLI } from "../cli/command.ts";
import { LONG } from "../effort.ts";
import { folderOf, textOf } from "./connect.ts";

const CALLS = LONG ? 1_000 : 40;
/** Calls of one server before it is killed. */
const LIFE = LONG ? 40 : 15;
const AT_ONCE = 4;

test("[MCP-28] calls with keys, killed and retried, are there exactly once", async () => {
  const { folder, env } = folderOf({ "log.txt": "" });
  let kills = 0;
  let server = await start();
  let restarting: Promise<void> | undefined;

  async function start(): Promise<{ client: Client; pid: number; left: number }> {
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [...CLI, "mcp", folder],
      stderr: "ignore",
      env: { ...(process.env as Record<string, string>), ...env },
    });
    const client = new Client({ name: "killed", version: "1" });
    await client.connect(transport);
    return { client, pid: transport.pid ?? 0, left: LIFE + (kills % 7) };
  }

  async function restart(dead: Client): Promise<void> {
    if (server.client !== dead) return;
    restarting ??= (async () => {
      await dead.close().catch(() => {});
      server = await start();
      restarting = undefined;
    })();
    await restarting;
  }

  async function append(line: number): Promise<void> {
    for (;;) {
      const { client, pid } = server;
      const sent = client.callTool({
        name: "write_file",
        arguments: { path: "log.txt", content: `${line}\n`, mode: "append" },
        _meta: { "holdfast/idempotencyKey": `line-${line}` },
      });
      // Somewhere between the request, its commit and its response.
      if (--server.left === 0) {
        kills++;
        setTimeout(() => process.kill(pid, "SIGKILL"), (kills * 7) % 20);
      }
      let result: CallToolResult;
      try {
        result = (await sent) as CallToolResult;
      } catch {
        await restart(client);
        continue;
      }
      if (result.isError !== true) return;
      const { code, retryAfter = 1 } = (result._meta?.["holdfast/error"] ?? {}) as {
        code?: string;
        retryAfter?: number;
      };
      expect(code, textOf(result)).toBe("rate_limited");
      await new Promise((resolve) => setTimeout(resolve, retryAfter * 1_000));
    }
  }

  let line = 0;
  const worker = async (): Promise<void> => {
    while (line < CALLS) await append(line++);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  await restart(server.client);
  const { contents } = await server.client.readResource({ uri: "holdfast:///workspace/log.txt" });
  const { text } = contents[0] as { text: string };
  const lines = text.trimEnd().split("\n").map(Number);
  await server.client.close();
  expect(kills).toBeGreaterThan(0);
  expect(lines.toSorted((a, b) => a - b)).toEqual(Array.from({ length: CALLS }, (_, i) => i));
}, 600_000);
