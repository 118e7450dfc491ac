// Owns: the order of one agent's calls: each waits for the writes that were issued before it.
// Must never: hold a call up because an earlier one failed.

/** Whether others must wait for a call. */
export type CallKind = "read" | "write";

export class OrderedCalls {
  #writes: Promise<unknown> = Promise.resolve();

  /** Runs `call` once the earlier writes have ended, however they ended. */
  async run<T>(kind: CallKind, call: () => Promise<T>): Promise<T> {
    const earlier = this.#writes;
    const result = (async () => {
      await earlier;
      return call();
    })();
    if (kind === "write") this.#writes = result.catch(() => undefined);
    return result;
  }
}

const orders = new WeakMap<object, OrderedCalls>();

/** The one order of an agent's calls, through whatever tools they come. */
export function orderOf(agent: object): OrderedCalls {
  let order = orders.get(agent);
  if (order === undefined) {
    order = new OrderedCalls();
    orders.set(agent, order);
  }
  return order;
}
