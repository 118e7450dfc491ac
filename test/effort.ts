// How many random cases a property test tries: a sample normally, many more with HOLDFAST_LONG=1.

export const LONG: boolean = process.env["HOLDFAST_LONG"] === "1";

export function runs(sample: number): { numRuns: number } {
  return { numRuns: LONG ? sample * 20 : sample };
}
