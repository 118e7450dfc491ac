import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Ran } from "./command.ts";
import { scratch, workedIn } from "./folder.ts";
import { runHere } from "./run-here.ts";

/** Commands in a folder, with a store of their own. */
function inFolder(folder: string): (...args: string[]) => Promise<Ran> {
  const store = scratch();
  return (...args) => runHere(args, "", { HOLDFAST_STORE: join(store, "kept") }, folder);
}

test("[CLI-7] [CLI-20] [CLI-23] a folder's session is found again, from inside it too; --new begins another", async () => {
  const folder = scratch({ "a.txt": "one\n", "sub/é.txt": "two\n", [`deep/${"x".repeat(200)}.txt`]: "y\n" });
  const holdfast = inFolder(folder);
  const none = await holdfast("status");
  expect(none).toMatchObject({ code: 2, out: "" });
  expect(none.err).toContain("There are no stored sessions yet");
  const made = await holdfast("call", "--folder", ".", "write_file", '{"path":"b.txt","content":"b\\n"}');
  expect(made.code).toBe(0);
  expect(made.err).toMatch(/^Session [0-9a-z-]+-1\n$/);
  const id = made.err.slice("Session ".length).trim();
  expect((await holdfast("call", "--folder", folder, "read_file", '{"path":"b.txt"}')).err).toBe("");
  const status = await holdfast("status", "--json");
  expect(JSON.parse(status.out)).toMatchObject({
    ok: true,
    id,
    folders: [folder],
    files: [{ path: "/workspace/b.txt", kind: "create" }],
  });
  expect(existsSync(join(folder, "b.txt"))).toBe(false);
  const read = await holdfast("call", "--folder", ".", "read_file", '{"path":"sub/é.txt"}');
  expect(read.out).toContain("two\n");
  const other = await holdfast("call", "--folder", ".", "--new", "list_directory");
  expect(other.err.trim()).toBe(`Session ${id.replace(/1$/, "2")}`);
  const fresh = await holdfast("status", "--json");
  expect(JSON.parse(fresh.out)).toMatchObject({ id: id.replace(/1$/, "2"), files: [] });
  const ambiguous = await holdfast("session", "show", "-s", id.slice(0, -1));
  expect(ambiguous.code).toBe(2);
  expect(ambiguous.err).toContain("2 sessions begin with");
  expect(JSON.parse((await holdfast("session", "show", "-s", id, "--json")).out)).toMatchObject({
    id,
    files: 4,
  });
});

/** A folder whose session holds two changes by `coder`. */
async function worked(): Promise<{ folder: string; holdfast: (...args: string[]) => Promise<Ran> }> {
  const folder = scratch({ "a.txt": "one\ntwo\n" });
  const store = join(scratch(), "kept");
  const env = { HOLDFAST_STORE: store };
  await workedIn(folder, store, [
    ["coder", "edit_file", { path: "a.txt", edits: [{ old_text: "two", new_text: "2" }] }],
    ["coder", "write_file", { path: "new.txt", content: "n\n" }],
  ]);
  return { folder, holdfast: (...args) => runHere(args, "", env, folder) };
}

const DIFF =
  "diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n" +
  "diff --git a/new.txt b/new.txt\nnew file mode 100644\n--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1 @@\n+n\n";

test("[CLI-21] [CLI-23] a session's history is read", async () => {
  const { holdfast } = await worked();
  const log = JSON.parse((await holdfast("session", "log", "--agent", "coder", "--json")).out) as {
    records: { seq: number; tool: string }[];
  };
  expect(log.records.map(({ tool }) => tool)).toEqual(["write_file", "edit_file"]);
  expect((await holdfast("diff")).out).toBe(DIFF);
  expect((await holdfast("session", "diff", "--from", "2", "--to", "3")).out).toBe(
    "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n",
  );
  expect((await holdfast("session", "diff", "new.txt", "--json")).out).toContain('"/workspace/new.txt"');
  expect((await holdfast("session", "blame", "a.txt")).out).toMatch(
    /host mount +1 {2}one\n.* coder edit_file +2 {2}2\n/,
  );
  expect((await holdfast("session", "verify", "--blobs")).out).toMatch(
    /^The history holds together: \d+ records checked\.\n$/,
  );
  const list = JSON.parse((await holdfast("session", "list", "--json")).out) as { sessions: object[] };
  expect(list.sessions).toHaveLength(1);
});

test("[CLI-22] [CLI-23] a session's changes are taken back and brought back", async () => {
  const { folder, holdfast } = await worked();
  const snapshot = await holdfast("session", "snapshot", "before");
  expect(snapshot.out).toMatch(/^Snapshot \S+: before\n$/);
  const dry = await holdfast("undo", "--dry-run");
  expect(dry.out).toMatch(/^Would undo 1 record: \d+\n$/);
  expect((await holdfast("undo")).out).toBe(dry.out.replace("Would undo", "Undid"));
  const all = await holdfast("undo", "--agent", "coder", "--dry-run");
  expect(all).toMatchObject({ code: 0, err: "" });
  expect((await holdfast("session", "undo", "--agent", "coder")).out).toBe(
    all.out.replace("Would undo", "Undid"),
  );
  expect((await holdfast("diff")).err).toBe("No changes.\n");
  const id = snapshot.out.split(" ")[1]?.replace(":", "") ?? "";
  expect((await holdfast("session", "restore", id)).code).toBe(0);
  expect((await holdfast("diff")).out).toBe(DIFF);
  expect((await holdfast("session", "undo", "999")).code).toBe(1);
  expect((await holdfast("session", "reset")).out).toContain("begins anew with 1 file");
  expect(readFileSync(join(folder, "a.txt"), "utf8")).toBe("one\ntwo\n");
});

test("[CLI-22] a session is copied, written out, pruned and removed", async () => {
  const { holdfast } = await worked();
  const out = join(scratch(), "out");
  expect((await holdfast("session", "export", out)).out).toContain("Wrote 2 files");
  expect(readFileSync(join(out, "a.txt"), "utf8")).toBe("one\n2\n");
  expect((await holdfast("session", "export", out)).code).toBe(2);
  const copy = (await holdfast("session", "fork")).out.replace("Session ", "").trim();
  expect((await holdfast("session", "show", "-s", copy)).out).toContain("2 files");
  expect((await holdfast("session", "prune", "--before", "3")).code).toBe(0);
  expect((await holdfast("session", "rm")).code).toBe(2);
  expect((await holdfast("session", "rm", "-s", copy)).out).toBe(`Removed session ${copy}\n`);
});

test("[CLI-24] --rules settles what agents may do where", async () => {
  const folder = scratch({ "rules.json": '[{"paths":["dist/**"],"deny":"write"}]', "bad.json": "{}" });
  mkdirSync(join(folder, "dist"));
  writeFileSync(join(folder, "dist", "a"), "");
  const rules = ["--rules", join(folder, "rules.json")];
  const denied = await runHere(["call", ...rules, "write_file", '{"path":"dist/a","content":"x"}']);
  expect(denied).toMatchObject({ code: 1, out: "" });
  expect((await runHere(["call", ...rules, "write_file", '{"path":"b","content":"x"}'])).code).toBe(0);
  expect((await runHere(["call", "--rules", join(folder, "bad.json"), "list_directory"])).code).toBe(2);
});
