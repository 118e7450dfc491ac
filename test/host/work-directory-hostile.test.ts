import { spawn } from "node:child_process";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { childProgram } from "../children.ts";
import { sqliteStore } from "../../src/store/index.ts";
import { inLanes, LONG } from "../effort.ts";
import { hosted } from "../session/host-session.ts";
import { scratch } from "../store/scratch.ts";
import { inSession, onDisk } from "./directory.ts";
import { folderOf } from "./folder.ts";
import { startSwapping } from "./outside.ts";

test(
  "[HOST-112] nothing outside is read, made, changed or removed while another process swaps directories and links",
  { timeout: 1_800_000 },
  async () => {
    const wanted = LONG ? 20_000 : 300;
    const { session } = await hosted({ files: { "dir/f": "inside", "dir/in/g": "inside", leaf: "inside" } });
    const dir = await session.directory();
    const outside = folderOf({ f: "outside", "in/g": "outside", secret: "outside" });
    const before = onDisk(outside);
    const swapping = startSwapping(dir, outside);
    let [written, imported, diverged] = [0, 0, 0];
    const until = performance.now() + 1_700_000;
    try {
      for (let n = 0; written + imported < wanted && performance.now() < until; n++) {
        const text = `inside ${n}`;
        const files = [`dir/f`, `dir/in/g`, `dir/new${n % 5}`, "leaf"];
        await session.workspace.writeAll(files.map((path) => [path, text]));
        if (n % 3 === 0) await session.workspace.remove(`dir/new${n % 5}`);
        await session.settled();
        for (const name of ["dir/f", "dir/in/g", "leaf"]) if (textAt(join(dir, name)) === text) written++;
        try {
          writeFileSync(join(dir, "dir.real", "made"), `inside made ${n}`);
        } catch {
          // The directory has its other name just now.
        }
        const report = await session.sync();
        imported += report.created.length + report.changed.length;
        diverged += report.diverged.length;
        const take = Object.fromEntries(report.diverged.map(({ path }) => [path, "outside" as const]));
        // Between two looks a path may have come back to what it was.
        if (report.diverged.length > 0) await session.sync({ take }).catch(() => {});
        for (const [path, held] of Object.entries(await inSession(session)))
          expect(`${path}: ${held}`).toMatch(/: (inside|$)/);
      }
    } finally {
      await swapping.stop();
    }
    expect(written + imported).toBeGreaterThanOrEqual(wanted);
    expect(diverged + imported).toBeGreaterThan(0);
    expect(onDisk(outside)).toEqual(before);
    await session.close();
  },
);

function textAt(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

test(
  "[HOST-109] after kill -9 the next process makes directory and session equal, and every acknowledged text is in the history",
  { timeout: 3_600_000 },
  async () => {
    await inLanes(LONG ? 200 : 2, killWritersOf);
  },
);

async function killWritersOf(numbers: readonly number[]): Promise<void> {
  const directory = scratch();
  const script = childProgram("host", "materialises");
  const made = sqliteStore({ directory });
  await (await hosted({ store: made, id: "s" })).session.close();
  await made.close();
  let acknowledged = 0;
  let path = "";
  for (const n of numbers) {
    const child = spawn(process.execPath, [script, directory, "s", String(n)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const ended = new Promise<void>((resolve) => child.on("close", () => resolve()));
    let said = "";
    child.stdout.on("data", (data: Buffer) => {
      if (said === "") setTimeout(() => child.kill("SIGKILL"), Math.random() * 400);
      said += data.toString();
    });
    await ended;
    const lines = said.split("\n").slice(0, -1);
    path = lines[0]?.slice("at ".length) ?? path;
    const store = sqliteStore({ directory });
    const { session } = await hosted({ store, id: "s" });
    expect(await session.directory()).toBe(path);
    const { diverged, skipped } = await session.sync();
    expect([diverged, skipped]).toEqual([[], []]);
    expect(onDisk(path)).toEqual(await inSession(session));
    expect(readdirSync(dirname(path))).toEqual(["files"]);
    const acks = lines.filter((line) => line.startsWith("ack "));
    acknowledged += acks.length;
    const last = acks.at(-1)?.split(" ");
    if (last !== undefined) {
      const records = await session.log({ path: last[1] as string, newestFirst: true, limit: 3 });
      const texts: string[] = [];
      for (const { seq } of records) {
        const then = await session.fork({ at: seq });
        texts.push((await inSession(then))[last[1] as string] ?? "");
        await then.close({ delete: true });
      }
      expect(texts.some((text) => text.startsWith(`session ${last[2] as string}\n`))).toBe(true);
    }
    await session.close();
    await store.close();
  }
  expect(acknowledged).toBeGreaterThan(0);
  rmSync(dirname(path), { recursive: true });
}
