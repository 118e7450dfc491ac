// A process with several agents that edit one JSON file, told on stdin what to do, one line a task; one line of JSON each
// on stdout. Arguments: store directory, session id, file, agent ids separated by commas.
//   own N      every agent sets its own key N times and appends N items to its own list
//   count N    every agent adds one to $.count N times, reading again after every refusal
//   files N    every agent writes N files of its own and appends N lines to its own log, all at once
//   log N      every agent adds N lines to the shared log by overwriting it as it was read, reading again after every refusal
//   round T    every agent tries to set $.shared, pinned to the token T

import { createInterface } from "node:readline";
import { openSession, sqliteStore } from "../../../src/index.ts";
import type { Agent } from "../../../src/tools/index.ts";

const [directory = "", id = "", path = "", names = ""] = process.argv.slice(2);
const store = sqliteStore({ directory });
const limits = { callsPerMinute: 1_000_000, callBurst: 1_000_000 };
const session = await openSession({ store, id, limits });
const LOG = "shared.log";
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

/** Writes files of its own. Returns what was refused. */
async function files({ name, agent }: (typeof agents)[number], count: number): Promise<string[]> {
  const refusals: string[] = [];
  for (let n = 1; n <= count; n++)
    for (const [file, content, mode] of [
      [`own/${name}/${n}.txt`, `${name} ${n}\n`, "create"],
      [`own/${name}/log.txt`, `${n}\n`, n === 1 ? "create" : "append"],
    ] as const) {
      const result = await agent.call("write_file", { path: file, content, mode });
      if (!result.ok) refusals.push(result.error.reason);
    }
  return refusals;
}

/** Overwrites a whole file with what it read and a line more. Returns how often it was refused. */
async function log({ name, agent }: (typeof agents)[number], times: number): Promise<number> {
  let refused = 0;
  for (let done = 0; done < times;) {
    const read = await agent.call("read_file", { path: LOG });
    if (!read.ok) throw new Error(read.text);
    const content = `${read.value.content ?? ""}${name} ${done + 1}\n`;
    const pinned = {
      path: LOG,
      content,
      mode: "overwrite",
      expectedVersion: read.value.token ?? "",
    } as const;
    const result = await agent.call("write_file", pinned);
    if (result.ok) done++;
    else if (result.error.code === "conflict") refused++;
    else throw new Error(result.text);
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
  const times = Number(argument);
  const tasks: Record<string, () => Promise<unknown[]>> = {
    own: async () => (await Promise.all(agents.map((one) => own(one, times)))).flat(),
    files: async () => (await Promise.all(agents.map((one) => files(one, times)))).flat(),
    count: () => Promise.all(agents.map(({ agent }) => count(agent, times))),
    log: () => Promise.all(agents.map((one) => log(one, times))),
    round: () => round(argument),
  };
  const done = await tasks[task]?.();
  process.stdout.write(`${JSON.stringify(done)}\n`);
}
await session.close();
await store.close();
process.exit(0);
