import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sqliteStore } from "../../src/store/index.ts";
import { LONG } from "../effort.ts";
import { contents, put } from "../session/host-session.ts";
import { scratch } from "../store/scratch.ts";
import { folderOf, opened } from "./folder.ts";
import { killedAfter } from "./killed.ts";

test(
  "[HOST-68] a process killed while refreshing leaves the session before or after it, and the next refresh ends alike",
  { timeout: 3_600_000 },
  async () => {
    const cycles = LONG ? 200 : 2;
    const directory = scratch();
    let [cut, whole] = [0, 0];
    for (let n = 0; n < cycles; n++) {
      const id = `s${n}`;
      const files = Object.fromEntries(
        Array.from({ length: 60 }, (_, i) => [`d${i % 7}/f${i}`, `${i}\n`.repeat(500)]),
      );
      const from = folderOf(files);
      const store = sqliteStore({ directory });
      const mounts = [{ from, to: "/workspace" }];
      const { session, as } = await opened({ store, id, mounts });
      await put(as("ann"), "d0/f0", `ann\n${files["d0/f0"] ?? ""}`);
      const before = await contents(session);
      await session.close();
      await store.close();
      for (let i = 0; i < 30; i++) files[`d${i % 7}/f${i}`] += "host\n";
      delete files["d1/f1"];
      files["new/f"] = "new\n";
      folderOf(files, from);
      rmSync(join(from, "d1/f1"));
      const after = { ...files, "d0/f0": `ann\n${files["d0/f0"] ?? ""}` };
      const isDone = await killedAfter((n % 40) * 4, [directory, id, from, "refresh"]);
      const again = sqliteStore({ directory });
      const { session: next } = await opened({ store: again, id, mounts });
      const found = await contents(next);
      if (found["new/f"] === undefined) {
        expect(isDone).toBe(false);
        expect(found).toEqual(before);
        cut++;
      } else whole++;
      await next.refresh();
      expect(await contents(next)).toEqual(after);
      expect((await next.verify({ blobs: true })).ok).toBe(true);
      await next.close({ delete: true });
      await again.close();
      rmSync(from, { recursive: true });
    }
    expect(cut + whole).toBe(cycles);
    if (LONG) expect(Math.min(cut, whole)).toBeGreaterThan(0);
  },
);
