import { execFileSync } from "node:child_process";
import {
  chmodSync,
  closeSync,
  existsSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { HoldfastError } from "../../src/errors.ts";
import { applyPatch, patchedFiles } from "../../src/patch/index.ts";
import type { LandingPlan, Session } from "../../src/tools/index.ts";
import { contents, put, type Hosted } from "../session/host-session.ts";
import { scratch } from "../store/scratch.ts";
import { beforeEach } from "./before-each.ts";
import { filesIn, folderOf, opened } from "./folder.ts";

const TEN = Array.from({ length: 10 }, (_, i) => `line ${i + 1}\n`).join("");

function mounted(from: string, rest: object = {}): Promise<Hosted> {
  return opened({ mounts: [{ from, to: "/workspace", ...rest }] });
}

function shown({ files }: LandingPlan): string[] {
  return files.map(({ path, from, kind, hunks, agents }) => {
    const name = path.slice("/workspace/".length);
    const was = from === undefined ? "" : ` from ${from.slice("/workspace/".length)}`;
    return `${kind} ${name}${was} ${hunks.length} ${agents.join("+")}`;
  });
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

async function landAll(session: Session): Promise<void> {
  await (await session.plan()).land();
}

test("[HOST-70] shows every kind of difference and writes nothing; landing it makes the folder the session's", async () => {
  const from = folderOf({
    keep: "1\n",
    change: TEN,
    gone: "2\n",
    "old/name": TEN,
    run: "3\n",
    bin: new Uint8Array([255, 0]),
  });
  const { session, as } = await mounted(from);
  const ann = as("ann");
  expect((await session.plan()).isEmpty).toBe(true);
  await put(ann, "change", TEN.replace("line 2", "ann 2").replace("line 9", "ann 9"));
  await ann.call("delete_file", { path: "gone" });
  await ann.call("move_file", { source: "old/name", destination: "new/name" });
  await put(ann, "made/deep/file", "new\n");
  await session.workspace.write("bin", new Uint8Array([254, 0]));
  await session.workspace.write("run", "3\n", { executable: true });
  const plan = await session.plan();
  expect(shown(plan)).toEqual([
    "binary bin 0 host",
    "change change 2 ann",
    "delete gone 0 ann",
    "create made/deep/file 0 ann",
    "rename new/name from old/name 0 ann",
    "mode run 0 host",
  ]);
  expect(plan.conflicts).toEqual([]);
  expect(plan.files[1]?.hunks[0]?.text).toBe(
    "@@ -1,5 +1,5 @@\n line 1\n-line 2\n+ann 2\n line 3\n line 4\n line 5\n",
  );
  expect(Object.keys(filesIn(from))).toHaveLength(6);
  const { position } = await plan.land();
  expect(filesIn(from)).toEqual({ ...(await contents(session)), bin: "\ufffd\0" });
  expect(statSync(join(from, "run")).mode & 0o111).toBe(0o111 & ~process.umask());
  expect(existsSync(join(from, "old"))).toBe(false);
  expect((await session.log()).at(-1)).toMatchObject({ kind: "land", agent: "host", seq: position.seq });
  expect((await session.plan()).isEmpty).toBe(true);
  expect(await session.outsideChanges()).toEqual([]);
  expect((await session.verify({ blobs: true, states: true })).ok).toBe(true);
});

test("[HOST-70] [FILES-95] a directory that was given a name that differs in case only is shown and landed as renames", async () => {
  const from = folderOf({ "Dir/a.txt": TEN, "Dir/Sub/b.txt": "b\n", "Dir/.x": "" });
  const { session, as } = await mounted(from);
  await as("ann").call("move_file", { source: "Dir", destination: "dir" });
  const plan = await session.plan();
  expect(shown(plan)).toEqual([
    "rename dir/.x from Dir/.x 0 ann",
    "rename dir/Sub/b.txt from Dir/Sub/b.txt 0 ann",
    "rename dir/a.txt from Dir/a.txt 0 ann",
  ]);
  await plan.land();
  expect(filesIn(from)).toEqual({ "dir/a.txt": TEN, "dir/Sub/b.txt": "b\n", "dir/.x": "" });
  expect(existsSync(join(from, "Dir"))).toBe(false);
  expect((await session.plan()).isEmpty).toBe(true);
});

test("[HOST-71] lands one agent's work without another's, with what it needs and why", async () => {
  const from = folderOf({ f: TEN, g: "g\n" });
  const { session, as } = await mounted(from);
  await put(as("ann"), "f", TEN.replace("line 2", "ann 2"));
  await put(as("bob"), "f", TEN.replace("line 2", "ann 2").replace("line 9", "bob 9"));
  await put(as("bob"), "made", "bob\n");
  await put(as("cid"), "f", TEN.replace("line 2", "cid 2").replace("line 9", "bob 9"));
  const bob = await session.plan({ agents: ["bob"] });
  expect(shown(bob)).toEqual(["change f 1 bob", "create made 0 bob"]);
  expect(bob.added).toEqual([]);
  await bob.land();
  expect(filesIn(from)).toEqual({ f: TEN.replace("line 9", "bob 9"), g: "g\n", made: "bob\n" });
  const cid = await session.plan({ agents: ["cid"] });
  expect(cid.added).toMatchObject([{ record: 2, agent: "ann", for: 5, path: "/workspace/f" }]);
  expect(shown(cid)).toEqual(["change f 1 ann+cid"]);
  expect(shown(await session.plan({ records: [5] }))).toEqual(shown(cid));
  expect((await session.plan({ paths: ["g"] })).isEmpty).toBe(true);
  await cid.land();
  expect(filesIn(from)["f"]).toBe((await contents(session))["f"]);
  expect((await session.plan()).isEmpty).toBe(true);
});

test("[HOST-71] lines do not land glued to others: the ending before them comes along", async () => {
  const from = folderOf({ "f.txt": "alpha\nbeta" });
  const { session, as } = await mounted(from);
  await put(as("ann"), "f.txt", "alpha\nbeta\ngamma\n");
  await put(as("bob"), "f.txt", "alpha\nbeta\ngamma\ndelta\n");
  const head = session.at.seq;
  const plan = await session.plan({ agents: ["bob"] });
  expect(plan.added).toEqual([
    { record: head - 1, agent: "ann", for: head, because: "line", path: "/workspace/f.txt" },
  ]);
  await plan.land();
  expect(filesIn(from)).toEqual({ "f.txt": "alpha\nbeta\ngamma\ndelta\n" });
  await session.close();
});

test("[HOST-197] what files need that are not landed does not come along", async () => {
  const from = folderOf({ a: TEN, b: TEN });
  const { session, as } = await mounted(from);
  await put(as("ann"), "a", TEN.replace("line 2", "ann 2"));
  await put(as("ann"), "b", TEN.replace("line 2", "ann 2"));
  await put(as("bob"), "a", TEN.replace("line 2", "bob 2"));
  await put(as("bob"), "b", TEN.replace("line 2", "ann 2").replace("line 9", "bob 9"));
  const bob = { agents: ["bob"] };
  expect((await session.plan(bob)).added).toMatchObject([
    { record: 2, because: "over", path: "/workspace/a" },
  ]);
  const plan = await session.plan({ ...bob, paths: ["b"] });
  expect(plan.added).toEqual([]);
  await plan.land();
  expect(filesIn(from)).toEqual({ a: TEN, b: TEN.replace("line 9", "bob 9") });
});

test("[HOST-198] what was changed and changed back is not in a plan, nor made again as it was", async () => {
  const from = folderOf({ a: TEN, bin: new Uint8Array([255, 0, 1]), gone: "1\n" });
  const { session, as } = await mounted(from);
  const ann = as("ann");
  await put(ann, "a", TEN.replace("line 2", "ann 2"));
  await put(ann, "a", TEN);
  await ann.call("delete_file", { path: "gone" });
  await put(ann, "gone", "1\n");
  await session.workspace.write("bin", new Uint8Array([255, 3, 1]));
  await session.workspace.write("bin", new Uint8Array([255, 0, 1]));
  const plan = await session.plan();
  expect(shown(plan)).toEqual([]);
  expect(await plan.text()).toBe("");
  expect(await reasonOf(plan.land())).toBe("not_found / nothing_to_land");
  // A person's own change of it is in nobody's way.
  writeFileSync(join(from, "a"), "mine\n");
  expect((await session.plan()).conflicts).toEqual([]);
});

test("[HOST-71] a file that is made again needs its deletion, and text in a new file the one who made it", async () => {
  const from = folderOf({ f: "old\n" });
  const { session, as } = await mounted(from);
  await as("ann").call("delete_file", { path: "f" });
  await put(as("bob"), "f", "new\n");
  await put(as("ann"), "g", "ann\n");
  await put(as("bob"), "g", "bob\n", "append");
  const plan = await session.plan({ agents: ["bob"] });
  expect(plan.added.map(({ record, because }) => `${record} ${because}`)).toEqual(["2 exists", "4 exists"]);
  await plan.land();
  expect(filesIn(from)).toEqual({ f: "new\n", g: "ann\nbob\n" });
});

test("[HOST-71] work that was landed and undone since is taken out again, by who undid it", async () => {
  const from = folderOf({ f: TEN });
  const { session, as } = await mounted(from);
  await put(as("ann"), "f", TEN.replace("line 2", "ann 2"));
  await landAll(session);
  await session.undo({ record: 2 });
  await put(as("bob"), "f", `${TEN}bob\n`);
  const bob = await session.plan({ agents: ["bob"] });
  await bob.land();
  expect(filesIn(from)["f"]).toBe(`${TEN.replace("line 2", "ann 2")}bob\n`);
  const rest = await session.plan();
  expect(shown(rest)).toEqual(["change f 1 host"]);
  await rest.land();
  expect(filesIn(from)["f"]).toBe(`${TEN}bob\n`);
});

test("[HOST-71] what was landed before stands beside what is chosen, also in lines that touch it", async () => {
  const from = folderOf({ f: TEN });
  const { session, as } = await mounted(from);
  await put(as("bob"), "f", TEN.replace("line 5", "bob 5"));
  await landAll(session);
  await put(as("cid"), "f", TEN.replace("line 5", "bob 5").replace("line 4", "cid 4"));
  await put(
    as("ann"),
    "f",
    TEN.replace("line 5", "bob 5").replace("line 4", "cid 4").replace("line 6", "ann 6"),
  );
  const plan = await session.plan({ agents: ["ann"] });
  expect(plan.files[0]?.hunks.map(({ agents }) => agents)).toEqual([["ann"]]);
  await plan.land();
  expect(filesIn(from)["f"]).toBe(TEN.replace("line 5", "bob 5").replace("line 6", "ann 6"));
});

test("[HOST-72] hunks are the lines that touch; each can be left, keeps its id beside other edits, and stays offered", async () => {
  const from = folderOf({ f: TEN });
  const { session, as } = await mounted(from);
  const text = TEN.replace("line 1\nline 2\n", "a\nb\n").replace("line 5", "c").replace("line 8\n", "");
  await put(as("ann"), "f", text);
  const first = await session.plan();
  const ids = first.files[0]?.hunks.map(({ id }) => id) ?? [];
  expect(ids).toHaveLength(3);
  await put(as("bob"), "f", text.replace("line 10", "z"));
  const second = await session.plan();
  expect(second.files[0]?.hunks.map(({ id }) => id).slice(0, 3)).toEqual(ids);
  expect(second.files[0]?.hunks).toHaveLength(4);
  const some = await session.plan({ leave: [ids[0] ?? "", ids[2] ?? ""] });
  expect(shown(some)).toEqual(["change f 2 ann+bob"]);
  await some.land();
  expect(filesIn(from)["f"]).toBe(TEN.replace("line 5", "c").replace("line 10", "z"));
  const rest = await session.plan();
  expect(rest.files[0]?.hunks.map(({ id }) => id)).toEqual([ids[0], ids[2]]);
  expect(await reasonOf(session.plan({ leave: [ids[1] ?? ""] }))).toBe("invalid_argument / unknown_hunk");
  expect(shown(await session.plan({ agents: ["bob"] }))).toEqual([]);
  await rest.land();
  expect(filesIn(from)["f"]).toBe((await contents(session))["f"]);
});

test("[HOST-73] creations, deletions, moves and modes are left by their path, and moved text hunk by hunk", async () => {
  const from = folderOf({ a: TEN, b: "2\n", c: "3\n" });
  const { session, as } = await mounted(from);
  const ann = as("ann");
  await ann.call("move_file", { source: "a", destination: "d/a" });
  await put(ann, "d/a", TEN.replace("line 2", "two").replace("line 9", "nine"));
  await ann.call("delete_file", { path: "b" });
  await put(ann, "e", "5\n");
  const plan = await session.plan();
  const [hunk] = plan.files.find(({ kind }) => kind === "rename")?.hunks ?? [];
  const some = await session.plan({ leave: ["b", "e", hunk?.id ?? ""] });
  expect(shown(some)).toEqual(["rename d/a from a 1 ann"]);
  await some.land();
  expect(filesIn(from)).toEqual({ "d/a": TEN.replace("line 9", "nine"), b: "2\n", c: "3\n" });
  expect(shown(await session.plan())).toEqual(["delete b 0 ann", "change d/a 1 ann", "create e 0 ann"]);
  expect(shown(await session.plan({ leave: ["d"] }))).toEqual(["delete b 0 ann", "create e 0 ann"]);
});

test("[HOST-74] lists files in no mount, names that a mount leaves out, and what changed outside", async () => {
  const from = folderOf({ a: "1\n", b: "2\n" });
  const { session, as } = await opened({ mounts: [{ from, to: "/workspace/in", exclude: ["secret/**"] }] });
  await put(as("ann"), "outside.txt", "x\n");
  await put(as("ann"), "in/secret/key", "x\n");
  await put(as("ann"), "in/a", "ann\n");
  writeFileSync(join(from, "b"), "host\n");
  const plan = await session.plan();
  expect(shown(plan)).toEqual(["change in/a 1 ann"]);
  expect(plan.notMounted).toEqual(["/workspace/in/secret/key", "/workspace/outside.txt"]);
  expect(plan.outside).toEqual([{ path: "/workspace/in/b", change: "changed" }]);
  expect(plan.conflicts).toEqual([]);
  await plan.land();
  expect(filesIn(from)).toEqual({ a: "ann\n", b: "host\n" });
});

test("[HOST-74] moving a file to where no folder has a place for it lands as copying and deleting it does", async () => {
  for (const to of ["other/x", "in/secret/x"]) {
    const shows: unknown[] = [];
    for (const how of ["move", "copy"]) {
      const from = folderOf({ x: TEN, y: "2\n" });
      const { session, as } = await opened({
        mounts: [{ from, to: "/workspace/in", exclude: ["secret/**"] }],
      });
      const ann = as("ann");
      await put(ann, "in/x", TEN.replace("line 2", "two"));
      if (how === "move") await ann.call("move_file", { source: "in/x", destination: to });
      else {
        await put(ann, to, TEN.replace("line 2", "two"));
        await ann.call("delete_file", { path: "in/x" });
      }
      const plan = await session.plan();
      expect((await session.plan({ leave: ["in/x"] })).isEmpty).toBe(true);
      const ndpatch = await plan.ndpatch();
      shows.push([shown(plan), plan.notMounted, plan.conflicts, await plan.text(), ndpatch]);
      await plan.land();
      expect(filesIn(from)).toEqual({ y: "2\n" });
      expect((await session.plan()).isEmpty).toBe(true);
      expect((await session.plan()).notMounted).toEqual([`/workspace/${to}`]);
      await ann.call("move_file", { source: to, destination: "in/z" });
      await landAll(session);
      expect(filesIn(from)).toEqual({ y: "2\n", z: TEN.replace("line 2", "two") });
      await session.close();
    }
    expect(shows[0]).toEqual(shows[1]);
    expect((shows[0] as unknown[]).slice(0, 3)).toEqual([["delete in/x 0 ann"], [`/workspace/${to}`], []]);
  }
});

test("[HOST-75] writes what was shown, whatever agents did since, and refuses what the folders no longer hold", async () => {
  const from = folderOf({ f: "1\n" });
  const { session, as } = await mounted(from);
  await put(as("ann"), "f", "2\n");
  const plan = await session.plan();
  const other = await session.plan();
  await put(as("ann"), "f", "3\n");
  await plan.land();
  expect(filesIn(from)["f"]).toBe("2\n");
  expect(await reasonOf(other.land())).toBe("conflict / stale_plan");
  expect(await reasonOf(plan.land())).toBe("conflict / stale_plan");
  await landAll(session);
  expect(filesIn(from)["f"]).toBe("3\n");
  expect(await reasonOf(landAll(session))).toBe("not_found / nothing_to_land");
});

test("[HOST-76] names all conflicts with their three sides, and writes nothing while there is one", async () => {
  const from = folderOf({ a: "1\n", b: "2\n", c: "3\n", d: "4\n", e: "5\n" });
  const { session, as } = await mounted(from);
  for (const path of ["a", "b", "c", "d", "new", "dir/in"]) await put(as("ann"), path, `ann ${path}\n`);
  await as("ann").call("delete_file", { path: "e" });
  const clean = await session.plan();
  writeFileSync(join(from, "a"), "host\n");
  rmSync(join(from, "b"));
  linkSync(join(from, "c"), join(scratch(), "twin"));
  folderOf({ new: "host\n", dir: "a file\n" }, from);
  writeFileSync(join(from, "e"), "host\n");
  const before = filesIn(from);
  const plan = await session.plan();
  const sides = plan.conflicts.map(({ path, base, session, folder }) => [
    path.slice(11),
    base?.text,
    session?.text,
    folder?.text,
  ]);
  expect(sides).toEqual([
    ["a", "1\n", "ann a\n", "host\n"],
    ["b", "2\n", "ann b\n", undefined],
    ["c", "3\n", "ann c\n", undefined],
    ["dir/in", undefined, "ann dir/in\n", undefined],
    ["new", undefined, "ann new\n", "host\n"],
    ["e", "5\n", undefined, "host\n"],
  ]);
  for (const one of [plan, clean]) {
    const error = await errorOf(one.land());
    expect([error.code, error.reason]).toEqual(["conflict", "changed_outside"]);
    expect((error.data as unknown as { paths: string[] }).paths).toHaveLength(6);
    expect(error.message).not.toContain(from);
  }
  expect(filesIn(from)).toEqual(before);
  expect(await session.log({ kind: "land" })).toEqual([]);
});

test("[HOST-76] what is written to a file while it is replaced or removed is put back, and a conflict", async () => {
  for (const tool of ["write_file", "delete_file"]) {
    const from = folderOf({ "a.txt": "1\n", "b.txt": "1\n" });
    const { session, as } = await mounted(from);
    if (tool === "write_file") await put(as("ann"), "a.txt", "agent\n");
    else await as("ann").call("delete_file", { path: "a.txt" });
    await put(as("ann"), "b.txt", "agent\n");
    const plan = await session.plan();
    const fd = openSync(join(from, "a.txt"), "r+");
    const isIt = (name: string, as: unknown): boolean =>
      tool === "write_file" ? as === "a.txt" : name === "a.txt";
    const end = beforeEach(tool === "write_file" ? "rename" : "unlink", (name, _, as) => {
      if (isIt(name, as)) writeSync(fd, "person\n", 0);
    });
    const error = await errorOf(plan.land());
    end();
    closeSync(fd);
    expect([error.code, error.reason]).toEqual(["conflict", "changed_outside"]);
    expect(filesIn(from)).toEqual({ "a.txt": "person\n", "b.txt": "1\n" });
    await session.close();
  }
});

test("[HOST-76] a name that another file of the folder has is a conflict until that file goes too", async () => {
  const from = folderOf({ a: "a\n", b: "b\n" });
  const { session, as } = await mounted(from);
  const ann = as("ann");
  await ann.call("move_file", { source: "a", destination: "c" });
  await ann.call("move_file", { source: "b", destination: "a" });
  const part = await session.plan({ leave: ["c"] });
  expect(part.conflicts.map(({ path, reason }) => `${reason} ${path}`)).toEqual(["path_in_use /workspace/a"]);
  expect(await reasonOf(part.land())).toBe("conflict / path_in_use");
  await landAll(session);
  expect(filesIn(from)).toEqual({ a: "b\n", c: "a\n" });
});

test("[HOST-77] keeps mode bits, through moves too, and makes and removes directories", async () => {
  const from = folderOf({ a: "1\n", "d/e/b": "2\n" });
  chmodSync(join(from, "a"), 0o640);
  chmodSync(join(from, "d/e/b"), 0o600);
  const { session, as } = await mounted(from);
  await put(as("ann"), "a", "ann\n");
  await as("ann").call("move_file", { source: "d/e/b", destination: "x/y/b" });
  await put(as("ann"), "n", "new\n");
  await landAll(session);
  const bits = (path: string): number => statSync(join(from, path)).mode & 0o7777;
  expect([bits("a"), bits("x/y/b"), bits("n")]).toEqual([0o640, 0o600, 0o666 & ~process.umask()]);
  expect(readdirSync(from).sort()).toEqual(["a", "n", "x"]);
});

test("[HOST-81] what a landing left is told by runs: it survives reopening of the state, refresh and pruning", async () => {
  const from = folderOf({ f: TEN });
  const { session, as } = await mounted(from);
  await put(as("ann"), "f", TEN.replace("line 2", "ann 2").replace("line 9", "ann 9"));
  const [first] = (await session.plan()).files[0]?.hunks ?? [];
  await (await session.plan({ leave: [first?.id ?? ""] })).land();
  writeFileSync(join(from, "f"), `${TEN.replace("line 9", "ann 9")}host\n`);
  expect((await session.refresh()).changed.map(({ how }) => how)).toEqual(["merged"]);
  expect((await session.plan()).files[0]?.hunks.map(({ id }) => id)).toEqual([first?.id]);
  await session.prune({ before: session.at.seq + 1 });
  const plan = await session.plan();
  expect(plan.files[0]?.hunks.map(({ text }) => text)).toEqual([first?.text]);
  await plan.land();
  expect(filesIn(from)["f"]).toBe((await contents(session))["f"]);
  expect((await session.plan()).isEmpty).toBe(true);
});

test("[HOST-81] [HOST-72] where the history is pruned, a difference is the work of the file's own records", async () => {
  const from = folderOf({ a: TEN, b: TEN, d: TEN });
  const { session, as } = await mounted(from);
  await put(as("amy"), "b", TEN.replace("line 2", "amy 2"));
  await put(as("cat"), "d", TEN.replace("line 2", "cat 2"));
  await put(as("ben"), "a", TEN.replace("line 2", "ben 2"));
  const ben = session.at.seq;
  await landAll(session);
  await session.prune({ before: ben - 2 });
  await session.undo({ record: ben });
  const undone = session.at.seq;
  const [file] = (await session.plan()).files;
  expect(file).toMatchObject({ path: "/workspace/a", agents: ["host"], records: [undone] });
  expect(file?.hunks.map(({ agents, records }) => [agents, records])).toEqual([[["host"], [undone]]]);
  expect((await session.plan({ agents: ["cat"] })).isEmpty).toBe(true);
});

test("[HOST-82] a landing is reverted while the folder holds what it wrote, and its work is offered again", async () => {
  const from = folderOf({ a: "1\n", "d/b": "2\n", c: "3\n" });
  chmodSync(join(from, "d/b"), 0o600);
  const { session, as } = await mounted(from);
  const before = filesIn(from);
  await put(as("ann"), "a", "ann\n");
  await as("ann").call("delete_file", { path: "d/b" });
  await put(as("ann"), "n/e/w", "new\n");
  const planned = await session.plan();
  const { landing } = await planned.land();
  const after = filesIn(from);
  writeFileSync(join(from, "a"), "host\n");
  expect(await reasonOf(session.revertLanding(landing))).toBe("conflict / changed_outside");
  writeFileSync(join(from, "a"), "ann\n");
  expect(filesIn(from)).toEqual(after);
  const reverted = await session.revertLanding(landing);
  expect(filesIn(from)).toEqual(before);
  expect(statSync(join(from, "d/b")).mode & 0o777).toBe(0o600);
  expect(existsSync(join(from, "n"))).toBe(false);
  expect(shown(await session.plan())).toEqual(shown(planned));
  expect(await reasonOf(session.revertLanding(landing))).toBe("conflict / landing_changed");
  expect(await reasonOf(session.revertLanding(99))).toBe("not_found / no_such_landing");
  await session.revertLanding(reverted.landing);
  expect(filesIn(from)).toEqual(after);
});

test("[HOST-83] a request is settled as landed once nothing of it is left", async () => {
  const from = folderOf({ f: TEN, g: "g\n" });
  const { session, as } = await mounted(from);
  const ann = as("ann");
  await put(ann, "f", TEN.replace("line 2", "ann 2").replace("line 9", "ann 9"));
  await ann.call("request_landing", { reason: "done" });
  await put(as("bob"), "g", "bob\n");
  await as("bob").call("request_landing", { reason: "mine", paths: ["g"] });
  const [hunk] = (await session.plan()).files[0]?.hunks ?? [];
  const first = await (await session.plan({ agents: ["ann"], leave: [hunk?.id ?? ""] })).land();
  expect(first.requests).toEqual([]);
  const second = await (await session.plan({ agents: ["ann"] })).land();
  expect(second.requests).toEqual([3]);
  expect(session.landings().map(({ agent, state }) => `${agent} ${state}`)).toEqual([
    "bob open",
    "ann landed",
  ]);
  const { text } = await ann.call("read_file", { path: "f" });
  expect(text).toContain("[Landing request 3 landed]");
});

test("[HOST-84] [HOST-85] git apply and ndpatch make of the folder what landing makes of it", async () => {
  const from = folderOf({ change: TEN, gone: "2\n", "old name": `${TEN}end`, run: "3\n" });
  const { session, as } = await mounted(from);
  const ann = as("ann");
  await put(ann, "change", TEN.replace("line 2", "ann 2").replace("line 9\n", ""));
  await ann.call("delete_file", { path: "gone" });
  await ann.call("move_file", { source: "old name", destination: "new/na me" });
  await put(ann, "new/na me", `${TEN.replace("line 4", "four")}end`);
  await put(ann, "made/file", "new");
  await session.workspace.write("run", "3\n", { executable: true });
  const plan = await session.plan();
  const copy = folderOf(filesIn(from));
  execFileSync("git", ["init", "-q"], { cwd: copy });
  execFileSync("git", ["apply"], { cwd: copy, input: await plan.text() });
  rmSync(join(copy, ".git"), { recursive: true });
  const files = filesIn(from);
  const patched = patchedFiles(files, applyPatch(files, await plan.ndpatch()));
  await plan.land();
  expect(filesIn(copy)).toEqual(filesIn(from));
  expect(statSync(join(copy, "run")).mode & 0o100).toBe(0o100);
  const made = Array.from(patched, ([path, bytes]) => [path, Buffer.from(bytes).toString()] as const);
  expect(Object.fromEntries(made)).toEqual(filesIn(from));
});

test("[HOST-85] an ndpatch holds the names that the session may have", async () => {
  const from = folderOf({ "größe.txt": "1\n", "日本/語.txt": "2\n", "leer ü": "" });
  const { session, as } = await opened({ mounts: [{ from, to: "/workspace" }], names: "unicode" });
  await put(as("ann"), "größe.txt", "eins\n");
  await as("ann").call("move_file", { source: "日本/語.txt", destination: "日本/文.txt" });
  await put(as("ann"), "neu ñ", "");
  await as("ann").call("delete_file", { path: "leer ü" });
  const plan = await session.plan();
  const files = filesIn(from);
  const options = { names: "unicode" } as const;
  const patched = patchedFiles(files, applyPatch(files, await plan.ndpatch(), options));
  const made = Array.from(patched, ([path, bytes]) => [path, Buffer.from(bytes).toString()] as const);
  await plan.land();
  expect(Object.fromEntries(made)).toEqual(filesIn(from));
});

test("[HOST-85] an ndpatch refuses files that are not text, and text that loses its byte order mark", async () => {
  const { session } = await mounted(folderOf({ bom: "\ufeffa\n" }));
  await session.workspace.write("bom", "a\n");
  expect(await reasonOf((await session.plan()).ndpatch())).toBe("invalid_argument / byte_order_mark");
  await session.workspace.write("bin", new Uint8Array([255, 0]));
  expect(await reasonOf((await session.plan({ paths: ["bin"] })).ndpatch())).toBe(
    "invalid_argument / binary",
  );
});

test("[HOST-77] an empty directory of the folder's own is left alone", async () => {
  const from = folderOf({ "d/a": "1\n" });
  mkdirSync(join(from, "empty"));
  const { session, as } = await mounted(from);
  await as("ann").call("delete_file", { path: "d/a" });
  await landAll(session);
  expect(readdirSync(from)).toEqual(["empty"]);
});
