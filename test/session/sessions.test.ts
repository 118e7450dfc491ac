import { expect, test } from "vitest";
import { allSessions, expireSessions, newSessionId, sessionsNamed } from "../../src/session/sessions.ts";
import { memoryStore, sqliteStore, type Store } from "../../src/store/index.ts";
import { openSession } from "../../src/tools/index.ts";
import { scratch } from "../store/scratch.ts";
import { hosted, put } from "./host-session.ts";

test("[HIST-101] sessions have ids of their own and are listed with their names", async () => {
  const store = memoryStore();
  const ids = new Set(Array.from({ length: 200 }, newSessionId));
  expect(ids.size).toBe(200);
  for (const id of ids) expect(id).toMatch(/^[a-z2-7]{26}$/);
  const made = [];
  for (let i = 0; i < 120; i++) {
    const session = await openSession({ store, ...(i % 40 === 0 ? { name: "docs" } : {}) });
    made.push(session.id);
    await session.close();
  }
  const listed = [];
  for await (const { id } of allSessions(store)) listed.push(id);
  expect(listed).toEqual(made.toSorted());
  expect((await sessionsNamed(store, "docs")).map(({ name }) => name)).toEqual(["docs", "docs", "docs"]);
});

test("[HIST-102] sessions unused since a date are removed together", async () => {
  const store = memoryStore();
  const old = await hosted({ store, id: "old" });
  await put(old.as("ann"), "a", "1");
  await openSession({ store, id: "fresh" });
  expect(await expireSessions(store, new Date(1_750_000_000_000))).toEqual(["old"]);
  expect(await store.list({ limit: 9 })).toMatchObject([{ id: "fresh" }]);
  expect((await old.as("ann").call("write_file", { path: "b", content: "" })).error?.reason).toBe(
    "session_not_found",
  );
});

test("[CALL-29] a store, a name, a date and a list of files of the wrong kind are refused in words, and nothing is removed", async () => {
  const store = memoryStore();
  const { session } = await hosted({ store, id: "s" });
  const lent = new Uint8Array(4);
  structuredClone(lent.buffer, { transfer: [lent.buffer] });
  const { proxy, revoke } = Proxy.revocable([], {});
  revoke();
  const first = (none: unknown): Promise<unknown> => allSessions(none as Store).next();
  for (const call of [
    () => first(undefined),
    () => first({}),
    () => sessionsNamed({} as Store, "docs"),
    () => sessionsNamed(store, 5 as never),
    () => expireSessions(undefined as never, new Date()),
    () => expireSessions(store, 9e15 as never),
    () => session.workspace.writeAll(lent as never),
    () => session.workspace.writeAll(proxy),
  ])
    await expect(call(), String(call)).rejects.toMatchObject({ reason: "bad_options" });
  expect(await store.list({ limit: 9 })).toMatchObject([{ id: "s" }]);
});

test("[HIST-100] a reset empties the session and keeps its history", async () => {
  const { session, as } = await hosted();
  await put(as("ann"), "a", "1");
  await put(as("ann"), "b/c", "1");
  const { at } = await session.reset();
  expect(session.files()).toEqual([]);
  expect(await session.log({ limit: 9 })).toMatchObject([
    { kind: "call" },
    { kind: "call" },
    { kind: "reset" },
  ]);
  await session.undo({ record: at.seq });
  expect(session.files().map(({ path, version }) => [path, version])).toEqual([
    ["/workspace/a", 2],
    ["/workspace/b/c", 2],
  ]);
});

test("[HIST-110] verify finds a record that was changed, and a checkpoint that is not what the records make", async () => {
  const store = memoryStore();
  const { session, as } = await hosted({ store, id: "s", limits: { checkpointBytes: 4096 } });
  for (let i = 0; i < 12; i++) await put(as("ann"), "f", `${i}`);
  await session.close();
  const { session: again } = await hosted({ store, id: "s" });
  expect(await again.verify({ states: true, blobs: true })).toMatchObject({ ok: true, checked: 13 });
  const journal = await store.open("s");
  const saved = await journal.checkpoint.load("files", 13);
  const wrong = await journal.checkpoint.load("files", (saved?.at.seq ?? 0) - 1);
  const chunks: Uint8Array[] = [];
  for await (const chunk of wrong?.chunks ?? []) chunks.push(chunk);
  await journal.checkpoint.save(saved?.at ?? journal.genesis, "files", chunks);
  expect(await again.verify()).toMatchObject({ ok: true });
  expect(await again.verify({ states: true })).toEqual({
    ok: false,
    seq: saved?.at.seq,
    what: "state",
    slice: "files",
  });
});

test("[HIST-113] verify names the record whose bytes are missing or too few, in every store", async () => {
  for (const made of [memoryStore(), sqliteStore({ directory: scratch() })]) {
    for (const size of [5, 400_000]) {
      const store = staging(made, (bytes) => bytes.subarray(0, bytes.length - 1));
      const { session } = await hosted({ store, id: `s${size}` });
      const whole = async function* (): AsyncGenerator<Uint8Array> {
        yield new Uint8Array(size);
      };
      await session.workspace.write("a", whole());
      const { seq } = session.at;
      expect(await session.verify()).toMatchObject({ ok: true });
      expect(await session.verify({ blobs: true })).toEqual({ ok: false, seq, what: "blob" });
      await session.workspace.write("b", "b");
      await session.prune({ before: session.at.seq });
      expect(await session.verify({ blobs: true })).toEqual({ ok: false, seq, what: "blob" });
      await session.close();
    }
  }
});

/** A store whose journals stage other chunks than they are given. */
function staging(store: Store, change: (bytes: Uint8Array) => Uint8Array): Store {
  const open: Store["open"] = async (...how) => {
    const journal = await store.open(...how);
    const stage = journal.stage.bind(journal);
    journal.stage = (from) => {
      if (!(Symbol.asyncIterator in from)) return stage(from);
      return stage(
        (async function* () {
          for await (const chunk of from) yield change(chunk);
        })(),
      );
    };
    return journal;
  };
  return new Proxy(store, {
    get: (target, name) => {
      if (name === "open") return open;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
}
