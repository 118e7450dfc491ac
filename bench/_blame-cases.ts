// Owns: undo and blame of one file beneath many later records, against git blame on the same history.

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { sqliteStore } from "../src/store/index.ts";
import type { Session } from "../src/tools/index.ts";
import { openForBench } from "./_history-cases.ts";
import { defineCase, type AnyCase, type BenchContext, type Started, type Subject } from "./harness.ts";

const LATER = 10_000;
/** The first edits are each of a line of its own that nothing changes later: those are undone, and blamed last. */
const UNTOUCHED = 100;
const EDITS = UNTOUCHED + LATER;
const LINES = 4_000;

/** Lines have one length, so that a place follows from its number. */
const lineOf = (line: number, edit: number): string =>
  `line ${String(line).padStart(4)} as edit ${String(edit).padStart(5)} left it\n`;
const LENGTH = lineOf(0, 0).length;
/** The line that an edit changes. */
const edited = (edit: number): number =>
  edit <= UNTOUCHED ? edit : UNTOUCHED + 1 + ((edit * 7_919) % (LINES - UNTOUCHED - 1));

interface Env {
  readonly dir: string;
}

async function setup(context: BenchContext): Promise<Env> {
  const { dir } = context;
  context.log(`making a file of ${EDITS} records, here and in git`);
  const store = sqliteStore({ directory: join(dir, "store") });
  const session = await openForBench(store, "s");
  const agent = session.as({ id: "writer", role: "editor" });
  const call = async (tool: string, input: object): Promise<void> => {
    const result = await agent.call(tool, { path: "a.txt", ...input });
    if (!result.ok) throw new Error(result.text);
  };
  await call("write_file", { content: textBefore().join(""), mode: "create" });
  for (let edit = 1; edit <= EDITS; edit++) {
    const line = edited(edit);
    await call("splice", { at: line * LENGTH, remove: LENGTH, insert: lineOf(line, edit) });
  }
  await session.close();
  await store.close();
  await importToGit(join(dir, "git"));
  return { dir };
}

function textBefore(): string[] {
  return Array.from({ length: LINES }, (_, line) => lineOf(line, 0));
}

/** The same edits, a commit each. */
async function importToGit(root: string): Promise<void> {
  mkdirSync(root);
  execFileSync("git", ["init", "-q", "-b", "main"], { cwd: root });
  const importer = spawn("git", ["fast-import", "--quiet"], {
    cwd: root,
    stdio: ["pipe", "ignore", "inherit"],
  });
  const lines = textBefore();
  for (let edit = 0; edit <= EDITS; edit++) {
    const line = edited(edit);
    if (edit > 0) lines[line] = lineOf(line, edit);
    const text = lines.join("");
    const commit = `commit refs/heads/main\ncommitter a <a@b> ${1_700_000_000 + edit} +0000\ndata 0\n`;
    if (!importer.stdin.write(`${commit}M 100644 inline a.txt\ndata ${text.length}\n${text}\n`))
      await once(importer.stdin, "drain");
  }
  importer.stdin.end();
  const [code] = (await once(importer, "close")) as [number];
  if (code !== 0) throw new Error(`git fast-import ended with ${code}`);
  execFileSync("git", ["gc", "-q"], { cwd: root });
  execFileSync("git", ["reset", "-q", "--hard"], { cwd: root });
}

function ours(start: (session: Session) => Pick<Started, "run">): Subject<Env> {
  return {
    name: "holdfast",
    start: async ({ dir }) => {
      const store = sqliteStore({ directory: join(dir, "store") });
      const session = await openForBench(store, "s");
      return {
        ...start(session),
        stop: async () => {
          await session.close();
          await store.close();
        },
      };
    },
  };
}

/** Values by their order: records and commits have other numbers, and come one after another alike. */
function ranks(values: readonly number[]): number[] {
  const order = [...new Set(values)].toSorted((a, b) => a - b);
  const rank = new Map(order.map((value, i) => [value, i]));
  return values.map((value) => rank.get(value) ?? 0);
}

const gitBlame: Subject<Env> = {
  name: "git blame",
  start: ({ dir }) => ({
    run: () => {
      const args = ["blame", "--line-porcelain", "a.txt"];
      const told = execFileSync("git", args, {
        cwd: join(dir, "git"),
        encoding: "utf8",
        maxBuffer: 64 << 20,
      });
      return Array.from(told.matchAll(/^committer-time (\d+)$/gm), ([, time]) => Number(time));
    },
  }),
};

const blame = defineCase<Env>({
  name: "blame of 4,000 lines beneath 10,000 later records",
  rounds: 7,
  setup,
  ours: ours((session) => ({
    run: async () => {
      const { runs } = await session.blame({ path: "/workspace/a.txt" });
      return runs.flatMap(({ first, last, by }) => Array<number>(last - first + 1).fill(by?.record ?? 0));
    },
  })),
  peers: [gitBlame],
  agree: (mine, theirs) =>
    JSON.stringify(ranks(mine as number[])) === JSON.stringify(ranks(theirs as number[])),
});

const undo = defineCase<Env>({
  name: "undo in 4,000 lines beneath 10,000 later records",
  rounds: 7,
  setup,
  ours: ours((session) => {
    // The policy of the session is record 1, the file record 2.
    let record = 3;
    return {
      run: async () => {
        const { undone } = await session.undo({ record: record++ });
        if (undone.length !== 1) throw new Error("not undone");
      },
    };
  }),
  peers: [gitBlame],
});

export const BLAME_CASES: readonly AnyCase[] = [blame, undo];

export const BLAME_GOALS: readonly string[] = ["history-blame", "history-undo"];
