import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Lookout } from "../../src/store/sqlite/_lookout.ts";
import { ANSWERED, ASKED } from "../../src/store/sqlite/_wire.ts";

const MOMENT_MS = 2;

/** A clock that moves on by a microsecond whenever somebody looks, and turns of the event loop that are run by hand. */
let now = 0;
let turns: (() => void)[] = [];

beforeEach(() => {
  now = 0;
  turns = [];
  vi.spyOn(performance, "now").mockImplementation(() => (now += 0.001));
  vi.spyOn(globalThis, "setImmediate").mockImplementation(((turn: () => void) => {
    turns.push(turn);
  }) as never);
});

afterEach(() => vi.restoreAllMocks());

/** Runs what is due, and answers how long that took. */
function turn(): number {
  const since = now;
  for (const each of turns.splice(0)) each();
  return now - since;
}

/** Something is sent, and its answer comes after so many milliseconds; nobody stays awake afterwards. */
function exchange(lookout: Lookout, ms: number): void {
  lookout.sent(true);
  now += ms;
  ring(lookout);
  lookout.answered(true);
  turn();
  expect(turns).toEqual([]);
}

function ring(lookout: Lookout): void {
  Atomics.add(lookout.tally, ANSWERED, 1);
}

describe("[JRN-128] whoever waits for an answer", () => {
  test("sleeps until one has come quickly", () => {
    const lookout = new Lookout();
    lookout.sent(true);
    expect(turns).toEqual([]);
    now += 0.5;
    ring(lookout);
    lookout.answered(true);
    expect(lookout.isQuick).toBe(true);
    lookout.sent(true);
    expect(turns).toHaveLength(1);
  });

  test("stays awake in short turns, and lets the loop go on as soon as the answer is there", () => {
    const lookout = new Lookout();
    exchange(lookout, 0.5);
    lookout.sent(true);
    for (let i = 0; i < 10; i++) {
      expect(turn()).toBeLessThan(0.03);
      expect(turns).toHaveLength(1);
    }
    ring(lookout);
    expect(turn()).toBeLessThan(0.005);
    lookout.answered(true);
    expect(turns).toHaveLength(1);
    turn();
    expect(turns).toEqual([]);
  });

  test("takes one turn at a time, however much is sent", () => {
    const lookout = new Lookout();
    exchange(lookout, 0.5);
    for (let i = 0; i < 5; i++) lookout.sent(true);
    expect(turns).toHaveLength(1);
    for (let i = 0; i < 4; i++) {
      ring(lookout);
      lookout.answered(true);
    }
    turn();
    expect(turns).toHaveLength(1);
  });

  test("tells the writer of every request, awaited or not", () => {
    const lookout = new Lookout();
    lookout.sent(true);
    lookout.sent(false);
    expect(Atomics.load(lookout.tally, ASKED)).toBe(2);
    lookout.answered(true);
    expect(Atomics.load(lookout.tally, ANSWERED)).toBe(0);
  });

  test("sleeps after a moment, though the answer is still to come", () => {
    const lookout = new Lookout();
    exchange(lookout, 0.5);
    lookout.sent(true);
    let awake = 0;
    for (let i = 0; i < 1_000 && turns.length > 0; i++) awake += turn();
    expect(turns).toEqual([]);
    expect(awake).toBeLessThan(MOMENT_MS + 0.03);
    ring(lookout);
    lookout.answered(true);
    expect(turns).toEqual([]);
  });

  test("sleeps at once when the last answer was slow, until one is quick again", () => {
    const lookout = new Lookout();
    exchange(lookout, 0.5);
    exchange(lookout, 5);
    expect(lookout.isQuick).toBe(false);
    lookout.sent(true);
    expect(turns).toEqual([]);
    ring(lookout);
    lookout.answered(true);
    expect(lookout.isQuick).toBe(true);
  });

  test("is neither quick nor slow for answers that nobody waits for, and hears them out", () => {
    const lookout = new Lookout();
    ring(lookout);
    lookout.answered(false);
    expect(lookout.isQuick).toBe(false);
    exchange(lookout, 0.5);
    lookout.sent(true);
    ring(lookout);
    lookout.answered(false);
    // Still waiting, and for the next one.
    expect(turn()).toBeGreaterThan(0.015);
    expect(turns).toHaveLength(1);
  });
});
