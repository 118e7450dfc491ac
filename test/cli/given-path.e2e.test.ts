import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { GivenPaths } from "../../src/cli/given-path.ts";
import { openSession, type Session } from "../../src/tools/index.ts";
import type { Ran } from "./command.ts";
import { scratch, workedIn } from "./folder.ts";
import { runHere } from "./run-here.ts";

const FILES = { "a.txt": "one\n", "src/a.txt": "one\n", "src/deep/b.txt": "b\n", "gone.txt": "g\n" };

/** A folder in whose session `a.txt` and `src/a.txt` were changed, and the user stands in `src/deep`. */
async function standing(): Promise<{
  readonly folder: string;
  readonly here: (...args: string[]) => Promise<Ran>;
}> {
  const folder = scratch(FILES);
  const store = join(scratch(), "kept");
  await workedIn(folder, store, [
    ["coder", "edit_file", { path: "a.txt", edits: [{ old_text: "one", new_text: "root" }] }],
    ["coder", "edit_file", { path: "src/a.txt", edits: [{ old_text: "one", new_text: "inner" }] }],
    ["coder", "delete_file", { path: "gone.txt" }],
  ]);
  return {
    folder,
    here: (...args) => runHere(args, "", { HOLDFAST_STORE: store }, join(folder, "src/deep")),
  };
}

async function sessionOf(...folders: string[]): Promise<Session> {
  const to = folders.length === 1 ? { to: "/workspace" } : {};
  return openSession({ mounts: folders.map((from) => ({ from, ...to })) });
}

test("[CLI-49] paths are meant from the directory one stands in, and printed so that they can be typed there", async () => {
  const folder = scratch(FILES);
  await using session = await sessionOf(folder);
  const inside = new GivenPaths(session, [folder], join(folder, "src/deep"));
  for (const [text, path, shown] of [
    ["b.txt", "/workspace/src/deep/b.txt", "b.txt"],
    ["../a.txt", "/workspace/src/a.txt", "../a.txt"],
    ["../../a.txt", "/workspace/a.txt", "../../a.txt"],
    [".", "/workspace/src/deep", "."],
    ["../..", "/workspace", "../.."],
    [join(folder, "a.txt"), "/workspace/a.txt", "../../a.txt"],
    ["/workspace/a.txt", "/workspace/a.txt", "../../a.txt"],
  ] as const) {
    expect(await inside.known(text), text).toBe(path);
    expect(inside.show(inside.read(text)), text).toBe(shown);
  }
  const away = new GivenPaths(session, [folder], scratch());
  expect(await away.known("src/a.txt")).toBe("/workspace/src/a.txt");
  expect(await away.known("./src/../a.txt")).toBe("/workspace/a.txt");
  expect(away.show(away.read("src/a.txt"))).toBe("src/a.txt");
  for (const outside of ["../../..", "/etc/passwd", ""]) expect(() => inside.read(outside)).toThrow();
});

test("[CLI-49] of several folders each is meant by its own place", async () => {
  const [api, web] = [scratch({ "a.txt": "a\n" }), scratch({ "a.txt": "a\n" })];
  await using session = await sessionOf(api, web);
  const paths = new GivenPaths(session, [api, web], web);
  const [own, other] = [await paths.known("a.txt"), await paths.known(join(api, "a.txt"))];
  expect(own).not.toBe(other);
  expect(paths.show(own)).toBe("a.txt");
  expect(await paths.known(paths.show(other))).toBe(other);
});

test("[CLI-50] a path that the session never had is refused; one that was deleted is not", async () => {
  const folder = scratch(FILES);
  await using session = await sessionOf(folder);
  await session.workspace.remove("gone.txt");
  const paths = new GivenPaths(session, [folder], join(folder, "src"));
  expect(await paths.known("../gone.txt")).toBe("/workspace/gone.txt");
  for (const text of ["nothere", "src/a.txt", "a.tx"])
    await expect(paths.known(text)).rejects.toMatchObject({ code: "not_found", reason: "no_such_file" });
});

test("[CLI-49] land, undo and diff mean the same file where one stands, and advice works there", async () => {
  const { folder, here } = await standing();
  expect((await here("status")).out).toContain(" ../a.txt ");
  const diff = await here("diff", "../a.txt");
  expect(diff.out).toContain("+inner");
  expect(diff.out).not.toContain("+root");
  writeFileSync(join(folder, "src/a.txt"), "uno\n");
  const { code, err } = await here("refresh");
  expect(code).toBe(1);
  const [, path = ""] = /--take (\S*?)=outside /.exec(err) ?? [];
  expect(await here("refresh", "--take", `${path}=session`)).toMatchObject({ code: 0 });
  expect(await here("undo", "--path", "../a.txt")).toMatchObject({ code: 0 });
  expect(await here("land", "--path", "../..", "--leave", "../../gone.txt", "--yes")).toMatchObject({
    code: 0,
  });
  expect(readFileSync(join(folder, "a.txt"), "utf8")).toBe("root\n");
  // The last change of the file was that the session's side was taken.
  expect(readFileSync(join(folder, "src/a.txt"), "utf8")).toBe("uno\n");
  expect(readFileSync(join(folder, "gone.txt"), "utf8")).toBe("g\n");
});

test("[CLI-50] no command says that all is well of a path that does not exist", async () => {
  const { here } = await standing();
  for (const args of [
    ["diff", "src/a.txt"],
    ["session", "log", "--path", "nothere"],
    ["undo", "--path", "nothere"],
    ["land", "--path", "nothere", "--yes"],
  ])
    expect(await here(...args), args.join(" ")).toMatchObject({
      code: 1,
      out: "",
      err: expect.stringContaining("the session has no such file or directory") as string,
    });
  // A conflict may be about a file that only the folder has.
  expect(await here("refresh", "--take", "nothere=session")).toMatchObject({
    code: 1,
    out: "",
    err: expect.stringContaining("nothere needs no decision") as string,
  });
});
