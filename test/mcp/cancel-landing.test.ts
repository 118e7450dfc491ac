import { Client } from "@modelcontextprotocol/client";
import { InMemoryTransport } from "@modelcontextprotocol/server";
import { afterEach, expect, test } from "vitest";
import { createMcpServer } from "../../src/mcp/index.ts";
import { openSession, type LandingChoice, type LandingPlan, type Session } from "../../src/tools/index.ts";
import { scratch } from "../cli/folder.ts";

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

type Planning = (choice: LandingChoice, session: Session) => Promise<LandingPlan>;

/** A session of a folder with one new file, and a client of it for which `plan` makes the plans. */
async function served(plan: Planning): Promise<{ readonly session: Session; readonly client: Client }> {
  const session = await openSession({
    toolsets: ["all"],
    mounts: [{ from: scratch({ "a.txt": "one\n" }), to: "/workspace" }],
  });
  closers.push(() => session.close());
  const slow = new Proxy(session, {
    get(target, name) {
      if (name === "plan") return (choice: LandingChoice) => plan(choice, target);
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
  const agent = session.as({ id: "agent", role: "editor" });
  await agent.call("write_file", { path: "b.txt", content: "b\n" });
  const [here, there] = InMemoryTransport.createLinkedPair();
  await createMcpServer(agent, { session: slow }).connect(there);
  const client = new Client({ name: "test", version: "1" }, { capabilities: { elicitation: { form: {} } } });
  await client.connect(here as never);
  closers.push(() => client.close());
  return { session, client };
}

test("[MCP-35] a request_landing that is cancelled while it is planned leaves no record, and asks nobody", async () => {
  const cancel = new AbortController();
  const planned: (boolean | undefined)[] = [];
  const { session, client } = await served(async (choice, target) => {
    cancel.abort();
    await new Promise((resolve) => setTimeout(resolve, 20));
    planned.push(choice.signal?.aborted);
    return target.plan(choice);
  });
  let asked = 0;
  client.setRequestHandler("elicitation/create", () => {
    asked++;
    return { action: "accept", content: {} };
  });
  const { seq } = session.at;
  const call = client.callTool(
    { name: "request_landing", arguments: { reason: "done" } },
    { signal: cancel.signal },
  );
  await expect(call).rejects.toThrow();
  await expect.poll(() => planned).toEqual([true]);
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(session.at.seq).toBe(seq);
  expect(session.landings()).toEqual([]);
  expect(asked).toBe(0);
});

test("[MCP-35] a cancel after the user was asked leaves the request open", async () => {
  const cancel = new AbortController();
  const { session, client } = await served((choice, target) => target.plan(choice));
  client.setRequestHandler("elicitation/create", async () => {
    cancel.abort();
    await new Promise((resolve) => setTimeout(resolve, 20));
    return { action: "accept", content: {} };
  });
  const call = client.callTool(
    { name: "request_landing", arguments: { reason: "done" } },
    { signal: cancel.signal },
  );
  await expect(call).rejects.toThrow();
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(session.landings()).toMatchObject([{ state: "open", reason: "done" }]);
});

test("[MCP-35] what is written while it is planned is part of what the user is asked", async () => {
  let made = 0;
  const { client } = await served(async (choice, target) => {
    const plan = await target.plan(choice);
    const agent = target.as({ id: "agent", role: "editor" });
    if (made++ === 0) await agent.call("write_file", { path: "late.txt", content: "late\n" });
    return plan;
  });
  const questions: string[] = [];
  client.setRequestHandler("elicitation/create", ({ params }) => {
    questions.push(params.message);
    return { action: "cancel" };
  });
  await client.callTool({ name: "request_landing", arguments: { reason: "done" } });
  expect(questions).toEqual([expect.stringContaining("late.txt")]);
  expect(made).toBe(2);
});
