import { describe, expect, test } from "vitest";
import type { Agent, Session } from "../../src/tools/index.ts";
import { filesIn, folderOf } from "../host/folder.ts";
import { contents, hosted, put } from "./host-session.ts";

const LINES = Array.from({ length: 1_000 }, (_, i) => `line ${i}\n`);
const BEFORE = LINES.join("");
/** Every second line: more pieces than the least limit. */
const AFTER = LINES.map((line, i) => (i % 2 === 0 ? line : `new ${i}\n`)).join("");
const LIMITS = { weaveRuns: 1_000 };

/** A file of many pieces, and another beside it: records 2 to 5, after that of the limits. */
async function inPieces(): Promise<{ session: Session; ann: Agent; bob: Agent; token: string }> {
  const { session, as } = await hosted({ limits: LIMITS });
  const [ann, bob] = [as("ann"), as("bob")];
  const token = await put(ann, "f", BEFORE);
  await put(bob, "f", AFTER);
  await put(ann, "g", "one\n");
  await put(ann, "g", "two\n");
  return { session, ann, bob, token };
}

describe("a file with more pieces than the limit", () => {
  test("[HIST-147] cannot be undone beneath later changes, and says so; it can be restored", async () => {
    const { session } = await inPieces();
    const reason = "/workspace/f was changed in more than 1000 pieces since";
    await expect(session.undo({ record: 3 })).rejects.toMatchObject({
      code: "conflict",
      reason: "undo_refused",
      message: `Nothing was undone: record 3: ${reason}; restore an earlier state of it instead. No other undo changes that: restore or write what is to be there.`,
    });
    expect((await session.undo({ record: [3, 5], partial: true })).undone).toEqual([5]);
    expect(await contents(session)).toEqual({ f: AFTER, g: "one\n" });
    await session.restore({ to: 2, path: "f" });
    expect((await contents(session))["f"]).toBe(BEFORE);
  });

  test("[HIST-147] cannot be blamed, and its stale edits stay conflicts", async () => {
    const { session, ann, token } = await inPieces();
    await expect(session.blame({ path: "f" })).rejects.toMatchObject({
      code: "invalid_argument",
      reason: "too_many_runs",
      message:
        "/workspace/f was changed in more than 1000 pieces: its lines cannot be blamed. Ask for an earlier position, or list its changes instead.",
    });
    expect((await session.blame({ path: "f", at: 2 })).runs).toHaveLength(1);
    expect((await session.blame({ path: "g" })).runs).toHaveLength(1);
    const stale = await ann.call("edit_file", {
      path: "f",
      edits: [{ old_text: "line 10\n", new_text: "mine\n" }],
      expectedVersion: token,
      onConflict: "rebase",
    });
    expect(stale.error?.reason).toBe("stale_version");
  });

  test("[HIST-147] is planned, landed and refreshed as a whole beside others", async () => {
    const from = folderOf({ f: BEFORE, g: "one\n" });
    const { session, as } = await hosted({ limits: LIMITS, mounts: [{ from, to: "/workspace" }] });
    await put(as("bob"), "f", AFTER);
    await put(as("ann"), "g", "two\n");
    const plan = await session.plan();
    expect(plan.files.map(({ path }) => path)).toEqual(["/workspace/f", "/workspace/g"]);
    await plan.land();
    expect(filesIn(from)).toEqual({ f: AFTER, g: "two\n" });
    folderOf({ f: BEFORE, g: "three\n" }, from);
    await session.refresh();
    expect(await contents(session)).toEqual({ f: BEFORE, g: "three\n" });
  });
});
