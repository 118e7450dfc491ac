import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { LONG } from "../effort.ts";
import { contents, put, type Hosted } from "../session/host-session.ts";
import { pick, randomFrom } from "../session/random.ts";
import { filesIn, folderOf, opened } from "./folder.ts";

const ABC = '{\n  "a": 1,\n  "b": 2,\n  "c": 3\n}\n';

async function mounted(files: Record<string, string>): Promise<Hosted & { readonly from: string }> {
  const from = folderOf(files);
  return { from, ...(await opened({ mounts: [{ from, to: "/workspace" }] })) };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

test("[HOST-196] work on a JSON file that alone would leave it no JSON brings the file's other records along", async () => {
  const { from, session, as } = await mounted({ "f.json": '{"a":1}\n', "f.txt": '{"a":1}\n' });
  for (const path of ["f.json", "f.txt"]) {
    await as("ann").call("delete_json_key", { path, json_path: "$.a" });
    await as("bob").call("set_json_value", { path, json_path: "$.b", value: "2" });
  }
  expect((await session.plan({ agents: ["ann"] })).added).toEqual([]);
  const plan = await session.plan({ agents: ["bob"] });
  expect(plan.added).toEqual([
    { record: 2, agent: "ann", for: 3, because: "json", path: "/workspace/f.json" },
  ]);
  await plan.land();
  // Only its name tells JSON from other text.
  expect(filesIn(from)).toEqual({
    "f.json": '{\n  "b": 2\n}\n',
    "f.txt": '{"a":1\n  "b": 2\n}\n',
  });
});

test("[HOST-196] [HOST-86] in commits for each agent what has come along stays", async () => {
  const { from, session, as } = await mounted({ "f.json": ABC });
  const git = (...args: string[]): string => execFileSync("git", args, { cwd: from, encoding: "utf8" });
  git("init", "-q", "-b", "main");
  git("add", "-A");
  git("-c", "user.name=Host", "-c", "user.email=host@example.invalid", "commit", "-q", "-m", "first");
  const edit = (id: string, old_text: string, new_text: string): Promise<unknown> =>
    as(id).call("edit_file", { path: "f.json", edits: [{ old_text, new_text }] });
  await edit("ann", '"c": 3\n', '"c": 3\n  "d": 4\n');
  await edit("bob", '"c": 3\n', '"c": 3,\n');
  await as("cid").call("set_json_value", { path: "f.json", json_path: "$.e", value: "5" });
  const { commits } = await (await session.plan()).gitCommit({ branch: "work" });
  expect(commits.map(({ agent }) => agent)).toEqual(["ann"]);
  expect(JSON.parse(git("show", "work:f.json"))).toEqual({ a: 1, b: 2, c: 3, d: 4, e: 5 });
});

test("[HOST-196] what is JSON without the others comes alone", async () => {
  const { from, session, as } = await mounted({ "f.json": ABC });
  await as("ann").call("set_json_value", { path: "f.json", json_path: "$.a", value: "9" });
  await as("bob").call("delete_json_key", { path: "f.json", json_path: "$.c" });
  const plan = await session.plan({ agents: ["bob"] });
  expect(plan.added).toEqual([]);
  await plan.land();
  expect(filesIn(from)["f.json"]).toBe('{\n  "a": 1,\n  "b": 2\n}\n');
});

test("[HOST-196] where the session's file is no JSON, or the folder's is not, nothing comes along", async () => {
  const { session, as } = await mounted({ "f.json": ABC, "g.json": '{\n  "a": 1,,\n  "b": 2,,\n}\n' });
  await put(as("ann"), "f.json", ABC.replace('"a": 1,', '"a": 1'));
  await put(as("bob"), "f.json", ABC.replace('"a": 1,', '"a": 1').replace('"c": 3', '"c" 3'));
  await put(as("ann"), "g.json", '{\n  "a": 1,\n  "b": 2,,\n}\n');
  await put(as("bob"), "g.json", '{\n  "a": 1,\n  "b": 2\n}\n');
  expect((await session.plan({ agents: ["ann"] })).added).toEqual([]);
});

test("[HOST-196] of random work on a JSON file no choice of agents or records lands what is no JSON", async () => {
  const keys = ["a", "b", "c", "d", "e"];
  let brought = 0;
  for (let seed = 1; seed <= (LONG ? 400 : 40); seed++) {
    const random = randomFrom(seed);
    const { from, session, as } = await mounted({ "f.json": pick(random, [ABC, '{"a":1,"b":2}', "{}\n"]) });
    for (let n = 0; n < 6; n++) {
      const agent = as(pick(random, ["ann", "bob", "cid"]));
      const json_path = `$.${pick(random, keys)}`;
      if (random() < 0.5) await agent.call("delete_json_key", { path: "f.json", json_path });
      else await agent.call("set_json_value", { path: "f.json", json_path, value: `${n}` });
    }
    const agents = [pick(random, ["ann", "bob", "cid"])];
    const head = session.at.seq;
    const records = [2, 3, 4, 5, 6, 7].filter((seq) => seq <= head && random() < 0.5);
    const plan = await session.plan(random() < 0.5 ? { agents } : { records });
    brought += plan.added.filter(({ because }) => because === "json").length;
    if (!plan.isEmpty) await plan.land();
    expect(isJson(filesIn(from)["f.json"] as string), `seed ${seed}`).toBe(true);
    await (await session.plan()).land().catch(() => undefined);
    expect(filesIn(from)).toEqual(await contents(session));
    await session.close();
  }
  expect(brought).toBeGreaterThan(0);
});
