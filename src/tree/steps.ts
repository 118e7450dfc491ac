// Owns: long passes that a caller can step through, so that no call holds a thread.

/** A pass that pauses now and then and ends with a result. Every pause comes after about a millisecond of work. */
export type Steps<T> = Generator<undefined, T, undefined>;

/** Nodes looked at between two pauses. */
export const STEP = 4_096;

/** Runs a pass to its end without pausing. */
export function runSteps<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
