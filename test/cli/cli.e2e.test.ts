import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CLI, run } from "./command.ts";
import { runHere } from "./run-here.ts";

describe("holdfast", () => {
  test("[CLI-1] call prints what an agent would read, and fails when refused", async () => {
    const good = await run(["call", "write_file", '{"path":"a.txt","content":"hello"}']);
    expect(good).toMatchObject({ code: 0, err: "" });
    expect(good.out).toMatch(
      /^Created \/workspace\/a\.txt \(5 bytes, version 1\)\n\[Token \d+-[0-9a-f]{8}\]\n$/,
    );
    const refused = await run(["call", "read_file", '{"path":"nothing"}']);
    expect(refused).toMatchObject({ code: 1, out: "" });
    expect(refused.err).toMatch(
      /^\[Error\] \/workspace\/nothing does not exist.*\n.*--folder \. calls in the session/,
    );
    const fed = await run(["call", "write_file", "-"], '{"path":"b","content":"x"}');
    expect(fed.out).toContain("Created /workspace/b");
    expect((await run(["call", "--read-only", "write_file", '{"path":"b","content":"x"}'])).err).toContain(
      "read-only",
    );
  });

  test("[CLI-1] a path of the host below a folder of the session is meant in the workspace", async () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "holdfast-call-")));
    writeFileSync(join(folder, "t.txt"), "hello\n");
    const call = (args: readonly string[], tool: string, input: object) =>
      runHere(["call", ...args, tool, JSON.stringify(input)], "", {}, folder);
    const path = join(folder, "t.txt");
    for (const args of [
      ["--folder", "."],
      ["--mount", "."],
    ])
      expect((await call(args, "read_file", { path })).out).toContain("/workspace/t.txt: lines 1-1 of 1");
    const moved = { source: path, destination: join(folder, "u.txt") };
    expect((await call(["--folder", "."], "move_file", moved)).out).toContain("/workspace/u.txt");
    const elsewhere = await call(["--folder", "."], "read_file", { path: `${folder}-other/t.txt` });
    expect(elsewhere.err).toContain("lies outside the workspace");
    const [session] = JSON.parse((await runHere(["session", "list", "--json"], "", {}, folder)).out).sessions;
    const named = await call(["--session", session.id], "read_file", { path: join(folder, "u.txt") });
    expect(named.out).toContain("hello");
    rmSync(folder, { recursive: true, force: true });
  });

  test("[CLI-2] batch runs many calls in one session", async () => {
    const lines = [
      { tool: "write_file", input: { path: "a", content: "1\n" } },
      { tool: "write_file", input: { path: "a", content: "2\n", mode: "append" } },
      { tool: "read_file", input: { path: "a" } },
      { tool: "undo_changes" },
      { tool: "read_file", input: { path: "a" } },
    ];
    const ran = await runHere(
      ["call", "--batch", "--json"],
      lines.map((line) => JSON.stringify(line)).join("\n"),
    );
    expect(ran).toMatchObject({ code: 0, err: "" });
    const results = ran.out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { ok: boolean; value: { content?: string } });
    expect(results.map((result) => result.ok)).toEqual([true, true, true, true, true]);
    expect(results[2]?.value.content).toBe("1\n2\n");
    expect(results[4]?.value.content).toBe("1\n");
  });

  test("[CLI-2] a line that cannot be read is refused as a call is: it is named, and the lines after it run", async () => {
    const lines = [
      '{"tool":"write_file","input":{"path":"a","content":"1"}}',
      "not json",
      '{"tool":"read_file","input":{"path":"none"}}',
      '{"input":{}}',
      '{"tool":"list_directory"}',
    ].join("\n");
    const ran = await runHere(["call", "--batch"], lines);
    expect(ran.code).toBe(1);
    expect(ran.err).toMatch(
      /^\[Error\] Line 2 is not JSON.*\n\[Error\] line 3: .*\n\[Error\] Line 4 names no tool/,
    );
    expect(ran.out).toMatch(/^Created \/workspace\/a[^]*\ba\b/);
    const json = await runHere(["call", "--batch", "--json"], lines);
    expect(json).toMatchObject({ code: 1, err: "" });
    const results = json.out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { ok: boolean });
    expect(results.map(({ ok }) => ok)).toEqual([true, false, false, false, true]);
  });

  test("[HOST-42] --mount begins with the files of a folder", async () => {
    const folder = mkdtempSync(join(tmpdir(), "holdfast-cli-"));
    try {
      for (const name of ["one", "two"]) {
        mkdirSync(join(folder, name, "in"), { recursive: true });
        writeFileSync(join(folder, name, "in", "a.txt"), name);
        writeFileSync(join(folder, name, ".gitignore"), "*.log\n");
        writeFileSync(join(folder, name, "b.log"), "");
      }
      const one = ["--mount", join(folder, "one")];
      const two = ["--mount", join(folder, "two")];
      const read = (path: string): string => JSON.stringify({ path });
      expect((await runHere(["call", ...one, "read_file", read("in/a.txt")])).out).toContain("one");
      expect((await runHere(["call", ...one, ...two, "read_file", read("two/in/a.txt")])).out).toContain(
        "two",
      );
      expect((await runHere(["call", ...one, "read_file", read("b.log")])).code).toBe(1);
      const missing = await runHere(["call", "--mount", join(folder, "none"), "list_directory"]);
      expect(missing.code).toBe(2);
      expect(missing.err).toContain("there is no such folder");
      writeFileSync(join(folder, "one", "giant"), "");
      truncateSync(join(folder, "one", "giant"), 500_000_001);
      const large = await runHere(["call", ...one, "list_directory"]);
      expect(large.code).toBe(2);
      expect(large.err).toContain("at most 500000000 are allowed");
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test("[CLI-8] --gates holds writes back until they are answered", async () => {
    const directory = mkdtempSync(join(tmpdir(), "holdfast-cli-"));
    try {
      const file = join(directory, "gates.json");
      const config = { gate_order: ["goal"], gates: { goal: { question: "What for?", required: true } } };
      writeFileSync(file, JSON.stringify(config));
      const answer = { summary: "", gates: { goal: { raw: "a test" } }, status: { pass: false } };
      const lines = [
        { tool: "write_file", input: { path: "a", content: "x" } },
        { tool: "submit_gates", input: { answer } },
        { tool: "write_file", input: { path: "a", content: "x" } },
      ];
      const input = lines.map((line) => JSON.stringify(line)).join("\n");
      const ran = await runHere(["call", "--gates", file, "--toolsets", "files", "--batch"], input);
      expect(ran.err).toMatch(/^\[Error\] line 1: .*What for\?/s);
      expect(ran.out).toContain("PASS: all required gates of main are complete.");
      expect(ran.out).toContain("Created /workspace/a");
      writeFileSync(file, JSON.stringify({ plan: config }));
      expect((await runHere(["call", "--gates", file, "get_gates"])).out).toContain("plan: NO PASS");
      for (const wrong of ["{", "[]"]) {
        writeFileSync(file, wrong);
        const refused = await runHere(["call", "--gates", file, "get_gates"]);
        expect(refused).toMatchObject({ code: 2, out: "" });
        expect(refused.err).toContain("--gates");
      }
      expect((await runHere(["call", "--gates", join(directory, "no.json"), "get_gates"])).code).toBe(2);
    } finally {
      rmSync(directory, { recursive: true });
    }
  });

  test("[CLI-7] [CLI-6] a store keeps sessions from one command to the next", async () => {
    const store = mkdtempSync(join(tmpdir(), "holdfast-cli-"));
    try {
      const flags = ["--store", store, "--session", "work"];
      const written = await runHere([
        "call",
        ...flags,
        "--create",
        "write_file",
        '{"path":"a.txt","content":"kept\\n"}',
      ]);
      expect(written).toMatchObject({ code: 0, err: "" });
      const read = await runHere(["call", ...flags, "--as", "other", "read_file", '{"path":"a.txt"}']);
      expect(read.out).toContain("kept\n");
      const again = await runHere(["call", ...flags, "write_file", '{"path":"a.txt","content":"kept\\n"}']);
      expect(again.err).toContain("exists already");
      const elsewhere = await runHere([
        "call",
        "--store",
        store,
        "--session",
        "other",
        "--create",
        "list_directory",
      ]);
      expect(elsewhere.out).toContain("0 files");
      const bad = await runHere(["call", "--store", store, "--session", "../x", "list_directory"]);
      expect(bad.code).toBe(2);
      expect(bad.err).toContain("is not a session id");
      const file = join(store, "a-file");
      writeFileSync(file, "");
      for (const directory of [file, join(file, "below")]) {
        const refused = await runHere(["call", "--store", directory, "list_directory"]);
        expect(refused).toMatchObject({ code: 1, out: "" });
        expect(refused.err).toMatch(
          /^\[Error\] The store directory cannot be made or written \("[A-Z]+"\)\. .*\n$/,
        );
      }
    } finally {
      rmSync(store, { recursive: true, force: true });
    }
  });

  test.each([
    [["call", "--session", "x", "read_file"], /There are no stored sessions yet/],
    [["call", "--session", "x", "--folder", ".", "read_file"], /not both/],
    [["call"], /Name a tool/],
    [["call", "read_file", "{path}"], /not JSON/],
    [["call", "--batch", "read_file"], /named on standard input/],
    [["cal"], /unknown command/],
    [["call", "--rol", "reader", "x"], /unknown option.*--role/s],
    [["call", "--role", "admin", "x"], /Allowed choices are reader, editor/],
  ])("[CLI-3] [CLI-6] %j is explained and calls nothing", async (args, message) => {
    // A person's first command: nothing was kept before.
    const data = mkdtempSync(join(tmpdir(), "holdfast-cli-"));
    const ran = await runHere(args, "", { XDG_DATA_HOME: data });
    rmSync(data, { recursive: true, force: true });
    expect(ran.code).toBe(2);
    expect(ran.err).toMatch(message);
    expect(ran.out).toBe("");
    expect(ran.err).not.toMatch(/^\s+at /m);
  });

  test("[CLI-10] [CLI-3] a session or toolset that is not there is a mistake, and nothing is made", async () => {
    const store = mkdtempSync(join(tmpdir(), "holdfast-cli-"));
    try {
      for (const command of [["call", "list_directory"], ["mcp"]]) {
        const missing = await run([...command, "--store", store, "--session", "wrok"]);
        expect(missing).toMatchObject({ code: 2, out: "" });
        expect(missing.err).toContain("--create");
      }
      expect(existsSync(join(store, "sessions", "wrok"))).toBe(false);
      const nowhere = join(store, "nowhere");
      const gone = await runHere(["call", "list_directory", "--store", nowhere, "--session", "work"]);
      expect(gone).toMatchObject({ code: 2, out: "" });
      expect(gone.err).toContain(`There is no store at ${nowhere}`);
      expect(existsSync(nowhere)).toBe(false);
      for (const wrong of [
        ["--as", "host"],
        ["--as", "a b"],
      ])
        expect(await runHere(["call", "list_directory", ...wrong]), wrong.join(" ")).toMatchObject({
          code: 2,
          out: "",
        });
      const toolsets = await runHere(["call", "--toolsets", "file,patches", "list_directory"]);
      expect(toolsets).toMatchObject({ code: 2, out: "" });
      expect(toolsets.err).toContain("Did you mean files?");
    } finally {
      rmSync(store, { recursive: true, force: true });
    }
  });

  test("[CLI-9] a batch may be long, and its lines may hold idempotency keys", async () => {
    const line = {
      tool: "write_file",
      input: { path: "log", content: "x", mode: "append" },
      idempotencyKey: "k",
    };
    const lines = [
      { tool: "write_file", input: { path: "log", content: "" } },
      line,
      line,
      ...Array.from({ length: 80 }, () => ({
        tool: "write_file",
        input: { path: "log", content: "y", mode: "append" },
      })),
      { tool: "read_file", input: { path: "log" } },
    ];
    const ran = await runHere(["call", "--batch"], lines.map((one) => JSON.stringify(one)).join("\n"));
    expect(ran).toMatchObject({ code: 0, err: "" });
    expect(ran.out).toContain(`x${"y".repeat(80)}\n`);
    const wrong = await runHere(["call", "--batch"], '{"tool":"list_directory","inptu":{}}');
    expect(wrong.code).toBe(1);
    expect(wrong.err).toBe(
      '[Error] Line 1 has the unknown field "inptu". Known: tool, input, idempotencyKey.\n',
    );
    const later = await runHere(["call", "--batch"], '{"tool":"list_directory"}\n\n{"tool":\n');
    expect(later.code).toBe(1);
    expect(later.err).toMatch(/^\[Error\] Line 3 is not JSON/);
  });

  test.skipIf(!existsSync("/dev/full"))("[CLI-6] output that cannot be written is one line", async () => {
    const child = spawn(
      "sh",
      ["-c", `exec "$@" > /dev/full`, "sh", process.execPath, ...CLI, "call", "--batch"],
      { stdio: "pipe" },
    );
    let err = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (err += text));
    child.stdin.end('{"tool":"list_directory"}\n'.repeat(3));
    const [code] = (await once(child, "close")) as [number | null];
    expect(code).toBe(1);
    expect(err).toMatch(/^\[Error\] Standard output cannot be written \("?ENOSPC"?\)\.\n$/);
  });

  test("[CLI-6] a damaged session is one line; HOLDFAST_DEBUG adds the cause", async () => {
    const store = mkdtempSync(join(tmpdir(), "holdfast-cli-"));
    try {
      const list = ["call", "--store", store, "--session", "work", "list_directory"];
      expect(await runHere([...list, "--create"])).toMatchObject({ code: 0, err: "" });
      for (const [file, shown] of [
        ["audit.db", /^holdfast: the audit could not be written .*\n$/],
        ["journal.db", /^\[Error\] The files of this session are damaged.*\n$/],
      ] as const) {
        const damaged = join(store, "sessions/work", file);
        const sound = readFileSync(damaged);
        writeFileSync(damaged, "not what was written");
        expect((await runHere(list)).err).toMatch(shown);
        expect((await runHere(list, "", { HOLDFAST_DEBUG: "1" })).err).toMatch(/SQLITE|database/);
        writeFileSync(damaged, sound);
      }
      expect(await runHere(list)).toMatchObject({ code: 0, err: "" });
    } finally {
      rmSync(store, { recursive: true, force: true });
    }
  });

  test.each([
    ["tools", "--json"],
    ["call", "--batch"],
  ])("[CLI-6] a reader that leaves early ends %s %s in silence", async (...args) => {
    const child = spawn(process.execPath, [...CLI, ...args], { stdio: "pipe" });
    let err = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (err += text));
    child.stdout.once("data", () => child.stdout.destroy());
    child.stdin.on("error", () => {});
    child.stdin.end('{"tool":"list_directory"}\n'.repeat(50));
    const [code] = (await once(child, "close")) as [number | null];
    expect({ code, err }).toEqual({ code: 0, err: "" });
  });

  test("[CLI-4] tools lists the tools and their cost", async () => {
    const { out } = await runHere(["tools"]);
    expect(out).toMatch(/^files {4}read_file {8} +\d+ {2}Reads text by lines/m);
    expect(out).toMatch(/\d+ tools, \d+ characters of catalogue\n$/);
    const { tools: json } = JSON.parse((await runHere(["tools", "--json", "--role", "reader"])).out) as {
      tools: { name: string; toolset: string }[];
    };
    const files = json.filter((tool) => tool.toolset === "files");
    expect(files.map((tool) => tool.name)).toEqual([
      "list_directory",
      "read_file",
      "stat_file",
      "find_files",
      "search_files",
    ]);
  });
});
