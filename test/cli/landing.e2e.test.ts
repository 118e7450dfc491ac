import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { mountsOf, openFor } from "../../src/cli/session-options.ts";
import { sqliteStore } from "../../src/store/index.ts";
import { openSession } from "../../src/tools/index.ts";
import { interrupting } from "../host/interrupting.ts";
import { CLI, type Ran } from "./command.ts";
import { scratch, workedIn } from "./folder.ts";
import { runHere } from "./run-here.ts";

interface Worked {
  readonly folder: string;
  readonly holdfast: (...args: string[]) => Promise<Ran>;
  readonly text: (name: string) => string;
  readonly env: Readonly<Record<string, string>>;
}

/** A folder in whose session `coder` changed a.txt and `writer` made new.txt. */
async function worked(): Promise<Worked> {
  const folder = scratch({ "a.txt": "one\ntwo\nthree\n", "b.txt": "b\n" });
  const env = { HOLDFAST_STORE: join(scratch(), "kept") };
  const holdfast = (...args: string[]): Promise<Ran> => runHere(args, "", env, folder);
  await workedIn(folder, env.HOLDFAST_STORE, [
    ["coder", "edit_file", { path: "a.txt", edits: [{ old_text: "two", new_text: "2" }] }],
    ["writer", "write_file", { path: "new.txt", content: "n\n" }],
  ]);
  return { folder, holdfast, env, text: (name) => readFileSync(join(folder, name), "utf8") };
}

interface Shown {
  readonly ok: boolean;
  readonly landing?: number;
  readonly files: readonly { path: string; kind: string; agents: string[]; hunks: { id: string }[] }[];
}

function shown({ out }: Ran): Shown {
  return JSON.parse(out) as Shown;
}

test("[CLI-25] land shows the plan, and writes it only when told to", async () => {
  const { folder, holdfast, text } = await worked();
  const untold = await holdfast("land");
  expect(untold).toMatchObject({ code: 2, out: "" });
  expect(untold.err).toContain("--yes");
  const dry = await holdfast("session", "land", "--dry-run");
  expect(dry.code).toBe(0);
  expect(dry.out).toMatch(/^2 files to land:\n {2}change {3}a\.txt {2}coder\n {4}[0-9a-f]{16} {2}@@ /);
  expect(dry.out).toContain("-two\n+2\n");
  expect(dry.out).toMatch(/^\+n$/m);
  expect(text("a.txt")).toContain("two");
  expect((await holdfast("land", "--yes", "--dry-run")).code).toBe(2);
  const landed = await holdfast("land", "--yes");
  expect(landed.code).toBe(0);
  expect(landed.out).toMatch(/Landed 2 files \(landing \d+\)\n$/);
  expect([text("a.txt"), text("new.txt")]).toEqual(["one\n2\nthree\n", "n\n"]);
  expect((await holdfast("land", "--yes")).out).toBe("Nothing to land.\n");
  expect(existsSync(join(folder, ".holdfast"))).toBe(false);
});

test("[CLI-25] a part is landed: of an agent, a record or a path, without what is left", async () => {
  const { holdfast, text } = await worked();
  const all = shown(await holdfast("land", "--dry-run", "--json"));
  expect(all.files.map(({ path, kind, agents }) => [path, kind, agents])).toEqual([
    ["/workspace/a.txt", "change", ["coder"]],
    ["/workspace/new.txt", "create", ["writer"]],
  ]);
  const hunk = all.files[0]?.hunks[0]?.id ?? "";
  const left = shown(await holdfast("land", "--leave", hunk, "--dry-run", "--json"));
  expect(left.files.map(({ path }) => path)).toEqual(["/workspace/new.txt"]);
  const unknown = await holdfast("land", "--leave", "0000000000000000", "--yes", "--json");
  expect(unknown.code).toBe(1);
  expect(JSON.parse(unknown.out)).toMatchObject({ ok: false, error: { reason: "unknown_hunk" } });
  const path = shown(await holdfast("land", "--path", "new.txt", "--dry-run", "--json"));
  expect(path.files).toEqual(left.files);
  const record = shown(await holdfast("land", "--record", "4", "--dry-run", "--json"));
  expect(record.files).toEqual(left.files);
  expect((await holdfast("land", "--record", "x", "--yes")).code).toBe(2);
  const agent = shown(await holdfast("land", "--agent", "writer", "--yes", "--json"));
  expect(agent).toMatchObject({ ok: true, files: left.files });
  expect(agent.landing).toBeGreaterThan(0);
  expect([text("a.txt"), text("new.txt")]).toEqual(["one\ntwo\nthree\n", "n\n"]);
});

test("[CLI-25] the plan as a diff, an ndpatch and a git branch; nothing counts as landed", async () => {
  const { folder, holdfast, text } = await worked();
  const git = (...args: string[]): string =>
    execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@t", ...args], {
      cwd: folder,
      encoding: "utf8",
    });
  git("init", "-q");
  git("add", ".");
  git("commit", "-qm", "first");
  const diff = await holdfast("land", "--as-diff");
  expect(diff).toMatchObject({ code: 0, err: "" });
  execFileSync("git", ["apply", "--check", "-"], { cwd: folder, input: diff.out });
  expect((await holdfast("land", "--as-ndpatch")).out).toContain('"file":"a.txt"');
  expect((await holdfast("land", "--as-diff", "--branch", "x")).code).toBe(2);
  expect((await holdfast("land", "--branch", "agents/work")).out).toMatch(/^Branch agents\/work:\n/);
  expect(git("show", "agents/work:new.txt")).toBe("n\n");
  expect((await holdfast("land", "--branch", "agents/work")).code).toBe(1);
  expect(text("a.txt")).toBe("one\ntwo\nthree\n");
  expect((await holdfast("status")).out).toContain("2 files to land");
});

test("[CLI-26] what changed on both sides is a conflict; refresh --take, as the message says, settles it", async () => {
  const { folder, holdfast, text } = await worked();
  writeFileSync(join(folder, "a.txt"), "one\nTWO\nthree\n");
  const refused = await holdfast("land", "--yes");
  expect(refused.code).toBe(1);
  expect(refused.out).toMatch(
    /conflict a\.txt\n {2}the session changed it:\n[^]*\+2\n[^]*the folder changed it:\n[^]*\+TWO\n/,
  );
  expect(refused.err).toContain("Run holdfast refresh");
  expect(text("a.txt")).toContain("TWO");
  expect(existsSync(join(folder, "new.txt"))).toBe(false);
  const both = await holdfast("refresh", "--json");
  expect(both.code).toBe(1);
  expect(JSON.parse(both.out)).toMatchObject({
    ok: false,
    error: { reason: "changed_on_both_sides", data: { conflicts: [{ path: "/workspace/a.txt" }] } },
  });
  const advice = /holdfast (refresh) (--take) (\S+) /.exec((await holdfast("session", "refresh")).err);
  expect(advice?.slice(1)).toEqual(["refresh", "--take", "a.txt=outside"]);
  expect((await holdfast("refresh", "--take", "a.txt=mine")).code).toBe(2);
  expect((await holdfast("refresh", "--take", "b.txt=outside")).code).toBe(1);
  expect((await holdfast("refresh", "--take", "a.txt=session", "--dry-run")).code).toBe(0);
  expect((await holdfast("refresh", "--take", "a.txt=session")).out).toContain("kept session a.txt");
  expect((await holdfast("land", "--yes")).code).toBe(0);
  expect(text("a.txt")).toBe("one\n2\nthree\n");
  expect((await holdfast("refresh")).out).toBe("The folder is as the session knows it.\n");
});

test("[CLI-26] a file that only the folder has, where the session has a directory, can be taken as the message says", async () => {
  const { folder, holdfast, env } = await worked();
  await workedIn(folder, env["HOLDFAST_STORE"] ?? "", [
    ["coder", "write_file", { path: "x/y.txt", content: "y\n" }],
  ]);
  writeFileSync(join(folder, "x"), "a person's\n");
  const conflict = await holdfast("refresh");
  expect(conflict.code).toBe(1);
  expect(conflict.err).toContain("holdfast refresh --take x=outside ");
  expect(await holdfast("refresh", "--take", "x=outside")).toMatchObject({ code: 0 });
  expect((await holdfast("call", "--folder", ".", "read_file", '{"path":"x"}')).out).toContain("a person's");
});

test("[CLI-27] status and diff tell the session's work from what people change in the folder", async () => {
  const { folder, holdfast } = await worked();
  appendFileSync(join(folder, "b.txt"), "mine\n");
  const status = await holdfast("status", "--json");
  expect(JSON.parse(status.out)).toMatchObject({
    files: [{ path: "/workspace/a.txt" }, { path: "/workspace/new.txt" }],
    outside: [{ path: "/workspace/b.txt", change: "changed" }],
    conflicts: [],
  });
  expect((await holdfast("diff")).out).not.toContain("mine");
  expect((await holdfast("refresh")).out).toMatch(/^changed +b\.txt\n$/);
  const after = await holdfast("status");
  expect(after.out).not.toContain("b.txt");
  expect((await holdfast("diff")).out).not.toContain("mine");
});

test("[CLI-28] a folder's session that is opened again has the folder as it is now", async () => {
  const { folder, holdfast } = await worked();
  writeFileSync(join(folder, "b.txt"), "now\n");
  const read = await holdfast("call", "--folder", ".", "--read-only", "read_file", '{"path":"b.txt"}');
  expect(read).toMatchObject({ code: 0, err: "" });
  expect(read.out).toContain("now\n");
  writeFileSync(join(folder, "a.txt"), "one\nTWO\nthree\n");
  const both = await holdfast("call", "--folder", ".", "read_file", '{"path":"a.txt"}');
  expect(both.out).toContain("2\n");
  expect(both.err).toMatch(/^\[Warning\] \/workspace\/a\.txt changed .* holdfast refresh /);
  expect(readFileSync(join(folder, "a.txt"), "utf8")).toContain("TWO");
});

test("[CLI-29] directory shows the session's files, and sync brings in what programs change there", async () => {
  const { holdfast, text } = await worked();
  const { out } = await holdfast("session", "directory");
  const directory = out.trim();
  expect(readFileSync(join(directory, "a.txt"), "utf8")).toBe("one\n2\nthree\n");
  writeFileSync(join(directory, "made.txt"), "m\n");
  expect((await holdfast("session", "sync", "--dry-run")).out).toBe("created  made.txt\n");
  expect((await holdfast("session", "sync")).out).toBe("created  made.txt\n");
  expect((await holdfast("session", "sync")).out).toBe("Nothing to import.\n");
  expect((await holdfast("land", "--path", "made.txt", "--yes")).code).toBe(0);
  expect(text("made.txt")).toBe("m\n");
});

test("[CLI-59] where a folder has a staged and a live session, the staged one is meant, and the other is named", async () => {
  const { folder, holdfast, env } = await worked();
  const { id } = JSON.parse((await holdfast("status", "--json")).out) as { id: string };
  const how = { role: "editor", folder: [folder], store: env["HOLDFAST_STORE"] ?? "", live: true } as const;
  const { agent, session, close } = await openFor(how);
  await agent.call("write_file", { path: "live.txt", content: "live\n" });
  await close();
  for (const command of [
    ["status"],
    ["diff"],
    ["session", "show"],
    ["undo", "--dry-run"],
    ["land", "--dry-run"],
  ]) {
    const { err } = await holdfast(...command);
    expect(err).toContain(`about the staged session ${id}`);
    expect(err).toContain(`--session ${session.id}`);
  }
  expect(JSON.parse((await holdfast("status", "--json")).out)).toMatchObject({ id });
  const named = await holdfast("status", "--session", session.id);
  expect(named.out).toContain("It works in the folder itself");
  expect(named.err).toBe("");
});

test("[CLI-51] status says that a folder is live, and that one is gone", async () => {
  const { folder, holdfast, env } = await worked();
  const live = scratch({ "l.txt": "one\n" });
  const how = { role: "editor", folder: [live], store: env["HOLDFAST_STORE"] ?? "", live: true } as const;
  const { agent, close } = await openFor(how);
  await agent.call("edit_file", { path: "l.txt", edits: [{ old_text: "one", new_text: "1" }] });
  await close();
  const inLive = (...args: string[]): Promise<Ran> => runHere(args, "", env, live);
  const status = await inLive("status");
  expect(status.code).toBe(0);
  expect(status.out).toContain("It works in the folder itself");
  expect(status.out).not.toContain("only in the session");
  expect((await inLive("diff")).out).toContain("+1");
  expect((await inLive("land", "--yes")).out).toContain("works in the folder itself");
  const id = (JSON.parse((await holdfast("status", "--json")).out) as { id: string }).id;
  rmSync(folder, { recursive: true });
  const gone = await runHere(["status", "--session", id], "", env);
  expect(gone.code).toBe(1);
  expect(gone.out).toContain("2 files changed in the session");
  expect(gone.err).toContain("not all of it is there any more");
  const [, command = ""] = /holdfast (session export .*)$/m.exec(gone.err) ?? [];
  const out = join(scratch(), "out");
  expect(await runHere(command.replace("NEW-FOLDER", out).split(" "), "", env)).toMatchObject({ code: 0 });
});

test("[CLI-52] refusals speak of the command line's own options", async () => {
  const { holdfast, folder } = await worked();
  writeFileSync(join(folder, "b.txt"), "outside\n");
  const take = await holdfast("refresh", "--take", "b.txt=session");
  expect(take.code).toBe(1);
  expect(take.err).not.toMatch(/\(\{|dryRun/);
  expect(take.err).toContain("dry run");
});

test("[CLI-25] [CLI-26] a session without its folder says so, and can still be looked at", async () => {
  const { folder, holdfast, env } = await worked();
  const { id } = JSON.parse((await holdfast("status", "--json")).out) as { id: string };
  const { out } = await holdfast("session", "fork", "--json");
  const fork = (JSON.parse(out) as { id: string }).id;
  rmSync(folder, { recursive: true });
  for (const [session, code, why] of [
    [id, 1, "not all of it is there"],
    [fork, 2, "has no folder"],
  ] as const)
    for (const command of [["land", "--yes"], ["refresh"]]) {
      const refused = await runHere(["session", ...command, "-s", session], "", env);
      expect(refused).toMatchObject({ code, out: "" });
      expect(refused.err).toContain(why);
      expect(refused.err).toContain("holdfast session export");
    }
  expect((await runHere(["status", "-s", id], "", env)).out).toContain("new.txt");
});

test("[HOST-87] [HOST-88] land names what is in the way and what is ignored, and its next steps work", async () => {
  const folder = scratch({ "a.txt": "one\n", ".gitignore": ".env\ndist\n", "b.txt": "b\n" });
  const env = { HOLDFAST_STORE: join(scratch(), "kept") };
  const holdfast = (...args: string[]): Promise<Ran> => runHere(args, "", env, folder);
  await workedIn(folder, env.HOLDFAST_STORE, [
    ["coder", "write_file", { path: "a.txt", content: "coder\n", mode: "overwrite" }],
    ["coder", "write_file", { path: "b.txt", content: "coder\n", mode: "overwrite" }],
    ["coder", "write_file", { path: ".env", content: "made\n" }],
    ["coder", "write_file", { path: "dist/x", content: "x\n" }],
  ]);
  writeFileSync(join(folder, ".env"), "SECRET\n");
  rmSync(join(folder, "a.txt"));
  symlinkSync("b.txt", join(folder, "a.txt"));
  const refused = await holdfast("land", "--yes");
  expect(refused.code).toBe(1);
  expect(refused.out + refused.err).not.toContain("SECRET");
  expect(refused.out).toContain("create   dist/x (ignored by .gitignore there)  coder");
  expect(refused.out).toContain("  the folder has a symbolic link there\n");
  expect(refused.err).toContain(
    "a.txt is a symbolic link in the folder. Move it away there and run holdfast refresh --take a.txt=session",
  );
  expect(refused.err).toContain(
    ".env is an ignored file in the folder. Move it away there, or leave it out with --leave .env;",
  );
  rmSync(join(folder, "a.txt"));
  expect((await holdfast("refresh", "--take", "a.txt=session")).code).toBe(0);
  const landed = await holdfast("land", "--yes", "--leave", ".env");
  expect(landed.code).toBe(0);
  expect(readFileSync(join(folder, "a.txt"), "utf8")).toBe("coder\n");
  expect(readFileSync(join(folder, ".env"), "utf8")).toBe("SECRET\n");
  expect(existsSync(join(folder, "dist/x"))).toBe(true);
});

test.skipIf(!existsSync("/dev/full"))(
  "[CLI-53] what cannot be shown is not landed, and what is landed is said",
  async () => {
    const { folder, env, text } = await worked();
    const into = (target: string, ...words: string[]): ReturnType<typeof spawnSync> =>
      spawnSync("sh", ["-c", `exec "$@" > ${target}`, "sh", process.execPath, ...CLI, "land", ...words], {
        cwd: folder,
        env: { ...process.env, ...env },
        encoding: "utf8",
      });
    for (const words of [["--yes"], ["--yes", "--json"]]) {
      const unshown = into("/dev/full", ...words);
      expect(unshown.status).toBe(1);
      expect(unshown.stderr).toContain("Nothing was landed: the plan could not be shown");
      expect(text("a.txt")).toContain("two");
    }
  },
);

test("[CLI-53] what is landed is said though the reader has left", async () => {
  const folder = scratch();
  const env = { HOLDFAST_STORE: join(scratch(), "kept") };
  // More than a pipe holds: the result can only be written once somebody reads it.
  const content = "a line of text\n".repeat(3_000);
  await workedIn(
    folder,
    env.HOLDFAST_STORE,
    Array.from({ length: 10 }, (_, i) => ["amy", "write_file", { path: `f${i}`, content }] as const),
  );
  const child = spawn(process.execPath, [...CLI, "land", "--yes", "--json"], {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let err = "";
  child.stderr.setEncoding("utf8").on("data", (part: string) => (err += part));
  const { log } = await vi.waitFor(
    async () => {
      const shown = await runHere(["session", "log"], "", env, folder);
      expect(shown.out).toMatch(/ land {2}landing \d+\n/);
      return { log: shown.out };
    },
    { timeout: 55_000 },
  );
  child.stdout.destroy();
  const [code] = (await once(child, "close")) as [number | null];
  expect(code).toBe(1);
  const [, landing = ""] = / land {2}landing (\d+)\n/.exec(log) ?? [];
  expect(err).toContain(`Landed 10 files (landing ${landing})`);
});

test("[CLI-56] a landing that was cut off is finished by status, which says so", async () => {
  const { folder, env, holdfast, text } = await worked();
  const { id } = JSON.parse((await holdfast("status", "--json")).out) as { id: string };
  let isCut = true;
  const store = interrupting(sqliteStore({ directory: env["HOLDFAST_STORE"] ?? "" }), () => isCut);
  const session = await openSession({ store, id, create: false, mounts: mountsOf([folder]) });
  await expect((await session.plan()).land()).rejects.toThrow("cut off");
  writeFileSync(join(folder, "a.txt"), "one\ntwo\nthree\n");
  await session.close();
  await store.close();
  isCut = false;
  const status = await holdfast("status");
  expect(status.code).toBe(0);
  expect(status.err).toMatch(/^Landing \d+ had been cut off midway and was finished: 2 files written/);
  expect(status.out).toContain("Nothing to land.");
  expect(text("a.txt")).toBe("one\n2\nthree\n");
  expect((await holdfast("status")).err).toBe("");
});

test("[CLI-25] [CLI-49] --branch says what each commit changes, and what is in its way as land does", async () => {
  const folder = scratch({ "a.txt": "a\n", "b.txt": "b\n", ".gitignore": "secret.env\n" });
  const env = { HOLDFAST_STORE: join(scratch(), "kept") };
  const git = (...args: string[]): string =>
    execFileSync("git", ["-c", "user.name=H", "-c", "user.email=h@example.invalid", ...args], {
      cwd: folder,
      encoding: "utf8",
    });
  symlinkSync("a.txt", join(folder, "link.sh"));
  git("init", "-q", "-b", "main");
  git("add", "-A");
  git("commit", "-q", "-m", "first");
  writeFileSync(join(folder, "secret.env"), "s\n");
  const edit = (path: string): object => ({ path, content: "new\n", mode: "overwrite" });
  await workedIn(folder, env.HOLDFAST_STORE, [
    ["amy", "write_file", edit("a.txt")],
    ["ben", "write_file", edit("b.txt")],
    ["ben", "write_file", { path: "link.sh", content: "l\n" }],
    ["ben", "write_file", { path: "secret.env", content: "e\n" }],
  ]);
  const refused = await runHere(["land", "--branch", "work"], "", env, folder);
  expect(refused.code).toBe(1);
  expect(refused.err).toContain("link.sh is a symbolic link in the folder");
  expect(refused.err).toContain("secret.env is an ignored file in the folder");
  expect(refused.err).toContain("--leave link.sh;");
  expect(refused.err).not.toContain("/workspace");
  const leave = ["--leave", "link.sh", "--leave", "secret.env"];
  const done = await runHere(["land", "--branch", "work", ...leave], "", env, folder);
  expect(done.out).toMatch(
    /^Branch work:\n {2}[0-9a-f]{12} {2}amy {2}1 file\n {2}[0-9a-f]{12} {2}ben {2}1 file\n$/,
  );
  appendFileSync(join(folder, "a.txt"), "outside\n");
  const dirty = await runHere(["land", "--branch", "other", ...leave], "", env, folder);
  expect(dirty.code).toBe(1);
  expect(dirty.err).toContain("not committed in a.txt");
});
