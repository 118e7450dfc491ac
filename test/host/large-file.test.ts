import { expect, test, vi } from "vitest";
import type { LandingPlan } from "../../src/tools/index.ts";
import type { Hosted } from "../session/host-session.ts";
import { turnsDuring } from "../turns.ts";
import { folderOf, opened } from "./folder.ts";

const PARTS = 16_000;

/** A session with one mounted file of many parts, so many of which an agent edited. */
async function edited(count: number, end: string): Promise<Hosted> {
  const every = PARTS / count;
  const parts = Array.from({ length: PARTS }, (_, i) => `${i % every === 7 ? "old" : "the"} part ${i}${end}`);
  const hosted = await opened({ mounts: [{ from: folderOf({ f: parts.join("") }), to: "/workspace" }] });
  const { ok, text } = await hosted
    .as("ann")
    .call("replace_in_files", { pattern: "old", replacement: "new", include: ["**"] });
  expect(ok, text).toBe(true);
  return hosted;
}

/** How many bytes are copied and searched meanwhile. */
async function bytesDuring(work: () => Promise<unknown>): Promise<number> {
  const set = vi.spyOn(Uint8Array.prototype, "set");
  const forward = vi.spyOn(Uint8Array.prototype, "indexOf");
  const backward = vi.spyOn(Uint8Array.prototype, "lastIndexOf");
  let bytes = 0;
  try {
    await work();
    for (const [from] of set.mock.calls) bytes += from.length;
    for (const [i, [, at = 0]] of forward.mock.calls.entries()) {
      const found = forward.mock.results[i]?.value as number;
      bytes += (found < 0 ? (forward.mock.contexts[i] as Uint8Array).length : found) - at;
    }
    for (const [i, [, at]] of backward.mock.calls.entries()) {
      const from = at ?? (backward.mock.contexts[i] as Uint8Array).length - 1;
      bytes += from - (backward.mock.results[i]?.value as number);
    }
  } finally {
    for (const spy of [set, forward, backward]) spy.mockRestore();
  }
  return bytes;
}

test.each([
  ["many lines", "\n", (count: number) => count],
  ["one line", ",", () => 1],
])(
  "[HOST-145] a plan of a large file of %s costs the file and its hunks, not one times the other",
  async (_, end, hunks) => {
    const costs: number[] = [];
    for (const count of [20, 80]) {
      const { session } = await edited(count, end);
      let plan: LandingPlan | undefined;
      costs.push(await bytesDuring(async () => void (plan = await session.plan())));
      expect(plan?.files[0]?.hunks).toHaveLength(hunks(count));
      await session.close();
    }
    expect((costs[1] as number) / (costs[0] as number)).toBeLessThan(2);
  },
);

test("[HOST-145] other work goes on during the plan of a large file", async () => {
  const { session } = await edited(400, "\n");
  const turns = await turnsDuring(() => session.plan());
  expect(turns).toBeGreaterThan(100);
  await session.close();
});

test("[HOST-145] a plan shows an edit at the beginning of a long line", async () => {
  const { session } = await edited(1, ",");
  const { files } = await session.plan();
  expect(files[0]?.hunks[0]?.text).toMatch(
    /^@@ -1 \+1 @@\n-the part 0,.*,old part 7,.*\n\\ .*\n\+the part 0,.*,new part 7,/,
  );
  await session.close();
});
