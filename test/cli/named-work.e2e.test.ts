import { existsSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Ran } from "./command.ts";
import { scratch, workedIn } from "./folder.ts";
import { runHere } from "./run-here.ts";

interface Worked {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly holdfast: (...args: string[]) => Promise<Ran>;
}

/** A folder in whose session `coder` changed src/a.txt (record 3) and `writer` made new.txt (record 4). */
async function worked(): Promise<Worked> {
  const folder = scratch({ "src/a.txt": "one\ntwo\nthree\n" });
  const env = { HOLDFAST_STORE: join(scratch(), "kept") };
  await workedIn(folder, env.HOLDFAST_STORE, [
    ["coder", "edit_file", { path: "src/a.txt", edits: [{ old_text: "two", new_text: "2" }] }],
    ["writer", "write_file", { path: "new.txt", content: "n\n" }],
  ]);
  return { folder, env, holdfast: (...args) => runHere(args, "", env, folder) };
}

test("[CLI-23] --since without --agent is a wrong command line, and takes nothing back", async () => {
  const { holdfast } = await worked();
  for (const words of [
    ["undo", "--since", "9"],
    ["undo", "3", "--since", "3"],
    ["session", "undo", "--since", "1"],
  ]) {
    const refused = await holdfast(...words);
    expect(refused, words.join(" ")).toMatchObject({ code: 2, out: "" });
    expect(refused.err).toContain("--since goes with --agent");
  }
  expect((await holdfast("session", "log")).out).not.toContain("undo");
  expect((await holdfast("undo", "--agent", "coder", "--since", "2")).out).toContain("Undid 1 record: 3");
});

test("[CLI-23] undo --partial names each record that is not undone, with the reason", async () => {
  const folder = scratch({ "a.txt": "one\ntwo\n" });
  const env = { HOLDFAST_STORE: join(scratch(), "store") };
  await workedIn(folder, env.HOLDFAST_STORE, [
    ["coder", "edit_file", { path: "a.txt", edits: [{ old_text: "two", new_text: "2" }] }],
    ["coder", "write_file", { path: "b.txt", content: "b\n" }],
    ["writer", "edit_file", { path: "a.txt", edits: [{ old_text: "2", new_text: "2.0" }] }],
  ]);
  const { out } = await runHere(["undo", "--agent", "coder", "--partial"], "", env, folder);
  expect(out).toMatch(/^Undid 1 record: 4\nNot undone: record 3: .+/);
});

/** A folder whose only line got its ending from `ann` (record 3) and another line after it from `bob` (record 4). */
async function glued(): Promise<Worked> {
  const folder = scratch({ "a.txt": "alpha\nbeta" });
  const env = { HOLDFAST_STORE: join(scratch(), "kept") };
  await workedIn(folder, env.HOLDFAST_STORE, [
    ["ann", "write_file", { path: "a.txt", mode: "append", content: "\n" }],
    ["bob", "write_file", { path: "a.txt", mode: "append", content: "gamma\n" }],
  ]);
  return { folder, env, holdfast: (...args) => runHere(args, "", env, folder) };
}

test("[CLI-23] [HIST-44] records that a refusal advises to undo together are undone so", async () => {
  for (const words of [["undo"], ["session", "undo"]]) {
    const { holdfast } = await glued();
    const refused = await holdfast(...words, "3");
    expect(refused, words.join(" ")).toMatchObject({ code: 1, out: "" });
    const [, advised = ""] = /Undo records ([\d, and]+) together\.\n$/.exec(refused.err) ?? [];
    const records = advised.match(/\d+/g) ?? [];
    expect(records).toEqual(["3", "4"]);
    expect((await holdfast(...words, ...records, "--dry-run")).out).toBe("Would undo 2 records: 4, 3\n");
    expect(await holdfast(...words, ...records)).toMatchObject({ code: 0, out: "Undid 2 records: 4, 3\n" });
    expect((await holdfast("diff")).err).toBe("No changes.\n");
  }
});

test("[CLI-23] [HIST-44] of very many records the message says how to list them, and the list can be typed", async () => {
  const folder = scratch({ "a.txt": "0\n" });
  const env = { HOLDFAST_STORE: join(scratch(), "kept") };
  await workedIn(
    folder,
    env.HOLDFAST_STORE,
    Array.from({ length: 12 }, (_, i) => [
      "ann",
      "write_file",
      { path: "a.txt", mode: "overwrite", content: `${i + 1}\n` },
    ]),
  );
  const holdfast = (...args: string[]): Promise<Ran> => runHere(args, "", env, folder);
  expect((await holdfast("undo", "3")).err).toMatch(
    /Undo records 3, .* and 2 more together \(--json lists all, as error\.data\.together\)\.\n$/,
  );
  const { error } = JSON.parse((await holdfast("undo", "3", "--json")).out) as {
    error: { data: { together: number[] } };
  };
  expect(error.data.together).toHaveLength(12);
  expect(await holdfast("undo", ...error.data.together.map(String))).toMatchObject({ code: 0 });
  expect((await holdfast("diff")).err).toBe("No changes.\n");
});

test("[CLI-23] several records are all undone or none, in any order, with the options of one", async () => {
  const { holdfast } = await worked();
  expect((await holdfast("undo", "3", "99")).err).toContain("There is no record 99");
  expect((await holdfast("session", "log")).out).not.toContain("undo");
  expect((await holdfast("undo", "3", "4", "4", "--path", "src", "--dry-run")).out).toBe(
    "Would undo 1 record: 3\n",
  );
  expect((await holdfast("undo", "--dry-run", "--", "3", "4")).out).toBe("Would undo 2 records: 4, 3\n");
  expect(JSON.parse((await holdfast("undo", "3", "4", "--json")).out)).toMatchObject({
    ok: true,
    undone: [4, 3],
    dryRun: false,
  });
  const { holdfast: other } = await glued();
  expect((await other("undo", "3", "4", "5")).err).toContain("There is no record 5");
  expect((await other("undo", "3", "--partial")).code).toBe(1);
});

test("[CLI-23] numbers that are none and records beside --agent are a wrong command line", async () => {
  const { holdfast } = await worked();
  for (const wrong of ["3,4", "0", "-1", "x", "1.5", ""]) {
    const refused = await holdfast("undo", "--", "3", wrong);
    expect(refused, wrong).toMatchObject({ code: 2, out: "" });
    expect(refused.err).toContain(`'${wrong}' is invalid for argument 'record'. It must be a whole number`);
  }
  expect((await holdfast("undo", "3,4")).err).toContain("Give several one by one.");
  const both = await holdfast("session", "undo", "3", "4", "--agent", "coder");
  expect(both).toMatchObject({ code: 2, out: "" });
  expect(both.err).toContain("Name records, or --agent for all that an agent did, not both.");
  expect((await holdfast("session", "log")).out).not.toContain("undo");
});

test("[CLI-23] of pruned records among several the message says what can be typed", async () => {
  const { holdfast } = await worked();
  await holdfast("session", "prune", "--before", "4");
  const { err } = await holdfast("undo", "3", "4");
  expect(err).toContain("Name later ones only, or add --partial to undo what can be.");
  expect((await holdfast("undo", "3", "4", "--partial")).out).toMatch(
    /^Undid 1 record: 4\nNot undone: record 3: it is pruned/,
  );
});

test("[CLI-50] an agent that did nothing and a record that there is not are refused", async () => {
  const { holdfast } = await worked();
  for (const words of [
    ["land", "--agent", "nobody", "--yes"],
    ["land", "--record", "99999", "--yes"],
    ["session", "log", "--agent", "nobody"],
  ]) {
    const refused = await holdfast(...words);
    expect(refused, words.join(" ")).toMatchObject({ code: 1, out: "" });
    expect(refused.err).toMatch(/nobody has done nothing in this session|There is no record 99999/);
  }
  expect((await holdfast("land", "--agent", "coder", "--record", "3", "--dry-run")).code).toBe(0);
});

test("[CLI-21] [CLI-49] log names paths as they are typed, and a landing by its number; blame refuses a directory", async () => {
  const { folder, env, holdfast } = await worked();
  expect((await holdfast("session", "log")).out).toMatch(/coder {2}edit_file {2}src\/a\.txt\n/);
  const below = await runHere(["session", "log"], "", env, join(folder, "src"));
  expect(below.out).toMatch(/coder {2}edit_file {2}a\.txt\n/);
  expect(below.out).toMatch(/writer {2}write_file {2}\.\.\/new\.txt\n/);
  const [, landing = ""] = /\(landing (\d+)\)/.exec((await holdfast("land", "--yes")).out) ?? [];
  expect((await holdfast("session", "log", "--limit", "1")).out).toMatch(
    new RegExp(`host {2}land {2}landing ${landing}\\n`),
  );
  const blamed = await holdfast("session", "blame", "src");
  expect(blamed).toMatchObject({ code: 1, out: "" });
  expect(blamed.err).toContain("src is a directory");
});

test("[CLI-49] refusals name paths as they are typed", async () => {
  const { holdfast } = await worked();
  for (const words of [
    ["refresh", "--take", "nope=outside"],
    ["refresh", "--take", "src/a.txt=outside"],
  ]) {
    const refused = await holdfast(...words);
    expect(refused.code, words.join(" ")).toBe(1);
    expect(refused.err).toMatch(/nope|src\/a\.txt/);
    expect(refused.err).not.toContain("/workspace");
  }
  expect((await holdfast("session", "directory")).code).toBe(0);
  const refused = await holdfast("session", "sync", "--take", "src/a.txt=outside");
  expect(refused.code).toBe(1);
  expect(refused.err).toContain("src/a.txt");
  expect(refused.err).not.toContain("/workspace");
});

test("[CLI-22] a snapshot's name is a position", async () => {
  const { holdfast } = await worked();
  await holdfast("session", "snapshot", "before x");
  await holdfast("undo");
  expect((await holdfast("session", "diff", "--from", "before x")).out).toContain("--- a/new.txt");
  expect((await holdfast("session", "restore", "before x")).out).toContain("Restored before x: 1 change");
  expect((await holdfast("session", "restore", "after x")).code).toBe(1);
});

test("[CLI-10] mcp refuses an agent's id and --create as call does, and a store that is not there is named", async () => {
  const folder = scratch();
  const store = join(scratch(), "none");
  for (const words of [
    ["mcp", folder, "--as", "host"],
    ["mcp", folder, "--as", "a b"],
    ["mcp", folder, "--create"],
    ["call", "--create", "list_directory"],
  ]) {
    const refused = await runHere([...words, "--store", store]);
    expect(refused, words.join(" ")).toMatchObject({ code: 2, out: "" });
    expect(existsSync(store)).toBe(false);
  }
  for (const words of [["status"], ["session", "list"]]) {
    const refused = await runHere([...words, "--store", store]);
    expect(refused.code).toBe(2);
    expect(refused.err).toContain(store);
    expect(refused.err).not.toContain("add --create");
  }
});

test("[CLI-51] where the folder was moved, every command that compares with it exits with 1 and says why", async () => {
  const { folder, env } = await worked();
  const { out } = await runHere(["session", "list", "--json"], "", env);
  const { sessions } = JSON.parse(out) as { sessions: { id: string }[] };
  const id = sessions[0]?.id ?? "";
  renameSync(folder, `${folder}-moved`);
  for (const words of [["status"], ["diff"], ["land", "--yes"], ["refresh"]]) {
    const refused = await runHere([...words, "-s", id], "", env);
    expect(refused.code, words.join(" ")).toBe(1);
    expect(refused.err).toContain("not all of it is there any more");
    expect(refused.err).toContain("holdfast session export");
  }
  expect((await runHere(["diff", "-s", id], "", env)).out).toContain("+2");
  renameSync(`${folder}-moved`, folder);
});

test("[CLI-54] [HOST-42] entries that are left out are told, and --mount takes the names that --folder takes", async () => {
  const long = "n".repeat(120);
  const folder = scratch({ "grün.txt": "g\n", [long]: "l\n", "a.txt": "a\n" });
  symlinkSync("a.txt", join(folder, "link"));
  writeFileSync(join(folder, "nul"), "device\n");
  const env = { HOLDFAST_STORE: join(scratch(), "kept") };
  const mounted = await runHere(["call", "--mount", folder, "list_directory"], "", env);
  expect(mounted.out).toContain("grün.txt");
  expect(mounted.out).toContain("0 directories, 3 files");
  const kept = await runHere(["call", "--folder", folder, "list_directory"], "", env);
  for (const { err } of [mounted, kept]) {
    expect(err).toContain("2 entries of the folder are not in the session:");
    expect(err).toContain("link (a symbolic link, which is not followed)");
    expect(err).toContain("nul (a name that a session cannot have)");
  }
  for (const words of [["status"], ["session", "show"]]) {
    expect((await runHere(words, "", env, folder)).out).toContain("link (a symbolic link");
    expect(JSON.parse((await runHere([...words, "--json"], "", env, folder)).out)).toMatchObject({
      skippedCount: 2,
    });
  }
});

test("[CLI-57] a cursor of a session that is gone is said to be none", async () => {
  const files = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`f${i}.txt`, "TODO ".repeat(20)]));
  const folder = scratch(files);
  const words = ["search_files", '{"pattern":"TODO","budget":1000}'];
  const gone = await runHere(["call", "--mount", folder, ...words]);
  expect(gone.code).toBe(0);
  expect(gone.err).toContain("This session is gone now");
  const env = { HOLDFAST_STORE: join(scratch(), "kept") };
  expect((await runHere(["call", "--folder", folder, ...words], "", env)).err).not.toContain("gone");
});

test("[CLI-14] extract --require refuses a text without an object that has the keys", async () => {
  const refused = await runHere(["gates", "extract", "--require", "status"], '{"a":1}');
  expect(refused).toMatchObject({ code: 1, out: "" });
  expect(refused.err).toContain("status");
  const json = await runHere(["gates", "extract", "--any", "--require", "a", "--json"], "[1]");
  expect(JSON.parse(json.out)).toMatchObject({ ok: false, error: { reason: "missing_key" } });
  const found = await runHere(["gates", "extract", "--require", "status"], 'So: {"a":1} and {"status":null}');
  expect(JSON.parse(found.out)).toEqual({ status: null });
});

test("[CLI-8] a file with {} lifts the gates of a stored session", async () => {
  const folder = scratch();
  const gates = join(scratch(), "gates.json");
  const env = { HOLDFAST_STORE: join(scratch(), "kept") };
  const write = (name: string, ...more: string[]): Promise<Ran> =>
    runHere(
      ["call", "--folder", folder, ...more, "write_file", JSON.stringify({ path: name, content: "" })],
      "",
      env,
    );
  writeFileSync(
    gates,
    JSON.stringify({ gate_order: ["goal"], gates: { goal: { question: "What for?", required: true } } }),
  );
  expect((await write("a", "--gates", gates)).code).toBe(1);
  expect((await write("a")).code).toBe(1);
  writeFileSync(gates, "{}");
  expect((await write("a", "--gates", gates)).code).toBe(0);
  expect((await write("b")).code).toBe(0);
});
