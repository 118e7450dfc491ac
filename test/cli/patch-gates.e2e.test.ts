import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runHere } from "./run-here.ts";
import { run, type Ran } from "./command.ts";
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
  const made = await runHere(["patch", "create", before, after]);
  expect(JSON.parse(made.out)).toMatchObject({ removed: ["gone.txt"] });
  expect(made.out).toContain("new é.txt");
  symlinkSync("/etc", join(before, "etc"));
  const through = [{ file: "etc/hostname", line: 1, op: "insert", new: "x" }];
  const followed = await runHere(["patch", "check", "-", "-C", before], JSON.stringify(through));
  expect(followed).toMatchObject({ code: 1, out: "" });
  expect(followed.err).toContain("etc is a symbolic link");
  const out = await runHere(["patch", "check", "-"], '[{"file":"../a","line":1,"op":"delete","old":"x"}]');
  expect(out).toMatchObject({ code: 1, out: "" });
  expect(out.err).toContain("is not a name");
});

const CONFIG = JSON.stringify({
  gate_order: ["goal"],
  gates: { goal: { question: "What for?", required: true } },
});

test("[GATE-58] what is printed of gates follows their order, also where their keys are digits", async () => {
  const gates = { "2": { question: "2?" }, "10": { question: "10?", required: true } };
  const file = join(
    scratch({ "gates.json": JSON.stringify({ gate_order: ["10", "2"], gates }) }),
    "gates.json",
  );
  const answer = '{"summary":"","gates":{"2":{"raw":"a"},"10":{"raw":"b"}},"status":{"pass":false}}';
  const checked = await runHere(["gates", "check", file, "--json"], answer);
  expect(checked.out).toContain('"gates":{"10":{"raw":"b","classified":null},"2":');
  expect(JSON.parse(checked.out)).toMatchObject({ ok: true, decision: { pass: true }, errors: [] });
  const prompt = await runHere(["gates", "prompt", file, "--json"]);
  expect(prompt.out).toMatch(/"properties":\{"10":.*"2":/);
  expect(JSON.parse(prompt.out)).toMatchObject({ ok: true, schema: { type: "object" } });
});

test("[CLI-14] gates are judged, asked for, and JSON is taken out of text", async () => {
  const config = join(scratch({ "gates.json": CONFIG }), "gates.json");
  expect((await runHere(["gates", "prompt", config])).out).toContain("What for?");
  const answer =
    'Sure:\n```json\n{"summary":"","gates":{"goal":{"raw":"a test"}},"status":{"pass":false,}}\n```\n';
  const passed = await runHere(["gates", "check", config], answer);
  expect(passed).toMatchObject({ code: 0, out: "PASS\n" });
  expect(passed.err).toContain("[Warning] Repaired");
  const open = await runHere(
    ["gates", "check", config, "--json"],
    '{"summary":"","gates":{"goal":{"raw":null}},"status":{"pass":true}}',
  );
  expect(open.code).toBe(1);
  expect(JSON.parse(open.out)).toMatchObject({ ok: true, decision: { pass: false, next_gate: "goal" } });
  const wrong = await runHere(["gates", "check", config], '{"gates":{}}');
  expect(wrong).toMatchObject({ code: 1, out: "" });
  expect(wrong.err).toMatch(/^\[Error\] Your last answer could not be used/);
  const taken = await runHere(["gates", "extract"], "so: {a: 1, 'b': [2,]} ok");
  expect(JSON.parse(taken.out)).toEqual({ a: 1, b: [2] });
  expect(taken.err).toContain("[Repaired]");
  expect((await runHere(["gates", "extract"], "nothing")).code).toBe(1);
  expect((await runHere(["gates", "check", join(config, "..", "none.json")], answer)).err).toContain(
    "There is no such file",
  );
  expect((await runHere(["gates", "prompt", "-"], "{}")).code).toBe(2);
});

test("[CLI-13] a misfit is told with paths of the folder, and of a diff in its lines", async () => {
  const folder = scratch({ "src/a.txt": "1\n2\n3\n4\n5\n" });
  const diff = (name: string): string =>
    `--- a/${name}\n+++ b/${name}\n@@ -2,3 +2,3 @@\n 2\n-THREE\n+three\n 4\n`;
  const check = (patch: string): Promise<Ran> => runHere(["patch", "check", "-", "-C", folder], patch);
  const misfit = await check(diff("src/a.txt"));
  expect(misfit.code).toBe(1);
  expect(misfit.err).toContain('- src/a.txt, line 3: the diff has "THREE", the file "3".');
  const missing = await check(diff("src/none.txt"));
  expect(missing.err.match(/src\/none\.txt/g)).toHaveLength(1);
  const operations = [{ file: "src/a.txt", line: 3, op: "delete", old: "x" }];
  const ndpatch = await check(JSON.stringify({ operations }));
  expect(ndpatch.err).toContain("operations[0] (delete line 3 of src/a.txt)");
  const fits = await check(diff("src/a.txt").replace("-THREE", "-3"));
  expect(fits.out).toContain("- src/a.txt: +1 -1");
  for (const { err, out } of [misfit, missing, ndpatch, fits])
    expect(err + out).not.toMatch(/\/workspace|"line":/);
});
