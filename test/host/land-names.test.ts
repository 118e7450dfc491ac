import { renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { clashesInFolder, clashesWithin } from "../../src/host/_name-clashes.ts";
import type { WorkspacePath } from "../../src/path/index.ts";
import { runNow } from "../../src/text/steps.ts";
import type { LandingPlan } from "../../src/tools/index.ts";
import { contents, put, type Hosted } from "../session/host-session.ts";
import { filesIn, folderOf, opened } from "./folder.ts";

function mounted(from: string): Promise<Hosted> {
  return opened({ mounts: [{ from, to: "/workspace" }] });
}

function shown({ files }: LandingPlan): string[] {
  const name = (path: string): string => path.slice("/workspace/".length);
  return files.map(
    ({ path, from, kind }) => `${kind} ${name(path)}${from === undefined ? "" : ` from ${name(from)}`}`,
  );
}

type Work = readonly (readonly [agent: string, tool: "move" | "put" | "delete", path: string, to?: string])[];

async function work({ as }: Hosted, steps: Work): Promise<void> {
  for (const [agent, tool, path, to = ""] of steps)
    if (tool === "put") await put(as(agent), path, `${path} of ${agent}\n`);
    else {
      const { ok } =
        tool === "move"
          ? await as(agent).call("move_file", { source: path, destination: to })
          : await as(agent).call("delete_file", { path });
      expect(ok).toBe(true);
    }
}

const CHOICES: Readonly<Record<string, { work: Work; files: string[]; for: number }>> = {
  "two files moved to one name": {
    work: [
      ["ann", "move", "n", "x"],
      ["bob", "move", "x", "z"],
      ["ann", "move", "k", "x"],
    ],
    files: ["rename x from k", "rename z from n"],
    for: 4,
  },
  "a name made twice": {
    work: [
      ["ann", "put", "x"],
      ["bob", "move", "x", "z"],
      ["ann", "put", "x"],
    ],
    files: ["create x", "create z"],
    for: 4,
  },
  "a file where a directory comes": {
    work: [
      ["ann", "put", "x"],
      ["bob", "move", "x", "z"],
      ["ann", "put", "x/y"],
    ],
    files: ["create x/y", "create z"],
    for: 4,
  },
  "names that differ only in case": {
    work: [
      ["ann", "put", "X"],
      ["bob", "move", "X", "z"],
      ["ann", "put", "x"],
    ],
    files: ["create x", "create z"],
    for: 4,
  },
  "a file of the folder that moved away": {
    work: [
      ["bob", "move", "n", "z"],
      ["ann", "move", "k", "n"],
    ],
    files: ["rename n from k", "rename z from n"],
    for: 3,
  },
  "a file of the folder that was deleted": {
    work: [
      ["bob", "delete", "n"],
      ["ann", "put", "n/y"],
    ],
    files: ["delete n", "create n/y"],
    for: 3,
  },
};

test("[HOST-146] a name that another file had needs the record that took it away", async () => {
  for (const [title, { work: steps, files, for: needing }] of Object.entries(CHOICES)) {
    const from = folderOf({ n: "n\n", k: "k\n" });
    const hosted = await mounted(from);
    const { session } = hosted;
    await work(hosted, steps);
    const plan = await session.plan({ agents: ["ann"] });
    expect([title, ...shown(plan)]).toEqual([title, ...files]);
    expect(plan.conflicts).toEqual([]);
    expect(plan.added).toMatchObject([
      { record: needing - 1, agent: "bob", for: needing, because: "exists" },
    ]);
    await plan.land();
    expect([title, filesIn(from)]).toEqual([title, await contents(session)]);
    expect((await session.plan()).isEmpty).toBe(true);
    await session.close();
  }
});

test("[HOST-146] what was landed and undone since makes room with the undo", async () => {
  const from = folderOf({ k: "k\n" });
  const hosted = await mounted(from);
  const { session } = hosted;
  await work(hosted, [["ann", "put", "x"]]);
  await (await session.plan()).land();
  const [made] = await session.log({ agent: "ann" });
  await session.undo({ record: made?.seq ?? 0 });
  await work(hosted, [["cat", "move", "k", "x"]]);
  const plan = await session.plan({ agents: ["cat"] });
  expect(shown(plan).toSorted()).toEqual(["delete x", "rename x from k"]);
  expect(plan.added).toMatchObject([{ agent: "host", because: "exists" }]);
  await plan.land();
  expect(filesIn(from)).toEqual({ x: "k\n" });
  await session.close();
});

test("[HOST-146] files of one plan that leave no place for each other are found, whatever brings them together", () => {
  const at = (...names: string[]): WorkspacePath[] =>
    names.map((name) => `/workspace/${name}` as WorkspacePath);
  const [x, below, other] = at("x", "x/y", "X");
  expect(runNow(clashesWithin(at("a", "x", "b", "x")))).toEqual([{ path: x, by: x }]);
  expect(runNow(clashesWithin(at("x", "x/y")))).toEqual([{ path: below, by: x }]);
  expect(runNow(clashesWithin(at("x/y", "x")))).toEqual([{ path: x, by: below }]);
  expect(runNow(clashesWithin(at("x", "X")))).toEqual([{ path: other, by: x }]);
  expect(runNow(clashesWithin(at("x", "y", "d/x", "d/y")))).toEqual([]);
  expect(runNow(clashesInFolder(at("D/x", "d2"), at("d/y", "D2x")))).toEqual([
    { path: "/workspace/D/x", by: "/workspace/d/y" },
  ]);
});

test("[HOST-147] a new name that differs only in case from a file of the folder is in its way until one is renamed", async () => {
  const from = folderOf({ k: "k\n" });
  const hosted = await mounted(from);
  const { session } = hosted;
  await work(hosted, [
    ["ann", "put", "A.txt"],
    ["ann", "put", "Dir/x"],
  ]);
  folderOf({ "a.txt": "theirs\n", "dir/y": "theirs\n" }, from);
  const before = filesIn(from);
  const plan = await session.plan();
  expect(plan.conflicts).toMatchObject([
    { path: "/workspace/A.txt", reason: "in_the_way", obstacle: { path: "/workspace/a.txt", what: "file" } },
    { path: "/workspace/Dir/x", reason: "in_the_way", obstacle: { path: "/workspace/dir/y", what: "file" } },
  ]);
  await expect(plan.land()).rejects.toMatchObject({ code: "conflict", reason: "in_the_way" });
  expect(filesIn(from)).toEqual(before);
  renameSync(join(from, "a.txt"), join(from, "b.txt"));
  rmSync(join(from, "dir"), { recursive: true });
  await (await session.plan()).land();
  expect(filesIn(from)).toEqual({
    "A.txt": "A.txt of ann\n",
    "Dir/x": "Dir/x of ann\n",
    "b.txt": "theirs\n",
    k: "k\n",
  });
  await session.close();
});

test("[HOST-147] so is a file of the folder that the plan leaves, and a name that only changes its case is in nobody's way", async () => {
  const from = folderOf({ "d/x": "x\n", "d/y": "y\n" });
  const hosted = await mounted(from);
  const { session } = hosted;
  await work(hosted, [
    ["ann", "move", "d/x", "e/x"],
    ["ann", "move", "d/y", "D/y"],
    ["ann", "move", "e/x", "D/x"],
  ]);
  const part = await session.plan({ leave: ["D/x"] });
  expect(part.conflicts).toMatchObject([{ path: "/workspace/D/y", obstacle: { path: "/workspace/d/x" } }]);
  await (await session.plan()).land();
  expect(filesIn(from)).toEqual({ "D/x": "x\n", "D/y": "y\n" });
  await session.close();
});

test("[HOST-147] so is one that clashed with a file which the plan deletes, until it is moved away", async () => {
  for (const [known, gone, stays] of [
    ["Readme.md", "README.md", "readme.md"],
    ["d/x", "D/X", "D/x"],
  ] as const) {
    const from = folderOf({ [known]: "base\n", k: "k\n" });
    const { session, as } = await mounted(from);
    rmSync(join(from, known));
    folderOf({ [gone]: "1\n", [stays]: "2\n" }, from);
    await put(as("ann"), known, "ann\n");
    await session.refresh({ take: { [known]: "session", [gone]: "session" } });
    const before = filesIn(from);
    const plan = await session.plan();
    expect(plan.files.map(({ kind, path }) => `${kind} ${path}`).toSorted()).toEqual([
      `create /workspace/${known}`,
      `delete /workspace/${gone}`,
    ]);
    expect(plan.conflicts).toMatchObject([
      {
        path: `/workspace/${known}`,
        reason: "in_the_way",
        obstacle: { path: `/workspace/${stays}`, what: "file" },
      },
    ]);
    const refused: unknown = await plan.land().catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: "conflict", reason: "in_the_way" });
    expect(filesIn(from)).toEqual(before);
    // What it advises works.
    expect(String(refused)).toContain("Move it away there");
    renameSync(join(from, stays), join(from, "moved"));
    await (await session.plan()).land();
    expect(filesIn(from)).toEqual({ [known]: "ann\n", k: "k\n", moved: "2\n" });
    await session.close();
  }
});
