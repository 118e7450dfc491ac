// Owns: what everyday calls cost through `agent.call` on a kept session, against server-filesystem, ripgrep, grep and plain Node.

import { execFileSync, spawnSync } from "node:child_process";
import {
  copyFileSync,
  createReadStream,
  existsSync,
  mkdirSync,
  readdirSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { sqliteStore } from "../src/store/index.ts";
import { openSession, type Agent, type CallResult } from "../src/tools/index.ts";
import { ROOT } from "./_root.ts";
import { defineBench, defineCase, type AnyCase, type Started, type Subject } from "./harness.ts";
import { writeDocument } from "./json-documents.ts";

const MB = 1024 * 1024;
const LIMITS = { callBurst: 1e6, callsPerMinute: 1e6, fileBytes: 256 * MB, sessionBytes: 1024 * MB };

interface FileEnv {
  readonly dir: string;
  readonly file: string;
}

interface Opened {
  readonly agent: Agent;
  readonly stop: () => Promise<void>;
}

/** A kept session that holds a file of the host as `name`. */
async function opened(dir: string, files: Readonly<Record<string, string>>): Promise<Opened> {
  const store = sqliteStore({ directory: join(dir, "store") });
  const session = await openSession({ store, id: "s", limits: LIMITS });
  for (const [name, file] of Object.entries(files))
    await session.workspace.write(name, createReadStream(file));
  const stop = async (): Promise<void> => {
    await session.close();
    await store.close();
  };
  return { agent: session.as({ id: "bench", role: "editor" }), stop };
}

/** Bytes of all files of a folder. */
function sizeOf(folder: string): number {
  return readdirSync(folder, { withFileTypes: true }).reduce(
    (sum, entry) =>
      sum +
      (entry.isDirectory() ? sizeOf(join(folder, entry.name)) : statSync(join(folder, entry.name)).size),
    0,
  );
}

function must(result: CallResult): CallResult {
  if (!result.ok) throw new Error(result.text);
  return result;
}

interface FileEdit {
  readonly oldText: string;
  readonly newText: string;
}

/** What server-filesystem does behind its protocol. */
interface ServerFilesystem {
  readonly applyFileEdits: (path: string, edits: readonly FileEdit[]) => Promise<string>;
  readonly readFileContent: (path: string) => Promise<string>;
  readonly writeFileContent: (path: string, content: string) => Promise<void>;
}

/** Peers that are no dependency of the project live in a folder of their own. */
const PEERS = process.env["HOLDFAST_BENCH_PEERS"] ?? join(ROOT, ".build", "peers");
const SERVER = join(PEERS, "node_modules/@modelcontextprotocol/server-filesystem/dist/lib.js");

function noServer(): string | undefined {
  return existsSync(SERVER)
    ? undefined
    : "npm install --prefix .build/peers @modelcontextprotocol/server-filesystem@2026.8.31";
}

function serverFilesystem<Env>(start: (server: ServerFilesystem, env: Env) => Started): Subject<Env> {
  return {
    name: "server-filesystem",
    missing: noServer,
    start: async (env) => start((await import(pathToFileURL(SERVER).href)) as ServerFilesystem, env),
  };
}

const MIDDLE = "the line in the middle, edition ";
const middle = (n: number): string => `${MIDDLE}${n}.\n`;

function writeLines(path: string, size: number): void {
  const line = "An ordinary line of text, as long as lines of text are on average.\n";
  const half = line.repeat(Math.floor(size / 2 / line.length));
  writeFileSync(path, `${half}${middle(0)}${half}`);
}

const editLine = (size: number): AnyCase =>
  defineCase<FileEnv>({
    name: `edit one line of ${size / MB} MB`,
    rounds: 9,
    isolate: true,
    setup: async (context) => ({
      dir: context.dir,
      file: await context.cached(`lines-${size}.txt`, (path) => writeLines(path, size)),
    }),
    ours: {
      name: "edit_file",
      start: async ({ dir, file }) => {
        const { agent, stop } = await opened(dir, { "a.txt": file });
        let n = 0;
        return {
          run: async () => {
            const edits = [{ old_text: middle(n), new_text: middle(++n) }];
            must(await agent.call("edit_file", { path: "a.txt", edits }));
          },
          stop,
        };
      },
    },
    peers: [
      ...(size > 10 * MB
        ? []
        : [
            serverFilesystem<FileEnv>(({ applyFileEdits }, { dir, file }) => {
              const copy = join(dir, "server.txt");
              copyFileSync(file, copy);
              let n = 0;
              return {
                run: async () => {
                  await applyFileEdits(copy, [{ oldText: middle(n), newText: middle(++n) }]);
                },
              };
            }),
          ]),
      {
        name: "read, replace, write",
        start: ({ dir, file }) => {
          const copy = join(dir, "plain.txt");
          copyFileSync(file, copy);
          let n = 0;
          return {
            run: async () => {
              const text = await readFile(copy, "utf8");
              await writeFile(copy, text.replace(middle(n), middle(++n)));
            },
          };
        },
      },
    ],
  });

const SETS_BEFORE = 200;
const KEY = "$.tail.a.b.c[2].target";

const setKey = (size: number): AnyCase =>
  defineCase<FileEnv>({
    name: `set one key of ${size / MB} MB`,
    rounds: 15,
    // Nobody's garbage is collected on another's clock.
    isolate: true,
    setup: async (context) => ({
      dir: context.dir,
      file: await context.cached(`records-${size}.json`, (path) => writeDocument(path, "records", size)),
    }),
    ours: {
      name: "set_json_value",
      start: async ({ dir, file }) => {
        const first = await opened(dir, { "a.json": file });
        await first.stop();
        const before = sizeOf(join(dir, "store", "sessions", "s"));
        const { agent, stop } = await opened(dir, {});
        let n = 0;
        const set = async (): Promise<void> => {
          const value = JSON.stringify(`end ${n++ % 10}`);
          must(await agent.call("set_json_value", { path: "a.json", json_path: KEY, value }));
        };
        // From here on the file is validated and indexed, and the process has been at work for a while.
        for (let i = 0; i < SETS_BEFORE; i++) await set();
        return {
          // What the others have written is on disk: a sync of ours would wait for it.
          before: () => void execFileSync("sync"),
          run: set,
          values: async () => {
            await stop();
            const grown = (sizeOf(join(dir, "store", "sessions", "s")) - before) / n;
            return { "journal bytes beyond the new ones": grown - '"end 0"'.length };
          },
          stop,
        };
      },
    },
    peers: [
      {
        name: "parse + stringify",
        start: ({ dir, file }) => {
          const copy = join(dir, "plain.json");
          copyFileSync(file, copy);
          let n = 0;
          return {
            run: async () => {
              const value = JSON.parse(await readFile(copy, "utf8")) as {
                tail: { a: { b: { c: { target: string }[] } } };
              };
              const [, , place] = value.tail.a.b.c;
              if (place !== undefined) place.target = `end ${n++ % 10}`;
              await writeFile(copy, JSON.stringify(value, null, 2));
            },
          };
        },
      },
      {
        name: "fs.copyFile",
        start: ({ dir, file }) => ({ run: () => copyFileSync(file, join(dir, "copy.json")) }),
      },
    ],
  });

const TEN_KB = `${"0123456789abcdef".repeat(63)}line end\n`.repeat(10).slice(0, 10_240);

const readTen = defineCase<FileEnv>({
  name: "read 10 KB",
  repeat: 50,
  warmups: 20,
  isolate: true,
  setup: ({ dir }) => {
    const file = join(dir, "ten.txt");
    writeFileSync(file, TEN_KB);
    return { dir, file };
  },
  ours: {
    name: "read_file",
    start: async ({ dir, file }) => {
      const { agent, stop } = await opened(dir, { "a.txt": file });
      return {
        run: async () => {
          const { value } = must(await agent.call("read_file", { path: "a.txt" }));
          return (value as { content: string }).content;
        },
        stop,
      };
    },
  },
  peers: [
    serverFilesystem<FileEnv>(({ readFileContent }, { file }) => ({ run: () => readFileContent(file) })),
    { name: "fs.readFile", start: ({ file }) => ({ run: () => readFile(file, "utf8") }) },
  ],
  agree: (ours, theirs) => ours === theirs,
});

const writeTen = defineCase<FileEnv>({
  name: "write 10 KB",
  repeat: 20,
  warmups: 50,
  isolate: true,
  setup: ({ dir }) => {
    const file = join(dir, "ten.txt");
    writeFileSync(file, TEN_KB);
    return { dir, file };
  },
  ours: {
    name: "write_file (durable)",
    start: async ({ dir, file }) => {
      const { agent, stop } = await opened(dir, { "a.txt": file });
      let n = 0;
      return {
        run: async () => {
          const content = `${n++}${TEN_KB}`;
          must(await agent.call("write_file", { path: "a.txt", content, mode: "overwrite" }));
        },
        stop,
      };
    },
  },
  peers: [
    serverFilesystem<FileEnv>(({ writeFileContent }, { dir }) => {
      let n = 0;
      return { run: () => writeFileContent(join(dir, "server.txt"), `${n++}${TEN_KB}`) };
    }),
    {
      name: "fs.writeFile",
      start: ({ dir }) => {
        let n = 0;
        return { run: () => writeFile(join(dir, "plain.txt"), `${n++}${TEN_KB}`) };
      },
    },
  ],
});

const SEARCHED = 10_000;
const NEEDLES = 40;

/** A folder of 10,000 files of 10 KB; some lines hold what is looked for. */
function writeFolder(folder: string): void {
  const words = ["alpha", "beta", "gamma", "delta", "const", "return", "value", "index", "needles", "nedle"];
  let seed = 7;
  const word = (): string => {
    seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff;
    return words[(seed >> 8) % words.length] ?? "";
  };
  const lines = Array.from({ length: 2_000 }, () => `${Array.from({ length: 10 }, word).join(" ")};\n`);
  for (let i = 0; i < SEARCHED; i++) {
    mkdirSync(join(folder, `d${i % 100}`), { recursive: true });
    let text = i % (SEARCHED / NEEDLES) === 0 ? `found needle_${i} here\n` : "";
    for (let at = i; text.length < 10_240; at++) text += lines[(at * 37) % lines.length] ?? "";
    writeFileSync(join(folder, `d${i % 100}`, `f${i}.txt`), text);
  }
}

interface SearchEnv {
  readonly dir: string;
  readonly folder: string;
}

/** A program that prints one line a hit. */
function searchProgram(name: string, program: string, args: readonly string[]): Subject<SearchEnv> {
  return {
    name,
    missing: () =>
      spawnSync(program, ["--version"]).status === 0 ? undefined : `${program} is not installed`,
    start: ({ folder }) => ({
      run: () =>
        execFileSync(program, [...args, folder], { encoding: "utf8", maxBuffer: 64 * MB })
          .trimEnd()
          .split("\n").length,
    }),
  };
}

const search = (name: string, pattern: string, regex: boolean): AnyCase =>
  defineCase<SearchEnv>({
    name: `search ${SEARCHED.toLocaleString("en-US")} files, ${name}`,
    rounds: 7,
    warmups: 15,
    setup: async (context) => {
      const folder = await context.cached("search-folder-1", writeFolder);
      return { dir: context.dir, folder };
    },
    bytes: () => SEARCHED * 10_240,
    ours: {
      name: "search_files",
      start: async ({ dir, folder }) => {
        const store = sqliteStore({ directory: join(dir, `store-${name}`) });
        const session = await openSession({
          store,
          id: "s",
          limits: LIMITS,
          mounts: [{ from: folder, to: "/workspace" }],
        });
        const agent = session.as({ id: "bench", role: "reader" });
        return {
          run: async () => {
            let hits = 0;
            for (let cursor: string | undefined; ;) {
              const sent = { pattern, regex, ...(cursor === undefined ? {} : { cursor }) };
              const { value } = must(await agent.call("search_files", sent));
              const page = value as { hits: readonly unknown[]; cursor?: string };
              hits += page.hits.length;
              if (page.cursor === undefined) return hits;
              ({ cursor } = page);
            }
          },
          stop: async () => {
            await session.close();
            await store.close();
          },
        };
      },
    },
    peers: [
      searchProgram("ripgrep", "rg", [
        "--no-ignore",
        "--no-heading",
        "-n",
        ...(regex ? ["-e"] : ["-F", "-e"]),
        pattern,
      ]),
      searchProgram("grep -r", "grep", ["-rn", ...(regex ? ["-E", "-e"] : ["-F", "-e"]), pattern]),
    ],
    agree: (ours, theirs) => ours === theirs,
  });

export default defineBench({
  name: "tools",
  title: "everyday calls on files and JSON, against server-filesystem, ripgrep, grep and plain Node",
  goals: [
    "call-set-time",
    "call-set-bytes",
    "search-literal-ripgrep",
    "search-literal-grep",
    "search-regex-ripgrep",
    "search-regex-grep",
  ],
  cases: [
    readTen,
    writeTen,
    editLine(5 * MB),
    editLine(100 * MB),
    setKey(5 * MB),
    setKey(100 * MB),
    search("literal", "needle_", false),
    search("regex with a literal", "needle_[0-9]+ here", true),
  ],
});
