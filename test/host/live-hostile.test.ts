import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { childProgram } from "../children.ts";
import { sqliteStore } from "../../src/store/index.ts";
import { inLanes, LONG } from "../effort.ts";
import { hosted } from "../session/host-session.ts";
import { scratch } from "../store/scratch.ts";
import { inSession, onDisk } from "./directory.ts";
import { folderOf } from "./folder.ts";
import { insertedTexts } from "./history-texts.ts";
import { shown } from "./live-session.ts";
import { startSwapping } from "./outside.ts";

test(
  "[HOST-135] a person with editors and two agents in the same files: no text is lost, and the folder equals the session at the end",
  { timeout: 300_000 },
  async () => {
    // In a short run they meet in fewer files, to meet as often.
    const FILES = LONG ? 50 : 8;
    const ms = LONG ? 60_000 : 1_500;
    const files: Record<string, string> = {};
    for (let i = 0; i < FILES; i++) files[`f${i}.txt`] = "1\n2\n3\n4\n5\n6\n7\n8\n";
    const folder = folderOf(files);
    const store = sqliteStore({ directory: scratch() });
    const { session, as, troubles } = await hosted({
      store,
      id: "s",
      mounts: [{ from: folder, to: "/workspace", live: true, exclude: ["*~"] }],
      limits: { contentionTries: 20 },
    });
    const script = childProgram("host", "edits-outside");
    const child = spawn(process.execPath, [script, folder, String(FILES)], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    let said = "";
    child.stdout.on("data", (data: Buffer) => (said += data.toString()));
    let isEnded = false;
    const ended = new Promise<void>((resolve) =>
      child.on("close", () => {
        isEnded = true;
        resolve();
      }),
    );
    const acknowledged: string[] = [];
    const refused = new Map<string, number>();
    const work = async (id: string): Promise<void> => {
      const agent = as(id);
      for (let n = 0; !isEnded; n++) {
        const path = `f${Math.floor(Math.random() * FILES)}.txt`;
        const line = `${id} ${n} line`;
        const read = await agent.call<{ content: string }>("read_file", { path });
        if (!read.ok) continue;
        const lines = read.value.content.split("\n").slice(-12);
        lines.splice(Math.floor(Math.random() * lines.length), 1, line);
        const content = `${lines.filter((one) => one !== "").join("\n")}\n`;
        const result =
          n % 3 === 0
            ? await agent.call("write_file", { path, content: `${line}\n`, mode: "append" })
            : await agent.call("write_file", { path, content, mode: "overwrite" });
        if (result.ok) acknowledged.push(line);
        else refused.set(result.error.reason, (refused.get(result.error.reason) ?? 0) + 1);
      }
    };
    const wrote = (): number => said.split("\n").filter((line) => line.startsWith("wrote ")).length;
    const stop = async (): Promise<void> => {
      await sleep(ms);
      // On a busy machine it takes longer until they have met often enough.
      for (let tries = 0; tries < 100 && Math.min(acknowledged.length, wrote()) <= 10; tries++)
        await sleep(500);
      child.stdin.end();
    };
    await Promise.all([work("ann"), work("bob"), stop(), ended]);
    await sleep(2_100);
    const eye = as("eye");
    expect((await eye.call("list_directory", {})).ok).toBe(true);
    expect(shown(folder)).toEqual(await inSession(session));
    const history = new Set((await insertedTexts(store, "s")).split("\n"));
    expect(acknowledged.filter((line) => !history.has(line))).toEqual([]);
    const gone = said.split("\n").filter((line) => line.startsWith("gone "));
    expect(gone.filter((line) => !history.has(line.slice("gone ".length)))).toEqual([]);
    expect(Math.min(acknowledged.length, wrote())).toBeGreaterThan(10);
    for (const reason of refused.keys())
      expect(["busy_outside", "no_such_file", "contended"]).toContain(reason);
    expect(troubles).toEqual([]);
    expect((await session.verify()).ok).toBe(true);
    await session.close();
    await store.close();
  },
);

test(
  "[HOST-136] nothing outside a live folder is read, made, changed or removed while another process swaps directories and links",
  { timeout: 7_200_000 },
  async () => {
    await inLanes(LONG ? 20_000 : 30, ({ length }) => writeWhileSwapped(length));
  },
);

async function writeWhileSwapped(wanted: number): Promise<void> {
  const folder = folderOf({ "dir/f": "inside", "dir/in/g": "inside", leaf: "inside", calm: "inside" });
  const outside = folderOf({ f: "outside", "in/g": "outside", secret: "outside" });
  const before = onDisk(outside);
  const { session, as } = await hosted({ mounts: [{ from: folder, to: "/workspace", live: true }] });
  const swapping = startSwapping(folder, outside);
  let written = 0;
  const until = performance.now() + 7_000_000;
  const write = async (path: string, content: string): Promise<void> => {
    const agent = as(`at-${path}`);
    const result = await agent.call("write_file", { path, content, mode: "upsert" });
    if (result.ok) written++;
    const read = await agent.call<{ content: string }>("read_file", { path });
    if (read.ok) expect(read.value.content).toMatch(/^(inside|$)/);
  };
  try {
    for (let n = 0; written < wanted && performance.now() < until; n++) {
      const paths = ["dir/f", "dir/in/g", `dir/new${n % 5}`, "leaf", "calm"];
      await Promise.all(paths.map((path) => write(path, `inside ${n}`)));
    }
  } finally {
    await swapping.stop();
  }
  expect(written).toBeGreaterThanOrEqual(wanted);
  // What was swapped last is imported first: the listing shows what a read finds.
  expect((await as("eye").call("list_directory", { depth: 9 })).ok).toBe(true);
  for (const text of Object.values(await inSession(session))) expect(text).toMatch(/^(inside|$)/);
  expect(onDisk(outside)).toEqual(before);
  await session.close();
}

test(
  "[HOST-137] after kill -9 while writing live, folder and session are equal and every acknowledged text is in the history",
  { timeout: 3_600_000 },
  async () => {
    await inLanes(LONG ? 200 : 2, killWritersOf);
  },
);

async function killWritersOf(numbers: readonly number[]): Promise<void> {
  const files: Record<string, string> = {};
  for (let i = 0; i < 10; i++) files[`d${i % 3}/f${i}`] = `0 ${i}\n`;
  const folder = folderOf(files);
  const directory = scratch();
  const script = childProgram("host", "writes-live");
  const mounts = [{ from: folder, to: "/workspace", live: true }];
  const acknowledged: string[] = [];
  for (const n of numbers) {
    const child = spawn(process.execPath, [script, directory, folder, String(n)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const ended = new Promise<void>((resolve) => child.on("close", () => resolve()));
    let said = "";
    child.stdout.on("data", (data: Buffer) => {
      if (said === "") setTimeout(() => child.kill("SIGKILL"), 20 + Math.random() * 400);
      said += data.toString();
    });
    await ended;
    const acks = said.split("\n").slice(0, -1);
    acknowledged.push(...acks.filter((line) => line.startsWith("ack ")).map((line) => line.slice(4)));
    const store = sqliteStore({ directory });
    const { session } = await hosted({ store, id: "s", mounts });
    expect(shown(folder)).toEqual(await inSession(session));
    expect(readdirSync(join(folder, ".holdfast", "new"))).toEqual([]);
    await session.close();
    await store.close();
  }
  const store = sqliteStore({ directory });
  const history = new Set((await insertedTexts(store, "s")).split("\n"));
  expect(acknowledged.length).toBeGreaterThan(0);
  expect(acknowledged.filter((line) => !history.has(line))).toEqual([]);
  await store.close();
  expect(readFileSync(join(folder, ".holdfast", ".gitignore"), "utf8")).toBe("*\n");
}
