// Content of any size through the tools: every text keeps its budget, and the pages together are the whole, once.

import { expect, test } from "vitest";
import { countChars } from "../../src/text/index.ts";
import type { Agent, Session } from "../../src/tools/index.ts";
import { LONG } from "../effort.ts";
import { bench, EDITOR } from "./bench-session.ts";
import { EVERY_TOOL } from "./catalogue.ts";

const MB = 1024 * 1024;
const TIMEOUT = LONG ? 1_800_000 : 120_000;
const LIMITS = {
  callBurst: 100_000,
  callsPerMinute: 1_000_000,
  fileBytes: 256 * MB,
  sessionBytes: 1024 * MB,
  sessionFiles: 250_000,
};

async function sessionWith(
  files: Readonly<Record<string, string>>,
): Promise<{ session: Session; agent: Agent }> {
  const { session } = await bench({ limits: LIMITS, files });
  return { session, agent: session.as(EDITOR) };
}

/** Follows the cursors of a read; every text keeps its budget. */
async function pages<P>(agent: Agent, tool: string, input: object, budget: number): Promise<P[]> {
  const all: P[] = [];
  let cursor: string | undefined;
  do {
    const sent = { ...input, budget, ...(cursor === undefined ? {} : { cursor }) };
    const { ok, text, value } = await agent.call(tool, sent);
    if (!ok) throw new Error(`${tool}: ${text}`);
    expect(countChars(text)).toBeLessThanOrEqual(budget);
    all.push(value as P);
    ({ cursor } = value as { cursor?: string });
  } while (cursor !== undefined);
  return all;
}

/** Every reading tool that takes a file, on one file: no text above the budget, whatever it says. */
async function readEveryWay(agent: Agent, path: string, json_path: string): Promise<void> {
  for (const tool of EVERY_TOOL.filter(({ access }) => access === "read")) {
    const takes = (name: string): boolean => Object.hasOwn(tool.input.shape, name);
    if (!takes("path") || (tool.toolset !== "files" && tool.toolset !== "json" && tool.toolset !== "history"))
      continue;
    for (const budget of [1_000, undefined]) {
      const input = {
        path,
        ...(takes("json_path") ? { json_path } : {}),
        ...(takes("pattern") ? { pattern: "e" } : {}),
        ...(takes("a") ? { a: "1-00000000" } : {}),
        ...(takes("budget") && budget !== undefined ? { budget } : {}),
      };
      const { text } = await agent.call<unknown>(tool.name, input);
      expect(countChars(text), tool.name).toBeLessThanOrEqual(takes("budget") ? (budget ?? 32_000) : 32_000);
    }
  }
}

test(
  "[FILES-32] [FILES-112] a text of very many lines comes in pages that are the file, and all its hits once",
  { timeout: TIMEOUT },
  async () => {
    const count = LONG ? 1_000_000 : 20_000;
    const lines = Array.from(
      { length: count },
      (_, i) => `line ${i + 1} of many${i % 500 === 0 ? " needle" : ""}`,
    );
    const content = `${lines.join("\n")}\n`;
    const { session, agent } = await sessionWith({ "many.txt": content });
    const read = await pages<{ content: string; first_line: number; last_line: number }>(
      agent,
      "read_file",
      { path: "many.txt" },
      32_000,
    );
    expect(read.map((page) => page.content).join("") === content).toBe(true);
    let next = 1;
    for (const { first_line: first, last_line: last } of read) {
      expect(first).toBe(next);
      next = last + 1;
    }
    const found = await pages<{ hits: { line: number }[] }>(
      agent,
      "search_files",
      { pattern: "needle" },
      LONG ? 8_000 : 1_000,
    );
    expect(found.flatMap(({ hits }) => hits.map(({ line }) => line))).toEqual(
      lines.flatMap((line, i) => (line.endsWith("needle") ? [i + 1] : [])),
    );
    await readEveryWay(agent, "many.txt", "$");
    await session.close();
  },
);

test(
  "[FILES-32] [FILES-114] a very long line comes in pages that are the file",
  { timeout: TIMEOUT },
  async () => {
    const content = "w\u00f6rd \u{1f600} ".repeat((LONG ? 10 * MB : MB / 2) / 12);
    const { session, agent } = await sessionWith({ "long.txt": content });
    const read = await pages<{ content: string; first_line: number }>(
      agent,
      "read_file",
      { path: "long.txt" },
      32_000,
    );
    expect(read.map((page) => page.content).join("") === content).toBe(true);
    expect(new Set(read.map((page) => page.first_line))).toEqual(new Set([1]));
    await readEveryWay(agent, "long.txt", "$");
    await session.close();
  },
);

test(
  "[FILES-42] [FILES-102] a directory of very many entries comes in pages that are all of them, once",
  { timeout: TIMEOUT },
  async () => {
    const names = Array.from(
      { length: LONG ? 200_000 : 1_500 },
      (_, i) => `f${String(i).padStart(6, "0")}.txt`,
    );
    const { session, agent } = await sessionWith(
      Object.fromEntries(names.map((name) => [`dir/${name}`, ""])),
    );
    const listed = await pages<{ files: { name: string }[] }>(
      agent,
      "list_directory",
      { path: "dir" },
      32_000,
    );
    expect(listed.flatMap(({ files }) => files.map(({ name }) => name))).toEqual(names);
    const found = await pages<{ files: { path: string }[] }>(agent, "find_files", { glob: "*.txt" }, 32_000);
    expect(
      found.flatMap(({ files }) => files.map(({ path }) => path.slice("/workspace/dir/".length))),
    ).toEqual(names);
    for (const [tool, input] of [
      ["list_directory", { depth: 2 }],
      ["stat_file", { path: "dir" }],
      ["list_changes", { path: "dir" }],
      ["diff_changes", { since: "0-00000000" }],
      ["search_files", { pattern: "x" }],
      ["delete_file", { path: "dir", dryRun: true }],
    ] as const)
      expect((await agent.call<unknown>(tool, input)).text.length, tool).toBeLessThanOrEqual(32_000);
    await session.close();
  },
);

test(
  "[JTOOL-62] [FILES-32] every read of a very large JSON file keeps its budget",
  { timeout: TIMEOUT },
  async () => {
    const one = `{"id": 1, "name": "record", "tags": ["a", "${"x".repeat(300)}"]}`;
    const rows = Array.from({ length: Math.floor((LONG ? 100 * MB : 2 * MB) / one.length) }, () => one);
    const { session, agent } = await sessionWith({ "big.json": `{"rows": [${rows.join(",")}]}` });
    for (const place of ["$", "$.rows", "$.rows[0]", "$..name", "$.nope", "$["])
      await readEveryWay(agent, "big.json", place);
    await session.close();
  },
);
