// Owns: how much a test tries: a sample normally, many more with HOLDFAST_LONG=1.

export const LONG: boolean = process.env["HOLDFAST_LONG"] === "1";

export function runs(sample: number): { numRuns: number } {
  return { numRuns: LONG ? sample * 20 : sample };
}

/**
 * Repeats something that mostly waits, such as a process that is killed and the lease that it held: at full size several times side by
 * side. `work` gets its part of the numbers below `cycles`, and what it shares with no other.
 */
export async function inLanes(
  cycles: number,
  work: (numbers: readonly number[]) => Promise<void>,
): Promise<void> {
  const lanes = LONG ? 4 : 1;
  const numbers = Array.from({ length: cycles }, (_, n) => n);
  await Promise.all(
    Array.from({ length: lanes }, (_, lane) => work(numbers.filter((n) => n % lanes === lane))),
  );
}
