// Owns: running processes that are killed, again and again.

import { spawn, type ChildProcess } from "node:child_process";
import { closeSync, existsSync, fstatSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import type { JournalRecord, Store } from "../../src/store/journal.ts";
import { DRIVERS, environmentFor } from "./drivers.ts";
import { checkCrash, hear, newHeard, type Heard } from "./crash-check.ts";

interface Child {
  readonly agent: string;
  readonly process: ChildProcess;
  readonly ended: Promise<void>;
}

export interface KillReport {
  readonly kills: number;
  readonly commits: number;
  readonly acknowledged: number;
  /** Commits whose process was killed after it had asked and before it heard; all but the last ones were asked for again. */
  readonly interrupted: number;
  readonly wrong: string[];
}

/** What a process may commit in a round, a byte each: enough that a kill always hits something, however slowly others start meanwhile. */
const COMMITS = ".".repeat(16);

/**
 * Keeps `atOnce` processes committing to one session and kills one, some or all of them with SIGKILL, each after a random time.
 * After all of them, the next to open the file has to recover it. They use the SQLite libraries in turn. Checks all that was
 * acknowledged after each round, and everything once more at the end.
 */
export async function killCycles(
  store: Store,
  directory: string,
  script: string,
  cycles: number,
  atOnce = 3,
): Promise<KillReport> {
  const agents = new Map<string, Heard>();
  const kept = new Map<string, JournalRecord>();
  const wrong: string[] = [];
  const running: Child[] = [];
  let head = 0;
  let kills = 0;
  let interrupted = 0;
  let started = 0;

  const start = (agent: string): Child => {
    const heard = agents.get(agent) ?? newHeard();
    agents.set(agent, heard);
    // What was asked and not heard of is asked again, from the first of them on.
    let first = heard.asked.size;
    for (const n of heard.asked) if (!heard.acknowledged.has(n)) first = Math.min(first, n);
    const child = spawn(process.execPath, [script, directory, "s", agent, String(first), fileOf(agent)], {
      stdio: ["pipe", "ignore", "pipe"],
      env: environmentFor(DRIVERS[started++ % DRIVERS.length] ?? "libsql"),
    });
    child.stdin.on("error", () => undefined);
    let errors = "";
    child.stderr.on("data", (data: Buffer) => (errors += data.toString()));
    const ended = new Promise<void>((resolve) => {
      child.on("close", (code, signal) => {
        if (signal !== "SIGKILL")
          wrong.push(`${agent} ended by itself with ${String(code)}: ${errors.slice(0, 500)}`);
        resolve();
      });
    });
    return { agent, process: child, ended };
  };

  const fileOf = (agent: string): string => join(directory, `${agent}.heard`);
  const read = new Map<string, number>();
  /** Takes in what the agent has written since, up to the last whole line. */
  const listen = (agent: string): Heard => {
    const heard = agents.get(agent) as Heard;
    if (!existsSync(fileOf(agent))) return heard;
    const fd = openSync(fileOf(agent), "r");
    const from = read.get(agent) ?? 0;
    const bytes = Buffer.alloc(fstatSync(fd).size - from);
    readSync(fd, bytes, 0, bytes.length, from);
    closeSync(fd);
    const whole = bytes.subarray(0, bytes.lastIndexOf(10) + 1);
    read.set(agent, from + whole.length);
    hear(whole.toString(), heard);
    return heard;
  };

  const kill = async (child: Child): Promise<void> => {
    // Not before it has done something, unless it takes very long to.
    const before = listen(child.agent).acknowledged.size;
    for (let waited = 0; waited < 10_000 && listen(child.agent).acknowledged.size === before; waited += 10)
      await sleep(10);
    await sleep(Math.random() * 40);
    child.process.kill("SIGKILL");
    await child.ended;
    kills++;
    const heard = listen(child.agent);
    interrupted += heard.asked.size - heard.acknowledged.size;
  };

  const journal = await store.open("s", { create: true });
  try {
    for (let i = 0; i < atOnce; i++) running.push(start(`agent-${i}`));
    while (kills < cycles && wrong.length === 0) {
      for (const child of running) child.process.stdin?.write(COMMITS);
      running.sort(() => Math.random() - 0.5);
      const doomed = running.splice(0, 1 + Math.floor(Math.random() * atOnce));
      await Promise.all(doomed.map(kill));
      for (const agent of agents.keys()) listen(agent);
      const checked = await checkCrash(journal, agents, kept, head);
      wrong.push(...checked.wrong);
      head = checked.head;
      if (kills < cycles) for (const { agent } of doomed) running.push(start(agent));
    }
  } finally {
    for (const child of running) child.process.kill("SIGKILL");
    await Promise.all(running.map(({ ended }) => ended));
    for (const agent of agents.keys()) listen(agent);
    await journal.close();
  }

  const again = await store.open("s");
  const all = new Map<string, JournalRecord>();
  wrong.push(...(await checkCrash(again, agents, all, 0, false)).wrong);
  const verified = await again.verify({ blobs: true });
  if (!verified.ok) wrong.push(`the chain is broken: ${JSON.stringify(verified)}`);
  await again.close();
  let acknowledged = 0;
  for (const heard of agents.values()) acknowledged += heard.acknowledged.size + heard.plain.size;
  return { kills, commits: all.size, acknowledged, interrupted, wrong };
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
