// Owns: what MCP over stdio costs: a cold start, round trips, reads and edits, against the server that most people have.

import { spawn, type ChildProcess } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openSession } from "../src/tools/index.ts";
import { defineBench, defineCase, type AnyCase, type Started, type Subject } from "./harness.ts";
import { ROOT } from "./_root.ts";

const OURS = join(ROOT, "dist", "cli", "main.js");
const PEERS = process.env["HOLDFAST_BENCH_PEERS"] ?? join(ROOT, ".build", "peers");
const THEIRS = join(PEERS, "node_modules", "@modelcontextprotocol", "server-filesystem", "dist", "index.js");

/** A folder for each, since one of them writes into it. */
interface Env {
  readonly ours: string;
  readonly theirs: string;
  readonly store: string;
}

const SMALL = 10_000;
const LARGE = 5_000_000;

function textOf(size: number): string {
  const lines: string[] = [];
  for (let length = 0, i = 0; length < size; i++) {
    const line = `line ${i} of a file that somebody wrote by hand`;
    lines.push(line);
    length += line.length + 1;
  }
  lines[lines.length >> 1] = "the line that changes: 0";
  return `${lines.join("\n")}\n`;
}

function foldersIn(dir: string): Env {
  const [ours, theirs] = [join(dir, "ours"), join(dir, "theirs")];
  mkdirSync(ours);
  writeFileSync(join(ours, "small.txt"), textOf(SMALL));
  writeFileSync(join(ours, "large.txt"), textOf(LARGE));
  cpSync(ours, theirs, { recursive: true });
  return { ours, theirs, store: join(dir, "kept") };
}

interface Response {
  readonly id?: number;
  readonly result?: { readonly isError?: boolean; readonly content?: readonly { readonly text?: string }[] };
  readonly error?: unknown;
}

/** A server process and the least that a client does. */
class Wire {
  readonly child: ChildProcess;
  readonly #waiting = new Map<number, (response: Response) => void>();
  readonly #pieces: string[] = [];
  #id = 0;
  bytes = 0;

  constructor(args: readonly string[], env: Readonly<Record<string, string>>) {
    this.child = spawn(process.execPath, args, {
      stdio: ["pipe", "pipe", "ignore"],
      env: { ...process.env, ...env },
    });
    this.child.stdout?.setEncoding("utf8").on("data", (piece: string) => this.#read(piece));
  }

  #read(piece: string): void {
    const lines = piece.split("\n");
    this.#pieces.push(lines[0] ?? "");
    for (const rest of lines.slice(1)) {
      const line = this.#pieces.splice(0).join("");
      this.#pieces.push(rest);
      const message = JSON.parse(line) as Response;
      if (message.id === undefined) continue;
      this.bytes = line.length;
      this.#waiting.get(message.id)?.(message);
      this.#waiting.delete(message.id);
    }
  }

  request(method: string, params: object = {}): Promise<Response> {
    const id = this.#id++;
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.child.stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    });
  }

  async open(): Promise<void> {
    await this.request("initialize", {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "bench", version: "1" },
    });
    this.child.stdin?.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  }

  async call(name: string, input: object): Promise<string> {
    const { result, error } = await this.request("tools/call", { name, arguments: input });
    if (result === undefined || result.isError === true)
      throw new Error(`${name}: ${JSON.stringify(error ?? result)}`);
    return result.content?.[0]?.text ?? "";
  }

  /** Milliseconds of CPU so far, as Linux counts them. */
  cpu(): number {
    const stat = readFileSync(`/proc/${this.child.pid ?? 0}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return (Number(fields[11]) + Number(fields[12])) * 10;
  }

  close(): void {
    this.child.kill("SIGKILL");
  }
}

function wireOf(who: "ours" | "theirs", env: Env): Wire {
  const args = who === "ours" ? [OURS, "mcp", env.ours] : [THEIRS, env.theirs];
  return new Wire(args, { HOLDFAST_STORE: env.store });
}

function missing(file: string, how: string): () => string | undefined {
  return () => (existsSync(file) ? undefined : how);
}

const isBuilt = missing(OURS, "npm run build makes dist");
const isInstalled = missing(THEIRS, "not installed: see bench/README.md");

type Work = (wire: Wire, env: Env) => () => Promise<unknown>;

function subject(name: string, who: "ours" | "theirs", work: Work): Subject<Env> {
  return {
    name,
    missing: who === "ours" ? isBuilt : isInstalled,
    start: async (env): Promise<Started> => {
      const wire = wireOf(who, env);
      await wire.open();
      return { run: work(wire, env), stop: () => wire.close() };
    },
  };
}

/** The same job for both. Few enough calls for the rate of an agent. */
function against(name: string, ours: Work, theirs: Work): AnyCase {
  return defineCase<Env>({
    name,
    setup: ({ dir }) => foldersIn(dir),
    ours: subject("holdfast", "ours", ours),
    peers: [subject("server-filesystem", "theirs", theirs)],
  });
}

/** Replaces the line that changes by its next one. */
function editing(file: string): { readonly ours: Work; readonly theirs: Work } {
  const texts = (i: number): [string, string] => [
    `the line that changes: ${i}\n`,
    `the line that changes: ${i + 1}\n`,
  ];
  return {
    ours: (wire) => {
      let i = 0;
      return () => {
        const [old_text, new_text] = texts(i++);
        return wire.call("edit_file", { path: file, edits: [{ old_text, new_text }] });
      };
    },
    theirs: (wire, env) => {
      let i = 0;
      return () => {
        const [oldText, newText] = texts(i++);
        return wire.call("edit_file", { path: join(env.theirs, file), edits: [{ oldText, newText }] });
      };
    },
  };
}

const small = editing("small.txt");
const large = editing("large.txt");

function cold(who: "ours" | "theirs"): Subject<Env> {
  return {
    name: who === "ours" ? "holdfast" : "server-filesystem",
    missing: who === "ours" ? isBuilt : isInstalled,
    start: (env) => {
      const used: number[] = [];
      let bytes = 0;
      return {
        run: async () => {
          const wire = wireOf(who, env);
          await wire.open();
          await wire.request("tools/list");
          used.push(wire.cpu());
          ({ bytes } = wire);
          wire.close();
        },
        values: () => ({
          "cpu of the server": used.toSorted((a, b) => a - b)[used.length >> 1] ?? Number.NaN,
          "catalogue bytes": bytes,
        }),
      };
    },
  };
}

export default defineBench({
  name: "mcp",
  title: "MCP over stdio: cold start, round trips, reads and edits",
  goals: ["mcp-edit", "cold-start", "cold-start-cpu", "cold-catalogue"],
  cases: [
    defineCase<Env>({
      name: "cold tools/list over stdio",
      setup: ({ dir }) => foldersIn(dir),
      ours: cold("ours"),
      peers: [cold("theirs")],
    }),
    against("edit one line of 5 MB", large.ours, large.theirs),
    against("edit one line of 10 KB", small.ours, small.theirs),
    against(
      "read 10 KB",
      (wire) => () => wire.call("read_file", { path: "small.txt" }),
      (wire, env) => () => wire.call("read_text_file", { path: join(env.theirs, "small.txt") }),
    ),
    against(
      "read the first 500 lines of 5 MB",
      (wire) => () => wire.call("read_file", { path: "large.txt", limit: 500 }),
      (wire, env) => () => wire.call("read_text_file", { path: join(env.theirs, "large.txt"), head: 500 }),
    ),
    defineCase<Env>({
      name: "round trip of a read of 10 KB",
      setup: ({ dir }) => foldersIn(dir),
      ours: {
        name: "in process",
        start: async ({ ours }) => {
          const session = await openSession({ mounts: [{ from: ours, to: "/workspace" }] });
          const agent = session.as({ id: "bench", role: "reader" });
          return {
            run: () => agent.call("read_file", { path: "small.txt" }),
            stop: () => session.close(),
          };
        },
      },
      peers: [subject("over stdio", "ours", (wire) => () => wire.call("read_file", { path: "small.txt" }))],
    }),
  ],
});
