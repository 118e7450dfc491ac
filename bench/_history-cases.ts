// Owns: the cases of the journal benchmark that go through a session: history against git, reopening, one splice in a large file.

import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { sqliteStore, type Store } from "../src/store/index.ts";
import { defineTool, openSession, type Agent, type Session, type Tool } from "../src/tools/index.ts";
import { reopenTree } from "./_reopen-tree.ts";
import { defineCase, type AnyCase, type Subject } from "./harness.ts";

interface Env {
  readonly dir: string;
}

const LIMITS = {
  callBurst: 1e6,
  callsPerMinute: 1e6,
  writeSize: 64 * 1024 * 1024,
  inputBytes: 256 * 1024 * 1024,
};

const nameOf = (i: number): string => `d${i % 100}/f${i}.txt`;
const textOf = (i: number, version: number): string =>
  Array.from(
    { length: 20 },
    (_, line) => `line ${line} of file ${i}, version ${line === 7 ? version : 0}\n`,
  ).join("");

/** Edits one place of a file: what edit_file does, without looking for the place. */
const splice: Tool = defineTool({
  name: "splice",
  toolset: "bench",
  access: "write",
  title: "Splice",
  description: "Replaces bytes at a place.",
  input: z.object({ path: z.string(), at: z.int(), remove: z.int(), insert: z.string() }),
  output: z.object({}),
  targets: () => [],
  async run(ctx, { path: asked, at, remove, insert }) {
    const path = ctx.path(asked, "file");
    await ctx.files.splice(path, [{ at, remove, insert: new TextEncoder().encode(insert) }]);
    return {};
  },
  text: () => "spliced",
});

/** A session with the tool that splices, and without limits of rate. */
export function openForBench(store: Store, id: string): Promise<Session> {
  return openSession({ store, id, toolsets: ["all"], limits: LIMITS, tools: [splice] });
}

async function write(agent: Agent, i: number, version: number): Promise<void> {
  const mode = version === 0 ? "create" : "overwrite";
  const result = await agent.call("write_file", { path: nameOf(i), content: textOf(i, version), mode });
  if (!result.ok) throw new Error(result.text);
}

/** Many calls are in flight at once, so that one fsync serves several. */
async function fill(session: Session, files: number, records: number): Promise<void> {
  const agent = session.as({ id: "writer", role: "editor" });
  for (let i = 0; i < records; i += 100)
    await Promise.all(
      Array.from({ length: Math.min(100, records - i) }, (_, j) =>
        write(agent, (i + j) % files, Math.floor((i + j) / files)),
      ),
    );
}

interface Ready {
  readonly store: Store;
  readonly session: Session;
  readonly agent: Agent;
}

async function ready(dir: string, files: number): Promise<Ready> {
  const store = sqliteStore({ directory: join(dir, `store-${files}`) });
  const session = await openForBench(store, "s");
  if (session.files().length === 0) await fill(session, files, files);
  return { store, session, agent: session.as({ id: "planner", role: "editor" }) };
}

/** A repository with the same files, committed once. */
function repository(dir: string, files: number): (...args: string[]) => string {
  const root = join(dir, `git-${files}`);
  const git = (...args: string[]): string =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], {
      cwd: root,
      encoding: "utf8",
    });
  mkdirSync(root);
  for (let i = 0; i < files; i++) {
    if (i < 100) mkdirSync(join(root, `d${i}`));
    writeFileSync(join(root, nameOf(i)), textOf(i, 0));
  }
  git("init", "-q");
  git("add", "-A");
  git("commit", "-qm", "all");
  return git;
}

function gitSubject(
  name: string,
  files: number,
  prepare: (touch: (i: number) => void) => void,
  run: (git: (...args: string[]) => string) => unknown,
): Subject<Env> {
  return {
    name,
    start: ({ dir }) => {
      const git = repository(dir, files);
      let version = 0;
      const touch = (i: number): void =>
        writeFileSync(join(dir, `git-${files}`, nameOf(i)), textOf(i, version));
      return {
        prepare: () => {
          version++;
          prepare(touch);
        },
        run: () => run(git),
      };
    },
  };
}

const thousands = (count: number): string => count.toLocaleString("en-US");

/** Both keep everything as it is now, after one file was changed, under a name. */
const snapshot = (files: number): AnyCase =>
  defineCase<Env>({
    name: `snapshot of ${thousands(files)} files`,
    rounds: 9,
    // A host is a long-lived process, whose code is compiled; git starts anew each time.
    warmups: 10,
    repeat: 10,
    setup: ({ dir }) => ({ dir }),
    ours: {
      name: "holdfast",
      start: async ({ dir }) => {
        const { store, session, agent } = await ready(dir, files);
        let version = 0;
        return {
          prepare: () => write(agent, 1, ++version),
          run: () => session.snapshot("bench"),
          stop: async () => {
            await session.close();
            await store.close();
          },
        };
      },
    },
    peers: [
      gitSubject(
        "git commit",
        files,
        (touch) => touch(1),
        (git) => git("commit", "-qam", "snapshot"),
      ),
    ],
  });

/** Both bring one changed file back to where it was. */
const restore = (files: number): AnyCase =>
  defineCase<Env>({
    name: `restore 1 of ${thousands(files)} files`,
    rounds: 9,
    // A host is a long-lived process, whose code is compiled; git starts anew each time.
    warmups: 10,
    repeat: 10,
    setup: ({ dir }) => ({ dir }),
    ours: {
      name: "holdfast",
      start: async ({ dir }) => {
        const { store, session, agent } = await ready(dir, files);
        const { id } = await session.snapshot("bench");
        let version = 0;
        return {
          prepare: () => write(agent, 2, ++version),
          run: () => session.restore({ to: id }),
          stop: async () => {
            await session.close();
            await store.close();
          },
        };
      },
    },
    peers: [
      gitSubject(
        "git reset --hard",
        files,
        (touch) => touch(2),
        (git) => git("reset", "-q", "--hard"),
      ),
    ],
  });

/** Both say what changed in ten files, with hunks; neither has said it before. */
const diff = (files: number): AnyCase =>
  defineCase<Env>({
    name: `diff 10 of ${thousands(files)} files`,
    rounds: 9,
    // A host is a long-lived process, whose code is compiled; git starts anew each time.
    warmups: 10,
    repeat: 10,
    setup: ({ dir }) => ({ dir }),
    ours: {
      name: "holdfast",
      start: async ({ dir }) => {
        const { store, session, agent } = await ready(dir, files);
        const { id } = await session.snapshot("bench");
        let version = 0;
        return {
          prepare: async () => {
            version++;
            for (let i = 0; i < 10; i++) await write(agent, i * 7, version);
          },
          run: async () => (await session.diff({ from: id })).files.length,
          stop: async () => {
            await session.close();
            await store.close();
          },
        };
      },
    },
    peers: [
      gitSubject(
        "git diff",
        files,
        (touch) => {
          for (let i = 0; i < 10; i++) touch(i * 7);
        },
        (git) => git("diff").split("\ndiff --git ").length,
      ),
    ],
    agree: (ours, theirs) => ours === theirs,
  });

const reopen = (name: string, files: number, records: number): AnyCase =>
  defineCase<Env>({
    name,
    rounds: 7,
    warmups: 5,
    setup: async (context) => {
      const { dir } = context;
      context.log(`making a session of ${records} records`);
      const store = sqliteStore({ directory: join(dir, "store") });
      const session = await openForBench(store, "s");
      await fill(session, files, records);
      await session.close();
      await store.close();
      return { dir };
    },
    ours: {
      name: "holdfast",
      start: ({ dir }) => {
        let store: Store | undefined;
        let session: Session | undefined;
        return {
          before: () => {
            store = sqliteStore({ directory: join(dir, "store") });
          },
          run: async () => {
            session = await openForBench(store as Store, "s");
            if (session.files().length !== files || session.at.seq < records)
              throw new Error("not what was written");
          },
          after: async () => {
            await session?.close();
            await store?.close();
          },
        };
      },
    },
  });

const LARGE = 100 * 1024 * 1024;

const large = defineCase<Env>({
  name: "one splice on 100 MB",
  rounds: 15,
  setup: ({ dir }) => ({ dir }),
  ours: {
    name: "holdfast",
    start: async ({ dir }) => {
      const store = sqliteStore({ directory: join(dir, "store") });
      const session = await openForBench(store, "s");
      const agent = session.as({ id: "planner", role: "editor" });
      const part = "0123456789abcdef\n".repeat((25 * 1024 * 1024) / 17);
      for (const mode of ["create", "append", "append", "append"] as const)
        await agent.call("write_file", { path: "big.txt", content: part, mode });
      const before = sizeOf(dir);
      let calls = 0;
      return {
        run: async () => {
          const at = (++calls * 7_919_317) % (LARGE - 1_000_000);
          const result = await agent.call("splice", { path: "big.txt", at, remove: 6, insert: "edited" });
          if (!result.ok) throw new Error(result.text);
        },
        values: () => ({ "bytes on disk per splice": (sizeOf(dir) - before) / calls }),
        stop: async () => {
          await session.close();
          await store.close();
        },
      };
    },
  },
});

function sizeOf(directory: string): number {
  let size = 0;
  for (const name of readdirSync(directory, { recursive: true, encoding: "utf8" }))
    size += statSync(join(directory, name)).blocks * 512;
  return size;
}

export const HISTORY_CASES: readonly AnyCase[] = [
  ...[1_000, 10_000].flatMap((files) => [snapshot(files), restore(files), diff(files)]),
  reopen("reopen 10k files", 10_000, 10_000),
  reopen("reopen 100k records", 1_000, 100_000),
  reopenTree,
  large,
];

export const HISTORY_GOALS: readonly string[] = [
  "history-snapshot",
  "history-restore",
  "history-diff",
  "history-snapshot-size",
  "history-restore-size",
  "history-diff-size",
  "reopen-files",
  "reopen-records",
  "reopen-tree",
];
