// Owns: passes that can be taken in steps. A pass is a generator: it yields where others may run, and returns its answer.

/** Runs a pass to its end, at once. Blocks for as long as the pass takes: for small input, tests and scripts. */
export function runSteps<T>(steps: Iterator<unknown, T, void>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
