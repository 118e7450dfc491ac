// Owns: the suite that every backend of the journal passes. Call it once per backend.

import { getEventListeners } from "node:events";
import { afterEach, describe, expect, test, vi } from "vitest";
import { HoldfastError } from "../../src/errors.ts";
import { digest, inlineBlobId } from "../../src/store/chain.ts";
import { TURN } from "../../src/store/journal.ts";
import type {
  Append,
  Appended,
  AuditEntry,
  Change,
  Content,
  Journal,
  JournalRecord,
  Position,
  Store,
} from "../../src/store/journal.ts";
import { parseToken, tokenOf } from "../../src/store/token.ts";

export interface Backend {
  readonly name: string;
  /** A fresh, empty store. */
  make(options?: { readonly idempotencyDays?: number; readonly auditEntries?: number }): Promise<Store>;
}

/** A commit with defaults that pass every check. */
export function commit(changes: Partial<Append> = {}): Append {
  return {
    expect: [],
    touch: ["file:/a"],
    targets: ["file:/a"],
    time: new Date(1_700_000_000_000),
    request: "r1",
    kind: "call",
    agent: "planner",
    role: "editor",
    encoding: 1,
    changes: [{ slice: "files", op: "put" }],
    delta: { bytes: 0, files: 0 },
    blobs: [],
    quota: { bytes: 1_000_000_000, files: 1_000_000 },
    ...changes,
  };
}

/** The position of a commit that must have been kept. */
export function kept(answer: Appended): Position {
  if (!("at" in answer) || "replay" in answer) throw new Error(`not kept: ${JSON.stringify(answer)}`);
  return answer.at;
}

const text = (words: string): Uint8Array => new TextEncoder().encode(words);

export async function readAll(journal: Journal, content: Content): Promise<Uint8Array> {
  const source = await journal.source(content);
  try {
    const bytes = new Uint8Array(source.size);
    expect(source.read(0, bytes, 0, bytes.length)).toBe(bytes.length);
    return bytes;
  } finally {
    source.close();
  }
}

/** Distinct bytes of any size, the same for the same seed. */
export function noise(size: number, seed: number): Uint8Array {
  const bytes = new Uint8Array(size);
  let state = (seed * 2654435761) >>> 0 || 1;
  for (let i = 0; i < size; i++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    bytes[i] = state;
  }
  return bytes;
}

const sameBytes = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;

async function reasonOf(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!HoldfastError.is(error)) throw new Error(`expected a HoldfastError, got ${String(error)}`);
  return `${error.code}/${error.reason}`;
}

async function collect(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  let all = "";
  for await (const chunk of chunks) all += new TextDecoder().decode(chunk);
  return all;
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const entry = (changes: Partial<AuditEntry> = {}): AuditEntry => {
  const time = changes.time ?? new Date(1_700_000_000_000);
  return {
    time,
    agent: "planner",
    role: "editor",
    tool: "write_file",
    targets: ["file:/a"],
    outcome: "ok",
    ms: 1.5,
    count: 1,
    last: time,
    ...changes,
  };
};

export function journalContract(backend: Backend): void {
  describe(`the journal on ${backend.name}`, () => {
    const stores: Store[] = [];
    afterEach(async () => {
      for (const store of stores.splice(0)) await store.close();
    });
    const make = async (options?: Parameters<Backend["make"]>[0]): Promise<Store> => {
      const store = await backend.make(options);
      stores.push(store);
      return store;
    };
    const session = async (): Promise<Journal> => (await make()).open("s1", { create: true });

    describe("sessions", () => {
      test("[JRN-1] opens what exists, creates when asked, and keeps name and history on a second create", async () => {
        const store = await make();
        expect(await reasonOf(store.open("s1"))).toBe("not_found/session_not_found");
        const first = await store.open("s1", { create: true, name: "report" });
        kept(await first.append(commit()));
        const again = await store.open("s1", { create: true, name: "other" });
        expect(await again.info()).toMatchObject({ id: "s1", name: "report", head: await first.head() });
        expect((await store.open("s1")).id).toBe("s1");
      });

      test("[JRN-7] refuses a name that not every backend can store, and options that are none", async () => {
        const store = await make();
        const journal = await store.open("s1", { create: true, name: "n".repeat(200) });
        const head = await journal.head();
        for (const name of ["", "night\0ly", "x\ud800", "n".repeat(201)]) {
          expect(await reasonOf(store.open("s2", { create: true, name }))).toBe(
            "invalid_argument/bad_session_name",
          );
          expect(await reasonOf(store.fork("s1", head, "s2", { name }))).toBe(
            "invalid_argument/bad_session_name",
          );
        }
        for (const tried of [
          store.open("s2", { creat: true } as object),
          store.list({ limt: 1 } as object),
          store.fork("s1", head, "s2", { nam: "x" } as object),
        ])
          expect(await reasonOf(tried)).toBe("invalid_argument/unknown_option");
        for (const limit of [-1, 0.5, Number.NaN, Infinity])
          expect(await reasonOf(store.list({ limit }))).toBe("invalid_argument/bad_options");
        expect(await reasonOf(store.list({ after: 1 } as object))).toBe("invalid_argument/bad_options");
        expect((await store.list()).map(({ id, name }) => [id, name])).toEqual([["s1", "n".repeat(200)]]);
      });

      test.each(["", "A", "a/b", "..", "a.b", "-a", "a\0", "ä", "a".repeat(65)])(
        "[JRN-2] refuses %j as a session id",
        async (id) => {
          const store = await make();
          const journal = await store.open("s1", { create: true });
          for (const tried of [
            store.open(id, { create: true }),
            store.remove(id),
            store.fork("s1", await journal.head(), id),
          ])
            expect(await reasonOf(tried)).toBe("invalid_argument/bad_session_id");
        },
      );

      test("[JRN-3] lists sessions by id, in pages", async () => {
        const store = await make();
        for (const id of ["c", "a", "b", "d"])
          await store.open(id, { create: true, ...(id === "b" ? { name: "bee" } : {}) });
        const b = await store.open("b");
        const at = kept(await b.append(commit({ time: new Date(1_800_000_000_123) })));
        const page = await store.list({ limit: 2 });
        expect(page.map(({ id }) => id)).toEqual(["a", "b"]);
        expect(page[1]).toMatchObject({ name: "bee", head: at, updated: new Date(1_800_000_000_123) });
        expect(page[0]?.updated).toEqual(page[0]?.created);
        expect(Math.abs(Date.now() - (page[0]?.created.getTime() ?? 0))).toBeLessThan(60_000);
        expect((await store.list({ after: "b", limit: 9 })).map(({ id }) => id)).toEqual(["c", "d"]);
        expect((await store.list({ after: "b" })).map(({ id }) => id)).toEqual(["c", "d"]);
        expect(await store.list()).toHaveLength(4);
      });

      test("[JRN-4] a removed session is gone for everybody", async () => {
        const store = await make();
        const journal = await store.open("s1", { create: true });
        kept(await journal.append(commit()));
        await store.remove("s1");
        expect(await store.list({ limit: 9 })).toEqual([]);
        for (const tried of [
          store.open("s1"),
          store.remove("s1"),
          journal.head(),
          journal.append(commit()),
          journal.records({ limit: 1 }),
        ])
          expect(await reasonOf(tried)).toBe("not_found/session_not_found");
        const fresh = await store.open("s1", { create: true });
        expect((await fresh.head()).seq).toBe(0);
      });

      test("[JRN-5] journals on one session see one history", async () => {
        const store = await make();
        const one = await store.open("s1", { create: true });
        const two = await store.open("s1");
        const first = kept(await one.append(commit()));
        const second = kept(await two.append(commit({ expect: [{ key: "file:/a", seq: 1, pinned: true }] })));
        expect(first.seq).toBe(1);
        expect(second.seq).toBe(2);
        expect(await one.head()).toEqual(second);
        await two.close();
        expect(await one.head()).toEqual(second);
      });

      test("[JRN-6] a closed journal answers nothing", async () => {
        const journal = await session();
        await journal.close();
        const tries: (() => Promise<unknown>)[] = [
          () => journal.info(),
          () => journal.head(),
          () => journal.append(commit()),
          () => journal.replayOf("a", "b"),
          () => journal.last(["k"]),
          () => journal.records({ limit: 1 }),
          () => journal.stage(text("x")),
          () => journal.source({ size: 0, extents: [] }),
          () => journal.checkpoint.load("files", 1),
          () => journal.views.load("a"),
          () => journal.lease("x", 1),
          () => journal.prune(1, []),
          () => journal.verify(),
          () => journal.audit([entry()]),
          () => journal.audited({ limit: 1 }),
        ];
        for (const go of tries) expect(await reasonOf(go())).toBe("internal/journal_closed");
        await journal.close();
      });

      test("[JRN-6] a store that is closed has closed its journals, and opens no other", async () => {
        const store = await make();
        const journal = await store.open("s1", { create: true });
        const head = await journal.head();
        await store.close();
        for (const tried of [
          journal.head(),
          journal.append(commit()),
          store.open("s1"),
          store.open("s2", { create: true }),
          store.list(),
          store.remove("s1"),
          store.fork("s1", head, "s2"),
        ])
          expect(await reasonOf(tried)).toBe("internal/journal_closed");
        await store.close();
      });
    });

    describe("records", () => {
      test("[JRN-10] a second record is written together with the first, or neither is", async () => {
        const journal = await session();
        const [shared, own] = [await journal.stage(text("shared")), await journal.stage(text("own"))];
        const next = {
          ...commit({ kind: "restore", agent: "host", role: "host", request: "r2" }),
          touch: ["file:/b"],
          delta: { bytes: -6, files: 0 },
          blobs: [shared, own],
        };
        const both = commit({ delta: { bytes: 7, files: 0 }, blobs: [shared], next });
        const tight = { bytes: 0, files: 1 };
        expect(await journal.append({ ...both, quota: tight })).toEqual({ overQuota: "bytes" });
        expect(
          await journal.append({ ...both, expect: [{ key: "file:/a", seq: 7, pinned: true }] }),
        ).toHaveProperty("moved");
        await expect(
          journal.append({ ...both, next: { ...next, blobs: ["a".repeat(32)] } }),
        ).rejects.toMatchObject({ reason: "unknown_blob" });
        expect((await journal.head()).seq).toBe(0);
        const appended = await journal.append({ ...both, quota: { bytes: 1, files: 1 } });
        if (!("next" in appended) || appended.next === undefined) return expect.unreachable();
        expect([appended.at.seq, appended.next.seq]).toEqual([1, 2]);
        expect(await journal.head()).toEqual(appended.next);
        expect(await journal.last(["file:/a", "file:/b"])).toEqual([appended.at, appended.next]);
        const records = await journal.records({ limit: 9 });
        expect(records.map(({ kind, agent, request }) => [kind, agent, request])).toEqual([
          ["call", "planner", "r1"],
          ["restore", "host", "r2"],
        ]);
        expect(await journal.append(commit({ delta: { bytes: 1, files: 0 }, quota: tight }))).toEqual({
          overQuota: "bytes",
        });
        expect(
          await readAll(journal, {
            size: 9,
            extents: [
              [shared, 0, 6],
              [own, 0, 3],
            ],
          }),
        ).toEqual(text("sharedown"));
        expect(await journal.verify({ blobs: true })).toMatchObject({ ok: true, checked: 2 });
      });

      test("[JRN-10] seqs rise by one and head follows", async () => {
        const journal = await session();
        const before = await journal.head();
        expect(before.seq).toBe(0);
        expect(before.hash).toMatch(/^[0-9a-f]{64}$/);
        const seen = new Set([before.hash]);
        for (let seq = 1; seq <= 5; seq++) {
          const at = kept(await journal.append(commit()));
          expect(at.seq).toBe(seq);
          expect(at.hash).toMatch(/^[0-9a-f]{64}$/);
          expect(await journal.head()).toEqual(at);
          seen.add(at.hash);
        }
        expect(seen.size).toBe(6);
      });

      test("[JRN-11] gives back every field", async () => {
        const journal = await session();
        const changes = [{ slice: "files", op: "put", path: "/a", deep: [1, null, { x: "y" }] } as Change];
        const at = kept(
          await journal.append(
            commit({
              time: new Date(1_712_345_678_901),
              touch: ["file:/a", "dir:/", "file:/a"],
              targets: ["file:/a", "file:/b"],
              tool: "write_file",
              encoding: 7,
              changes,
            }),
          ),
        );
        kept(await journal.append(commit()));
        const [first, second] = await journal.records({ limit: 9 });
        expect(first).toEqual({
          ...at,
          time: new Date(1_712_345_678_901),
          kind: "call",
          agent: "planner",
          role: "editor",
          tool: "write_file",
          request: "r1",
          encoding: 7,
          targets: ["file:/a", "file:/b"],
          keys: ["file:/a", "dir:/"],
          changes,
        });
        expect(second?.encoding).toBe(1);
        expect(second).not.toHaveProperty("tool");
      });

      test("[JRN-12] filters and orders records", async () => {
        const journal = await session();
        for (let i = 0; i < 40; i++)
          kept(
            await journal.append(
              commit({
                touch: [`file:/${i % 4}`, "dir:/"],
                agent: i % 2 === 0 ? "even" : "odd",
                kind: i % 5 === 0 ? "rewrite" : "call",
                ...(i % 3 === 0 ? { tool: "write_file" } : { tool: "edit_file" }),
                time: new Date(1_000_000 + i * 1000),
              }),
            ),
          );
        const seqs = async (query: Partial<Parameters<Journal["records"]>[0]>): Promise<number[]> =>
          (await journal.records({ limit: 100, ...query })).map(({ seq }) => seq);
        const all = Array.from({ length: 40 }, (_, i) => i + 1);
        expect(await seqs({})).toEqual(all);
        expect(await seqs({ newestFirst: true })).toEqual([...all].reverse());
        expect(await seqs({ after: 10, upTo: 13 })).toEqual([11, 12, 13]);
        expect(await seqs({ after: 10, upTo: 13, newestFirst: true })).toEqual([13, 12, 11]);
        expect(await seqs({ key: "file:/1" })).toEqual(all.filter((seq) => (seq - 1) % 4 === 1));
        expect(await seqs({ key: "file:/1", newestFirst: true, limit: 2 })).toEqual([38, 34]);
        expect(await seqs({ key: "file:/1", after: 10, limit: 2 })).toEqual([14, 18]);
        expect(await seqs({ key: "file:/none" })).toEqual([]);
        expect(await seqs({ agent: "odd" })).toEqual(all.filter((seq) => seq % 2 === 0));
        expect(await seqs({ agent: "odd", newestFirst: true, limit: 1 })).toEqual([40]);
        expect(await seqs({ tool: "write_file", agent: "even", key: "dir:/" })).toEqual([
          1, 7, 13, 19, 25, 31, 37,
        ]);
        expect(await seqs({ kind: "rewrite" })).toEqual([1, 6, 11, 16, 21, 26, 31, 36]);
        expect(await seqs({ since: new Date(1_005_000), until: new Date(1_007_000) })).toEqual([6, 7]);
        expect(await seqs({ agent: "nobody" })).toEqual([]);
        expect(await seqs({ limit: 0 })).toEqual([]);
        expect(await seqs({ after: 40 })).toEqual([]);
      });

      test("[JRN-13] knows where each key was last touched", async () => {
        const journal = await session();
        kept(await journal.append(commit({ touch: ["a", "b"] })));
        const second = kept(await journal.append(commit({ touch: ["b"] })));
        const third = kept(await journal.append(commit({ touch: [] })));
        const [a, b, c] = await journal.last(["a", "b", "c"]);
        expect(a?.seq).toBe(1);
        expect(b).toEqual(second);
        expect(c).toBeUndefined();
        expect(await journal.head()).toEqual(third);
        expect(await journal.last([])).toEqual([]);
      });

      test("[JRN-14] refuses text that a backend could change, keeps any JSON in changes", async () => {
        const journal = await session();
        for (const wrong of [
          { agent: "a\0b" },
          { touch: ["\ud800"] },
          { targets: ["a\udc00"] },
          { once: "\0" },
          { kind: "\ud800x" },
          { delta: { bytes: 0.5, files: 0 } },
          { delta: { bytes: 2 ** 60, files: 0 } },
          { time: new Date(Number.NaN) },
          { encoding: 0 },
          { encoding: 1.5 },
        ])
          expect(await reasonOf(journal.append(commit(wrong)))).toBe("invalid_argument/bad_record");
        expect((await journal.head()).seq).toBe(0);
        const odd = {
          slice: "t",
          op: "o",
          text: "\0\ud800 \u2028 ünï 😀",
          "\0key": 1e300,
          n: -0.1,
        } as Change;
        kept(
          await journal.append(commit({ changes: [odd], agent: "ünï 😀", once: "k", result: "\0\udfff" })),
        );
        const [record] = await journal.records({ agent: "ünï 😀", limit: 1 });
        expect(record?.changes).toEqual([odd]);
        expect((await journal.replayOf("ünï 😀", "k"))?.result).toBe("\0\udfff");
        expect(await journal.verify({ blobs: true })).toMatchObject({ ok: true, checked: 1 });
      });

      test("[JRN-15] shares nothing with its callers", async () => {
        const journal = await session();
        const bytes = text("hello");
        const blob = await journal.stage(bytes);
        bytes.fill(0);
        const change = { slice: "files", op: "put", list: [1] };
        const keys = ["file:/a"];
        kept(await journal.append(commit({ changes: [change], touch: keys, blobs: [blob] })));
        change.list.push(2);
        keys.push("file:/b");
        const [record] = await journal.records({ limit: 1 });
        expect(record?.changes).toEqual([{ slice: "files", op: "put", list: [1] }]);
        expect(record?.keys).toEqual(["file:/a"]);
        (record?.changes?.[0] as { list?: number[] } | undefined)?.list?.push(3);
        expect((await journal.records({ limit: 1 }))[0]?.changes).toEqual([
          { slice: "files", op: "put", list: [1] },
        ]);
        const read = await readAll(journal, { size: 5, extents: [[blob, 0, 5]] });
        expect(new TextDecoder().decode(read)).toBe("hello");
        read.fill(0);
        expect(new TextDecoder().decode(await readAll(journal, { size: 5, extents: [[blob, 0, 5]] }))).toBe(
          "hello",
        );
        const view = text("v");
        await journal.views.save("a", 0, view);
        view.fill(0);
        expect(new TextDecoder().decode((await journal.views.load("a"))?.bytes)).toBe("v");
      });
    });

    describe("the chain", () => {
      test("[JRN-20] verifies from stored bytes", async () => {
        const journal = await session();
        expect(await journal.verify()).toEqual({
          ok: true,
          head: await journal.head(),
          checked: 0,
          pruned: 0,
        });
        const blob = await journal.stage(noise(1000, 1));
        for (let i = 0; i < 30; i++) kept(await journal.append(commit({ blobs: i === 3 ? [blob] : [] })));
        expect(await journal.verify({ blobs: true })).toEqual({
          ok: true,
          head: await journal.head(),
          checked: 30,
          pruned: 0,
        });
      });

      test("[JRN-24] verify ends with its signal, as conflict / aborted", async () => {
        const journal = await session();
        const reason = new Error("the user went away");
        const aborted = { code: "conflict", reason: "aborted", cause: reason };
        const signal = AbortSignal.abort(reason);
        await expect(journal.verify({ signal })).rejects.toMatchObject(aborted);
        const blobs = [await journal.stage(noise(300_000, 1))];
        for (let i = 0; i < 10; i++) kept(await journal.append(commit({ blobs })));
        await expect(journal.verify({ signal, blobs: true })).rejects.toMatchObject(aborted);

        // By this clock every step is long enough for a yield.
        let now = performance.now();
        const clock = vi.spyOn(performance, "now").mockImplementation(() => (now += 50));
        try {
          const stop = new AbortController();
          const verified = journal.verify({ signal: stop.signal, blobs: true });
          stop.abort(reason);
          await expect(verified).rejects.toMatchObject(aborted);
          expect(await journal.verify({ blobs: true })).toMatchObject({ ok: true, checked: 10 });
        } finally {
          clock.mockRestore();
        }
      });

      test("[JRN-23] the encoding is part of the hash, unless it is the first", async () => {
        const journal = await session();
        for (const encoding of [1, 2, 9]) {
          const before = await journal.head();
          const at = kept(await journal.append(commit({ encoding })));
          const [record] = await journal.records({ after: before.seq, limit: 1 });
          const changes = digest(JSON.stringify(record?.changes));
          const covered = `"${before.hash}",${at.seq},1700000000000,"call","planner","editor",null,"r1",["file:/a"],["file:/a"],"${changes}"`;
          expect(at.hash).toBe(digest(encoding === 1 ? `[${covered}]` : `[${covered},${encoding}]`));
        }
        expect(await journal.verify()).toMatchObject({ ok: true, checked: 3 });
      });

      test("[JRN-21] two sessions share no position, a fork shares those before it", async () => {
        const store = await make();
        const a = await store.open("a", { create: true });
        const b = await store.open("b", { create: true });
        expect((await a.head()).hash).not.toBe((await b.head()).hash);
        const one = kept(await a.append(commit()));
        expect(kept(await b.append(commit())).hash).not.toBe(one.hash);
        const forked = await store.fork("a", one, "c");
        expect(await forked.head()).toEqual(one);
        const here = kept(await a.append(commit({ request: "here" })));
        const there = kept(await forked.append(commit({ request: "there" })));
        expect(here.seq).toBe(there.seq);
        expect(here.hash).not.toBe(there.hash);
      });

      test("[JRN-22] tokens are exact", async () => {
        const at = kept(await (await session()).append(commit()));
        const token = tokenOf(at);
        expect(token).toMatch(/^1-[0-9a-f]{8}$/);
        expect(parseToken(token)).toEqual({ seq: 1, hash: at.hash.slice(0, 8) });
        for (const wrong of [
          "",
          "1",
          "1-",
          "01-9f3a1c07",
          "1-9F3A1C07",
          "1-9f3a1c0",
          "1-9f3a1c077",
          " 1-9f3a1c07",
          "1-9f3a1c07\n",
          "-1-9f3a1c07",
          "9007199254740993-9f3a1c07",
          `${"9".repeat(400)}-9f3a1c07`,
        ])
          expect(parseToken(wrong)).toBeUndefined();
      });
    });

    describe("commit checks", () => {
      test("[JRN-30] answers every key that moved", async () => {
        const journal = await session();
        const at = kept(await journal.append(commit({ touch: ["a", "b"] })));
        const answer = await journal.append(
          commit({
            expect: [
              { key: "a", seq: 0, pinned: true },
              { key: "b", seq: 1, pinned: true },
              { key: "b", seq: 0, pinned: false },
              { key: "a", seq: 1, pinned: false },
              { key: "c", seq: 1, pinned: true },
              { key: "d", seq: 0, pinned: false },
              { key: "d", seq: 1, pinned: false },
            ],
          }),
        );
        expect(answer).toEqual({
          moved: [
            { key: "a", at },
            { key: "b", at },
            { key: "c", at: journal.genesis },
          ],
        });
        expect((await journal.head()).seq).toBe(1);
        kept(await journal.append(commit({ expect: [{ key: "d", seq: 0, pinned: true }] })));
      });

      test("[JRN-31] digits of another timeline do not match", async () => {
        const journal = await session();
        const at = kept(await journal.append(commit()));
        const with_ = (hash: string): Append =>
          commit({ expect: [{ key: "file:/a", seq: 1, hash, pinned: true }] });
        const other = (at.hash.startsWith("0") ? "1" : "0") + at.hash.slice(1, 8);
        expect(await journal.append(with_(other))).toEqual({ moved: [{ key: "file:/a", at }] });
        kept(await journal.append(with_(at.hash.slice(0, 8))));
        const fresh = (hash: string): Append =>
          commit({ expect: [{ key: "new", seq: 0, hash, pinned: true }], touch: [] });
        expect(await journal.append(fresh("zz"))).toHaveProperty("moved");
      });

      test("[JRN-32] holds the quota, and always lets a session shrink", async () => {
        const journal = await session();
        const quota = { bytes: 100, files: 2 };
        const delta = (bytes: number, files: number): Append => commit({ delta: { bytes, files }, quota });
        expect(await journal.append(delta(101, 1))).toEqual({ overQuota: "bytes" });
        expect(await journal.append(delta(1, 3))).toEqual({ overQuota: "files" });
        kept(await journal.append(delta(100, 2)));
        expect(await journal.append(delta(1, 0))).toEqual({ overQuota: "bytes" });
        expect(await journal.append(delta(0, 1))).toEqual({ overQuota: "files" });
        kept(await journal.append(delta(0, 0)));
        const tight = { bytes: 10, files: 1 };
        kept(await journal.append(commit({ delta: { bytes: -20, files: 0 }, quota: tight })));
        expect(await journal.append(commit({ delta: { bytes: 1, files: -1 }, quota: tight }))).toEqual({
          overQuota: "bytes",
        });
        kept(await journal.append(delta(20, 0)));
      });

      test("[JRN-33] a refused commit leaves everything as it was", async () => {
        const journal = await session();
        const at = kept(
          await journal.append(commit({ delta: { bytes: 5, files: 1 }, once: "k", result: "first" })),
        );
        const blob = await journal.stage(text("never"));
        const refused = { blobs: [blob], touch: ["file:/x"], delta: { bytes: 7, files: 1 } };
        const answers = [
          await journal.append(
            commit({ ...refused, once: "k2", expect: [{ key: "file:/a", seq: 0, pinned: true }] }),
          ),
          await journal.append(commit({ ...refused, once: "k3", quota: { bytes: 6, files: 9 } })),
          await journal.append(commit({ ...refused, once: "k", request: "other" })),
          await journal.append(commit({ ...refused, once: "k" })),
        ];
        expect(answers.map((answer) => Object.keys(answer)[0])).toEqual([
          "moved",
          "overQuota",
          "keyReused",
          "replay",
        ]);
        expect(await journal.head()).toEqual(at);
        expect(await journal.last(["file:/x"])).toEqual([undefined]);
        for (const once of ["k2", "k3"]) expect(await journal.replayOf("planner", once)).toBeUndefined();
        kept(await journal.append(commit({ delta: { bytes: 2, files: 0 }, quota: { bytes: 7, files: 1 } })));
      });

      test("[JRN-34] of many that expect one place, one is kept", async () => {
        const store = await make();
        const journals = await Promise.all(
          Array.from({ length: 4 }, () => store.open("s1", { create: true })),
        );
        for (let round = 0; round < 5; round++) {
          const [at] = await (journals[0] as Journal).last(["file:/a"]);
          const answers = await Promise.all(
            Array.from({ length: 24 }, (_, i) =>
              (journals[i % 4] as Journal).append(
                commit({ expect: [{ key: "file:/a", seq: at?.seq ?? 0, pinned: i % 2 === 0 }] }),
              ),
            ),
          );
          expect(answers.filter((answer) => "at" in answer)).toHaveLength(1);
          expect(answers.filter((answer) => "moved" in answer)).toHaveLength(23);
        }
        expect((await (journals[0] as Journal).head()).seq).toBe(5);
      });
    });

    describe("idempotency", () => {
      test("[JRN-40] replays before any other check", async () => {
        const journal = await session();
        const first = commit({
          once: "k",
          result: { version: 1, list: [null, "x"] },
          expect: [{ key: "file:/a", seq: 0, pinned: true }],
        });
        const at = kept(await journal.append(first));
        kept(await journal.append(commit()));
        expect(await journal.append({ ...first, quota: { bytes: 0, files: 0 } })).toEqual({
          replay: { version: 1, list: [null, "x"] },
          at,
        });
        expect((await journal.head()).seq).toBe(2);
      });

      test("[JRN-41] one key is one request of one agent", async () => {
        const journal = await session();
        kept(await journal.append(commit({ once: "k" })));
        expect(await journal.append(commit({ once: "k", request: "r2" }))).toEqual({ keyReused: true });
        expect(kept(await journal.append(commit({ once: "k", agent: "other", request: "r2" }))).seq).toBe(2);
        expect(kept(await journal.append(commit({ once: 'k","' }))).seq).toBe(3);
      });

      test("[JRN-42] finds stored results, also without a value", async () => {
        const journal = await session();
        const at = kept(await journal.append(commit({ once: "k", result: [1, 2] })));
        expect(await journal.replayOf("planner", "k")).toEqual({ request: "r1", result: [1, 2], at });
        expect(await journal.replayOf("planner", "other")).toBeUndefined();
        expect(await journal.replayOf("other", "k")).toBeUndefined();
        kept(await journal.append(commit({ once: "none" })));
        expect((await journal.replayOf("planner", "none"))?.result).toBeNull();
      });

      test.each([100, 16_385, 262_145, 1_000_000])(
        "[JRN-43] replays a result of %i characters",
        async (n) => {
          const journal = await session();
          const result = { text: "ü".repeat(n) };
          const same = (value: unknown): boolean => JSON.stringify(value) === JSON.stringify(result);
          const first = commit({ once: "k", result, time: new Date() });
          const at = kept(await journal.append(first));
          const again = await journal.append({ ...first, result: null });
          expect("replay" in again && same(again.replay)).toBe(true);
          expect("at" in again && again.at).toEqual(at);
          await journal.prune(2, []);
          const stored = await journal.replayOf("planner", "k");
          expect(stored?.request).toBe("r1");
          expect(stored?.at).toEqual(at);
          expect(same(stored?.result)).toBe(true);
        },
      );

      test("[JRN-44] of many with one key, one is kept and the others replay it", async () => {
        const store = await make();
        const journals = await Promise.all(
          Array.from({ length: 3 }, () => store.open("s1", { create: true })),
        );
        const answers = await Promise.all(
          Array.from({ length: 30 }, (_, i) =>
            (journals[i % 3] as Journal).append(commit({ once: "k", result: i })),
          ),
        );
        const winner = answers.find((answer) => "at" in answer && !("replay" in answer));
        const result = answers.indexOf(winner as Appended);
        for (const answer of answers)
          if (answer !== winner)
            expect(answer).toEqual({ replay: result, at: (winner as { at: Position }).at });
        expect((await (journals[0] as Journal).head()).seq).toBe(1);
      });
    });

    describe("blobs and content", () => {
      const sizes = [0, 1, 1000, 256 * 1024, 256 * 1024 + 1, 3_000_000];

      test("[JRN-50] stages bytes, sources and chunks, readable at once", async () => {
        const journal = await session();
        for (const size of sizes) {
          const bytes = noise(size, size + 1);
          const forms = [
            bytes,
            {
              size,
              id: "x",
              read: (at: number, into: Uint8Array, offset: number, length: number) => {
                const part = bytes.subarray(at, at + length);
                into.set(part, offset);
                return part.length;
              },
            },
            (async function* () {
              for (let at = 0; at < size; at += 70_001) yield bytes.subarray(at, at + 70_001);
            })(),
          ];
          for (const form of forms) {
            const blob = await journal.stage(form);
            const read = await readAll(journal, { size, extents: [[blob, 0, size]] });
            expect(sameBytes(read, bytes)).toBe(true);
          }
        }
      });

      test("[JRN-58] refuses chunks that are no bytes, and sources that end early", async () => {
        const journal = await session();
        for (const chunk of ["text", 5, null, new Uint16Array([258]), { length: 2 }, [1, 2]]) {
          const chunks = (async function* () {
            yield new Uint8Array(300_000);
            yield chunk as Uint8Array;
          })();
          expect(await reasonOf(journal.stage(chunks))).toBe("invalid_argument/bad_chunk");
        }
        const read = (at: number, _: Uint8Array, __: number, length: number): number =>
          Math.max(0, Math.min(length, 10 - at));
        expect(await reasonOf(journal.stage({ size: 11, id: "x", read }))).toBe("internal/short_source");
      });

      test("[JRN-51] reads extents as one run of bytes", async () => {
        const journal = await session();
        const small = noise(5000, 1);
        const large = noise(400_000, 2);
        const a = await journal.stage(small);
        const b = await journal.stage(large);
        kept(await journal.append(commit({ blobs: [a, b] })));
        const extents = [
          [b, 100_000, 150_000],
          [a, 10, 20],
          [a, 0, 0],
          [a, 0, 5000],
          [b, 0, 400_000],
          [a, 4999, 1],
          [a, 10, 20],
        ] as const;
        const expected = Buffer.concat(
          extents.map(([id, at, length]) => (id === a ? small : large).subarray(at, at + length)),
        );
        const content = { size: expected.length, extents };
        expect(sameBytes(await readAll(journal, content), expected)).toBe(true);
        const source = await journal.source(content);
        for (const [at, length] of [
          [0, 1],
          [149_999, 3],
          [150_010, 5020],
          [155_019, 2],
          [expected.length - 3, 100],
          [expected.length, 5],
          [expected.length + 7, 5],
          [0, 0],
        ] as const) {
          const into = new Uint8Array(length + 4).fill(255);
          const got = source.read(at, into, 2, length);
          const part = expected.subarray(at, at + length);
          expect(got).toBe(part.length);
          expect(sameBytes(into.subarray(2, 2 + got), part)).toBe(true);
          expect([...into.subarray(2 + got)]).toEqual(Array(length + 2 - got).fill(255));
          expect(into[1]).toBe(255);
        }
        source.close();
      });

      test("[JRN-52] equal small bytes are one blob", async () => {
        const journal = await session();
        const a = await journal.stage(text("same"));
        expect(await journal.stage(text("same"))).toBe(a);
        expect(a).toBe(inlineBlobId(text("same")));
        kept(await journal.append(commit({ blobs: [a] })));
        const b = await journal.stage(text("same"));
        expect(b).toBe(a);
        kept(await journal.append(commit({ blobs: [b, a] })));
        kept(await journal.append(commit({ blobs: [a] })));
      });

      test("[JRN-53] refuses a commit whose bytes are unknown", async () => {
        const store = await make();
        const journal = await store.open("s1", { create: true });
        const other = await store.open("s1");
        const good = await journal.stage(text("good"));
        const more = await journal.stage(text("more"));
        const unknown = [inlineBlobId(text("unknown")), "abcdefghijklmnopqrstuvwxyz", "../../etc/passwd", ""];
        for (const id of unknown) {
          const bad = commit({ blobs: [good, more, id], once: "k" });
          expect(await reasonOf(journal.append(bad))).toBe("internal/unknown_blob");
          // Together with one that is kept.
          const [reason, beside] = await Promise.all([
            reasonOf(journal.append(bad)),
            journal.append(commit()),
          ]);
          expect(reason).toBe("internal/unknown_blob");
          kept(beside);
        }
        expect((await journal.head()).seq).toBe(unknown.length);
        expect(await journal.replayOf("planner", "k")).toBeUndefined();
        const read = (blob: string): Promise<Uint8Array> =>
          readAll(other, { size: 4, extents: [[blob, 0, 4]] });
        for (const blob of [good, more]) expect(await reasonOf(read(blob))).toBe("internal/blob_lost");
        kept(await journal.append(commit({ blobs: [good, more] })));
        expect([await read(good), await read(more)]).toEqual([text("good"), text("more")]);
      });

      test("[JRN-54] never answers zeros for missing bytes", async () => {
        const journal = await session();
        const blob = await journal.stage(text("12345"));
        const read = (content: Content): Promise<unknown> => readAll(journal, content);
        expect(await reasonOf(read({ size: 3, extents: [["abcdefghijklmnopqrstuvwxyz", 0, 3]] }))).toBe(
          "internal/blob_lost",
        );
        expect(await reasonOf(read({ size: 3, extents: [[inlineBlobId(text("no")), 0, 3]] }))).toBe(
          "internal/blob_lost",
        );
        expect(await reasonOf(read({ size: 9, extents: [[blob, 0, 9]] }))).toBe("internal/blob_lost");
        expect(await reasonOf(read({ size: 4, extents: [[blob, 0, 5]] }))).toBe("internal/bad_content");
        expect(await reasonOf(read({ size: 5, extents: [[blob, -1, 5]] }))).toBe("internal/bad_content");
      });

      test("[JRN-55] carried blobs are everybody's, forgotten ones go at close", async () => {
        const store = await make();
        const one = await store.open("s1", { create: true });
        const two = await store.open("s1");
        const bytes = [noise(2000, 1), noise(500_000, 2), noise(2000, 3), noise(500_000, 4)];
        const blobs: string[] = [];
        for (const each of bytes) blobs.push(await one.stage(each));
        kept(await one.append(commit({ blobs: blobs.slice(0, 2) })));
        await one.close();
        for (const [i, blob] of blobs.entries()) {
          const each = bytes[i] as Uint8Array;
          const content = { size: each.length, extents: [[blob, 0, each.length] as const] };
          if (i < 2) expect(sameBytes(await readAll(two, content), each)).toBe(true);
          else expect(await reasonOf(readAll(two, content))).toBe("internal/blob_lost");
        }
      });

      test("[JRN-56] source ids follow the bytes", async () => {
        const journal = await session();
        const a = await journal.stage(text("abcabc"));
        const id = async (content: Content): Promise<string> => {
          const source = await journal.source(content);
          source.close();
          return source.id;
        };
        const first = await id({ size: 3, extents: [[a, 0, 3]] });
        expect(await id({ size: 3, extents: [[a, 0, 3]] })).toBe(first);
        expect(await id({ size: 2, extents: [[a, 0, 2]] })).not.toBe(first);
        expect(await id({ size: 3, extents: [[a, 1, 3]] })).not.toBe(first);
        expect(await id({ size: 3, extents: [[a, 0, 3]], sha256: "f00d" })).toBe("f00d");
      });
    });

    describe("checkpoints, views, leases", () => {
      test("[JRN-60] loads the newest checkpoint at or before a place", async () => {
        const journal = await session();
        const at: Position[] = [await journal.head()];
        for (let i = 0; i < 6; i++) at.push(kept(await journal.append(commit())));
        const save = (seq: number, slice: string, words: string[]): Promise<void> =>
          journal.checkpoint.save(at[seq] as Position, slice, words.map(text));
        await save(2, "files", ["two ", "", "files"]);
        await save(4, "files", ["four files"]);
        await save(3, "tree", ["three tree"]);
        const load = async (slice: string, seq: number): Promise<string | undefined> => {
          const found = await journal.checkpoint.load(slice, seq);
          if (found === undefined) return undefined;
          expect(found.at).toEqual(at[found.at.seq]);
          return `${found.at.seq}: ${await collect(found.chunks)}`;
        };
        expect(await load("files", 1)).toBeUndefined();
        expect(await load("files", 2)).toBe("2: two files");
        expect(await load("files", 3)).toBe("2: two files");
        expect(await load("files", 99)).toBe("4: four files");
        expect(await load("tree", 99)).toBe("3: three tree");
        expect(await load("gates", 99)).toBeUndefined();
        await save(4, "files", ["again"]);
        expect(await load("files", 4)).toBe("4: again");
        const big = noise(3_000_000, 9);
        await journal.checkpoint.save(at[6] as Position, "big", [
          big.subarray(0, 10),
          big.subarray(10, 2_000_000),
          big.subarray(2_000_000),
        ]);
        const chunks: Uint8Array[] = [];
        for await (const chunk of (await journal.checkpoint.load("big", 6))?.chunks ?? []) chunks.push(chunk);
        expect(sameBytes(Buffer.concat(chunks), big)).toBe(true);
      });

      test("[JRN-61] refuses a checkpoint of another timeline", async () => {
        const journal = await session();
        const at = kept(await journal.append(commit()));
        const wrong = [
          { seq: 1, hash: "0".repeat(64) },
          { seq: 2, hash: at.hash },
        ];
        for (const place of wrong)
          expect(await reasonOf(journal.checkpoint.save(place, "files", [text("x")]))).toBe(
            "conflict/wrong_position",
          );
        expect(await journal.checkpoint.load("files", 9)).toBeUndefined();
      });

      test("[JRN-62] keeps one view per agent, by revision", async () => {
        const journal = await session();
        const head = await journal.head();
        expect(await journal.views.load("a")).toBeUndefined();
        expect(await journal.views.save("a", 1, text("x"))).toEqual({ moved: 0 });
        expect(await journal.views.save("a", 0, text("one"))).toEqual({ rev: 1 });
        expect(await journal.views.save("a", 0, text("lost"))).toEqual({ moved: 1 });
        expect(await journal.views.save("a", 1, text("two"))).toEqual({ rev: 2 });
        expect(await journal.views.load("a")).toEqual({ rev: 2, bytes: text("two") });
        expect(await journal.views.load("b")).toBeUndefined();
        expect(await journal.head()).toEqual(head);
      });

      test("[JRN-66] while one has the turn, only its commits are made", async () => {
        const store = await make();
        const one = await store.open("s1", { create: true });
        const two = await store.open("s1");
        const turn = await one.lease(TURN, 60_000);
        const head = await one.head();
        expect(await two.append(commit({ once: "k", result: 1 }))).toEqual({ turnTaken: true });
        expect(await one.append(commit({ turn: "someone" }))).toEqual({ turnTaken: true });
        expect(await one.head()).toEqual(head);
        kept(await one.append(commit({ turn: turn?.holder ?? "" })));
        await turn?.release();
        kept(await two.append(commit({ once: "k", result: 1 })));
        const short = await one.lease(TURN, 20);
        expect(await two.append(commit({ once: "k", result: 1 }))).toMatchObject({ replay: 1 });
        await sleep(40);
        kept(await two.append(commit()));
        kept(await one.append(commit({ turn: short?.holder ?? "" })));
      });

      test("[JRN-64] a named row is set by whoever saw its revision", async () => {
        const store = await make();
        const one = await store.open("s1", { create: true });
        const two = await store.open("s1");
        const head = await one.head();
        expect(await one.rows.get("applied")).toBeUndefined();
        expect(await one.rows.set("applied", 1, "x")).toEqual({ moved: 0 });
        expect(await one.rows.set("applied", 0, { seq: 3, "\0": [null, "\ud800"] })).toEqual({ rev: 1 });
        expect(await two.rows.set("applied", 0, "lost")).toEqual({ moved: 1 });
        expect(await two.rows.get("applied")).toEqual({ rev: 1, value: { seq: 3, "\0": [null, "\ud800"] } });
        expect(await two.rows.set("applied", 1, null)).toEqual({ rev: 2 });
        expect(await one.rows.get("applied")).toEqual({ rev: 2, value: null });
        expect(await one.rows.set("__proto__", 0, 1)).toEqual({ rev: 1 });
        expect(await one.rows.get("toString")).toBeUndefined();
        expect(await one.head()).toEqual(head);
      });

      test("[JRN-64] of many who set one at once, one does", async () => {
        const journal = await session();
        const set = await Promise.all(
          Array.from({ length: 20 }, (_, i) => journal.rows.set("landing", 0, i)),
        );
        const winners = set.flatMap((answer, i) => ("rev" in answer ? [i] : []));
        expect(winners).toHaveLength(1);
        expect(await journal.rows.get("landing")).toEqual({ rev: 1, value: winners[0] });
      });

      test("[JRN-65] a row is small, and its name is plain text", async () => {
        const journal = await session();
        const most = "x".repeat(65_534);
        expect(await journal.rows.set("big", 0, most)).toEqual({ rev: 1 });
        expect(await reasonOf(journal.rows.set("big", 1, `${most}x`))).toBe("invalid_argument/row_too_large");
        for (const name of ["", "a\0b", "\ud800", "n".repeat(201)])
          expect(await reasonOf(journal.rows.set(name, 0, 1))).toBe("invalid_argument/bad_record");
        expect((await journal.rows.get("big"))?.rev).toBe(1);
      });

      test("[JRN-63] one holds a lease at a time", async () => {
        const store = await make();
        const one = await store.open("s1", { create: true });
        const two = await store.open("s1");
        const mine = await one.lease("work", 60_000);
        expect(mine?.name).toBe("work");
        expect(await two.lease("work", 60_000)).toBeUndefined();
        expect(await one.lease("work", 60_000)).toBeUndefined();
        expect(await two.lease("other", 60_000)).toBeDefined();
        expect(await mine?.renew(30)).toBe(true);
        await sleep(60);
        const theirs = await two.lease("work", 60_000);
        expect(theirs).toBeDefined();
        expect(await mine?.renew(60_000)).toBe(false);
        await mine?.release();
        expect(await one.lease("work", 60_000)).toBeUndefined();
        await theirs?.release();
        const short = await one.lease("work", 1);
        await sleep(20);
        expect(await short?.renew(60_000)).toBe(true);
        expect(await two.lease("work", 1)).toBeUndefined();
        await one.close();
        expect(await short?.renew(60_000)).toBe(false);
        expect(await two.lease("work", 60_000)).toBeDefined();
        await short?.release();
        expect(await two.lease("work", 60_000)).toBeUndefined();
      });
    });

    describe("watch", () => {
      test("[JRN-70] yields the head as it moves, until it is told to stop", async () => {
        const store = await make();
        const journal = await store.open("s1", { create: true });
        const other = await store.open("s1");
        kept(await journal.append(commit()));
        const stop = new AbortController();
        const seen: number[] = [];
        const done = (async () => {
          for await (const at of journal.watch(0, stop.signal)) {
            expect(at.hash).toMatch(/^[0-9a-f]{64}$/);
            seen.push(at.seq);
            if (at.seq === 8) stop.abort();
          }
        })();
        for (let i = 0; i < 7; i++) {
          kept(await other.append(commit()));
          if (i % 3 === 0) await sleep(5);
        }
        await done;
        expect(seen.at(0)).toBeGreaterThanOrEqual(1);
        expect(seen.at(-1)).toBe(8);
        expect(seen).toEqual([...new Set(seen)].sort((a, b) => a - b));

        const ends: Promise<string>[] = [];
        const run = async (from: Journal, signal: AbortSignal): Promise<string> => {
          for await (const _ of from.watch(8, signal)) throw new Error("nothing moved");
          return "ended";
        };
        const idle = new AbortController();
        ends.push(run(other, idle.signal), run(journal, new AbortController().signal));
        const third = await store.open("s1");
        ends.push(run(third, new AbortController().signal), run(other, AbortSignal.abort()));
        await sleep(20);
        idle.abort();
        await journal.close();
        await store.remove("s1");
        expect(await Promise.all(ends)).toEqual(["ended", "ended", "ended", "ended"]);
      });

      test("[JRN-71] listens to its signal no longer than it lasts, and many may share one", async () => {
        const journal = await (await make()).open("s1", { create: true });
        const warnings: Error[] = [];
        const onWarning = (warning: Error): void => void warnings.push(warning);
        process.on("warning", onWarning);
        const stop = new AbortController();
        let ended = 0;
        const watch = async (): Promise<void> => {
          for await (const { seq } of journal.watch(0, stop.signal)) if (seq === 1) break;
          for await (const _ of journal.watch(1, stop.signal)) throw new Error("nothing moved");
          ended++;
        };
        const watches = Array.from({ length: 20 }, watch);
        kept(await journal.append(commit()));
        await sleep(20);
        stop.abort();
        await Promise.all(watches);
        await sleep(0);
        process.off("warning", onWarning);
        expect(ended).toBe(20);
        expect(warnings).toEqual([]);
        expect(getEventListeners(stop.signal, "abort")).toEqual([]);
      });
    });

    describe("fork", () => {
      test("[JRN-80] has the name it is given, or none", async () => {
        const store = await make();
        const from = await store.open("from", { create: true, name: "first" });
        const named = await store.fork("from", from.genesis, "named", { name: "second" });
        const bare = await store.fork("from", from.genesis, "bare");
        expect((await named.info()).name).toBe("second");
        expect((await bare.info()).name).toBeUndefined();
        expect((await from.info()).name).toBe("first");
        await store.close();
      });

      test("[JRN-80] is history up to a place, and independent from there", async () => {
        const store = await make();
        const from = await store.open("from", { create: true });
        const small = [noise(1000, 1), noise(1000, 2), noise(1000, 3)];
        const large = noise(600_000, 4);
        const quota = { bytes: 100, files: 100 };
        const put = async (i: number, bytes: Uint8Array): Promise<Position> => {
          const blob = await from.stage(bytes);
          return kept(
            await from.append(
              commit({
                touch: [`file:/${i}`, "dir:/"],
                blobs: [blob],
                delta: { bytes: 10, files: 1 },
                once: `k${i}`,
                result: i,
                changes: [{ slice: "files", op: "put", blob } as Change],
                quota,
              }),
            ),
          );
        };
        await put(0, small[0] as Uint8Array);
        await put(1, large);
        const at = await put(2, small[1] as Uint8Array);
        await put(3, small[0] as Uint8Array);
        const head = await put(4, small[2] as Uint8Array);
        await from.checkpoint.save(at, "files", [text("at 3")]);
        await from.checkpoint.save(head, "files", [text("at 5")]);
        await from.views.save("planner", 0, text("view"));
        await from.rows.set("applied", 0, 5);

        const fork = await store.fork("from", at, "into");
        expect(fork.id).toBe("into");
        expect(await fork.head()).toEqual(at);
        expect(await fork.records({ limit: 99 })).toEqual(await from.records({ upTo: 3, limit: 99 }));
        expect(await fork.verify({ blobs: true })).toMatchObject({ ok: true, checked: 3 });
        expect((await fork.last(["dir:/", "file:/2", "file:/3"])).map((place) => place?.seq)).toEqual([
          3,
          3,
          undefined,
        ]);
        expect((await fork.replayOf("planner", "k2"))?.result).toBe(2);
        expect(await fork.replayOf("planner", "k3")).toBeUndefined();
        expect(await fork.rows.get("applied")).toBeUndefined();
        const checkpoint = await fork.checkpoint.load("files", 99);
        expect(checkpoint?.at).toEqual(at);
        expect(await collect(checkpoint?.chunks ?? (async function* () {})())).toBe("at 3");
        expect(await fork.views.load("planner")).toBeUndefined();
        expect((await store.list({ limit: 9 })).map(({ id }) => id)).toEqual(["from", "into"]);

        const read = async (journal: Journal, seq: number): Promise<Uint8Array> => {
          const [record] = await journal.records({ after: seq - 1, limit: 1 });
          const blob = (record?.changes?.[0] as { blob?: string } | undefined)?.blob ?? "";
          const size = seq === 2 ? large.length : 1000;
          return readAll(journal, { size, extents: [[blob, 0, size]] });
        };
        expect(await fork.append(commit({ delta: { bytes: 71, files: 0 }, quota }))).toEqual({
          overQuota: "bytes",
        });
        kept(await fork.append(commit({ delta: { bytes: 70, files: 0 }, quota })));
        expect(await from.head()).toEqual(head);
        await store.remove("from");
        expect(sameBytes(await read(fork, 1), small[0] as Uint8Array)).toBe(true);
        expect(sameBytes(await read(fork, 2), large)).toBe(true);
        expect(sameBytes(await read(fork, 3), small[1] as Uint8Array)).toBe(true);
        const empty = await store.fork("into", fork.genesis, "empty");
        expect((await empty.head()).seq).toBe(0);
        kept(await empty.append(commit({ expect: [{ key: "dir:/", seq: 0, pinned: true }] })));
      });

      test("[JRN-81] refuses a place that is not there and an id that is", async () => {
        const store = await make();
        const from = await store.open("from", { create: true });
        const at = kept(await from.append(commit()));
        await store.open("taken", { create: true });
        expect(await reasonOf(store.fork("from", { seq: 1, hash: "0".repeat(64) }, "into"))).toBe(
          "conflict/wrong_position",
        );
        expect(await reasonOf(store.fork("from", { seq: 2, hash: at.hash }, "into"))).toBe(
          "conflict/wrong_position",
        );
        expect(await reasonOf(store.fork("from", at, "taken"))).toBe("conflict/session_exists");
        expect(await reasonOf(store.fork("none", at, "into"))).toBe("not_found/session_not_found");
        expect((await store.list({ limit: 9 })).map(({ id }) => id)).toEqual(["from", "taken"]);
      });
    });

    describe("retention", () => {
      test("[JRN-126] of many records every key, blob and record is found, while they come and after", async () => {
        const store = await make();
        const writer = await store.open("s", { create: true });
        const reader = await store.open("s");
        const blobs: string[] = [];
        const look = async (i: number): Promise<void> => {
          const key = `file:/${i % 40}`;
          const last = await reader.last([key, "dir:/", "file:/none"]);
          expect(last.map((at) => at?.seq)).toEqual([i + 1, i + 1, undefined]);
          const found = await reader.records({ key, limit: 1000 });
          expect(found.map(({ seq }) => seq)).toEqual(
            Array.from({ length: Math.floor(i / 40) + 1 }, (_, k) => (i % 40) + 40 * k + 1),
          );
          const newest = await reader.records({ key: "dir:/", newestFirst: true, limit: 3 });
          expect(newest.map(({ seq }) => seq)).toEqual([i + 1, i, i - 1].filter((seq) => seq > 0));
          for (const k of [i, i >> 1, 0])
            expect(await readAll(reader, { size: 50, extents: [[blobs[k] as string, 0, 50]] })).toEqual(
              noise(50, k % 300),
            );
        };
        for (let i = 0; i < 600; i++) {
          // Some bytes come again; those of an older record are used again, as by one that can be undone.
          const blob = await writer.stage(noise(50, i % 300));
          blobs.push(blob);
          const used = blobs[Math.max(0, i - 30)] as string;
          kept(await writer.append(commit({ touch: [`file:/${i % 40}`, "dir:/"], blobs: [blob, used] })));
          if (i % 31 === 0) await look(i);
        }
        await look(599);
        await writer.close();
        await reader.close();
        const again = await store.open("s");
        // What stays has brought in or used these, seen as the 300 they are.
        await again.prune(596, []);
        for (let i = 0; i < 600; i++) {
          const bytes = readAll(again, { size: 50, extents: [[blobs[i] as string, 0, 50]] });
          const isKept = i % 300 >= 295 || (i % 300 >= 265 && i % 300 < 270);
          expect([
            i,
            await bytes.then(
              () => true,
              () => false,
            ),
          ]).toEqual([i, isKept]);
        }
        expect(await again.verify({ blobs: true })).toMatchObject({ ok: true, checked: 600 });
      });

      test("[JRN-90] pruned records keep all but their changes", async () => {
        const journal = await session();
        for (let i = 0; i < 10; i++)
          kept(await journal.append(commit({ touch: [`file:/${i}`], tool: "write_file" })));
        const before = await journal.records({ limit: 99 });
        await journal.prune(6, []);
        const after = await journal.records({ limit: 99 });
        const withoutChanges = ({ changes: _changes, ...rest }: JournalRecord): unknown => rest;
        expect(after.map(withoutChanges)).toEqual(before.map(withoutChanges));
        expect(after.map(({ changes }) => changes !== undefined)).toEqual(after.map(({ seq }) => seq >= 6));
        expect(await journal.records({ key: "file:/1", limit: 9 })).toHaveLength(1);
        expect(await journal.verify()).toEqual({
          ok: true,
          head: await journal.head(),
          checked: 10,
          pruned: 5,
        });
        kept(await journal.append(commit({ expect: [{ key: "file:/1", seq: 2, pinned: true }] })));
      });

      test("[JRN-91] drops dead blobs and no others", async () => {
        const journal = await session();
        const bytes = [1, 2, 3, 4, 5, 6].map((i) => noise(i % 2 === 0 ? 300_000 : 3000, i));
        const ids: string[] = [];
        for (const each of bytes) {
          const id = await journal.stage(each);
          ids.push(id);
          kept(await journal.append(commit({ blobs: [id] })));
        }
        const again = await journal.stage(bytes[0] as Uint8Array);
        expect(again).toBe(ids[0]);
        kept(await journal.append(commit({ blobs: [again] })));
        // Brought in below 5: 0 1 2 3; live: 1 2; brought in again after: 0.
        const { bytes: freed } = await journal.prune(5, [ids[1], ids[2]] as string[]);
        expect(freed).toBeGreaterThanOrEqual(300_000);
        for (const [i, id] of ids.entries()) {
          const each = bytes[i] as Uint8Array;
          const content = { size: each.length, extents: [[id, 0, each.length] as const] };
          if (i === 3) expect(await reasonOf(readAll(journal, content))).toBe("internal/blob_lost");
          else expect(sameBytes(await readAll(journal, content), each)).toBe(true);
        }
        expect(await journal.verify({ blobs: true })).toMatchObject({ ok: true });
        expect((await journal.prune(5, [ids[1], ids[2]] as string[])).bytes).toBe(0);
      });

      test("[JRN-92] keeps the checkpoints that still serve", async () => {
        const journal = await session();
        const at: Position[] = [];
        for (let i = 0; i < 8; i++) at.push(kept(await journal.append(commit())));
        for (const seq of [2, 4, 7])
          await journal.checkpoint.save(at[seq - 1] as Position, "files", [text(`${seq}`)]);
        await journal.checkpoint.save(at[0] as Position, "tree", [text("tree")]);
        await journal.prune(5, []);
        expect(await journal.checkpoint.load("files", 3)).toBeUndefined();
        expect((await journal.checkpoint.load("files", 6))?.at.seq).toBe(4);
        expect((await journal.checkpoint.load("files", 9))?.at.seq).toBe(7);
        expect((await journal.checkpoint.load("tree", 9))?.at.seq).toBe(1);
      });

      test("[JRN-67] keeps no checkpoint that comes too late for a prune", async () => {
        const journal = await session();
        const at: Position[] = [];
        for (let i = 0; i < 6; i++) at.push(kept(await journal.append(commit())));
        await journal.checkpoint.save(at[3] as Position, "files", [text("4")]);
        await journal.prune(5, []);
        await journal.checkpoint.save(at[1] as Position, "files", [text("2")]);
        expect(await journal.checkpoint.load("files", 3)).toBeUndefined();
        await journal.checkpoint.save(at[3] as Position, "files", [text("again")]);
        expect((await journal.checkpoint.load("files", 9))?.at.seq).toBe(4);
        expect(await journal.verify({ blobs: true })).toMatchObject({ ok: true });
      });

      test("[JRN-93] forgets results by age", async () => {
        const journal = await (await make({ idempotencyDays: 2 })).open("s1", { create: true });
        const days = (n: number): Date => new Date(Date.now() - n * 86_400_000);
        kept(await journal.append(commit({ once: "old", time: days(3), result: "x".repeat(20_000) })));
        kept(await journal.append(commit({ once: "young", time: days(1) })));
        await journal.prune(1, []);
        expect(await journal.replayOf("planner", "old")).toBeUndefined();
        expect(await journal.replayOf("planner", "young")).toBeDefined();
        expect((await journal.records({ limit: 9 })).every(({ changes }) => changes !== undefined)).toBe(
          true,
        );
      });
    });

    describe("audit", () => {
      const at = (second: number): Date => new Date(1_700_000_000_000 + second * 1000);

      test("[JRN-100] answers every field, newest first, filtered", async () => {
        const journal = await session();
        const full = entry({
          outcome: "internal",
          reason: "broken",
          reference: "ref-1",
          seq: 4,
          targets: ["file:/a", "file:/b"],
        });
        await journal.audit([full]);
        expect(await journal.audited({ limit: 9 })).toEqual([full]);
        await journal.audit([
          entry({ time: at(1), agent: "x" }),
          entry({ time: at(2), tool: "read_file" }),
          entry({ time: at(3), outcome: "conflict", agent: "x" }),
        ]);
        const times = async (query: Partial<Parameters<Journal["audited"]>[0]>): Promise<number[]> =>
          (await journal.audited({ limit: 9, ...query })).map(
            ({ time }) => (time.getTime() - 1_700_000_000_000) / 1000,
          );
        expect(await times({})).toEqual([3, 2, 1, 0]);
        expect(await times({ limit: 2 })).toEqual([3, 2]);
        expect(await times({ agent: "x" })).toEqual([3, 1]);
        expect(await times({ tool: "read_file" })).toEqual([2]);
        expect(await times({ outcome: "conflict" })).toEqual([3]);
        expect(await times({ since: at(1), until: at(3) })).toEqual([2, 1]);
        expect((await journal.head()).seq).toBe(0);
      });

      test("[JRN-101] folds floods of refusals", async () => {
        const journal = await session();
        const refused = (i: number, changes: Partial<AuditEntry> = {}): AuditEntry =>
          entry({ time: at(i / 100), outcome: "rate_limited", reason: "too_many", ...changes });
        for (let i = 0; i < 500; i += 50)
          await journal.audit(Array.from({ length: 50 }, (_, k) => refused(i + k)));
        expect(await journal.audited({ limit: 99 })).toEqual([{ ...refused(0), count: 500, last: at(4.99) }]);
        await journal.audit(
          Array.from({ length: 300 }, (_, i) =>
            refused(500 + i, { outcome: "not_found", targets: [`file:/${i}`] }),
          ),
        );
        const rows = await journal.audited({ outcome: "not_found", limit: 999 });
        expect(rows).toHaveLength(20);
        expect(rows.reduce((sum, { count }) => sum + count, 0)).toBe(300);
        await journal.audit([refused(90 * 100), refused(91 * 100, { agent: "b" })]);
        expect(await journal.audited({ outcome: "rate_limited", limit: 9 })).toHaveLength(3);
        await journal.audit([entry({ time: at(95) }), entry({ time: at(95) })]);
        expect(await journal.audited({ outcome: "ok", limit: 9 })).toHaveLength(2);
        const broken = entry({ time: at(96), outcome: "internal", reference: "r" });
        await journal.audit([broken, broken]);
        expect(await journal.audited({ outcome: "internal", limit: 9 })).toHaveLength(2);
      });

      test("[JRN-102] is bounded, the oldest go first", async () => {
        const journal = await (await make({ auditEntries: 100 })).open("s1", { create: true });
        for (let i = 0; i < 250; i += 25)
          await journal.audit(Array.from({ length: 25 }, (_, k) => entry({ time: at(i + k) })));
        const rows = await journal.audited({ limit: 999 });
        expect(rows).toHaveLength(100);
        expect(rows[0]?.time).toEqual(at(249));
        expect(rows[99]?.time).toEqual(at(150));
      });
    });
  });
}
