import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openFor } from "../../src/cli/session-options.ts";
import { CLI, run, type Ran } from "./command.ts";
import { scratch } from "./folder.ts";

interface Place {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly holdfast: (...args: string[]) => Promise<Ran>;
}

function place(files: Readonly<Record<string, string>>): Place {
  const folder = scratch(files);
  const env = { HOLDFAST_STORE: join(scratch(), "kept") };
  return { folder, env, holdfast: (...args) => run(args, "typed\n", env, folder) };
}

test("[CLI-40] [CLI-41] [CLI-42] run works on the session's files and brings in what it changed; ignored directories are linked", async () => {
  const { folder, env, holdfast } = place({
    ".gitignore": "dist/\n*.log\n",
    "a.txt": "one\n",
    "sub/b.txt": "b\n",
    "node_modules/dep/index.js": "module.exports = 42\n",
    "dist/old.txt": "old\n",
    ".git/HEAD": "ref\n",
  });
  const script = [
    "cat; cat b.txt; cd ..; ls -A | tr '\\n' ' '",
    'node -e "console.error(require(\\"dep\\"))"',
    "echo two >> a.txt; echo n > made.txt; echo l > x.log; echo o > dist/new.txt; exit 7",
  ].join("; ");
  const first = await holdfast("run", "true");
  expect(first).toMatchObject({ code: 0, out: "" });
  expect(first.err).toMatch(/^Session [0-9a-z-]+-1\nNothing to import\.\n$/);
  const ran = await run(["run", "--", "sh", "-c", script], "typed\n", env, join(folder, "sub"));
  expect(ran.code).toBe(7);
  expect(ran.out).toBe("typed\nb\n.gitignore a.txt dist node_modules sub ");
  expect(ran.err).toMatch(/^42\ncreated {2}\.\.\/made\.txt\nchanged {2}\.\.\/a\.txt\nholdfast diff /);
  expect(readFileSync(join(folder, "a.txt"), "utf8")).toBe("one\n");
  expect(existsSync(join(folder, "made.txt"))).toBe(false);
  expect(readFileSync(join(folder, "dist/new.txt"), "utf8")).toBe("o\n");
  const status = JSON.parse((await holdfast("status", "--json")).out) as { files: { path: string }[] };
  expect(status.files.map(({ path }) => path)).toEqual(["/workspace/a.txt", "/workspace/made.txt"]);
  writeFileSync(join(folder, "sub/b.txt"), "changed\n");
  const again = await holdfast("run", "--json", "cat", "sub/b.txt", "made.txt");
  expect(again).toMatchObject({ code: 0, err: "changed\nn\n" });
  expect(JSON.parse(again.out)).toMatchObject({ ok: true, exitCode: 0, created: [], diverged: [] });
  expect((await holdfast("undo")).out).toBe("Undid 1 record: 3\n");
  expect((await holdfast("undo")).code).toBe(1);
});

test(
  "[CLI-42] [CLI-43] a command that is missing, ended by a signal, or changes what the session changed",
  { timeout: 120_000 },
  async () => {
    const { env, folder, holdfast } = place({ "a.txt": "one\n" });
    const none = await holdfast("run", "no-such-command", "--json");
    expect(none).toMatchObject({ code: 127 });
    expect(JSON.parse(none.out)).toMatchObject({ ok: false, error: { reason: "no_such_command" } });
    expect((await holdfast("run", "./a.txt")).code).toBe(126);
    expect((await holdfast("run", "--", "sh", "-c", "kill -KILL $$")).code).toBe(137);
    expect((await holdfast("run")).code).toBe(2);
    const child = spawn(
      process.execPath,
      [
        ...CLI,
        "run",
        "--",
        "sh",
        "-c",
        "trap 'echo x > caught; exit 4' TERM; echo up; while :; do sleep 0.05; done",
      ],
      { stdio: ["ignore", "pipe", "ignore"], cwd: folder, env: { ...process.env, ...env } },
    );
    child.stdout.once("data", () => child.kill("SIGTERM"));
    expect(await once(child, "close")).toEqual([4, null]);
    expect((await holdfast("diff")).out).toContain("+++ b/caught\n");
    const write = JSON.stringify({ path: "a.txt", content: "session\n", mode: "overwrite" });
    const both = `echo mine > a.txt; '${process.execPath}' '${CLI[0] ?? ""}' call --folder '${folder}' write_file '${write}'`;
    const diverged = await holdfast("run", "--", "sh", "-c", both);
    expect(diverged.code).toBe(1);
    expect(diverged.err).toMatch(
      /conflict a\.txt\n {2}the session changed it:[^]*\[Error\] a\.txt changed on both sides/,
    );
    const advice = /holdfast session sync (--take) (\S+) /.exec(diverged.err);
    expect((await holdfast("session", "sync", ...(advice?.slice(1) ?? []))).code).toBe(0);
    expect((await holdfast("diff")).out).toContain("+mine\n");
  },
);

test("[CLI-41] what leaves no place for a file is told", async () => {
  const { folder, holdfast } = place({ "a.txt": "" });
  const write = JSON.stringify({ path: "x", content: "session\n", mode: "create" });
  const both = `mkdir x; echo mine > x/y; '${process.execPath}' '${CLI[0] ?? ""}' call --folder '${folder}' write_file '${write}'`;
  const diverged = await holdfast("run", "--", "sh", "-c", both);
  expect(diverged.code).toBe(1);
  expect(diverged.err).toContain("\n+session\n  in the directory what is there leaves no place for it\n");
});

test("[CLI-41] of several folders each has its own links", async () => {
  const { env, folder } = place({ "api/a": "", "web/b": "", "web/.gitignore": "out/\n", "web/out/c": "c\n" });
  mkdirSync(join(folder, "api/node_modules"));
  const folders = ["--folder", join(folder, "api"), "--folder", join(folder, "web")];
  const made = await run(["call", ...folders, "list_directory"], "", env);
  const id = made.err.replace("Session ", "").trim();
  const ran = await run(["run", "-s", id, "--", "sh", "-c", "ls -A api; cat web/out/c"], "", env);
  expect(ran).toMatchObject({ code: 0, out: "a\nnode_modules\nc\n", err: "Nothing to import.\n" });
});

test("[CLI-40] what comes into a session that works in its folder is in the folder when the command ends", async () => {
  const { folder, env, holdfast } = place({ "live.txt": "one\n" });
  const how = { role: "editor", folder: [folder], store: env["HOLDFAST_STORE"] ?? "", live: true } as const;
  await (await openFor(how)).close();
  const ran = await holdfast("run", "--", "sh", "-c", "echo z2 > z2.txt; echo more >> live.txt");
  expect(ran.code).toBe(0);
  expect(ran.err).toContain("created  z2.txt");
  expect(ran.err).toContain("The session works in the folder itself: all of it is there now.");
  expect(ran.err).not.toContain("holdfast land");
  expect(readFileSync(join(folder, "z2.txt"), "utf8")).toBe("z2\n");
  expect(readFileSync(join(folder, "live.txt"), "utf8")).toBe("one\nmore\n");
});
