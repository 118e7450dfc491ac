import { spawnSync } from "node:child_process";
import fc from "fast-check";
import { expect, test } from "vitest";
import { childProgram } from "../children.ts";
import { LONG } from "../effort.ts";
import { DRIVERS, environmentFor } from "./drivers.ts";
import { scratch } from "./scratch.ts";

interface Round {
  readonly flips: unknown;
  /** What was read otherwise than from the sound files; an error as `! reason`. */
  readonly changed: Readonly<Record<string, string>>;
}

const REFUSED = /^! (store_damaged|blob_lost|not_a_session|newer_format)$/;

/** Uses a session with flipped bits, in a process of its own: text of every column, then anything. */
function flip(driver: (typeof DRIVERS)[number]): Round[] {
  const program = [
    childProgram("store", "flipped"),
    scratch("memory"),
    String(fc.readConfigureGlobal().seed ?? Date.now() % 2 ** 31),
    LONG ? "20000" : "50",
  ];
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, program, {
    encoding: "utf8",
    env: environmentFor(driver),
    maxBuffer: 256 * 1024 * 1024,
  });
  // The last line says which bits were flipped when it ended.
  expect({ status, signal, last: stderr.trim().split("\n").at(-1) }).toMatchObject({
    status: 0,
    signal: null,
  });
  return stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Round);
}

test.each(DRIVERS)(
  "[JRN-137] flipped bits never end the process nor change content (%s)",
  { timeout: 30 * 60_000 },
  (driver) => {
    const rounds = flip(driver);
    expect(rounds.length).toBeGreaterThan(150);
    for (const { flips, changed } of rounds) {
      const context = JSON.stringify({ flips, changed });
      for (const [what, text] of Object.entries(changed)) {
        if (text.startsWith("!")) expect(text, context).toMatch(REFUSED);
        // What is left of it is wrong only where verify says so.
        else if (what === "changes" || what === "blobs") expect(changed["verify"], context).toBeDefined();
      }
    }
    // Each of the flips in text has been met.
    const met = rounds.filter(({ changed }) => Object.values(changed).includes("! store_damaged"));
    expect(met.length).toBeGreaterThan(40);
  },
);
