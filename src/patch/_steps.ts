// Owns: work in steps. A pass yields between steps of a few milliseconds, so that its caller can let others run.

/** A pass that answers `T` at its end. What it yields has no meaning but "now is a good moment to pause". */
export type Steps<T> = Generator<undefined, T, undefined>;

/** Runs a pass to its end without a pause. */
export function finish<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
