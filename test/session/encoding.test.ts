import { describe, expect, test } from "vitest";
import { parsePath } from "../../src/path/index.ts";
import { kindOf } from "../../src/session/record-kinds.ts";
import { decodeFiles } from "../../src/session/files/file-codec.ts";
import { fileAt } from "../../src/session/files/file-state.ts";
import { memoryStore, type Append, type Change, type Journal, type Store } from "../../src/store/index.ts";
import { contents, hosted, put } from "./host-session.ts";

const PATH = "/workspace/f";

interface Old {
  readonly encoding?: number;
  readonly kind?: string;
  readonly targets?: readonly string[];
  readonly touch?: readonly string[];
  readonly changes: readonly object[];
  readonly blobs?: readonly string[];
}

/** A record as an earlier version wrote it. */
async function append(journal: Journal, { encoding = 1, kind = "call", ...rest }: Old): Promise<void> {
  const commit: Append = {
    expect: [],
    touch: ["file:/f", "fold:/f", "dir:/"],
    targets: [],
    time: new Date(1_600_000_000_000),
    request: "r",
    kind,
    agent: "ann",
    role: "editor",
    tool: "write_file",
    encoding,
    delta: { bytes: 0, files: 0 },
    blobs: [],
    quota: { bytes: 1e9, files: 1e9 },
    ...rest,
    changes: rest.changes as readonly Change[],
  };
  expect(await journal.append(commit)).toHaveProperty("at");
}

async function stage(journal: Journal, text: string) {
  const bytes = new TextEncoder().encode(text);
  const blob = await journal.stage(bytes);
  return { blob, content: { size: bytes.length, extents: [[blob, 0, bytes.length]] } };
}

/** Creates "one\n", appends "two\n", appends "three\n", undoes the first append by an edit, overwrites, deletes, creates. */
async function oldSession(store: Store, last: number): Promise<void> {
  const journal = await store.open("s", { create: true });
  const one = await stage(journal, "one\n");
  const two = await stage(journal, "two\n");
  const three = await stage(journal, "three\n");
  const file = { slice: "files", path: PATH };
  const created = new Date(1_600_000_000_000).toISOString();
  const body = { content: one.content, encoding: "utf-8" };
  const insert = (at: number, { content }: typeof one) => ({
    ...file,
    op: "splice",
    splices: [{ at, remove: 0, insert: content.extents }],
    removed: [[]],
  });
  const records: Old[] = [
    { changes: [{ ...file, op: "create", body, created }], blobs: [one.blob] },
    { changes: [insert(4, two)], touch: ["file:/f"], blobs: [two.blob] },
    { changes: [insert(8, three)], touch: ["file:/f"], blobs: [three.blob] },
    {
      kind: "undo",
      targets: ["record:2"],
      touch: ["file:/f"],
      changes: [
        {
          ...file,
          op: "splice",
          splices: [{ at: 4, remove: 4, insert: [] }],
          removed: [two.content.extents],
        },
      ],
    },
    {
      touch: ["file:/f"],
      changes: [{ ...file, op: "replace", before: body, after: { ...body, content: two.content } }],
    },
    { changes: [{ ...file, op: "delete", body: { ...body, content: two.content }, created }] },
    { changes: [{ ...file, op: "create", body: { ...body, content: three.content }, created }] },
  ];
  for (const record of records.slice(0, last)) await append(journal, record);
  await journal.close();
}

describe("records of an earlier encoding", () => {
  test.each([
    [1, { f: "one\n" }],
    [3, { f: "one\ntwo\nthree\n" }],
    [4, { f: "one\nthree\n" }],
    [5, { f: "two\n" }],
    [6, {}],
    [7, { f: "three\n" }],
  ])("[HIST-7] read as they did, up to record %i", async (last, expected) => {
    const store = memoryStore();
    await oldSession(store, last);
    const { session } = await hosted({ store, id: "s" });
    expect(await contents(session)).toEqual(expected);
    if (last === 7) expect(session.files()[0]).toMatchObject({ version: 6 });
  });

  test("[HIST-7] are gone on from: edits, undo and blame", async () => {
    const store = memoryStore();
    await oldSession(store, 4);
    const { session, as } = await hosted({ store, id: "s" });
    await put(as("bob"), "f", "four\n", "append");
    expect((await session.blame({ path: "f" })).runs.map(({ by }) => by?.record)).toEqual([1, 3, 5]);
    await session.undo({ record: 3 });
    expect(await contents(session)).toEqual({ f: "one\nfour\n" });
    const [record] = await session.log({ newestFirst: true, limit: 1 });
    expect(record).toMatchObject({ encoding: 2, changes: [{ id: PATH, path: PATH }] });
  });

  test("[HIST-7] [FILES-8] [FILES-13] checkpoints from before ids: the path is the id", async () => {
    const content = { size: 4, extents: [["b", 0, 4]] };
    const lines = [
      ["/workspace/d/f", "utf-8", 3, 1_000, 2_000, 7, "ab", content, 5],
      ["d\u0001gone", 9],
    ];
    const chunks = (async function* () {
      yield new TextEncoder().encode(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    })();
    const state = await decodeFiles(chunks);
    const path = parsePath("d/f");
    expect(fileAt(state, path)).toMatchObject({ id: path, executable: false, version: 3, dead: 5 });
    expect([...state.graves.entries()]).toEqual([["d\u0001gone", { version: 9, id: "/workspace/d/gone" }]]);
  });
});

test("[HIST-7] a record of a later encoding is refused, with what to do", async () => {
  const store = memoryStore();
  const journal = await store.open("s", { create: true });
  await append(journal, { encoding: 99, changes: [{ slice: "files", op: "fly" }] });
  await journal.close();
  const opened = hosted({ store, id: "s" });
  await expect(opened).rejects.toMatchObject({ code: "internal", reason: "newer_format" });
  await expect(opened).rejects.toThrow("Upgrade");
});

describe("kinds of records", () => {
  test("[HIST-8] are a closed list with what each means", () => {
    const kinds = ["call", "undo", "restore", "reset", "gates", "snapshot", "rewrite", "mount", "import"];
    const more = ["refresh", "land", "landing_request", "landing_reply", "policy", "of a later version"];
    const means = [...kinds, ...more].map((kind) => {
      const { isHidden, isUndoable, isWork } = kindOf({ kind });
      return `${kind}:${isHidden ? " hidden" : ""}${isUndoable ? " undoable" : ""}${isWork ? " work" : ""}`;
    });
    expect(means).toEqual([
      "call: undoable work",
      "undo: undoable",
      "restore: undoable work",
      "reset: undoable work",
      "gates: undoable work",
      "snapshot:",
      "rewrite: hidden",
      "mount: undoable work",
      "import: undoable work",
      "refresh: undoable work",
      "land:",
      "landing_request:",
      "landing_reply:",
      "policy:",
      "of a later version:",
    ]);
  });

  test("[HIST-8] [HIST-42] policies and landings are in the log and cannot be undone", async () => {
    const { session, store, as } = await hosted({ id: "s" });
    await put(as("ann"), "a", "1");
    const journal = await store.open("s");
    for (const kind of ["policy", "landing_request", "landing_reply", "land"])
      await append(journal, { encoding: 2, kind, touch: [kind], changes: [] });
    const log = await session.log({ limit: 9 });
    expect(log.map(({ kind }) => kind)).toEqual([
      "call",
      "policy",
      "landing_request",
      "landing_reply",
      "land",
    ]);
    for (const record of [2, 3, 4, 5])
      await expect(session.undo({ record })).rejects.toMatchObject({ reason: "nothing_to_undo" });
    expect((await session.undo({ lastCallOf: "ann" })).undone).toEqual([1]);
  });
});
