import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { sourcesIn } from "../../scripts/_bundle.ts";
import { CLI } from "../cli/command.ts";
import { scratch } from "../cli/folder.ts";
import { connect, folderOf, textOf } from "./connect.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

const ASK = [
  '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}',
  '{"jsonrpc":"2.0","method":"notifications/initialized"}',
  '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
  '{"jsonrpc":"2.0","id":2,"method":"resources/list"}',
  '{"jsonrpc":"2.0","id":3,"method":"prompts/list"}',
];

/** The sources that a process has loaded, as V8 saw the built files, and the files of packages. */
function loadedIn(input: string, folder: string, store: string): string[] {
  const seen = scratch();
  const ran = spawnSync(process.execPath, [...CLI, "mcp", folder], {
    input,
    encoding: "utf8",
    env: { ...process.env, HOLDFAST_STORE: store, NODE_V8_COVERAGE: seen },
  });
  expect(ran.status).toBe(0);
  return readdirSync(seen).flatMap((name) => {
    const { result } = JSON.parse(readFileSync(join(seen, name), "utf8")) as { result: { url: string }[] };
    return result.flatMap(({ url }) => {
      const [, file = ""] = /\/((?:dist|node_modules)\/.*)$/.exec(url) ?? [];
      return file.startsWith("dist/") ? sourcesIn(ROOT, file) : [file];
    });
  });
}

test("[MCP-27] a client that only asks what there is has nothing loaded, opened or made", () => {
  const { folder, env } = folderOf({ "a.txt": "one\n" });
  const store = env["HOLDFAST_STORE"] ?? "";
  const asked = loadedIn(`${ASK.join("\n")}\n`, folder, store);
  expect(asked).toContain("src/cli/mcp.ts");
  const heavy = /^src\/(store|host|json|tree|patch|gates|session)\/|^src\/tools\/(?!prompt|result)|libsql/;
  expect(asked.filter((file) => heavy.test(file))).toEqual([]);
  expect(existsSync(store)).toBe(false);
  const call =
    '{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"read_file","arguments":{"path":"a.txt"}}}';
  expect(loadedIn(`${[...ASK, call].join("\n")}\n`, folder, store).some((file) => heavy.test(file))).toBe(
    true,
  );
  expect(existsSync(store)).toBe(true);
});

test.each(["legacy", "pinned"] as const)("[MCP-26] a %s client hears how far mounting is", async (era) => {
  const files = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`f${i}`, "x"]));
  const { folder, env } = folderOf(files);
  const { client } = await connect(era, [folder], env);
  const heard: { progress: number; message?: string | undefined }[] = [];
  const onprogress = (one: (typeof heard)[number]): void => void heard.push(one);
  await client.callTool({ name: "list_directory", arguments: {} }, { onprogress });
  expect(heard[0]?.message).toMatch(/^(Found|Copied) \d+/);
  const numbers = heard.map(({ progress }) => progress);
  expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
});

test("[MCP-26] a call that is cancelled changes nothing", async () => {
  const { folder, env } = folderOf({ "a.txt": "one\n" });
  const { client, call } = await connect("legacy", [folder], env);
  const given = new AbortController();
  const written = client.callTool(
    { name: "write_file", arguments: { path: "b.txt", content: "b" } },
    { signal: given.signal },
  );
  given.abort();
  await expect(written).rejects.toThrow();
  expect(textOf(await call("find_files", { glob: "*" }))).toContain("1 file\n");
});
