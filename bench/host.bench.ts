// Host folders: what mounting, materialising, looking for changes and writing live cost, against the programs that do the bare work.

import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { open, rename } from "node:fs/promises";
import { join } from "node:path";
import { sqliteStore } from "../src/store/index.ts";
import { openSession, type Session } from "../src/tools/index.ts";
import { defineBench, defineCase, type AnyCase, type Started, type Subject } from "./harness.ts";

const FILES = Number(process.env["HOLDFAST_BENCH_FILES"] ?? 10_000);
const IN_ONE = 100;

interface Env {
  readonly dir: string;
  readonly folder: string;
}

/** A folder of small files, a hundred to a directory. */
function setup({ dir }: { readonly dir: string }): Env {
  const folder = join(dir, "folder");
  for (let i = 0; i < FILES; i++) {
    const directory = join(folder, `d${Math.floor(i / IN_ONE)}`);
    if (i % IN_ONE === 0) mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, `f${i}.txt`), `file ${i}\n`.repeat(1 + (i % 200)));
  }
  return { dir, folder };
}

/** What is on its way to the disk belongs to nobody's time. */
function quiet(): void {
  execFileSync("sync");
}

const copying: Subject<Env> = {
  name: "cp -r",
  start: ({ dir, folder }) => {
    const to = join(dir, "copy");
    return {
      before: () => {
        rmSync(to, { recursive: true, force: true });
        quiet();
      },
      run: () => {
        execFileSync("cp", ["-r", folder, to]);
        return FILES;
      },
    };
  },
};

const mounting: Subject<Env> = {
  name: "holdfast",
  start: ({ dir, folder }) => {
    const directory = mkdtempSync(join(dir, "store-"));
    const store = sqliteStore({ directory });
    let session: Session | undefined;
    const end = async (): Promise<void> => {
      await session?.close({ delete: true });
      session = undefined;
    };
    return {
      before: async () => {
        await end();
        quiet();
      },
      run: async () => {
        session = await openSession({ store, mounts: [{ from: folder, to: "/workspace" }] });
        return session.files().length;
      },
      stop: async () => {
        await end();
        await store.close();
      },
    };
  },
};

const materialising: Subject<Env> = {
  name: "holdfast",
  start: async ({ dir, folder }) => {
    const store = sqliteStore({ directory: mkdtempSync(join(dir, "store-")) });
    const session = await openSession({ store, mounts: [{ from: folder, to: "/workspace" }] });
    let fork: Session | undefined;
    const end = async (): Promise<void> => {
      await fork?.close({ delete: true });
      fork = undefined;
    };
    return {
      before: async () => {
        await end();
        fork = await session.fork();
        quiet();
      },
      run: async () => {
        await fork?.directory();
        return FILES;
      },
      stop: async () => {
        await end();
        await session.close();
        await store.close();
      },
    };
  },
};

const scanning: Subject<Env> = {
  name: "holdfast",
  start: async ({ dir, folder }) => {
    const store = sqliteStore({ directory: mkdtempSync(join(dir, "store-")) });
    const session = await openSession({ store, mounts: [{ from: folder, to: "/workspace" }] });
    await session.directory();
    // Files that were written just now are read once more.
    await new Promise((resolve) => setTimeout(resolve, 100));
    await session.sync();
    return {
      run: async () => {
        const { created, changed, deleted } = await session.sync();
        return created.length + changed.length + deleted.length;
      },
      stop: async () => {
        await session.close({ delete: true });
        await store.close();
      },
    };
  },
};

const finding: Subject<Env> = {
  name: "find",
  start: ({ folder }) => ({
    run: () => {
      execFileSync("find", [folder, "-newermt", "2100-01-01"]);
      return 0;
    },
  }),
};

const SIZE = 10 * 1024;
const WRITES = 200;
/** Everybody as in a process that has been at work for a while, and has its own: as the writes of `journal` are measured. */
const STEADY = { rounds: 11, warmups: 10, repeat: WRITES, isolate: true } as const;

interface Writer extends Pick<Started, "stop"> {
  write(n: number, text: string): Promise<unknown>;
}

/** Rounds of writes to a hundred files in turn, with texts that were made before. */
function writing(writer: Writer): Started {
  let texts: string[] = [];
  let n = 0;
  return {
    ...writer,
    before: () => {
      texts = Array.from({ length: WRITES }, () => randomBytes((SIZE / 4) * 3).toString("base64"));
    },
    run: async () => {
      await writer.write(n++ % 100, texts.pop() ?? "");
      return SIZE;
    },
  };
}

const live: Subject<Env> = {
  name: "holdfast",
  start: async ({ dir }) => {
    const from = mkdtempSync(join(dir, "live-"));
    const store = sqliteStore({ directory: mkdtempSync(join(dir, "store-")) });
    const session = await openSession({
      store,
      mounts: [{ from, to: "/workspace", live: true }],
      limits: { callsPerMinute: 1_000_000, callBurst: 1_000_000 },
    });
    const agent = session.as({ id: "planner", role: "editor" });
    return writing({
      write: async (n, content) => {
        const result = await agent.call("write_file", { path: `f${n}.txt`, content, mode: "upsert" });
        if (!result.ok || statSync(join(from, `f${n}.txt`)).size !== SIZE) throw new Error(result.text);
      },
      stop: async () => {
        await session.close();
        await store.close();
      },
    });
  },
};

const withDirectory: Subject<Env> = {
  name: "holdfast",
  start: async ({ dir }) => {
    const store = sqliteStore({ directory: mkdtempSync(join(dir, "store-")) });
    const session = await openSession({
      store,
      limits: { callsPerMinute: 1_000_000, callBurst: 1_000_000 },
    });
    await session.directory();
    const agent = session.as({ id: "planner", role: "editor" });
    return writing({
      write: async (n, content) => {
        const result = await agent.call("write_file", { path: `f${n}.txt`, content, mode: "upsert" });
        if (!result.ok) throw new Error(result.text);
      },
      stop: async () => {
        await session.close({ delete: true });
        await store.close();
      },
    });
  },
};

const agentfs: Subject<Env> = {
  name: "agentfs-sdk",
  start: async ({ dir }) => {
    const { AgentFS } = await import("agentfs-sdk");
    const agent = await AgentFS.open({ path: join(dir, "agentfs.db") });
    return writing({
      write: (n, text) => agent.fs.writeFile(`/f${n}.txt`, text),
      stop: () => agent.close(),
    });
  },
};

const bare: Subject<Env> = {
  name: "fs.writeFile + fsync + rename",
  start: ({ dir }) => {
    const folder = mkdtempSync(join(dir, "bare-"));
    return writing({
      write: async (n, text) => {
        const temporary = join(folder, "new");
        const file = await open(temporary, "w");
        await file.writeFile(text);
        await file.sync();
        await file.close();
        await rename(temporary, join(folder, `f${n}.txt`));
      },
    });
  },
};

const agree = (ours: unknown, theirs: unknown): boolean => ours === theirs;
const CASES: AnyCase[] = [
  defineCase<Env>({
    name: "mount 10k files",
    setup,
    ours: mounting,
    peers: [copying],
    rounds: 7,
    warmups: 1,
    agree,
  }),
  defineCase<Env>({
    name: "materialise 10k files",
    setup,
    ours: materialising,
    peers: [copying],
    rounds: 7,
    warmups: 1,
    agree,
  }),
  defineCase<Env>({
    name: "look for changes in 10k files",
    setup,
    ours: scanning,
    peers: [finding],
    rounds: 7,
    warmups: 1,
    agree,
  }),
  defineCase<Env>({
    name: "write 10 KB with work directory",
    setup: ({ dir }) => ({ dir, folder: dir }),
    ours: withDirectory,
    peers: [agentfs],
    ...STEADY,
    agree,
  }),
  defineCase<Env>({
    name: "live write of 10 KB",
    setup: ({ dir }) => ({ dir, folder: dir }),
    ours: live,
    peers: [bare],
    ...STEADY,
    agree,
  }),
];

export default defineBench({
  name: "host",
  title: "folders of the host: mounts, the work directory, live writes",
  goals: ["write-directory", "mount-in", "mount-out", "live-write"],
  cases: CASES,
});
