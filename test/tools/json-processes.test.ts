import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { childProgram } from "../children.ts";
import { sqliteStore } from "../../src/store/sqlite/store.ts";
import { hosted, put } from "../session/host-session.ts";
import { scratch } from "../store/scratch.ts";

const LONG = process.env["HOLDFAST_LONG"] === "1";
const PROCESSES = LONG ? 4 : 2;
const AGENTS = LONG ? 4 : 2;
const TIMES = LONG ? 100 : 5;
const ROUNDS = LONG ? 200 : 10;
const SCRIPT = childProgram("tools", "json-agents");
const PATH = "/workspace/shared.json";

test(
  "[JTOOL-70] [JTOOL-71] [FILES-14] agents of several processes edit one document and many files: nothing is lost or overwritten unseen, and one token has one winner",
  { timeout: 1_800_000 },
  async () => {
    const directory = join(scratch(), "store");
    const store = sqliteStore({ directory });
    const { session, as } = await hosted({ id: "s", store });
    const names = Array.from({ length: PROCESSES * AGENTS }, (_, i) => `agent-${i}`);
    const lists = Object.fromEntries(names.map((name) => [name, []]));
    const document = { keys: {}, lists, count: 0, shared: "" };
    await put(as("keeper"), PATH, JSON.stringify(document, null, 2));
    await put(as("keeper"), "shared.log", "");

    const children = Array.from({ length: PROCESSES }, (_, i) => {
      const own = names.slice(i * AGENTS, (i + 1) * AGENTS).join(",");
      const child = spawn(process.execPath, [SCRIPT, directory, "s", PATH, own], {
        stdio: ["pipe", "pipe", "inherit"],
      });
      return { child, lines: createInterface({ input: child.stdout })[Symbol.asyncIterator]() };
    });
    const ask = async <T>(task: string): Promise<T[]> => {
      for (const { child } of children) child.stdin.write(`${task}\n`);
      const said: T[] = [];
      for (const { lines } of children) said.push(...(JSON.parse(String((await lines.next()).value)) as T[]));
      return said;
    };
    for (const { lines } of children) expect((await lines.next()).value).toBe("ready");

    expect(await ask<string>(`own ${TIMES}`)).toEqual([]);
    expect(await ask<string>(`files ${TIMES}`)).toEqual([]);
    for (const task of ["count", "log"])
      expect(await ask<number>(`${task} ${TIMES}`)).toHaveLength(names.length);

    const latest = async (): Promise<{ document: typeof document; token: string }> => {
      // Naming the newest record makes this process take in what the others wrote.
      const [newest] = await session.log({ newestFirst: true, limit: 1 });
      await session.diff({ to: newest?.seq ?? 0, from: newest?.seq ?? 0 });
      const read = await as("eye").call<{ content: string; token: string }>("read_file", { path: PATH });
      if (!read.ok) throw new Error(read.text);
      return { document: JSON.parse(read.value.content) as typeof document, token: read.value.token };
    };
    let { token } = await latest();
    for (let i = 0; i < ROUNDS; i++) {
      const wins = await ask<string>(`round ${token}`);
      expect(wins).toHaveLength(1);
      token = wins[0] ?? "";
    }

    const { document: now, token: last } = await latest();
    expect(last).toBe(token);
    const all = Array.from({ length: TIMES }, (_, n) => n + 1);
    expect(now.keys).toEqual(Object.fromEntries(names.map((name) => [name, TIMES])));
    expect(now.lists).toEqual(Object.fromEntries(names.map((name) => [name, all])));
    expect(now.count).toBe(names.length * TIMES);
    const text = async (path: string): Promise<string> =>
      new TextDecoder().decode(await session.workspace.read(path));
    const logged = (await text("shared.log")).trimEnd().split("\n");
    // Each agent's lines are all there, in its order.
    for (const name of names)
      expect(logged.filter((line) => line.startsWith(`${name} `))).toEqual(all.map((n) => `${name} ${n}`));
    expect(logged).toHaveLength(names.length * TIMES);
    for (const name of names) {
      expect(await text(`own/${name}/log.txt`)).toBe(all.map((n) => `${n}\n`).join(""));
      for (const n of all) expect(await text(`own/${name}/${n}.txt`)).toBe(`${name} ${n}\n`);
    }
    for (const { child } of children) child.stdin.end();
    await Promise.all(children.map(({ child }) => new Promise((resolve) => child.once("exit", resolve))));
    expect(await session.verify({ states: true, blobs: true })).toMatchObject({ ok: true });
    await session.close();
    await store.close();
  },
);
