import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  openSync,
  closeSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { HoldfastError, say } from "../../src/errors.ts";
import { placeHash } from "../../src/host/_live-place.ts";
import { Draft } from "../../src/session/draft.ts";
import { sqliteStore } from "../../src/store/index.ts";
import { defineTool, type Mount } from "../../src/tools/index.ts";
import { hosted, put, type Hosted } from "../session/host-session.ts";
import { scratch } from "../store/scratch.ts";
import { inSession, onDisk } from "./directory.ts";
import { beforeEach } from "./before-each.ts";
import { folderOf } from "./folder.ts";
import { folderCore } from "./folder-core.ts";
import { live, shown } from "./live-session.ts";

async function reasonOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => "no error",
    (error: unknown) => (HoldfastError.is(error) ? `${error.code} / ${error.reason}` : String(error)),
  );
}

/** Every text that the session has ever had at a path. */
async function textsOf({ session }: Hosted, path: string): Promise<string[]> {
  const texts: string[] = [];
  for (const { seq } of await session.log({ path, limit: 1_000 })) {
    const then = await session.fork({ at: seq });
    texts.push((await inSession(then))[path] ?? "");
    await then.close({ delete: true });
  }
  return texts;
}

/** A disk that is full for one name. */
function noSpaceFor(name: string): () => void {
  return beforeEach("link", (_, __, as) => {
    if (as === name) throw new HoldfastError("internal", "no_space", say`There is no room left on the disk.`);
  });
}

describe("a write", () => {
  test("[HOST-120] is in the folder when it was imported from a work directory", async () => {
    const it = await live({ "a.txt": "one\n", "gone.txt": "g\n" });
    const directory = await it.session.directory();
    writeFileSync(join(directory, "a.txt"), "one\nmore\n");
    writeFileSync(join(directory, "new.txt"), "n\n");
    unlinkSync(join(directory, "gone.txt"));
    expect(await it.session.sync()).toMatchObject({ created: ["/workspace/new.txt"], unplaced: [] });
    expect(shown(it.folder)).toEqual({ "a.txt": "one\nmore\n", "new.txt": "n\n" });
    await it.session.close();
  });

  test("[HOST-120] is in the folder when its call returns", async () => {
    const it = await live({ "a.txt": "one\n", "in/b.txt": "two\n" });
    const agent = it.as("ann");
    await put(agent, "a.txt", "ONE\n");
    expect(readFileSync(join(it.folder, "a.txt"), "utf8")).toBe("ONE\n");
    await put(agent, "new/deep/c.txt", "three\n");
    expect(readFileSync(join(it.folder, "new/deep/c.txt"), "utf8")).toBe("three\n");
    await agent.call("delete_file", { path: "in/b.txt" });
    expect(existsSync(join(it.folder, "in"))).toBe(false);
    await agent.call("move_file", { source: "a.txt", destination: "moved.txt" });
    expect(shown(it.folder)).toEqual({ "moved.txt": "ONE\n", "new/deep/c.txt": "three\n" });
    await it.session.undo({ lastCallOf: "ann" });
    expect(shown(it.folder)).toEqual(await inSession(it.session));
    await it.session.workspace.write("host.txt", "host\n");
    expect(shown(it.folder)["host.txt"]).toBe("host\n");
    await it.session.close();
  });

  test("[HOST-121] an outside change that is seen before the append is imported, and the call works on it", async () => {
    const it = await live({ "a.txt": "one\ntwo\nthree\n" });
    const agent = it.as("ann");
    writeFileSync(join(it.folder, "a.txt"), "one\ntwo\nTHREE\n");
    const seq = it.session.at.seq;
    const result = await agent.call("edit_file", {
      path: "a.txt",
      edits: [{ old_text: "THREE", new_text: "3" }],
    });
    expect(result.text).not.toContain("[Warning]");
    expect(shown(it.folder)).toEqual({ "a.txt": "one\ntwo\n3\n" });
    const records = await it.session.log({ after: seq });
    expect(records.map(({ kind, agent: who }) => `${kind} ${who}`)).toEqual(["import external", "call ann"]);
    expect(records[0]?.changes?.[0]).toMatchObject({ op: "splice", splices: [{ at: 8, remove: 6 }] });
    // A version that the caller named is no longer the latest.
    const token = result.token as string;
    appendFileSync(join(it.folder, "a.txt"), "more\n");
    const stale = await agent.call("write_file", {
      path: "a.txt",
      content: "x",
      mode: "overwrite",
      expectedVersion: token,
    });
    expect(stale.error?.reason).toBe("stale_version");
    expect(shown(it.folder)).toEqual({ "a.txt": "one\ntwo\n3\nmore\n" });
    await it.session.close();
  });

  test("[HOST-122] an outside change that is seen after the append stays, both are in the history, and the call says so", async () => {
    const it = await live({ "a.txt": "1\n2\n3\n4\n5\n6\n7\n" });
    let isOnce = true;
    // At the last moment before the file is taken another program writes it.
    const end = beforeEach("rename", (name) => {
      if (isOnce && name === "a.txt") writeFileSync(join(it.folder, "a.txt"), "1\ntwo\n3\n4\n5\n6\nseven\n");
      if (name === "a.txt") isOnce = false;
    });
    try {
      const result = await it.as("ann").call<{ diverged: string[] }>("write_file", {
        path: "a.txt",
        content: "1\nTWO\n3\n4\nFIVE\n6\n7\n",
        mode: "overwrite",
      });
      expect(result.ok).toBe(true);
      expect(result.text).toContain("[Warning] /workspace/a.txt was changed in the folder");
      expect(result.ok && result.value.diverged).toEqual(["/workspace/a.txt"]);
    } finally {
      end();
    }
    expect(shown(it.folder)).toEqual({ "a.txt": "1\ntwo\n3\n4\nFIVE\n6\nseven\n" });
    expect(await inSession(it.session)).toEqual(shown(it.folder));
    expect(await textsOf(it, "a.txt")).toContain("1\nTWO\n3\n4\nFIVE\n6\n7\n");
    await it.session.close();
  });

  test("[HOST-123] a file is taken aside, checked and linked in: a stranger is put back, and in-place writers are heard", async () => {
    const it = await live({ "a.txt": "one\n" });
    expect(readFileSync(join(it.folder, ".holdfast", ".gitignore"), "utf8")).toBe("*\n");
    // A program that has the file open writes to it after it was replaced.
    const fd = openSync(join(it.folder, "a.txt"), "r+");
    await put(it.as("ann"), "a.txt", "one\nann\n");
    writeSync(fd, "late\n");
    closeSync(fd);
    const [aside, ...others] = readdirSync(join(it.folder, ".holdfast", "old"));
    expect(others).toEqual([]);
    await sleep(2_100);
    await it.as("ann").call("list_directory", {});
    expect(readdirSync(join(it.folder, ".holdfast", "old"))).not.toContain(aside);
    expect(readdirSync(join(it.folder, ".holdfast", "new"))).toEqual([]);
    expect(await textsOf(it, "a.txt")).toEqual(["one\n", "one\nann\n", "late\nann\n"]);
    expect(shown(it.folder)).toEqual(await inSession(it.session));
    await it.session.close();
  });

  test("[HOST-123] what is not the file that is known is never taken: a directory in its place stays, and its files are imported with it", async () => {
    for (const look of ["list_directory", "search_files", "read_file"]) {
      const { session, as, folder } = await live({ "b.txt": "b\n", "c.txt": "c\n" });
      rmSync(join(folder, "b.txt"));
      mkdirSync(join(folder, "b.txt/sub"), { recursive: true });
      writeFileSync(join(folder, "b.txt/in"), "precious\n");
      writeFileSync(join(folder, "b.txt/sub/deep"), "too\n");
      const input = {
        list_directory: {},
        search_files: { pattern: "precious" },
        read_file: { path: "b.txt/in" },
      };
      const seen = await as("ann").call(look, input[look as keyof typeof input]);
      expect(seen.text).toContain(look === "list_directory" ? "b.txt/" : "precious");
      const now = { "b.txt/in": "precious\n", "b.txt/sub/deep": "too\n", "c.txt": "c\n" };
      expect(shown(folder)).toEqual(now);
      expect(await inSession(session)).toEqual(now);
      expect((await session.log()).map(({ kind }) => kind)).toEqual(["mount", "import"]);
      expect(readdirSync(join(folder, ".holdfast/old"))).toEqual([]);
    }
  });

  test("[HOST-123] a file that the session has no place for stays in the folder", async () => {
    const { session, as, folder } = await live({ "b.txt": "b\n" });
    writeFileSync(join(folder, "B.TXT"), "precious\n");
    await as("ann").call("list_directory", {});
    expect(shown(folder)).toEqual({ "B.TXT": "precious\n", "b.txt": "b\n" });
    expect(await inSession(session)).toEqual({ "b.txt": "b\n" });
  });

  test("[HOST-123] what lies in .holdfast/old and is in no history is not dropped: a directory or link goes back to its place", async () => {
    const files = { "a.txt": "a\n", "b.txt": "b\n", "c.txt": "c\n" };
    const folder = folderOf(files);
    const store = sqliteStore({ directory: scratch() });
    const mounts = [{ from: folder, to: "/workspace", live: true }];
    const first = await hosted({ store, mounts });
    await first.session.close();
    const old = (name: string): string =>
      join(folder, ".holdfast/old", `0123456789abcdef-${placeHash(`/workspace/${name}`)}`);
    rmSync(join(folder, "a.txt"));
    mkdirSync(old("a.txt"));
    writeFileSync(join(old("a.txt"), "in"), "precious\n");
    mkdirSync(old("b.txt"));
    writeFileSync(join(old("b.txt"), "in"), "precious\n");
    symlinkSync("somewhere", old("c.txt"));
    const { session } = await hosted({ store, mounts, id: first.session.id });
    expect(shown(folder)).toMatchObject({ "a.txt/in": "precious\n", "b.txt": "b\n", "c.txt": "c\n" });
    expect((await inSession(session))["a.txt/in"]).toBe("precious\n");
    expect(readFileSync(join(old("b.txt"), "in"), "utf8")).toBe("precious\n");
    expect(readdirSync(join(folder, ".holdfast/old"))).toHaveLength(2);
  });

  test("[HOST-124] a file that is still being written is waited for, and one that never rests is busy", async () => {
    const it = await live({ "a.txt": "one\n" });
    appendFileSync(join(it.folder, "a.txt"), "half");
    setTimeout(() => appendFileSync(join(it.folder, "a.txt"), " whole\n"), 30);
    const read = await it.as("ann").call<{ content: string }>("read_file", { path: "a.txt" });
    expect(read.ok && read.value.content).toBe("one\nhalf whole\n");
    // Whenever it is looked at, it has just been written.
    const end = beforeEach("stat", (name) => {
      if (name === "a.txt") appendFileSync(join(it.folder, "a.txt"), ".");
    });
    try {
      const ann = it.as("ann");
      const busy = await ann.call("read_file", { path: "a.txt" });
      expect(busy.error).toMatchObject({ code: "conflict", reason: "busy_outside" });
      const { seq } = it.session.at;
      for (const result of [
        await ann.call("list_directory", {}),
        await ann.call("search_files", { pattern: "one" }),
        await ann.call("write_file", { path: "new.txt", content: "1\n", mode: "create" }),
        await ann.call("write_file", { path: "new.txt", content: "2\n", mode: "overwrite" }),
      ])
        expect(result.ok).toBe(true);
      // What cannot be read whole is not imported by halves.
      expect(it.session.at.seq).toBe(seq + 2);
    } finally {
      end();
    }
    await sleep(60);
    expect((await it.as("ann").call("list_directory", {})).ok).toBe(true);
    expect(await inSession(it.session)).toEqual(shown(it.folder));
    await it.session.close();
  });

  test("[HOST-124] files that are gone are waited for together", { timeout: 20_000 }, async () => {
    const names = Array.from({ length: 600 }, (_, i) => `d/f${i}`);
    const it = await live({ keep: "", ...Object.fromEntries(names.map((name) => [name, "1\n"])) });
    rmSync(join(it.folder, "d"), { recursive: true });
    expect((await it.as("ann").call("list_directory", {})).ok).toBe(true);
    expect(await inSession(it.session)).toEqual({ keep: "" });
    await it.session.close();
  });

  test("[HOST-125] deleting and moving take the file likewise: one changed outside is put back and imported", async () => {
    const it = await live({ a: "1\n", b: "1\n" });
    const late = new Set(["a", "b"]);
    const end = beforeEach("rename", (name) => {
      if (late.delete(name)) appendFileSync(join(it.folder, name), "outside\n");
    });
    try {
      const gone = await it.as("ann").call("delete_file", { path: "a" });
      expect(gone.text).toContain("[Warning]");
      const moved = await it.as("ann").call("move_file", { source: "b", destination: "c" });
      expect(moved.text).toContain("[Warning]");
    } finally {
      end();
    }
    expect(shown(it.folder)).toEqual({ a: "1\noutside\n", b: "1\noutside\n", c: "1\n" });
    expect(await inSession(it.session)).toEqual(shown(it.folder));
    await it.session.close();
  });

  test("[HOST-126] nothing that is there is written over by a creation", async () => {
    const it = await live(
      { ".gitignore": "*.log\n", "build.log": "mine\n", "Read.md": "x\n" },
      { gitignore: true },
      { names: "unicode" },
    );
    symlinkSync("/etc/passwd", join(it.folder, "link"));
    writeFileSync(join(it.folder, "cafe\u0301.log"), "other form");
    mkdirSync(join(it.folder, "Dir"));
    const agent = it.as("ann");
    const created = async (path: string): Promise<string | undefined> =>
      (await agent.call("write_file", { path, content: "agent\n", mode: "create" })).error?.reason;
    expect(await created("build.log")).toBe("exists_outside");
    expect(await created("BUILD.log")).toBe("exists_outside");
    expect(await created("caf\u00e9.log")).toBe("exists_outside");
    expect(await created("link")).toBe("exists_outside");
    expect(await created("dir/x")).toBe("exists_outside");
    expect(await created("read.md")).toBe("case_clash");
    writeFileSync(join(it.folder, "fresh.txt"), "outside\n");
    expect(await created("fresh.txt")).toBe("file_exists");
    expect(await created("other.log")).toBeUndefined();
    expect(shown(it.folder)).toMatchObject({
      "build.log": "mine\n",
      "fresh.txt": "outside\n",
      "other.log": "agent\n",
    });
    const renamed = await agent.call("move_file", { source: "Read.md", destination: "READ.md" });
    expect(renamed.ok).toBe(true);
    expect(shown(it.folder)).toMatchObject({ "READ.md": "x\n" });
    expect(existsSync(join(it.folder, "Read.md"))).toBe(false);
    await it.session.close();
  });

  test("[HOST-126] a directory can get a name that differs in case only, unless it holds what is not in the session", async () => {
    const it = await live({ "Dir/a.txt": "a\n", "Dir/Sub/b.txt": "b\n" });
    const agent = it.as("ann");
    const { seq } = it.session.at;
    const renamed = { "dir/a.txt": "a\n", "dir/Sub/b.txt": "b\n" };
    await agent.call("move_file", { source: "Dir", destination: "x" });
    await agent.call("move_file", { source: "x", destination: "dir" });
    expect(shown(it.folder)).toEqual(renamed);
    // In one step.
    await it.session.restore({ to: seq });
    const move = await agent.call("move_file", { source: "Dir", destination: "dir" });
    expect(move.text).not.toContain("[Warning]");
    expect(shown(it.folder)).toEqual(renamed);
    expect(existsSync(join(it.folder, "Dir"))).toBe(false);
    await it.session.undo({ record: it.session.at.seq });
    expect(shown(it.folder)).toEqual({ "Dir/a.txt": "a\n", "Dir/Sub/b.txt": "b\n" });
    expect(existsSync(join(it.folder, "dir"))).toBe(false);
    expect(await inSession(it.session)).toEqual(shown(it.folder));
    symlinkSync("somewhere", join(it.folder, "Dir/link"));
    expect(await reasonOf(it.session.undo({ record: it.session.at.seq }))).toBe("conflict / exists_outside");
    expect(shown(it.folder)).toEqual({ "Dir/a.txt": "a\n", "Dir/Sub/b.txt": "b\n", "Dir/link": "->" });
    await it.session.close();
  });

  test("[HOST-127] replacing keeps mode bits, and the executable bit is state", async () => {
    const folder = folderOf({ "run.sh": "1\n", secret: "1\n" });
    chmodSync(join(folder, "run.sh"), 0o750);
    chmodSync(join(folder, "secret"), 0o600);
    const it = await hosted({ mounts: [{ from: folder, to: "/workspace", live: true }] });
    await put(it.as("ann"), "run.sh", "2\n");
    await put(it.as("ann"), "secret", "2\n");
    await put(it.as("ann"), "new", "2\n");
    const modeOf = (name: string): number => statSync(join(folder, name)).mode & 0o777;
    expect([modeOf("run.sh"), modeOf("secret"), modeOf("new")]).toEqual([
      0o750,
      0o600,
      0o666 & ~process.umask(),
    ]);
    chmodSync(join(folder, "new"), 0o755);
    await it.as("ann").call("read_file", { path: "new" });
    expect(it.session.workspace.stat("new")?.executable).toBe(true);
    await it.session.workspace.write("run.sh", "3\n", { executable: false });
    expect(modeOf("run.sh")).toBe(0o640);
    await it.session.close();
  });
});

describe("what the system does not write", () => {
  const IMMUTABLE = process.getuid?.() === 0;
  /** Root may write where the mode forbids it, but not what is immutable. */
  const protect = (path: string, isOn: boolean): void => {
    if (IMMUTABLE) execFileSync("chattr", [isOn ? "+i" : "-i", path]);
    else chmodSync(path, isOn ? 0o555 : 0o755);
  };

  test("[HOST-150] a read-only place is refused before anything is committed, and works when it is none any more", async () => {
    const it = await live({ "in/a.txt": "1\n", "b.txt": "1\n" });
    const agent = it.as("ann");
    const places = IMMUTABLE ? ["in", "in/a.txt"] : ["in"];
    for (const place of places) {
      protect(join(it.folder, place), true);
      try {
        const { seq } = it.session.at;
        for (const result of [
          await agent.call("write_file", { path: "in/a.txt", content: "2\n", mode: "overwrite" }),
          await agent.call("delete_file", { path: "in/a.txt" }),
          await agent.call("move_file", { source: "in/a.txt", destination: "c.txt" }),
        ]) {
          expect(result.error).toMatchObject({ code: "forbidden", reason: "not_permitted" });
          expect(result.text).not.toContain(it.folder);
        }
        if (place === "in") {
          const made = await agent.call("write_file", { path: "in/new/x", content: "1", mode: "create" });
          expect(made.error?.reason).toBe("not_permitted");
        }
        const read = await agent.call<{ content: string }>("read_file", { path: "in/a.txt" });
        expect(read.ok && read.value.content).toBe("1\n");
        expect(it.session.at.seq).toBe(seq);
      } finally {
        protect(join(it.folder, place), false);
      }
    }
    await put(agent, "in/a.txt", "2\n");
    expect(shown(it.folder)).toEqual({ "in/a.txt": "2\n", "b.txt": "1\n" });
    expect(it.troubles).toEqual([]);
    await it.session.close();
  });

  test("[HOST-151] what was not written after the append is said, does not keep others, and is written by the next call or after a while", async () => {
    const it = await live({ "a.txt": "1\n", "b.txt": "1\n" });
    const agent = it.as("ann");
    for (const heal of ["a read", "another write", "time"]) {
      const end = noSpaceFor("a.txt");
      const before = shown(it.folder);
      try {
        const result = await agent.call<{ unplaced: unknown; diverged: unknown }>("write_file", {
          path: "a.txt",
          content: `${heal}\n`,
          mode: "overwrite",
        });
        expect(result.ok && result.value.unplaced).toEqual([
          { path: "/workspace/a.txt", reason: "no_space" },
        ]);
        expect(result.ok && result.value.diverged).toEqual([]);
        expect(result.text).toContain("[Warning] The session has this change, but the folder does not yet");
        expect(result.text).not.toContain("was changed in the folder");
        // What was there is there, and nobody imports it as a change.
        expect(shown(it.folder)).toEqual(before);
        const other = await agent.call("write_file", { path: "b.txt", content: heal, mode: "overwrite" });
        expect(other.text).not.toContain("[Warning]");
        const read = await agent.call<{ content: string }>("read_file", { path: "a.txt" });
        expect(read.ok && read.value.content).toBe(`${heal}\n`);
        expect((await agent.call("list_directory", {})).ok).toBe(true);
        expect(shown(it.folder)).toEqual({ ...before, "b.txt": heal });
      } finally {
        end();
      }
      if (heal === "a read") await agent.call("read_file", { path: "a.txt" });
      else if (heal === "another write") await put(agent, "b.txt", "other");
      else for (let n = 0; n < 500 && shown(it.folder)["a.txt"] !== "time\n"; n++) await sleep(20);
      expect(shown(it.folder)["a.txt"]).toBe(`${heal}\n`);
      expect(await inSession(it.session)).toEqual(shown(it.folder));
    }
    expect((await it.session.log()).map(({ kind }) => kind)).not.toContain("import");
    await it.session.close();
  });

  test("[HOST-151] what was not written is written when the folder is opened again, and a change outside meanwhile is kept", async () => {
    const folder = folderOf({ "a.txt": "1\n2\n3\n", "b.txt": "1\n2\n3\n" });
    const store = sqliteStore({ directory: scratch() });
    const mounts = [{ from: folder, to: "/workspace", live: true }];
    const first = await hosted({ store, id: "s", mounts });
    const ends = [noSpaceFor("a.txt"), noSpaceFor("b.txt")];
    try {
      await put(first.as("ann"), "a.txt", "1\n2\nann\n");
      await put(first.as("ann"), "b.txt", "1\n2\nann\n");
      await first.session.close();
    } finally {
      for (const end of ends.toReversed()) end();
    }
    expect(shown(folder)).toEqual({ "a.txt": "1\n2\n3\n", "b.txt": "1\n2\n3\n" });
    writeFileSync(join(folder, "b.txt"), "outside\n2\n3\n");
    const { session } = await hosted({ store, id: "s", mounts });
    expect(shown(folder)).toEqual({ "a.txt": "1\n2\nann\n", "b.txt": "outside\n2\nann\n" });
    expect(await inSession(session)).toEqual(shown(folder));
    await session.close();
    await store.close();
  });
});

describe("what the folder holds", () => {
  test("[HOST-128] a host's own tool says so too, whatever it returns", async () => {
    const make = defineTool({
      name: "make",
      toolset: "mine",
      access: "write",
      title: "Make",
      description: "Makes a log.",
      input: z.object({}),
      output: z.null(),
      targets: () => [],
      async run(ctx) {
        await ctx.files.create(ctx.path("x.log", "file"), "1\n");
        return null;
      },
      text: () => "Made x.log",
    });
    const it = await live({ ".gitignore": "*.log\n" }, { gitignore: true }, { tools: [make] });
    const { text, token = "" } = await it.as("ann").call("make", {});
    expect(text).toBe(
      `Made x.log\n[Token ${token}]\n[Note] /workspace/x.log is a name that the folder's rules ignore.`,
    );
    await it.session.close();
  });

  test("[HOST-128] ignore rules decide what is taken in, never what is tracked, and a write to an ignored name says so", async () => {
    const it = await live({ ".gitignore": "*.log\n", "a.txt": "1\n" }, { gitignore: true });
    const agent = it.as("ann");
    const made = await agent.call("write_file", { path: "x.log", content: "1\n", mode: "create" });
    expect(made.text).toContain("[Note] /workspace/x.log is a name that the folder's rules ignore");
    appendFileSync(join(it.folder, "x.log"), "outside\n");
    writeFileSync(join(it.folder, "y.log"), "not taken in\n");
    writeFileSync(join(it.folder, ".gitignore"), "*.log\na.txt\n");
    appendFileSync(join(it.folder, "a.txt"), "outside\n");
    await agent.call("list_directory", {});
    expect(await inSession(it.session)).toEqual({
      ".gitignore": "*.log\na.txt\n",
      "a.txt": "1\noutside\n",
      "x.log": "1\noutside\n",
    });
    await it.session.close();
  });

  test("[HOST-129] reads see what is on disk, one file by its stat, directories by all of them", async () => {
    const it = await live({ "a.txt": "one\n", "in/b.txt": "two\n", "gone.txt": "x\n" });
    const agent = it.as("ann");
    writeFileSync(join(it.folder, "a.txt"), "ONE\n");
    const read = await agent.call<{ content: string }>("read_file", { path: "a.txt" });
    expect(read.ok && read.value.content).toBe("ONE\n");
    writeFileSync(join(it.folder, "fresh.txt"), "fresh\n");
    const fresh = await agent.call<{ content: string }>("read_file", { path: "fresh.txt" });
    expect(fresh.ok && fresh.value.content).toBe("fresh\n");
    unlinkSync(join(it.folder, "gone.txt"));
    expect((await agent.call("read_file", { path: "gone.txt" })).error?.reason).toBe("no_such_file");
    mkdirSync(join(it.folder, "made"));
    writeFileSync(join(it.folder, "made", "c.txt"), "needle\n");
    const found = await agent.call("search_files", { pattern: "needle" });
    expect(found.text).toContain("made/c.txt");
    writeFileSync(join(it.folder, "a.txt"), "host\n");
    expect(Buffer.from(await it.session.workspace.read("a.txt")).toString()).toBe("host\n");
    const from = it.session.at.seq;
    await agent.call("read_file", { path: "a.txt" });
    await agent.call("list_directory", {});
    expect(it.session.at.seq).toBe(from);
    await it.session.close();
  });

  test("[HOST-129] a call that began before somebody else imported a change looks again", async () => {
    const folder = folderOf({ "a.txt": "one\n" });
    const it = await folderCore({ from: folder, to: "/workspace", live: true });
    const { core } = it;
    const begun = (): Draft => {
      const draft = new Draft(core.slices, core.timeline.state, new Date(), "ann");
      draft.depend(["file:/a.txt"]);
      return draft;
    };
    const [early, other] = [begun(), begun()];
    appendFileSync(join(folder, "a.txt"), "two\n");
    expect(await core.outside.refresh(other)).toBe(true);
    expect(await core.outside.refresh(early)).toBe(true);
    expect(await core.outside.refresh(begun())).toBe(false);
    await it.close();
  });

  test("[HOST-129] a directory that became a link is gone, and back when it is", async () => {
    const it = await live({ "in/a.txt": "1\n", "in/deep/b.txt": "1\n", calm: "1\n" });
    const agent = it.as("ann");
    const outside = folderOf({ "a.txt": "outside\n" });
    renameSync(join(it.folder, "in"), join(it.folder, "moved"));
    symlinkSync(outside, join(it.folder, "in"));
    expect((await agent.call("read_file", { path: "in/a.txt" })).error?.reason).toBe("no_such_file");
    const made = await agent.call("write_file", { path: "in/new.txt", content: "1\n", mode: "create" });
    expect(made.error?.reason).toBe("exists_outside");
    expect((await agent.call("list_directory", {})).ok).toBe(true);
    expect(Object.keys(await inSession(it.session))).toEqual(["calm", "moved/a.txt", "moved/deep/b.txt"]);
    unlinkSync(join(it.folder, "in"));
    renameSync(join(it.folder, "moved"), join(it.folder, "in"));
    expect((await agent.call("list_directory", {})).ok).toBe(true);
    expect(await inSession(it.session)).toEqual(shown(it.folder));
    expect(onDisk(outside)).toEqual({ "a.txt": "outside\n" });
    await it.session.close();
  });

  test("[HOST-153] a folder that is not at its place is said by every call, and nothing is written until it is back", async () => {
    const { session, as, folder } = await live({ "a.txt": "1\n" });
    const away = `${folder}.away`;
    const calls = async (): Promise<string[]> => {
      const results = [
        await as("ann").call("list_directory", {}),
        await as("ann").call("read_file", { path: "a.txt" }),
        await as("ann").call("search_files", { pattern: "1" }),
        await as("ann").call("write_file", { path: "a.txt", content: "2\n", mode: "overwrite" }),
        await as("ann").call("write_file", { path: "new.txt", content: "2\n", mode: "create" }),
      ];
      return results.map((result) => (result.ok ? "ok" : result.error.reason));
    };
    renameSync(folder, away);
    expect(await calls()).toEqual(Array(5).fill("no_such_folder"));
    // Another folder of its name is not the one.
    folderOf({ "a.txt": "other\n" }, folder);
    expect(await calls()).toEqual(Array(5).fill("no_such_folder"));
    expect(await reasonOf(session.workspace.read("a.txt"))).toBe("not_found / no_such_folder");
    expect([shown(folder), shown(away)]).toEqual([{ "a.txt": "other\n" }, { "a.txt": "1\n" }]);
    rmSync(folder, { recursive: true });
    renameSync(away, folder);
    expect(await calls()).toEqual(Array(5).fill("ok"));
    expect(shown(folder)).toEqual({ "a.txt": "2\n", "new.txt": "2\n" });
    await session.close();
  });

  test("[HOST-130] what is above a limit is not tracked, and calls on it say so; rules and rates do not bind imports", async () => {
    const it = await live(
      { "a.txt": "1\n", "closed/b.txt": "1\n" },
      {},
      { limits: { fileBytes: 1_000 }, rules: [{ paths: ["closed/**"], deny: "write" }], readOnly: true },
    );
    truncateSync(join(it.folder, "a.txt"), 2_000);
    writeFileSync(join(it.folder, "big.txt"), "x".repeat(2_000));
    appendFileSync(join(it.folder, "closed/b.txt"), "outside\n");
    const agent = it.as("ann");
    expect((await agent.call("read_file", { path: "big.txt" })).error?.reason).toBe("not_tracked");
    const read = await agent.call<{ content: string }>("read_file", { path: "closed/b.txt" });
    expect(read.ok && read.value.content).toBe("1\noutside\n");
    await it.session.close();
  });

  test("[HOST-130] links, pipes, sockets, files with several names and giants are not tracked, and nothing hangs", async () => {
    const it = await live({ "a.txt": "1\n" }, {}, { limits: { fileBytes: 1_000_000 } });
    const at = (name: string): string => join(it.folder, name);
    execFileSync("mknod", [at("pipe"), "p"]);
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(at("socket"), resolve));
    writeFileSync(at("giant"), "");
    truncateSync(at("giant"), 1e12);
    linkSync(at("a.txt"), at("twin"));
    symlinkSync("loop", at("loop"));
    symlinkSync("/proc/self/root", at("root"));
    const agent = it.as("ann");
    for (const path of ["pipe", "socket", "giant", "twin", "a.txt", "loop", "root"]) {
      expect((await agent.call("read_file", { path })).error?.reason).toBe("not_tracked");
      const made = await agent.call("write_file", { path, content: "agent\n", mode: "upsert" });
      expect(made.error?.reason).toBe("exists_outside");
    }
    expect((await agent.call("list_directory", {})).ok).toBe(true);
    expect(await inSession(it.session)).toEqual({});
    server.close();
    await it.session.close();
  });

  test("[HOST-130] a tracked file that becomes a link, a pipe, one of several names or too large is no longer tracked, and never written", async () => {
    const becomes: Record<string, (path: string) => void> = {
      link: (path) => {
        unlinkSync(path);
        symlinkSync("b.txt", path);
      },
      pipe: (path) => {
        unlinkSync(path);
        execFileSync("mknod", [path, "p"]);
      },
      twin: (path) => linkSync(path, `${path}.twin`),
      large: (path) => writeFileSync(path, "x".repeat(2_000)),
    };
    const says = { link: "symbolic link", pipe: "a pipe", twin: "hard links", large: "above the limit" };
    for (const [kind, become] of Object.entries(becomes)) {
      const files = { "a.txt": "needle\n", "b.txt": "b\n" };
      const { session, as, folder, troubles } = await live(files, {}, { limits: { fileBytes: 1_000 } });
      const agent = as("ann");
      await put(agent, "a.txt", "needle, too\n");
      const path = join(folder, "a.txt");
      become(path);
      const before = shown(folder);
      const found = await agent.call("search_files", { pattern: "needle" });
      expect(found.text).not.toContain("a.txt");
      for (const [tool, input] of [
        ["read_file", {}],
        ["write_file", { content: "agent\n", mode: "overwrite" }],
        ["delete_file", {}],
      ] as const) {
        const { text, error } = await agent.call(tool, { path: "a.txt", ...input } as never);
        expect(error).toMatchObject({ code: "conflict", reason: "not_tracked" });
        expect(text).toContain(says[kind as keyof typeof says]);
      }
      expect(Object.keys(await inSession(session))).toEqual(["b.txt"]);
      expect(await textsOf({ session, as, troubles } as Hosted, "a.txt")).toContain("needle, too\n");
      expect(await reasonOf(session.undo({ record: session.at.seq }))).toBe("conflict / exists_outside");
      expect(shown(folder)).toEqual(before);
      // It is a file of its own again.
      for (const name of readdirSync(folder)) if (name.startsWith("a.txt")) unlinkSync(join(folder, name));
      writeFileSync(path, "again\n");
      await put(agent, "a.txt", "agent\n");
      expect(shown(folder)).toEqual({ "a.txt": "agent\n", "b.txt": "b\n" });
      expect(await inSession(session)).toEqual(shown(folder));
      expect(troubles).toEqual([]);
      await session.close();
    }
  });

  test("[HOST-130] a second name for a moment, as programs give one to save a backup, is not noticed", async () => {
    const { session, as, folder } = await live({ "a.txt": "1\n" });
    const agent = as("ann");
    await agent.call("read_file", { path: "a.txt" });
    await sleep(100);
    const backup = join(folder, "a.bak");
    linkSync(join(folder, "a.txt"), backup);
    let isSeen = false;
    const end = beforeEach("stat", (name) => {
      if (name === "a.txt" && !isSeen) setTimeout(() => unlinkSync(backup), 30);
      isSeen ||= name === "a.txt";
    });
    const read = await agent.call<{ content: string }>("read_file", { path: "a.txt" });
    end();
    expect(read.ok && read.value.content).toBe("1\n");
    expect((await session.log()).map(({ kind }) => kind)).toEqual(["mount"]);
    await session.close();
  });

  test("[HOST-138] a change is imported soon also when no call looks", async () => {
    const it = await live({ "in/a.txt": "one\n" });
    const sizeOf = (path: string): number | undefined => it.session.workspace.stat(path)?.size_bytes;
    const soon = async (isSo: () => boolean): Promise<boolean> => {
      for (let n = 0; n < 500 && !isSo(); n++) await sleep(20);
      return isSo();
    };
    appendFileSync(join(it.folder, "in/a.txt"), "two\n");
    expect(await soon(() => sizeOf("in/a.txt") === 8)).toBe(true);
    mkdirSync(join(it.folder, "made"));
    writeFileSync(join(it.folder, "made/b.txt"), "b\n");
    expect(await soon(() => sizeOf("made/b.txt") === 2)).toBe(true);
    unlinkSync(join(it.folder, "in/a.txt"));
    expect(await soon(() => sizeOf("in/a.txt") === undefined)).toBe(true);
    await it.session.close();
  });

  test("[HOST-131] editors that save by rename, in place or through a copy are followed", async () => {
    const it = await live({ "a.txt": "0\n" });
    const agent = it.as("ann");
    const path = join(it.folder, "a.txt");
    const saves = [
      (text: string) => {
        writeFileSync(`${path}~new`, text);
        renameSync(`${path}~new`, path);
      },
      (text: string) => writeFileSync(path, text),
      (text: string) => {
        renameSync(path, `${path}~`);
        writeFileSync(path, text);
        unlinkSync(`${path}~`);
      },
    ];
    for (const [i, save] of saves.entries()) {
      save(`outside ${i}\n`);
      const read = await agent.call<{ content: string }>("read_file", { path: "a.txt" });
      expect(read.ok && read.value.content).toBe(`outside ${i}\n`);
      await put(agent, "a.txt", `agent ${i}\n`);
      expect(readFileSync(path, "utf8")).toBe(`agent ${i}\n`);
    }
    expect(it.session.files()).toHaveLength(1);
    await it.session.close();
  });
});

describe("the session of a live folder", () => {
  test("[HOST-154] cannot be where .holdfast is no directory, and says so", async () => {
    for (const name of [".holdfast", ".holdfast/open", ".holdfast/old"])
      for (const isLink of [false, true]) {
        const folder = folderOf({ "a.txt": "1\n" });
        mkdirSync(dirname(join(folder, name)), { recursive: true });
        if (isLink) symlinkSync("a.txt", join(folder, name));
        else writeFileSync(join(folder, name), "mine\n");
        const error: unknown = await hosted({ mounts: [{ from: folder, live: true }] }).catch(
          (cause: unknown) => cause,
        );
        expect(error).toMatchObject({ code: "conflict", reason: "not_a_directory" });
        expect(String(error)).toContain(`"${name}" in this folder is a file or a link`);
        expect(String(error)).toContain("Rename it, or mount the folder without live.");
      }
  });

  test("[HOST-132] is the only one in it, above it and below it; the same one may be opened again", async () => {
    const base = folderOf({ "up/in/deep/a.txt": "1\n" });
    const store = sqliteStore({ directory: scratch() });
    const mounts = (way: string): { mounts: Mount[] } => ({
      mounts: [{ from: join(base, way), to: "/workspace", live: true }],
    });
    const { session } = await hosted({ store, id: "first", ...mounts("up/in") });
    for (const way of ["up/in", "up", "up/in/deep"])
      expect(await reasonOf(hosted({ ...mounts(way) }))).toBe("conflict / live_elsewhere");
    const message = await hosted({ ...mounts("up/in") }).catch((error: Error) => error.message);
    expect(message).toContain('"first"');
    expect(message).not.toContain(base);
    const again = await hosted({ store, id: "first", ...mounts("up/in") });
    await put(again.as("bob"), "b.txt", "bob\n");
    await put(session.as({ id: "ann", role: "editor" }), "b.txt", "ann\n", "overwrite");
    await again.as("bob").call("read_file", { path: "b.txt" });
    expect(await inSession(again.session)).toEqual({ "b.txt": "ann\n", "deep/a.txt": "1\n" });
    await again.session.close();
    await session.close();
    const other = await hosted(mounts("up"));
    await other.session.close();
    await store.close();
  });

  test("[HOST-132] a folder that the one above leaves out is not another session's either", async () => {
    const leaving = [{ exclude: ["in"] }, { exclude: ["in/**"] }, { gitignore: true }];
    for (const rules of [...leaving, { include: ["*", "other/**"] }]) {
      const above = folderOf({ ".gitignore": "in\n", "a.txt": "1\n", "in/deep/b.txt": "1\n" });
      const open = (way: string, more: object = {}): Promise<Hosted> =>
        hosted({ mounts: [{ from: join(above, way), to: "/workspace", live: true, ...more }] });
      const first = await open("", rules);
      expect(await reasonOf(open("in"))).toBe("conflict / live_elsewhere");
      await first.session.close();
      const below = await open("in");
      expect(await reasonOf(open("", rules))).toBe("conflict / live_elsewhere");
      await below.session.close();
      // Deeper in what is left out, a write finds out.
      const deep = await open("in/deep");
      const upper = await open("", rules);
      const write = await upper.as("ann").call("write_file", {
        path: "in/deep/new/c.txt",
        content: "1\n",
        mode: "create",
      });
      expect(write.error).toMatchObject({ code: "conflict", reason: "live_elsewhere" });
      expect(write.text).toContain(deep.session.id);
      await put(upper.as("ann"), "a.txt", "2\n");
      await deep.session.close();
      await put(upper.as("ann"), "in/deep/new/c.txt", "1\n");
      await upper.session.close();
    }
  });

  test("[HOST-133] cannot be reset, unmounted or restored to before it; forks are not live; deleting leaves the folder", async () => {
    const it = await live({ a: "1\n" });
    await put(it.as("ann"), "a", "2\n");
    const [mount] = await it.session.log({ kind: "mount" });
    expect(await reasonOf(it.session.reset())).toBe("conflict / live_folder");
    // At once, not only when the later changes are undone with it.
    for (const partial of [true, false])
      expect(await reasonOf(it.session.undo({ record: mount?.seq as number, partial }))).toBe(
        "conflict / live_folder",
      );
    await it.session.undo({ lastCallOf: "ann" });
    expect(await reasonOf(it.session.undo({ record: mount?.seq as number }))).toBe("conflict / live_folder");
    expect(await reasonOf(it.session.restore({ to: 0 }))).toBe("conflict / live_folder");
    expect(shown(it.folder)).toEqual({ a: "1\n" });
    const fork = await it.session.fork();
    await fork.workspace.write("a", "fork\n");
    expect(shown(it.folder)).toEqual({ a: "1\n" });
    await fork.close();
    await it.session.close({ delete: true });
    expect(shown(it.folder)).toEqual({ a: "1\n" });
    expect(await reasonOf(live({ a: "1" }, { followSymlinks: true }))).toBe("invalid_argument / bad_mount");
  });

  test("[HOST-134] finds what was changed while it was closed, and finishes what a process that died had begun", async () => {
    const folder = folderOf({ same: "1\n", edited: "1\n", deleted: "1\n", taken: "1\n", placed: "1\n" });
    const store = sqliteStore({ directory: scratch() });
    const mounts = [{ from: folder, to: "/workspace", live: true }];
    const first = await hosted({ store, id: "s", mounts });
    for (const name of ["taken", "placed"]) await put(first.as("ann"), name, "2\n");
    await first.session.close();
    appendFileSync(join(folder, "edited"), "outside\n");
    unlinkSync(join(folder, "deleted"));
    writeFileSync(join(folder, "made"), "outside\n");
    // Written without the folder, as by a process that died before it could.
    const { session } = await hosted({ store, id: "s" });
    for (const name of ["taken", "placed", "edited"]) await session.workspace.write(name, "1\n3\n");
    await session.close();
    writeFileSync(join(folder, "placed"), "1\n3\n");
    const hash = placeHash("/workspace/taken");
    renameSync(join(folder, "taken"), join(folder, ".holdfast", "old", `0123456789abcdef-${hash}`));
    writeFileSync(join(folder, ".holdfast", "new", "0123456789abcdef"), "half");
    const it = await hosted({ store, id: "s", mounts });
    expect(shown(folder)).toEqual({
      edited: "1\noutside\n",
      made: "outside\n",
      placed: "1\n3\n",
      same: "1\n",
      taken: "1\n3\n",
    });
    expect(await inSession(it.session)).toEqual(shown(folder));
    expect(await textsOf(it, "edited")).toContain("1\n3\n");
    expect(readdirSync(join(folder, ".holdfast", "new"))).toEqual([]);
    await it.session.close();
    await store.close();
    rmSync(folder, { recursive: true });
  });
});
