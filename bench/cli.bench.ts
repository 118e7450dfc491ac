// Owns: the command line as a user waits for it: `holdfast json get` and `set` as processes, against jq and fx, from a small file, where
// starting is everything, to a large one.

import { execFileSync, spawnSync } from "node:child_process";
import { closeSync, copyFileSync, existsSync, openSync } from "node:fs";
import { join } from "node:path";
import { EXTENSION, HERE, ROOT } from "./_root.ts";
import { type AnyCase, type BenchContext, defineBench, defineCase, type Subject } from "./harness.ts";
import { END_PATH, END_VALUE, writeDocument } from "./json-documents.ts";

const MB = 1_000_000;

const HOLDFAST = [
  ...(EXTENSION === ".ts" ? ["--import", "tsx"] : []),
  join(HERE, "..", "src", "cli", `main${EXTENSION}`),
];

/** Peers that are no dependency of the project live in a folder of their own. */
const PEERS = process.env["HOLDFAST_BENCH_PEERS"] ?? join(ROOT, ".build", "peers");
const FX = join(PEERS, "node_modules/fx/index.js");

const noJq = (): string | undefined =>
  spawnSync("jq", ["--version"]).status === 0 ? undefined : "jq is not installed";
const noFx = (): string | undefined =>
  existsSync(FX) ? undefined : "npm install --prefix .build/peers fx@39.2.0";

interface Document {
  readonly dir: string;
  readonly file: string;
  readonly bytes: number;
}

async function document(context: BenchContext, bytes: number): Promise<Document> {
  const file = await context.cached(`json-records-${bytes}.json`, (path) =>
    writeDocument(path, "records", bytes),
  );
  return { dir: context.dir, file, bytes };
}

function output(program: string, args: readonly string[]): string {
  return execFileSync(program, args, { encoding: "utf8", maxBuffer: 1 << 30 }).trim();
}

/** Above this a round takes seconds, and fewer of them say enough. */
const LARGE = 20 * MB;

function getCase(name: string, bytes: number): AnyCase {
  const peers: Subject<Document>[] = [
    {
      name: "jq",
      missing: noJq,
      start: ({ file }) => ({ run: () => output("jq", ["-r", ".tail.a.b.c[2].target", file]) }),
    },
    {
      name: "fx",
      missing: noFx,
      start: ({ file }) => ({ run: () => output(process.execPath, [FX, file, ".tail.a.b.c[2].target"]) }),
    },
    { name: "node -e 0 (the floor)", start: () => ({ run: () => output(process.execPath, ["-e", "0"]) }) },
  ];
  return defineCase<Document>({
    name: `get at the end of ${name}`,
    setup: (context) => document(context, bytes),
    bytes: ({ bytes: size }) => size,
    rounds: bytes > LARGE ? 5 : 11,
    warmups: 1,
    ours: {
      name: "holdfast json get",
      start: ({ file }) => ({
        run: () => output(process.execPath, [...HOLDFAST, "json", "get", "--raw", file, END_PATH]),
      }),
    },
    peers,
    agree: (ours, theirs, peer) => peer.startsWith("node") || (ours === END_VALUE && theirs === END_VALUE),
  });
}

/** Sets the value at the end. Ours edits the file in place; the others write a new document and cannot do else. */
function setCase(name: string, bytes: number): AnyCase {
  const piped = (program: string, args: readonly string[], to: string): void => {
    const fd = openSync(to, "w");
    const { status } = spawnSync(program, args, { stdio: ["ignore", fd, "inherit"] });
    closeSync(fd);
    if (status !== 0) throw new Error(`${program} failed`);
  };
  return defineCase<Document>({
    name: `set at the end of ${name}`,
    setup: (context) => document(context, bytes),
    bytes: ({ bytes: size }) => size,
    rounds: bytes > LARGE ? 5 : 11,
    warmups: 1,
    ours: {
      name: "holdfast json set",
      start: ({ dir, file }) => {
        const copy = join(dir, "ours.json");
        return {
          before: () => copyFileSync(file, copy),
          run: () => {
            output(process.execPath, [...HOLDFAST, "json", "set", copy, END_PATH, '"fin"']);
          },
        };
      },
    },
    peers: [
      {
        name: "jq",
        missing: noJq,
        start: ({ dir, file }) => ({
          run: () => piped("jq", ['.tail.a.b.c[2].target = "fin"', file], join(dir, "jq.json")),
        }),
      },
      {
        name: "fx",
        missing: noFx,
        start: ({ dir, file }) => ({
          run: () =>
            piped(
              process.execPath,
              [FX, file, 'x => (x.tail.a.b.c[2].target = "fin", x)'],
              join(dir, "fx.json"),
            ),
        }),
      },
    ],
  });
}

const SIZES = [
  ["1 KB", 1_000],
  ["5 MB", 5 * MB],
  ["100 MB", 100 * MB],
] as const;

export default defineBench({
  name: "cli",
  title: "holdfast json get and set as commands, against jq and fx",
  goals: [],
  cases: [
    ...SIZES.map(([name, bytes]) => getCase(name, bytes)),
    ...SIZES.map(([name, bytes]) => setCase(name, bytes)),
  ],
});
