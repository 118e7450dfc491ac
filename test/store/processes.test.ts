import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, test } from "vitest";
import { childProgram } from "../children.ts";
import { HoldfastError } from "../../src/errors.ts";
import { sqliteStore } from "../../src/store/sqlite/store.ts";
import { commit, kept } from "./journal-contract.ts";
import { commitTogether, heldInWords, startControl } from "./processes.ts";
import { scratch } from "./scratch.ts";

const long = process.env["HOLDFAST_LONG"] === "1";
const COMMITS = long ? 1000 : 30;

describe("several processes on one session", () => {
  test(
    `[JRN-115] 8 processes x ${COMMITS} commits, half of them pinned to one counter: nothing lost, the counter exact`,
    { timeout: long ? 30 * 60_000 : 120_000 },
    async () => {
      const directory = scratch();
      const control = startControl([childProgram("store", "control")]);
      const reports = await commitTogether(childProgram("store", "commits"), directory, 8, COMMITS, 2);
      const worst = (pick: (report: (typeof reports)[number]) => number): number =>
        Math.round(Math.max(...reports.map(pick)) * 10) / 10;
      console.log(
        JSON.stringify({
          conflicts: reports.reduce((sum, { conflicts }) => sum + conflicts, 0),
          worstP99: worst(({ p99 }) => p99),
          worst: worst(({ max }) => max),
        }),
        heldInWords(reports, await control()),
      );
      const store = sqliteStore({ directory });
      const journal = await store.open("s");
      expect((await journal.head()).seq).toBe(8 * COMMITS);
      const [last] = await journal.records({ key: "count:shared", newestFirst: true, limit: 1 });
      expect(last?.changes?.[0]).toMatchObject({ value: 4 * COMMITS });
      const counted = await journal.records({ key: "count:shared", limit: 10_000 });
      expect(counted.map(({ changes }) => (changes?.[0] as { value?: number } | undefined)?.value)).toEqual(
        Array.from({ length: 4 * COMMITS }, (_, i) => i + 1),
      );
      for (let i = 0; i < 8; i++)
        expect(await journal.records({ agent: `agent-${i}`, limit: 10_000 })).toHaveLength(COMMITS);
      expect(await journal.verify({ blobs: true })).toMatchObject({ ok: true, checked: 8 * COMMITS });
      await store.close();
    },
  );

  test("[JRN-116] each sees what the others do", async () => {
    const directory = scratch("memory");
    const store = sqliteStore({ directory });
    const journal = await store.open("s", { create: true });
    const head = kept(await journal.append(commit()));
    const child = spawn(process.execPath, [childProgram("store", "other"), directory], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    const lines: string[] = [];
    child.stdout.on("data", (data: Buffer) => lines.push(...data.toString().trim().split("\n")));
    const answer = async (order: string): Promise<string> => {
      const seen = lines.length;
      child.stdin.write(`${order}\n`);
      while (lines.length === seen) await once(child.stdout, "data");
      return lines.at(-1) ?? "";
    };
    expect(await answer("head")).toBe(JSON.stringify(head));

    const stop = new AbortController();
    const watching = (async () => {
      for await (const at of journal.watch(head.seq, stop.signal)) return at;
      return undefined;
    })();
    const theirs = await answer("append");
    expect(JSON.stringify(await watching)).toBe(theirs);
    stop.abort();

    expect(await answer("lease")).toBe("true");
    expect(await journal.lease("work", 1000)).toBeUndefined();
    expect(await answer("release")).toBe("done");
    const mine = await journal.lease("work", 60_000);
    expect(mine).toBeDefined();
    expect(await answer("lease")).toBe("false");

    const childWatch = answer("watch");
    await new Promise((resolve) => setTimeout(resolve, 100));
    const next = kept(await journal.append(commit()));
    expect(await childWatch).toBe(JSON.stringify(next));

    expect(await answer("remove")).toBe("done");
    for (const tried of [() => journal.head(), () => journal.append(commit())]) {
      const error: unknown = await tried().catch((thrown: unknown) => thrown);
      expect(HoldfastError.is(error) && error.reason).toBe("session_not_found");
    }
    child.stdin.end();
    await once(child, "close");
    await store.close();
  });
});
