import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { basename, dirname, join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import type { HoldfastError } from "../../src/errors.ts";
import { memoryStore, sqliteStore } from "../../src/store/index.ts";
import type { MountProgress } from "../../src/host/mount.ts";
import { contents, put, type Hosted } from "../session/host-session.ts";
import { scratch } from "../store/scratch.ts";
import { errorOf, folderOf, makeExecutable, opened, pathsOf } from "./folder.ts";

const text = (length: number, letter = "x"): string => letter.repeat(length);

describe("which folders", () => {
  test("[HOST-20] a mount must lie in an allowed root, by whole components and with links resolved", async () => {
    const base = scratch();
    folderOf({ "root/in/a": "1", "rootless/b": "2", "root/in/deep/c": "3" }, base);
    symlinkSync(join(base, "rootless"), join(base, "root", "out"));
    symlinkSync(join(base, "root", "in"), join(base, "way-in"));
    const mountRoots = [join(base, "root")];
    const asked = (from: string): Promise<string> =>
      errorOf({ mounts: [{ from, to: "x" }], mountRoots }, base).then(
        ([code, reason]) => `${code} ${reason}`,
      );
    for (const from of ["root", "root/in", "root/in/a", "way-in", "root/../root/in"])
      expect(await asked(join(base, from))).toBe("no error ");
    for (const from of ["rootless", "root/out", "root/in/../../rootless", "missing", "."])
      expect(await asked(join(base, from))).toBe("forbidden mount_not_allowed");
    expect(await asked(join(base, "root", "missing"))).toBe("forbidden mount_not_allowed");
    const none = await errorOf({ mounts: [{ from: join(base, "root") }], mountRoots: [] }, base);
    expect(none.slice(0, 2)).toEqual(["forbidden", "mount_not_allowed"]);
    const own = await errorOf({ mounts: [{ from: join(base, "missing") }] }, base);
    expect(own.slice(0, 2)).toEqual(["not_found", "no_such_folder"]);
  });

  test("[HOST-21] files go below `to`, or under their path below the root, or the folder's name", async () => {
    const base = folderOf({ "root/docs/a.md": "A", "root/docs/in/b.md": "B" });
    const root = join(base, "root");
    const docs = join(root, "docs");
    const paths = async (mount: object, more: object = {}): Promise<string[]> =>
      pathsOf(await opened({ mounts: [{ from: docs, ...mount }], ...more }));
    expect(await paths({})).toEqual(["docs/a.md", "docs/in/b.md"]);
    expect(await paths({ from: join(docs, "in") }, { mountRoots: [root] })).toEqual(["docs/in/b.md"]);
    expect(await paths({ from: root }, { mountRoots: [root] })).toEqual([
      "root/docs/a.md",
      "root/docs/in/b.md",
    ]);
    expect(await paths({ to: "/workspace" })).toEqual(["a.md", "in/b.md"]);
    expect(await paths({ to: "x/y" })).toEqual(["x/y/a.md", "x/y/in/b.md"]);
    const file = join(docs, "a.md");
    expect(await paths({ from: file })).toEqual(["a.md"]);
    expect(await paths({ from: file }, { mountRoots: [root] })).toEqual(["docs/a.md"]);
    expect(await paths({ from: file, to: "notes/z.md" })).toEqual(["notes/z.md"]);
    expect(await paths({ from: file, to: "notes/" })).toEqual(["notes/a.md"]);
    expect(await paths({ from: file, to: "/workspace" })).toEqual(["a.md"]);
    const odd = folderOf({ "é/a": "" });
    const [code, reason] = await errorOf({ mounts: [{ from: join(odd, "é") }] }, odd);
    expect([code, reason]).toEqual(["invalid_argument", "bad_mount"]);
    expect((await errorOf({ mounts: [{ from: docs, to: "../x" }] }, base))[1]).toBe("path_dot_segment");
    expect((await errorOf({ mounts: [{ from: docs, form: 1 } as never] }, base))[2]).toContain(
      "Did you mean from?",
    );
  });
});

describe("which files", () => {
  test("[HOST-22] include and exclude are globs below the folder; exclude wins and leaves directories out whole", async () => {
    const from = folderOf({
      "a.md": "",
      "b.txt": "",
      ".dot/c.md": "",
      "in/d.md": "",
      "in/E.MD": "",
      "skip/f.md": "",
      "skip/deep/g.md": "",
    });
    const paths = async (mount: object): Promise<string[]> =>
      pathsOf(await opened({ mounts: [{ from, to: "/workspace", ...mount }] }));
    expect(await paths({ include: ["**/*.md"] })).toEqual([
      ".dot/c.md",
      "a.md",
      "in/d.md",
      "skip/deep/g.md",
      "skip/f.md",
    ]);
    expect(await paths({ include: ["*.md"] })).toEqual(["a.md"]);
    expect(await paths({ include: ["**/*.md"], exclude: ["skip"] })).toEqual([
      ".dot/c.md",
      "a.md",
      "in/d.md",
    ]);
    expect(await paths({ include: ["in/**", "a.md"], exclude: ["**/*.md"] })).toEqual(["in/E.MD"]);
    expect(await paths({ exclude: ["{.dot,in,skip}/**"] })).toEqual(["a.md", "b.txt"]);
    expect((await errorOf({ mounts: [{ from, include: ["a{"] }] }, from))[1]).toBe("glob_open_brace");
  });

  test("[HOST-23] what is too large is refused before copying, naming the largest folders", async () => {
    const from = folderOf({
      "big/inner/one": text(40_000),
      "big/inner/two": text(40_000),
      "small/a": text(10),
      top: text(5),
    });
    const seen: MountProgress[] = [];
    const asked = (more: object, limits: object = {}): Promise<string[]> =>
      errorOf(
        { mounts: [{ from, ...more }], limits, onMount: (progress) => seen.push(progress) },
        dirname(from),
      );
    for (const [code, reason, message] of [
      await asked({ maxBytes: 50_000 }),
      await asked({}, { sessionFiles: 3 }),
      await asked({}, { sessionBytes: 50_000 }),
    ]) {
      expect([code, reason]).toEqual(["invalid_argument", "mount_too_large"]);
      expect(message).toContain('"big/inner" (2 files, 80000 bytes), "small" (1 files, 10 bytes)');
    }
    expect(seen.some(({ phase }) => phase === "copy")).toBe(false);
    expect((await asked({ maxBytes: 80_015 }))[0]).toBe("no error");
    expect((await asked({ maxBytes: 20, exclude: ["big"] }))[0]).toBe("no error");
  });

  test("[HOST-24] lists what it cannot take in, with the reason", async () => {
    const base = scratch();
    const from = folderOf(
      { "ok/a": "1", "Docs/x": "", "docs/y": "", README: "", readme: "" },
      join(base, "from"),
    );
    folderOf({ secret: "outside" }, base);
    symlinkSync(join(base, "secret"), join(from, "link"));
    symlinkSync("..", join(from, "ok", "up"));
    symlinkSync("loop", join(from, "loop"));
    linkSync(join(base, "secret"), join(from, "linked"));
    execFileSync("mknod", [join(from, "pipe"), "p"]);
    if (process.getuid?.() === 0) execFileSync("mknod", [join(from, "device"), "c", "1", "5"]);
    const server = createServer().listen(join(from, "socket"));
    await new Promise((resolve) => server.once("listening", resolve));
    writeFileSync(join(from, "giant"), "");
    truncateSync(join(from, "giant"), 2 ** 40);
    for (const name of ["con.txt", "a:b", "trailing.", "né", "back\\slash", text(81)])
      writeFileSync(join(from, name), "");
    writeFileSync(Buffer.concat([Buffer.from(`${from}/bad-`), Buffer.of(0xff)]), "");
    mkdirSync(join(from, ...Array.from({ length: 17 }, () => "d")), { recursive: true });
    mkdirSync(join(from, ".holdfast"));
    const { session } = await opened({ mounts: [{ from, to: "/workspace" }] });
    await new Promise((resolve) => server.close(resolve));
    const [report] = session.mounted;
    expect(report).toMatchObject({ to: "/workspace", files: 3 });
    const by = new Map((report?.skipped ?? []).map(({ path, reason }) => [path, reason]));
    expect(Object.fromEntries(by)).toEqual({
      link: "symlink",
      "ok/up": "symlink",
      loop: "symlink",
      linked: "multiple_links",
      pipe: "special_file",
      socket: "special_file",
      ...(process.getuid?.() === 0 ? { device: "special_file" } : {}),
      giant: "too_large",
      "con.txt": "bad_name",
      "a:b": "bad_name",
      "trailing.": "bad_name",
      né: "bad_name",
      "back\\slash": "bad_name",
      [text(81)]: "bad_name",
      "bad-\ufffd": "bad_name",
      ".holdfast": "bad_name",
      [Array.from({ length: 17 }, () => "d").join("/")]: "bad_name",
      "docs/y": "case_clash",
      readme: "case_clash",
    });
    expect(report?.skippedCount).toBe(by.size);
    expect(await contents(session)).toEqual({ "Docs/x": "", README: "", "ok/a": "1" });
  });

  test("[HOST-24] a link that no glob wants is not listed", async () => {
    const from = folderOf({ "a.md": "" });
    symlinkSync("a.md", join(from, "b.txt"));
    const { session } = await opened({ mounts: [{ from, include: ["*.md"] }] });
    expect(session.mounted[0]?.skipped).toEqual([]);
  });

  test.each([false, true])(
    "[HOST-37] takes in no store of sessions below the folder (live: %s)",
    async (live) => {
      const from = folderOf({ "a.txt": "a\n", "data/FORMAT": "of something else\n" });
      const store = sqliteStore({ directory: join(from, "data/holdfast") });
      const { session } = await opened({ store, mounts: [{ from, to: "/workspace", live }] });
      const agent = session.as({ id: "a", role: "editor" });
      for (const content of ["b\n", "c\n"])
        expect(await agent.call("write_file", { path: "b.txt", content, mode: "upsert" })).toMatchObject({
          ok: true,
        });
      expect(pathsOf({ session } as Hosted)).toEqual(["a.txt", "b.txt", "data/FORMAT"]);
      expect(session.mounted[0]?.skipped).toEqual([{ path: "data/holdfast", reason: "store" }]);
      expect(await session.outsideChanges()).toEqual([]);
      await session.close();
      await store.close();
    },
  );

  test("[HOST-37] mounts no store of sessions, and nothing in one", async () => {
    const base = scratch();
    await sqliteStore({ directory: join(base, "kept") }).close();
    for (const from of ["kept", "kept/sessions"])
      expect((await errorOf({ mounts: [{ from: join(base, from) }] }, base)).slice(0, 2)).toEqual([
        "forbidden",
        "store",
      ]);
  });

  test("[HOST-25] strict fails the mount, and nothing is written", async () => {
    const from = folderOf({ a: "1" });
    symlinkSync("a", join(from, "b"));
    const store = memoryStore();
    const [code, reason, message] = await errorOf({ store, mounts: [{ from, strict: true }] }, dirname(from));
    expect([code, reason]).toEqual(["conflict", "mount_incomplete"]);
    expect(message).toContain('"b" (symlink)');
    expect(await store.list({ limit: 10 })).toEqual([]);
  });

  test("[HOST-25] strict fails for what is wanted only, and its data name path and reason as reports do", async () => {
    const from = folderOf({ "sub/a.md": "1", "CON.txt": "2" });
    writeFileSync(Buffer.concat([Buffer.from(`${from}/bad`), Buffer.from([0xff])]), "");
    const { session } = await opened({ mounts: [{ from, include: ["sub/*.md"], strict: true }] });
    expect(session.files()).toHaveLength(1);
    const error = await opened({ mounts: [{ from, include: ["*.txt"], strict: true }] }).catch(
      (thrown: unknown) => thrown,
    );
    expect((error as HoldfastError).data).toEqual({ skipped: [{ path: "CON.txt", reason: "bad_name" }] });
  });

  test("[HOST-20] a folder that was replaced by a link since is not followed by refresh, landing or reset", async () => {
    const base = folderOf({ "x/a": "a\n", "other/a": "a\n", "other/secret": "SECRET\n" });
    const { session } = await opened({ mounts: [{ from: join(base, "x"), to: "/workspace" }] });
    await session.workspace.write("a", "agent\n");
    renameSync(join(base, "x"), join(base, "real"));
    symlinkSync(join(base, "other"), join(base, "x"));
    const reason = (error: unknown): string => (error as HoldfastError).reason;
    expect(await session.refresh().catch(reason)).toBe("symlink");
    expect(await session.outsideChanges().catch(reason)).toBe("symlink");
    expect(
      await session
        .plan()
        .then((plan) => plan.land())
        .catch(reason),
    ).toBe("symlink");
    expect(await session.reset().catch(reason)).toBe("symlink");
    expect(readFileSync(join(base, "other", "a"), "utf8")).toBe("a\n");
    expect(session.files()).toHaveLength(1);
    rmSync(join(base, "x"));
    renameSync(join(base, "real"), join(base, "x"));
    await (await session.plan()).land();
    expect(readFileSync(join(base, "x", "a"), "utf8")).toBe("agent\n");
  });

  test("[HOST-26] follows links inside the allowed root only, and finds loops", async () => {
    const base = folderOf({
      "root/real/a": "A",
      "root/real/in/b": "B",
      "outside/c": "C",
      "root/shared/s": "S",
    });
    const from = join(base, "root", "real");
    symlinkSync("a", join(from, "file-link"));
    symlinkSync("in", join(from, "dir-link"));
    symlinkSync("../shared", join(from, "shared"));
    symlinkSync(join(base, "root", "shared", "s"), join(from, "absolute"));
    symlinkSync("dir-link", join(from, "twice"));
    symlinkSync("../../outside", join(from, "out"));
    symlinkSync(join(base, "outside", "c"), join(from, "out-file"));
    symlinkSync("..", join(from, "in", "loop"));
    symlinkSync("nothing", join(from, "dangling"));
    symlinkSync("/proc/self/root", join(from, "magic"));
    const mounts = [{ from, to: "/workspace", followSymlinks: true }];
    const { session } = await opened({ mounts, mountRoots: [join(base, "root")] });
    expect(await contents(session)).toEqual({
      a: "A",
      absolute: "S",
      "dir-link/b": "B",
      "file-link": "A",
      "in/b": "B",
      "shared/s": "S",
      "twice/b": "B",
    });
    const skipped = session.mounted[0]?.skipped.map(({ path, reason }) => `${path} ${reason}`) ?? [];
    expect(skipped).toEqual(
      ["dangling", "dir-link/loop", "in/loop", "magic", "out", "out-file", "twice/loop"].map(
        (path) => `${path} symlink`,
      ),
    );
    const alone = await opened({ mounts });
    expect(pathsOf(alone)).not.toContain("shared/s");
  });

  test("[HOST-36] looks at a bounded number of entries, also where links multiply them", async () => {
    const from = scratch();
    for (let i = 0; i < 12; i++) {
      mkdirSync(join(from, `d${i}`));
      for (let j = 0; j < 12; j++) if (i !== j) symlinkSync(`../d${j}`, join(from, `d${i}`, `l${j}`));
    }
    const [code, reason] = await errorOf(
      { mounts: [{ from, followSymlinks: true }], limits: { mountEntries: 2_000 } },
      from,
    );
    expect([code, reason]).toEqual(["invalid_argument", "mount_too_large"]);
  });
});

describe("what becomes of them", () => {
  test("[HOST-27] later mounts lie over earlier ones, in whatever order names are listed", async () => {
    const one = folderOf({ a: "1", same: "1", "dir/x": "1", "clash/x": "1", Case: "1", file: "1" });
    const two = folderOf({ b: "2", same: "2", "dir/y": "2", clash: "2", case: "2", "file/x": "2" });
    const mounts = [
      { from: one, to: "/workspace" },
      { from: two, to: "/workspace" },
    ];
    const { session } = await opened({ mounts });
    const all = {
      a: "1",
      b: "2",
      case: "2",
      clash: "2",
      "dir/x": "1",
      "dir/y": "2",
      "file/x": "2",
      same: "2",
    };
    expect(await contents(session)).toEqual(all);
    expect(session.mounted.map(({ files, skipped }) => [files, skipped])).toEqual([
      [
        2,
        [
          { path: "Case", reason: "case_clash" },
          { path: "clash/x", reason: "path_clash" },
          { path: "file", reason: "path_clash" },
        ],
      ],
      [6, []],
    ]);
    const twice = await opened({ mounts: [...mounts, mounts[1] as (typeof mounts)[0]] });
    expect(await contents(twice.session)).toEqual(all);
  });

  for (const kind of ["memory", "sqlite"] as const)
    test(`[HOST-28] is one record by the host, in few blobs, with bytes, encoding and executable bit (${kind})`, async () => {
      const files: Record<string, string | Uint8Array> = {
        "run.sh": "#!/bin/sh\n",
        empty: "",
        bin: Uint8Array.of(0xff, 0, 1),
      };
      for (let i = 0; i < 300; i++) files[`many/f${i}`] = text(5_000, String.fromCharCode(97 + (i % 26)));
      files["large"] = text(600_000, "L");
      const from = folderOf(files);
      makeExecutable(join(from, "run.sh"));
      const store = kind === "memory" ? memoryStore() : sqliteStore({ directory: scratch() });
      const { session } = await opened({ store, mounts: [{ from, to: "/workspace" }] });
      const log = await session.log();
      expect(log.map(({ kind, agent }) => [kind, agent])).toEqual([["mount", "host"]]);
      const infos = new Map(session.files().map((info) => [info.path.slice("/workspace/".length), info]));
      expect(infos.size).toBe(304);
      expect(infos.get("run.sh")).toMatchObject({ encoding: "utf-8", executable: true, version: 1 });
      expect(infos.get("bin")).toMatchObject({ encoding: "binary", executable: false, size_bytes: 3 });
      const all = await contents(session);
      for (const [path, content] of Object.entries(files)) {
        expect(infos.get(path)?.size_bytes).toBe(content.length);
        if (typeof content === "string")
          expect(content.startsWith((all[path] ?? "").slice(0, 10_000))).toBe(true);
        if (content.length === 5_000) expect(all[path]).toBe(content);
      }
      expect((await session.verify({ blobs: true })).ok).toBe(true);
      const editor = session.as({ id: "e", role: "editor" });
      await put(editor, "many/f0", "changed");
      await session.undo({ record: 2 });
      expect((await contents(session))["many/f0"]).toBe(files["many/f0"]);
      await session.undo({ record: 1 });
      expect(session.files()).toEqual([]);
      await session.close();
      await store.close();
    });

  test("[HOST-29] a session is mounted once, and never from elsewhere", async () => {
    const from = folderOf({ a: "1" });
    const store = memoryStore();
    const mounts = [{ from, to: "/workspace" }];
    const first = await opened({ store, id: "s", mounts });
    await put(first.as("e"), "a", "mine");
    const skipped = first.session.mounted;
    await first.session.close();
    writeFileSync(join(from, "a"), "2");
    const again = await opened({ store, id: "s", mounts });
    expect(await contents(again.session)).toEqual({ a: "mine" });
    expect(again.session.mounted).toEqual(skipped);
    await again.session.close();
    const [code, reason] = await errorOf({ store, id: "s", mounts: [{ from, to: "x" }] }, from);
    expect([code, reason]).toEqual(["conflict", "already_mounted"]);
    const both = await Promise.all([1, 2, 3].map(() => opened({ store, id: "t", mounts })));
    expect(await (both[0] as (typeof both)[0]).session.log()).toHaveLength(1);
    const nothing = await opened({ store, id: "u", mounts: [{ from: scratch(), to: "/workspace" }] });
    expect(await nothing.session.log()).toHaveLength(1);
  });

  test("[HOST-30] overwrites files of the session, and refuses what is in the way of a directory", async () => {
    const from = folderOf({ a: "host", "dir/b": "host" });
    const store = memoryStore();
    const before = await opened({ store, id: "s" });
    await put(before.as("e"), "a", "session");
    await put(before.as("e"), "dir/own", "session");
    await before.session.close();
    const after = await opened({ store, id: "s", mounts: [{ from, to: "/workspace" }] });
    expect(await contents(after.session)).toEqual({ a: "host", "dir/b": "host", "dir/own": "session" });
    const other = await opened({ store, id: "t" });
    await put(other.as("e"), "dir", "a file");
    await other.session.close();
    const refused = await errorOf({ store, id: "t", mounts: [{ from, to: "/workspace" }] }, from);
    expect(refused.slice(0, 2)).toEqual(["conflict", "file_above"]);
    const kept = await opened({ store, id: "t" });
    expect(await contents(kept.session)).toEqual({ dir: "a file" });
  });

  test("[HOST-31] tells how far it is", async () => {
    const from = folderOf({ a: text(10), "b/c": text(20) });
    const seen: MountProgress[] = [];
    await opened({ mounts: [{ from }], onMount: (progress) => seen.push(progress) });
    expect(seen.at(0)).toEqual({ phase: "scan", files: 2, bytes: 30 });
    expect(seen.at(-1)).toEqual({ phase: "copy", files: 2, bytes: 30, totalFiles: 2, totalBytes: 30 });
  });

  test("[HOST-32] a file that changes while it is read is read again, and skipped when it never rests", async () => {
    const from = folderOf({ log: text(3_000_000), once: text(3_000_000), rest: "r" });
    let changes = 0;
    const store = memoryStore();
    const open = store.open.bind(store);
    store.open = async (...args) => {
      const journal = await open(...args);
      const stage = journal.stage.bind(journal);
      journal.stage = (bytes) => stage(Symbol.asyncIterator in bytes ? disturbed(bytes) : bytes);
      return journal;
    };
    async function* disturbed(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
      for await (const chunk of bytes) {
        yield chunk;
        appendFileSync(join(from, "log"), "x");
        if (changes++ === 10) appendFileSync(join(from, "once"), "!");
      }
    }
    const { session } = await opened({ store, mounts: [{ from, to: "/workspace" }] });
    expect(session.mounted[0]?.skipped).toEqual([{ path: "log", reason: "changing" }]);
    const all = await contents(session);
    expect(all["rest"]).toBe("r");
    expect(all["once"]?.slice(0, 10)).toBe(text(10));
    const once = session.files().find(({ path }) => path === "/workspace/once");
    expect(once?.size_bytes).toBe(3_000_001);
  });

  test("[HOST-33] reset empties the session and mounts what the folders hold now", async () => {
    const from = folderOf({ a: "1", b: "1" });
    const { session, as } = await opened({ mounts: [{ from, to: "/workspace" }] });
    await put(as("e"), "a", "mine");
    await put(as("e"), "own/c", "mine");
    rmSync(join(from, "b"));
    folderOf({ own: "now a file", d: "4" }, from);
    const { at } = await session.reset();
    expect(await contents(session)).toEqual({ a: "1", d: "4", own: "now a file" });
    expect((await session.log()).at(-1)).toMatchObject({ kind: "reset", agent: "host", seq: at.seq });
    expect(session.mounted[0]?.files).toBe(3);
    await session.undo({ record: at.seq });
    expect(await contents(session)).toEqual({ a: "mine", b: "1", "own/c": "mine" });
    const fork = await session.fork();
    await fork.reset();
    expect(await contents(fork)).toEqual({ a: "1", d: "4", own: "now a file" });
    renameSync(from, `${from}-gone`);
    await expect(session.reset()).rejects.toMatchObject({ code: "not_found" });
    expect(await contents(session)).toEqual({ a: "mine", b: "1", "own/c": "mine" });
    renameSync(`${from}-gone`, from);
  });

  test("[HOST-40] leaves out what .gitignore names, .git and node_modules", async () => {
    const from = folderOf({
      ".git/config": "",
      ".gitignore": "*.log\nbuild/\n!keep.log\n",
      "a.log": "",
      "keep.log": "",
      "build/x": "",
      "node_modules/p/index.js": "",
      "src/node_modules/q": "",
      "src/.gitignore": "/local\n",
      "src/local": "",
      "src/in/local": "",
    });
    const paths = async (gitignore: boolean): Promise<string[]> =>
      pathsOf(await opened({ mounts: [{ from, to: "/workspace", gitignore }] }));
    expect(await paths(true)).toEqual([".gitignore", "keep.log", "src/.gitignore", "src/in/local"]);
    expect(await paths(false)).toHaveLength(10);
    expect(basename(from)).not.toBe("");
  });
});

test("[HOST-165] a mount yields in every pass over its files", async () => {
  const files = 200;
  const from = folderOf(Object.fromEntries(Array.from({ length: files }, (_, i) => [`f${i}`, `${i}`])));
  let time = performance.now();
  // Every file takes long.
  const clock = vi.spyOn(performance, "now").mockImplementation(() => (time += 10));
  let turns = 0;
  let isMounting = true;
  const tick = (): void => {
    turns++;
    if (isMounting) setImmediate(tick);
  };
  setImmediate(tick);
  try {
    const session = await opened({ mounts: [{ from, to: "/workspace" }] });
    isMounting = false;
    expect(pathsOf(session)).toHaveLength(files);
  } finally {
    clock.mockRestore();
  }
  // Found, laid out, compared with what there is, copied, placed, weighed, put in.
  expect(turns).toBeGreaterThan(6 * files);
});
