// Owns: running a stepwise pass to its end in one go.

/** The result of a generator, run without its pauses. Blocks until it is done. */
export function finish<T>(steps: Generator<unknown, T, void>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
