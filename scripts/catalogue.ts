// Owns: `npm run catalogue`: what the tools cost an agent's context, and what a view costs as JSON and as an outline.
// A token is counted as four characters, which is near enough for English and JSON.

import { openSession, type Agent } from "../src/tools/index.ts";

const CHARS_PER_TOKEN = 4;

function tokens(chars: number): number {
  return Math.ceil(chars / CHARS_PER_TOKEN);
}

function row(name: string, ...columns: (string | number)[]): string {
  return `${name.padEnd(28)}${columns.map((column) => String(column).padStart(13)).join("")}`;
}

/** Toolsets that are given to agents together. */
const PROFILES: Readonly<Record<string, readonly string[]>> = {
  "files + json": ["files", "json"],
  "holdfast mcp": ["files", "json", "undo_changes", "request_landing"],
  tree: ["tree"],
};

interface Cost {
  readonly name: string;
  readonly toolset: string;
  /** As MCP lists it. */
  readonly chars: number;
  readonly full: number;
}

function costs(agent: Agent): Cost[] {
  return agent.tools().map((tool) => {
    const { name, title, description, toolset, inputSchema, outputSchema, annotations } = tool;
    const chars = JSON.stringify({ name, description, inputSchema, annotations }).length;
    const full = JSON.stringify({ name, title, description, inputSchema, outputSchema, annotations }).length;
    return { name, toolset, chars, full };
  });
}

function total(name: string, tools: readonly Cost[]): string {
  const sum = (of: "chars" | "full"): number => tools.reduce((all, tool) => all + tool[of], 0);
  return row(name, tools.length, sum("chars"), tokens(sum("chars")), tokens(sum("full")));
}

/** Every tool, every toolset and every profile: characters and tokens, and tokens with the output schemas. */
function catalogue(agent: Agent): string[] {
  const tools = costs(agent);
  const head = ["tools", "chars", "tokens", "with output"];
  const sets = [...new Set(tools.map(({ toolset }) => toolset))];
  return [
    row("tool", ...head),
    ...tools.map((tool) => total(tool.name, [tool])),
    "",
    row("toolset", ...head),
    ...sets.map((set) =>
      total(
        set,
        tools.filter(({ toolset }) => toolset === set),
      ),
    ),
    "",
    row("profile", ...head),
    ...Object.entries(PROFILES).map(([name, of]) =>
      total(
        name,
        tools.filter(({ name: tool, toolset }) => of.includes(toolset) || of.includes(tool)),
      ),
    ),
  ];
}

const NODES = 60;

/** The same view in both forms. */
async function views(agent: Agent): Promise<string[]> {
  let { token } = await agent
    .call("create_tree", { name: "plan", payloadProps: { name: "plan" } })
    .then(must);
  for (let i = 1; i < NODES; i++) {
    const parentNodeId = `n${Math.floor((i - 1) / 5).toString(36)}`;
    const payloadProps = {
      name: `Task ${i}`,
      status: i % 3 === 0 ? "done" : "open",
      prio: i % 10,
      owner: "ines",
    };
    const child = { parentNodeId, payloadType: "Task", payloadProps, expectedVersion: token };
    ({ token } = await agent.call("add_child", child).then(must));
  }
  const lines = [row(`a view of ${NODES} nodes`, "chars", "tokens")];
  for (const format of ["json", "outline"] as const) {
    const { text } = must(await agent.call("get_view", { rootNodeId: "n0", pageSize: 200, format }));
    lines.push(row(format, text.length, tokens(text.length)));
  }
  return lines;
}

function must(result: Awaited<ReturnType<Agent["call"]>>): { text: string; token: string } {
  if (!result.ok) throw new Error(result.text);
  return { text: result.text, token: result.token ?? "" };
}

await using session = await openSession({ toolsets: ["all"], limits: { callBurst: 1_000 } });
const agent = session.as({ id: "catalogue", role: "editor" });
process.stdout.write(`${[...catalogue(agent), "", ...(await views(agent))].join("\n")}\n`);
