import {
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { linkIgnored } from "../../src/host/link-ignored.ts";
import { resolveLimits } from "../../src/limits.ts";
import { folderOf, opened } from "./folder.ts";

const RULES = { names: "unicode" as const, limits: resolveLimits() };
const FILES = {
  ".gitignore": "dist/\nlogs\n",
  "a.txt": "a\n",
  "pkg/b.txt": "b\n",
  "dist/out.txt": "o\n",
  "logs/l": "l\n",
  "node_modules/dep.js": "d\n",
  "pkg/node_modules/dep.js": "d\n",
  ".git/HEAD": "h\n",
};

test("[HOST-141] ignored directories are linked where nothing is, and unlinked again", async () => {
  const from = folderOf(FILES);
  const { session } = await opened({ mounts: [{ from, to: "/workspace", gitignore: true }] });
  const directory = await session.directory();
  mkdirSync(join(directory, "logs"));
  const links = await linkIgnored([{ from, to: "/workspace", gitignore: true }], directory, RULES);
  expect(links.paths.toSorted()).toEqual(["dist", "node_modules", "pkg/node_modules"]);
  expect(readlinkSync(join(directory, "dist"))).toBe(join(from, "dist"));
  expect(readFileSync(join(directory, "pkg/node_modules/dep.js"), "utf8")).toBe("d\n");
  rmSync(join(directory, "dist"));
  symlinkSync(from, join(directory, "dist"));
  rmSync(join(directory, "pkg/node_modules"));
  mkdirSync(join(directory, "pkg/node_modules"));
  links.unlink();
  expect(
    ["node_modules", "dist", "pkg/node_modules", "logs"].map((name) => existsSync(join(directory, name))),
  ).toEqual([false, true, true, true]);
  expect(existsSync(join(from, "node_modules/dep.js"))).toBe(true);
});

test("[HOST-140] sync leaves ignored new files out, and compares what the session has", async () => {
  const from = folderOf({ ".gitignore": "*.log\n", "a.txt": "a\n" });
  const { session } = await opened({ mounts: [{ from, to: "/workspace", gitignore: true }] });
  await session.workspace.write("kept.log", "1\n");
  const directory = await session.directory();
  mkdirSync(join(directory, "node_modules"));
  for (const name of ["kept.log", "new.log", "new.txt", "node_modules/x"])
    writeFileSync(join(directory, name), "2\n");
  const { created, changed } = await session.sync({ gitignore: true });
  expect({ created, changed }).toEqual({ created: ["/workspace/new.txt"], changed: ["/workspace/kept.log"] });
  expect((await session.sync()).created).toEqual(["/workspace/new.log", "/workspace/node_modules/x"]);
});

test("[HOST-142] a landing tells how far it is", async () => {
  const from = folderOf({ "a.txt": "a\n" });
  const { session } = await opened({ mounts: [{ from, to: "/workspace" }] });
  await session.workspace.writeAll([
    ["a.txt", "b\n"],
    ["new.txt", "n\n"],
  ]);
  const heard: [number, number][] = [];
  await (await session.plan()).land({ onProgress: ({ done, total }) => heard.push([done, total]) });
  expect(heard).toEqual([0, 1, 2, 3].map((done) => [done, 4]));
});
