// Owns: the JSON rows: one value out of a large document, one value into it, filters, validation, small files.
// Peers do the same job with what people use today; the floors (a windowed read, a copy of the file) bound them all.

import { execFileSync, spawnSync } from "node:child_process";
import {
  closeSync,
  copyFileSync,
  createReadStream,
  fstatSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
} from "node:fs";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { editJsonFile, openHostFile } from "../src/host/json/index.ts";
import { getJson, JsonIndexes, queryJson, validateJson } from "../src/json/index.ts";
import { type BenchContext, defineBench, defineCase, type Subject } from "./harness.ts";
import { type DocumentKind, END_PATH, END_VALUE, writeDocument } from "./json-documents.ts";

const MB = 1_000_000;

interface Document {
  readonly file: string;
  readonly bytes: number;
  readonly dir: string;
}

function document(kind: DocumentKind, size: number) {
  return async (context: BenchContext): Promise<Document> => ({
    file: await context.cached(`json-${kind}-${size}.json`, (path) => writeDocument(path, kind, size)),
    bytes: size,
    dir: context.dir,
  });
}

function withFile<T>(path: string, read: (file: ReturnType<typeof openHostFile>) => T): T {
  const file = openHostFile(path);
  try {
    return read(file);
  } finally {
    file.close();
  }
}

function got(file: string, path: string, indexes: JsonIndexes | null): string {
  return withFile(file, (source) => {
    const answer = getJson(source, path, { indexes });
    if (answer.kind === "matches") throw new Error("one value expected");
    return JSON.parse(answer.value.text) as string;
  });
}

const windowedRead: Subject<Document> = {
  name: "windowed read",
  start: ({ file }) => {
    const window = new Uint8Array(262_144);
    return {
      run: () => {
        const fd = openSync(file, "r");
        const { size } = fstatSync(fd);
        let at = 0;
        while (at < size) at += readSync(fd, window, 0, window.length, at);
        closeSync(fd);
      },
    };
  },
};

const jqMissing = (): string | undefined =>
  spawnSync("jq", ["--version"]).status === 0 ? undefined : "jq is not installed";

function jq(args: readonly string[], file: string): string {
  return execFileSync("jq", [...args, file], { encoding: "utf8", maxBuffer: 1 << 30 });
}

function getCase(name: string, size: number, all: boolean) {
  const parse: Subject<Document> = {
    name: "JSON.parse",
    start: ({ file }) => ({
      run: () => (JSON.parse(readFileSync(file, "utf8")) as { tail: Tail }).tail.a.b.c[2].target,
    }),
  };
  const heavy: readonly Subject<Document>[] = [
    {
      name: "jq",
      missing: jqMissing,
      start: ({ file }) => ({ run: () => jq(["-r", ".tail.a.b.c[2].target"], file).trim() }),
    },
    {
      name: "jsonc-parser",
      start: async ({ file }) => {
        const { findNodeAtLocation, parseTree } = await import("jsonc-parser");
        return {
          run: () => {
            const tree = parseTree(readFileSync(file, "utf8"));
            const node = tree && findNodeAtLocation(tree, ["tail", "a", "b", "c", 2, "target"]);
            return node?.value as unknown;
          },
        };
      },
    },
    {
      name: "stream-json",
      start: async ({ file }) => {
        const { default: pick } = (await import("stream-json/filters/pick.js")) as { default: StreamPick };
        const { default: values } = (await import("stream-json/streamers/stream-values.js")) as {
          default: StreamValues;
        };
        return {
          run: () =>
            new Promise((resolve, reject) => {
              let last: unknown;
              const pipeline = createReadStream(file)
                .pipe(pick.withParserAsStream({ filter: "tail.a.b.c.2.target" }))
                .pipe(values.asStream());
              pipeline.on("data", (data: { value: unknown }) => (last = data.value));
              pipeline.on("end", () => resolve(last));
              pipeline.on("error", reject);
            }),
        };
      },
    },
  ];
  return defineCase<Document>({
    name,
    setup: document("records", size),
    bytes: ({ bytes }) => bytes,
    rounds: all ? 5 : 9,
    warmups: 1,
    isolate: true,
    ours: { name: "holdfast", start: ({ file }) => ({ run: () => got(file, END_PATH, null) }) },
    peers: [parse, windowedRead, ...(all ? heavy : [])],
    agree: (ours, theirs, peer) => peer === "windowed read" || (ours === END_VALUE && theirs === END_VALUE),
  });
}

interface Tail {
  readonly a: { readonly b: { readonly c: readonly [number, number, { readonly target: string }] } };
}

interface StreamPick {
  withParserAsStream(options: { filter: string }): NodeJS.ReadWriteStream;
}

interface StreamValues {
  asStream(): NodeJS.ReadWriteStream;
}

const MIDDLE = 46_000;

/** Sets a score in the middle of the document and writes the result to a new file, without waiting for the disk. */
function setCase(name: string, seen: boolean) {
  const target = (dir: string, who: string): string => join(dir, `${who}.json`);
  const fresh = (dir: string, who: string) => ({ before: () => rmSync(target(dir, who), { force: true }) });
  const heavy: readonly Subject<Document>[] = [
    {
      name: "jq",
      missing: jqMissing,
      start: ({ file, dir }) => ({
        ...fresh(dir, "jq"),
        run: () => {
          const fd = openSync(target(dir, "jq"), "w");
          spawnSync("jq", [`.records[${MIDDLE}].score = 12345`, file], { stdio: ["ignore", fd, "ignore"] });
          closeSync(fd);
        },
      }),
    },
    {
      name: "jsonc-parser",
      start: async ({ file, dir }) => {
        const { applyEdits, modify } = await import("jsonc-parser");
        return {
          ...fresh(dir, "jsonc"),
          run: () => {
            const text = readFileSync(file, "utf8");
            writeFileSync(
              target(dir, "jsonc"),
              applyEdits(text, modify(text, ["records", MIDDLE, "score"], 12345, {})),
            );
          },
        };
      },
    },
  ];
  return defineCase<Document>({
    name,
    setup: document("records", 100 * MB),
    bytes: ({ bytes }) => bytes,
    rounds: 5,
    warmups: 1,
    isolate: true,
    ours: {
      name: "holdfast",
      start: ({ file, dir }) => {
        const known = new JsonIndexes();
        if (seen) withFile(file, (source) => validateJson(source, { mode: "json", indexes: known }));
        if (seen) got(file, `$.records[${MIDDLE}].name`, known);
        return {
          ...fresh(dir, "ours"),
          run: () => {
            editJsonFile(file, [{ op: "set", path: `$.records[${MIDDLE}].score`, value: 12345 }], {
              to: target(dir, "ours"),
              sync: false,
              indexes: seen ? known : new JsonIndexes(),
            });
          },
        };
      },
    },
    peers: [
      {
        name: "fs.copyFile",
        start: ({ file, dir }) => ({
          ...fresh(dir, "copy"),
          run: () => copyFileSync(file, target(dir, "copy")),
        }),
      },
      {
        name: "parse + stringify",
        start: ({ file, dir }) => ({
          ...fresh(dir, "parse"),
          run: () => {
            const value = JSON.parse(readFileSync(file, "utf8")) as { records: { score: number }[] };
            const record = value.records[MIDDLE];
            if (record !== undefined) record.score = 12345;
            writeFileSync(`${target(dir, "parse")}.tmp`, JSON.stringify(value, null, 2));
            renameSync(`${target(dir, "parse")}.tmp`, target(dir, "parse"));
          },
        }),
      },
      ...(seen ? heavy : []),
    ],
  });
}

function validateCase(name: string, kind: DocumentKind) {
  return defineCase<Document>({
    name,
    setup: document(kind, 100 * MB),
    bytes: ({ bytes }) => bytes,
    rounds: 5,
    warmups: 1,
    ours: {
      name: "holdfast",
      start: ({ file }) => ({
        run: () => withFile(file, (source) => validateJson(source, { indexes: null }).valid),
      }),
    },
    peers: [
      {
        name: "JSON.parse",
        start: ({ file }) => ({
          run: () => {
            JSON.parse(readFileSync(file, "utf8"));
            return true;
          },
        }),
      },
      windowedRead,
    ],
    agree: (ours, theirs, peer) => peer === "windowed read" || ours === theirs,
  });
}

const FILTER = "$.records[?@.score > 50].name";

function filterCase(name: string, kind: "records" | "map") {
  return defineCase<Document>({
    name,
    setup: document(kind, 100 * MB),
    bytes: ({ bytes }) => bytes,
    rounds: 5,
    // What JSON.parse leaves behind would be collected during our rounds.
    isolate: true,
    ours: {
      name: "holdfast",
      start: ({ file }) => ({
        run: () =>
          withFile(file, (source) => {
            const page = queryJson(source, FILTER, {
              limit: 1_000_000,
              indexes: null,
              maxSteps: 1e9,
              maxMillis: 1e6,
            });
            if (page.end !== "complete") throw new Error(`stopped by ${page.end}`);
            return page.matches.length;
          }),
      }),
    },
    peers: [
      {
        name: "JSON.parse + filter",
        start: ({ file }) => ({
          run: () => {
            const { records } = JSON.parse(readFileSync(file, "utf8")) as { records: Scored[] };
            const list = kind === "map" ? Object.values(records) : records;
            return list.filter((record) => record.score > 50).map((record) => record.name).length;
          },
        }),
      },
      windowedRead,
    ],
    agree: (ours, theirs, peer) => peer === "windowed read" || ours === theirs,
  });
}

interface Scored {
  readonly score: number;
  readonly name: string;
}

const smallCase = defineCase<Document>({
  name: "get on 1.5 KB",
  setup: (context) => {
    const file = join(context.dir, "small.json");
    writeDocument(file, "records", 1_500);
    return { file, bytes: 1_500, dir: context.dir };
  },
  repeat: "auto",
  ours: { name: "holdfast", start: ({ file }) => ({ run: () => got(file, END_PATH, null) }) },
  peers: [
    {
      name: "JSON.parse",
      start: ({ file }) => ({
        run: () => (JSON.parse(readFileSync(file, "utf8")) as { tail: Tail }).tail.a.b.c[2].target,
      }),
    },
  ],
  agree: (ours, theirs) => ours === theirs,
});

const indexedCase = defineCase<Document>({
  name: "repeated get with index on 100 MB",
  setup: document("records", 100 * MB),
  repeat: "auto",
  ours: {
    name: "holdfast",
    start: ({ file }) => {
      const indexes = new JsonIndexes();
      let turn = 0;
      const look = (): string => got(file, `$.records[${(turn++ * 7919) % 90_000}].name`, indexes);
      look();
      return { run: look };
    },
  },
});

export default defineBench({
  name: "json",
  title: "JSON documents as bytes: get, set, filter, validate",
  goals: [
    "json-get-parse",
    "json-get-jq",
    "json-get-jsonc",
    "json-get-floor",
    "json-get-memory",
    "json-set-parse",
    "json-set-jq",
    "json-set-jsonc",
    "json-set-copy",
    "json-set-first-parse",
    "json-set-first-copy",
    "json-query-filter",
    "json-validate-worst",
    "json-small-get",
    "json-indexed-get",
  ],
  cases: [
    getCase("get at the end of 100 MB", 100 * MB, true),
    getCase("get at the end of 10 MB", 10 * MB, false),
    getCase("get at the end of 1 MB", MB, false),
    setCase("set in 100 MB, validated", true),
    setCase("set in 100 MB, first sight", false),
    filterCase("filter over 93k records", "records"),
    filterCase("filter over the values of an object", "map"),
    validateCase("validate the worst kind of document", "logs"),
    validateCase("validate 100 MB of records", "records"),
    validateCase("validate 100 MB of numbers", "numbers"),
    validateCase("validate 100 MB of deep objects", "deep"),
    smallCase,
    indexedCase,
  ],
});
