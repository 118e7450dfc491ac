import { execFileSync } from "node:child_process";
import {
  chmodSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { HoldfastError } from "../../src/errors.ts";
import { openSession } from "../../src/tools/index.ts";
import { contents, put, type Hosted } from "../session/host-session.ts";
import { scratch } from "../store/scratch.ts";
import { filesIn, folderOf, opened } from "./folder.ts";

const SECRET = "secret of the folder\n";

/** What a person puts at a place of the folder, and what it is called. */
const KINDS: Readonly<Record<string, (at: string, from: string) => void>> = {
  symlink: (at) => symlinkSync("/etc/hostname", at),
  directory: (at) => folderOf({ in: SECRET }, at),
  special_file: (at) => execFileSync("mknod", [at, "p"]),
  multiple_links: (at) => {
    writeFileSync(at, SECRET);
    linkSync(at, join(scratch(), "twin"));
  },
  ignored: (at, from) => {
    writeFileSync(join(from, ".gitignore"), "new.txt\n");
    writeFileSync(at, SECRET);
  },
};

async function worked(from: string): Promise<Hosted> {
  const hosted = await opened({ mounts: [{ from, to: "/workspace", gitignore: true }] });
  await put(hosted.as("ann"), "a.txt", "ann\n");
  await put(hosted.as("ann"), "new.txt", "new\n");
  await put(hosted.as("ann"), "nd/x", "x\n");
  return hosted;
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

test("[HOST-87] says what is in the way of a new file and shows nothing of it; moved away or left out, the rest lands", async () => {
  for (const [what, make] of Object.entries(KINDS))
    for (const way of ["move", "leave"]) {
      const from = folderOf({ "a.txt": "one\n" });
      const { session } = await worked(from);
      make(join(from, "new.txt"), from);
      const plan = await session.plan();
      const obstacle = { path: "/workspace/new.txt", what };
      expect(plan.conflicts).toMatchObject([
        { path: "/workspace/new.txt", reason: "in_the_way", obstacle, base: null, folder: null },
      ]);
      expect(JSON.stringify(plan.conflicts)).not.toContain("secret");
      const { reason, message } = await errorOf(plan.land());
      expect(reason).toBe("in_the_way");
      expect(message).toMatch(
        /^Nothing was written\. \/workspace\/new\.txt is an? .* Move it away there, or leave /,
      );
      expect(readFileSync(join(from, "a.txt"), "utf8")).toBe("one\n");
      if (way === "move") renameSync(join(from, "new.txt"), join(scratch(), "away"));
      const again = await session.plan(way === "move" ? {} : { leave: ["new.txt"] });
      await again.land();
      expect(readFileSync(join(from, "a.txt"), "utf8")).toBe("ann\n");
      if (way === "move") expect(readFileSync(join(from, "new.txt"), "utf8")).toBe("new\n");
      await session.close();
    }
});

test("[HOST-87] the same of a file that the folder held: moved away and refreshed, the session's is landed", async () => {
  const { ignored: _, ...kinds } = KINDS;
  for (const [what, make] of Object.entries(kinds)) {
    const from = folderOf({ "a.txt": "one\n" });
    const { session } = await worked(from);
    rmSync(join(from, "a.txt"));
    make(join(from, "a.txt"), from);
    const plan = await session.plan();
    expect(plan.conflicts).toMatchObject([
      { reason: "in_the_way", obstacle: { path: "/workspace/a.txt", what } },
    ]);
    expect((await errorOf(plan.land())).message).toContain('refresh the session (take: "session"');
    renameSync(join(from, "a.txt"), join(scratch(), "away"));
    await session.refresh({ take: { "a.txt": "session" } });
    await (await session.plan()).land();
    expect(readFileSync(join(from, "a.txt"), "utf8")).toBe("ann\n");
    await session.close();
  }
});

test("[HOST-87] what is in the way may be above the path", async () => {
  for (const what of ["file", "symlink"]) {
    const from = folderOf({ "a.txt": "one\n" });
    const { session } = await worked(from);
    if (what === "file") writeFileSync(join(from, "nd"), SECRET);
    else symlinkSync(scratch(), join(from, "nd"));
    const plan = await session.plan();
    expect(plan.conflicts).toMatchObject([
      {
        path: "/workspace/nd/x",
        reason: "in_the_way",
        obstacle: { path: "/workspace/nd", what },
        folder: null,
      },
    ]);
    expect((await errorOf(plan.land())).message).toContain("/workspace/nd is a");
    rmSync(join(from, "nd"));
    await (await session.plan()).land();
    expect(readFileSync(join(from, "nd/x"), "utf8")).toBe("x\n");
    await session.close();
  }
});

test("[HOST-69] a file of the folder that the session has no place for is a conflict that either side settles", async () => {
  for (const side of ["outside", "session"] as const)
    for (const [path, put] of [
      ["new.txt/in", (from: string) => folderOf({ "new.txt/in": "theirs\n" }, from)],
      ["nd", (from: string) => folderOf({ nd: "theirs\n" }, from)],
      ["NEW.txt", (from: string) => folderOf({ "NEW.txt": "theirs\n" }, from)],
    ] as const) {
      const from = folderOf({ "a.txt": "one\n" });
      const { session } = await worked(from);
      put(from);
      const { conflicts } = await session.refresh();
      const by = path === "nd" ? "/workspace/nd/x" : "/workspace/new.txt";
      expect(conflicts).toMatchObject([{ path: `/workspace/${path}`, session: null, inTheWay: by }]);
      const { changed } = await session.refresh({ take: { [path]: side } });
      expect(changed).toMatchObject([{ how: side === "outside" ? "took_outside" : "kept_session" }]);
      const plan = await session.plan();
      expect(plan.conflicts).toEqual([]);
      await plan.land();
      const files = session.files().map((file) => file.path);
      expect(files.includes(`/workspace/${path}` as never)).toBe(side === "outside");
      expect(files.includes(by as never)).toBe(side === "session");
      const landed = join(from, side === "outside" ? path : by.slice("/workspace/".length));
      expect(readFileSync(landed, "utf8")).toBe(
        side === "outside" ? "theirs\n" : path === "nd" ? "x\n" : "new\n",
      );
      expect((await session.plan()).isEmpty).toBe(true);
      await session.close();
    }
});

test("[HOST-88] a new file that the folder's ignore rules name is landed, and the plan says so", async () => {
  const from = folderOf({ ".gitignore": "*.log\n/dist\n", "sub/.gitignore": "own\n", old: "1\n" });
  const { session, as } = await opened({ mounts: [{ from, to: "/workspace", gitignore: true }] });
  for (const path of ["dist/x", "made/deep/y.log", "sub/own", "later/z", "plain"])
    await put(as("ann"), path, "1\n");
  await put(as("ann"), "later/.gitignore", "z\n");
  await as("ann").call("move_file", { source: "old", destination: "old.log" });
  const plan = await session.plan();
  const ignored = plan.files.filter((file) => file.ignored === true).map(({ path }) => path.slice(11));
  expect(ignored.sort()).toEqual(["dist/x", "later/z", "made/deep/y.log", "old.log", "sub/own"]);
  expect(plan.files).toHaveLength(7);
  await plan.land();
  expect(readFileSync(join(from, "dist/x"), "utf8")).toBe("1\n");
  await put(as("ann"), "dist/x", "2\n");
  expect((await session.plan()).files).toMatchObject([{ path: "/workspace/dist/x", kind: "change" }]);
  expect((await session.plan()).files[0]?.ignored).toBeUndefined();
});

test("[HOST-89] what the system refuses while landing names the path and what to do, and nothing is written", async () => {
  const from = folderOf({ "a.txt": "one\n", "shut/b": "2\n" });
  const { session, as } = await opened({ mounts: [{ from, to: "/workspace" }] });
  await put(as("ann"), "a.txt", "ann\n");
  await put(as("ann"), "shut/b", "ann\n");
  const plan = await session.plan();
  const isRoot = process.getuid?.() === 0;
  chmodSync(from, 0o777);
  chmodSync(join(from, "shut"), 0o555);
  // The superuser is permitted everything.
  if (isRoot) process.seteuid?.(65_534);
  const error = await errorOf(plan.land()).finally(() => {
    if (isRoot) process.seteuid?.(0);
    chmodSync(join(from, "shut"), 0o755);
  });
  expect([error.code, error.reason]).toEqual(["forbidden", "not_permitted"]);
  expect(error.message).toMatch(
    /^\/workspace\/shut\/b: The system does not permit this\. Check .*permissions/,
  );
  expect(error.message).not.toContain(from);
  expect(readFileSync(join(from, "a.txt"), "utf8")).toBe("one\n");
  await (await session.plan()).land();
  expect(readFileSync(join(from, "shut/b"), "utf8")).toBe("ann\n");
});

test("[HOST-89] a folder that does not exist any more is named by where it is mounted", async () => {
  const base = scratch();
  const from = join(base, "in");
  mkdirSync(from);
  const { session, as, store } = await opened({ mounts: [{ from, to: "/workspace/in" }] });
  await put(as("ann"), "in/x", "1\n");
  const plan = await session.plan();
  renameSync(from, join(base, "moved"));
  for (const call of [
    () => plan.land(),
    () => session.plan(),
    () => session.refresh(),
    () => session.outsideChanges(),
  ]) {
    const error = await errorOf(call());
    expect([error.code, error.reason]).toEqual(["not_found", "no_such_folder"]);
    expect(error.message).toContain(
      "mounted at /workspace/in does not exist any more. Put it back; opened without any mounts,",
    );
  }
  await using bare = await openSession({ store, id: session.id });
  expect(await contents(bare)).toEqual({ "in/x": "1\n" });
  renameSync(join(base, "moved"), from);
  await (await session.plan()).land();
  expect(readFileSync(join(from, "x"), "utf8")).toBe("1\n");
});

test("[HOST-82] a landing that cannot be reverted says what works instead", async () => {
  for (const how of ["changed_outside", "put back", "landing_changed"]) {
    const from = folderOf({ "a.txt": "one\ntwo\n" });
    const { session, as } = await opened({ mounts: [{ from, to: "/workspace" }] });
    await put(as("ann"), "a.txt", "ann\ntwo\n");
    const record = session.at.seq;
    const { landing } = await (await session.plan()).land();
    writeFileSync(join(from, "a.txt"), "ann\ntwo\nhost\n");
    if (how === "landing_changed") await session.refresh();
    const { reason, message } = await errorOf(session.revertLanding(landing));
    expect(reason).toBe(how === "put back" ? "changed_outside" : how);
    expect(message).toMatch(/undo the work in (it|the session) and land that\./);
    if (how === "put back") {
      expect(message).toContain("Put back there what it wrote and revert again");
      writeFileSync(join(from, "a.txt"), "ann\ntwo\n");
      await session.revertLanding(landing);
      expect(readFileSync(join(from, "a.txt"), "utf8")).toBe("one\ntwo\n");
    } else {
      await session.refresh();
      await session.undo({ record });
      await (await session.plan()).land();
      expect(readFileSync(join(from, "a.txt"), "utf8")).toBe("one\ntwo\nhost\n");
    }
    await session.close();
  }
});

test("[HOST-191] two paths that are one file of the host are a conflict; one of them lands, and a refresh brings it in under both", async () => {
  const from = folderOf({ "sub/x.txt": "1\n2\n3\n4\n5\n" });
  const { session, as } = await opened({
    mounts: [
      { from, to: "/workspace/p" },
      { from: join(from, "sub"), to: "/workspace/q" },
    ],
  });
  await put(as("ann"), "p/sub/x.txt", "P\n2\n3\n4\n5\n");
  await put(as("ann"), "q/x.txt", "1\n2\n3\n4\nQ\n");
  await put(as("ann"), "p/sub/new.txt", "P\n");
  await put(as("ann"), "q/new.txt", "P\n");
  const plan = await session.plan();
  expect(plan.conflicts.map(({ path, reason, obstacle }) => [path, reason, obstacle])).toEqual(
    ["new.txt", "x.txt"].map((name) => [
      `/workspace/q/${name}`,
      "path_in_use",
      { path: `/workspace/p/sub/${name}`, what: "same_file" },
    ]),
  );
  const error = await errorOf(plan.land());
  expect([error.code, error.reason]).toEqual(["conflict", "path_in_use"]);
  expect(error.message).toContain("Leave one of them out and land the other");
  expect(filesIn(from)).toEqual({ "sub/x.txt": "1\n2\n3\n4\n5\n" });
  await (await session.plan({ leave: ["q"] })).land();
  expect((await session.refresh()).conflicts).toEqual([]);
  await (await session.plan()).land();
  expect(filesIn(from)).toEqual({ "sub/x.txt": "P\n2\n3\n4\nQ\n", "sub/new.txt": "P\n" });
  await session.refresh();
  expect((await session.plan()).isEmpty).toBe(true);
  expect((await contents(session))["p/sub/x.txt"]).toBe("P\n2\n3\n4\nQ\n");
});
