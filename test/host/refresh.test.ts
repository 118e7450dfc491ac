import { execFileSync } from "node:child_process";
import {
  chmodSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { HoldfastError } from "../../src/errors.ts";
import { commitAs, type Actor } from "../../src/session/actor.ts";
import { foldersSlice, holdChanges } from "../../src/session/folders/folders-slice.ts";
import { memoryStore } from "../../src/store/index.ts";
import type { RefreshReport, Session } from "../../src/tools/index.ts";
import { contents, put, type Hosted } from "../session/host-session.ts";
import { beforeAppend } from "../store/before-append.ts";
import { folderCore } from "./folder-core.ts";
import { filesIn, folderOf, opened } from "./folder.ts";

const HOST: Actor = { agent: "host", role: "host", now: () => new Date() };

const TEN = Array.from({ length: 10 }, (_, i) => `line ${i + 1}\n`).join("");

function mounted(from: string, rest: object = {}): Promise<Hosted> {
  return opened({ mounts: [{ from, to: "/workspace", ...rest }] });
}

function outsideOf(session: Session): Promise<string[]> {
  return session
    .outsideChanges()
    .then((all) => all.map(({ path, change }) => `${change} ${path.slice("/workspace/".length)}`));
}

function shown({ changed, conflicts }: RefreshReport): string[] {
  const name = (path: string): string => path.slice("/workspace/".length);
  return [
    ...changed.map(({ path, how }) => `${how} ${name(path)}`),
    ...conflicts.map(({ path }) => `conflict ${name(path)}`),
  ];
}

async function reasonOf(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
  } catch (error) {
    if (HoldfastError.is(error)) return `${error.code} / ${error.reason}`;
    throw error;
  }
  return "no error";
}

test("[HOST-60] lists what came, went, changed its bytes or its mode, and nothing else", async () => {
  const from = folderOf({ a: "1", b: "2", c: "3", d: "4", same: "5" });
  const { session, as } = await mounted(from);
  await put(as("ann"), "same", "changed by an agent");
  expect(await outsideOf(session)).toEqual([]);
  writeFileSync(join(from, "a"), "9");
  rmSync(join(from, "b"));
  chmodSync(join(from, "c"), 0o755);
  folderOf({ "new/e": "5" }, from);
  expect(await outsideOf(session)).toEqual(["changed a", "deleted b", "changed c", "created new/e"]);
  writeFileSync(join(from, "a"), "1");
  expect(await outsideOf(session)).toEqual(["deleted b", "changed c", "created new/e"]);
  expect(await session.log()).toHaveLength(2);
});

test("[HOST-60] what cannot be read is not taken for deleted, and an ignored file stays known", async () => {
  const from = folderOf({ "d/f": "1", g: "2", h: "3" });
  const { session } = await mounted(from, { gitignore: true });
  renameSync(join(from, "d"), join(from, "e"));
  symlinkSync("e", join(from, "d"));
  rmSync(join(from, "g"));
  execFileSync("mknod", [join(from, "g"), "p"]);
  folderOf({ ".gitignore": "h\ne\n" }, from);
  expect(await outsideOf(session)).toEqual(["created .gitignore", "unreadable d/f", "unreadable g"]);
  const { changed, unreadable } = await session.refresh();
  expect(changed.map(({ how }) => how)).toEqual(["created"]);
  expect(unreadable.map(({ reason }) => reason)).toEqual(["symlink", "special_file"]);
  expect(await contents(session)).toEqual({ ".gitignore": "h\ne\n", "d/f": "1", g: "2", h: "3" });
});

test("[HOST-61] brings everything in as one record by the host, once, and leaves the folder alone", async () => {
  const from = folderOf({ a: "1\n", b: "2\n", c: "3\n", bin: new Uint8Array([0xff, 0]) });
  const { session } = await mounted(from);
  writeFileSync(join(from, "a"), "one\n");
  rmSync(join(from, "b"));
  chmodSync(join(from, "c"), 0o755);
  writeFileSync(join(from, "bin"), new Uint8Array([0xfe, 0]));
  folderOf({ "new/e": "5" }, from);
  const report = await session.refresh();
  expect(shown(report)).toEqual(["changed a", "deleted b", "changed bin", "changed c", "created new/e"]);
  expect(session.files().map(({ path }) => path)).not.toContain("/workspace/b");
  expect(session.files().find(({ path }) => path === "/workspace/c")?.executable).toBe(true);
  const log = await session.log();
  expect(log.at(-1)).toMatchObject({ kind: "refresh", agent: "host", seq: report.position.seq });
  const again = await session.refresh();
  expect(shown(again)).toEqual([]);
  expect(again.position).toEqual(report.position);
  expect(readFileSync(join(from, "a"), "utf8")).toBe("one\n");
  expect((await session.verify({ states: true })).ok).toBe(true);
});

test("[HOST-62] lines that stay are whose they were, and an edit before can be undone beneath it", async () => {
  const from = folderOf({ f: TEN });
  const { session, as } = await mounted(from);
  await put(as("ann"), "f", TEN.replace("line 2\n", "ann 2\n"));
  writeFileSync(join(from, "f"), TEN.replace("line 9\n", "host 9\n"));
  expect(shown(await session.refresh())).toEqual(["merged f"]);
  const blame = await session.blame({ path: "f" });
  expect(blame.runs.map(({ first, last, by }) => [first, last, by?.agent, by?.tool].join(" "))).toEqual([
    "1 1 host mount",
    "2 2 ann write_file",
    "3 8 host mount",
    "9 9 host refresh",
    "10 10 host mount",
  ]);
  await session.undo({ record: 2 });
  expect((await contents(session))["f"]).toBe(TEN.replace("line 9\n", "host 9\n"));
});

test("[HOST-63] merges what fits together, again and again, also in a file that was moved", async () => {
  const from = folderOf({ f: TEN, g: TEN });
  const { session, as } = await mounted(from);
  const ann = as("ann");
  await put(ann, "f", TEN.replace("line 2\n", "ann 2\nann 2b\n"));
  await ann.call("move_file", { source: "g", destination: "moved/g" });
  writeFileSync(join(from, "f"), TEN.replace("line 5\n", "host 5\n"));
  writeFileSync(join(from, "g"), `${TEN}host 11\n`);
  expect(shown(await session.refresh())).toEqual(["merged f", "changed g"]);
  writeFileSync(join(from, "f"), TEN.replace("line 5\n", "host 5\n").replace("line 7\n", ""));
  expect(shown(await session.refresh())).toEqual(["merged f"]);
  expect(await outsideOf(session)).toEqual([]);
  expect(await contents(session)).toEqual({
    f: TEN.replace("line 2\n", "ann 2\nann 2b\n").replace("line 5\n", "host 5\n").replace("line 7\n", ""),
    "moved/g": `${TEN}host 11\n`,
  });
});

test("[HOST-63] a line is never glued to text of the other side: such a file is a conflict", async () => {
  const from = folderOf({ end: "a\n", last: "a\nb", fits: "a\n", before: "a\n" });
  const { session, as } = await mounted(from);
  const ann = as("ann");
  await put(ann, "end", "a\nann");
  await put(ann, "last", "a\nb, ann");
  await put(ann, "fits", "a\nann\n");
  await put(ann, "before", "ann\na\n");
  folderOf({ end: "a\nhost\n", last: "a\nhost", fits: "a\nhost", before: "a\nhost\n" }, from);
  expect(shown(await session.refresh())).toEqual([
    "merged before",
    "merged fits",
    "conflict end",
    "conflict last",
  ]);
  expect(await contents(session)).toEqual({
    end: "a\nann",
    last: "a\nb, ann",
    fits: "a\nann\nhost",
    before: "ann\na\nhost\n",
  });
});

test("[HOST-64] lists what does not fit together with all three sides, and brings in the rest", async () => {
  const from = folderOf({ both: TEN, cut: TEN, gone: "1\n", kept: "2\n", other: "3\n" });
  const { session, as } = await mounted(from);
  const ann = as("ann");
  await put(ann, "both", TEN.replace("line 2", "ann 2"));
  await put(ann, "cut", TEN.replace("line 2\n", ""));
  await put(ann, "gone", "ann\n");
  await put(ann, "new", "ann\n");
  await put(ann, "twin", "same\n");
  await ann.call("delete_file", { path: "kept" });
  writeFileSync(join(from, "both"), TEN.replace("line 2", "host 2"));
  writeFileSync(join(from, "cut"), TEN.replace("line 2", "before 2\nline 2"));
  rmSync(join(from, "gone"));
  writeFileSync(join(from, "kept"), "host\n");
  folderOf({ new: "host\n", twin: "same\n", other: "4\n" }, from);
  const before = await contents(session);
  const report = await session.refresh();
  expect(shown(report)).toEqual([
    "changed other",
    "same twin",
    "conflict gone",
    "conflict both",
    "conflict cut",
    "conflict kept",
    "conflict new",
  ]);
  expect(
    report.conflicts.map(({ base, session, outside }) => [base?.text, session?.text, outside?.text]),
  ).toEqual([
    ["1\n", "ann\n", undefined],
    [TEN, before["both"], TEN.replace("line 2", "host 2")],
    [TEN, before["cut"], TEN.replace("line 2", "before 2\nline 2")],
    ["2\n", undefined, "host\n"],
    [undefined, "ann\n", "host\n"],
  ]);
  expect(await contents(session)).toEqual({ ...before, other: "4\n" });
});

test("[HOST-65] takes the side it is told, and loses neither text", async () => {
  const from = folderOf({ a: "base\n", b: "base\n", c: "base\n", d: "base\n" });
  const { session, as } = await mounted(from);
  for (const path of ["a", "b", "c"]) await put(as("ann"), path, `ann ${path}\n`);
  await as("ann").call("delete_file", { path: "d" });
  for (const path of ["a", "b", "d"]) writeFileSync(join(from, path), `host ${path}\n`);
  rmSync(join(from, "c"));
  expect(shown(await session.refresh())).toEqual(["conflict c", "conflict a", "conflict b", "conflict d"]);
  expect(await reasonOf(session.refresh({ take: { a: "outside", nothing: "session" } }))).toBe(
    "invalid_argument / not_in_conflict",
  );
  expect((await contents(session))["a"]).toBe("ann a\n");
  const report = await session.refresh({ take: { a: "outside", b: "session", c: "session", d: "outside" } });
  expect(shown(report)).toEqual(["took_outside a", "kept_session b", "kept_session c", "took_outside d"]);
  expect(await contents(session)).toEqual({ a: "host a\n", b: "ann b\n", c: "ann c\n", d: "host d\n" });
  expect(shown(await session.refresh())).toEqual([]);
  const [kept, refreshed] = [report.position.seq, report.position.seq - 1];
  const before = await session.fork({ at: refreshed });
  expect((await contents(before))["b"]).toBe("host b\n");
  await before.close();
  await session.undo({ record: refreshed, path: "a" });
  expect((await contents(session))["a"]).toBe("ann a\n");
  await session.undo({ record: kept });
  expect((await contents(session))["b"]).toBe("host b\n");
});

test("[HOST-65] keeps the folder's text also when the session's is landed over it, and files that leave no place for it", async () => {
  const from = folderOf({ a: "1\n2\n3\n" });
  const { session, as } = await mounted(from);
  await put(as("ann"), "a", "1\ntwo\n3\n");
  await put(as("ann"), "c/d", "ann\n", "create");
  writeFileSync(join(from, "a"), "1\nPERSON\n3\n");
  writeFileSync(join(from, "c"), "a file\n");
  const { position } = await session.refresh({ take: { a: "session", c: "session" } });
  expect(await contents(session)).toEqual({ a: "1\ntwo\n3\n", "c/d": "ann\n" });
  const before = await session.fork({ at: position.seq - 1 });
  expect(await contents(before)).toEqual({ a: "1\nPERSON\n3\n", c: "a file\n" });
  await before.close();
  const plan = await session.plan({ paths: ["a"] });
  await plan.land();
  expect(readFileSync(join(from, "a"), "utf8")).toBe("1\ntwo\n3\n");
});

test("[HOST-170] what take keeps is written together with the folder's text, and read by nobody in between", async () => {
  const commits: string[] = [];
  const store = beforeAppend(
    memoryStore(),
    ({ kind, next }) => void commits.push(`${kind} ${next?.kind ?? ""}`),
  );
  const from = folderOf({ a: "1\n" });
  const { session, as } = await opened({ store, mounts: [{ from, to: "/workspace" }] });
  await put(as("ann"), "a", "ann\n");
  writeFileSync(join(from, "a"), "person\n");
  commits.length = 0;
  const seen = new Set<string>();
  let isDone = false;
  const refreshed = session.refresh({ take: { a: "session" } }).finally(() => (isDone = true));
  while (!isDone) {
    seen.add((await contents(session))["a"] ?? "");
    await new Promise((resolve) => setImmediate(resolve));
  }
  await refreshed;
  expect(commits).toEqual(["refresh restore"]);
  expect([...seen]).toEqual(["ann\n"]);
  expect((await session.log()).map(({ kind }) => kind).slice(-2)).toEqual(["refresh", "restore"]);
  expect((await session.verify({ states: true })).ok).toBe(true);
  await session.close();
});

test("[HOST-170] names that differ only in case, and files below one that is kept, are brought back as a whole", async () => {
  const from = folderOf({ z: "z\n" });
  const { session, as } = await opened({ names: "unicode", mounts: [{ from, to: "/workspace" }] });
  await put(as("ann"), "Notes.md", "agent\n");
  await put(as("ann"), "d", "file\n");
  folderOf({ "notes.md": "person\n", "d/x": "x\n", "d/y": "y\n" }, from);
  const before = await contents(session);
  const take = { "notes.md": "session", "d/x": "session", "d/y": "session" } as const;
  const dry = await session.refresh({ take, dryRun: true });
  const real = await session.refresh({ take });
  expect(shown(real)).toEqual(["kept_session d/x", "kept_session d/y", "kept_session notes.md"]);
  expect(shown(dry)).toEqual(shown(real));
  expect(await contents(session)).toEqual(before);
  expect(shown(await session.refresh())).toEqual([]);
  await (await session.plan()).land();
  expect(filesIn(from)).toEqual({ z: "z\n", "Notes.md": "agent\n", d: "file\n" });
  await session.close();
});

test("[HOST-170] a file that one that is kept leaves no place for waits, and is not taken otherwise", async () => {
  const from = folderOf({ z: "z\n" });
  const { session, as } = await mounted(from);
  await put(as("ann"), "d", "file\n");
  folderOf({ "d/x": "x\n", "d/y": "y\n" }, from);
  const { seq } = session.at;
  const both = { "d/x": "session", "d/y": "outside" } as const;
  expect(await reasonOf(session.refresh({ take: both }))).toBe("invalid_argument / bad_take");
  expect(session.at.seq).toBe(seq);
  expect(shown(await session.refresh({ take: { "d/x": "session" } }))).toEqual([
    "kept_session d/x",
    "conflict d/y",
  ]);
  expect(await contents(session)).toEqual({ z: "z\n", d: "file\n" });
  expect(shown(await session.refresh({ take: { "d/y": "outside" } }))).toEqual(["took_outside d/y"]);
  await session.close();
});

test("[HOST-166] what take keeps is offered as the work of who wrote it, and found by their names", async () => {
  const from = folderOf({ a: "1\n2\n3\n", b: "1\n2\n3\n", d: "base\n" });
  const { session, as } = await mounted(from);
  await put(as("ann"), "a", "1\ntwo\n3\n");
  const wrote = session.at.seq;
  await put(as("bob"), "b", "1\nzwei\n3\n");
  await as("ann").call("delete_file", { path: "d" });
  for (const path of ["a", "b"]) writeFileSync(join(from, path), "1\nPERSON\n3\n");
  writeFileSync(join(from, "d"), "person\n");
  const { position } = await session.refresh({ take: { a: "session", b: "session", d: "session" } });
  const offered = async (choice: object): Promise<string[]> =>
    (await session.plan(choice)).files.map(
      ({ path, kind, agents, hunks }) =>
        `${kind} ${path.slice("/workspace/".length)} ${agents.join("+")} ${hunks.map((hunk) => hunk.agents.join("+")).join()}`,
    );
  const anns = ["change a ann ann", "delete d ann "];
  expect(await offered({})).toEqual([anns[0], "change b bob bob", anns[1]]);
  expect(await offered({ agents: ["ann"] })).toEqual(anns);
  expect(await offered({ records: [wrote] })).toEqual(["change a ann ann"]);
  expect(await offered({ records: [position.seq] })).toEqual([
    "change a host host",
    "change b host host",
    "delete d host ",
  ]);
  expect(await offered({ agents: ["eve"] })).toEqual([]);
  await (await session.plan({ agents: ["ann"] })).land();
  expect(readFileSync(join(from, "a"), "utf8")).toBe("1\ntwo\n3\n");
  expect(readFileSync(join(from, "b"), "utf8")).toBe("1\nPERSON\n3\n");
  expect(await offered({})).toEqual(["change b bob bob"]);
  await (await session.plan({ agents: ["bob"] })).land();
  expect(await offered({})).toEqual([]);
});

test("[HOST-66] a dry run reports the same and writes nothing", async () => {
  const from = folderOf({ a: "1\n", b: "2\n" });
  const { session, as } = await mounted(from);
  await put(as("ann"), "b", "ann\n");
  writeFileSync(join(from, "a"), "one\n");
  writeFileSync(join(from, "b"), "host\n");
  const at = session.at;
  const dry = await session.refresh({ dryRun: true });
  expect(session.at).toEqual(at);
  const done = await session.refresh();
  expect(shown(dry)).toEqual(shown(done));
  expect(dry.conflicts).toEqual(done.conflicts);
  expect((await contents(session))["a"]).toBe("one\n");
});

test("[HOST-67] undo, restore and pruning do not change what the folders hold; reset sets it anew", async () => {
  const from = folderOf({ a: "1\n", b: "2\n" });
  const { session, as } = await mounted(from);
  writeFileSync(join(from, "a"), "one\n");
  const refreshed = await session.refresh();
  await session.undo({ record: refreshed.position.seq });
  expect((await contents(session))["a"]).toBe("1\n");
  expect(await outsideOf(session)).toEqual([]);
  await session.restore({ to: 1 });
  await put(as("ann"), "b", "ann\n");
  expect(await outsideOf(session)).toEqual([]);
  await session.prune({ before: session.at.seq + 1 });
  expect(await outsideOf(session)).toEqual([]);
  writeFileSync(join(from, "b"), "host\n");
  const [conflict] = (await session.refresh()).conflicts;
  expect([conflict?.base?.text, conflict?.session?.text, conflict?.outside?.text]).toEqual([
    "2\n",
    "ann\n",
    "host\n",
  ]);
  await session.reset();
  expect(await contents(session)).toEqual({ a: "one\n", b: "host\n" });
  expect(await outsideOf(session)).toEqual([]);
});

test("[HOST-148] a file that a person makes where the session has moved one is another file, whichever side is taken", async () => {
  for (const side of ["session", "outside"] as const) {
    const from = folderOf({ x: "one\n", keep: "k\n" });
    const { session, as } = await opened({ mounts: [{ from, to: "/workspace" }] });
    await as("ann").call("move_file", { source: "x", destination: "c" });
    writeFileSync(join(from, "c"), "person\n");
    expect((await session.refresh()).conflicts).toMatchObject([
      { path: "/workspace/c", base: null, session: null, inTheWay: "/workspace/c" },
    ]);
    await session.refresh({ take: { c: side } });
    const kept = { c: "one\n", keep: "k\n" };
    const taken = { c: "person\n", keep: "k\n", x: "one\n" };
    expect(await contents(session)).toEqual(side === "session" ? kept : taken);
    const plan = await session.plan();
    expect(plan.isEmpty).toBe(side === "outside");
    expect(plan.conflicts).toEqual([]);
    if (side === "session") await plan.land();
    expect(readdirSync(from).toSorted()).toEqual(Object.keys(side === "session" ? kept : taken));
    expect(readFileSync(join(from, "c"), "utf8")).toBe(side === "session" ? "one\n" : "person\n");
    expect((await session.plan()).isEmpty).toBe(true);
    await session.close();
  }
});

test("[HOST-148] so is one that is made where a file was deleted that the folder has elsewhere", async () => {
  const from = folderOf({ x: "one\n" });
  const { session, as } = await opened({ mounts: [{ from, to: "/workspace" }] });
  await as("ann").call("move_file", { source: "x", destination: "c" });
  await as("ann").call("delete_file", { path: "c" });
  writeFileSync(join(from, "c"), "person\n");
  expect((await session.refresh()).changed).toEqual([{ path: "/workspace/c", how: "created" }]);
  const plan = await session.plan();
  expect(plan.files).toMatchObject([{ path: "/workspace/x", kind: "delete" }]);
  await plan.land();
  expect(readdirSync(from)).toEqual(["c"]);
  await session.close();
});

test("[HOST-148] a file that both sides moved to one place is the same there, with the changes of both", async () => {
  const from = folderOf({ x: "one\ntwo\nthree\nfour\n" });
  const { session, as } = await opened({ mounts: [{ from, to: "/workspace" }] });
  await as("ann").call("move_file", { source: "x", destination: "c" });
  await put(as("ann"), "c", "ONE\ntwo\nthree\nfour\n");
  renameSync(join(from, "x"), join(from, "c"));
  writeFileSync(join(from, "c"), "one\ntwo\nthree\nFOUR\n");
  expect(await session.refresh()).toMatchObject({
    changed: [{ path: "/workspace/c", how: "merged" }],
    conflicts: [],
  });
  expect(await contents(session)).toEqual({ c: "ONE\ntwo\nthree\nFOUR\n" });
  expect(await session.outsideChanges()).toEqual([]);
  const plan = await session.plan();
  expect(plan.files).toMatchObject([{ path: "/workspace/c", kind: "change", agents: ["ann"] }]);
  await session.close();
});

test("[HOST-148] a file whose history does not make what it holds is compared line by line, and stops no other", async () => {
  const from = folderOf({ x: "one\ntwo\n", keep: "k\n" });
  const { core, folders, write, close } = await folderCore({ from, to: "/workspace" });
  await write("keep", "K\n");
  // The folder holds one file at two paths, as sessions of an earlier version may have it.
  await commitAs(core, HOST, "refresh", null, async (draft) => {
    const { files } = draft.state(foldersSlice);
    const x = files.get("x");
    if (x !== undefined)
      for (const change of holdChanges({ files: [{ ...x, path: "/workspace/c" as never }], gone: [] }, false))
        draft.change(change);
  });
  writeFileSync(join(from, "c"), "one\ntwo\n");
  await write("x", "one\n2\n");
  const plan = await folders.plan({});
  expect(plan.files.map(({ path, kind }) => `${kind} ${path}`)).toEqual([
    "delete /workspace/c",
    "change /workspace/keep",
    "change /workspace/x",
  ]);
  expect((await folders.plan({ paths: ["keep"] })).files).toHaveLength(1);
  await plan.land();
  expect(readdirSync(from).toSorted()).toEqual(["keep", "x"]);
  expect(readFileSync(join(from, "x"), "utf8")).toBe("one\n2\n");
  expect((await folders.plan({})).isEmpty).toBe(true);
  await close();
});

test("[HOST-149] a directory in the place of a file is the file's deletion, in one refresh with what is in it", async () => {
  const from = folderOf({ util: "one\n", b: "b\n" });
  const { session, as } = await mounted(from);
  await put(as("ann"), "b", "ann\n");
  rmSync(join(from, "util"));
  folderOf({ "util/index": "person\n" }, from);
  expect(await outsideOf(session)).toEqual(["deleted util", "created util/index"]);
  expect(shown(await session.refresh())).toEqual(["deleted util", "created util/index"]);
  expect(await outsideOf(session)).toEqual([]);
  await (await session.plan()).land();
  expect(await contents(session)).toEqual({ b: "ann\n", "util/index": "person\n" });
  expect((await session.plan()).isEmpty).toBe(true);
  await session.close();
});

test("[HOST-149] where the session has changed the file, taking the folder's side settles it", async () => {
  const from = folderOf({ x: "one\n" });
  const { session, as } = await mounted(from);
  await as("ann").call("move_file", { source: "x", destination: "z" });
  rmSync(join(from, "x"));
  folderOf({ "x/y": "person\n" }, from);
  expect(shown(await session.refresh())).toEqual(["created x/y", "conflict x"]);
  expect(shown(await session.refresh({ take: { x: "outside" } }))).toEqual(["took_outside x"]);
  expect(await outsideOf(session)).toEqual([]);
  expect((await session.plan()).isEmpty).toBe(true);
  await session.close();
});

test("[HOST-60] of names that differ only in case the one that is known is the file, whatever their order", async () => {
  for (const [known, fresh] of [
    ["A.txt", "a.txt"],
    ["a.txt", "A.txt"],
    ["d/f", "D/f"],
  ] as const) {
    const from = folderOf({ [known]: "1\n" });
    const { session } = await mounted(from);
    folderOf({ [fresh]: "new\n", [known]: "2\n" }, from);
    const { changed, conflicts, unreadable } = await session.refresh();
    expect([changed, conflicts]).toEqual([[{ path: `/workspace/${known}`, how: "changed" }], []]);
    expect(unreadable).toEqual([{ path: `/workspace/${fresh}`, reason: "case_clash" }]);
    await session.close();
  }
});

test("[HOST-147] a file whose name differs only in case from one that the folder has stays listed", async () => {
  const from = folderOf({ "A.txt": "one\n" });
  const { session } = await mounted(from);
  writeFileSync(join(from, "a.txt"), "person\n");
  for (let i = 0; i < 2; i++) {
    expect(await outsideOf(session)).toEqual(["unreadable a.txt"]);
    expect((await session.refresh()).unreadable).toEqual([
      { path: "/workspace/a.txt", reason: "case_clash" },
    ]);
  }
  rmSync(join(from, "A.txt"));
  expect(shown(await session.refresh())).toEqual(["deleted A.txt", "created a.txt"]);
  await session.close();
});

test("[HOST-193] a file that is gone and one of its name in another case that came name each other, in a plan too", async () => {
  for (const [known, fresh] of [
    ["a.txt", "A.txt"],
    ["d/f", "D/f"],
  ] as const)
    for (const take of [
      { [known]: "outside" },
      { [fresh]: "outside" },
      { [known]: "session", [fresh]: "session" },
    ] as const) {
      const from = folderOf({ k: "k\n", [known]: "1\n" });
      const { session, as } = await mounted(from);
      await put(as("ann"), known, "ann\n");
      rmSync(join(from, known));
      folderOf({ [fresh]: "person\n" }, from);
      const dry = await session.refresh({ dryRun: true });
      const { conflicts } = await session.refresh();
      expect(Object.fromEntries(conflicts.map(({ path, inTheWay }) => [path, inTheWay]))).toEqual({
        [`/workspace/${known}`]: `/workspace/${fresh}`,
        [`/workspace/${fresh}`]: `/workspace/${known}`,
      });
      expect(dry.conflicts).toEqual(conflicts);
      const plan = await session.plan();
      expect(plan.conflicts).toMatchObject([
        {
          path: `/workspace/${known}`,
          reason: "in_the_way",
          obstacle: { path: `/workspace/${fresh}`, what: "file" },
          folder: null,
        },
      ]);
      expect(await reasonOf(plan.land())).toBe("conflict / in_the_way");
      const { conflicts: foreseen } = await session.refresh({ take, dryRun: true });
      const settled = await session.refresh({ take });
      expect([settled.conflicts, foreseen]).toEqual([[], []]);
      const isKept = Object.values(take).includes("session");
      const how = isKept ? "kept_session" : "took_outside";
      expect(shown(settled).toSorted()).toEqual([`${how} ${fresh}`, `${how} ${known}`]);
      const left = { k: "k\n", ...(isKept ? { [known]: "ann\n" } : { [fresh]: "person\n" }) };
      expect(await contents(session)).toEqual(left);
      expect(shown(await session.refresh())).toEqual([]);
      const next = await session.plan();
      expect(next.isEmpty).toBe(!isKept);
      if (isKept) await next.land();
      expect(filesIn(from)).toEqual(left);
      await session.close();
    }
});

test("[HOST-193] the plan's advice works: the twin is moved away, and the session's file kept", async () => {
  const from = folderOf({ "a.txt": "1\n" });
  const { session, as } = await mounted(from);
  await put(as("ann"), "a.txt", "ann\n");
  renameSync(join(from, "a.txt"), join(from, "A.txt"));
  const refused = await (await session.plan()).land().catch((error: unknown) => error);
  expect(String(refused)).toContain(
    'Move it away there and refresh the session (take: "session" keeps its file)',
  );
  renameSync(join(from, "A.txt"), join(from, "b.txt"));
  expect(shown(await session.refresh({ take: { "a.txt": "session" } }))).toEqual([
    "kept_session a.txt",
    "created b.txt",
  ]);
  await (await session.plan()).land();
  expect(filesIn(from)).toEqual({ "a.txt": "ann\n", "b.txt": "1\n" });
  await session.close();
});

test("[HOST-63] no text comes to be before a byte order mark: such a file is a conflict", async () => {
  const from = folderOf({ head: "one\ntwo\n", end: "one\ntwo\nthree\n" });
  const { session, as } = await mounted(from);
  await put(as("ann"), "head", "HEAD\none\ntwo\n");
  await put(as("ann"), "end", "one\ntwo\nTHREE\n");
  folderOf({ head: "\uFEFFone\ntwo\n", end: "\uFEFFone\ntwo\nthree\n" }, from);
  expect(shown(await session.refresh())).toEqual(["merged end", "conflict head"]);
  const bytes = await session.workspace.read("end");
  expect(new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes)).toBe("\uFEFFone\ntwo\nTHREE\n");
});
