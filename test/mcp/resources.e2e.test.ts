import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { scratch } from "../cli/folder.ts";
import { runHere } from "../cli/run-here.ts";
import { connect, folderOf, until } from "./connect.ts";

describe.each(["legacy", "pinned"] as const)("resources for a %s client", (era) => {
  test("[MCP-23] files are listed and read with version and token", async () => {
    const { folder, env } = folderOf({ "a b.md": "# é\n", "sub/x.json": "{}", "raw.bin": "" });
    const { client, call } = await connect(era, [folder], env);
    expect((await client.listResources()).resources).toEqual([]);
    await call("write_file", { path: "raw.bin", content_base64: "/wA=", mode: "overwrite" });
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual([
      "holdfast:///workspace/a%20b.md",
      "holdfast:///workspace/raw.bin",
      "holdfast:///workspace/sub/x.json",
    ]);
    expect(resources[0]).toMatchObject({
      name: "a b.md",
      title: "/workspace/a b.md",
      mimeType: "text/markdown",
      size: 5,
      _meta: { "holdfast/version": 1, "holdfast/token": expect.stringMatching(/^\d+-[0-9a-f]{8}$/) },
    });
    const text = await client.readResource({ uri: "holdfast:///workspace/a%20b.md" });
    expect(text.contents).toEqual([
      {
        uri: "holdfast:///workspace/a%20b.md",
        mimeType: "text/markdown",
        text: "# é\n",
        _meta: resources[0]?._meta,
      },
    ]);
    const raw = await client.readResource({ uri: "holdfast:///workspace/raw.bin" });
    expect(raw.contents[0]).toMatchObject({ blob: "/wA=" });
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      "holdfast:///workspace/{+path}",
    ]);
  });

  test("[MCP-24] what rules hide is no resource; what cannot be one is refused with what to do", async () => {
    const rules = join(scratch({ "r.json": '[{"paths":["secret/**"],"deny":"all"}]' }), "r.json");
    const { folder, env } = folderOf({ "secret/s.txt": "s", "ok/a.txt": "a", big: "x".repeat(1_048_577) });
    const { client, call } = await connect(era, [folder, "--rules", rules], env);
    await call("list_directory");
    const { resources } = await client.listResources();
    expect(resources.map(({ name }) => name)).toEqual(["big", "a.txt"]);
    const read = (uri: string) => client.readResource({ uri: `holdfast:///workspace/${uri}` });
    await expect(read("secret/s.txt")).rejects.toThrow(/not allowed|denied|closed|may not/);
    await expect(read("big")).rejects.toThrow("Read parts of it with the tool read_file");
    await expect(read("ok")).rejects.toThrow("is a directory");
    await expect(read("none.txt")).rejects.toThrow("does not exist");
    await expect(client.readResource({ uri: "file:///etc/passwd" })).rejects.toThrow("no such resource");
    await expect(read("%2e%2e/%2e%2e/etc/passwd")).rejects.toThrow();
    await expect(read("%ff")).rejects.toThrow("no such resource");
    if (era === "legacy")
      await expect(client.subscribeResource({ uri: "holdfast:///workspace/secret/s.txt" })).rejects.toThrow();
  });

  test("[MCP-25] changes by this client, another one and the host are told", async () => {
    const { folder, env } = folderOf({ "a.txt": "one\n", "b.txt": "b\n" });
    const { client, call } = await connect(era, [folder], env);
    const heard: string[] = [];
    client.setNotificationHandler("notifications/resources/list_changed", () => void heard.push("list"));
    client.setNotificationHandler(
      "notifications/resources/updated",
      ({ params }) => void heard.push(params.uri),
    );
    const uri = "holdfast:///workspace/a.txt";
    if (era === "pinned") await client.listen({ resourcesListChanged: true, resourceSubscriptions: [uri] });
    await call("list_directory");
    await until(() => heard.includes("list"));
    if (era === "legacy") await client.subscribeResource({ uri });
    heard.length = 0;
    const edit = (text: string) => ({ path: "a.txt", content: text, mode: "overwrite" });
    await call("write_file", edit("1\n"));
    await until(() => heard.includes(uri));
    expect(heard).not.toContain("list");
    heard.length = 0;
    const other = await connect("legacy", [folder], env);
    await other.call("write_file", edit("2\n"));
    await other.call("write_file", { path: "new.txt", content: "n\n" });
    await until(() => heard.includes(uri) && heard.includes("list"));
    heard.length = 0;
    expect((await runHere(["undo"], "", env, folder)).code).toBe(0);
    await until(() => heard.includes("list"));
    expect(heard).not.toContain("holdfast:///workspace/b.txt");
  });
});

test("[MCP-23] an agent without the tools for files has no resources; a session in memory has", async () => {
  const { client } = await connect("legacy", ["--toolsets", "json"]);
  expect(client.getServerCapabilities()?.resources).toBeUndefined();
  const memory = await connect("legacy");
  await memory.call("write_file", { path: "a.txt", content: "a" });
  expect((await memory.client.listResources()).resources).toHaveLength(1);
});

test("[MCP-23] long lists come in pages", async () => {
  const many = Object.fromEntries(
    Array.from({ length: 1_500 }, (_, i) => [`${"long-".repeat(8)}${i}.txt`, ""]),
  );
  const { folder, env } = folderOf(many);
  const { client, call } = await connect("legacy", [folder], env);
  await call("list_directory", { budget: 1_000 });
  const uris = new Set<string>();
  let pages = 0;
  for (let cursor: string | undefined; pages === 0 || cursor !== undefined; pages++) {
    const params = cursor === undefined ? {} : { cursor };
    const page = await client.request({ method: "resources/list", params });
    for (const { uri } of page.resources) uris.add(uri);
    cursor = page.nextCursor;
  }
  expect(uris.size).toBe(1_500);
  expect(pages).toBeGreaterThan(1);
});
