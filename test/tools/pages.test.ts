import { describe, expect, test } from "vitest";
import type { Agent } from "../../src/tools/index.ts";
import { bench, EDITOR } from "./bench-session.ts";

const LEAST = 1_000;
const ITEMS = 150;
const name = (i: number): string => `item-${String(i).padStart(3, "0")}`;

/** A file of many lines, many files, many hits, and a tree of many nodes, each with a name of its own. */
async function library(): Promise<Agent> {
  const { session } = await bench({ limits: { callsPerMinute: 1_000_000, callBurst: 100_000 } });
  const agent = session.as(EDITOR);
  const names = Array.from({ length: ITEMS }, (_, i) => name(i));
  await agent.call("write_file", { path: "lines.txt", content: names.join("\n") });
  await agent.call("write_file", { path: "list.md", content: names.map((one) => `- ${one}\n`).join("") });
  for (const one of names) await session.workspace.write(`deep/er/${one}`, `${one} found\n`);
  const made = await agent.call("create_tree", { from: "list.md" });
  if (!made.ok) throw new Error(made.text);
  return agent;
}

/** The texts of all pages. */
async function pagesOf(agent: Agent, tool: string, input: object): Promise<string[]> {
  const texts: string[] = [];
  for (let more = {}; texts.length < 2 * ITEMS;) {
    const page = await agent.call<unknown>(tool, { ...input, ...more });
    if (!page.ok) throw new Error(page.text);
    texts.push(page.text);
    const { cursor, pageToken } = page.value as { cursor?: string; pageToken?: string };
    if (cursor === undefined && pageToken === undefined) break;
    more = cursor === undefined ? { pageToken } : { cursor };
  }
  return texts;
}

const CALLS: readonly [string, object][] = [
  ["read_file", { path: "lines.txt" }],
  ["read_file", { path: "lines.txt", line_numbers: true }],
  ["find_files", { glob: "item-*" }],
  ["list_directory", { path: "deep/er" }],
  ["search_files", { pattern: "found" }],
  ["diff_changes", { since: 0, path: "deep" }],
  ["list_changes", { path: "deep" }],
  ["get_subtree", { nodeId: "n0" }],
  ["get_subtree", { nodeId: "n0", format: "outline" }],
  ["list_children", { nodeId: "n0" }],
  ["search", { filters: [{ path: "name", op: "contains", value: "item" }] }],
  ["select_nodes", { queryDsl: "*" }],
];

describe("pages at the least budget", () => {
  test.each(CALLS)("[CALL-86] the texts of all pages of %s show all, %j", async (tool, input) => {
    const agent = await library();
    const pages = await pagesOf(agent, tool, { ...input, budget: LEAST });
    const all = pages.join("\n");
    const missing = Array.from({ length: ITEMS }, (_, i) => name(i)).filter((one) => !all.includes(one));
    expect(missing).toEqual([]);
    for (const text of pages) expect(text.length).toBeLessThanOrEqual(LEAST);
    expect(pages.length).toBeGreaterThan(1);
    expect(all).not.toContain("Ask for less");
  });

  test("[CALL-86] a smaller budget is refused with the least one, of every tool and of the host", async () => {
    const agent = await library();
    for (const [tool, input] of CALLS) {
      const refused = await agent.call<unknown>(tool, { ...input, budget: LEAST - 1 });
      expect(refused.error?.reason, tool).toBe("bad_input");
      expect(refused.text).toContain("1000");
    }
    await expect(bench({ limits: { budgetChars: LEAST - 1 } })).rejects.toThrow("budgetChars");
  });

  test("[FILES-31] limit bounds all pages together", async () => {
    const agent = await library();
    const input = { path: "lines.txt", offset: 10, limit: 60, budget: LEAST };
    const pages = await pagesOf(agent, "read_file", input);
    expect(pages.length).toBeGreaterThan(1);
    const shown = pages.join("\n").match(/^item-\d+$/gm);
    expect(shown).toEqual(Array.from({ length: 60 }, (_, i) => name(i + 9)));
  });
});
