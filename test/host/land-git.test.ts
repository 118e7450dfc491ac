import { execFileSync } from "node:child_process";
import { rmSync, existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { HoldfastError } from "../../src/errors.ts";
import type { Agent } from "../../src/tools/index.ts";
import { put } from "../session/host-session.ts";
import { scratch } from "../store/scratch.ts";
import { folderOf, opened } from "./folder.ts";

function git(cwd: string, ...args: string[]): string {
  const names = [
    "-c",
    "user.name=Host",
    "-c",
    "user.email=host@example.invalid",
    "-c",
    "commit.gpgsign=false",
  ];
  return execFileSync("git", [...names, ...args], {
    cwd,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
}

function repository(files: Record<string, string>): string {
  const from = folderOf(files);
  git(from, "init", "-q", "-b", "main");
  git(from, "add", "-A");
  git(from, "commit", "-q", "-m", "first");
  return from;
}

async function errorOf(promise: Promise<unknown>): Promise<HoldfastError> {
  try {
    await promise;
  } catch (error) {
    if (HoldfastError.is(error)) return error;
    throw error;
  }
  throw new Error("it did not fail");
}

async function reasonOf(promise: Promise<unknown>): Promise<string> {
  const { code, reason } = await errorOf(promise);
  return `${code} / ${reason}`;
}

const TEN = Array.from({ length: 10 }, (_, i) => `line ${i + 1}\n`).join("");

test("[HOST-86] commits each agent's work on a new branch, and touches nothing else", async () => {
  const from = repository({ "in/f": TEN, "in/gone": "1\n", "in/old": TEN, other: "2\n" });
  writeFileSync(join(from, ".git/hooks/reference-transaction"), "#!/bin/sh\ntouch ran\n", { mode: 0o755 });
  const { session, as } = await opened({
    mounts: [{ from: join(from, "in"), to: "/workspace", gitignore: true }],
  });
  await put(as("ann"), "f", TEN.replace("line 2", "ann 2"));
  await as("ann").call("delete_file", { path: "gone" });
  await as("bob").call("move_file", { source: "old", destination: "new/name" });
  await put(as("bob"), "f", TEN.replace("line 2", "ann 2").replace("line 9", "bob 9"));
  await session.workspace.write("run", "x\n", { executable: true });
  const plan = await session.plan();
  const { commits } = await plan.gitCommit({ branch: "agents/work" });
  expect(commits.map(({ agent }) => agent)).toEqual(["ann", "bob", "host"]);
  expect(git(from, "log", "--format=%an %ae %s", "main..agents/work").trim().split("\n")).toEqual([
    "host host@holdfast.invalid Work of host",
    "bob bob@holdfast.invalid Work of bob",
    "ann ann@holdfast.invalid Work of ann",
  ]);
  const changes = (ref: string): string[] =>
    git(from, "show", "--format=", "--name-status", "-M", ref).trim().split("\n");
  expect(changes("agents/work~2")).toEqual(["M\tin/f", "D\tin/gone"]);
  expect(changes("agents/work~1")).toEqual(["M\tin/f", "R100\tin/old\tin/new/name"]);
  expect(git(from, "show", "agents/work~2:in/f")).toBe(TEN.replace("line 2", "ann 2"));
  expect(git(from, "ls-tree", "agents/work", "in/run")).toMatch(/^100755 /);
  expect(git(from, "status", "--porcelain")).toBe("");
  expect(git(from, "branch", "--show-current").trim()).toBe("main");
  expect([existsSync(join(from, "ran")), existsSync(join(from, "in/ran"))]).toEqual([false, false]);
  expect((await session.plan()).files).toHaveLength(plan.files.length);
  expect(await reasonOf(plan.gitCommit({ branch: "agents/work" }))).toBe("conflict / branch_exists");
  expect(await reasonOf(plan.gitCommit({ branch: "-x" }))).toBe("invalid_argument / bad_branch");
});

test("[HOST-86] each commit is listed with the files that it changes, and what is in the way is named", async () => {
  const from = repository({ "in/a": "1\n", "in/b": "2\n", "in/c": "3\n", "in/.gitignore": "secret\n" });
  symlinkSync("a", join(from, "in/link"));
  git(from, "add", "-A");
  git(from, "commit", "-q", "-m", "link");
  writeFileSync(join(from, "in/secret"), "s\n");
  const { session, as } = await opened({
    mounts: [{ from: join(from, "in"), to: "/workspace", gitignore: true }],
  });
  for (const [who, path] of [
    ["amy", "a"],
    ["ben", "b"],
    ["cat", "c"],
  ] as const)
    await put(as(who), path, `${who}\n`);
  const { commits } = await (await session.plan()).gitCommit({ branch: "work" });
  expect(commits.map(({ agent, files }) => [agent, files])).toEqual([
    ["amy", ["/workspace/a"]],
    ["ben", ["/workspace/b"]],
    ["cat", ["/workspace/c"]],
  ]);
  await put(as("amy"), "link", "made\n");
  await put(as("amy"), "secret", "made\n");
  const refused = await errorOf((await session.plan()).gitCommit({ branch: "other" }));
  expect(`${refused.code} / ${refused.reason}`).toBe("conflict / in_the_way");
  expect(refused.message).toContain("/workspace/link is a symbolic link");
  expect(refused.message).toContain("/workspace/secret is an ignored file");
  const left = await session.plan({ leave: ["link", "secret"] });
  expect((await left.gitCommit({ branch: "other" })).commits).toHaveLength(3);
});

test("[HOST-86] a file that lay in no folder for a while is in no commit of that while", async () => {
  const from = repository({ x: "1\n", y: "2\n" });
  const { session, as } = await opened({ mounts: [{ from, to: "/workspace/in" }] });
  await put(as("ann"), "in/y", "ann\n");
  await put(as("ann"), "made", "3\n");
  await as("ann").call("move_file", { source: "in/x", destination: "x" });
  await as("bob").call("move_file", { source: "made", destination: "in/made" });
  await as("bob").call("move_file", { source: "x", destination: "in/x2" });
  await (await session.plan()).gitCommit({ branch: "work" });
  expect(git(from, "ls-tree", "-r", "--name-only", "work~1").trim()).toBe("y");
  expect(git(from, "ls-tree", "-r", "--name-only", "work").trim().split("\n")).toEqual(["made", "x2", "y"]);
});

test("[HOST-86] the last commit holds exactly what the plan shows, whoever moved a file in between", async () => {
  const from = repository({ x: "x\n", "d/k": "k\n", a: "a\n", b: "b\n", e: "e\n" });
  const { session, as } = await opened({ mounts: [{ from, to: "/workspace", gitignore: true }] });
  const move = (who: string, source: string, destination: string): Promise<unknown> =>
    as(who).call("move_file", { source, destination });
  await move("ann", "x", "y");
  await put(as("ann"), "n1", "n\n");
  await move("ann", "a", "t");
  await move("ann", "b", "a");
  await move("ann", "t", "b");
  await as("ann").call("delete_file", { path: "d/k" });
  await put(as("ann"), "d", "d\n");
  await move("bob", "y", "z");
  await move("bob", "n1", "n2");
  await as("bob").call("delete_file", { path: "e" });
  await put(as("bob"), "e/f", "f\n");
  const { commits } = await (await session.plan()).gitCommit({ branch: "work" });
  expect(commits.map(({ agent }) => agent)).toEqual(["ann", "bob"]);
  const files = (ref: string): string[] => git(from, "ls-tree", "-r", "--name-only", ref).trim().split("\n");
  expect(files("work~1")).toEqual(["a", "b", "d", "e", "n1", "y"]);
  expect(files("work")).toEqual(["a", "b", "d", "e/f", "n2", "z"]);
  expect([git(from, "show", "work~1:a"), git(from, "show", "work~1:b")]).toEqual(["b\n", "a\n"]);
});

test("[HOST-86] a file counts as changed where git takes it for changed", async () => {
  const from = repository({ f: "1\n", crlf: "1\r\n2\r\n" });
  git(from, "config", "core.autocrlf", "true");
  const { session, as } = await opened({ mounts: [{ from, to: "/workspace", gitignore: true }] });
  await put(as("ann"), "f", "ann\n");
  await put(as("ann"), "crlf", "1\r\n3\r\n");
  await put(as("ann"), "new", "ann\n");
  const plan = await session.plan();
  await plan.gitCommit({ branch: "clean" });
  expect(git(from, "show", "clean:crlf")).toBe("1\r\n3\r\n");
  for (const path of ["f", "new"]) {
    writeFileSync(join(from, path), "of the person\n");
    expect(await reasonOf(plan.gitCommit({ branch: "b" })), path).toBe("conflict / differs_from_head");
    rmSync(join(from, path));
    if (path === "f") git(from, "checkout", "-q", "f");
  }
});

test("[HOST-86] refuses what HEAD does not hold, and folders without a repository", async () => {
  const from = repository({ f: "1\n" });
  writeFileSync(join(from, "f"), "not committed\n");
  const { session, as } = await opened({ mounts: [{ from, to: "/workspace", gitignore: true }] });
  await put(as("ann"), "f", "ann\n");
  expect(await reasonOf((await session.plan()).gitCommit({ branch: "b" }))).toBe(
    "conflict / differs_from_head",
  );
  expect(git(from, "branch", "--list", "b")).toBe("");
  const plain = await opened({ mounts: [{ from: folderOf({ f: "1\n" }), to: "/workspace" }] });
  await put(plain.as("ann"), "f", "ann\n");
  expect(await reasonOf((await plain.session.plan()).gitCommit({ branch: "b" }))).toBe(
    "conflict / no_repository",
  );
});

test(
  "[HOST-86] this project's own repository is landed in parts and as a branch, and git says what was chosen",
  { timeout: 300_000 },
  async () => {
    const from = join(scratch(), "clone");
    git(import.meta.dirname, "clone", "-q", "--no-hardlinks", join(import.meta.dirname, "../.."), from);
    const { session, as } = await opened({ mounts: [{ from, to: "/workspace", gitignore: true }] });
    expect(session.files().length).toBeGreaterThan(500);
    const [ann, bob, cid] = [as("ann"), as("bob"), as("cid")];
    const edit = async (agent: Agent, path: string, change: (lines: string[]) => void): Promise<void> => {
      const lines = Buffer.from(await session.workspace.read(path))
        .toString()
        .split("\n");
      change(lines);
      await put(agent, path, lines.join("\n"));
    };
    const places = [3, 10, 17, 24, 31];
    await edit(ann, "CONTRIBUTING.md", (lines) => places.forEach((at, i) => (lines[at] = `ann ${i}`)));
    await edit(bob, "README.md", (lines) => lines.splice(2, 1, "bob was here"));
    await edit(bob, "CONTRIBUTING.md", (lines) => (lines[40] = "bob 40"));
    await cid.call("move_file", { source: "AGENTS.md", destination: "docs/AGENTS.md" });
    await put(cid, "docs/new.md", "# New\n");
    const status = (): string[] =>
      git(from, "status", "--porcelain", "-uall")
        .split("\n")
        .filter((line) => line !== "");
    const changed = (...args: string[]): string[] =>
      git(from, "diff", "-U0", ...args)
        .split("\n")
        .filter((line) => /^[+-][^+-]/.test(line));
    // One agent without the others.
    await (await session.plan({ agents: ["bob"] })).land();
    expect(status()).toEqual([" M CONTRIBUTING.md", " M README.md"]);
    expect(changed().filter((line) => line.startsWith("+"))).toEqual(["+bob 40", "+bob was here"]);
    git(from, "commit", "-qam", "bob");
    // One hunk of five.
    const plan = await session.plan({ agents: ["ann"] });
    const hunks = plan.files[0]?.hunks ?? [];
    expect(hunks).toHaveLength(5);
    const leave = hunks.filter((_, i) => i !== 2).map(({ id }) => id);
    await (await session.plan({ agents: ["ann"], leave })).land();
    expect(changed().filter((line) => line.startsWith("+"))).toEqual(["+ann 2"]);
    git(from, "commit", "-qam", "one hunk");
    // The rest as a branch, then into the folder.
    const rest = await session.plan();
    const { commits } = await rest.gitCommit({ branch: "rest" });
    expect(status()).toEqual([]);
    expect(commits.map(({ agent }) => agent)).toEqual(["ann", "cid"]);
    expect(changed("HEAD", "rest~1").filter((line) => line.startsWith("+"))).toEqual([
      "+ann 0",
      "+ann 1",
      "+ann 3",
      "+ann 4",
    ]);
    expect(git(from, "log", "--format=%an", "HEAD..rest").trim().split("\n")).toEqual(["cid", "ann"]);
    await rest.land();
    git(from, "add", "-A");
    expect(git(from, "diff", "--cached", "--name-status", "-M").trim().split("\n")).toEqual([
      "M\tCONTRIBUTING.md",
      "R100\tAGENTS.md\tdocs/AGENTS.md",
      "A\tdocs/new.md",
    ]);
    expect(git(from, "diff", "--cached", "rest")).toBe("");
    expect((await session.plan()).isEmpty).toBe(true);
    for (const { path } of session.files())
      expect(
        Buffer.compare(readFileSync(join(from, path.slice(11))), await session.workspace.read(path)),
      ).toBe(0);
  },
);
