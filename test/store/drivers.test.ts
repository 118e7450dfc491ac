import { execFile, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { childProgram } from "../children.ts";
import { Db } from "../../src/store/sqlite/_db.ts";
import { buildStore } from "./build.ts";
import { DRIVERS, environmentFor } from "./drivers.ts";
import { scratch } from "./scratch.ts";

const root = scratch("memory");

interface Said {
  readonly driver: string;
  readonly stderr: string;
}

/** Writes twenty records to a session of this store, in a process of its own. */
async function use(name: string, env: NodeJS.ProcessEnv): Promise<Said> {
  const script = [childProgram("store", "library"), join(root, name)];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, script, { env });
  return { ...(JSON.parse(stdout) as Said), stderr };
}

describe("the SQLite library", () => {
  test("[JRN-133] is Node's own where Node has it", async () => {
    const { HOLDFAST_SQLITE: _, ...env } = process.env;
    expect((await use("chosen", env)).driver).toBe(DRIVERS[0]);
  });

  test.each(DRIVERS)("[JRN-134] %s brings no warning of its own, and takes none away", async (driver) => {
    const said = await use(`alone-${driver}`, environmentFor(driver));
    expect(said).toMatchObject({ driver, seq: 20, verified: { ok: true, checked: 20 }, untouched: true });
    expect(said.stderr).toContain("a warning of the host");
    expect(said.stderr).not.toContain("SQLite");
    expect(said.stderr.trim().split("\n").length).toBeLessThanOrEqual(2);
  });

  test.skipIf(DRIVERS.length < 2)(
    "[JRN-135] reads and goes on with what another has written, also at once",
    async () => {
      for (let round = 0; round < 4; round++) {
        const driver = DRIVERS[round % 2] ?? "libsql";
        const said = await use("shared", environmentFor(driver));
        const seq = (round + 1) * 20;
        expect(said).toMatchObject({ driver, seq, verified: { ok: true, checked: seq } });
      }
      await Promise.all(DRIVERS.map((driver) => use("shared", environmentFor(driver))));
      const last = await use("shared", environmentFor("libsql"));
      expect(last).toMatchObject({ seq: 140, verified: { ok: true, checked: 140 } });
    },
  );

  test("[JRN-133] without any SQLite library everything else works, and a store says what is missing", () => {
    const build = buildStore([
      { file: "sqlite/_driver-libsql.ts", find: '("libsql")', put: '("libsql-that-is-not-there")' },
      { file: "sqlite/_driver-node-sqlite.ts", find: '("node:sqlite")', put: '("node:not-there")' },
    ]);
    const directory = join(root, "none");
    try {
      const { stdout, stderr } = spawnSync(process.execPath, [build.child("without-sqlite"), directory], {
        encoding: "utf8",
      });
      expect(stderr).toBe("");
      const said = JSON.parse(stdout) as Record<string, unknown>;
      expect(said).toMatchObject({ seq: 0, code: "internal", reason: "no_sqlite" });
      expect(said["message"]).toContain("npm install libsql");
      expect(said["message"]).toContain("Node 22.13");
      expect(existsSync(directory)).toBe(false);
    } finally {
      build.remove();
    }
  });

  test("[JRN-122] refuses careless binds with an exception", () => {
    const db = new Db(join(root, "binds.db"));
    db.exec("CREATE TABLE disk.t (a)");
    const wrong: unknown[] = [
      undefined,
      true,
      1n,
      Number.NaN,
      Number.POSITIVE_INFINITY,
      {},
      [],
      () => 0,
      Symbol("x"),
      new Date(0),
      new ArrayBuffer(2),
      new Float64Array(1),
      new String("x"),
    ];
    for (const bind of wrong)
      expect(() => db.run("INSERT INTO t VALUES (?)", [bind as string])).toThrow(TypeError);
    for (const binds of [[], ["a", "b"], "a", { 0: "a", length: 1 }, null])
      expect(() => db.run("INSERT INTO t VALUES (?)", binds as string[])).toThrow(TypeError);
    const good = ["x", 1.5, -0, null, new Uint8Array([1, 2]), Buffer.from("b"), new Uint8Array()];
    for (const bind of good) expect(db.run("INSERT INTO t VALUES (?)", [bind])).toBe(1);
    expect(db.all("SELECT a FROM t").flat()).toEqual([
      "x",
      1.5,
      -0,
      null,
      new Uint8Array([1, 2]),
      new Uint8Array([98]),
      new Uint8Array(),
    ]);
    expect(() => db.all("SELECT nonsense FROM t")).toThrow();
    db.close();
    expect(() => db.all("SELECT a FROM t")).toThrow("closed");
    db.close();
  });
});
