import { describe, expect, it, vi } from "vitest";
import { HoldfastError } from "../../src/errors.ts";
import { Pacer, runNow, runPaced, type Steps } from "../../src/text/index.ts";

function* counting(to: number, each: () => void = () => {}): Steps<number> {
  let sum = 0;
  for (let i = 1; i <= to; i++) {
    each();
    sum += i;
    yield;
  }
  return sum;
}

function busy(ms: number): void {
  for (const begun = performance.now(); performance.now() - begun < ms;);
}

describe("long work", () => {
  it("[TEXT-41] runs to its end at once, or paced, with the same result", async () => {
    expect(runNow(counting(100))).toBe(5050);
    expect(await runPaced(counting(100))).toBe(5050);
  });

  it("[TEXT-42] lets other work run when it is paced", async () => {
    let turns = 0;
    const timer = setInterval(() => turns++, 0);
    await runPaced(counting(20, () => busy(5)));
    clearInterval(timer);
    expect(turns).toBeGreaterThan(2);
  });

  it("[TEXT-42] lets other work run between works that follow each other, however short each is", async () => {
    let now = performance.now();
    const clock = vi.spyOn(performance, "now").mockImplementation(() => now);
    let turns = 0;
    const turn = (): void => void (turns++, setImmediate(turn).unref());
    setImmediate(turn).unref();
    for (let i = 0; i < 20; i++) await runPaced(counting(2, () => (now += 3)));
    clock.mockRestore();
    expect(turns).toBeGreaterThan(5);
  });

  it("[TEXT-46] lets one of several works go on in each turn, one after another", async () => {
    let now = performance.now();
    const clock = vi.spyOn(performance, "now").mockImplementation(() => now);
    let turns = 0;
    const turn = (): void => void (turns++, setImmediate(turn).unref());
    setImmediate(turn).unref();
    const seen: [work: string, turn: number][] = [];
    const work = (name: string): Promise<number> =>
      runPaced(
        counting(4, () => {
          now += 9;
          seen.push([name, turns]);
        }),
      );
    await Promise.all(["a", "b", "c"].map(work));
    clock.mockRestore();
    expect(seen.map(([name]) => name).join("")).toBe("abcabcabcabc");
    const later = seen.slice(3).map(([, at]) => at);
    expect(new Set(later).size).toBe(later.length);
  });

  it("[TEXT-42] maps very many items as Array.from does", async () => {
    expect(await new Pacer().map(new Set([1, 2, 3]), (n) => n * 2)).toEqual([2, 4, 6]);
  });

  it("[TEXT-43] stops at the next yield once its signal is aborted, and says so", async () => {
    const controller = new AbortController();
    let done = 0;
    const work = runPaced(
      counting(1000, () => {
        if (++done === 3) controller.abort(new Error("enough"));
        busy(5);
      }),
      controller.signal,
    );
    const error = await work.then(
      () => undefined,
      (cause: unknown) => cause,
    );
    expect(HoldfastError.is(error) && error.reason).toBe("aborted");
    expect((error as Error).cause).toMatchObject({ message: "enough" });
    expect(done).toBeLessThan(10);
  });

  it("[TEXT-42] waits only when it is time to yield", async () => {
    // Paced work of a moment ago would count.
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(new Pacer().step()).toBeUndefined();
  });
});
