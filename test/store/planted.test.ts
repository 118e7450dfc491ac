// Each bug that this room must never have is put into a copy of it, and the check that has to catch it is run on the copy. A
// check that passes there is worth nothing.

import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { sqliteStore } from "../../src/store/sqlite/store.ts";
import { buildStore, type Patch } from "./build.ts";
import { killCycles } from "./kill.ts";
import { commitTogether } from "./processes.ts";
import { scratch } from "./scratch.ts";
import { hasStrace, trace } from "./trace.ts";

const long = process.env["HOLDFAST_LONG"] === "1";
const root = join(import.meta.dirname, "../..");

/** Bugs that the contract suite catches, with the rule whose test must fail. */
const CONTRACT: readonly (readonly [bug: string, rule: string, ...patches: Patch[]])[] = [
  [
    "the idempotency key is not looked at",
    "JRN-40",
    {
      file: "_commit-check.ts",
      find: "if (commit.once !== undefined) {",
      put: "if (commit.once === null) {",
    },
  ],
  [
    "a key is taken for any request",
    "JRN-41",
    { file: "_commit-check.ts", find: "stored.request === commit.request", put: "stored.seq > 0" },
  ],
  [
    "a stale expectation is accepted",
    "JRN-30",
    { file: "_commit-check.ts", find: "if (moved.length > 0) return { moved };", put: "" },
  ],
  [
    "the digits of a token are not compared",
    "JRN-31",
    { file: "_commit-check.ts", find: "at.hash.startsWith(expected.hash)", put: "true" },
  ],
  [
    "the quota counts only what is there already",
    "JRN-32",
    {
      file: "_commit-check.ts",
      find: "usage[what] + delta > commit.quota[what]",
      put: "usage[what] > commit.quota[what]",
    },
  ],
  [
    "a key that a commit touches is forgotten",
    "JRN-13",
    {
      file: "sqlite/_unindexed-records.ts",
      find: "for (const key of keys) {",
      put: "for (const key of keys.slice(1)) {",
    },
  ],
  [
    "the stored result is not written",
    "JRN-42",
    { file: "sqlite/_append.ts", find: "if (commit.once !== undefined)\n", put: "if (commit.once === '')\n" },
  ],
  [
    "a refused commit leaves what it had written",
    "JRN-53",
    { file: "sqlite/_session-writer.ts", find: 'db.exec("ROLLBACK TO task");', put: "" },
  ],
  [
    "bytes that come again do not count as used again",
    "JRN-91",
    {
      file: "sqlite/_unindexed-records.ts",
      find: "last = max(last, excluded.last)",
      put: "last = max(last, excluded.last * 0)",
    },
    {
      file: "sqlite/_unindexed-records.ts",
      find: "last = max(last, used.seq)",
      put: "last = max(last, used.seq * 0)",
    },
  ],
  [
    "an indexed record loses a key",
    "JRN-126",
    {
      file: "sqlite/_unindexed-records.ts",
      find: "INSERT OR IGNORE INTO touch SELECT",
      put: "INSERT OR IGNORE INTO touch SELECT DISTINCT 'x' ||",
    },
  ],
  [
    "the bytes of an indexed record are thrown away as if they were there twice",
    "JRN-126",
    { file: "sqlite/_unindexed-records.ts", find: "IS NOT seq`", put: "IS NOT seq + 0 * length(body) + 1`" },
  ],
  [
    "prune drops the record at the border",
    "JRN-90",
    {
      file: "sqlite/_prune.ts",
      find: "const range = [seq, Math.min(before - 1, seq + RECORDS_A_STEP)];",
      put: "const range = [seq, Math.min(before, seq + RECORDS_A_STEP)];",
    },
  ],
  [
    "a checkpoint at the very place is not found",
    "JRN-60",
    { file: "sqlite/_reader.ts", find: "checkpoint.seq <= ?", put: "checkpoint.seq < ?" },
  ],
  [
    "a fork takes one record too many",
    "JRN-80",
    {
      file: "sqlite/_create-session.ts",
      find: "[seq, Math.min(at.seq, seq + RECORDS_A_STEP)]",
      put: "[seq, Math.min(at.seq + 1, seq + RECORDS_A_STEP)]",
    },
  ],
  [
    "a lease is given twice",
    "JRN-63",
    { file: "sqlite/_session-writer.ts", find: "WHERE until <= ?`", put: "WHERE until <> ?`" },
  ],
  [
    "a named row is set without a look at its revision",
    "JRN-64",
    {
      file: "sqlite/_session-writer.ts",
      find: "FROM named_row WHERE name = ?`, [task.name]) ?? 0,\n        );\n        if (rev !== task.rev)",
      put: "FROM named_row WHERE name = ?`, [task.name]) ?? 0,\n        );\n        if (rev < 0)",
    },
  ],
  [
    "a removed session still takes commits",
    "JRN-4",
    { file: "sqlite/_connections.ts", find: "    this.#removed = true;\n", put: "" },
  ],
  [
    "records of a key come without their filter",
    "JRN-12",
    { file: "sqlite/_read-records.ts", find: 'add("agent = ?", query.agent);', put: "" },
  ],
];

interface Copy {
  /** Only the tests of this rule are run; all when there is none. */
  readonly rule?: string;
  readonly patches: readonly Patch[];
}

/** Puts a bug into a copy of the sources of this room. */
function plant({ file, find, put }: Patch, sources: string): void {
  const path = join(sources, file);
  const parts = readFileSync(path, "utf8").split(find);
  if (parts.length !== 2) throw new Error(`${file} holds ${JSON.stringify(find)} ${parts.length - 1} times`);
  writeFileSync(path, parts.join(put));
}

/**
 * Runs the real contract suite on patched copies, all in one go; answers the titles that failed, per copy. Nothing here ends by
 * the clock, but for a test that a bug makes wait for ever.
 */
function failuresOf(copies: readonly Copy[]): string[][] {
  const base = join(root, "node_modules/.cache");
  mkdirSync(base, { recursive: true });
  const all = mkdtempSync(join(base, "holdfast-planted-"));
  try {
    for (const [i, { patches }] of copies.entries()) {
      for (const path of ["src/errors.ts", "src/limits.ts", "src/value.ts", "src/text", "src/store"])
        cpSync(join(root, path), join(all, String(i), path), { recursive: true });
      for (const path of ["journal-contract.ts", "scratch.ts"])
        cpSync(join(root, "test/store", path), join(all, String(i), "test/store", path));
      writeFileSync(
        join(all, String(i), "test/store/planted.test.ts"),
        `import { join } from "node:path";
         import { sqliteStore } from "../../src/store/sqlite/store.ts";
         import { journalContract } from "./journal-contract.ts";
         import { scratch } from "./scratch.ts";
         const place = scratch("memory");
         let stores = 0;
         journalContract({
           name: "copy ${i}",
           make: async (options) => sqliteStore({ directory: join(place, String(++stores)), ...options }),
         });`,
      );
      for (const patch of patches) plant(patch, join(all, String(i), "src/store"));
    }
    writeFileSync(join(all, "package.json"), '{ "type": "module" }');
    const projects = copies.map(({ rule }, i) => ({
      test: {
        name: String(i),
        include: [`${i}/test/store/planted.test.ts`],
        exclude: [],
        testTimeout: WAITS_FOR_EVER_MS,
        ...(rule === undefined ? {} : { testNamePattern: `\\[${rule}\\]` }),
      },
    }));
    writeFileSync(
      join(all, "vitest.config.mjs"),
      `export default ${JSON.stringify({ test: { projects } })};`,
    );
    const report = join(all, "report.json");
    spawnSync(
      join(root, "node_modules/.bin/vitest"),
      ["run", "--root", all, "--reporter", "json", "--outputFile", report],
      { cwd: all, stdio: "ignore" },
    );
    const { testResults } = JSON.parse(readFileSync(report, "utf8")) as {
      testResults: { name: string; assertionResults: { status: string; title: string }[] }[];
    };
    return copies.map((_, i) =>
      (
        testResults.find(({ name }) => name.includes(`/${i}/test/`))?.assertionResults ?? [
          { status: "failed", title: "the file did not run" },
        ]
      )
        .filter(({ status }) => status === "failed")
        .map(({ title }) => title),
    );
  } finally {
    rmSync(all, { recursive: true, force: true });
  }
}

const SAMPLED = 2;
const WAITS_FOR_EVER_MS = 10 * 60_000;

describe("planted bugs are caught", () => {
  test("each bug has its place in the sources", () => {
    const sources = join(scratch(), "store");
    for (const [, , ...patches] of CONTRACT) {
      cpSync(join(root, "src/store"), sources, { recursive: true, force: true });
      for (const patch of patches) plant(patch, sources);
    }
  });

  test("by the contract suite (a sample; all of them with HOLDFAST_LONG=1)", { timeout: 3_600_000 }, () => {
    const planted = long ? CONTRACT : CONTRACT.slice(0, SAMPLED);
    const copies = planted.map(([, rule, ...patches]): Copy => ({ rule, patches }));
    const failures = failuresOf([{ patches: [] }, ...copies]);
    expect(failures[0]).toEqual([]);
    const missed = planted.filter(([bug, rule], i) => {
      const caught = failures[i + 1]?.some((title) => title.startsWith(`[${rule}]`)) === true;
      console.log(
        `${caught ? "caught" : "MISSED"} ${rule} ${bug}: ${String(failures[i + 1]?.length)} tests failed`,
      );
      return !caught;
    });
    expect(missed.map(([bug]) => bug)).toEqual([]);
  });

  const withBuild = async (
    patches: readonly Patch[],
    check: (child: (name: string) => string) => unknown,
  ) => {
    const build = buildStore(patches);
    try {
      await check((name) => build.child(name));
    } finally {
      build.remove();
    }
  };
  const traced = (child: (name: string) => string): ReturnType<typeof trace>["calls"] => {
    const directory = scratch();
    return trace(child("syncs"), [join(directory, "store")], join(directory, "log")).calls;
  };

  test.skipIf(!hasStrace)("[JRN-110] no fsync at all: by counting them (needs strace)", async () => {
    const never: Patch = {
      file: "sqlite/_session-writer.ts",
      find: "db.exec(`PRAGMA disk.synchronous=${sync}`);",
      put: "",
    };
    const off: Patch = {
      file: "sqlite/_format.ts",
      find: 'sync: "FULL" | "OFF" = "FULL"',
      put: 'sync: "FULL" | "OFF" = "OFF"',
    };
    await withBuild([never, off], (child) => {
      const syncs = traced(child).filter(({ phase, name }) => phase === "appends" && name === "fsync");
      expect(syncs).toHaveLength(0);
    });
  });

  test.skipIf(!hasStrace)(
    "[JRN-110] a blob file named by a record before it is synced: by their order (needs strace)",
    async () => {
      const late: Patch = {
        file: "sqlite/_journal.ts",
        find: "    await this.#files.settle([...all]);\n",
        put: "    void new Promise((go) => setTimeout(go, 200)).then(() => this.#files.settle([...all]));\n",
      };
      await withBuild([late], (child) => {
        const calls = traced(child).filter(({ phase }) => phase === "files");
        expect(calls[0]?.on.endsWith("-wal")).toBe(true);
      });
    },
  );

  test("[JRN-112] acknowledged before it is committed: by killing", { timeout: 180_000 }, async () => {
    const early: Patch[] = [
      {
        file: "sqlite/_session-writer.ts",
        find: '      committing = true;\n      db.exec("COMMIT");',
        put: `      committing = true;
      (this as unknown as { early: (a: Response[]) => void }).early(responses);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 15);
      db.exec("COMMIT");`,
      },
      {
        file: "sqlite/_group-commit.ts",
        find: "    this.#respond = respond;\n",
        put: `    this.#respond = respond;
    (this.writer as unknown as { early: (a: Response[]) => void }).early = (all) => all.forEach(respond);\n`,
      },
    ];
    await withBuild(early, async (child) => {
      const directory = scratch("memory");
      const store = sqliteStore({ directory });
      const { wrong } = await killCycles(store, directory, child("crash"), 60);
      await store.close();
      expect(wrong.join("\n")).toMatch(/was acknowledged and is lost|acknowledged at another place/);
    });
  });

  test("[JRN-112] a retried key applied again: by killing", { timeout: 180_000 }, async () => {
    const patches: Patch[] = [
      {
        file: "_commit-check.ts",
        find: "if (commit.once !== undefined) {",
        put: "if (commit.once === null) {",
      },
      { file: "sqlite/_append.ts", find: "INSERT INTO result", put: "INSERT OR REPLACE INTO result" },
    ];
    await withBuild(patches, async (child) => {
      const directory = scratch("memory");
      const store = sqliteStore({ directory });
      const { wrong } = await killCycles(store, directory, child("crash"), 60);
      await store.close();
      expect(wrong.join("\n")).toContain("is kept twice");
    });
  });

  test("[JRN-115] a stale expectation accepted: by the shared counter", { timeout: 120_000 }, async () => {
    const stale: Patch = {
      file: "_commit-check.ts",
      find: "if (moved.length > 0) return { moved };",
      put: "",
    };
    await withBuild([stale], async (child) => {
      const directory = scratch("memory");
      await commitTogether(child("commits"), directory, 4, 50, 2);
      const store = sqliteStore({ directory });
      const journal = await store.open("s");
      const [last] = await journal.records({ key: "count:shared", newestFirst: true, limit: 1 });
      await store.close();
      expect((last?.changes?.[0] as { value?: number } | undefined)?.value).toBeLessThan(100);
    });
  });
});
