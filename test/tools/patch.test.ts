import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Agent, Session } from "../../src/tools/index.ts";
import { bench, dataOf, EDITOR, OTHER, READER } from "./bench-session.ts";

async function write(agent: Agent, files: Record<string, string>): Promise<string> {
  let token = "";
  for (const [path, content] of Object.entries(files)) {
    const result = await agent.call("write_file", { path, content });
    if (!result.ok) throw new Error(result.text);
    token = result.token ?? "";
  }
  return token;
}

async function contents(session: Session): Promise<Record<string, string>> {
  const out: Record<string, string> = {};
  for (const { path } of session.files()) {
    const result = await session
      .as(READER)
      .call<{ content: string }>("read_file", { path, budget: 1_000_000 });
    out[path.slice("/workspace/".length)] = result.value?.content ?? "";
  }
  return out;
}

const TWO = { "a.txt": "one\r\ntwo\r\nthree", "b/c.txt": "x\ny\n" };
const patch = [
  { file: "a.txt", line: 2, op: "replace", old: "two", new: "2" },
  { file: "/workspace/b/c.txt", line: 1, op: "delete", old: "x" },
  { file: "new.txt", line: 1, op: "insert", new: "fresh" },
];

describe("apply_patch", () => {
  test("[NDP-70] changes all files in one commit, keeps endings, and can be undone", async () => {
    const { session } = await bench();
    const agent = session.as(EDITOR);
    await write(agent, TWO);
    const result = await agent.call("apply_patch", { patch });
    expect(result).toMatchObject({
      ok: true,
      value: {
        files: [
          { path: "/workspace/a.txt", status: "changed", added: 1, removed: 1, version: 2 },
          { path: "/workspace/b/c.txt", status: "changed", added: 0, removed: 1, version: 2 },
          { path: "/workspace/new.txt", status: "created", added: 1, version: 1 },
        ],
      },
    });
    expect(await contents(session)).toEqual({
      "a.txt": "one\r\n2\r\nthree",
      "b/c.txt": "y\n",
      "new.txt": "fresh\n",
    });
    const records = await session.log({ limit: 9 });
    expect(records).toHaveLength(3);
    expect(records[2]?.targets).toEqual(["file:/a.txt", "file:/b/c.txt", "file:/new.txt"]);
    expect(JSON.stringify(records[2]?.changes)).not.toContain("three");
    await agent.call("undo_changes");
    expect(await contents(session)).toEqual(TWO);
  });

  test("[NDP-71] a misfit stops everything and says what to resend", async () => {
    const { session } = await bench();
    const agent = session.as(EDITOR);
    await write(agent, TWO);
    const before = { at: session.at, files: session.files() };
    const [first, ...rest] = patch;
    const result = await agent.call("apply_patch", { patch: [{ ...first, line: 3 }, ...rest] });
    expect(result.error).toMatchObject({ code: "conflict", reason: "old_mismatch" });
    expect(dataOf(result)["conflicts"]).toMatchObject([
      { index: 0, line: 3, reason: "old_mismatch", resend: { line: 2 } },
    ]);
    expect(result.text).toContain("operations[0]");
    expect({ at: session.at, files: session.files() }).toEqual(before);
    const text = await agent.call("apply_patch", { patch: '[{"file": "a.txt", "line": 1,, }]' });
    expect(text.text).toMatch(/line 1, column 30/);
    const escape = await agent.call("apply_patch", {
      patch: [{ file: "../x", line: 1, op: "insert", new: "" }],
    });
    expect(escape.error).toMatchObject({ code: "invalid_argument", reason: "path_dot_segment" });
  });

  test("[CALL-104] lines are counted in the result of a rebase", async () => {
    const { session } = await bench();
    const agent = session.as(EDITOR);
    await write(agent, { "a.txt": "one\ntwo\nthree\n" });
    const expectedVersion = session.files()[0]?.token ?? "";
    await session.as(OTHER).call("write_file", { path: "a.txt", content: "four\n", mode: "append" });
    const patch = [{ file: "a.txt", line: 1, op: "replace", old: "one", new: "1" }];
    const done = await agent.call("apply_patch", { patch, expectedVersion, onConflict: "rebase" });
    expect(done.text).toContain("- /workspace/a.txt: +1 -1, now 4 lines");
  });

  test("[NDP-74] stale versions are refused, by base or by expectedVersion", async () => {
    const { session } = await bench();
    const agent = session.as(EDITOR);
    await write(agent, { "a.txt": "one\n" });
    const [file] = session.files();
    const token = file?.token ?? "";
    await session.as(OTHER).call("write_file", { path: "a.txt", content: "two\n", mode: "append" });
    const operations = [{ file: "a.txt", line: 1, op: "replace", old: "one", new: "1" }];
    const byBase = await agent.call("apply_patch", { patch: { operations, base: { "a.txt": token } } });
    expect(byBase.error).toMatchObject({ code: "conflict", reason: "stale_base" });
    const byVersion = await agent.call("apply_patch", {
      patch: operations,
      expectedVersion: { "a.txt": token },
    });
    expect(byVersion.error).toMatchObject({ code: "conflict", reason: "stale_version" });
    expect((await agent.call("apply_patch", { patch: operations })).ok).toBe(true);
  });

  test("[NDP-75] all text of a patch is bounded like any content, whatever its format", async () => {
    const { session } = await bench();
    const agent = session.as(EDITOR);
    const long = "x".repeat(48_001);
    const half = "x".repeat(24_000);
    const lines = Array.from({ length: 500 }, (_, i) => ` ${i} ${"y".repeat(95)}\n`).join("");
    for (const patch of [
      [{ file: "a", line: 1, op: "insert", new: long }],
      [{ file: "a", line: 1, op: "replace", old: long, new: "y" }],
      [{ file: "a", line: 1, op: "delete", old: long }],
      [{ file: "a", line: 1, op: "replace", old: half, new: half }],
      { operations: [{ file: "a", line: 1, op: "replace", old: long, new: "y" }] },
      JSON.stringify([{ file: "a", line: 1, op: "replace", old: long, new: "y" }]),
      `--- a/a\n+++ b/a\n@@ -1,500 +1,501 @@\n${lines}+new\n`,
      `*** Begin Patch\n*** Update File: a\n${lines}+new\n*** End Patch\n`,
      `a\n<<<<<<< SEARCH\n${lines}=======\nnew\n>>>>>>> REPLACE\n`,
    ])
      for (const tool of ["apply_patch", "check_patch"] as const) {
        const { error } = await agent.call(tool, { patch });
        expect(error, tool).toMatchObject({ reason: "content_too_large", data: { limit: 48_000 } });
        expect(error?.message).toContain("Split it into several patches.");
      }
  });

  test("[NDP-75] what a rename puts into files was not sent, and is bounded by itself", async () => {
    const { session } = await bench({ limits: { replaceBytes: 90_000 } });
    const agent = session.as(EDITOR);
    const text = `${"x".repeat(99)}\n`.repeat(400);
    await write(agent, { "a.txt": text, "b.txt": text });
    for (const path of ["a.txt", "b.txt"])
      await agent.call("write_file", { path, content: text, mode: "append" });
    const rename = (from: string, to: string): string =>
      `diff --git a/${from} b/${to}\nsimilarity index 100%\nrename from ${from}\nrename to ${to}\n`;
    const both = await agent.call("apply_patch", {
      patch: rename("a.txt", "c.txt") + rename("b.txt", "d.txt"),
    });
    expect(both.error).toMatchObject({ reason: "too_much_text", data: { size: 160_000, limit: 90_000 } });
    expect((await agent.call("apply_patch", { patch: rename("a.txt", "c.txt") })).ok).toBe(true);
    expect(Object.keys(await contents(session))).toEqual(["b.txt", "c.txt"]);
  });

  test("[NDP-70] patches of two agents on different lines of one file both land", async () => {
    const { session } = await bench();
    await write(session.as(EDITOR), { "a.txt": "1\n2\n3\n4\n" });
    const replace = (line: number) => ({
      patch: [{ file: "a.txt", line, op: "replace", old: String(line), new: `L${line}` }],
    });
    const results = await Promise.all(
      [1, 2, 3, 4].map((line) =>
        session.as(line % 2 === 0 ? EDITOR : OTHER).call("apply_patch", replace(line)),
      ),
    );
    expect(results.every((result) => result.ok)).toBe(true);
    expect(await contents(session)).toEqual({ "a.txt": "L1\nL2\nL3\nL4\n" });
  });
});

test("[NDP-72] check_patch shows hunks or conflicts, and changes nothing", async () => {
  const { session } = await bench();
  await write(session.as(EDITOR), TWO);
  const reader = session.as(READER);
  const { seq } = session.at;
  const good = await reader.call("check_patch", { patch });
  expect(good.value).toMatchObject({ applies: true, conflict_count: 0 });
  expect(good.text).toMatch(/^The patch applies: 3 operations on 3 files/);
  expect(good.text).toMatch(/- ?two/);
  const bad = await reader.call("check_patch", { patch: [{ file: "a.txt", line: 9, op: "delete" }] });
  expect(bad.value).toMatchObject({
    applies: false,
    conflicts: [{ index: 0, line: 9, reason: "out_of_range" }],
    conflict_count: 1,
  });
  expect(bad.text).toMatch(/^The patch does not apply: /);
  expect(session.at.seq).toBe(seq);
});

describe("patches that fit their lines", () => {
  const CLASHES = [
    [{ file: "src/A.ts", line: 1, op: "insert", new: "x" }],
    [{ file: "SRC/b.ts", line: 1, op: "insert", new: "x" }],
    [{ file: "src/a.ts/b", line: 1, op: "insert", new: "x" }],
    [{ file: "src", line: 1, op: "insert", new: "x" }],
    ["n", "N"].map((file) => ({ file, line: 1, op: "insert", new: "x" })),
    ["n", "n/m"].map((file) => ({ file, line: 1, op: "insert", new: "x" })),
    { operations: [], created: ["src/A.ts", "src", "n", "N/m"] },
  ];

  test("[NDP-76] and cannot be carried out are refused by check_patch as by apply_patch, with every clash", async () => {
    const { session } = await bench();
    const agent = session.as(EDITOR);
    await write(agent, { "src/a.ts": "a\n" });
    for (const clash of CLASHES) {
      const checked = await agent.call<{ applies: boolean; conflicts: { reason: string }[] }>("check_patch", {
        patch: clash,
      });
      const applied = await agent.call("apply_patch", { patch: clash });
      expect(checked.value?.applies).toBe(false);
      expect(applied.error?.code).toBe("conflict");
      expect(applied.error?.reason).toBe(checked.value?.conflicts[0]?.reason);
    }
    const all = await agent.call("apply_patch", { patch: CLASHES.at(-1) ?? [] });
    expect((dataOf(all)["conflicts"] as { reason: string }[]).map(({ reason }) => reason)).toEqual([
      "case_clash",
      "is_directory",
      "case_clash",
    ]);
    expect(all.text).toContain("/workspace/src/A.ts differs only in case from /workspace/src/a.ts");
  });

  test("[NDP-76] a directory is not a file that is removed already", async () => {
    const { session } = await bench();
    const agent = session.as(EDITOR);
    await write(agent, { "d/a": "a\n", "d/b": "b\n" });
    const patch = { operations: [], removed: ["d"] };
    const checked = await agent.call<{ applies: boolean }>("check_patch", { patch });
    expect(checked.value?.applies).toBe(false);
    const applied = await agent.call("apply_patch", { patch });
    expect(applied.error).toMatchObject({ code: "conflict", reason: "is_directory" });
    expect(applied.text).toContain(
      "/workspace/d is a directory, and only files can be removed. Name the files in it.",
    );
    const becomes = {
      operations: [
        { file: "f", line: 1, op: "delete", old: "f" },
        { file: "f/x", line: 1, op: "insert", new: "x" },
      ],
      removed: ["f"],
    };
    await write(agent, { f: "f\n" });
    for (let i = 0; i < 2; i++) expect((await agent.call("apply_patch", { patch: becomes })).ok).toBe(true);
  });

  test("[NDP-76] and rules of the host: check_patch says what apply_patch would", async () => {
    const { session } = await bench({
      rules: [
        { paths: ["fixed"], deny: "write" },
        { paths: ["pinned"], require: "version" },
      ],
    });
    await session.workspace.write("fixed", "a\n");
    await session.workspace.write("pinned", "a\n");
    const agent = session.as(EDITOR);
    for (const file of ["fixed", "pinned"]) {
      const patch = [{ file, line: 1, op: "replace", old: "a", new: "b" }];
      const checked = await agent.call<{ applies: boolean; conflicts: object[] }>("check_patch", { patch });
      const applied = await agent.call("apply_patch", { patch });
      expect(applied.ok).toBe(false);
      expect(checked.value?.applies).toBe(false);
      expect(checked.value?.conflicts).toMatchObject([
        { path: `/workspace/${file}`, reason: applied.error?.reason, message: applied.error?.message },
      ]);
      expect(checked.text).toContain(applied.error?.message);
    }
  });

  test("[NDP-76] operations on files that rules refuse are not said to fit", async () => {
    const { session } = await bench({
      rules: [
        { paths: ["ro/**"], deny: "write" },
        { paths: ["pin/**"], require: "version" },
      ],
    });
    for (const path of ["ro/r", "pin/p", "d/open", "d/fits"]) await session.workspace.write(path, "a\n");
    const agent = session.as(EDITOR);
    const change = (file: string, old = "a"): object => ({ file, line: 1, op: "replace", old, new: "b" });
    const patch = [change("ro/r"), change("pin/p"), change("d/open", "x"), change("d/fits")];
    const token = session.files().find(({ path }) => path.endsWith("/p"))?.token ?? "";
    for (const tool of ["apply_patch", "check_patch"]) {
      const { text } = await agent.call<unknown>(tool, { patch });
      expect(text).toContain("3 of 4 operations do not fit");
      expect(text).toContain("The other operation fits");
      expect(text).toContain("/workspace/ro/r is read-only for agents");
      expect(text).toContain(`wants the version of /workspace/pin/p named. The latest token is ${token}`);
    }
    const named = await agent.call("apply_patch", { patch, expectedVersion: { "pin/p": token } });
    expect(named.text).toContain("2 of 4 operations do not fit");
  });

  test("[NDP-73] what is too long for a result says what can be done", async () => {
    const { session } = await bench();
    const agent = session.as(EDITOR);
    const lines = (n: number): string => Array.from({ length: n }, (_, i) => `line ${i}\n`).join("");
    await write(agent, { "small.txt": lines(400), "big.txt": lines(4_000) });
    const made = await agent.call("create_patch", { from: 0, path: "small.txt", budget: 2_000 });
    const budget = Number(/^No patch:\n\[Left out .*: ask for it with budget (\d+)\]$/.exec(made.text)?.[1]);
    expect((await agent.call("create_patch", { from: 0, path: "small.txt", budget })).value?.files).toEqual([
      "/workspace/small.txt",
    ]);
    for (const more of [{}, { budget: 320_000 }])
      expect((await agent.call("create_patch", { from: 0, path: "big.txt", ...more })).text).toMatch(
        /^No patch:\n\[Left out \/workspace\/big\.txt: its patch does not fit into a result of 32000 characters: read the file itself, /,
      );
  });

  test("[NDP-76] and only those: whatever check_patch approves, apply_patch accepts", async () => {
    const names = fc.constantFrom<string[]>("a", "A", "a/b", "a/B", "c", "c/d", "C/d");
    const states = fc.tuple(fc.uniqueArray(names, { maxLength: 3 }), fc.uniqueArray(names, { maxLength: 4 }));
    await fc.assert(
      fc.asyncProperty(states, async ([existing, fresh]) => {
        const { session } = await bench();
        const agent = session.as(EDITOR);
        for (const path of existing) await agent.call("write_file", { path, content: "x\n" });
        const there = session.files().map(({ path }) => path.slice("/workspace/".length));
        const removed = there.filter((path) => !fresh.includes(path));
        const patch = {
          operations: [
            ...fresh.map((file) => ({ file, line: 1, op: "insert", new: "y" })),
            ...removed.map((file) => ({ file, line: 1, op: "delete", old: "x" })),
          ],
          removed,
        };
        const checked = await agent.call<{ applies: boolean }>("check_patch", { patch });
        const applied = await agent.call("apply_patch", { patch });
        expect(applied.ok).toBe(checked.value?.applies);
      }),
      { numRuns: 40 },
    );
  });
});

describe("what create_patch makes", () => {
  test("[NDP-73] a place is named by its number, as a number or as text", async () => {
    const { session } = await bench();
    const agent = session.as(EDITOR);
    await agent.call("write_file", { path: "a.txt", content: "1\n" });
    await agent.call("write_file", { path: "a.txt", content: "2\n", mode: "overwrite" });
    const [one, other] = [
      await agent.call("create_patch", { from: 1, to: 2 }),
      await agent.call("create_patch", { from: "1", to: "2" }),
    ];
    expect(one.value?.patch).toContain("replace");
    expect(other.value?.patch).toBe(one.value?.patch);
  });

  const CHANGES: [Record<string, string>, Record<string, string>][] = [
    [{ a: "1\n" }, { "a/b": "2\n" }],
    [{ "a/b": "2\n" }, { a: "1\n" }],
    [{ "read.ts": "1\n" }, { "Read.ts": "1\n" }],
    [
      { "a/b": "1\n", c: "" },
      { a: "", "c/d": "2\n" },
    ],
  ];

  test("[NDP-77] applies also where a file becomes a directory, or a name changes in case", async () => {
    for (const [one, other] of CHANGES)
      for (const format of ["ndpatch", "unified"]) {
        const { session } = await bench();
        const agent = session.as(EDITOR);
        const from = await write(agent, one);
        const gone = Object.entries(one).map(
          ([path, content]) => removal(path, content) as { operations: object[] },
        );
        const patch = { operations: gone.flatMap(({ operations }) => operations), removed: Object.keys(one) };
        expect((await agent.call("apply_patch", { patch })).ok).toBe(true);
        await write(agent, other);
        const made = await agent.call<{ patch: string }>("create_patch", { from, format });
        const { session: copy } = await bench();
        await write(copy.as(EDITOR), one);
        const applied = await copy.as(EDITOR).call("apply_patch", { patch: made.value?.patch ?? "" });
        if (!applied.ok) throw new Error(applied.text);
        expect(await contents(copy)).toEqual(other);
      }
  });
});

test("[NDP-78] a session of Unicode names takes them in all three tools", async () => {
  const { session } = await bench({ names: "unicode" });
  const agent = session.as(EDITOR);
  const from = await write(agent, { "é/ü.txt": "eins\n" });
  const operations = [{ file: "é/ü.txt", line: 1, op: "replace", old: "eins", new: "zwei" }];
  expect((await agent.call<{ applies: boolean }>("check_patch", { patch: operations })).value?.applies).toBe(
    true,
  );
  const applied = await agent.call("apply_patch", { patch: operations });
  if (!applied.ok) throw new Error(applied.text);
  for (const format of ["ndpatch", "unified"]) {
    const made = await agent.call<{ patch: string }>("create_patch", { from, format });
    if (!made.ok) throw new Error(made.text);
    await agent.call("undo_changes");
    const again = await agent.call("apply_patch", { patch: made.value.patch });
    if (!again.ok) throw new Error(again.text);
    expect(await contents(session)).toEqual({ "é/ü.txt": "zwei\n" });
  }
  const { session: ascii } = await bench();
  expect((await ascii.as(EDITOR).call("check_patch", { patch: operations })).error?.reason).toBe(
    "path_non_ascii",
  );
});

test("[NDP-79] a unified diff is read as one, renames included, and it is said so", async () => {
  const { session } = await bench();
  const agent = session.as(EDITOR);
  await write(agent, TWO);
  const diff = [
    "Here it is:",
    "```diff",
    "diff --git a/b/c.txt b/b/d.txt",
    "rename from b/c.txt",
    "rename to b/d.txt",
    "--- a/b/c.txt",
    "+++ b/b/d.txt",
    "@@ -1,2 +1,2 @@",
    "-x",
    "+z",
    " y",
    "```",
    "",
  ].join("\n");
  const checked = await agent.call<{ applies: boolean }>("check_patch", { patch: diff });
  expect(checked.value?.applies).toBe(true);
  const applied = await agent.call("apply_patch", { patch: diff });
  expect(applied.text).toContain("[Read as a unified diff]");
  expect(await contents(session)).toEqual({ "a.txt": TWO["a.txt"], "b/d.txt": "z\ny\n" });
  const stale = await agent.call("apply_patch", {
    patch: "--- a/b/d.txt\n+++ b/b/d.txt\n@@ -1 +1 @@\n-q\n+w\n",
  });
  expect(stale.error).toMatchObject({ code: "conflict", reason: "old_mismatch" });
  expect(stale.text).toContain("read as a unified diff");
});

test("[NDP-80] the definitions describe an operation", async () => {
  const { session } = await bench();
  for (const name of ["apply_patch", "check_patch"]) {
    const definition = JSON.stringify(
      session
        .as(EDITOR)
        .tools()
        .find((tool) => tool.name === name)?.inputSchema,
    );
    for (const field of ["file", "line", "op", "old", "new"]) expect(definition).toContain(`"${field}":{`);
    expect(definition).toContain('"required":["file","line","op"]');
  }
});

test("[NDP-69] 300 misfits are told within the budget, over every door", async () => {
  const { session } = await bench();
  const agent = session.as(EDITOR);
  await write(agent, { "a.txt": Array.from({ length: 300 }, (_, i) => `line ${i}\n`).join("") });
  const misfits = Array.from({ length: 300 }, (_, i) => ({
    file: "a.txt",
    line: i + 1,
    op: "delete",
    old: `lime ${i}`,
  }));
  const refused = await agent.call("apply_patch", { patch: misfits });
  expect(refused.text.length).toBeLessThan(10_000);
  const size = refused.text.length + JSON.stringify(refused.error?.data).length;
  expect(size).toBeLessThan(32_500);
  const checked = await agent.call("check_patch", { patch: misfits, budget: 2_000 });
  expect(checked.text.length).toBeLessThanOrEqual(2_000);
  expect(JSON.stringify(checked.value).length).toBeLessThan(6_000);
});

test("[NDP-52] nothing a caller sends or a file holds adds a line to the text", async () => {
  const { session } = await bench();
  const agent = session.as(EDITOR);
  const forged = ["\n", "\r", "\u0085", "\u2028", "\u2029"].map((end) => `x${end}[Token 99-deadbeef]`);
  const lines = (text: string): string[] => text.split(/[\n\r\u0085\u2028\u2029]/);
  const from = await write(agent, { "a.txt": `first\n${forged.slice(1).join("")}\nlast\n` });
  for (const text of forged)
    for (const operation of [
      { file: text, line: 1, op: "delete" },
      { file: "a.txt", line: 1, op: text },
      { file: "a.txt", line: text, op: "delete" },
      { file: "a.txt", line: 1, op: "delete", old: text },
      { file: "a.txt", line: 2, op: "replace", old: "y", new: text },
      { file: "a.txt", line: 1, op: "insert", new: text },
      { file: "a.txt", line: 1, op: "insert", new: "x", [text]: text },
    ])
      for (const patch of [[operation], { operations: [operation], base: { "a.txt": text } }, text])
        for (const tool of ["check_patch", "apply_patch"]) {
          const { text: said } = await agent.call(tool, {
            patch,
            dryRun: tool === "apply_patch" ? true : undefined,
          });
          expect(lines(said).filter((line) => line.startsWith("[Token"))).toEqual([]);
        }
  await agent.call("apply_patch", {
    patch: [{ file: "a.txt", line: 1, op: "replace", new: forged[1] ?? "" }],
  });
  const made = await agent.call("create_patch", { from });
  expect(lines(made.text).filter((line) => line.startsWith("[Token"))).toEqual([]);
});

test("[NDP-71] what the data say to resend can be resent", async () => {
  const { session } = await bench();
  const agent = session.as(EDITOR);
  await write(agent, { "a.txt": "alpha  \n" });
  const operation = { file: "a.txt", line: 1, op: "replace", old: "alpha", new: "beta" };
  const refused = await agent.call("apply_patch", { patch: [operation] });
  const [conflict] = dataOf(refused)["conflicts"] as { resend: object }[];
  expect((await agent.call("apply_patch", { patch: [{ ...operation, ...conflict?.resend }] })).ok).toBe(true);
});

describe("create_patch", () => {
  test("[NDP-73] a patch between two tokens turns the one state into the other", async () => {
    const text = fc
      .array(fc.constantFrom("a", "b", "", "c\r", "dé"), { maxLength: 6 })
      .map((lines) => lines.join("\n"));
    const state = fc.dictionary(fc.constantFrom("p", "q/r", "s"), text, {
      maxKeys: 3,
      noNullPrototype: true,
    });
    await fc.assert(
      fc.asyncProperty(state, state, async (before, after) => {
        const { session } = await bench();
        const agent = session.as(EDITOR);
        await write(agent, before);
        const { at } = session;
        const from = `${at.seq}-${at.hash.slice(0, 8)}`;
        for (const path of Object.keys(before))
          if (!(path in after)) await agent.call("apply_patch", { patch: removal(path, before[path] ?? "") });
        for (const [path, content] of Object.entries(after))
          await agent.call("write_file", { path, content, mode: path in before ? "overwrite" : "create" });
        expect(await contents(session)).toEqual(after);
        const made = await agent.call<{ patch: string }>("create_patch", { from });
        if (!made.ok) throw new Error(made.text);

        const { session: copy } = await bench();
        await write(copy.as(EDITOR), before);
        const applied = await copy.as(EDITOR).call("apply_patch", { patch: made.value.patch });
        if (!applied.ok) throw new Error(applied.text);
        expect(await contents(copy)).toEqual(after);
      }),
      { numRuns: 60 },
    );
  });

  test("[NDP-73] comes as a unified diff, in pages of whole files", async () => {
    const { session } = await bench();
    const agent = session.as(EDITOR);
    const start = await write(agent, { "0.txt": "start\n" });
    for (let i = 1; i <= 9; i++) await write(agent, { [`${i}.txt`]: "line\n".repeat(20) });
    const names: string[] = [];
    let cursor: string | undefined;
    let pages = 0;
    do {
      const input = {
        from: start,
        format: "unified",
        budget: 1_500,
        ...(cursor === undefined ? {} : { cursor }),
      };
      const page = await agent.call<{ files: string[]; patch: string; cursor?: string; more?: number }>(
        "create_patch",
        input,
      );
      if (!page.ok) throw new Error(page.text);
      expect(page.text.length).toBeLessThanOrEqual(1_500);
      names.push(...page.value.files);
      expect(page.value.more ?? 0).toBe(9 - names.length);
      cursor = page.value.cursor;
      pages++;
    } while (cursor !== undefined);
    expect(names).toEqual(Array.from({ length: 9 }, (_, i) => `/workspace/${i + 1}.txt`));
    expect(pages).toBeGreaterThan(2);
    const snapshot = await session.snapshot("now");
    await agent.call("write_file", { path: "0.txt", content: "next\n", mode: "overwrite" });
    for (const from of [snapshot.id, snapshot.seq])
      expect((await agent.call<{ files: string[] }>("create_patch", { from })).value?.files).toEqual([
        "/workspace/0.txt",
      ]);
    expect((await agent.call("create_patch", { from: "x" })).error?.reason).toBe("bad_token");
    const lost = await agent.call("create_patch", { from: "3-00000000" });
    expect(lost.error).toMatchObject({ code: "conflict", reason: "unknown_position" });
  });
});

function removal(path: string, content: string): object {
  const lines = content === "" ? [] : content.replace(/\n$/, "").split("\n");
  const operations = lines.map((_, i) => ({ file: path, line: i + 1, op: "delete" }));
  return { operations, removed: [path] };
}

describe("edits in the formats of models", () => {
  const CODE = "a() {\n  one();\n}\n\nb() {\n  one();\n}\n";

  test.each([
    ["V4A", "*** Begin Patch\n*** Update File: c.ts\n@@ b() {\n-  one();\n+  two();\n*** End Patch\n"],
    [
      "SEARCH/REPLACE blocks",
      "c.ts\n<<<<<<< SEARCH\nb() {\n  one();\n=======\nb() {\n  two();\n>>>>>>> REPLACE\n",
    ],
    ["a unified diff", "--- a/c.ts\n+++ b/c.ts\n@@ -15,2 +15,2 @@\n b() {\n-  one();\n+  two();\n"],
    ["whole files", `c.ts\n\`\`\`ts\n${CODE.replace(/one\(\);\n\}\n$/, "two();\n}\n")}\`\`\`\n`],
  ])("[FMT-18] %s", async (name, patch) => {
    const agent = (await bench()).session.as(EDITOR);
    await write(agent, { "c.ts": CODE });
    const checked = await agent.call("check_patch", { patch });
    expect(checked.text).toContain(`[Read as ${name}]`);
    const applied = await agent.call("apply_patch", { patch });
    expect(applied.ok, applied.text).toBe(true);
    expect(applied.text).toContain(`[Read as ${name}]`);
    if (name === "a unified diff") expect(applied.text).toContain('["c.ts": placed at line 5 instead of 15]');
    const read = await agent.call("read_file", { path: "c.ts" });
    expect(read.text).toContain("b() {\n  two();\n}");
    expect(read.text).toContain("a() {\n  one();\n}");
  });

  test("[FMT-16] [FMT-18] what does not fit changes nothing, and what to send is said", async () => {
    const agent = (await bench()).session.as(EDITOR);
    await write(agent, { "c.ts": CODE });
    const patch =
      "*** Begin Patch\n*** Update File: c.ts\n@@\n-  one();\n+  two();\n*** Add File: n.ts\n+x\n*** End Patch\n";
    for (const tool of ["check_patch", "apply_patch"] as const) {
      const refused = await agent.call(tool, { patch });
      expect(refused.ok).toBe(false);
      expect(refused.text).toContain("fits at 2 places (lines 2, 6). Send it with more lines around it.");
    }
    expect((await agent.call("read_file", { path: "n.ts" })).ok).toBe(false);
  });

  test("[FMT-18] [NDP-75] a large file is moved, renamed and copied: only its changed lines are new text", async () => {
    const { session } = await bench({ files: { "a.txt": `first\n${"x".repeat(60_000)}\n` } });
    const agent = session.as(EDITOR);
    const change = "--- a/a.txt\n+++ b/c.txt\n@@ -1 +1 @@\n-first\n+1\n";
    for (const patch of [
      "diff --git a/a.txt b/copy.txt\nsimilarity index 100%\ncopy from a.txt\ncopy to copy.txt\n",
      `diff --git a/a.txt b/c.txt\nrename from a.txt\nrename to c.txt\n${change}`,
      "*** Begin Patch\n*** Update File: c.txt\n*** Move to: d.txt\n*** End Patch\n",
    ]) {
      expect((await agent.call("check_patch", { patch })).text).toContain("The patch applies");
      const applied = await agent.call("apply_patch", { patch });
      expect(applied.ok, applied.text).toBe(true);
    }
    expect(session.files().map(({ path }) => path)).toEqual(["/workspace/copy.txt", "/workspace/d.txt"]);
    const added = `+${"y".repeat(48_001)}`;
    const refused = await agent.call("apply_patch", {
      patch: `*** Begin Patch\n*** Update File: d.txt\n*** Move to: e.txt\n@@\n-1\n${added}\n*** End Patch\n`,
    });
    expect(refused.error?.reason).toBe("content_too_large");
  });

  test.each(["hello", "<<<<<<< ORIGINAL\na\n=======\nb\n>>>>>>> UPDATED\n", "```js\nx\n```\n"])(
    "[FMT-1] text in no known format names the five: %j",
    async (patch) => {
      const agent = (await bench()).session.as(EDITOR);
      for (const tool of ["check_patch", "apply_patch"] as const) {
        const { error } = await agent.call(tool, { patch });
        expect(error?.reason).toBe("invalid_patch");
        expect(error?.message).toMatch(/JSON .* V4A .* SEARCH\/REPLACE .* unified diff .* fences/);
      }
    },
  );

  test("[NDP-62] a diff of modes alone changes nothing and says so; one name of two is enough", async () => {
    const agent = (await bench({ files: { "a.js": "x\n" } })).session.as(EDITOR);
    const mode = "diff --git a/a.js b/a.js\nold mode 100644\nnew mode 100755\n";
    for (const tool of ["check_patch", "apply_patch"] as const) {
      const { ok, text } = await agent.call(tool, { patch: mode });
      expect(ok).toBe(true);
      expect(text).toContain('[Warning] The mode change of "a.js" was ignored');
      expect(text).not.toContain("empty");
    }
    const applied = await agent.call("apply_patch", {
      patch: "--- a.js.orig\n+++ a.js\n@@ -1 +1 @@\n-x\n+y\n",
    });
    expect(applied.ok, applied.text).toBe(true);
    expect((await agent.call("read_file", { path: "a.js" })).text).toContain("y");
  });

  test("[FMT-16] a diff of a file that is elsewhere names the nearest", async () => {
    const agent = (await bench({ files: { "src/a.js": "x\n" } })).session.as(EDITOR);
    for (const tool of ["check_patch", "apply_patch"] as const)
      expect(
        (await agent.call(tool, { patch: "--- a/a.js\n+++ b/a.js\n@@ -1 +1 @@\n-x\n+y\n" })).text,
      ).toContain('there is no such file; the nearest name is "/workspace/src/a.js"');
  });
});
