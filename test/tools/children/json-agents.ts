// A process with several agents that edit one JSON file, told on stdin what to do, one line a task; one line of JSON each
// on stdout. Arguments: store directory, session id, file, agent ids separated by commas.
//   own N      every agent sets its own key N times and appends N items to its own list
//   count N    every agent adds one to $.count N times, reading again after every refusal
//   round T    every agent tries to set $.shared, pinned to the token T

import { createInterface } from "node:readline";
import { openSession, sqliteStore } from "../../../src/index.ts";
import type { Agent } from "../../../src/tools/index.ts";

const [directory = "", id = "", path = "", names = ""] = process.argv.slice(2);
const store = sqliteStore({ directory });
const limits = { callsPerMinute: 1_000_000, callBurst: 1_000_000 };
const session = await openSession({ store, id, limits });
const agents = names.split(",").map((name) => ({ name, agent: session.as({ id: name, role: "editor" }) }));

async function own({ name, agent }: (typeof agents)[number], count: number): Promise<string[]> {
  const refusals: string[] = [];
  for (let n = 1; n <= count; n++)
    for (const [tool, jsonPath, value] of [
      ["set_json_value", `$.keys['${name}']`, String(n)],
      ["append_json_array", `$.lists['${name}']`, String(n)],
    ] as const) {
      const result = await agent.call(tool, { path, json_path: jsonPath, value });
      if (!result.ok) refusals.push(result.error.reason);
    }
  return refusals;
}

/** Returns how often it was refused. */
async function count(agent: Agent, times: number): Promise<number> {
  let refused = 0;
  for (let done = 0; done < times;) {
    const read = await agent.call<{ json: string; token: string }>("get_json_value", {
      path,
      json_path: "$.count",
    });
    if (!read.ok) throw new Error(read.text);
    const value = String(Number(read.value.json) + 1);
    const pinned = { path, json_path: "$.count", value, expectedVersion: read.value.token };
    if ((await agent.call("set_json_value", pinned)).ok) done++;
    else refused++;
  }
  return refused;
}

async function round(token: string): Promise<string[]> {
  const wins: string[] = [];
  await Promise.all(
    agents.map(async ({ name, agent }) => {
      const sent = { path, json_path: "$.shared", value: JSON.stringify(`${name} ${token}`) };
      const result = await agent.call("set_json_value", { ...sent, expectedVersion: token });
      if (result.ok) wins.push(result.token ?? "");
      else if (result.error.reason !== "stale_version") throw new Error(result.text);
    }),
  );
  return wins;
}

process.stdout.write("ready\n");
for await (const line of createInterface({ input: process.stdin })) {
  const [task = "", argument = ""] = line.split(" ");
  const done =
    task === "own"
      ? (await Promise.all(agents.map((one) => own(one, Number(argument))))).flat()
      : task === "count"
        ? await Promise.all(agents.map(({ agent }) => count(agent, Number(argument))))
        : await round(argument);
  process.stdout.write(`${JSON.stringify(done)}\n`);
}
await session.close();
await store.close();
process.exit(0);
