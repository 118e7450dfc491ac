// Owns: how long any call, and any import, holds the main thread at once, on input of every kind that is as large as allowed.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sqliteStore } from "../src/store/index.ts";
import { openSession, type Session } from "../src/tools/index.ts";
import { watchHeld } from "../test/store/children/held.ts";
import { CALLS, FILES, LINES, lineOf, RECORDS_MB, RULES, treeDocument, type Last } from "./_held-calls.ts";
import { defineBench, defineCase, type Values } from "./harness.ts";
import { writeDocument } from "./json-documents.ts";

const MB = 1024 * 1024;
const LIMITS = {
  callBurst: 1e6,
  callsPerMinute: 1e6,
  // No call is refused because the machine is busy.
  searchMillis: 120_000,
  jsonQueryMillis: 120_000,
  fileBytes: 256 * MB,
  sessionBytes: 1024 * MB,
  sessionFiles: 100_000,
};
const OTHER_FILES = 200;

interface Env {
  readonly dir: string;
  readonly folder: string;
}

/** A folder with many files, and with one large file of each kind. */
function makeFolder({ dir }: { readonly dir: string }): Env {
  const folder = join(dir, "folder");
  mkdirSync(join(folder, "big"), { recursive: true });
  for (let i = 0; i < FILES; i++) {
    const inside = join(folder, "many", String(i % 100));
    if (i < 100) mkdirSync(inside, { recursive: true });
    writeFileSync(
      join(inside, `f${i}.txt`),
      `marker ${i % 1000} of file ${i}\n${"some more words\n".repeat(60)}`,
    );
  }
  const lines = Array.from({ length: LINES }, (_, n) => lineOf(n));
  writeFileSync(join(folder, "big/lines.txt"), `${lines.join("\n")}\n`);
  writeDocument(join(folder, "big/records.json"), "records", RECORDS_MB * MB);
  writeFileSync(join(folder, "big/tree.json"), treeDocument());
  writeFileSync(join(folder, "big/rules.json"), RULES);
  return { dir, folder };
}

/** Runs each piece of work under watch. What held the thread longest is `longest hold`; each one's time is told beside it. */
class Watched {
  readonly #log: string[] = [];
  #longest = 0;
  #withCollections = 0;

  async run<T>(name: string, work: () => Promise<T>): Promise<T> {
    const begun = performance.now();
    const watch = watchHeld();
    try {
      return await work();
    } finally {
      const { used, computed } = await watch();
      this.#longest = Math.max(this.#longest, computed);
      this.#withCollections = Math.max(this.#withCollections, used);
      const took = performance.now() - begun;
      this.#log.push(
        `${computed.toFixed(1).padStart(6)} ms held (${used.toFixed(1)} with collections) of ${took.toFixed(0)} ms: ${name}`,
      );
    }
  }

  values(): Values {
    process.stderr.write(`${this.#log.toSorted().toReversed().join("\n")}\n`);
    return { "longest hold": this.#longest, "longest hold with collections": this.#withCollections };
  }
}

const opened = (env: Env): Promise<Session> =>
  openSession({
    store: sqliteStore({ directory: join(env.dir, "store") }),
    id: "s",
    limits: LIMITS,
    mounts: [{ from: env.folder, to: "/workspace" }],
    toolsets: ["all"],
  });

async function imports(env: Env, watched: Watched): Promise<void> {
  const session = await watched.run("mount", () => opened(env));
  const { folder } = env;
  for (let i = 0; i < OTHER_FILES; i++)
    writeFileSync(join(folder, "many", String(i % 100), `f${i}.txt`), `another text ${i}\n`);
  const lines = Array.from({ length: LINES }, (_, n) => (n % 1000 === 0 ? "changed outside" : lineOf(n)));
  writeFileSync(join(folder, "big/lines.txt"), `${lines.join("\n")}\n`);
  await watched.run("refresh", () => session.refresh());
  const directory = await watched.run("directory", () => session.directory());
  for (let i = 0; i < OTHER_FILES; i++)
    writeFileSync(join(directory, "many", String(i % 100), `f${i}.txt`), `made in the directory ${i}\n`);
  await watched.run("sync", () => session.sync());
  const plan = await watched.run("plan", () => session.plan());
  await watched.run("land", () => plan.land());
  await watched.run("reset", () => session.reset());
  await session.close();
}

async function calls(env: Env, watched: Watched): Promise<void> {
  const session = await opened(env);
  const agent = session.as({ id: "bench", role: "editor" });
  const first = await agent.call("write_file", { path: "first.txt", content: "x" });
  const refused: string[] = [];
  let last: Last = { begin: first.token ?? "", tree: "" };
  for (const call of CALLS) {
    const name = call.name ?? call.tool;
    const result = await watched.run(name, () => agent.call(call.tool, call.input(last)));
    if (!result.ok) refused.push(`${name}: ${result.text}`);
    const token = /\[Token (\S+\.\d+)\]/.exec(result.text)?.[1];
    if (token !== undefined) last = { ...last, tree: token };
  }
  await session.close();
  if (refused.length > 0) throw new Error(refused.join("\n"));
}

const held = (name: string, work: (env: Env, watched: Watched) => Promise<void>) =>
  defineCase<Env>({
    name,
    rounds: 1,
    warmups: 0,
    isolate: true,
    setup: makeFolder,
    ours: {
      name: "holdfast",
      start: (env) => {
        const watched = new Watched();
        return { run: () => work(env, watched), values: () => watched.values() };
      },
    },
  });

export default defineBench({
  name: "call",
  title: "how long any call or import holds the main thread at once",
  goals: ["main-thread-call", "main-thread-import"],
  cases: [held("any call", calls), held("any import", imports)],
});
