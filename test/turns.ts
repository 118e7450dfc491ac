// Owns: how often work yields to the event loop, told without a real clock.

import { vi } from "vitest";

/** Turns of the event loop meanwhile, by a clock on which a millisecond passes each time it is looked at. */
export async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let now = performance.now();
  const clock = vi.spyOn(performance, "now").mockImplementation(() => ++now);
  let [turns, isOpen] = [0, true];
  const turn = (): void => {
    turns++;
    if (isOpen) setImmediate(turn);
  };
  setImmediate(turn);
  try {
    await work();
  } finally {
    isOpen = false;
    clock.mockRestore();
  }
  return turns;
}
