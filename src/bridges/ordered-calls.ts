// Owns: the order of one agent's calls: each waits for the writes that were issued before it.

export class OrderedCalls {
  #writes: Promise<unknown> = Promise.resolve();

  /** Runs `call` once the earlier writes have ended, however they ended. */
  async run<T>(access: "read" | "write", call: () => Promise<T>): Promise<T> {
    const earlier = this.#writes;
    const result = (async () => {
      await earlier;
      return call();
    })();
    if (access === "write") this.#writes = result.catch(() => undefined);
    return result;
  }
}
