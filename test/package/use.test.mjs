// Runs in an empty folder into which the packed package was installed: what a user of each kind does first.
// HOLDFAST_EXPECT_STORE says whether this Node has a SQLite to keep sessions with: "there" or "missing".

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { test } from "node:test";
import { memoryStore, openSession, sqliteStore } from "holdfast";

const hasStore = process.env.HOLDFAST_EXPECT_STORE !== "missing";
const work = mkdtempSync(path.join(process.cwd(), "work-"));
const project = path.join(work, "project");
mkdirSync(project);
writeFileSync(path.join(project, "app.json"), '{ "port": 8080 } // kept\n');
process.env.XDG_DATA_HOME = path.join(work, "data");

/** `npx holdfast ...`, as a user types it. */
function holdfast(args, input = "") {
  return new Promise((resolve, reject) => {
    const child = spawn("npx", ["--no-install", "holdfast", ...args], { stdio: "pipe" });
    let [out, err] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (text) => (out += text));
    child.stderr.setEncoding("utf8").on("data", (text) => (err += text));
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, out, err }));
    child.stdin.end(input);
  });
}

await test("every door opens", async () => {
  const manifest = JSON.parse(
    readFileSync(createRequire(import.meta.url).resolve("holdfast/package.json"), "utf8"),
  );
  for (const [door, target] of Object.entries(manifest.exports))
    if (typeof target !== "string") assert.ok(await import(path.posix.join("holdfast", door)), door);
});

await test("a session in memory works", async () => {
  const session = await openSession({ store: memoryStore(), mounts: [{ from: project, to: "/workspace" }] });
  const agent = session.as({ id: "ana", role: "editor" });
  const set = await agent.call("set_json_value", { path: "app.json", json_path: "$.port", value: "9090" });
  assert.equal(set.ok, true, set.text);
  const read = await agent.call("read_file", { path: "app.json" });
  assert.match(read.text, /\{ "port": 9090 \} \/\/ kept/);
  await session.close();
});

await test("a store keeps a session, or names the package that is missing", async () => {
  const open = async () =>
    openSession({ store: sqliteStore({ directory: path.join(work, "store") }), id: "kept" });
  if (!hasStore) return assert.rejects(open, /npm install libsql/);
  const session = await open();
  const agent = session.as({ id: "ana", role: "editor" });
  const wrote = await agent.call("write_file", { path: "a.txt", content: "a" });
  assert.equal(wrote.ok, true, wrote.text);
  await session.close();
  const again = await open();
  assert.equal(again.files().length, 1);
  await again.close();
});

await test("the command line helps, edits a file and gives the tour", async () => {
  const help = await holdfast(["--help"]);
  assert.equal(help.code, 0);
  assert.match(help.out, /Usage: holdfast/);
  const file = path.join(work, "edit.json");
  writeFileSync(file, '{"a": 1}\n');
  assert.equal((await holdfast(["json", "set", file, "$.a", "2"])).code, 0);
  assert.equal(readFileSync(file, "utf8"), '{"a": 2}\n');
  const tour = await holdfast(["tour"]);
  assert.equal(tour.code, 0, tour.err);
  assert.match(tour.out, /Landed \d+ files[^]*"command": "npx"/);
});

await test("a folder's session is kept and landed, or the missing package is named", async () => {
  const call = [
    "call",
    "--folder",
    project,
    "set_json_value",
    '{"path":"app.json","json_path":"$.port","value":"1"}',
  ];
  const called = await holdfast(call);
  if (!hasStore) {
    assert.notEqual(called.code, 0);
    return assert.match(called.err, /npm install libsql/);
  }
  assert.equal(called.code, 0, called.err);
  assert.equal(readFileSync(path.join(project, "app.json"), "utf8"), '{ "port": 8080 } // kept\n');
});

for (const args of [[], [project]])
  await test(`npx holdfast mcp ${args.length === 0 ? "in memory" : "over a folder"} lists its tools and calls one`, async () => {
    const params = {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "try", version: "1" },
    };
    const messages = [
      { id: 1, method: "initialize", params },
      { method: "notifications/initialized" },
      { id: 2, method: "tools/list", params: {} },
      {
        id: 3,
        method: "tools/call",
        params: { name: "write_file", arguments: { path: "new.txt", content: "hi" } },
      },
    ];
    const { out, err, code } = await holdfast(
      ["mcp", ...args],
      messages.map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`).join(""),
    );
    assert.equal(code, 0, err);
    const answers = new Map(
      out
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line))
        .map((one) => [one.id, one]),
    );
    assert.ok(answers.get(2).result.tools.some((tool) => tool.name === "edit_file"));
    const { content, isError } = answers.get(3).result;
    if (args.length > 0 && !hasStore) {
      assert.equal(isError, true);
      return assert.match(content[0].text + err, /libsql/);
    }
    assert.match(content[0].text, /^Created \/workspace\/new\.txt/m);
  });
