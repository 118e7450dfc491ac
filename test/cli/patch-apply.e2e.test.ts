import { chmodSync, existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { run } from "./command.ts";
import { runHere } from "./run-here.ts";

import { scratch } from "./folder.ts";

const V4A = `*** Begin Patch
*** Update File: sub/f.txt
@@
-two
+2
*** Add File: new/é.txt
+hello
*** Delete File: gone.txt
*** End Patch
`;

test("[CLI-44] a patch is applied to a folder: all of it or nothing, in any format", async () => {
  const folder = scratch({ "sub/f.txt": "one\r\ntwo\r\n", "gone.txt": "x\n", "run.sh": "echo\n" });
  const text = (name: string): string => readFileSync(join(folder, name), "utf8");
  const apply = ["patch", "apply", "-", "-C", folder];
  chmodSync(join(folder, "run.sh"), 0o750);
  const dry = await run([...apply, "--dry-run"], V4A);
  expect(dry.code).toBe(0);
  expect(dry.out).toMatch(/^sub\/f\.txt {2}changed {2}\+1 -1\n[^]*2 - two\n {2}2 \+ 2\n/);
  expect(text("sub/f.txt")).toBe("one\r\ntwo\r\n");
  const done = await run(apply, V4A);
  expect(done.out).toBe(
    "Applied to 3 files:\n  changed  sub/f.txt  +1 -1\n  created  new/é.txt  +1 -0\n  removed  gone.txt  +0 -1\n",
  );
  expect([text("sub/f.txt"), text("new/é.txt")]).toEqual(["one\r\n2\r\n", "hello\n"]);
  expect(existsSync(join(folder, "gone.txt"))).toBe(false);
  const diff = "--- a/run.sh\n+++ b/run.sh\n@@ -1 +1 @@\n-echo\n+echo 1\n";
  expect(JSON.parse((await run([...apply, "--json"], diff)).out)).toMatchObject({
    ok: true,
    files: [{ file: "run.sh", status: "changed" }],
  });
  expect(statSync(join(folder, "run.sh")).mode & 0o777).toBe(0o750);
  const half = [
    { file: "run.sh", line: 1, op: "replace", old: "echo 1", new: "echo 2" },
    { file: "sub/f.txt", line: 1, op: "delete", old: "uno" },
  ];
  const misfit = await run(apply, JSON.stringify(half));
  expect(misfit).toMatchObject({ code: 1, out: "" });
  expect(misfit.err).toMatch(/^\[Error\] .*nothing was written/);
  expect(text("run.sh")).toBe("echo 1\n");
});

test("[CLI-44] [CLI-13] no patch reaches through a link, into a repository's own files, or out of the folder", async () => {
  const folder = scratch({ "a.txt": "1\n", ".git/config": "" });
  const other = scratch({ "b.txt": "b\n" });
  symlinkSync(other, join(folder, "out"));
  symlinkSync(join(other, "b.txt"), join(folder, "link.txt"));
  const insert = (file: string): string => JSON.stringify([{ file, line: 1, op: "insert", new: "x" }]);
  for (const [file, why] of [
    ["out/b.txt", "out is a symbolic link"],
    ["link.txt", "link.txt is a symbolic link"],
    [".git/hooks/pre-commit", "lies in .git"],
    ["sub/.GIT/config", "lies in .GIT"],
    ["../b.txt", "is not a name"],
  ] as const) {
    const refused = await runHere(["patch", "apply", "-", "-C", folder], insert(file));
    expect(refused).toMatchObject({ code: 1, out: "" });
    expect(refused.err).toContain(why);
  }
  expect(readFileSync(join(other, "b.txt"), "utf8")).toBe("b\n");
  const nowhere = await runHere(["patch", "apply", "-", "-C", join(folder, "none")], insert("a.txt"));
  expect(nowhere).toMatchObject({
    code: 2,
    err: expect.stringContaining("there is no such folder") as string,
  });
});

test("[CLI-44] a file that changes while a patch is applied is left alone, and so are the others", async () => {
  const folder = scratch({ "a.txt": "1\n", "b.txt": "1\n" });
  const file = join(folder, "b.txt");
  const { withPatch } = await import("../../src/cli/patch-folder.ts");
  const { landPatch } = await import("../../src/cli/patch-apply.ts");
  writeFileSync(join(folder, "p.json"), JSON.stringify([]));
  await withPatch(join(folder, "p.json"), folder, async () => {});
  const patch = ["a.txt", "b.txt"].map((name) => ({
    file: name,
    line: 1,
    op: "replace",
    old: "1",
    new: "2",
  }));
  writeFileSync(join(folder, "p.json"), JSON.stringify(patch));
  const written = ["a.txt", "b.txt"].map(
    (name) => [`/workspace/${name}`, new TextEncoder().encode("2\n")] as const,
  );
  const landed = withPatch(join(folder, "p.json"), folder, async (over) => {
    writeFileSync(file, "mine\n");
    await landPatch(over, { gone: [], written });
  });
  await expect(landed).rejects.toThrow("b.txt changed while the patch was applied");
  expect([readFileSync(join(folder, "a.txt"), "utf8"), readFileSync(file, "utf8")]).toEqual([
    "1\n",
    "mine\n",
  ]);
});

test("[CLI-44] [FMT-1] [FMT-8] [NDP-62] every format is named, and no part is dropped or written that is none", async () => {
  const folder = scratch({ "a.js": "one\ntwo\n" });
  const apply = ["patch", "apply", "-", "-C", folder];
  for (const command of ["apply", "convert", "check", "show"])
    expect((await runHere(["patch", command, "--help"])).out.replaceAll(/\s+/g, " ")).toContain(
      "whole files",
    );
  const head = "--- a/a.js\n+++ b/a.js\n";
  for (const [text, why] of [
    [`${head}@@ -1,2 +1,3 @@\n one\n+// ... existing code ...\n two\n`, "left out"],
    ["a.js\n```diff\n@@ -1 +1 @@\n-one\n+1\n```\n", "looks like an edit"],
    ["hello\n", "neither JSON"],
    [`${head}@@ -1 +1 @@\n-one\n+1\n[{"file":"a.js","line":2,"op":"delete"}]\n`, "a call of its own"],
  ] as const)
    expect((await runHere(apply, text)).err).toContain(why);
  expect(readFileSync(join(folder, "a.js"), "utf8")).toBe("one\ntwo\n");
  const mode = "diff --git a/a.js b/a.js\nold mode 100644\nnew mode 100755\n";
  expect((await runHere(apply, mode)).err).toContain("[Warning] The mode change");
  expect(JSON.parse((await runHere([...apply, "--json"], mode)).out)).toMatchObject({
    warnings: [expect.stringContaining("The mode change")],
  });
  await runHere(apply, `--- a.js.orig\n+++ a.js\n@@ -1 +1 @@\n-one\n+1\n`);
  expect(readFileSync(join(folder, "a.js"), "utf8")).toBe("1\ntwo\n");
});
