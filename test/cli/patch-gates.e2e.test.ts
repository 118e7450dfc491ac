import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { run } from "./command.ts";
import { scratch } from "./folder.ts";

test("[CLI-13] a patch is made, shown, checked and converted over a folder", async () => {
  const folder = scratch({ "sub/f.txt": "one\ntwo\nthree\n", "after.txt": "one\n2\nthree\n" });
  const at = ["-C", folder];
  const made = await run([
    "patch",
    "create",
    join(folder, "sub/f.txt"),
    join(folder, "after.txt"),
    "--file",
    "sub/f.txt",
  ]);
  expect(JSON.parse(made.out)).toEqual([{ file: "sub/f.txt", line: 2, op: "replace", old: "two", new: "2" }]);
  const checked = await run(["patch", "check", "-", ...at], made.out);
  expect(checked).toMatchObject({ code: 0, err: "" });
  expect(checked.out).toContain("sub/f.txt: +1 -1");
  const unified = await run(["patch", "convert", "-", "--to", "unified", ...at], made.out);
  expect(unified.out).toContain(
    "--- a/sub/f.txt\n+++ b/sub/f.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n",
  );
  const back = await run(["patch", "convert", "-", "--json", ...at], unified.out);
  expect(JSON.parse(back.out)).toMatchObject({ ok: true, format: "ndpatch" });
  expect((await run(["patch", "show", "-", ...at], unified.out)).out).toContain("2 - two\n  2 + 2");
  writeFileSync(join(folder, "sub/f.txt"), "one\nTWO\nthree\n");
  const misfit = await run(["patch", "check", "-", ...at], made.out);
  expect(misfit).toMatchObject({ code: 1, out: "" });
  expect(misfit.err).toMatch(/^\[Error\] .*operations\[0\]/s);
  const told = await run(["patch", "check", "-", "--json", ...at], made.out);
  expect(JSON.parse(told.out)).toMatchObject({
    ok: false,
    conflicts: [{ index: 0, reason: "old_mismatch" }],
  });
  expect(readFileSync(join(folder, "sub/f.txt"), "utf8")).toBe("one\nTWO\nthree\n");
});

test("[CLI-13] folders are compared, and no patch reaches out of one", async () => {
  const before = scratch({ "a.txt": "1\n", "gone.txt": "x\n" });
  const after = scratch({ "a.txt": "1\n2\n", "new é.txt": "n\n" });
  const made = await run(["patch", "create", before, after]);
  expect(JSON.parse(made.out)).toMatchObject({ removed: ["gone.txt"] });
  expect(made.out).toContain("new é.txt");
  symlinkSync("/etc", join(before, "etc"));
  const through = [{ file: "etc/hostname", line: 1, op: "insert", new: "x" }];
  const followed = await run(["patch", "check", "-", "-C", before], JSON.stringify(through));
  expect(followed).toMatchObject({ code: 1, out: "" });
  expect(followed.err).toContain("etc is a symbolic link");
  const out = await run(["patch", "check", "-"], '[{"file":"../a","line":1,"op":"delete","old":"x"}]');
  expect(out).toMatchObject({ code: 1, out: "" });
  expect(out.err).toContain("is not a name");
});

const CONFIG = JSON.stringify({
  gate_order: ["goal"],
  gates: { goal: { question: "What for?", required: true } },
});

test("[CLI-14] gates are judged, asked for, and JSON is taken out of text", async () => {
  const config = join(scratch({ "gates.json": CONFIG }), "gates.json");
  expect((await run(["gates", "prompt", config])).out).toContain("What for?");
  const answer =
    'Sure:\n```json\n{"summary":"","gates":{"goal":{"raw":"a test"}},"status":{"pass":false,}}\n```\n';
  const passed = await run(["gates", "check", config], answer);
  expect(passed).toMatchObject({ code: 0, out: "PASS\n" });
  expect(passed.err).toContain("[Warning] Repaired");
  const open = await run(
    ["gates", "check", config, "--json"],
    '{"summary":"","gates":{"goal":{"raw":null}},"status":{"pass":true}}',
  );
  expect(open.code).toBe(1);
  expect(JSON.parse(open.out)).toMatchObject({ ok: true, decision: { pass: false, next_gate: "goal" } });
  const wrong = await run(["gates", "check", config], '{"gates":{}}');
  expect(wrong).toMatchObject({ code: 1, out: "" });
  expect(wrong.err).toMatch(/^\[Error\] Your last answer could not be used/);
  const taken = await run(["gates", "extract"], "so: {a: 1, 'b': [2,]} ok");
  expect(JSON.parse(taken.out)).toEqual({ a: 1, b: [2] });
  expect(taken.err).toContain("[Repaired]");
  expect((await run(["gates", "extract"], "nothing")).code).toBe(1);
  expect((await run(["gates", "check", join(config, "..", "none.json")], answer)).err).toContain(
    "There is no such file",
  );
  expect((await run(["gates", "prompt", "-"], "{}")).code).toBe(2);
});
