// Every tool with hostile arguments: only documented refusals, no path of the host, and nothing changed by a failure.

import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { sqliteStore } from "../../src/store/index.ts";
import { ERROR_CODES } from "../../src/errors.ts";
import { runs } from "../effort.ts";
import { scratch } from "../store/scratch.ts";
import { EVERY_TOOL, inputsOf, stageWith } from "./catalogue.ts";

const PATHS = [
  "",
  "/",
  "..",
  "../../etc/passwd",
  "/etc/passwd",
  "/proc/self/environ",
  "a/../../b",
  "a\0b",
  "C:\\x",
  "\\\\host\\x",
  "~/.ssh",
  "a//b",
  "con",
  "a.",
  " a",
  ".git/config",
  ".holdfast/x",
  "dir",
  "a.json/b",
  "\u202e",
  "\ud800",
  "x/".repeat(40),
  "y".repeat(300),
];
const JSON_PATHS = [
  "$",
  "$[",
  "$['",
  "$..*",
  "$[*]",
  "$[0:9]",
  "$[?@.a == ",
  "$[-99999999999999999999]",
  `$${"[0]".repeat(2_000)}`,
  "$['\\ud800']",
  "a.b",
];
const TOKENS = ["1-00000000", "0-0", "99-deadbeef", "1-deadbeef.7", "-1-x", "__proto__"];
const TEXTS = [
  "\u0000",
  "\ud83d",
  "\ufeff",
  "{",
  "[1,",
  '"',
  "(a+)+$",
  "[",
  "*".repeat(200),
  "\r\n",
  "AA==",
  "%%%",
  "utf-16",
  "x".repeat(60_000),
];

const hostile = fc.oneof(
  fc.constantFrom<unknown>(...PATHS, ...JSON_PATHS, ...TOKENS, ...TEXTS),
  fc.constantFrom<unknown>(null, true, 0, -1, 1.5, 1e300, Number.NaN, 2 ** 53, [], {}, [[]], {
    a: { b: {} },
  }),
  fc.string({ unit: "binary", maxLength: 30 }),
  fc.jsonValue({ maxDepth: 3 }),
  fc.array(fc.string({ maxLength: 5 }), { maxLength: 5 }),
);

test(
  "[CALL-106] hostile arguments of every tool give only documented errors, and a failure changes nothing",
  { timeout: 600_000 },
  async () => {
    const directory = join(scratch(), "store");
    const store = sqliteStore({ directory });
    const { agent, pool, session } = await stageWith("word", {
      store,
      id: "hostile",
      limits: { callBurst: 100_000, callsPerMinute: 1_000_000 },
    });
    const paths = [directory, scratch(), process.cwd(), process.env["HOME"] ?? directory].filter(
      (one) => one.length > 4,
    );
    for (const tool of EVERY_TOOL) {
      const names = [...Object.keys(tool.input.shape), "expectedVersion", "idempotencyKey", "onConflict"];
      const spoilt = fc
        .tuple(
          inputsOf(tool, pool),
          fc.dictionary(fc.constantFrom(...names), hostile, { minKeys: 1, maxKeys: 2 }),
        )
        .map(([input, wrong]) => ({ ...input, ...wrong }));
      await fc.assert(
        fc.asyncProperty(spoilt, async (input) => {
          const before = session.at.seq;
          const result = await agent.call(tool.name, input);
          const called = `${tool.name} ${JSON.stringify(input).slice(0, 500)} => ${result.text.slice(0, 500)}`;
          const said = result.text + JSON.stringify(result.error ?? {});
          for (const path of paths) expect(said.includes(path), called).toBe(false);
          if (result.ok) return;
          expect(
            ERROR_CODES.filter((code) => code !== "internal" && code !== "rate_limited"),
            called,
          ).toContain(result.error.code);
          expect(result.error.reason, called).toMatch(/^[a-z0-9]+(_[a-z0-9]+)*$/);
          expect(result.text, called).toMatch(/^\[Error\] ./);
          expect(session.at.seq, called).toBe(before);
        }),
        runs(4),
      );
    }
    expect(await session.verify({ states: true, blobs: true })).toMatchObject({ ok: true });
    await session.close();
    await store.close();
  },
);
