import { createReadStream, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import { memoryStore, sqliteStore } from "../../src/store/index.ts";
import { openSession, type HostContent } from "../../src/tools/index.ts";
import { scratch } from "../store/scratch.ts";
import { hosted, put } from "./host-session.ts";

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

async function* pieces(count: number, piece: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let i = 0; i < count; i++) yield piece;
}

describe("files in the host's hands", () => {
  test("[HIST-130] writes and removals are commits by the host, which can be undone", async () => {
    const { session } = await hosted({ rules: [{ paths: ["**"], deny: "all" }], readOnly: true });
    const made = await session.workspace.write("src/a.txt", "one\n");
    expect(made).toMatchObject({
      path: "/workspace/src/a.txt",
      version: 1,
      encoding: "utf-8",
      size_bytes: 4,
    });
    await session.workspace.write("src/a.txt", "two\n");
    await session.workspace.write("b.bin", new Uint8Array([255, 0]), { executable: true });
    expect(session.workspace.stat("b.bin")).toMatchObject({ encoding: "binary", executable: true });
    expect(session.workspace.stat("c.txt")).toBeUndefined();
    expect(text(await session.workspace.read("src/a.txt"))).toBe("two\n");
    await session.workspace.remove("src");
    expect(session.files().map(({ path }) => path)).toEqual(["/workspace/b.bin"]);
    const log = await session.log({});
    expect(log.slice(-4).map(({ agent, kind }) => [agent, kind])).toEqual(
      Array.from({ length: 4 }, () => ["host", "call"]),
    );
    await session.undo({ record: session.at.seq });
    expect(text(await session.workspace.read("src/a.txt"))).toBe("two\n");
  });

  test("[HIST-149] what the host reads is of the newest state, whichever process wrote it", async () => {
    const directory = scratch();
    const stores = [sqliteStore({ directory }), sqliteStore({ directory })] as const;
    const one = await openSession({ store: stores[0], id: "shared" });
    const other = await openSession({ store: stores[1], id: "shared" });
    const { workspace } = other;
    await one.workspace.write("a", "1\n");
    expect(text(await workspace.read("a"))).toBe("1\n");
    await one.workspace.write("a", "2\n");
    expect(text(await workspace.read("a"))).toBe("2\n");
    await one.workspace.write("a", "3\n");
    for await (const piece of workspace.stream("a")) expect(text(piece)).toBe("3\n");
    await one.workspace.write("b", "1\n");
    expect((await other.blame({ path: "b" })).runs).toHaveLength(1);
    await one.workspace.write("c", "1\n");
    expect((await other.diff()).files.map(({ path }) => path)).toContain("/workspace/c");
    await one.workspace.write("d", "1\n");
    const fork = await other.fork();
    expect(fork.files()).toHaveLength(4);
    await one.workspace.write("d", "2\n");
    await other.workspace.write("d", "1\n");
    expect(text(await one.workspace.read("d"))).toBe("1\n");
    for (const session of [fork, one, other]) await session.close();
    for (const store of stores) await store.close();
  });

  test("[HIST-134] the listing is of the present, sorted by segments, and stays as it was taken", async () => {
    const { session, as } = await hosted();
    expect(session.files()).toEqual([]);
    const agent = as("ann");
    for (const path of ["a-b", "a/z", "B"]) await put(agent, path, "x\n", "create");
    const taken = session.files();
    const token = await put(agent, "a-b", "longer\n", "overwrite");
    expect(taken.map(({ path, version }) => [path, version])).toEqual([
      ["/workspace/B", 1],
      ["/workspace/a/z", 1],
      ["/workspace/a-b", 1],
    ]);
    const now = session.files().at(-1);
    expect(now).toMatchObject({ encoding: "utf-8", size_bytes: 7, version: 2, token });
    expect(now?.created_at.getTime()).toBeLessThan(now?.updated_at.getTime() ?? 0);
  });

  test("[HIST-130] a file that comes as a stream is created when it is written", async () => {
    let ms = 0;
    const clock = { now: () => new Date(++ms), monotonic: () => ms };
    const { session } = await hosted({ clock });
    const made = await session.workspace.write("a", ["1", "2"]);
    expect(made.created_at).toEqual(made.updated_at);
  });

  test("[HIST-130] a text for another encoding is refused with what a host can send", async () => {
    const { session } = await hosted();
    await expect(session.workspace.write("l", "é", { encoding: "latin1" })).rejects.toThrow(
      "a Uint8Array in code",
    );
  });

  test("[HIST-130] limits, names and missing files are errors, and nothing is written", async () => {
    const { session } = await hosted({ limits: { fileBytes: 1_000 } });
    const { seq } = session.at;
    await expect(session.workspace.write("../a.txt", "x")).rejects.toMatchObject({
      code: "invalid_argument",
    });
    await expect(session.workspace.write("a.txt", "x".repeat(1_001))).rejects.toMatchObject({
      reason: "file_too_large",
    });
    await expect(session.workspace.write("a.txt", pieces(11, new Uint8Array(100)))).rejects.toMatchObject({
      reason: "file_too_large",
    });
    await expect(session.workspace.read("a.txt")).rejects.toMatchObject({ code: "not_found" });
    await expect(session.workspace.remove("a.txt")).rejects.toMatchObject({ code: "not_found" });
    await expect(session.workspace.remove("/workspace")).rejects.toMatchObject({ code: "invalid_argument" });
    expect(session.at.seq).toBe(seq);
  });

  test("[HIST-130] streams of any size go in and come out piece by piece", async () => {
    for (const store of [memoryStore(), sqliteStore({ directory: scratch() })]) {
      const { session } = await hosted({ store });
      const line = new TextEncoder().encode("h\u00e9llo w\u00f6rld\n".repeat(1_000));
      const odd = line.subarray(0, 7_001);
      const info = await session.workspace.write("big.txt", pieces(300, odd));
      expect(info).toMatchObject({ size_bytes: 300 * odd.length, version: 1 });
      let size = 0;
      let isSame = true;
      for await (const piece of session.workspace.stream("big.txt")) {
        for (let i = 0; i < piece.length; i += 997) isSame &&= piece[i] === odd[(size + i) % odd.length];
        size += piece.length;
      }
      expect([size, isSame]).toEqual([300 * odd.length, true]);
      const whole = await session.workspace.write("text.txt", pieces(3, line));
      expect(whole.encoding).toBe("utf-8");
      expect((await session.workspace.write("text.txt", pieces(2, line))).version).toBe(2);
      await session.close();
    }
  });

  test("[HIST-135] pieces are text or bytes, of any view", async () => {
    for (const store of [memoryStore(), sqliteStore({ directory: scratch() })]) {
      const { session } = await hosted({ store });
      const file = join(scratch(), "a.csv");
      writeFileSync(file, "n\u00e4me;\u{1f600}\n".repeat(50_000));
      const smile = "\u{1f600}";
      const wide = new Uint16Array([258, 259]);
      const given: [HostContent, Uint8Array][] = [
        [createReadStream(file, "utf8"), readFileSync(file)],
        [createReadStream(file, { encoding: "utf8", highWaterMark: 1_001 }), readFileSync(file)],
        [Readable.from(["hello ", "world"]), Buffer.from("hello world")],
        [["a", smile.slice(0, 1), "", smile.slice(1), "b"], Buffer.from(`a${smile}b`)],
        [["t", wide, new Uint8Array([7])], Buffer.from([116, 2, 1, 3, 1, 7])],
        [wide.subarray(1), Buffer.from([3, 1])],
        [new DataView(wide.buffer, 1, 2), Buffer.from([1, 3])],
        [wide.buffer, Buffer.from([2, 1, 3, 1])],
        [Readable.from([]), Buffer.from([])],
      ];
      for (const [i, [content, bytes]] of given.entries()) {
        const info = await session.workspace.write(`f${i}`, content);
        expect(info.size_bytes).toBe(bytes.length);
        expect(Buffer.compare(await session.workspace.read(`f${i}`), bytes), `f${i}`).toBe(0);
      }
      expect(["f0", "f2", "f3"].map((path) => session.workspace.stat(path)?.encoding)).toEqual(
        Array.from({ length: 3 }, () => "utf-8"),
      );
      expect(await session.verify({ blobs: true, states: true })).toMatchObject({ ok: true });
      await session.close();
    }
  });

  test("[HIST-135] anything else is refused with what is accepted, and nothing is written", async () => {
    const { session } = await hosted();
    const { seq } = session.at;
    const bad = { code: "invalid_argument", reason: "bad_options" };
    for (const content of [
      5,
      null,
      undefined,
      {},
      true,
      () => "x",
      [5],
      Readable.from([{ a: 1 }]),
      ["a", null],
    ])
      await expect(session.workspace.write("n.txt", content as never)).rejects.toMatchObject({
        ...bad,
        message: expect.stringMatching(/^\/workspace\/n\.txt: .*a string, a Uint8Array or other view/),
      });
    for (const half of [["\ud83d"], ["\ud83d", new Uint8Array(2)], ["\ude00"], ["\ud83d", "x"]])
      await expect(session.workspace.write("n.txt", half)).rejects.toMatchObject({ reason: "not_unicode" });
    for (const all of [{}, null, 5, "ab", ["ab"], [["a.txt"]], [5]])
      await expect(session.workspace.writeAll(all as never)).rejects.toMatchObject({
        ...bad,
        message: expect.stringContaining("[path, content] pairs"),
      });
    await expect(session.workspace.writeAll([["a.txt", 5 as never]])).rejects.toMatchObject(bad);
    await expect(openSession({ files: { "a.txt": 5 as never } })).rejects.toMatchObject(bad);
    for (const [options, reason] of [
      [{ foo: 1 }, "unknown_option"],
      [{ encoding: 5 }, "bad_options"],
      [{ executable: "yes" }, "bad_options"],
      [null, "bad_options"],
      ["utf-8", "bad_options"],
    ])
      await expect(session.workspace.write("n.txt", "x", options as never)).rejects.toMatchObject({ reason });
    expect(session.at.seq).toBe(seq);
  });

  test("[HIST-131] files of a new session are one commit; an old one is left as it is", async () => {
    const store = memoryStore();
    const files = { "a.txt": "one\n", "src/b.bin": new Uint8Array([255]) };
    const session = await openSession({ store, id: "s", files });
    expect(text(await session.workspace.read("a.txt"))).toBe("one\n");
    expect([...(await session.workspace.read("src/b.bin"))]).toEqual([255]);
    expect((await session.log({})).filter(({ kind }) => kind === "call")).toHaveLength(1);
    await session.workspace.remove("a.txt");
    await session.close();
    const again = await openSession({ store, id: "s", files });
    expect(again.files().map(({ path }) => path)).toEqual(["/workspace/src/b.bin"]);
  });

  test("[HIST-132] a dry run of undo, restore and reset returns the diff that it would make", async () => {
    const { session, as } = await hosted();
    const ann = as("ann");
    await put(ann, "a.txt", "one\n");
    const { id } = await session.snapshot("before");
    await put(ann, "a.txt", "two\n");
    await put(ann, "b.txt", "b\n");
    const { seq } = session.at;
    const shown = async (
      run: (how: { dryRun?: boolean }) => Promise<{ diff?: { files: readonly object[] } }>,
      expected: readonly object[],
    ): Promise<void> => {
      const before = session.at;
      const planned = await run({ dryRun: true });
      expect(session.at).toEqual(before);
      expect(planned.diff?.files).toMatchObject(expected);
      const done = await run({});
      expect(done.diff).toBeUndefined();
      const made = await session.diff({ from: before, to: session.at });
      expect(made.files).toEqual(planned.diff?.files.map((file) => ({ ...file, ...versions(made, file) })));
      await session.undo({ record: session.at.seq });
    };
    const changed = { path: "/workspace/a.txt", change: "changed" };
    const removed = { path: "/workspace/b.txt", change: "removed" };
    await shown((how) => session.restore({ to: id, ...how }), [changed, removed]);
    await shown((how) => session.undo({ record: seq, ...how }), [removed]);
    await shown((how) => session.reset(how), [{ ...changed, change: "removed" }, removed]);
  });
});

/** Versions count on with the commit. */
function versions(made: { files: readonly { path: string; after?: object }[] }, file: object): object {
  const { path } = file as { path: string };
  const after = made.files.find((one) => one.path === path)?.after;
  return after === undefined ? {} : { after };
}
