import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { describe, expect, test } from "vitest";
import { childProgram } from "../children.ts";
import { LONG } from "../effort.ts";
import { memoryStore, sqliteStore, type Store } from "../../src/store/index.ts";
import { openSession, type Session } from "../../src/tools/index.ts";
import { scratch } from "../store/scratch.ts";
import { models, SCRIPT, type Model } from "./agent-script.ts";

async function filesOf(session: Session): Promise<Model> {
  const files = new Map<string, string>();
  for (const { path } of session.files())
    files.set(
      path.slice("/workspace/".length),
      new TextDecoder("utf-8", { ignoreBOM: true }).decode(await session.workspace.read(path)),
    );
  return files;
}

const sorted = (model: Model): [string, string][] => [...model].toSorted(([a], [b]) => (a < b ? -1 : 1));

/** Carries out the script from a step on and compares after each. */
async function workThrough(session: Session, from = 0): Promise<void> {
  const states = models();
  const agent = session.as({ id: "worker", role: "editor" });
  for (let i = from; i < SCRIPT.length; i++) {
    const step = SCRIPT[i];
    const result = await step?.call(agent);
    expect(result?.ok, `step ${i + 1} ${step?.what ?? ""}: ${result?.text ?? ""}`).toBe(true);
    expect(sorted(await filesOf(session)), `after step ${i + 1} ${step?.what ?? ""}`).toEqual(
      sorted(states[i + 1] as Model),
    );
  }
}

describe("an agent's working day", () => {
  const stores: readonly [string, () => Store][] = [
    ["memory", () => memoryStore()],
    ["sqlite", () => sqliteStore({ directory: scratch() })],
  ];
  for (const [name, open] of stores)
    test(`[HT-40] on ${name} every byte is what a plain model says after every call`, async () => {
      const store = open();
      const session = await openSession({ store, id: "day", toolsets: ["all"] });
      await workThrough(session);
      await session.close();
      const again = await openSession({ store, id: "day", toolsets: ["all"] });
      expect(sorted(await filesOf(again))).toEqual(sorted(models().at(-1) as Model));
      expect(await again.verify({ blobs: true, states: true })).toMatchObject({ ok: true });
      await again.close();
    });

  test("[HT-40] killed after any acknowledged call, the next process goes on as if nothing had been", async () => {
    const states = models();
    for (const kill of LONG ? SCRIPT.map((_, i) => i + 1) : [5, 21]) {
      const directory = scratch();
      const acknowledged = await killedAfter(directory, kill);
      const session = await openSession({ store: sqliteStore({ directory }), id: "day", toolsets: ["all"] });
      const found = sorted(await filesOf(session));
      // The step after the last acknowledged one may have been committed, or not.
      const at = [acknowledged, acknowledged + 1].findLast(
        (step) =>
          step < states.length && JSON.stringify(sorted(states[step] as Model)) === JSON.stringify(found),
      );
      expect(at, `killed after ${acknowledged}`).toBeDefined();
      const done = await committedSteps(session);
      expect([acknowledged, acknowledged + 1]).toContain(Math.max(acknowledged, done));
      await workThrough(session, Math.max(acknowledged, done));
      await session.close();
    }
  }, 600_000);
});

/** How many steps have left their record: those that only read leave none, and are done again. */
async function committedSteps(session: Session): Promise<number> {
  const records = (await session.log({ limit: 1_000 })).length;
  const writes = SCRIPT.map(({ what }, i) => ({
    step: i + 1,
    isWrite: what !== "lists" && what !== "reads",
  }));
  return writes.filter(({ isWrite }) => isWrite)[records - 1]?.step ?? 0;
}

/** Starts the script in another process and kills it once so many steps are acknowledged. */
async function killedAfter(directory: string, steps: number): Promise<number> {
  const child = spawn(process.execPath, [childProgram("tools", "agent-day"), directory], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  let acknowledged = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    acknowledged = Math.max(acknowledged, Number(line));
    if (acknowledged === steps) child.kill("SIGKILL");
  }
  await ended;
  return acknowledged;
}
