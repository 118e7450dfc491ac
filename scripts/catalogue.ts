// Owns: `npm run catalogue`: what the tools cost an agent's context, and what a view costs as JSON and as an outline.
// A token is counted as four characters, which is near enough for English and JSON.

import { openSession, type Agent } from "../src/tools/index.ts";

const CHARS_PER_TOKEN = 4;

function tokens(chars: number): number {
  return Math.ceil(chars / CHARS_PER_TOKEN);
}

function row(name: string, ...columns: (string | number)[]): string {
  return `${name.padEnd(28)}${columns.map((column) => String(column).padStart(10)).join("")}`;
}

function toolsets(agent: Agent): string[] {
  const costs = new Map<string, { tools: number; chars: number; full: number }>();
  for (const tool of agent.tools()) {
    const { name, title, description, toolset, inputSchema, outputSchema, annotations } = tool;
    const cost = costs.get(toolset) ?? { tools: 0, chars: 0, full: 0 };
    cost.tools++;
    cost.chars += JSON.stringify({ name, description, inputSchema }).length;
    cost.full += JSON.stringify({ name, title, description, inputSchema, outputSchema, annotations }).length;
    costs.set(toolset, cost);
  }
  const lines = [row("toolset", "tools", "tokens", "with output schemas")];
  for (const [toolset, { tools, chars, full }] of costs)
    lines.push(row(toolset, tools, tokens(chars), tokens(full)));
  return lines;
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
  for (const format of ["json", "outline"]) {
    const { text } = must(await agent.call("get_view", { rootNodeId: "n0", pageSize: 200, format }));
    lines.push(row(format, text.length, tokens(text.length)));
  }
  return lines;
}

function must(result: Awaited<ReturnType<Agent["call"]>>): { text: string; token: string } {
  if (!result.ok) throw new Error(result.text);
  return { text: result.text, token: result.token ?? "" };
}

await using session = await openSession({ limits: { callBurst: 1_000 } });
const agent = session.as({ id: "catalogue", role: "editor" });
process.stdout.write(`${[...toolsets(agent), "", ...(await views(agent))].join("\n")}\n`);
